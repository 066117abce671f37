"""ShareGPT records as LLaMA-Factory reads them: `{"conversations": [...], "system": "...", "tools": "[...]"}`.

- messages are `{"from": "human" | "gpt" | "function_call" | "observation", "value": "..."}`; first the person or an
  observation speaks, then the model, in strict turns. LLaMA-Factory leaves out any other row without an error, so such
  rows are refused
- one call is the JSON object `{"name", "arguments"}`, several at once are one list of such
- the result of one call is the observation; the results of several are one JSON list in the order of the calls, in which
  a result that is compact JSON of an object or list stands as JSON and any other as a string
- what the model thinks before it speaks or calls stands before that in `<think>` and `</think>`, each on a line of its own
- there is no text beside calls, there are no ids, names, flags
- `tools` is a JSON string that holds the list of functions; `system` and `tools` are empty when there are none

With `rows: ranking` a record has `chosen` and `rejected` beside the conversation: what is rejected has exactly one fault, which
`defect` names (docs/recipes.md, `preferences`). With `rows: unpaired`, for KTO, the last message of a record is right, and `kto_tag`
true, or rejected, and `kto_tag` false: two records for each of these preferences.

A run writes `dataset_info.json` beside the files, so that its folder can be LLaMA-Factory's `dataset_dir`.

Read as well: a system message among the others, and calls, results and tools in the tags of Hermes (`<tool_call>`,
`<tool_response>`, `<tools>`). `role` and `content` for `from` and `value`, and the roles `user`, `assistant`, `model` and `tool`, are a
fault, which `convert` mends.
"""

import re
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    Violation,
)
from generator.core.errors import CannotCarryError
from generator.formats.format import Read, compact_json, json_value, plain_record, row_format, text_or_json
from generator.formats.openai_messages import parse_exact_json, python_value, read_arguments, read_json_list
from generator.formats.steps import (
    divided_thought,
    function_text,
    in_call_order,
    message_path,
    tagged_thought,
    turns,
    without_parts,
)
from generator.formats.text import RecordReading

_TAGS = frozenset(["human", "gpt", "function_call", "observation", "system"])
"""LLaMA-Factory's own."""
_SPEAKERS = {
    "human": "user",
    "user": "user",
    "gpt": "assistant",
    "function_call": "assistant",
    "assistant": "assistant",
    "model": "assistant",
    "system": "system",
}


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    messages = conversation.messages
    system = messages[0].content if messages and type(messages[0]) is SystemMessage else None
    turned = turns(messages)
    entries: list[dict[str, str]] = []
    for message, answers in turned if system is None else turned[1:]:
        of_model = len(entries) % 2
        if of_model != (type(message) is AssistantMessage) or type(message) is SystemMessage:
            raise CannotCarryError(f"{message_path(messages, message)}: person and model do not speak in turns")
        entries += _entries_of_turn(message, answers, messages)
    if len(entries) % 2 or not entries:
        raise CannotCarryError("$.messages: does not end with the assistant")
    if not conversation.tools and tagged_tools(system or ""):
        raise CannotCarryError("$.messages[0].content: a system message that looks like a list of tools")
    tools = f"[{','.join(map(function_text, conversation.tools))}]" if conversation.tools else ""
    return {"conversations": entries, "system": system or "", "tools": tools}


def _entries_of_turn(
    message: Message, answers: list[ToolMessage], messages: tuple[Message, ...]
) -> Iterator[dict[str, str]]:
    """Yield the entries of a message and the results of its calls."""
    content = message.content or ""
    if type(message) is not AssistantMessage:
        yield {"from": "human", "value": content}
        return
    thought = tagged_thought(message, f"{message_path(messages, message)}")
    if not message.tool_calls:
        if tagged_calls(content)[1]:
            raise CannotCarryError(f"{message_path(messages, message)}.content: an answer that looks like calls")
        yield {"from": "gpt", "value": thought + content}
        return
    if content:
        raise CannotCarryError(f"{message_path(messages, message)}.content: text beside calls")
    yield {"from": "function_call", "value": thought + _calls_text(message.tool_calls)}
    if answers:
        yield {"from": "observation", "value": _answers_text(answers)}


