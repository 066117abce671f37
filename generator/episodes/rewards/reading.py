"""What a model said, as calls: in the words of a chat template, as a message of an API, or as plain data."""

import json
from functools import lru_cache
from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, UserMessage
from generator.core.errors import CannotCarryError, FormatError
from generator.core.exact_json import loads
from generator.episodes.rewards.matching import Call
from generator.formats import FORMATS, Format
from generator.formats.accepted import Accepted
from generator.formats.openai_messages import parse_exact_json, read_arguments
from generator.llm.reading import without_reasoning

TEXT_FORMATS = tuple(name for name, fmt in FORMATS.items() if fmt.policy.train == "spans")
"""The formats in whose words calls can be read."""
_BEGINNINGS = (
    "<tool_call",
    "[TOOL_CALLS]",
    "<|python_tag|>",
    "<｜tool▁call",
    "<|tool_call",
    "<|function_call|>",
    "to=functions.",
)
"""Where one of these stands, a call was begun."""


def read_answer(answer: Any) -> list[Accepted]:
    """Return the calls that are right, of an `answer` or its JSON text.

    Raises:
        FormatError: when it is something else.
    """
    if isinstance(answer, str):
        try:
            answer = parse_exact_json(answer)
        except ValueError as fault:
            raise FormatError(f"the answer is not JSON: {fault}") from None
    calls = answer.get("calls") if isinstance(answer, dict) else None
    if not isinstance(calls, list) or not all(_is_accepted(call) for call in calls):
        raise FormatError(
            "the answer is not that of an `eval` record: an object whose `calls` have `name` and `arguments`"
        )
    return calls


def _is_accepted(call: Any) -> bool:
    return isinstance(call, dict) and isinstance(call.get("name"), str) and isinstance(call.get("arguments"), dict)


def read_completion(completion: Any, right: list[Accepted], text_format: str | None = None) -> list[Call] | None:
    """Return the calls that a completion makes; None when calls are begun that cannot be read.

    What a model thinks before it speaks is cut first; thoughts that do not end say nothing.

    Args:
        completion: A text, a message, a list of messages, a response of an API, or a list of calls; plain data or pydantic's
            objects.
        right: The calls that would be right: texts without quotes are read by the types of their arguments.
        text_format: How a text is to be read; None: in every way that there is.

    Raises:
        FormatError: when there is no text format of that name, or the completion is nothing of these.
    """
    if text_format is not None and text_format not in TEXT_FORMATS:
        raise FormatError(f"{text_format!r} is no text format (these are: {', '.join(TEXT_FORMATS)})")
    message = _message_of(_plain(completion))
    if isinstance(message, str):
        return _calls_in_text(message, right, text_format)
    return _calls_of(message)


def _plain(completion: Any) -> Any:
    """Return messages and responses that libraries hold as objects (OpenAI's client, verifiers) as plain data."""
    if isinstance(completion, list):
        return [_plain(entry) for entry in completion]
    dump = getattr(completion, "model_dump", None)
    return dump() if callable(dump) else completion


def _message_of(completion: Any) -> str | list[Any]:
    """Return the text or the list of raw calls that stand for what was said; raises FormatError for what is neither."""
    if isinstance(completion, str):
        return completion
    if isinstance(completion, list):
        if completion and not all(isinstance(entry, dict) and "role" in entry for entry in completion):
            return _called(completion)
        said = [entry for entry in completion if entry.get("role") == "assistant"]
        return _message_of(said[-1]) if said else ""
    if not isinstance(completion, dict):
        raise _unknown(completion)
    choices = completion.get("choices")
    if isinstance(choices, list) and choices and isinstance(choices[0], dict):
        return _message_of(choices[0].get("message", choices[0].get("text")))
    for key in ("tool_calls", "calls"):
        if isinstance(completion.get(key), list) and completion[key]:
            return _called(completion[key])
    return _text_of(completion)


def _text_of(message: dict[str, Any]) -> str:
    """Return the text of a message without calls, empty where it has none."""
    named = [message[key] for key in ("content", "text", "completion") if key in message]
    texts = [value for value in named if isinstance(value, str)]
    if texts:
        return texts[0]
    parts = named[0] if named and isinstance(named[0], list) else []
    if parts and all(isinstance(part, dict) and isinstance(part.get("text"), str) for part in parts):
        return "".join(part["text"] for part in parts)
    if parts or (named and named[0] is not None) or not ({"content", "tool_calls", "calls"} & message.keys()):
        raise _unknown(message)
    return ""


