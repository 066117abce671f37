"""Write events as the bytes of a `text/event-stream`, in all the ways that its grammar admits."""

import json
import re
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.corpus.clients.turn import Event


class Framing(msgspec.Struct, frozen=True):
    """A way to write events."""

    newline: str = ""
    """Empty: the provider's own."""
    space: str = " "
    """Behind the colon of a field."""
    before: str = ""
    """What the stream begins with."""
    between: str = ""
    """Lines before each event, which say nothing."""
    fields: str = ""
    """Lines of each event beside its name and data."""
    names: bool = True
    """Whether the names of events are told, where there are any."""
    named: str = ""
    """The name of events that have none."""
    data_first: bool = False
    indent: int | None = None
    """Of the JSON: then the data are several lines."""
    ascii: bool = False
    last_blank: bool = True
    """Whether a blank line ends the last event."""


FRAMINGS: dict[str, Framing] = {
    "carriage_returns": Framing(newline="\r\n"),
    "bare_carriage_returns": Framing(newline="\r"),
    "line_feeds": Framing(newline="\n"),
    "no_space_after_colon": Framing(space=""),
    "comment_lines": Framing(between=": keep-alive\n\n"),
    "comment_first": Framing(before=": PROCESSING\n\n"),
    "comment_inside_event": Framing(fields=": ping\n"),
    "empty_comment": Framing(between=":\n\n"),
    "identifiers_of_events": Framing(fields="id: 7\nretry: 3000\n"),
    "unknown_field": Framing(fields="trace: 00-4bf9\n"),
    "field_without_colon": Framing(fields="trace\n"),
    "extra_blank_lines": Framing(between="\n\n"),
    "several_data_lines": Framing(indent=1),
    "byte_order_mark": Framing(before="\ufeff"),
    "escaped_letters": Framing(ascii=True),
    "name_after_data": Framing(data_first=True),
    "no_event_names": Framing(names=False),
    "message_event_names": Framing(named="message"),
    "no_final_blank_line": Framing(last_blank=False),
}
"""Ways to frame the same events, by hazard."""


def frame(events: list[Event], how: Framing, newline: str = "\n") -> bytes:
    """Return the bytes of a stream; `newline` is what the provider ends lines with."""
    text = how.before + "".join([how.between + _event(event, how) for event in events])
    if not how.last_blank:
        text = text[:-1]
    return text.replace("\n", how.newline or newline).encode()


def _event(event: Event, how: Framing) -> str:
    name = (event.name if how.names else "") or how.named
    named = f"event:{how.space}{name}\n" if name else ""
    data = "".join([f"data:{how.space}{line}\n" for line in _json(event.data, how).split("\n")])
    first, second = (data, named) if how.data_first else (named, data)
    return f"{first}{how.fields}{second}\n"


def _json(data: Any, how: Framing) -> str:
    if isinstance(data, str):
        return data
    separators = (",", ":") if how.indent is None else None
    return json.dumps(data, ensure_ascii=how.ascii, indent=how.indent, separators=separators)


_CUTS = re.compile(rb"data:|event:|\r\n|\n\n|\\u?|[\xc0-\xff]")


def cuts_in_structure(data: bytes) -> list[int]:
    """Return places inside fields, line ends, escapes and characters, in order."""
    return sorted({match.start() + 1 for match in _CUTS.finditer(data)})


def cuts_of_lines(data: bytes) -> list[int]:
    """Return the places behind lines."""
    return [match.end() for match in re.finditer(rb"\r\n|\r|\n", data)][:-1]


def cuts_of_events(data: bytes) -> Iterator[int]:
    """Yield the places behind events and comments."""
    for match in re.finditer(rb"(?:\r\n){2,}|\n{2,}|\r{2,}(?!\n)", data):
        if match.end() < len(data):
            yield match.end()
