"""The text of OpenChatML v0.1 with functions: its tokens, and a strict reader that says where it stopped and why.

Of the forms in which the specification contradicts itself, those that cannot be mistaken for anything else are
all read: a turn with or without a line break before `<|im_end|>`, `[EOS]` on the same line or the next, the
outputs of several calls in one tool turn or in several. Thought blocks, fill-in-the-middle and file separators
belong to other parts of the specification and are refused.
"""

import json
import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec

from generator.errors import FormatError
from generator.formats.base import compact_json

FUNCTION_LIST, FUNCTION_CALL, FUNCTION_OUTPUT = "<|function_list|>", "<|function_call|>", "<|function_output|>"
TURN_END = "<|im_end|>"
TOKENS = (
    "[BOS]",
    "[EOS]",
    "<|im_start|>",
    TURN_END,
    FUNCTION_LIST,
    FUNCTION_CALL,
    FUNCTION_OUTPUT,
    "<|fim_prefix|>",
    "<|fim_suffix|>",
    "<|fim_middle|>",
    "<|file_separator|>",
    *(f"<|{flag}|>" for flag in ("reflect", "introspect", "reason")),
    *(f"<|{edge}_{block}|>" for block in ("reflect", "introspect", "reason") for edge in ("start", "end")),
)
INTRODUCTION = "You can call the functions listed here. Take the values of their arguments from the conversation."
INSTRUCTION = (
    f"To call a function, write {FUNCTION_CALL} and on the next line a JSON object with its arguments and its name. "
    f"Several calls may follow one another. The results come behind {FUNCTION_OUTPUT}, in the order of the calls."
)

_TOKEN = re.compile("|".join(re.escape(token) for token in TOKENS))
_HEADER = re.compile(r"<\|im_start\|>(system|user|assistant|tool)(?: name=(\S+))?\n")
_END = re.compile(r"\n?\[EOS\]\n?\Z")
_SPACE = re.compile(r"[ \t\r\n]*")


class _Turn(msgspec.Struct, frozen=True):
    role: str
    name: str | None
    start: int
    end: int
    """The body is text[start:end]."""


def control_token(text: str) -> str | None:
    """The first control token in a text, if there is one."""
    if "<|" not in text and "[" not in text:
        return None
    match = _TOKEN.search(text)
    return match.group() if match else None


def placeholder_id(number: int) -> str:
    """The id of a conversation's n-th call, where the format has none: `call00001`."""
    return f"call{number:05d}"


def read_text(text: str) -> dict[str, Any]:
    """The plain record of a text; raises FormatError with position and reason."""
    messages: list[dict[str, Any]] = []
    tools: list[Any] = []
    calls: list[dict[str, Any]] = []
    pending: list[dict[str, Any]] = []  # calls of the turn before whose outputs are still to come
    for number, turn in enumerate(_turns(text)):
        if turn.role == "tool":
            messages += _outputs(text, turn, pending)
            continue
        entry: dict[str, Any] = {"role": turn.role} if turn.name is None else {"role": turn.role, "name": turn.name}
        if turn.role == "assistant":
            entry["content"], pending = _said_and_called(text, turn, len(calls))
            calls += pending
            if pending:
                entry["tool_calls"] = list(pending)
        elif turn.role == "user":
            entry["content"], pending = _plain(text, turn.start, turn.end), []
        else:
            entry["content"], functions = _said_and_listed(text, turn, first=number == 0)
            tools += functions
        if entry["content"] is not None or turn.role != "system":
            messages.append(entry)
    return {"messages": messages, "tools": tools} if tools else {"messages": messages}


def _turns(text: str) -> Iterator[_Turn]:
    if not text.startswith("[BOS]"):
        raise _fault(text, 0, "a conversation begins with [BOS]")
    position = len("[BOS]")
    for number in count():
        header = _HEADER.match(text, position)
        if header is None:
            expected = "a turn (<|im_start|>ROLE or <|im_start|>ROLE name=NAME, and a line break)"
            raise _fault(text, position, f"{expected if number == 0 else f'{expected} or [EOS]'} is expected here")
        start, end = header.end(), text.find(TURN_END, header.end())
        if end < 0:
            raise _fault(text, position, f"this turn has no {TURN_END}")
        yield _Turn(header[1], header[2], start, end - (end > start and text[end - 1] == "\n"))
        position = end + len(TURN_END)
        closing = _END.match(text, position)
        if closing is not None:
            return
        if not text.startswith("\n", position):
            raise _fault(text, position, "a line break and another turn, or [EOS] and nothing more, is expected here")
        position += 1


