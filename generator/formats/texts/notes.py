"""Notes that templates write into a text beside the conversation, such as the day: written from it, and passed over in reading."""

import re
from collections.abc import Sequence
from datetime import date
from functools import cached_property
from typing import Literal

import msgspec

from generator.core.conversation import Conversation, SystemMessage
from generator.formats.text import Scanner

_USUAL_DAY = date(2024, 7, 26)
"""What the templates of Llama say when nobody tells them the day."""
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_DAYS = {"$iso_day": "[0-9]{4}-[0-9]{2}-[0-9]{2}", "$short_day": f"[0-3][0-9] (?:{'|'.join(_MONTHS)}) [0-9]{{4}}"}
"""Slot → what stands there."""
_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)", re.ASCII)


class Note(msgspec.Struct, frozen=True, forbid_unknown_fields=True, dict=True):
    """One piece of such a text."""

    text: str
    """`$iso_day` stands for `2026-03-14`, `$short_day` for `14 Mar 2026`, or the usual day when none is stated."""
    where: Literal["always", "tools", "day"] = "always"
    """Whether it stands there always, or where there are tools, or where the system message states the day."""

    @cached_property
    def pattern(self) -> re.Pattern[str]:
        """What of it is read."""
        pattern = re.escape(self.text)
        for slot, day in _DAYS.items():
            pattern = pattern.replace(re.escape(slot), day)
        return re.compile(pattern)


def notes_text(notes: Sequence[Note], conversation: Conversation) -> str:
    """Return what is written for a conversation."""
    if not notes:
        return ""
    stated = stated_day(conversation)
    day = stated or _USUAL_DAY
    present = {"always": True, "tools": bool(conversation.tools), "day": stated is not None}
    text = "".join([note.text for note in notes if present[note.where]])
    short = f"{day.day:02} {_MONTHS[day.month - 1]} {day.year}"
    return text.replace("$iso_day", day.isoformat()).replace("$short_day", short)


def read_notes(notes: Sequence[Note], scanner: Scanner) -> None:
    """Go past the notes; raises FormatError where they do not stand."""
    for note in notes:
        if scanner.match(note.pattern) is None and note.where == "always":
            if "$" in note.text:
                text = note.text.replace("$short_day", "26 Jul 2024")
                raise scanner.fault(f"{text!r}, with any day, is expected here")
            scanner.take(note.text)


def stated_day(conversation: Conversation) -> date | None:
    """Return the day that the system message states as `YYYY-MM-DD`, for templates that state it, too."""
    first = conversation.messages[0] if conversation.messages else None
    match = _DAY.search(first.content) if isinstance(first, SystemMessage) else None
    try:
        return date.fromisoformat(match.group()) if match else None
    except ValueError:
        return None
