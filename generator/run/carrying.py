"""Arguments that nobody says: the system message states them, or an earlier request, and they hold for all later calls.

Spec files name these arguments: `say: {site_id: never}` of a required one, and `context: {site_id: same}`.
"""

import json
import re
from collections.abc import Sequence
from typing import Any

import msgspec

from generator.core.planning import Event, Note, Ref, Say, Wish
from generator.core.seeds import Draw
from generator.core.toolbox import Toolbox, ToolSpec

_SENTENCES = ("The {name} is {value}.", "For all calls, the {name} is {value}.", "Use {value} as the {name}.")


def needs_context(toolbox: Toolbox) -> bool:
    """Whether some tool has an argument that only the system message can state."""
    return any(_stated(spec) for spec in toolbox.values())


def carry(say: Say, events: list[Event], toolbox: Toolbox, draw: Draw) -> Say:
    """Return what the user says, with the arguments marked as `known` that need not be said.

    Adds values that nobody has stated yet to the system message, which is the first event.
    """
    if say.to is not None:
        return say
    wishes: list[Wish] = []
    for wish in say.wishes:
        spec = toolbox[wish.tool]
        known = {slot: _state(events, slot, wish.said[slot], draw) for slot in _stated(spec) if slot in wish.said}
        for slot in spec.context:
            place = (
                _said_before(slot, wish, [*events, say], wishes, toolbox)
                if slot in wish.said and slot not in known
                else None
            )
            if place is not None:
                known[slot] = Ref(*place, slot)
        wishes.append(msgspec.structs.replace(wish, known=known) if known else wish)
    return msgspec.structs.replace(say, wishes=tuple(wishes))


def _stated(spec: ToolSpec) -> list[str]:
    """Return the required arguments that people never say."""
    required = spec.required
    return [slot for slot, often in spec.say.items() if often == "never" and slot in required]


def _said_before(
    slot: str, wish: Wish, events: Sequence[Event], wishes: Sequence[Wish], toolbox: Toolbox
) -> tuple[int, int] | None:
    """Return the event and the wish that said this value last; None if another value was said since.

    Requests of one message go by each other only where one of them is about what the other finds.
    """
    for event in reversed(events):
        if type(event) is not Say or (event is events[-1] and not wish.meant):
            continue
        said = wishes if event is events[-1] else event.wishes
        for place, other in reversed(list(enumerate(said))):
            if slot in other.spoken and slot in toolbox[other.tool].context:
                return (event.id, place) if other.said[slot] == wish.said[slot] else None
    return None


def _state(events: list[Event], slot: str, value: Any, draw: Draw) -> Ref:
    """Return the place of a value in the system message, to which it is added if it is not there."""
    note = events[0]
    assert isinstance(note, Note)
    if all(name != slot for name, *_ in note.spans):
        text = value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)
        before, after = draw.choice(_SENTENCES).replace("{name}", _name(slot)).split("{value}")
        start = len(note.text) + bool(note.text) + len(before)
        whole = f"{note.text} {before}{text}{after}".lstrip()
        events[0] = msgspec.structs.replace(
            note, text=whole, spans=(*note.spans, (slot, value, start, start + len(text)))
        )
    return Ref(0, 0, slot)


def _name(slot: str) -> str:
    """Return what an argument is called: `serviceDeskId` is the service desk ID."""
    words = re.sub(r"([a-z0-9])([A-Z])", r"\1 \2", slot).replace("_", " ").split()
    return " ".join([word.upper() if word.lower() in ("id", "url", "uuid") else word.lower() for word in words])