def _said_and_listed(text: str, turn: _Turn, *, first: bool) -> tuple[str | None, list[Any]]:
    """A system turn's content (None when it only lists functions) and functions."""
    opening = text.find(FUNCTION_LIST, turn.start, turn.end)
    if opening < 0:
        return _plain(text, turn.start, turn.end), []
    if not first:
        raise _fault(text, opening, "functions are listed in the first turn only")
    start = opening + len(FUNCTION_LIST)
    closing = text.find(FUNCTION_LIST, start, turn.end)
    if closing < 0:
        raise _fault(text, opening, f"this list of functions is not closed by a second {FUNCTION_LIST}")
    functions = [value for _, value in _json_values(text, start, closing)]
    before = _plain(text, turn.start, opening).removesuffix("\n")
    after = _plain(text, closing + len(FUNCTION_LIST), turn.end, FUNCTION_CALL, FUNCTION_OUTPUT).removeprefix("\n")
    if after == INSTRUCTION and before == INTRODUCTION and turn.name is None:
        return None, functions
    if after == INSTRUCTION and before.endswith("\n\n" + INTRODUCTION):
        return before.removesuffix("\n\n" + INTRODUCTION), functions
    return "\n".join(part for part in (before, after) if part), functions


def _said_and_called(text: str, turn: _Turn, calls_before: int) -> tuple[str | None, list[dict[str, Any]]]:
    """An assistant turn's content (None when it only calls) and calls."""
    start, *blocks = _blocks(text, turn, FUNCTION_CALL)
    content = _plain(text, turn.start, start)
    if not blocks:
        return content, []
    if content and not content.endswith("\n"):
        raise _fault(text, start, f"{FUNCTION_CALL} stands at the beginning of a line")
    calls = []
    for number, (position, end) in enumerate(blocks, calls_before + 1):
        value = _json_object(text, position, end, ("arguments", "name"))
        if not isinstance(value["arguments"], dict):
            raise _fault(text, position, "`arguments` is not an object")
        calls.append({"id": placeholder_id(number), "type": "function", "function": value})
    return content.removesuffix("\n") or None, calls


def _outputs(text: str, turn: _Turn, pending: list[dict[str, Any]]) -> Iterator[dict[str, Any]]:
    """The tool messages of a tool turn; takes the calls that they answer from `pending`."""
    if turn.name is not None:
        raise _fault(text, turn.start, "a tool turn has no name; each output has one")
    start, *blocks = _blocks(text, turn, FUNCTION_OUTPUT)
    if not blocks or _plain(text, turn.start, start).strip():
        raise _fault(text, turn.start, f"a tool turn begins with {FUNCTION_OUTPUT}")
    for position, end in blocks:
        value = _json_object(text, position, end, ("name", "content"))
        content = value["content"]
        if not pending:
            raise _fault(text, position, "there is no call left that this could be the output of")
        yield {
            "role": "tool",
            "tool_call_id": pending.pop(0)["id"],
            "name": value["name"],
            "content": content if isinstance(content, str) else compact_json(content),
        }


def _blocks(text: str, turn: _Turn, marker: str) -> tuple[int, *tuple[tuple[int, int], ...]]:
    """Where the text before the first marker ends, and (start, end) of what stands behind each marker."""
    places = [match.start() for match in re.finditer(re.escape(marker), text[turn.start : turn.end])]
    starts = [turn.start + place for place in places]
    ends = [*starts[1:], turn.end]
    behind = tuple((start + len(marker), end) for start, end in zip(starts, ends, strict=True)) if starts else ()
    return (starts[0] if starts else turn.end), *behind


def _plain(text: str, start: int, end: int, *allowed: str) -> str:
    """The text of a span that must not hold control tokens beyond those allowed."""
    for match in _TOKEN.finditer(text, start, end):
        if match.group() not in allowed:
            raise _fault(text, match.start(), f"{match.group()} does not belong here")
    return text[start:end]


def _json_object(text: str, start: int, end: int, keys: tuple[str, str]) -> dict[str, Any]:
    values = list(_json_values(text, start, end))
    if len(values) != 1:
        raise _fault(text, start, f"one JSON object follows, not {len(values)}")
    position, value = values[0]
    if not isinstance(value, dict) or value.keys() != set(keys):
        raise _fault(text, position, f"a JSON object with `{keys[0]}` and `{keys[1]}` and nothing else is expected")
    return value


def _json_values(text: str, start: int, end: int) -> Iterator[tuple[int, Any]]:
    """The JSON values that fill a span, with their positions."""
    span = text[start:end]
    position = _after_space(span, 0)
    while position < len(span):
        try:
            value, after = _DECODER.raw_decode(span, position)
        except json.JSONDecodeError as fault:
            raise _fault(text, start + fault.pos, f"not JSON: {fault.msg}") from None
        except (ValueError, RecursionError) as fault:
            raise _fault(text, start + position, f"not JSON: {fault}") from None
        yield start + position, value
        position = _after_space(span, after)


def _after_space(span: str, position: int) -> int:
    match = _SPACE.match(span, position)
    return match.end() if match else position


def _no_constant(name: str) -> Any:
    raise ValueError(f"{name} is not JSON")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _fault(text: str, position: int, reason: str) -> FormatError:
    line = text.count("\n", 0, position) + 1
    return FormatError(f"character {position} (line {line}): {reason}")
