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
from generator.formats.format import Format, Policy, Read, compact_json, tool_text
from generator.formats.openchatml.reader import (
    BLOCKS,
    FILE_SEPARATOR,
    FIM_MIDDLE,
    FIM_PREFIX,
    FIM_SUFFIX,
    FUNCTION_CALL,
    FUNCTION_LIST,
    FUNCTION_OUTPUT,
    INSTRUCTION,
    INTRODUCTION,
    TOKEN,
    TOKENS,
    TURN_END,
    Frame,
    read_conversation,
)
from generator.formats.steps import thoughts_of
from generator.formats.text import Guard, Segment, any_of, text_record, with_results_in_order
from generator.formats.text_reader import Scanner, read_text_record


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
