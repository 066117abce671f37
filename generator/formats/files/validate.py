"""A file of records against the rules: line by line in constant memory, all faults of all lines."""

import re
from collections import Counter
from collections.abc import Container, Iterator, Mapping
from pathlib import Path
from typing import Any

import msgspec

from generator.core.conversation import Conversation, FileSequence, Tool, Violation
from generator.core.errors import FormatError
from generator.core.profiles import Profile, arguments_excess, check_result, tools_excess
from generator.formats import FORMATS, Format
from generator.formats.files.records import records_of
from generator.formats.openai_messages import parse_or_text
from generator.formats.rules import check_record
from generator.formats.run_folder.manifest import is_unrolled

PROFILE_CODES = {
    "LM101": "The tools keep the limits of the profile (`validate --profile`).",
    "LM102": "The arguments of a call keep the limits of the profile.",
    "LM103": "The result of a call keeps the limits of the profile.",
}


def limits_exceeded(record: Any, profile: Profile) -> Iterator[Violation]:
    """Yield the limits that a record in the DeepFabric shape exceeds; other shapes are left to the rules."""
    if not isinstance(record, dict):
        return
    tools = _tools(record)
    for index, excess in tools_excess([tool for _, tool in tools], profile):
        index_in_record = tools[index][0]
        yield Violation("LM101", f"$.tools[{index_in_record}].{excess.field}", f"{excess.error}: {excess.message}")
    messages = record.get("messages")
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict):
            yield from _check_message(message, f"$.messages[{index}]", profile)


