"""Public data sets with shapes of their own, and calls that stand in texts: read as rows of OpenAI's shape.

A set is recognised by its records. Its reader returns a record of a format that is known; whatever is still wrong with
that is repaired, and counted, as in anybody's.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation
from generator.formats.openai_messages import parse_or_text, python_value
from generator.formats.rows.bfcl import read_schema
from generator.formats.steps import placeholder_id
from generator.formats.wire.encodings import read_python
from generator.formats.wire.format import NotReadError, wire_format

Record = dict[str, Any]


class PublicSet(msgspec.Struct, frozen=True):
    """A data set that many people have."""

    is_one: Callable[[Record], bool]
    read: Callable[[Record], Record]
    format: str
    """In which format the record is that `read` returns."""


def _is_glaive(record: Record) -> bool:
    return isinstance(record.get("chat"), str) and "USER:" in record["chat"]


_GLAIVE = re.compile(r"(USER|ASSISTANT|FUNCTION RESPONSE):")
_GLAIVE_ROLES = {"USER": "user", "ASSISTANT": "assistant", "FUNCTION RESPONSE": "tool"}


def _read_glaive(record: Record) -> Record:
    """Glaive v2: one text with the names of the speakers, functions one behind another in the system message."""
    first, *functions = _said_and_values(str(record.get("system") or "").removeprefix("SYSTEM:").strip())
    pieces = _GLAIVE.split(record["chat"])
    messages: list[Record] = [{"role": "system", "content": first}] if first else []
    for speaker, text in zip(pieces[1::2], pieces[2::2], strict=True):
        messages.append({"role": _GLAIVE_ROLES[speaker], "content": text.replace("<|endoftext|>", "").strip()})
    return {"messages": list(_with_calls(messages)), "tools": list(map(_declared, functions))}


def _said_and_values(text: str) -> list[Any]:
    """Return what stands before the first JSON value of a text, and the values that follow."""
    text_and_values: list[Any] = [re.split(r"[\[{]", text, maxsplit=1)[0].strip()]
    at = len(text) - len(text.lstrip("\n ")) if not text_and_values[0] else re.search(r"[\[{]|\Z", text).start()  # type: ignore[union-attr]
    decoder = json.JSONDecoder()
    with suppress(ValueError):
        while at < len(text):
            value, at = decoder.raw_decode(text, at)
            text_and_values += value if isinstance(value, list) else [value]
            at += len(text[at:]) - len(text[at:].lstrip())
    return text_and_values


def _declared(function: Any) -> Record:
    """Return a function as a tool; BFCL's names of types are JSON Schema's then."""
    if not isinstance(function, dict):
        return {"type": "function", "function": function}
    about = {key: function[key] for key in ("name", "description") if function.get(key)}
    return {"type": "function", "function": about | {"parameters": read_schema(function.get("parameters"))}}


def _is_toolace(record: Record) -> bool:
    """Whether a record is of ToolACE: roles as names, functions in the system message."""
    entries = record.get("conversations")
    roles = (
        {str(entry.get("from")) for entry in entries if isinstance(entry, dict)} if isinstance(entries, list) else set()
    )
    has_functions = "functions" in str(record.get("system")) and "tools" not in record
    return has_functions and bool(roles) and roles <= {"user", "assistant", "tool"}


def _read_toolace(record: Record) -> Record:
    """ToolACE: functions as a list in the system message, calls as `[name(argument=value)]`, results as one list."""
    first, *functions = _said_and_values(record["system"])
    messages: list[Record] = [{"role": "system", "content": first}]
    messages += [{"role": entry.get("from"), "content": entry.get("value")} for entry in record["conversations"]]
    return {"messages": list(_with_calls(messages)), "tools": list(map(_declared, functions))}


def _is_when2call(record: Record) -> bool:
    """Whether a record is of When2Call: calls stand in `<TOOLCALL>`."""
    messages = record.get("messages")
    contents = [m.get("content") for m in messages if isinstance(m, dict)] if isinstance(messages, list) else []
    return any("<TOOLCALL>" in text for text in contents if isinstance(text, str))


def _read_when2call(record: Record) -> Record:
    """When2Call: calls as a list in `<TOOLCALL>`."""
    return record | {"messages": list(_with_calls(record["messages"]))}


SETS = {
    "glaive": PublicSet(_is_glaive, _read_glaive, "openai"),
    "toolace": PublicSet(_is_toolace, _read_toolace, "openai"),
    "when2call": PublicSet(_is_when2call, _read_when2call, "openai"),
}


def known_shape(record: Any) -> tuple[Any, str | None]:
    """Return a record as one of a format that is known, with the name of the set it is of, if any."""
    if isinstance(record, dict):
        for name, data_set in SETS.items():
            if data_set.is_one(record):
                with suppress(AttributeError, TypeError, KeyError):
                    return data_set.read(record), name
    return record, None


# ----------------------------------------------------------------------------------------------- calls in texts

CALLS_AS_TEXT = "calls as text (--read-calls reads them)"
_TAGGED = re.compile(
    r"<tool_call>(.*?)</tool_call>|<TOOLCALL>(.*?)</TOOLCALL>|<functioncall>(.*?)(?:</functioncall>|\Z)"
    r"|<function_call>(.*?)</function_call>|\[TOOL_CALLS\](.*)",
    re.DOTALL,
)
_RESULT = re.compile(r"\s*<(tool_response|TOOLRESPONSE|function_response)>\s*(.*?)\s*</\1>\s*", re.DOTALL)
_CALLED = re.compile(r"\s*([^()\[\],=\"']+)\(")
_PYTHON = wire_format("llama_pythonic")


def calls_in(text: str) -> tuple[str, list[Record]]:
    """Return a text without the calls in it, and the calls; the text itself where one of them cannot be read."""
    matches = list(_TAGGED.finditer(text))
    calls_or_none = [call for match in matches for call in _functions(next(filter(None, match.groups()), ""))]
    if matches and len(calls_or_none) >= len(matches) and None not in calls_or_none:
        return _TAGGED.sub("", text).strip(), [*filter(None, calls_or_none)]
    bare = text.strip()
    calls = list(_python_calls(bare[1:-1])) if bare.startswith("[") and bare.endswith(")]") else [None]
    return (text, []) if None in calls else ("", [*filter(None, calls)])


def _functions(text: str) -> Iterator[Record | None]:
    """Yield the calls of a JSON text or a Python literal; None for what is none."""
    value = parse_or_text(text.strip())
    value = python_value(text) if isinstance(value, str) else value
    for call in value if isinstance(value, list) else [value]:
        arguments = parse_or_text(call.get("arguments", call.get("parameters", {}))) if isinstance(call, dict) else None
        is_call = isinstance(arguments, dict) and isinstance(call.get("name"), str)
        yield {"name": call["name"], "arguments": arguments} if is_call else None


def _python_calls(text: str) -> Iterator[Record | None]:
    """Yield the calls of a text such as `f(a="x"), g h(b=2)`; None where it is something else."""
    at = 0
    with suppress(NotReadError):
        while match := _CALLED.match(text, at):
            arguments, end = read_python(_PYTHON, text, match.end(), None, lenient=True)
            yield {"name": match[1].strip(" ,\n"), "arguments": arguments}
            at = end + 1
            at += len(text[at:]) - len(text[at:].lstrip(", \n"))
    if at < len(text) or not text:
        yield None


def _with_calls(messages: list[Any], read: Counter[str] | None = None) -> Iterator[Any]:
    """Yield messages with the calls that stand in texts as calls, and their results as results."""
    calls_so_far, unanswered = 0, 0
    for message in messages:
        role, content = (message.get("role"), message.get("content")) if isinstance(message, dict) else (None, None)
        if role == "assistant" and isinstance(content, str) and not message.get("tool_calls"):
            text, functions = calls_in(content)
            calls = [
                {"id": placeholder_id(calls_so_far + n), "type": "function", "function": f}
                for n, f in enumerate(functions, 1)
            ]
            calls_so_far, unanswered = calls_so_far + len(calls), len(calls)
            if read is not None:
                read["calls_read"] += len(calls)
            yield message | ({"content": text or None, "tool_calls": calls} if calls else {})
        elif unanswered and role in ("tool", "user") and isinstance(content, str):
            results = list(_results(content, unanswered)) if role == "tool" or _RESULT.match(content) else []
            first = calls_so_far - unanswered
            unanswered = 0
            text_behind = _RESULT.sub("", content).strip() if results else content
            for number, result in enumerate(results, first + 1):
                yield {"role": "tool", "tool_call_id": placeholder_id(number), "content": result}
            if role == "user" and text_behind:
                yield message | {"content": text_behind}
        else:
            yield message


def _results(content: str, calls: int) -> Iterator[str]:
    """Yield the results in a text: those in tags, the elements of a list with one for each call, or the text."""
    tagged = [match[2] for match in _RESULT.finditer(content)]
    listed = parse_or_text(content)
    if tagged:
        yield from tagged[:calls]
    elif isinstance(listed, list) and len(listed) == calls and all(map(_has_name, listed)):
        yield from (
            json.dumps(result.get("results", result), ensure_ascii=False, separators=(",", ":")) for result in listed
        )
    else:
        yield content


def _has_name(value: Any) -> bool:
    return isinstance(value, dict) and "name" in value


def with_calls_read(record: Any, read: Counter[str]) -> Any:
    """Return a record with the calls in the texts of its messages as calls; they are counted as `calls_read`."""
    messages = record.get("messages") if isinstance(record, dict) else None
    return record | {"messages": list(_with_calls(messages, read))} if isinstance(messages, list) else record


def has_calls_as_text(conversation: Conversation) -> bool:
    """Whether a call stands in the text of a message, where it is not learnt as a call."""
    texts = [m.content for m in conversation.messages if isinstance(m, AssistantMessage) and m.content]
    return any(calls_in(text)[1] for text in texts if "<" in text or text.lstrip().startswith("["))
