"""A file of records against the rules: line by line in constant memory, all faults of all lines."""

import io
import re
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any, BinaryIO

import msgspec

from generator.core.conversation import FileSequence, Violation
from generator.core.errors import FormatError
from generator.core.exact_json import read_exactly
from generator.core.profiles import Profile
from generator.formats import FORMATS, Format
from generator.formats.files.profile_limits import limits_exceeded
from generator.formats.rules import check_record
from generator.formats.run_folder.manifest import is_unrolled
from generator.formats.sinks import reading

LINE_CODE = "DF100"
LINE_STATEMENT = "A line is one JSON value in UTF-8, of at most 64 MB; no object has a key twice; no line is blank."
LONGEST_LINE = 64 * 1024 * 1024
_UNANSWERED = "DF402"
_WRONG = "DF202"
_CALLS = re.compile(r"\$\.messages\[(\d+)\]\.tool_calls")


class LineFault(msgspec.Struct, frozen=True):
    """A violation and the line it is on."""

    line: int
    violation: Violation


class FileTally(msgspec.Struct):
    """What has been seen of a file so far."""

    rows: int = 0
    """Lines, whatever is on them."""
    faulty: int = 0
    """Lines with a fault."""
    rules: Counter[str] = msgspec.field(default_factory=Counter)
    """Violations by code."""


def violations_in_file(
    path: Path,
    format_name: str = "deepfabric",
    tally: FileTally | None = None,
    profile: Profile | None = None,
    *,
    unrolled: bool = False,
) -> Iterator[LineFault]:
    """Yield every violation in a JSONL file (packed or not), line by line, and keep count in `tally`.

    Paths are those of the record; where the format is text (openchatml), of the conversation that was read from it.

    Args:
        path: The file.
        format_name: How it is encoded.
        tally: What is counted.
        profile: Limits that hold, too.
        unrolled: Whether a record may end with calls, as those of a run with `records: unrolled` do.

    Raises:
        OutputError: when the file cannot be read.
        FormatError: when there is no format of that name.
    """
    if format_name not in FORMATS:
        raise FormatError(f"there is no format {format_name!r} (known: {', '.join(FORMATS)})")
    tally = FileTally() if tally is None else tally
    with reading(path) as file:
        unrolled = unrolled or is_unrolled(path)
        yield from _check_lines(file, FORMATS[format_name], tally, profile, unrolled)


def check_line(line: bytes, fmt: Format, profile: Profile | None = None, *, unrolled: bool = False) -> list[Violation]:
    """Return all violations of one line."""
    if not line or line.isspace():
        return [Violation(LINE_CODE, "$", "is blank")]
    try:
        record = read_exactly(line)
    except FormatError as fault:
        return [Violation(LINE_CODE, "$", str(fault))]
    return check_raw(record, fmt, profile, unrolled=unrolled)


def check_raw(record: Any, fmt: Format, profile: Profile | None = None, *, unrolled: bool = False) -> list[Violation]:
    """Return all violations of one raw record: of its encoding, of the profile's limits, of the rules that hold in its format."""
    unrolled = unrolled or fmt.policy.records != "whole"
    plain, faults = fmt.read(record)
    if isinstance(plain, FileSequence):
        return faults
    if profile is not None:
        faults = [*faults, *limits_exceeded(plain, profile)]
    if plain is None and faults:
        return faults
    found = check_record(plain, fmt.waives)
    return faults + [
        violation
        for violation in found
        if not (unrolled and _ends_with_calls(violation, plain)) and not _is_wrong_on_purpose(violation, plain)
    ]


def _is_wrong_on_purpose(violation: Violation, plain: Any) -> bool:
    """Whether wrong arguments stand in a message that is not to be learnt: such a call was refused."""
    place = _CALLS.match(violation.path) if violation.rule == _WRONG else None
    messages = plain.get("messages") if isinstance(plain, dict) else None
    if place is None or not isinstance(messages, list):
        return False
    message = messages[int(place[1])] if int(place[1]) < len(messages) else None
    return isinstance(message, dict) and message.get("train") is False


def _ends_with_calls(violation: Violation, plain: Any) -> bool:
    """Whether all that is wrong is that a call in the last message has no result."""
    messages = plain.get("messages") if isinstance(plain, dict) else None
    last = len(messages) - 1 if isinstance(messages, list) else -1
    return violation.rule == _UNANSWERED and violation.path.startswith(f"$.messages[{last}].")


def _check_lines(
    file: BinaryIO, fmt: Format, tally: FileTally, profile: Profile | None, unrolled: bool
) -> Iterator[LineFault]:
    for line in bounded_lines(file):
        first = tally.rows + 1
        violations = [_TOO_LONG] if len(line) > LONGEST_LINE else check_line(line, fmt, profile, unrolled=unrolled)
        if line.isspace() and (more := pass_blank(file)):
            tally.rows += more
            violations = [Violation(LINE_CODE, "$", f"is blank, and so are the next {more:,} lines")]
        tally.rows += 1
        tally.faulty += (tally.rows - first + 1) * bool(violations)
        for violation in violations:
            tally.rules[violation.rule] += 1
            yield LineFault(first, violation)


_TOO_LONG = Violation(LINE_CODE, "$", f"is longer than {LONGEST_LINE:,} bytes")


def pass_blank(file: BinaryIO) -> int:
    """Go on to the next line that is not blank; return how many lines were passed over, in no time for each."""
    passed = 0
    while isinstance(file, io.BufferedReader) and (ahead := file.peek()):
        end = ahead.rfind(b"\n", 0, len(ahead) - len(ahead.lstrip())) + 1
        if not end:
            break
        passed += ahead.count(b"\n", 0, end)
        file.read(end)
    return passed


def bounded_lines(file: BinaryIO) -> Iterator[bytes]:
    """Yield the lines of a file in constant memory: of one with more than LONGEST_LINE bytes the first LONGEST_LINE + 1."""
    while line := file.readline(LONGEST_LINE + 1):
        yield line
        while line and len(line) >= LONGEST_LINE and not line.endswith(b"\n"):
            line = file.readline(LONGEST_LINE)