def read(record: Any) -> Read:
    """Calls are numbered; results go to the calls before them."""
    if not isinstance(record, dict) or not isinstance(record.get("conversations"), list):
        return None, [Violation("SG101", "$.conversations", "is not a list")]
    faults: list[Violation] = []
    tools = _read_tools(record.get("tools"), faults)
    reading = _Reading(faults)
    if isinstance(record.get("system"), str) and record["system"]:
        reading.entry("system", record["system"], "$.system")
    for i, entry in enumerate(record["conversations"]):
        path = f"$.conversations[{i}]"
        tags = ("from", "value") if isinstance(entry, dict) and "from" in entry else ("role", "content")
        speaker, value = map(entry.get, tags) if isinstance(entry, dict) else (None, None)
        if isinstance(value, str) and isinstance(speaker, str):
            reading.entry(speaker, value, path)
            if tags[0] == "role" or speaker not in _TAGS:
                faults.append(Violation("SG106", path, f"`{tags[0]}` is {speaker[:40]!r}"))
        else:
            faults.append(Violation("SG101", path, "is not an object with the texts `from` and `value`"))
    tools = tools or _read_tools(reading.tagged_tools, faults)
    return plain_record(reading.messages, tools or []), faults


class _Reading(RecordReading):
    """The messages read so far."""

    def __init__(self, faults: list[Violation]) -> None:
        super().__init__()
        self.tagged_tools: list[Any] = []
        self._faults = faults
        self._tagged = False
        """Whether the calls that are not answered yet stand in tags in the model's text."""

    def entry(self, speaker: str, value: str, path: str) -> None:
        """Read one entry of `conversations`: what a speaker says or calls, or the results of calls."""
        if speaker in ("observation", "tool"):
            self._answers(value, path)
            return
        self.pending, self._tagged = [], False
        if speaker not in _SPEAKERS:
            self._faults.append(Violation("SG101", f"{path}.from", f"{speaker[:40]!r} is nobody who speaks here"))
        elif _SPEAKERS[speaker] == "assistant":
            thought, value = divided_thought(value)
            if speaker == "function_call":
                content, calls = None, list(_read_calls(value, path, self._faults))
            else:
                content, calls = tagged_calls(value, path, self._faults)
                self._tagged = bool(calls)
            self.answer(content, calls, thoughts={"reason": thought} if thought else None)
        else:
            if speaker == "system":
                self.tagged_tools += tagged_tools(value)
            self.say(_SPEAKERS[speaker], value)

    def _answers(self, value: str, path: str) -> None:
        """Read an observation: a result for each open call."""
        texts: Any = tagged_results(value) if self._tagged else [value]
        if len(self.pending) > 1 and not self._tagged:
            with suppress(ValueError):
                texts = parse_exact_json(value)
            if not isinstance(texts, list) or len(texts) != len(self.pending):
                what = f"does not hold {len(self.pending)} results, one for each call"
                self._faults.append(Violation("SG103", f"{path}.value", what))
                self.pending = []
                return
        for text in texts:
            if not self.result(text_or_json(text)):
                self._faults.append(Violation("SG103", path, "an observation without a call"))
                return


def carries(conversation: Conversation) -> Conversation:
    """Text, calls (numbered), results in call order (named after the tool); no names, flags, empty system; one thought."""
    messages = conversation.messages
    if messages and isinstance(messages[0], SystemMessage) and not messages[0].content:
        conversation = msgspec.structs.replace(conversation, messages=messages[1:])
    ordered = in_call_order(conversation, numbered=True)
    return without_parts(ordered, "speakers", "blocks", "train", "is_error", "empty_text", "no_schema")


def _calls_text(calls: tuple[ToolCall, ...]) -> str:
    """Return calls as JSON: one object, or a list of several."""
    texts = [f'{{"name":{compact_json(call.name)},"arguments":{compact_json(call.arguments)}}}' for call in calls]
    return texts[0] if len(texts) == 1 else f"[{','.join(texts)}]"


