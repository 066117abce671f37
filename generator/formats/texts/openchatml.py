r"""OpenChatML v0.1: `{"text": "[BOS]<|im_start|>user\n...<|im_end|>[EOS]", "spans": [...]}`.

    [BOS]<|im_start|>system
    You are helpful.

    (a sentence that introduces the functions)
    <|function_list|>
    {"type":"function","function":{"name":"get_time","parameters":{...}}}
    <|function_list|>
    (how to call them)
    <|im_end|>
    <|im_start|>user
    What time is it in Oslo and Rome?
    <|im_end|>
    <|im_start|>assistant
    <|function_call|>
    {"arguments":{"city":"Oslo"},"name":"get_time"}
    <|function_call|>
    {"arguments":{"city":"Rome"},"name":"get_time"}
    <|im_end|>
    <|im_start|>tool
    <|function_output|>
    {"name":"get_time","content":{"time":"15:30"}}
    <|function_output|>
    {"name":"get_time","content":{"time":"15:30"}}
    <|im_end|>
    <|im_start|>assistant
    It is 15:30 in both.
    <|im_end|>[EOS]

There are no ids: outputs stand in the order of the calls, and parsing numbers the calls (`call00001`, ...).
A result that is compact JSON of an object or list stands there as JSON, any other as a JSON string. Beside
calls, empty content and no content are the same.

What the model thinks stands before what it says, one block a line, `<|start_reason|>...<|end_reason|>`, in the order
reflect, introspect, reason. The flags of the blocks that occur (`<|reason|>`) end the first system turn, as in section
4; there is such a turn for them even without a system message. Reading keeps the blocks and drops the flags.

Where the specification says two things, this is written (and any form that cannot be mistaken is read): a line
break before `<|im_end|>` (its sections 3, 5 and 8, not 4), none before `[EOS]` (8 and 9, not 5), the list of
functions closed by a second marker (8.5, not 8.1), calls and outputs behind the markers of section 2 (not in
the XML tags of the prose), thoughts between the tokens of section 2, each block on a line of its own (4). `[BOS]` and
`[EOS]` stand for the tokens of a model: the option `frame` writes those of a family (`FRAMES`), `make` any others.

Documents (texts with a gap, section 6; several files, section 7) are records of the same kind.
There is no way to escape a control token: a value that holds one cannot be carried.
"""

import re
from collections.abc import Iterator
from functools import cache
from itertools import count
from typing import Any

import msgspec
import orjson

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    FileSequence,
    FillIn,
    Message,
    SystemMessage,
    Tool,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.core.errors import CannotCarryError, FormatError
from generator.formats.format import Format, Policy, Read, compact_json, conversation_of, tool_text
from generator.formats.steps import thoughts_of
from generator.formats.text import (
    Guard,
    RecordReading,
    Scanner,
    Segment,
    any_of,
    decode_json,
    fault_in_text,
    read_text_record,
    text_record,
    with_results_in_order,
)
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


def carried(document: FileSequence) -> FileSequence:
    """Return all of it; an empty middle is none."""
    return FileSequence(files=tuple([_without_empty_middle(file) for file in document.files]))


def _without_empty_middle(file: str | FillIn) -> str | FillIn:
    return file if isinstance(file, str) or file.middle else FillIn(prefix=file.prefix, suffix=file.suffix)


def refuse_tokens(document: FileSequence, tokens: re.Pattern[str]) -> None:
    """Raise CannotCarryError for a document that holds a control token, or nothing."""
    if not document.files:
        raise CannotCarryError("$.files: a document without files")
    for i, file in enumerate(document.files):
        if isinstance(file, str):
            parts = [(f"$.files[{i}]", file)]
        else:
            places = (("prefix", file.prefix), ("middle", file.middle or ""), ("suffix", file.suffix))
            parts = [(f"$.files[{i}].{key}", part) for key, part in places]
        for place, part in parts:
            match = tokens.search(part)
            if match:
                raise CannotCarryError(f"{place}: holds the control token {match.group()}")


def write_document(document: FileSequence) -> Iterator[Segment]:
    """Yield the text of a document."""
    gaps = any(isinstance(file, FillIn) for file in document.files)
    if not gaps and len(document.files) == 1:
        yield f"{FILE_SEPARATOR}\n", False
    for i, file in enumerate(document.files):
        if i:
            yield f"\n{FILE_SEPARATOR}\n", False
        if isinstance(file, str):
            yield file, not gaps
        else:
            yield f"{FIM_PREFIX}{file.prefix}{FIM_MIDDLE}", False
            yield f"{file.middle or ''}{FIM_SUFFIX}", bool(file.middle)
            yield file.suffix, False


