"""Records that others wrote, read: what they mean follows from the record itself, and what had to be repaired is counted by name.

A repair never invents data: other faults stay, and are then refused with their place.
"""

import operator
import re
from collections import Counter
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec

from generator.core.conversation import Conversation, FileSequence
from generator.core.errors import FormatError
from generator.core.pointers import is_map_of_parameters, parts_of_object, wrapped_parameters
from generator.core.yaml_values import own_data
from generator.formats import FORMATS, Format
from generator.formats.files.records import UNFOLDED
from generator.formats.files.validate import OF_TOOLS
from generator.formats.format import conversation_of, text_or_json
from generator.formats.openai_messages import (
    CUSTOM_INPUT,
    THOUGHT_KEYS,
    parse_exact_json,
    parse_or_text,
    python_value,
    take_thoughts,
    with_schema_read,
)
from generator.formats.steps import placeholder_id
from generator.report.files.sets import CALLS_AS_TEXT, SETS, calls_in, known_shape

_NAMES: dict[str, dict[str, str]] = own_data(__file__)
REPAIRS = _NAMES["repairs"] | UNFOLDED
"""Name of a repair -> what it repairs."""
_MOST_ENCODINGS = 3
_THOUGHT = re.compile(r"\s*(?:<think>\n?)?(.*?)\n?</think>\s*", re.DOTALL)
_MAY_BE_NULL = frozenset({"default", "const", "example", "examples"})
Message = dict[str, Any]


class _Open(msgspec.Struct):
    """A call that has no result yet."""

    given: Any
    """The id that the record has."""
    id: str
    name: Any


class _Repairer:
    """Repairs one record."""

    def __init__(self, messages: list[Any], tools: Any, repairs: Counter[str]) -> None:
        self._repairs = repairs
        self._messages = messages
        declared = [tool.get("function") for tool in tools if isinstance(tool, dict)] if isinstance(tools, list) else []
        functions = [function for function in declared if isinstance(function, dict)]
        self._schemas = {str(function.get("name")): function.get("parameters") for function in functions}
        self._free: Iterator[str] | None = None
        self._seen: set[Any] = set()
        self._open: list[_Open] = []
        self._said: Any = None  # by the assistant, before the results that stand there

    def message(self, message: Any, path: str) -> Any:
        """Return the message, repaired; the same object where there is nothing to repair."""
        role = message.get("role") if isinstance(message, dict) else None
        if role == "tool":
            return self._answer(message, path)
        if role in ("user", "assistant"):
            self._open, self._said = [], message.get("content") if role == "assistant" else None
        if role == "user" and parse_or_text(message.get("tool_calls")):
            raise FormatError(f"{path}: calls of the user, which no format here holds")
        calls = _calls(message) if role == "assistant" else []
        mended = [self._call(call) for call in calls]
        return message | {"tool_calls": mended} if any(map(operator.is_not, calls, mended)) else message

    def _call(self, raw: dict[str, Any]) -> dict[str, Any]:
        """Return a call with an id of its own, a type and arguments that are an object."""
        call, given_id = raw, raw.get("id")
        is_missing = not isinstance(given_id, str) or not given_id
        if is_missing or given_id in self._seen:
            call = call | {"id": self._new_id()}
            self._repairs["id_missing" if is_missing else "id_reused"] += 1
        self._seen.add(call["id"])
        if call.get("type") is None:
            call = call | {"type": "function"}
            self._repairs["type_missing"] += 1
        function = call.get("function")
        if isinstance(function, dict):
            arguments = self._arguments(function.get("arguments"), function.get("name"))
            if arguments is not function.get("arguments"):
                call = call | {"function": function | {"arguments": arguments}}
            self._open.append(_Open(given_id, call["id"], function.get("name")))
        return call

    def _arguments(self, value: Any, name: Any) -> Any:
        """Return the arguments of a call as an object, parsed as often as they were encoded."""
        if value is None or (isinstance(value, str) and value.strip() in ("", "null")):
            self._repairs["arguments_missing"] += 1
            return {}
        inner, repair = value, "encoded_twice"
        for _ in range(_MOST_ENCODINGS):
            if not isinstance(inner, str):
                break
            try:
                inner = parse_exact_json(inner)
            except ValueError:
                inner, repair = python_value(inner), "python_literals"
        if not isinstance(inner, dict):
            return value
        self._repairs[repair] += inner is not value
        return _unfilled(inner, self._schemas.get(str(name)), self._repairs)

    def _answer(self, message: Message, path: str) -> Message:
        """Return a result with the id and name of the call that it answers: by id, by name, or by order."""
        given_id, name = message.get("tool_call_id") or message.get("id"), message.get("name")
        call = next((call for call in self._open if given_id and call.given == given_id), None)
        if call is None:
            calls_of_name = [call for call in self._open if name is not None and call.name == name]
            call = next(iter([*calls_of_name, *self._open]), None)
            if call is None:
                why = f"; {CALLS_AS_TEXT}" if isinstance(self._said, str) and calls_in(self._said)[1] else ""
                raise FormatError(f"{path}: a result that answers no call{why}")
            self._repairs["result_by_order"] += 1
        self._open.remove(call)
        if message.get("tool_call_id") != call.id:
            message = message | {"tool_call_id": call.id}
        if name is None and isinstance(call.name, str):
            message = message | {"name": call.name}
            self._repairs["tool_name"] += 1
        return message

    def _new_id(self) -> str:
        """Return an id that no call of the record has."""
        if self._free is None:
            used_ids = {str(call.get("id")) for message in self._messages for call in _calls(message)}
            self._free = (new_id for number in count(1) if (new_id := placeholder_id(number)) not in used_ids)
        return next(self._free)


