"""What a model says and calls in one turn, the server-sent events that tell it, and all the ways to cut, frame and end them."""

import json
import re
from collections.abc import Callable, Iterable, Iterator
from itertools import pairwise, zip_longest
from typing import Any, NamedTuple

import msgspec

from generator.formats.wire.format import ExpectedCall


class TurnCall(msgspec.Struct, frozen=True):
    """A call with its identifier."""

    id: str
    name: str
    arguments: dict[str, Any]


class Turn(msgspec.Struct, frozen=True):
    """One answer of a model."""

    content: str | None
    calls: tuple[TurnCall, ...]
    input_tokens: int = 61
    output_tokens: int = 17

    @property
    def expected(self) -> tuple[ExpectedCall, ...]:
        """The calls as a client must tell them."""
        return tuple([ExpectedCall(call.name, call.arguments) for call in self.calls])

    @property
    def usage(self) -> dict[str, int]:
        """Tokens, by the names that answers of clients have for them."""
        return {"input_tokens": self.input_tokens, "output_tokens": self.output_tokens}


class Event(NamedTuple):
    """One event: its name, empty where a provider gives none, and its data, JSON or a bare text such as `[DONE]`."""

    name: str
    data: Any

    def changed(self, **keys: Any) -> "Event":
        """Return the event with other values of these keys of its data."""
        return Event(self.name, {**self.data, **keys})


class Pieces(NamedTuple):
    """How texts and the JSON of arguments are cut into deltas."""

    cut: Callable[[str], list[str]]
    write: Callable[[Any], str]
    """Writes arguments as JSON."""


Change = Callable[[list[Event]], list[Event]]
"""Makes other events that mean the same, or do not (which, `hazards.yaml` says)."""


def with_keys(**keys: Any) -> Change:
    """Return a change that adds keys to the data of all events but bare texts."""
    return lambda events: [event.changed(**keys) if isinstance(event.data, dict) else event for event in events]


def inserted(at: int, *more: Event) -> Change:
    """Return a change that puts events at a place."""
    return lambda events: [*events[:at], *more, *events[at:]]


def each_followed(more: Callable[[Event], Iterable[Event]]) -> Change:
    """Return a change that puts events behind each event."""
    return lambda events: [one for event in events for one in (event, *more(event))]


def interleaved(number_of: Callable[[Event], int | None], last: int = 0) -> Change:
    """Return a change that tells items (calls, blocks) at once: the last so many of them, 0: all."""

    def change(events: list[Event]) -> list[Event]:
        """Return the events with those of the last items by turns: the first of each, the second of each, and so on."""
        numbers = list(map(number_of, events))
        chosen = sorted({number for number in numbers if number is not None})[-last:]
        items = [[event for event, at in zip(events, numbers, strict=True) if at == number] for number in chosen]
        mixed = [event for row in zip_longest(*items) for event in row if event is not None]
        first = numbers.index(chosen[0])
        return [*events[:first], *mixed, *events[first + len(mixed) :]]

    return change


class Provider(msgspec.Struct, frozen=True):
    """An API that streams answers."""

    name: str
    about: str
    events: Callable[[Turn, Pieces], list[Event]]
    finish: Callable[[Turn], str]
    """The reason why the turn ended, in the provider's words."""
    error: Event
    """What is sent when something fails midway."""
    changes: dict[str, Change]
    """By hazard."""
    newline: str = "\n"


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
    """Whether the names of events are given, where there are any."""
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
    """Return the bytes of a stream of server-sent events; `how` says how they are framed, `newline` what the provider ends lines with."""
    text = how.before + "".join([how.between + _event(event, how) for event in events])
    if not how.last_blank:
        text = text[:-1]
    return text.replace("\n", how.newline or newline).encode()


def _event(event: Event, framing: Framing) -> str:
    """Return the lines of an event."""
    name = (event.name if framing.names else "") or framing.named
    name_line = f"event:{framing.space}{name}\n" if name else ""
    data = "".join([f"data:{framing.space}{line}\n" for line in _json(event.data, framing).split("\n")])
    first, second = (data, name_line) if framing.data_first else (name_line, data)
    return f"{first}{framing.fields}{second}\n"


def _json(data: Any, how: Framing) -> str:
    """Return the data of an event as text."""
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


_NOTE = {"title": 'Grüße 😀 "x"', "text": "a\\b\nc\td", "pinned": True}
LONG = "lorem ipsum dolor sit amet, " * 72
"""A text of two thousand letters."""


def call(place: int, name: str, arguments: dict[str, Any]) -> TurnCall:
    """Return a call with an identifier that depends on its place alone."""
    return TurnCall(f"call_{place:04d}k3vQ8wZx", name, arguments)


def _turn(content: str | None, *calls: tuple[str, dict[str, Any]]) -> Turn:
    return Turn(content, tuple([call(place, name, arguments) for place, (name, arguments) in enumerate(calls)]))