def is_document(text: str) -> bool:
    """Whether a text is meant to be a document: it does not begin like a conversation, and has a document's token."""
    return any(token in text for token in (FIM_PREFIX, FILE_SEPARATOR))


def read_openchatml(text: str) -> FileSequence:
    """Return the document of a text; raises FormatError with position and reason."""
    scanner = Scanner(text, TOKEN)
    files: list[str | FillIn] = []
    if scanner.accept(FILE_SEPARATOR):
        scanner.take("\n")
    while True:
        files.append(_read_file(scanner))
        if scanner.done:
            return FileSequence(files=tuple(files))
        scanner.take(FILE_SEPARATOR)
        scanner.take("\n")


def _read_file(scanner: Scanner) -> str | FillIn:
    before = scanner.plain()
    if not scanner.sees(FIM_PREFIX):
        return _without_break(scanner, before)
    if before:
        raise scanner.fault(f"{FIM_PREFIX} stands at the beginning of a file")
    scanner.take(FIM_PREFIX)
    prefix = scanner.plain()
    scanner.take(FIM_MIDDLE)
    middle = scanner.plain()
    scanner.take(FIM_SUFFIX)
    return FillIn(prefix=prefix, middle=middle or None, suffix=_without_break(scanner, scanner.plain()))


def _without_break(scanner: Scanner, text: str) -> str:
    """Return the text without the line break that belongs to the separator behind it."""
    if scanner.done:
        return text
    if not text.endswith("\n"):
        raise scanner.fault(f"{FILE_SEPARATOR} stands on a line of its own")
    return text.removesuffix("\n")


_NAME = re.compile(r"\S+")
_FAULTS = (("OC101", "A record is an object whose `text` is an OpenChatML conversation or document."),)
_USUAL = Frame()
FRAMES = {
    "spec": _USUAL,
    "llama2": Frame("<s>", "</s>"),
    "llama3": Frame("<|begin_of_text|>", "<|end_of_text|>"),
    "qwen": Frame("", "<|endoftext|>"),
}
"""What begins and ends a conversation, by the family of models."""


@cache
def _guard(frame: Frame) -> Guard:
    return Guard(_tokens(frame), names=None, text_of=tool_text)


@cache
def _tokens(frame: Frame) -> re.Pattern[str]:
    return any_of({*TOKENS, *(token for token in (frame.bos, frame.eos) if token)})


def render(conversation: Conversation, frame: Frame = _USUAL) -> dict[str, Any]:
    """The record of a conversation."""
    _guard(frame).check(conversation)
    for i, message in enumerate(conversation.messages):
        if message.name is not None and not isinstance(message, ToolMessage) and not _NAME.fullmatch(message.name):
            raise CannotCarryError(f"$.messages[{i}].name: is empty or holds white space")
    return text_record(_segments(carries(conversation), frame))


def render_document(document: FileSequence, frame: Frame = _USUAL) -> dict[str, Any]:
    """The record of a document."""
    refuse_tokens(document, _tokens(frame))
    return text_record(write_document(document))


