"""Convert a file of conversations to another format: row by row, in order, in constant memory; mix several by shares.

Nothing is lost or repaired silently: whatever the target cannot hold and whatever was repaired is counted by name; a
row that cannot be read or written is reported with its line and left out. The new file gets its name when it is whole.
"""

import operator
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    FileSequence,
    Message,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError, FormatError, OutputError
from generator.core.files import is_remote
from generator.formats import FORMATS, Format
from generator.formats.files.lengths import Measure, measure_by
from generator.formats.files.records import records_of
from generator.formats.files.validate import check_raw, has_faults
from generator.formats.run_folder.files import MANIFEST
from generator.formats.run_folder.manifest import read_manifest
from generator.formats.sinks import encode_read_line, pack, packing_of, unpacked_name, write_whole
from generator.formats.steps import cut_turns, placeholder_id, unrolled, with_new_ids, without_parts
from generator.report.files.format_of import format_of
from generator.report.files.losses import GRAVE, RESULT_NAMES, lost_between, unread_keys
from generator.report.files.repairs import understood, without_images
from generator.report.files.sets import CALLS_AS_TEXT, SETS, has_calls_as_text, known_shape, with_calls_read

_CHUNK = 1 << 20


class Conversion(msgspec.Struct):
    """Counts of what became of the rows so far."""

    read: int = 0
    written: int = 0
    left_out: Counter[str] = msgspec.field(default_factory=Counter)
    """Rows that are not in the new file, by reason."""
    repaired: Counter[str] = msgspec.field(default_factory=Counter)
    """Repairs by name (see `repairs.REPAIRS`)."""
    lost: Counter[str] = msgspec.field(default_factory=Counter)
    """Rows by what of them the target does not hold."""
    told: Counter[str] = msgspec.field(default_factory=Counter)
    """Rows of which something should be known, though nothing is lost."""
    faults: Counter[str] = msgspec.field(default_factory=Counter)
    """Faults of what is written, by code, as `validate` finds them."""
    new_ids: int = 0
    """Rows whose calls got ids that the target takes."""

    @property
    def is_whole(self) -> bool:
        """Whether all rows are written, and no call, result or tool is lost."""
        return self.written == self.read and not any(what in GRAVE or what.startswith("calls in") for what in self.lost)


class ConversionOptions(msgspec.Struct, frozen=True, kw_only=True):
    """What is wanted of a conversion."""

    unroll: bool = False
    """A record for each assistant message that is to be learnt, which ends there."""
    thoughts: Literal["keep", "last", "drop"] = "keep"
    """Whether thoughts are kept: all, those behind the last message of the user, or none."""
    drop_images: bool = False
    read_calls: bool = False
    """Whether calls that stand in texts are read as calls."""
    trim: bool = False
    """Whether what is not learnt is cut off at the end, and empty answers are not learnt."""
    max_tokens: int | None = None
    """Most tokens of a record: whole early turns are cut until it has no more."""
    tokenizer: Path | None = None


DEFAULT_OPTIONS = ConversionOptions()


ReportLeftOut = Callable[[Path, int, str], None]
"""Called with the file and line of a row that is left out, and why."""


def convert_file(
    source: Path,
    target: Path,
    fmt: Format,
    to: Format,
    tell: ReportLeftOut,
    *,
    overwrite: bool = False,
    how: ConversionOptions = DEFAULT_OPTIONS,
) -> Conversion:
    """Write the rows of `source` (see `records_of`) to `target`, JSON lines, packed when its name ends with `.gz` or `.zst`.

    `tell` is called for every row that is left out.

    Raises:
        OutputError: when a file cannot be read or written; `target` is then as it was.
        FormatError: when there would be no row in `target`, which is then as it was, too.
    """
    check_target(source, target, overwrite)
    tally = Conversion()

    def lines() -> Iterator[bytes]:
        yield from converted(source, fmt, to, tally, tell, how)
        if not tally.written:
            what = f"none of its {tally.read:,} rows could be written" if tally.read else "holds no rows"
            raise FormatError(f"{source}: {what}, so {target} is not written")

    write_whole(target, packed(lines(), packing_of(target)))
    return tally


