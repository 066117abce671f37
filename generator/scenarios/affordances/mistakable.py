"""Arguments for which a value can be given that a tool refuses."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from generator.core.pointers import escape
from generator.core.toolbox import ToolSpec, name_as_words

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

_MOST_OPTIONS = 9
"""The most choices that an assistant lists."""


ToolSlot = tuple[str, str]
"""A tool and one of its arguments."""


def find_limited(toolkit: "Toolkit") -> tuple[ToolSlot, ...]:
    """Return arguments whose limits people may exceed, and for which a question can be asked."""
    found = [(name, slot) for name in toolkit.starters for slot in _slots(toolkit.toolbox[name])]
    return tuple([place for place in found if any(True for _ in bad_values(toolkit, *place))])


def _slots(spec: ToolSpec) -> Iterator[str]:
    """Yield numbers with two bounds and enums for which the phrases have a question; without phrases, all of them."""
    for name, schema in spec.properties.items():
        if escape(name) != name or not isinstance(schema, dict):
            continue
        if "enum" in schema:
            texts = all(isinstance(value, str) for value in schema["enum"])
            if (
                schema.get("type") == "string"
                and name not in spec.required  # who wants one thing seldom takes another in its place
                and texts
                and 2 <= len(schema["enum"]) <= _MOST_OPTIONS
                and _has_frame(spec, name)
            ):
                yield name
        elif (
            schema.get("type") in ("integer", "number")
            and {"minimum", "maximum"} <= schema.keys()
            and _is_asked_for(spec, name)
        ):
            yield name


def _is_asked_for(spec: ToolSpec, slot: str) -> bool:
    """Whether people would be asked for this number: it is no year, and no other argument limits it."""
    if not (spec.phrases.request or spec.phrases.question or spec.phrases.want):
        return True
    if "year" in name_as_words(slot) or any(slot in (relation.left, relation.right) for relation in spec.relations):
        return False
    return slot in spec.phrases.ask or slot in spec.required


def _has_frame(spec: ToolSpec, slot: str) -> bool:
    """Whether any value of it can be said, not only those that have clauses of their own."""
    frames = spec.phrases.slots.get(slot)
    return frames is None or bool(frames.frames) or not frames.clauses


def bad_values(toolkit: "Toolkit", tool: str, slot: str) -> Iterator[Any]:
    """Yield values that people could give for an argument but that its schema does not allow."""
    schema = toolkit.toolbox[tool].properties[slot]
    if "enum" not in schema:
        yield from _beyond(schema["minimum"], schema["maximum"], schema.get("multipleOf", 1))
        return
    own = set(schema["enum"])
    spoken = {form.casefold() for _, forms in toolkit.toolbox[tool].phrases.synonyms.get(slot, ()) for form in forms}
    spoken |= {name_as_words(value) for value in own}
    for name, other in toolkit.toolbox.items():
        values = (other.properties.get(slot) or {}).get("enum", ()) if name != tool else ()
        if not own.isdisjoint([value for value in values if isinstance(value, str)]):
            others = [value for value in values if isinstance(value, str) and value not in own]
            yield from [value.replace("_", " ") for value in others if name_as_words(value) not in spoken]


def _beyond(low: float, high: float, step: float) -> Iterator[float]:
    """Yield round numbers outside the bounds, not far from them."""
    one_more = (high + step, low - step) if high - low <= _FEW * step else ()
    for value in (*one_more, 1.25 * high, 1.5 * high, low / 2):
        near = _round(round(value / step) * step)
        if near > 1 and not low <= near <= high:
            yield near


_FEW = 30
"""The most steps between bounds which people may miss by one step."""


def _round(value: float) -> float:
    """Return the number with two significant digits, as an integer if possible."""
    near = float(f"{value:.2g}")
    return int(near) if near.is_integer() else near