_MILD = {
    "OA102": "", "OA103": "", "OA104": "", "OA106": "tools_encoded", "RE104": "tools_nested", "NG102": "tools_nested", "SG104": "python_literals", "SG105": "encoded_twice",
    "SG106": "role_named", "TR103": "encoded_twice", "MI102": "tools_encoded", "AX102": "",
}  # fmt: skip
"""Faults of a record of which nothing is left out when it is read all the same -> the repair that reading it is, if any."""


def understood(
    raw: Any, fmt: Format, repairs: Counter[str] | None = None, *, tags: bool = True
) -> Conversation | FileSequence:
    """Return the conversation of a record, or its document, with its faults repaired; with `tags`, `<think>` at the beginning of a text is thoughts.

    Raises:
        FormatError: when it is none, with the place and the reason.
    """
    repairs = Counter() if repairs is None else repairs
    raw, public = known_shape(raw)
    plain, faults = (FORMATS[SETS[public].format] if public else fmt).read(raw)
    for fault in faults:
        if repair := _MILD.get(fault.rule):
            repairs[repair] += 1
    grave = [fault for fault in faults if fault.rule not in _MILD and not fault.path.endswith(".arguments")]
    try:
        if grave:
            raise FormatError(f"{grave[0].path}: {grave[0].message}")
        return plain if isinstance(plain, FileSequence) else conversation_of(repaired(plain, repairs, tags=tags))
    except FormatError as fault:
        raise FormatError(next((f"{f.path}: {f.message}" for f in faults if f.rule not in _MILD), str(fault))) from None
    except RecursionError:
        raise FormatError("$: is nested too deep") from None


_IMAGES = frozenset(
    ["image", "image_url", "input_image", "input_audio", "audio", "video", "document", "file", "input_file"]
)
_IMAGE_KEYS = frozenset({"inlineData", "inline_data", "fileData", "file_data"})


def without_images(value: Any, repairs: Counter[str]) -> Any:
    """Return a record without the parts of its messages that are images or files."""
    if isinstance(value, dict):
        return {key: without_images(part, repairs) if key in _HOLD_PARTS else part for key, part in value.items()}
    if not isinstance(value, list):
        return value
    kept = [part for part in value if not _is_image(part)]
    repairs["images_left_out"] += len(value) - len(kept)
    return [without_images(part, repairs) for part in kept]


