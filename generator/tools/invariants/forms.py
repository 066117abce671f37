"""The forms that an invariant of a file can have, each told by its first word."""

from typing import Annotated

import msgspec
from msgspec import Meta

PLACE = r"^[^#\s]+#/.+$"
Place = Annotated[str, Meta(pattern=PLACE)]
"""`tool#/pointer/into/*/its/result`"""
Name = Annotated[str, Meta(min_length=1)]


class Free(msgspec.Struct, frozen=True, kw_only=True):
    """What a tool says is free lies over nothing that is busy: `{free: find_free_slots#/slots/*, busy: event_id, …}`."""

    free: Place
    busy: Name
    """The key of things that take time."""
    on: Name
    """The field with the day, of both; also `start`, a clock time, and `minutes`, a number."""
    start: Name
    minutes: Name


class Agree(msgspec.Struct, frozen=True, kw_only=True):
    """A number agrees with the list that it counts: `{agree: open_tasks, of: project_id, counts: find_tasks#/tasks/*, …}`."""

    agree: Name
    """The field with the number."""
    of: Name
    """The key of the thing that has it."""
    counts: Place
    """The elements of a list that are counted."""
    by: Name
    """The argument that says of which thing the list is: its key, or its name."""
    where: str = ""
    """Which of them count: an expression of their fields."""


class Last(msgspec.Struct, frozen=True, kw_only=True):
    """No element of a thing's list is later than a field of it: `{last: list_file_versions#/versions/*/saved_on, of: file_id, until: modified_on}`."""

    last: Place
    of: Name
    until: Name


class Of(msgspec.Struct, frozen=True, kw_only=True):
    """A relation of the fields of one thing, whichever results tell them: `{of: event_id, that: EXPRESSION}`."""

    of: Name
    that: Name


class Each(msgspec.Struct, frozen=True, kw_only=True):
    """A relation within every object that has a field, and the arguments of its call: `{each: city, that: EXPRESSION}`."""

    each: Name
    that: Name
    tool: str = ""
    """Only in results of this tool."""


class Changed(msgspec.Struct, frozen=True, kw_only=True):
    """Tools that change more than they name: `{changed: device_id, by: [set_room_lights]}` ends what is known of all devices."""

    changed: Name
    by: Annotated[tuple[str, ...], Meta(min_length=1)]
    fields: tuple[str, ...] = ()
    """Only these fields; else all."""


class Gone(msgspec.Struct, frozen=True, kw_only=True):
    """Tools after which no list holds the thing of their result: `{gone: [delete_file]}`."""

    gone: Annotated[tuple[str, ...], Meta(min_length=1)]


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """A field that depends on what was asked: `{asked: distance_m, by: [near]}` is compared only where these arguments are equal."""

    asked: Name
    by: Annotated[tuple[str, ...], Meta(min_length=1)]


FORMS: dict[str, type[msgspec.Struct]] = {
    "free": Free,
    "agree": Agree,
    "last": Last,
    "of": Of,
    "each": Each,
    "changed": Changed,
    "gone": Gone,
    "asked": Asked,
}
"""By the word that tells the form; the first that an entry has counts."""