_NOTED, _FORCED = ("save_note", _NOTE), ("refresh", {"force": True, "area": "ö"})
BASE = _turn("One moment — 😀.", _NOTED, _FORCED)
"""The answer in which all hazards stand that are not about what is said."""

SHAPES: dict[str, Turn] = {
    "text_alone": _turn("Nothing to do."),
    "call_alone": _turn(None, _NOTED),
    "calls_alone": _turn(None, _NOTED, _FORCED),
    "nothing_said": _turn(None),
    "no_arguments": _turn("Now.", ("ping", {})),
    "no_arguments_first": _turn(None, ("ping", {}), _FORCED),
    "same_call_twice": _turn(None, _FORCED, _FORCED),
    "many_calls": _turn(None, *[("refresh", {"area": str(number)}) for number in range(16)]),
    "text_reads_as_event": _turn('\n\ndata: {"choices": []}\n\nevent: error\ndata: x\n\n', _FORCED),
    "text_reads_as_end": _turn("[DONE]", _FORCED),
    "separators_in_text": _turn("a\u2028b\u2029c\u0085d", ("save_note", {"text": "e\u2028f\u2029g\u0085h"})),
    "text_of_many_planes": _turn("aß日😀", ("save_note", {"text": "aß日😀"})),
    "text_ends_in_line_break": _turn("\n a \n\n", _FORCED),
    "text_long": _turn(LONG, ("save_note", {"text": LONG})),
    "list_of_objects": _turn(
        None, ("run_query", {"filter": {"all": [{"a": "}"}, {"a": '],[{"'}, {"a": {"b": [1]}}, {}]}})
    ),
}
"""Answers, by hazard."""


# -------------------------------------------------------------------------------------------------------- pieces


def compact(value: Any) -> str:
    """Return arguments as most models write them."""
    return json.dumps(value, ensure_ascii=False)


def escaped(value: Any) -> str:
    """Return arguments with escapes for all letters outside of ASCII."""
    return json.dumps(value)


def in_fives(text: str) -> list[str]:
    """Return pieces of five characters; of a long text, a quarter each."""
    size = max(5, len(text) // 4)
    return [text[at : at + size] for at in range(0, len(text), size)]


def behind(pattern: str) -> Callable[[str], list[str]]:
    """Return a function that cuts behind each match."""

    def cut(text: str) -> list[str]:
        ends = [match.end() for match in re.finditer(pattern, text)]
        return [text[start:end] for start, end in pairwise([0, *ends, len(text)]) if start < end]

    return cut


USUAL = Pieces(in_fives, compact)
CUTS: dict[str, Pieces] = {
    "one_piece": Pieces(lambda text: [text] if text else [], compact),
    "every_character": Pieces(list, compact),
    "empty_pieces": Pieces(lambda text: [piece for part in in_fives(text) for piece in (part, "")], compact),
    "inside_escapes": Pieces(behind(r"\\(?:u..)?"), escaped),
    "between_surrogates": Pieces(behind(r"\\ud[89ab]..(?=\\u)"), escaped),
    "line_breaks_in_arguments": Pieces(in_fives, lambda value: json.dumps(value, ensure_ascii=False, indent=2)),
}
"""Ways to cut, by hazard."""


# ------------------------------------------------------------------------------------------------------- endings


def middle_of_last_call(events: list[Event], turn: Turn) -> int:
    """Return how many events there are up to the middle of the last call, or of the text where there is no call."""
    begins = [bool(turn.calls) and turn.calls[-1].id in json.dumps(event.data) for event in events]
    start = begins.index(True) if True in begins else 0
    return start + max(1, (len(events) - start) // 3)


def _before_finish(events: list[Event], provider: Provider) -> list[Event]:
    """Return the events before the one that says why the answer ended."""
    plain = {"openai_chat": "finish_reason", "gemini_stream": "finishReason", "anthropic_messages": "stop_reason"}
    mark = f'"{plain.get(provider.name, "a key that is nowhere")}": "'
    ends = [event.name == "response.completed" or mark in json.dumps(event.data) for event in events]
    return events[: ends.index(True, 1)]


ENDINGS = (
    "error_midway", "error_at_once", "ends_midway", "ends_inside_event", "ends_inside_character", "ends_before_finish",
    "connection_lost",
)  # fmt: skip
"""Hazards of streams that end early."""


def end_early(
    name: str, provider: Provider, events: list[Event], turn: Turn, write: Callable[[list[Event]], bytes]
) -> bytes:
    """Return the bytes of a stream that ends as a hazard says."""
    upto = middle_of_last_call(events, turn)
    if name == "error_midway":
        return write([*events[:upto], provider.error])
    if name == "error_at_once":
        return write([provider.error])
    if name == "ends_before_finish":
        return write(_before_finish(events, provider))
    whole = write(events[:upto])
    if name == "ends_inside_event":
        return whole + write(events)[len(whole) :][:40]
    if name == "ends_inside_character":
        return whole[: whole.rindex("😀".encode()) + 2]
    return whole