_HOLD_PARTS = frozenset({"messages", "contents", "content", "parts", "prompt", "completion", "input"})


def _is_image(part: Any) -> bool:
    """Whether a part of a message is an image or another file: `{"type": "image_url", …}`, `{"inlineData": …}`."""
    return isinstance(part, dict) and (str(part.get("type")) in _IMAGES or not _IMAGE_KEYS.isdisjoint(part))


def repaired(plain: Any, repairs: Counter[str], *, tags: bool = True) -> Any:
    """Return a plain record with its faults repaired; what was repaired is counted in `repairs`.

    Raises:
        FormatError: when a result answers no call, or something stands in a message that no format holds.
    """
    messages = plain.get("messages") if isinstance(plain, dict) else None
    if not isinstance(messages, list):
        return plain
    tools = _tools(plain, repairs)
    shaped_by_path = [
        (f"$.messages[{i}]", _shaped(raw, f"$.messages[{i}]", repairs, tags)) for i, raw in enumerate(messages)
    ]
    messages_by_path = list(_joined(shaped_by_path, repairs))
    repairer = _Repairer([message for _, message in messages_by_path], tools, repairs)
    return plain | {"tools": tools, "messages": [repairer.message(message, path) for path, message in messages_by_path]}


def _tools(plain: dict[str, Any], repairs: Counter[str]) -> Any:
    """Return the tools of a record, whatever they are called and wrapped in."""
    tools = plain.get("tools")
    for key in OF_TOOLS:
        if not tools and plain.get(key):
            tools = plain[key]
            repairs["key_spelled"] += 1
    tools = _parsed(tools, "tools_encoded", repairs)
    if not isinstance(tools, list):
        return tools
    return [_tool(_parsed(tool, "tools_encoded", repairs), repairs) for tool in tools]


def _tool(raw: Any, repairs: Counter[str]) -> Any:
    """Return a declared tool in the shape `{"type": "function", "function": …}`, whatever it is wrapped in."""
    if not isinstance(raw, dict):
        return raw
    tool = raw
    if isinstance(raw.get("custom"), dict) and "function" not in raw:
        about = {key: raw["custom"][key] for key in ("name", "description") if raw["custom"].get(key) is not None}
        tool = {"type": "function", "function": about | {"parameters": CUSTOM_INPUT}}
        repairs["custom"] += 1
    elif isinstance(raw.get("name"), str) and "function" not in raw:
        tool = {"type": "function", "function": {key: value for key, value in raw.items() if key != "type"}}
        repairs["tools_flat"] += 1
    read = with_schema_read(tool)
    repairs["tools_encoded"] += read is not tool
    function = read.get("function")
    schema = function.get("parameters") if isinstance(function, dict) else None
    if function is None or not isinstance(schema, dict):
        return read
    mended = _unfilled_schema(schema, repairs)
    if is_map_of_parameters(mended):
        mended = wrapped_parameters(mended)
        repairs["parameters_map"] += 1
    return read if mended is schema else read | {"function": function | {"parameters": mended}}


def _unfilled_schema(schema: Any, repairs: Counter[str]) -> Any:
    """Return a schema without the nulls that a table filled in; the same object where there are none."""
    if isinstance(schema, list):
        parts = [_unfilled_schema(part, repairs) for part in schema]
        return parts if any(map(operator.is_not, schema, parts)) else schema
    if not isinstance(schema, dict):
        return schema
    filled_keys = {key: value for key, value in schema.items() if value is not None or key in _MAY_BE_NULL}
    repairs["null_filled"] += len(schema) - len(filled_keys)
    mended = {
        key: value if key in _MAY_BE_NULL or key == "enum" else _unfilled_schema(value, repairs)
        for key, value in filled_keys.items()
    }
    is_same = len(filled_keys) == len(schema) and not any(map(operator.is_not, schema.values(), mended.values()))
    return schema if is_same else mended