def read(record: Any) -> Read:
    """The plain record, or the document, of the text; a fault of the text is the only fault."""
    return _read(record, _USUAL)


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in the order of their calls and named after the called tool.

    An empty system message that only flags would stand in is none.
    Raises CannotCarryError when results and calls cannot be paired by order.
    """
    ordered = with_results_in_order(conversation, speakers=True, thoughts=True)
    first = ordered.messages[0] if ordered.messages else None
    if first == SystemMessage(content="") and not ordered.tools and _flags(ordered.messages):
        return Conversation(messages=ordered.messages[1:])
    return ordered


def make(bos: str = "[BOS]", eos: str = "[EOS]", frame: str = "spec") -> Format:
    """The format with the beginning and end of a conversation that a model has; `frame` is what they are called."""
    around = Frame(bos, eos)
    usual = around == _USUAL
    return Format(
        name="openchatml" if usual else f"openchatml-{frame}",
        about="OpenChatML v0.1 text: functions, calls and outputs behind control tokens, thoughts, documents; no ids",
        page=__doc__,
        render=render if usual else lambda conversation: render(conversation, around),
        read=read if usual else lambda record: _read(record, around),
        carries=carries,
        policy=Policy(
            no_content="empty",
            thoughts=True,
            ids="none: calls are numbered",
            id_pattern=None,
            train="spans",
            refuses=tuple(dict.fromkeys([*TOKENS, *(token for token in (bos, eos) if token)])),
        ),
        faults=_FAULTS,
        options=(("frame", frame),),
        render_document=lambda document: render_document(document, around),
    )


# ------------------------------------------------------------------------------------------------------ writing


def _segments(conversation: Conversation, frame: Frame) -> list[Segment]:
    messages = conversation.messages
    functions = _function_lines(conversation.tools)
    flags = _flags(messages)
    turns: list[Segment] = [(frame.bos, False)]
    if (functions or flags) and not (messages and isinstance(messages[0], SystemMessage)):
        turns.append((_turn(_header("system", None), _flagged(functions or [""], flags)), False))
    for i, message in enumerate(messages):
        before = "" if len(turns) == 1 else "\n"
        if isinstance(message, ToolMessage):
            if not isinstance(messages[i - 1], ToolMessage):
                turns.append((before + _header("tool", None), False))
            turns.append(("\n" + "\n".join(_output_lines(message)), False))
            if i + 1 == len(messages) or not isinstance(messages[i + 1], ToolMessage):
                turns.append((f"\n{TURN_END}", False))
        elif isinstance(message, AssistantMessage):
            turns.append((before + _header("assistant", message.name) + "\n", False))
            turns.append(("\n".join([*_assistant_lines(message), TURN_END]), message.train))
        elif isinstance(message, UserMessage):
            turns.append((before + _turn(_header("user", message.name), [message.content]), False))
        else:
            lists = ["", *functions] if functions else []
            lines = _flagged([message.content, *lists], flags)
            turns.append((before + _turn(_header("system", message.name), lines), False))
    turns.append((frame.eos, False))
    return turns


def _flags(messages: tuple[Message, ...]) -> str:
    """The flags of the blocks that some message has."""
    used = {block for m in messages if isinstance(m, AssistantMessage) for block, _ in thoughts_of(m)}
    return "".join([f"<|{block}|>" for block in BLOCKS if block in used])


def _flagged(lines: list[str], flags: str) -> list[str]:
    return [*lines[:-1], lines[-1] + flags]


def _turn(header: str, lines: list[str]) -> str:
    return "\n".join([header, *lines, TURN_END])


def _header(role: str, name: str | None) -> str:
    return f"<|im_start|>{role}" if name is None else f"<|im_start|>{role} name={name}"


def _function_lines(tools: tuple[Tool, ...]) -> list[str]:
    if not tools:
        return []
    return [INTRODUCTION, FUNCTION_LIST, *map(tool_text, tools), FUNCTION_LIST, INSTRUCTION]


def _assistant_lines(message: AssistantMessage) -> list[str]:
    lines = [f"<|start_{block}|>{thought}<|end_{block}|>" for block, thought in thoughts_of(message)]
    if message.content is not None:
        lines.append(message.content)
    for call in message.tool_calls:
        lines += [FUNCTION_CALL, f'{{"arguments":{compact_json(call.arguments)},"name":{compact_json(call.name)}}}']
    return lines


def _output_lines(message: ToolMessage) -> list[str]:
    content = message.content if _is_compact_json(message.content) else compact_json(message.content)
    return [FUNCTION_OUTPUT, f'{{"name":{compact_json(message.name)},"content":{content}}}']


def _is_compact_json(text: str) -> bool:
    """Whether a text is an object or list exactly as this format writes it."""
    if text[:1] not in ("{", "["):
        return False
    try:
        return orjson.dumps(orjson.loads(text)) == text.encode()
    except (ValueError, TypeError):
        return False


# ------------------------------------------------------------------------------------------------------ reading


def _read(record: Any, frame: Frame) -> Read:
    text = record.get("text") if isinstance(record, dict) else None
    begins = (frame.bos or "<|im_start|>", "<|function_")
    if not isinstance(text, str) or text.startswith(begins) or not is_document(text):
        return read_text_record(record, "OC101", lambda text: read_conversation(text, frame))
    try:
        document = read_openchatml(text)
    except FormatError as fault:
        return None, [Violation("OC101", "$.text", str(fault))]
    if "spans" in record and record["spans"] != text_record(write_document(document))["spans"]:
        return None, [Violation("OC101", "$.spans", "is not where the middles, or the files, of the document stand")]
    return document, []


FORMAT = make()
OTHER_FORMATS = tuple([make(around.bos, around.eos, frame) for frame, around in FRAMES.items() if around != _USUAL])