def check_target(source: Path, target: Path, overwrite: bool) -> None:
    """Raise OutputError unless `target` may be written: not IN, and only a regular file is replaced."""
    if is_remote(target):
        raise OutputError(f"{target}: convert writes to a file of this machine")
    if not is_remote(source) and source.exists() and target.exists() and target.samefile(source):
        raise OutputError(f"{target}: is the same file as {source}; name another file to write to")
    if unpacked_name(target).lower().endswith(".parquet"):
        raise OutputError(f"{target}: convert writes JSON lines, not Parquet; name a .jsonl file")
    if target.is_dir():
        raise OutputError(f"{target}: is a folder; name a file in it")
    if not target.parent.is_dir():
        raise OutputError(f"{target}: there is no folder {target.parent}")
    if target.is_symlink() or target.exists():
        _check_replaceable(target, overwrite)


def _check_replaceable(target: Path, overwrite: bool) -> None:
    """Raise OutputError unless a file may be replaced: a regular file, of no run, and only with `overwrite`."""
    if target.is_symlink() or not target.is_file():
        what = "a symbolic link" if target.is_symlink() else "not a regular file"
        raise OutputError(
            f"{target}: is {what}, and is not replaced; name a regular file, or one that is not there yet"
        )
    if _is_of_a_run(target):
        raise OutputError(f"{target}: belongs to the run in {target.parent}; name another file")
    if not overwrite:
        raise OutputError(f"{target}: is there already; --overwrite replaces it")


def _is_of_a_run(path: Path) -> bool:
    """Whether a manifest beside a file names it."""
    try:
        manifest = read_manifest(path.parent)
    except OutputError:  # nothing here relies on it
        return False
    return manifest is not None and path.name in (*manifest.files, MANIFEST)


def converted_records(
    raw: Any, fmt: Format, to: Format, tally: Conversion, how: ConversionOptions = DEFAULT_OPTIONS
) -> list[dict[str, Any]]:
    """Return one record in the other format, or one for each message to be learnt.

    Raises:
        FormatError: when it is no conversation.
        CannotCarryError: when the other format cannot hold it.
    """
    repairs: Counter[str] = Counter()
    raw, public = known_shape(raw)
    fmt = FORMATS[SETS[public].format] if public else fmt
    repairs["public_set"] += bool(public)
    raw = without_images(raw, repairs) if how.drop_images else raw
    raw = with_calls_read(raw, repairs) if how.read_calls else raw
    conversation = understood(raw, fmt, repairs, tags=to.policy.thoughts)
    if isinstance(conversation, FileSequence):
        return [to.write_document(conversation)]
    tally.told[CALLS_AS_TEXT] += has_calls_as_text(conversation)
    lost = set(unread_keys(raw, fmt))
    if fmt.policy.records in ("preferences", "unpaired"):  # where the target holds such, it is made anew
        lost.add("what is rejected")
    thinking = _thinking(conversation, how)
    trimmed = _trimmed(thinking)
    if how.trim and not trimmed.messages:
        raise CannotCarryError("$.messages: nothing is to be learnt")
    tally.told[TRIMMED if how.trim else UNTRIMMED] += trimmed != thinking
    fitting = _with_fitting_ids(trimmed if how.trim else thinking, to)
    parts = list(unrolled(fitting, to)) if how.unroll else [fitting]
    if how.max_tokens is not None:
        whole, parts = parts, [_shortened(part, to, how.max_tokens, measure_by(how.tokenizer)) for part in parts]
        tally.told[SHORTENED] += sum(map(operator.ne, whole, parts))
    records = [to.render(part) for part in parts]
    for part, record in zip(parts, records, strict=True):
        lost.update(lost_between(part, carried := to.carries(part)))
        if has_faults(carried, to.waives):  # records are read again only then
            tally.faults.update(fault.rule for fault in check_raw(record, to, unrolled=how.unroll))
    _leave_out_result_names(fitting, fmt, lost, repairs)
    tally.repaired.update(+repairs)
    tally.lost.update(lost)
    tally.new_ids += _ids(fitting) != _ids(conversation)
    return records


