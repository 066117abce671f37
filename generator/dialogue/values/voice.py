"""What values are said and read with: how one speaker talks, what a reader knows, and the record of a way to say values."""

from collections.abc import Callable
from datetime import date
from typing import Any, Literal, TypeVar

import msgspec

from generator.core.planning import USUAL, Persona
from generator.core.seeds import Draw
from generator.dialogue.styles import ANY, Style

T = TypeVar("T")
DateStyle = Literal["day_first", "month_first", "iso"]
Clock = Literal[12, 24]


class Voice(msgspec.Struct, frozen=True):
    """One speaker's habits."""

    today: date
    knows_today: bool = False
    """Whether the conversation states today's date: relative dates and dates without a year are
    said only then."""
    date_style: DateStyle = "day_first"
    clock: Clock = 12
    small_numbers_as_words: bool = False
    thousands_comma: bool = False
    straight_quotes: bool = True
    relative: bool = False
    """Prefers "tomorrow" and "Friday" to "14 March"."""
    ordinal_days: bool = False
    """"March 14th" instead of "March 14"."""
    short_months: bool = False
    """"14 Mar" instead of "14 March"."""
    tight_meridiem: bool = False
    """"3pm" instead of "3 pm"."""
    otherwise: float = 0.0
    """The share of values with other words that are said in them ("15%" for 0.15)."""
    greets: float = USUAL.greets
    thanks: float = USUAL.thanks
    heard: dict[tuple[type, Any], str] = msgspec.field(default_factory=dict)
    """Choices by type and value, as the user has called them last: the assistant calls them so, too."""


def draw_voice(draw: Draw, today: date, knows_today: bool, otherwise: float = 0.75) -> Voice:
    """Return a speaker with random habits, each about as frequent as it is among people.

    With `otherwise` 0 the speaker says days and times as tools write them.
    """
    rand = draw.rand
    style = rand()
    date_style: DateStyle = "day_first" if style < 0.45 else "month_first" if style < 0.95 else "iso"
    return (
        Voice(
            today,
            knows_today,
            date_style,
            12 if rand() < _TWELVE_HOURS[date_style] else 24,
            rand() < 0.35,  # small_numbers_as_words
            rand() < 0.5,  # thousands_comma
            rand() < 0.85,  # straight_quotes
            rand() < 0.6,  # relative
            rand() < 0.2,  # ordinal_days
            rand() < 0.12,  # short_months
            rand() < 0.35,  # tight_meridiem
            otherwise,
        )
        if otherwise
        else Voice(today, knows_today, "iso", 24)
    )


_TWELVE_HOURS: dict[DateStyle, float] = {"day_first": 0.6, "month_first": 0.93, "iso": 0.25}


def with_manners(voice: Voice, persona: Persona) -> Voice:
    """Return the voice of a persona: it greets and thanks as often as they do."""
    return voice if persona is USUAL else msgspec.structs.replace(voice, greets=persona.greets, thanks=persona.thanks)


def assistant_voice(voice: Voice, style: Style = ANY) -> Voice:
    """Return the assistant's voice in a conversation with this user: plain digits and full dates, in the user's order if no style says another."""
    return Voice(
        today=voice.today,
        knows_today=voice.knows_today,
        date_style=_STYLES[style.date]
        if style.date
        else "day_first"
        if voice.date_style == "iso"
        else voice.date_style,
        clock=style.clock or voice.clock,
        thousands_comma=True,
    )


_STYLES: dict[str, DateStyle] = {"day month": "day_first", "month day": "month_first", "iso": "iso"}


class SpanContext(msgspec.Struct, frozen=True):
    """The circumstances of a span of text."""

    today: date | None = None
    """Today's date, when the conversation states it."""
    schema: dict[str, Any] = {}
    """JSON schema of the leaf whose value the text says."""
    synonyms: tuple[tuple[Any, tuple[str, ...]], ...] = ()
    """(value, spoken forms) pairs of the slot, from the tool spec."""


def expected(found: T | None, text: str, what: str) -> T:
    """Return what was found of a text; raises ValueError where that is nothing."""
    if found is None:
        raise ValueError(f"{text!r} {what}")
    return found


def refuse_if(is_wrong: object, text: str, what: str) -> None:
    """Raise ValueError for a text that is not as it should be."""
    if is_wrong:
        raise ValueError(f"{text!r} {what}")


def may_be_fraction(reading: SpanContext) -> bool:
    """Whether the leaf takes numbers that are not whole."""
    types = reading.schema.get("type", "number")
    return types == "number" or (types != "integer" and "number" in types)


class Verbalizer(msgspec.Struct, frozen=True):
    """A way to say a value, and to read it back."""

    name: str
    say: Callable[[Any, Voice], str | None]
    """Returns the value in words; None when this value cannot be said this way."""
    read: Callable[[str, SpanContext], Any]
    """Turns the whole of a text into the value it says; raises ValueError when it says none, or more than one."""