def _called(entries: list[Any]) -> list[Any]:
    """Return raw calls; raises FormatError where some have no name anywhere: then it is a list of something else."""
    if not all(isinstance(entry, dict) and ({"name", "function"} & entry.keys()) for entry in entries):
        raise _unknown(entries)
    return entries


def _unknown(completion: Any) -> FormatError:
    keys = completion if isinstance(completion, dict) else None
    found = (
        f"an object with {', '.join(map(repr, list(keys)[:6])) or 'nothing'}"
        if keys is not None
        else f"{completion!r:.80}"
    )
    return FormatError(
        f"{found} is no completion that can be read: a text, a message or response of OpenAI's Chat Completions, a list of messages, or "
        "a list of calls with `name` and `arguments` is expected (answers of other APIs are turned into one of these first)"
    )


def _calls_of(entries: list[Any]) -> list[Call] | None:
    found: list[Call] = []
    for entry in entries:
        function = entry.get("function", entry) if isinstance(entry, dict) else None
        if not isinstance(function, dict) or not isinstance(function.get("name"), str):
            return None
        arguments, fault = read_arguments(function.get("arguments", function.get("parameters")))
        if fault:
            return None
        found.append((function["name"], arguments))
    return found


def _calls_in_text(text: str, right: list[Accepted], text_format: str | None) -> list[Call] | None:
    thought, said = without_reasoning(text)
    before = "".join(text[: len(text) - len(said)].replace(thought, "").split())  # some templates write empty thoughts
    ways = (said, *((f"{before}{said}", f"\n{before}\n{said}") if before else ())) if said else ()
    tools = json.dumps([_tool_of(call) for call in right])
    for name in (text_format,) if text_format else TEXT_FORMATS:
        for one in ways:
            calls = _read_as(FORMATS[name], one, tools)
            if calls:
                return calls
    begun = any(beginning in said for beginning in _BEGINNINGS) or said.lstrip().startswith('{"name"')
    return None if begun else []


def _tool_of(call: Accepted) -> list[Any]:
    """Return name and schema of a tool as far as a call shows them: which arguments are texts."""
    given = {**call["arguments"], **call.get("may_add", {})}
    texts = {
        name: {"type": "string"} if isinstance(value, str) else {"type": _kind(value)} for name, value in given.items()
    }
    return [call["name"], {"type": "object", "properties": texts}]


def _kind(value: Any) -> str:
    kinds = {bool: "boolean", int: "number", float: "number", list: "array", dict: "object"}
    return kinds.get(type(value), "null")


def _read_as(fmt: Format, text: str, tools: str) -> list[Call]:
    """Return the calls of a text in one format; none where it holds none, or cannot be read."""
    frame = _frame(fmt, tools)
    if frame is None:
        return []
    before, after, ends = frame
    bare = text.strip()
    for said in dict.fromkeys((text, bare)):
        for end in ("", *ends):
            plain, faults = fmt.read({"text": f"{before}{said}{end}{after}"})
            message = plain["messages"][-1] if not faults and isinstance(plain, dict) else {}
            calls = message.get("tool_calls") if message.get("role") == "assistant" else None
            if calls:
                return [(call["function"]["name"], call["function"]["arguments"]) for call in calls]
    return []


@lru_cache(maxsize=1024)
def _frame(fmt: Format, tools: str) -> tuple[str, str, tuple[str, ...]] | None:
    """Return what stands before and behind what a model says, and the tokens that may end it; None for tools it cannot write."""
    declared = {name: Tool(name=name, description="", parameters=schema) for name, schema in loads(tools)}
    offered = tuple(declared.values()) or (
        Tool(name="tool", description="", parameters={"type": "object", "properties": {}}),
    )
    said = AssistantMessage(content="said")
    called = AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", offered[0].name, {}),))
    ends, before, after = [], "", ""
    for message in (said, called):
        try:
            record = fmt.render(Conversation((UserMessage(content="?"), message), offered))
        except CannotCarryError:
            return None
        start, stop = record["spans"][-1]
        text = record["text"]
        before, after = before or text[:start], after or text[stop:]
        ends.append(_last_token(text[start:stop], fmt))
    return before, after, tuple(dict.fromkeys(filter(None, ends)))


def _last_token(text: str, fmt: Format) -> str:
    """Return the control token that a learnt text ends with."""
    return next((token for token in sorted(fmt.policy.refuses, key=len, reverse=True) if text.endswith(token)), "")
