"""Documents of OpenChatML v0.1: texts with a gap (its section 6) and several files in one sequence (section 7).

    <|fim_prefix|>The capital of France is <|fim_middle|>Paris<|fim_suffix|>, known for its tower.

The order of the three tokens is that of the specification, whose completions stand behind `<|fim_middle|>`. A gap
that is to be filled has nothing there, so an empty middle and none are the same. `<|file_separator|>` stands on a line
of its own between two files. One before the first file, as in the specification's third example, is read as well, and
written before a single file without a gap, which nothing else would show to be a document. There is no frame of `[BOS]`
and `[EOS]`: the specification shows none.

What is learnt is the middle, with the token that ends it; in a document without gaps, the files.
"""

import re
from collections.abc import Iterator

from generator.core.conversation import FileSequence, FillIn
from generator.core.errors import CannotCarryError
from generator.formats.openchatml.reader import FILE_SEPARATOR, FIM_MIDDLE, FIM_PREFIX, FIM_SUFFIX, TOKEN
from generator.formats.text import Segment
from generator.formats.text_reader import Scanner


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