def _leave_out_result_names(conversation: Conversation, fmt: Format, lost: set[str], repairs: Counter[str]) -> None:
    """Count names on results neither as lost nor as repaired where the records of neither format have them."""
    results = [message for message in conversation.messages if isinstance(message, ToolMessage)]
    if RESULT_NAMES in lost and (repairs["tool_name"] == len(results) or _result_names(fmt.name) == "of calls"):
        lost.remove(RESULT_NAMES)
        del repairs["tool_name"]
    if repairs["tool_name"] and _result_names(fmt.name) == "none":  # there was nothing to repair
        del repairs["tool_name"]


UNTRIMMED = "an end that is not learnt, or an empty answer that is (--trim)"
TRIMMED = "trimmed: ends that were not learnt, empty answers that were"
SHORTENED = "shortened: whole early turns are cut (--max-tokens)"


def _trimmed(conversation: Conversation) -> Conversation:
    """Return the conversation up to the last message that teaches something; empty answers are not to be learnt."""
    teaching = [at for at, message in enumerate(conversation.messages) if _is_trained_on(message)]
    messages = [
        msgspec.structs.replace(message, train=False)
        if isinstance(message, AssistantMessage) and at not in teaching
        else message
        for at, message in enumerate(conversation.messages[: teaching[-1] + 1 if teaching else 0])
    ]
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def _is_trained_on(message: Message) -> bool:
    """Whether a message of the assistant is learnt and holds something."""
    if not isinstance(message, AssistantMessage):
        return False
    return message.train and bool(message.tool_calls or (message.content or "").strip())


def _shortened(conversation: Conversation, to: Format, most: int, measure: Measure) -> Conversation:
    """Return the conversation without as many of its first turns as make its record longer.

    Raises:
        CannotCarryError: when the last turn alone is longer.
    """
    for kept in cut_turns(conversation.messages):
        shorter = msgspec.structs.replace(conversation, messages=tuple([conversation.messages[at] for at in kept]))
        record = to.render(shorter)
        if measure(record, encode_read_line(record)) <= most:
            return shorter
    raise CannotCarryError(f"$.messages: longer than {most:,} tokens with its last turn alone")


def _thinking(conversation: Conversation, how: ConversionOptions) -> Conversation:
    """Return the conversation with the thoughts that are wanted."""
    users = [at for at, message in enumerate(conversation.messages) if isinstance(message, UserMessage)]
    start = {"keep": 0, "drop": len(conversation.messages), "last": users[-1] if users else 0}[how.thoughts]
    before = msgspec.structs.replace(conversation, messages=conversation.messages[:start])
    messages = (*without_parts(before, "thoughts").messages, *conversation.messages[start:])
    return msgspec.structs.replace(conversation, messages=messages) if start else conversation


def converted(
    source: Path, fmt: Format, to: Format, tally: Conversion, tell: ReportLeftOut, how: ConversionOptions
) -> Iterator[bytes]:
    """Yield the rows' lines in the other format, counted in `tally`; `tell` is called for rows that are left out."""
    how = msgspec.structs.replace(how, unroll=how.unroll or to.policy.records != "whole")
    for entry in records_of(source, mended=tally.repaired):
        tally.read += 1
        reason = entry.fault
        if not reason:
            try:
                records = converted_records(entry.record, fmt, to, tally, how)
                lines = [encode_read_line(record) for record in records]
            except (FormatError, CannotCarryError) as refusal:
                reason = str(refusal)
            except RecursionError:
                reason = "$: is nested too deep"
        if reason:
            tell(source, entry.line, reason)
            tally.left_out[_without_place(reason)] += 1
        else:
            tally.written += 1
            yield from lines


def _without_place(reason: str) -> str:
    """Return a reason as it is counted: `$.messages[3].tool_calls[0].id: is empty` is "`.id` is empty"."""
    path, _, what = reason.partition(": ")
    field = re.search(r"\.\w+\Z", path)
    return f"`{field[0]}` {what}" if field and what else what or reason


@cache
def _result_names(format_name: str) -> Literal["none", "of calls", "own"]:
    """Return where the format's reader takes the names of results from: from nowhere, from their calls, or from the record."""
    renamed = [msgspec.structs.replace(m, name="stop") if isinstance(m, ToolMessage) else m for m in _WAITED.messages]
    fmt = FORMATS[format_name]
    with suppress(CannotCarryError):
        if any(isinstance(message, ToolMessage) and message.name for message in fmt.carries(_WAITED).messages):
            other = msgspec.structs.replace(_WAITED, messages=tuple(renamed))
            return "of calls" if fmt.render(_WAITED) == fmt.render(other) else "own"
    return "none"


