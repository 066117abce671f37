"""How one speaker talks: habits that make all values of a row sound like the same person."""

from datetime import date
from typing import Any, Literal

import msgspec

from generator.core.planning import USUAL, Persona
from generator.core.seeds import Draw
from generator.dialogue.styles import ANY, Style

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
    if persona is USUAL:
        return voice
    return msgspec.structs.replace(voice, greets=persona.greets, thanks=persona.thanks)


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
