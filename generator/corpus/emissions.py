"""What a stream may and must have sent by each byte of a case, and what a text means that ends early."""

from typing import Any

from generator.corpus.case import Emissions
from generator.corpus.chunks import size_of
from generator.formats.wire.encodings import read_json_at
from generator.formats.wire.format import ExpectedCall, WireFormat
from generator.formats.wire.writing import Completion

Calls = tuple[ExpectedCall, ...]


def emissions_of(written: Completion) -> Emissions:
    """Return where the parts of a completion stand, in bytes."""
    text = written.text

    def in_bytes(span: tuple[int, int]) -> tuple[int, int]:
        if text.isascii():
            return span
        start = size_of(text[: span[0]])
        return start, start + size_of(text[span[0] : span[1]])

    return Emissions(
        in_bytes(written.content),
        tuple([in_bytes(name) for name, _ in written.calls]),
        tuple([in_bytes(call) for _, call in written.calls]),
        in_bytes(written.thoughts) if written.thoughts[1] else None,
    )


def readings_of_prefix(
    fmt: WireFormat, calls: Calls, text: bytes, emissions: Emissions, size: int
) -> tuple[Calls, ...]:
    """Return what may be read from the first bytes of a valid text, calls with unfinished arguments apart.

    Nothing, or the calls that are whole there; and the one that is cut off with all its arguments if only markers are
    missing, or, where each argument is an element, with those that are closed.

    Args:
        fmt: The wire format.
        calls: The calls of the whole text.
        text: All of its bytes.
        emissions: Where its parts stand.
        size: How many bytes are left.
    """
    whole = sum(end <= size for _, end in emissions.calls)
    found = [(), calls[:whole]]
    if whole < len(calls) and size >= emissions.names[whole][1]:
        start, end = emissions.calls[whole]
        kind, last = fmt.call_pieces[-1]
        if size >= end - (len(last.encode()) if kind == "text" else 0) or _has_arguments(
            fmt, text[emissions.names[whole][1] : size]
        ):
            found.append(calls[: whole + 1])
        elif fmt.argument:
            some = _closed(fmt, text[start:size].decode("utf-8", "ignore"), calls[whole].arguments)
            found.append((*calls[:whole], ExpectedCall(calls[whole].name, some)))
    return tuple([calls for place, calls in enumerate(found) if calls not in found[:place]])


def _closed(fmt: WireFormat, text: str, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the arguments whose elements are closed in the beginning of a call."""
    closing, at = fmt.argument.partition("$value")[2].strip(), 0
    found: dict[str, Any] = {}
    for key, value in arguments.items():
        marker = closing.replace("$key", key)
        at = text.find(marker, at) + len(marker)
        if at < len(marker):
            break
        found[key] = value
    return found


def _has_arguments(fmt: WireFormat, behind_name: bytes) -> bool:
    """Whether arguments that are JSON are whole in what stands behind the name of a call."""
    if fmt.arguments != "json":
        return False
    if "$object" in fmt.call and next(iter(fmt.object.values())) == "$arguments":
        return True
    text = behind_name.decode("utf-8", "ignore")
    try:
        read_json_at(text, text.index("{"))
    except ValueError:
        return False
    return True