def _unfilled(value: Any, schema: Any, repairs: Counter[str]) -> Any:
    """Return arguments without the nulls that their schema does not allow; the same object where there are none."""
    properties, required = parts_of_object(schema)
    if isinstance(value, list) and isinstance(schema, dict):
        parts = [_unfilled(part, schema.get("items"), repairs) for part in value]
        return parts if any(map(operator.is_not, value, parts)) else value
    if not isinstance(value, dict) or not isinstance(schema, dict) or "properties" not in schema:
        return value
    kept = {
        key: _unfilled(part, properties.get(key), repairs)
        for key, part in value.items()
        if part is not None or key in required or _allows_null(properties.get(key, False))
    }
    repairs["null_filled"] += len(value) - len(kept)
    is_same = len(kept) == len(value) and not any(map(operator.is_not, value.values(), kept.values()))
    return value if is_same else kept


def _allows_null(schema: Any) -> bool:
    """Whether a schema may allow null; one that is not looked through is taken to."""
    if not isinstance(schema, dict):
        return schema is not False
    kind, members = schema.get("type"), schema.get("enum")
    if kind is None:
        return not isinstance(members, list) or None in members
    return "null" in (kind if isinstance(kind, list) else [kind]) or schema.get("nullable") is True


def _shaped(raw: Any, path: str, repairs: Counter[str], tags: bool) -> Any:
    """Return a message with the keys, role, calls and content that messages have here."""
    if not isinstance(raw, dict):
        return raw
    message = raw
    if not _NAMES["keys"].keys().isdisjoint(raw):
        message = {_NAMES["keys"].get(key, key): value for key, value in raw.items()}
        repairs["key_spelled"] += 1
    if isinstance(message.get("role"), str) and message["role"] in _NAMES["roles"]:
        message = message | {"role": _NAMES["roles"][message["role"]]}
        repairs["role_named"] += 1
    if "function_call" in message or message.get("role") == "function":
        message = _of_today(message, repairs)
    if message.get("role") == "assistant":
        return _shaped_assistant(message, repairs, tags, arguments_are_parsed=isinstance(raw.get("tool_calls"), list))
    content = message.get("content")
    parts = (
        [part for part in content if isinstance(part, dict) and "text" not in part] if isinstance(content, list) else []
    )
    kinds = [part["type"] for part in parts if "type" in part]
    if kinds:
        what = f"holds {kinds[0]!r}, and no format here holds images or files (--drop-images)"
        raise FormatError(f"{path}.content: {what}")
    if message.get("role") == "tool" and not isinstance(content, str):
        message = message | {"content": text_or_json(content)}
        repairs["result_value"] += 1
    return message | {"is_error": True} if message.get("error") is True and message.get("role") == "tool" else message


def _shaped_assistant(message: Message, repairs: Counter[str], tags: bool, *, arguments_are_parsed: bool) -> Message:
    """Return an assistant message in shape.

    `arguments_are_parsed`: the format's reader has seen its calls, and their arguments.
    """
    if not message.keys().isdisjoint(THOUGHT_KEYS):
        message = dict(message)
        take_thoughts(message)
    content: Any = message.get("content")
    calls: Any = message.get("tool_calls")
    match = _THOUGHT.match(content) if tags and isinstance(content, str) and "</think>" in content else None
    if match:
        thoughts = message.get("thoughts") or ({"reason": match[1]} if match[1] else None)
        message = message | {"content": content[match.end() :], "thoughts": thoughts}
        repairs["think_tags"] += 1
    if "tool_calls" not in message:
        return message
    listed = _parsed(calls, "calls_encoded", repairs)
    if isinstance(listed, dict):
        listed = [listed]
        repairs["calls_unlisted"] += 1
    if not listed:
        return {key: value for key, value in message.items() if key != "tool_calls"}
    if not isinstance(listed, list):
        return message
    shaped = [
        _shaped_call(
            _parsed(call, "calls_encoded", repairs),
            repairs,
            arguments_are_parsed=arguments_are_parsed and not isinstance(call, str),
        )
        for call in listed
    ]
    if listed is calls and not any(map(operator.is_not, listed, shaped)):
        return message
    return message | {"tool_calls": shaped}


