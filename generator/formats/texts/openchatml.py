"""OpenChatML beside its turns, which dialects.yaml describes: the list of functions in a system turn, documents, parts that stand alone.

The specification says some things in two ways. One of them is written; any form that cannot be mistaken is read, so a list of
functions is found among any words. Documents (texts with a gap, section 6; several files, section 7) are records of the same kind.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.conversation import FileSequence, FillIn, Thoughts, Violation
from generator.core.errors import CannotCarryError, FormatError
from generator.formats.format import Format, Read, conversation_of
from generator.formats.text import RecordReading, Scanner, Segment, any_of, read_text_record, text_record
from generator.formats.texts.dialect import Dialect
from generator.formats.texts.dialects import DIALECTS, format_of
from generator.formats.texts.reading import read_result

_DIALECT = DIALECTS["openchatml"]
TOKENS = _DIALECT.tokens
INTRODUCTION, _, FUNCTION_LIST = _DIALECT.tools.before.partition("\n")
INSTRUCTION = _DIALECT.tools.after.rpartition("\n")[2]
FUNCTION_CALL, FUNCTION_OUTPUT = _DIALECT.call_syntax.begins, _DIALECT.result.before.strip()
FIM_PREFIX, FIM_SUFFIX, FIM_MIDDLE = "<|fim_prefix|>", "<|fim_suffix|>", "<|fim_middle|>"
FILE_SEPARATOR = "<|file_separator|>"
_BLANKS = re.compile(r"\s*")
_FLAGS = re.compile(f"(?:{'|'.join([re.escape(f'<|{block}|>') for block in Thoughts.__struct_fields__])})+")
FRAMES = {
    "spec": (_DIALECT.begin, _DIALECT.finish),
    "llama2": ("<s>", "</s>"),
    "llama3": ("<|begin_of_text|>", "<|end_of_text|>"),
    "qwen": ("", "<|endoftext|>"),
}
"""What begins and ends a conversation, by the family of models."""


def make(bos: str, eos: str, frame: str) -> Format:
    """Return the format with the beginning and end of a conversation that a model has; `frame` is what they are called."""
    dialect = msgspec.structs.replace(
        _DIALECT,
        name="openchatml" if frame == "spec" else f"openchatml-{frame}",
        tokens=tuple(dict.fromkeys([*TOKENS, *filter(None, (bos, eos))])),
        options={"frame": frame},
        begin=bos,
        finish=eos,
        read_system=_read_system,
    )
    turns, tokens = format_of(dialect), any_of(dialect.tokens)
    return msgspec.structs.replace(
        turns,
        read=lambda record: _read(record, dialect, tokens, turns),
        render_document=lambda document: _render_document(document, tokens),
    )


def _read(record: Any, dialect: Dialect, tokens: re.Pattern[str], turns: Format) -> Read:
    """Return the plain record, or the document, of the text; a fault of the text is the only fault."""
    text = record.get("text") if isinstance(record, dict) else None
    if not isinstance(text, str) or text.startswith(dialect.begin or "<|im_start|>"):
        return turns.read(record)
    if text.startswith((FUNCTION_LIST, FUNCTION_CALL, FUNCTION_OUTPUT)):
        return read_text_record(record, dialect.fault[0], lambda text: _read_part(Scanner(text, tokens)))
    if FIM_PREFIX not in text and FILE_SEPARATOR not in text:
        return turns.read(record)
    try:
        document = _read_document(Scanner(text, tokens))
    except FormatError as fault:
        return None, [Violation(dialect.fault[0], "$.text", str(fault))]
    if "spans" in record and record["spans"] != text_record(_write_document(document))["spans"]:
        reason = "is not where the middles, or the files, of the document stand"
        return None, [Violation(dialect.fault[0], "$.spans", reason)]
    return document, []


# ------------------------------------------------------------------------------ functions in a system turn, and parts alone


def _read_system(scanner: Scanner, transcript: RecordReading, name: str | None) -> None:
    """Read the rest of a system turn: words, a list of functions among them, flags of blocks of thoughts."""
    start = scanner.at
    text: str | None = scanner.plain()
    if scanner.sees(FUNCTION_LIST):
        if scanner.text.count("<|im_start|>", 0, start) > 1:
            raise scanner.fault("functions are listed in the first turn only")
        opening = scanner.at
        transcript.tools += _read_functions(scanner)
        if not scanner.accept(FUNCTION_LIST):
            raise scanner.fault(f"this list of functions is not closed by a second {FUNCTION_LIST}", opening)
        behind = _words_and_markers(scanner)
        flags = scanner.match(_FLAGS)
        text = _without_own_words(text or "", behind if flags else behind.removesuffix("\n"), is_named=name is not None)
    elif not (flags := scanner.match(_FLAGS)):
        text = scanner.text[start : scanner.at].removesuffix("\n")
    elif not text and name is None:
        text = None
    if flags:
        scanner.accept("\n")
    scanner.take("<|im_end|>")
    if text is not None:
        transcript.say("system", text, name)


def _words_and_markers(scanner: Scanner) -> str:
    """Return the words up to the next control token; markers of calls and outputs may stand in them as examples."""
    start = scanner.at
    scanner.plain()
    while scanner.accept(FUNCTION_CALL) or scanner.accept(FUNCTION_OUTPUT):
        scanner.plain()
    return scanner.text[start : scanner.at]


def _without_own_words(before: str, behind: str, *, is_named: bool) -> str | None:
    """Return the words around a list of functions without those that rendering adds; None when nothing else is said."""
    before, behind = before.removesuffix("\n"), behind.removeprefix("\n")
    if behind == INSTRUCTION and before == INTRODUCTION and not is_named:
        return None
    if behind == INSTRUCTION and before.endswith("\n\n" + INTRODUCTION):
        return before.removesuffix("\n\n" + INTRODUCTION)
    return "\n".join([part for part in (before, behind) if part])


def _read_functions(scanner: Scanner) -> list[Any]:
    """Return the functions behind a marker, up to the next control token."""
    scanner.take(FUNCTION_LIST)
    functions = []
    while scanner.match(_BLANKS) and scanner.at < scanner.next_token():
        start = scanner.at
        functions.append(scanner.json())
        try:
            conversation_of({"messages": [], "tools": functions[-1:]})
        except FormatError as fault:
            reason = str(fault).removeprefix("$.tools[0]").removeprefix(": ")
            raise scanner.fault(f"not a function: {reason}", start) from None
    return functions


def _read_part(scanner: Scanner) -> RecordReading:
    """Return a list of functions, calls, or an output, without turns around it."""
    transcript = RecordReading()
    if scanner.sees(FUNCTION_LIST):
        transcript.tools += _read_functions(scanner)
        scanner.accept(FUNCTION_LIST)
        rest = scanner.at
        if scanner.plain().strip() or not scanner.done:
            raise scanner.fault("nothing follows a list of functions that stands alone", rest)
    elif scanner.sees(FUNCTION_CALL):
        calls = _DIALECT.call_syntax.read(scanner, {})
        transcript.answer(
            "", [{"name": name, "arguments": arguments} for name, arguments, _ in calls], (0, len(scanner.text))
        )
    else:
        while scanner.accept(FUNCTION_OUTPUT):
            output = read_result(scanner, _DIALECT)
            transcript.messages.append({"role": "tool", "tool_call_id": "call00001", **output})
    if not scanner.done:
        raise scanner.fault("the end of the text is expected here")
    return transcript


# ------------------------------------------------------------------------------------------------------ documents


def _render_document(document: FileSequence, tokens: re.Pattern[str]) -> dict[str, Any]:
    """Return the record of a document; raises CannotCarryError for control tokens in it."""
    if not document.files:
        raise CannotCarryError("$.files: a document without files")
    for i, file in enumerate(document.files):
        parts = {"": file} if isinstance(file, str) else msgspec.structs.asdict(file)
        for key, part in parts.items():
            if match := tokens.search(part or ""):
                path = f"$.files[{i}].{key}".removesuffix(".")
                raise CannotCarryError(f"{path}: holds the control token {match.group()}")
    return text_record(_write_document(document))


def _write_document(document: FileSequence) -> Iterator[Segment]:
    """Yield the text of a document: files with separators between them, gaps with their middles."""
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


def _read_document(scanner: Scanner) -> FileSequence:
    """Return the document of a text; raises FormatError with position and reason."""
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


FORMAT, *OTHER_FORMATS = [make(bos, eos, frame) for frame, (bos, eos) in FRAMES.items()]