def _answers_text(answers: list[ToolMessage]) -> str:
    """Return results as one text: the result itself, or a JSON list of several."""
    if len(answers) == 1:
        return answers[0].content
    texts = [answer.content for answer in answers]
    values = [json_value(text) for text in texts]
    written = [compact_json(text) if value is text else text for text, value in zip(texts, values, strict=True)]
    return f"[{','.join(written)}]"


def _read_calls(value: str, path: str, faults: list[Violation]) -> Iterator[dict[str, Any]]:
    """Yield the calls (`{"name", "arguments"}`) that a value holds."""
    inner = _parsed_value(value, path, faults)
    if inner is None:
        faults.append(Violation("SG102", f"{path}.value", "does not hold JSON"))
        return
    for call in inner if isinstance(inner, list) else [inner]:
        if isinstance(call, dict) and isinstance(call.get("function"), dict):
            call = call["function"]
        if not isinstance(call, dict) or not isinstance(call.get("name"), str):
            faults.append(Violation("SG102", f"{path}.value", "does not hold calls with a `name` and `arguments`"))
            return
        written_arguments = call.get("arguments", call.get("parameters"))
        arguments, reason = read_arguments(written_arguments)
        if reason or isinstance(written_arguments, str):
            code, what = ("SG102", reason) if reason else ("SG105", "is a text, not an object")
            faults.append(Violation(code, f"{path}.value.arguments", what))
        yield {"name": call["name"], "arguments": arguments}


def _read_tools(raw: Any, faults: list[Violation]) -> list[Any] | None:
    """Return the tools that `tools` holds, as plain records declare them."""
    tools = read_json_list(raw, "$.tools", "SG101", faults) if isinstance(raw, str) else raw
    if not isinstance(tools, list):
        return None
    return [
        tool if isinstance(tool, dict) and "function" in tool else {"type": "function", "function": tool}
        for tool in tools
    ]


FORMAT = row_format("sharegpt", __doc__, render=render, read=read, carries=carries)


_CALL = re.compile(r"<tool_call>\s*(\{.*?\})\s*</tool_call>", re.DOTALL)
_RESPONSE = re.compile(r"<tool_response>\s*(.*?)\s*</tool_response>", re.DOTALL)
_TOOLS = re.compile(r"<tools>\s*(\[.*?\]|\{.*?\})\s*</tools>", re.DOTALL)


def tagged_calls(
    text: str, path: str = "$", faults: list[Violation] | None = None
) -> tuple[str | None, list[dict[str, Any]]]:
    """Return a text without its calls, and the calls (`{"name", "arguments"}`), if any."""
    if "<tool_call>" not in text:
        return text, []
    calls = [_parsed_value(match[1], path, faults) for match in _CALL.finditer(text)]
    if not calls or not all(_is_call(call) for call in calls):
        return text, []
    return _CALL.sub("", text).strip() or None, calls


def tagged_results(text: str) -> list[str]:
    """Return the results in a tool's text, `{"name", "content"}` opened; the text itself when it has no tags."""
    texts_in_tags = [match[1] for match in _RESPONSE.finditer(text)]
    return [_result_content(inner) for inner in texts_in_tags] or [text]


def tagged_tools(text: str) -> list[Any]:
    """Return the functions in a system message: a list, or one after another."""
    match = _TOOLS.search(text)
    if match is None:
        return []
    value = _parsed_value(match[1])
    if value is None:
        values = [_parsed_value(line) for line in match[1].splitlines() if line.strip()]
        return values if all(isinstance(value, dict) for value in values) else []
    return value if isinstance(value, list) else [value]


def _result_content(inner: str) -> str:
    """Return what a result in tags says: the `content` of an object, or the text itself."""
    value = _parsed_value(inner)
    if isinstance(value, dict) and "content" in value and value.keys() <= {"tool_call_id", "name", "content"}:
        return text_or_json(value["content"])
    return inner


def _is_call(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("name"), str) and "arguments" in value


def _parsed_value(text: str, path: str = "$", faults: list[Violation] | None = None) -> Any:
    """Return the value of a JSON text, or of a Python literal, which is a fault; None when it is neither."""
    with suppress(ValueError):
        return parse_exact_json(text)
    value = python_value(text)
    if value is not None and faults is not None:
        faults.append(Violation("SG104", f"{path}.value", "holds a Python literal, not JSON"))
    return value