def _tools(record: dict[str, Any]) -> list[tuple[int, Tool]]:
    """Return the tools that a record declares, each with its place in the list."""
    listed = record.get("tools")
    tools = []
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        function = entry.get("function") if isinstance(entry, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            description, parameters = function.get("description"), function.get("parameters")
            tool = Tool(
                name=function["name"],
                description=description if isinstance(description, str) else None,
                parameters=parameters if isinstance(parameters, dict) else None,
            )
            tools.append((index, tool))
    return tools


def _check_message(message: dict[str, Any], path: str, profile: Profile) -> Iterator[Violation]:
    """Yield the limits that the calls or the result of one message exceed."""
    calls = message.get("tool_calls")
    for index, call in enumerate(calls if isinstance(calls, list) else ()):
        function = call.get("function") if isinstance(call, dict) else None
        arguments = parse_or_text(function.get("arguments")) if isinstance(function, dict) else None
        for excess in arguments_excess(arguments, profile) if isinstance(arguments, dict) else ():
            yield Violation("LM102", f"{path}.tool_calls[{index}].{excess.field}", f"{excess.error}: {excess.message}")
    content = message.get("content")
    if message.get("role") == "tool" and isinstance(content, str):
        for excess in check_result(content, profile):
            yield Violation("LM103", f"{path}.content", f"{excess.error}: {excess.message}")


# -------------------------------------------------------------------------------------------------------------- files

LINE_CODE = "DF100"
LINE_STATEMENT = "A line is one JSON value in UTF-8, of at most 64 MB; no object has a key twice; no line is blank."
OF_TOOLS = ("functions", "tool_defs", "available_tools")
"""Keys that are meant to be `tools`."""
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
    told: Counter[str] = msgspec.field(default_factory=Counter)
    """Rows of which something should be known, though no rule is broken."""
    mended: Counter[str] = msgspec.field(default_factory=Counter)
    """What had to be undone to read the file (see `records.UNFOLDED`)."""


def violations_in_file(
    path: Path,
    format_name: str = "deepfabric",
    tally: FileTally | None = None,
    profile: Profile | None = None,
    *,
    unrolled: bool = False,
    read: Mapping[int, list[Violation]] = {},
) -> Iterator[LineFault]:
    """Yield every violation in a file (see `records_of`), record by record, and keep count in `tally`.

    Paths are those of the record; where the format is text (openchatml), of the conversation that was read from it.

    Args:
        path: The file.
        format_name: How it is encoded.
        tally: What is counted.
        profile: Limits that hold, too.
        unrolled: Whether a record may end with calls, as those of a run with `records: unrolled` do.
        read: What else is wrong, by line.

    Raises:
        OutputError: when the file cannot be read.
        FormatError: when there is no format of that name.
    """
    if format_name not in FORMATS:
        raise FormatError(f"there is no format {format_name!r} (known: {', '.join(FORMATS)})")
    tally = FileTally() if tally is None else tally
    fmt, unrolled = FORMATS[format_name], unrolled or is_unrolled(path)
    for entry in records_of(path, mended=tally.mended):
        if entry.fault:
            violations = [Violation(LINE_CODE, "$", entry.fault.removeprefix("$: "))]
        else:
            violations = [
                *check_raw(entry.record, fmt, profile, unrolled=unrolled, remarks=tally.told),
                *read.get(entry.line, ()),
            ]
        if tally.mended["over_lines"] and not tally.rows:
            violations = [
                Violation(LINE_CODE, "$", "stands over several lines, so this file is not JSON Lines"),
                *violations,
            ]
        tally.rows += entry.lines
        tally.faulty += entry.lines * bool(violations)
        for violation in violations:
            tally.rules[violation.rule] += 1
            yield LineFault(entry.line, violation)


def check_raw(
    record: Any,
    fmt: Format,
    profile: Profile | None = None,
    *,
    unrolled: bool = False,
    remarks: Counter[str] | None = None,
) -> list[Violation]:
    """Return all violations of one raw record: of its encoding, of the profile's limits, of the rules that hold in its format."""
    unrolled = unrolled or fmt.policy.records != "whole"
    plain, faults = fmt.read(record)
    if isinstance(plain, FileSequence):
        return faults
    if remarks is not None:
        remarks.update(_remarks(plain, may_be_prompt="DF506" in fmt.waives))
    if profile is not None:
        faults = [*faults, *limits_exceeded(plain, profile)]
    if plain is None and faults:
        return faults
    if isinstance(plain, dict) and not plain.get("tools"):  # under another name nobody reads them
        faults = [
            *faults,
            *(Violation("DF101", f"$.{key}", "stands in place of `tools`") for key in OF_TOOLS if plain.get(key)),
        ]
    violations = check_record(plain, fmt.waives)
    return [*faults] + [
        violation
        for violation in violations
        if not (unrolled and _ends_with_calls(violation, plain)) and not _is_wrong_on_purpose(violation, plain)
    ]


def has_faults(conversation: Conversation, waived: Container[str]) -> bool:
    """Whether a conversation breaks a rule that is not waived, or ends with calls."""
    plain = FORMATS["deepfabric"].render(conversation)
    return bool(check_record(plain, waived))


def _remarks(plain: Any, *, may_be_prompt: bool) -> Iterator[str]:
    """Yield what should be known of a row: what a model learns of it in vain."""
    messages = plain.get("messages") if isinstance(plain, dict) else None
    objects = [message for message in messages if isinstance(message, dict)] if isinstance(messages, list) else []
    learnt = [
        message for message in objects if message.get("role") == "assistant" and message.get("train") is not False
    ]
    if objects and (objects[-1] is not learnt[-1] if learnt else not may_be_prompt):
        yield "its end is not learnt (convert --trim cuts it)"
    if any(not message.get("tool_calls") and not str(message.get("content") or "").strip() for message in learnt):
        yield "an empty answer is learnt (convert --trim marks it)"


def _is_wrong_on_purpose(violation: Violation, plain: Any) -> bool:
    """Whether wrong arguments stand in a message that is not to be learnt: such a call was refused."""
    match = _CALLS.match(violation.path) if violation.rule == _WRONG else None
    messages = plain.get("messages") if isinstance(plain, dict) else None
    if match is None or not isinstance(messages, list):
        return False
    message = messages[int(match[1])] if int(match[1]) < len(messages) else None
    return isinstance(message, dict) and message.get("train") is False


def _ends_with_calls(violation: Violation, plain: Any) -> bool:
    """Whether all that is wrong is that a call in the last message has no result."""
    messages = plain.get("messages") if isinstance(plain, dict) else None
    last = len(messages) - 1 if isinstance(messages, list) else -1
    return violation.rule == _UNANSWERED and violation.path.startswith(f"$.messages[{last}].")
