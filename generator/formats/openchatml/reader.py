"""The text of OpenChatML v0.1: its tokens, and a strict reader of conversations that says where it stopped and why.

Of the forms in which the specification contradicts itself, those that cannot be mistaken for anything else are
all read: a turn with or without a line break before `<|im_end|>`, `[EOS]` on the same line or the next, the
outputs of several calls in one tool turn or in several, a list of functions, a call or an output alone, as the
examples of section 8 have them. Documents (sections 6 and 7) are read by `documents`.
"""

import re
from collections.abc import Iterator
from itertools import count
from typing import Any

import msgspec

from generator.core.errors import FormatError
from generator.formats.format import compact_json, conversation_of
from generator.formats.text import any_of
from generator.formats.text_reader import RecordReading, decode_json, fault_in_text
from generator.formats.wire.format import wire_format

_WIRE = wire_format("openchatml")
FUNCTION_LIST, (FUNCTION_CALL,), FUNCTION_OUTPUT = "<|function_list|>", _WIRE.special, "<|function_output|>"
(TURN_END,) = _WIRE.end
BLOCKS = ("reflect", "introspect", "reason")
FLAGS = tuple(f"<|{block}|>" for block in BLOCKS)
FIM_PREFIX, FIM_SUFFIX, FIM_MIDDLE = "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"
FILE_SEPARATOR = "<|file_separator|>"
TOKENS = (
    "[BOS]",
    "[EOS]",
    "<|im_start|>",
    TURN_END,
    FUNCTION_LIST,
    FUNCTION_CALL,
    FUNCTION_OUTPUT,
    FIM_PREFIX,
    FIM_SUFFIX,
    FIM_MIDDLE,
    FILE_SEPARATOR,
    *FLAGS,
    *(f"<|{edge}_{block}|>" for block in BLOCKS for edge in ("start", "end")),
)
TOKEN = any_of(TOKENS)
INTRODUCTION = "You can call the functions listed here. Take the values of their arguments from the conversation."
INSTRUCTION = (
    f"To call a function, write {FUNCTION_CALL} and on the next line a JSON object with its arguments and its name. "
    f"Several calls may follow one another. The results come behind {FUNCTION_OUTPUT}, in the order of the calls."
)

_HEADER = re.compile(r"<\|im_start\|>(system|user|assistant|tool)(?: name=(\S+))?\n")
_SPACE = re.compile(r"[ \t\r\n]*")
_FLAGS = re.compile(f"(?:{'|'.join(re.escape(flag) for flag in FLAGS)})+")


class Frame(msgspec.Struct, frozen=True):
    """What stands around a conversation: the tokens of the model that is to be trained."""

    bos: str = "[BOS]"
    eos: str = "[EOS]"


class _Turn(msgspec.Struct, frozen=True):
    role: str
    name: str | None
    start: int
    end: int
    """The body is text[start:end]."""
    close: int
    """Where the token that ends the turn is over."""


def read_conversation(text: str, frame: Frame) -> RecordReading:
    """Return a text as a conversation; raises FormatError with position and reason."""
    transcript = RecordReading()
    if text.startswith((FUNCTION_LIST, FUNCTION_CALL, FUNCTION_OUTPUT)):
        _read_alone(text, transcript)
        return transcript
    for number, turn in enumerate(_turns(text, frame)):
        if turn.role == "tool":
            _read_outputs(text, turn, transcript)
        elif turn.role == "assistant":
            start, thoughts = _read_thoughts(text, turn)
            content, calls = _said_and_called(text, msgspec.structs.replace(turn, start=start))
            transcript.answer(content, calls, (turn.start, turn.close), turn.name, thoughts)
        elif turn.role == "user":
            transcript.say("user", _plain(text, turn.start, turn.end), turn.name)
        else:
            said, functions = _said_and_listed(text, turn, first=number == 0)
            transcript.tools += functions
            if said is not None:
                transcript.say("system", said, turn.name)
    return transcript


