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
    ToolMessage,
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

_HEADER = r"<\|im_start\|>(system|user|assistant|tool)(?: name=(\S+))?\n"
_TURN = re.compile(rf"{_HEADER}(?:(.*?)\n?{re.escape(TURN_END)})?", re.DOTALL)
"""A turn; without a body where nothing ends it."""
_BLOCKS = {block: re.compile(rf"<\|start_{block}\|>(?:(.*?)<\|end_{block}\|>\n?)?", re.DOTALL) for block in BLOCKS}
"""A block of thoughts; without a body where nothing ends it."""
_NO_SPACE = re.compile(r"[^ \t\r\n]")
_FLAGS = re.compile(rf"(?:{'|'.join(re.escape(flag) for flag in FLAGS)})+\Z")


class Frame(msgspec.Struct, frozen=True):
    """What stands around a conversation: the tokens of the model that is to be trained."""

    bos: str = "[BOS]"
    eos: str = "[EOS]"


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
    if not document.files:
        raise CannotCarryError("$.files: a document without files")
    for i, file in enumerate(document.files):
        parts = {"": file} if isinstance(file, str) else msgspec.structs.asdict(file)
        for key, part in parts.items():
            if match := _tokens(frame).search(part or ""):
                place = f"$.files[{i}].{key}".removesuffix(".")
                raise CannotCarryError(f"{place}: holds the control token {match.group()}")
    return text_record(_write_document(document))