def _shaped_call(raw: Any, repairs: Counter[str], *, arguments_are_parsed: bool) -> Any:
    """Return a call in the shape `{"id", "type", "function": {"name", "arguments"}}`.

    With `arguments_are_parsed`, one that has it already is returned as it is; else arguments that are a JSON text
    become their value.
    """
    if not isinstance(raw, dict) or (arguments_are_parsed and isinstance(raw.get("function"), dict)):
        return raw
    if isinstance(raw.get("function"), dict):
        return raw | {"function": raw["function"] | {"arguments": parse_or_text(raw["function"].get("arguments"))}}
    custom = raw.get("custom")
    if isinstance(custom, dict):
        repairs["custom"] += 1
        function = {"name": custom.get("name"), "arguments": {"input": custom.get("input")}}
        return {"id": raw.get("id"), "type": "function", "function": function}
    if not isinstance(raw.get("name"), str):
        return raw
    repairs["calls_flat"] += 1
    arguments = next((raw[key] for key in ("arguments", "args", "parameters", "input") if key in raw), None)
    arguments = parse_or_text(arguments)
    return {"id": raw.get("id"), "type": "function", "function": {"name": raw["name"], "arguments": arguments}}


def _parsed(value: Any, repair: str, repairs: Counter[str]) -> Any:
    """Return the list or object that a text holds, which is counted; anything else as it is."""
    inner = parse_or_text(value)
    if inner is value or not isinstance(inner, dict | list):
        return value if not isinstance(value, str) or value.strip() else None
    repairs[repair] += bool(inner)
    return inner


def _of_today(raw: Message, repairs: Counter[str]) -> Message:
    """Return OpenAI's old `function_call` and `function` messages as calls and tool messages."""
    message = dict(raw)
    old = message.pop("function_call", None)
    if isinstance(old, dict) and not message.get("tool_calls"):
        message["tool_calls"] = [{"type": "function", "function": old}]
        repairs["function_call"] += 1
    if message.get("role") == "function":
        message["role"] = "tool"
        repairs["function_call"] += 1
    return message


def _joined(messages_by_path: list[tuple[str, Any]], repairs: Counter[str]) -> Iterator[tuple[str, Any]]:
    """Yield (path, message), messages of the assistant in a row as one: no result stands between them."""
    open_message: tuple[str, Message] | None = None
    for path, message in messages_by_path:
        if open_message is not None and _go_together(open_message[1], message):
            open_message = open_message[0], open_message[1] | _both_said(open_message[1], message)
            repairs["assistant_joined"] += 1
            continue
        if open_message is not None:
            yield open_message
        open_message = path, message
    if open_message is not None:
        yield open_message


def _both_said(first: Message, second: Message) -> Message:
    """Return the text, the calls and the thoughts of two messages of the assistant as those of one."""
    texts = [text for text in (first.get("content"), second.get("content")) if text]
    calls = [*(first.get("tool_calls") or ()), *(second.get("tool_calls") or ())]
    thoughts = [(message.get("thoughts") or {}).get("reason") for message in (first, second)]
    both: Message = {"content": "\n".join(texts) if texts or not calls else None}
    both |= {"tool_calls": calls} if calls else {}
    return both | ({"thoughts": {"reason": "\n".join(filter(None, thoughts))}} if any(thoughts) else {})


def _go_together(first: Any, second: Any) -> bool:
    """Whether two messages are one answer of the assistant, both learnt or both not."""
    for message in (first, second):
        if not isinstance(message, dict) or message.get("role") != "assistant":
            return False
        if not isinstance(message.get("content"), str | None) or not isinstance(message.get("tool_calls"), list | None):
            return False
    return bool(first.get("train", True) == second.get("train", True))


def _calls(message: Any) -> list[dict[str, Any]]:
    """Return the calls of a message that are objects, when all of them are."""
    calls = message.get("tool_calls") if isinstance(message, dict) else None
    return calls if isinstance(calls, list) and all(isinstance(call, dict) for call in calls) else []