def _read_alone(text: str, transcript: RecordReading) -> None:
    """A list of functions, calls, or an output, without turns around it."""
    turn = _Turn("assistant", None, 0, len(text), len(text))
    if text.startswith(FUNCTION_LIST):
        start = len(FUNCTION_LIST)
        closing = text.find(FUNCTION_LIST, start)
        end = len(text) if closing < 0 else closing
        transcript.tools += _functions(text, start, end)
        rest = len(text) if closing < 0 else closing + len(FUNCTION_LIST)
        if _plain(text, rest, len(text)).strip():
            raise fault_in_text(text, rest, "nothing follows a list of functions that stands alone")
    elif text.startswith(FUNCTION_CALL):
        content, calls = _said_and_called(text, turn)
        transcript.answer(content, calls, (0, len(text)))
    else:
        for value in _output_values(text, turn):
            transcript.messages.append({"role": "tool", "tool_call_id": "call00001", **value})


def _turns(text: str, frame: Frame) -> Iterator[_Turn]:
    if not text.startswith(frame.bos):
        raise fault_in_text(text, 0, f"a conversation begins with {frame.bos}")
    position = len(frame.bos)
    ending = re.compile(rf"\n?{re.escape(frame.eos)}\n?\Z")
    for number in count():
        header = _HEADER.match(text, position)
        if header is None:
            expected = "a turn (<|im_start|>ROLE or <|im_start|>ROLE name=NAME, and a line break)"
            rest = "is expected here" if number == 0 else f"or {frame.eos or 'the end'} is expected here"
            raise fault_in_text(text, position, f"{expected} {rest}")
        start, end = header.end(), text.find(TURN_END, header.end())
        if end < 0:
            raise fault_in_text(text, position, f"this turn has no {TURN_END}")
        position = end + len(TURN_END)
        yield _Turn(header[1], header[2], start, end - (end > start and text[end - 1] == "\n"), position)
        if ending.match(text, position) is not None:
            return
        if not text.startswith("\n", position):
            expected = f"a line break and another turn, or {frame.eos} and nothing more, is expected here"
            raise fault_in_text(text, position, expected)
        position += 1


def _read_thoughts(text: str, turn: _Turn) -> tuple[int, dict[str, str]]:
    """Return where what is said begins, and the thought blocks before it."""
    thoughts: dict[str, str] = {}
    at = turn.start
    for block in BLOCKS:
        opening, closing = f"<|start_{block}|>", f"<|end_{block}|>"
        if not text.startswith(opening, at):
            continue
        start = at + len(opening)
        end = text.find(closing, start, turn.end)
        if end < 0:
            raise fault_in_text(text, at, f"this block is not closed by {closing}")
        thoughts[block] = _plain(text, start, end)
        at = end + len(closing)
        at += at < turn.end and text[at] == "\n"
    return at, thoughts


def _said_and_listed(text: str, turn: _Turn, *, first: bool) -> tuple[str | None, list[Any]]:
    """Return a system turn's content (None when it only lists functions or holds flags) and functions."""
    flags = [match for match in _FLAGS.finditer(text, turn.start, turn.end) if match.end() == turn.end]
    end = flags[0].start() if flags else turn.end
    opening = text.find(FUNCTION_LIST, turn.start, end)
    if opening < 0:
        said = _plain(text, turn.start, end)
        return (said if said or not flags or turn.name is not None else None), []
    if not first:
        raise fault_in_text(text, opening, "functions are listed in the first turn only")
    start = opening + len(FUNCTION_LIST)
    closing = text.find(FUNCTION_LIST, start, end)
    if closing < 0:
        raise fault_in_text(text, opening, f"this list of functions is not closed by a second {FUNCTION_LIST}")
    functions = _functions(text, start, closing)
    before = _plain(text, turn.start, opening).removesuffix("\n")
    after = _plain(text, closing + len(FUNCTION_LIST), end, FUNCTION_CALL, FUNCTION_OUTPUT).removeprefix("\n")
    if after == INSTRUCTION and before == INTRODUCTION and turn.name is None:
        return None, functions
    if after == INSTRUCTION and before.endswith("\n\n" + INTRODUCTION):
        return before.removesuffix("\n\n" + INTRODUCTION), functions
    return "\n".join(part for part in (before, after) if part), functions


