"""Convert a file of conversations to another format: row by row, in order, in constant memory.

Nothing is lost or repaired silently: whatever the target cannot hold and whatever was repaired is counted by name; a
row that cannot be read or written is reported with its line and left out. The new file gets its name when it is whole.
"""

import re
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    FileSequence,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import CannotCarryError, FormatError, OutputError
from generator.core.files.stores import is_remote
from generator.formats import FORMATS, Format
from generator.formats.files.records import records_of
from generator.formats.run_folder.files import MANIFEST
from generator.formats.run_folder.manifest import read_manifest
from generator.formats.sinks import encode_read_line, pack, packing_of, unpacked_name, write_whole
from generator.formats.steps import placeholder_id
from generator.formats.unrolled import unrolled
from generator.report.files.losses import RESULT_NAMES, lost_between, unread_keys
from generator.report.files.repairs import understood

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
    new_ids: int = 0
    """Rows whose calls got ids that the target takes."""


Tell = Callable[[int, str], None]
"""Is told the line of a row that is left out, and why."""


def convert_file(
    source: Path, target: Path, fmt: Format, to: Format, tell: Tell, *, overwrite: bool = False, unroll: bool = False
) -> Conversion:
    """Write the rows of `source` to `target`.

    Args:
        source: A file of records (see `records_of`).
        target: A file of JSON lines, packed when its name ends with `.gz` or `.zst`.
        fmt: The format of `source`.
        to: The format of `target`.
        tell: Is told of every row that is left out.
        overwrite: Whether `target` may be there already.
        unroll: Whether to write a record for each assistant message that is to be learnt, which ends there.

    Raises:
        OutputError: when a file cannot be read or written; `target` is then as it was.
        FormatError: when there would be no row in `target`, which is then as it was, too.
    """
    check_target(source, target, overwrite)
    tally = Conversion()

    def lines() -> Iterator[bytes]:
        yield from converted(source, fmt, to, tally, tell, unroll)
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
    try:
        manifest = read_manifest(path.parent)
    except OutputError:  # nothing here relies on it
        return False
    return manifest is not None and path.name in (*manifest.files, MANIFEST)


def convert_record(raw: Any, fmt: Format, to: Format, tally: Conversion) -> dict[str, Any]:
    """Return one record in the other format.

    Raises:
        FormatError: when it is no conversation.
        CannotCarryError: when the other format cannot hold it.
    """
    (record,) = _converted_records(raw, fmt, to, tally, unroll=False)
    return record


def _converted_records(raw: Any, fmt: Format, to: Format, tally: Conversion, *, unroll: bool) -> list[dict[str, Any]]:
    """Return one record in the other format, or one for each message to be learnt.

    Raises:
        FormatError: when it is no conversation.
        CannotCarryError: when the other format cannot hold it.
    """
    try:
        return _converted_record(raw, fmt, to, tally, unroll)
    except RecursionError:
        raise CannotCarryError("$: is nested too deep") from None


def _converted_record(raw: Any, fmt: Format, to: Format, tally: Conversion, unroll: bool) -> list[dict[str, Any]]:
    repairs: Counter[str] = Counter()
    conversation = understood(raw, fmt, repairs)
    if isinstance(conversation, FileSequence):
        return [to.write_document(conversation)]
    lost = set(unread_keys(raw, fmt))
    if fmt.policy.records in ("preferences", "unpaired"):  # where the target holds such, it is made anew
        lost.add("what is rejected")
    fitting = _with_fitting_ids(conversation, to)
    parts = list(unrolled(fitting, to)) if unroll else [fitting]
    records = [to.render(part) for part in parts]
    for part in parts:
        lost.update(lost_between(part, to.carries(part)))
    results = sum(isinstance(message, ToolMessage) for message in fitting.messages)
    if RESULT_NAMES in lost and repairs["tool_name"] == results:  # neither record has them
        lost.remove(RESULT_NAMES)
        del repairs["tool_name"]
    if repairs["tool_name"] and not _has_result_names(fmt.name):  # there was nothing to repair
        del repairs["tool_name"]
    tally.repaired.update(repairs)
    tally.lost.update(lost)
    tally.new_ids += fitting is not conversation
    return records


def converted(source: Path, fmt: Format, to: Format, tally: Conversion, tell: Tell, unroll: bool) -> Iterator[bytes]:
    """Yield the rows' lines in the other format, counted in `tally`; `tell` is called for rows that are left out."""
    unroll = unroll or to.policy.records != "whole"
    for entry in records_of(source, mended=tally.repaired):
        tally.read += 1
        reason = entry.fault
        if not reason:
            try:
                records = _converted_records(entry.record, fmt, to, tally, unroll=unroll)
                lines = [encode_read_line(record) for record in records]
            except (FormatError, CannotCarryError) as refusal:
                reason = str(refusal)
        if reason:
            tell(entry.line, reason)
            tally.left_out[_without_place(reason)] += 1
            continue
        tally.written += 1
        yield from lines


def _without_place(reason: str) -> str:
    """Return a reason as it is counted: `$.messages[3].tool_calls[0].id: is empty` is "`.id` is empty"."""
    path, _, what = reason.partition(": ")
    field = re.search(r"\.\w+\Z", path)
    return f"`{field[0]}` {what}" if field and what else what or reason


@cache
def _has_result_names(format_name: str) -> bool:
    """Whether tool messages have names in the format."""
    for example in (_WAITED, _WAITED_AGAIN):
        with suppress(CannotCarryError):
            messages = FORMATS[format_name].carries(example).messages
            if any(isinstance(message, ToolMessage) and message.name for message in messages):
                return True
    return False


_WAITED = Conversation(
    messages=(
        UserMessage("Wait."),
        AssistantMessage(tool_calls=(ToolCall("aaaaaaaa1", "wait", {}),)),
        ToolMessage("aaaaaaaa1", "{}", "wait"),
        AssistantMessage("Done."),
    ),
    tools=(Tool(name="wait"), Tool(name="stop")),
)
_WAITED_AGAIN = Conversation(  # for formats whose records end with the last calls
    messages=(
        *_WAITED.messages,
        UserMessage("Again."),
        AssistantMessage(tool_calls=(ToolCall("aaaaaaaa2", "wait", {}),)),
    ),
    tools=_WAITED.tools,
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


def _with_fitting_ids(conversation: Conversation, to: Format) -> Conversation:
    """Return the conversation with ids that the target accepts: as it is, or with all calls numbered."""
    pattern = to.policy.id_pattern
    ids = [c.id for m in conversation.messages if isinstance(m, AssistantMessage) for c in m.tool_calls]
    if pattern is None or all(map(re.compile(pattern).fullmatch, ids)):
        return conversation
    new = {call_id: placeholder_id(number) for number, call_id in enumerate(ids, 1)}
    messages = []
    for message in conversation.messages:
        if isinstance(message, AssistantMessage):
            calls = [msgspec.structs.replace(call, id=new[call.id]) for call in message.tool_calls]
            message = msgspec.structs.replace(message, tool_calls=tuple(calls))
        elif isinstance(message, ToolMessage):
            message = msgspec.structs.replace(message, tool_call_id=new.get(message.tool_call_id, message.tool_call_id))
        messages.append(message)
    return msgspec.structs.replace(conversation, messages=tuple(messages))