_WAITED = Conversation(  # ends with a call, as the records of some formats do
    messages=(
        UserMessage("Wait."),
        AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", "wait", {}),)),
        ToolMessage("aaaaaaaa1", "{}", "wait"),
        AssistantMessage("Done."),
        UserMessage("Again."),
        AssistantMessage(tool_calls=(ToolCall("aaaaaaaa2", "wait", {}),)),
    ),
    tools=(Tool(name="wait"), Tool(name="stop")),
)


def packed(lines: Iterator[bytes], packing: str | None) -> Iterator[bytes | bytearray]:
    """Yield the lines in pieces of some size, each compressed on its own."""
    piece = bytearray()
    for line in lines:
        piece += line
        if len(piece) >= _CHUNK:
            yield pack(piece, packing)
            piece = bytearray()
    if piece or packing:
        yield pack(piece, packing)


def _ids(conversation: Conversation) -> list[str]:
    return [c.id for m in conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]


def _with_fitting_ids(conversation: Conversation, to: Format) -> Conversation:
    """Return the conversation with ids that the target accepts: as it is, or with all calls numbered."""
    pattern = to.policy.id_pattern
    if pattern is None or all(map(re.compile(pattern).fullmatch, _ids(conversation))):
        return conversation
    return with_new_ids(conversation, lambda number, _: placeholder_id(number + 1))


class MixedFile(msgspec.Struct, frozen=True):
    """A file and its weight in the mix."""

    path: Path
    share: float
    format: str | None = None
    """None: detected from its name, or its first record."""


def mix_files(
    parts: Sequence[MixedFile],
    target: Path,
    to: Format,
    rows: int,
    tell: ReportLeftOut,
    *,
    overwrite: bool = False,
    how: ConversionOptions = DEFAULT_OPTIONS,
) -> list[Conversion]:
    """Write `rows` records to `target`, each file's share of them, evenly interleaved and in order; return what became of the rows of each file.

    Other rows are taken in place of those that are left out, of which `tell` is told.

    Raises:
        OutputError: when a file cannot be read or holds too few rows, or `target` cannot be written.
    """
    for part in parts:
        check_target(part.path, target, overwrite)
    counts = shares_of([part.share for part in parts], rows)
    tallies = [Conversion() for _ in parts]
    formats = [FORMATS[part.format or format_of(part.path)] for part in parts]
    lines = [
        converted(part.path, fmt, to, tally, tell, how)
        for part, fmt, tally in zip(parts, formats, tallies, strict=True)
    ]
    write_whole(target, packed(_in_order_of_mix(parts, lines, counts), packing_of(target)))
    return tallies


def shares_of(weights: Sequence[float], rows: int) -> list[int]:
    """Divide a number of rows by weights, rounded by largest remainders so that the shares add up."""
    total = sum(weights)
    exact = [weight / total * rows for weight in weights]
    counts = [int(number) for number in exact]
    for at in sorted(range(len(exact)), key=lambda at: (counts[at] - exact[at], at))[: rows - sum(counts)]:
        counts[at] += 1
    return counts


def _in_order_of_mix(
    parts: Sequence[MixedFile], lines: Sequence[Iterator[bytes]], counts: Sequence[int]
) -> Iterator[bytes]:
    """Yield the records in the order of the mix: the next one is from the file that is furthest behind its share."""
    rows_taken = [0] * len(parts)
    for _ in range(sum(counts)):
        unfinished = [at for at in range(len(parts)) if rows_taken[at] < counts[at]]
        at = min(unfinished, key=lambda at: ((rows_taken[at] + 0.5) / counts[at], at))
        record = next(lines[at], None)
        if record is None:
            reason = f"only {rows_taken[at]:,} rows can be taken, and {counts[at]:,} are wanted of it"
            raise OutputError(f"{parts[at].path}: {reason}")
        rows_taken[at] += 1
        yield record