def _functions(text: str, start: int, end: int) -> list[Any]:
    """Return the functions that fill a span."""
    functions = []
    for position, value in _json_values(text, start, end):
        try:
            conversation_of({"messages": [], "tools": [value]})
        except FormatError as fault:
            reason = str(fault).removeprefix("$.tools[0]").removeprefix(": ")
            raise fault_in_text(text, position, f"not a function: {reason}") from None
        functions.append(value)
    return functions


def _said_and_called(text: str, turn: _Turn) -> tuple[str, list[tuple[str, Any]]]:
    """Return an assistant turn's content and calls."""
    start, *blocks = _blocks(text, turn, FUNCTION_CALL)
    content = _plain(text, turn.start, start)
    if not blocks:
        return content, []
    if content and not content.endswith("\n"):
        raise fault_in_text(text, start, f"{FUNCTION_CALL} stands at the beginning of a line")
    calls = []
    for position, end in blocks:
        value = _json_object(text, position, end, ("arguments", "name"))
        if not isinstance(value["arguments"], dict):
            raise fault_in_text(text, position, "`arguments` is not an object")
        calls.append((value["name"], value["arguments"]))
    return content.removesuffix("\n"), calls


def _read_outputs(text: str, turn: _Turn, transcript: RecordReading) -> None:
    """The tool messages of a tool turn."""
    if turn.name is not None:
        raise fault_in_text(text, turn.start, "a tool turn has no name; each output has one")
    start, *blocks = _blocks(text, turn, FUNCTION_OUTPUT)
    if not blocks or _plain(text, turn.start, start).strip():
        raise fault_in_text(text, turn.start, f"a tool turn begins with {FUNCTION_OUTPUT}")
    for (position, _), value in zip(blocks, _output_values(text, turn), strict=True):
        if not transcript.result(value["content"], value["name"]):
            raise fault_in_text(text, position, "there is no call left that this could be the output of")


def _output_values(text: str, turn: _Turn) -> Iterator[dict[str, Any]]:
    _, *blocks = _blocks(text, turn, FUNCTION_OUTPUT)
    for position, end in blocks:
        value = _json_object(text, position, end, ("name", "content"))
        content = value["content"]
        yield {"name": value["name"], "content": content if isinstance(content, str) else compact_json(content)}


def _blocks(text: str, turn: _Turn, marker: str) -> tuple[int, *tuple[tuple[int, int], ...]]:
    """Return where the text before the first marker ends, and (start, end) of what stands behind each marker."""
    places = [match.start() for match in re.finditer(re.escape(marker), text[turn.start : turn.end])]
    starts = [turn.start + place for place in places]
    ends = [*starts[1:], turn.end]
    behind = tuple((start + len(marker), end) for start, end in zip(starts, ends, strict=True)) if starts else ()
    return (starts[0] if starts else turn.end), *behind


def _plain(text: str, start: int, end: int, *allowed: str) -> str:
    """Return the text of a span that must not hold control tokens beyond those allowed."""
    for match in TOKEN.finditer(text, start, end):
        if match.group() not in allowed:
            raise fault_in_text(text, match.start(), f"{match.group()} does not belong here")
    return text[start:end]


def _json_object(text: str, start: int, end: int, keys: tuple[str, str]) -> dict[str, Any]:
    values = list(_json_values(text, start, end))
    if len(values) != 1:
        raise fault_in_text(text, start, f"one JSON object follows, not {len(values)}")
    position, value = values[0]
    if not isinstance(value, dict) or value.keys() != set(keys):
        expected = f"a JSON object with `{keys[0]}` and `{keys[1]}` and nothing else is expected"
        raise fault_in_text(text, position, expected)
    return value


def _json_values(text: str, start: int, end: int) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values that fill a span, with their positions."""
    position = _after_space(text, start, end)
    while position < end:
        value, after = decode_json(text, position, end)
        yield position, value
        position = _after_space(text, after, end)


def _after_space(text: str, position: int, end: int) -> int:
    match = _SPACE.match(text, position, end)
    return match.end() if match else position