def read(record: Any, frame: Frame = _USUAL) -> Read:
    """The plain record, or the document, of the text; a fault of the text is the only fault."""
    text = record.get("text") if isinstance(record, dict) else None
    begins = (frame.bos or "<|im_start|>", "<|function_")
    if not isinstance(text, str) or text.startswith(begins) or not (FIM_PREFIX in text or FILE_SEPARATOR in text):
        return read_text_record(record, "OC101", lambda text: _read_conversation(text, frame))
    try:
        document = _read_document(text)
    except FormatError as fault:
        return None, [Violation("OC101", "$.text", str(fault))]
    if "spans" in record and record["spans"] != text_record(_write_document(document))["spans"]:
        return None, [Violation("OC101", "$.spans", "is not where the middles, or the files, of the document stand")]
    return document, []


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
    return Format(
        name="openchatml" if around == _USUAL else f"openchatml-{frame}",
        about="OpenChatML v0.1 text: functions, calls and outputs behind control tokens, thoughts, documents; no ids",
        page=__doc__,
        render=lambda conversation: render(conversation, around),
        read=lambda record: read(record, around),
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


def _segments(conversation: Conversation, frame: Frame) -> Iterator[Segment]:
    system = [message for message in conversation.messages[:1] if isinstance(message, SystemMessage)]
    lines = [message.content for message in system]
    if conversation.tools:
        lines += ["" for _ in system]
        lines += [INTRODUCTION, FUNCTION_LIST, *map(tool_text, conversation.tools), FUNCTION_LIST, INSTRUCTION]
    flags = _flags(conversation.messages)
    yield frame.bos, False
    gap = ""
    if lines or flags:
        name = system[0].name if system else None
        yield "\n".join([_header("system", name), "\n".join(lines) + flags, TURN_END]), False
        gap = "\n"
    messages = conversation.messages[len(system) :]
    for i, message in enumerate(messages):
        if isinstance(message, ToolMessage):
            opening = "" if isinstance(messages[i - 1], ToolMessage) else gap + _header("tool", None)
            more = any(isinstance(following, ToolMessage) for following in messages[i + 1 : i + 2])
            yield "\n".join([opening, *_output_lines(message), *([] if more else [TURN_END])]), False
        elif isinstance(message, AssistantMessage):
            yield f"{gap}{_header('assistant', message.name)}\n", False
            yield "\n".join([*_assistant_lines(message), TURN_END]), message.train
        else:
            yield f"{gap}{_header('user', message.name)}\n{message.content}\n{TURN_END}", False
        gap = "\n"
    yield frame.eos, False


def _flags(messages: tuple[Message, ...]) -> str:
    """The flags of the blocks that some message has."""
    used = {block for m in messages if isinstance(m, AssistantMessage) for block, _ in thoughts_of(m)}
    return "".join([f"<|{block}|>" for block in BLOCKS if block in used])


def _header(role: str, name: str | None) -> str:
    return f"<|im_start|>{role}" if name is None else f"<|im_start|>{role} name={name}"


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


def _write_document(document: FileSequence) -> Iterator[Segment]:
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


# ------------------------------------------------------------------------------------------------------ reading


def _read_conversation(text: str, frame: Frame) -> RecordReading:
    """Return a text as a conversation; raises FormatError with position and reason."""
    transcript = RecordReading()
    if text.startswith((FUNCTION_LIST, FUNCTION_CALL, FUNCTION_OUTPUT)):
        _read_alone(text, transcript)
        return transcript
    for turn in _turns(text, frame):
        role, name, _ = turn.groups()
        start, end = turn.span(3)
        if role == "tool":
            _read_outputs(text, turn, transcript)
        elif role == "assistant":
            at, thoughts = _read_thoughts(text, start, end)
            content, calls = _said_and_called(text, at, end)
            transcript.answer(content, calls, (start, turn.end()), name, thoughts)
        elif role == "user":
            transcript.say("user", _plain(text, start, end), name)
        else:
            said, functions = _said_and_listed(text, turn, first=turn.start() == len(frame.bos))
            transcript.tools += functions
            if said is not None:
                transcript.say("system", said, name)
    return transcript


def _read_alone(text: str, transcript: RecordReading) -> None:
    """A list of functions, calls, or an output, without turns around it."""
    if text.startswith(FUNCTION_LIST):
        listed = text.split(FUNCTION_LIST, 2)[1]
        end = len(FUNCTION_LIST) + len(listed)
        transcript.tools += _functions(text, len(FUNCTION_LIST), end)
        rest = min(end + len(FUNCTION_LIST), len(text))
        if _plain(text, rest, len(text)).strip():
            raise fault_in_text(text, rest, "nothing follows a list of functions that stands alone")
    elif text.startswith(FUNCTION_CALL):
        transcript.answer(*_said_and_called(text, 0, len(text)), (0, len(text)))
    else:
        for _, value in _outputs(text, 0, len(text)):
            transcript.messages.append({"role": "tool", "tool_call_id": "call00001", **value})


def _turns(text: str, frame: Frame) -> Iterator[re.Match[str]]:
    if not text.startswith(frame.bos):
        raise fault_in_text(text, 0, f"a conversation begins with {frame.bos}")
    position = len(frame.bos)
    rest = "is expected here"
    ending = re.compile(rf"\n?{re.escape(frame.eos)}\n?\Z")
    while True:
        turn = _TURN.match(text, position)
        if turn is None:
            expected = "a turn (<|im_start|>ROLE or <|im_start|>ROLE name=NAME, and a line break)"
            raise fault_in_text(text, position, f"{expected} {rest}")
        if turn[3] is None:
            raise fault_in_text(text, position, f"this turn has no {TURN_END}")
        yield turn
        if ending.match(text, turn.end()) is not None:
            return
        if not text.startswith("\n", turn.end()):
            expected = f"a line break and another turn, or {frame.eos} and nothing more, is expected here"
            raise fault_in_text(text, turn.end(), expected)
        position = turn.end() + 1
        rest = f"or {frame.eos or 'the end'} is expected here"


def _read_thoughts(text: str, at: int, end: int) -> tuple[int, dict[str, str]]:
    """Return where what is said begins, and the thought blocks before it."""
    thoughts: dict[str, str] = {}
    for block, pattern in _BLOCKS.items():
        if found := pattern.match(text, at, end):
            if found[1] is None:
                raise fault_in_text(text, at, f"this block is not closed by <|end_{block}|>")
            thoughts[block] = _plain(text, *found.span(1))
            at = found.end()
    return at, thoughts


def _said_and_listed(text: str, turn: re.Match[str], *, first: bool) -> tuple[str | None, list[Any]]:
    """Return a system turn's content (None when it only lists functions or holds flags) and functions."""
    start, end = turn.span(3)
    flags = _FLAGS.search(text, start, end)
    end = flags.start() if flags else end
    opening = text.find(FUNCTION_LIST, start, end)
    if opening < 0:
        said = _plain(text, start, end)
        return (said if said or not flags or turn[2] is not None else None), []
    if not first:
        raise fault_in_text(text, opening, "functions are listed in the first turn only")
    closing = text.find(FUNCTION_LIST, opening + len(FUNCTION_LIST), end)
    if closing < 0:
        raise fault_in_text(text, opening, f"this list of functions is not closed by a second {FUNCTION_LIST}")
    functions = _functions(text, opening + len(FUNCTION_LIST), closing)
    before = _plain(text, start, opening).removesuffix("\n")
    after = _plain(text, closing + len(FUNCTION_LIST), end, FUNCTION_CALL, FUNCTION_OUTPUT).removeprefix("\n")
    if after == INSTRUCTION and before == INTRODUCTION and turn[2] is None:
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


def _said_and_called(text: str, start: int, end: int) -> tuple[str, list[dict[str, Any]]]:
    """Return an assistant turn's content and calls."""
    at = _first(text, start, end, FUNCTION_CALL)
    content = _plain(text, start, at)
    if at == end:
        return content, []
    if content and not content.endswith("\n"):
        raise fault_in_text(text, at, f"{FUNCTION_CALL} stands at the beginning of a line")
    calls = []
    for position, value in _objects(text, at, end, FUNCTION_CALL, ("arguments", "name")):
        if not isinstance(value["arguments"], dict):
            raise fault_in_text(text, position, "`arguments` is not an object")
        calls.append({"name": value["name"], "arguments": value["arguments"]})
    return content.removesuffix("\n"), calls


def _read_outputs(text: str, turn: re.Match[str], transcript: RecordReading) -> None:
    """The tool messages of a tool turn."""
    start, end = turn.span(3)
    if turn[2] is not None:
        raise fault_in_text(text, start, "a tool turn has no name; each output has one")
    at = _first(text, start, end, FUNCTION_OUTPUT)
    if at == end or _plain(text, start, at).strip():
        raise fault_in_text(text, start, f"a tool turn begins with {FUNCTION_OUTPUT}")
    for position, value in _outputs(text, at, end):
        if not transcript.result(value["content"], value["name"]):
            raise fault_in_text(text, position, "there is no call left that this could be the output of")


def _outputs(text: str, at: int, end: int) -> Iterator[tuple[int, dict[str, Any]]]:
    for position, value in _objects(text, at, end, FUNCTION_OUTPUT, ("name", "content")):
        content = value["content"]
        said = content if isinstance(content, str) else compact_json(content)
        yield position, {"name": value["name"], "content": said}


def _first(text: str, start: int, end: int, marker: str) -> int:
    """Return where the first of these markers stands in a span; its end when there is none."""
    return start + len(text[start:end].partition(marker)[0])


def _objects(text: str, at: int, end: int, marker: str, keys: tuple[str, str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Yield the JSON object behind each marker of a span that begins with one, and where the marker ends."""
    for body in text[at:end].split(marker)[1:]:
        at += len(marker)
        values = list(_json_values(text, at, at + len(body)))
        if len(values) != 1:
            raise fault_in_text(text, at, f"one JSON object follows, not {len(values)}")
        position, value = values[0]
        if not isinstance(value, dict) or value.keys() != set(keys):
            expected = f"a JSON object with `{keys[0]}` and `{keys[1]}` and nothing else is expected"
            raise fault_in_text(text, position, expected)
        yield at, value
        at += len(body)


def _plain(text: str, start: int, end: int, *allowed: str) -> str:
    """Return the text of a span that must not hold control tokens beyond those allowed."""
    for match in TOKEN.finditer(text, start, end):
        if match.group() not in allowed:
            raise fault_in_text(text, match.start(), f"{match.group()} does not belong here")
    return text[start:end]


def _json_values(text: str, at: int, end: int) -> Iterator[tuple[int, Any]]:
    """Yield the JSON values that fill a span, with their positions."""
    while found := _NO_SPACE.search(text, at, end):
        value, at = decode_json(text, found.start(), end)
        yield found.start(), value


def _read_document(text: str) -> FileSequence:
    """Return the document of a text; raises FormatError with position and reason."""
    scanner = Scanner(text, TOKEN)
    files: list[str | FillIn] = []
    if scanner.accept(FILE_SEPARATOR):
        scanner.take("\n")
    while True:
        last = scanner.plain()
        around: list[str] = []
        if scanner.sees(FIM_PREFIX):
            if last:
                raise scanner.fault(f"{FIM_PREFIX} stands at the beginning of a file")
            for token in (FIM_PREFIX, FIM_MIDDLE, FIM_SUFFIX):
                scanner.take(token)
                around.append(scanner.plain())
            last = around.pop()
        if not scanner.done and not last.endswith("\n"):
            raise scanner.fault(f"{FILE_SEPARATOR} stands on a line of its own")
        last = last if scanner.done else last.removesuffix("\n")
        files.append(FillIn(prefix=around[0], middle=around[1] or None, suffix=last) if around else last)
        if scanner.done:
            return FileSequence(files=tuple(files))
        scanner.take(FILE_SEPARATOR)
        scanner.take("\n")


FORMAT = make()
OTHER_FORMATS = tuple([make(around.bos, around.eos, frame) for frame, around in FRAMES.items() if around != _USUAL])
