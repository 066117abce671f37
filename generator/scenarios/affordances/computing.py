"""Arguments that can be computed from a value of a result: days, and amounts of money."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import msgspec

from generator.core.connectives import measure_in_field
from generator.core.toolbox import ToolSpec, name_as_words
from generator.dialogue.from_results.calculating import CURRENCIES
from generator.scenarios.affordances.names import words_that_tell

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

_AMOUNTS = words_that_tell("amounts")
"""The last words of field names that hold amounts of money."""


_DAYS = words_that_tell("days")
"""The last words of field names that hold dates, which may be in the future."""


_ABOUT_ANYTHING = words_that_tell("about_anything")
"""Words in the names of tools that people use for any subject."""


class Computable(msgspec.Struct, frozen=True):
    """A value of a result from which something can be computed, or an argument that can be computed."""

    tool: str
    slot: str
    kind: str
    """`day`, the currency of an amount, or `amount` where the currency is not known."""
    schema: dict[str, Any]


ComputablePair = tuple[Computable, Computable]


def find_computable(toolkit: "Toolkit") -> tuple[ComputablePair, ...]:
    """Return pairs of a value in a result and an argument that can be computed from it."""
    able = [toolkit.toolbox[name] for name in toolkit.starters]
    sources = [place for spec in able if spec.name in toolkit.look_ups for place in _sources(spec)]
    targets = [place for spec in able if spec.name not in toolkit.look_ups for place in _targets(spec)]
    pairs = [(one, other) for one in sources for other in targets if _fit(toolkit, one, other)]
    return tuple(pairs)


def _fit(toolkit: "Toolkit", source: Computable, target: Computable) -> bool:
    """Whether the argument may be computed from the value: both are dates, or amounts of one currency."""
    if source.kind != target.kind:
        return False
    is_near = toolkit.toolbox[source.tool].domain == toolkit.toolbox[target.tool].domain
    return is_near or not _ABOUT_ANYTHING.isdisjoint(name_as_words(target.tool).split())


def _sources(spec: ToolSpec) -> Iterator[Computable]:
    """Yield dates and amounts that every result has and that are not arguments of the call."""
    given = spec.properties
    is_quote = any(_is_amount(name) for name in given if name in spec.required)
    texts = [answer.say for answer in spec.phrases.answer] + [
        text for texts in spec.phrases.each.values() for text in texts
    ]
    for slot, schema in _fields(spec.returns or {}):
        name = slot.rpartition("/")[2]
        kind = _kind(name, schema, texts)
        is_of_interest = kind == "day" or (kind and not is_quote)  # nobody is sent a part of what a loan would cost
        if is_of_interest and name not in given and all(word.isalpha() and word.isascii() for word in name.split("_")):
            yield Computable(spec.name, slot, kind, schema)


def _targets(spec: ToolSpec) -> Iterator[Computable]:
    """Yield required arguments that are dates or amounts and stand in no order with another argument."""
    ordered = {slot for relation in spec.relations for slot in (relation.left, relation.right)}
    texts = [*spec.phrases.request, *[text for frames in spec.phrases.slots.values() for text in frames.frames]]
    for slot in spec.required:
        kind = _kind(slot, spec.properties.get(slot), texts)
        if kind and slot.isidentifier() and slot not in ordered:
            yield Computable(spec.name, slot, kind, spec.properties[slot])


def _kind(name: str, schema: Any, texts: list[str]) -> str:
    if not isinstance(schema, dict) or "const" in schema or "enum" in schema:
        return ""
    if schema.get("format") == "date":
        return "day" if name_as_words(name).rpartition(" ")[2] in _DAYS else ""
    if schema.get("type") not in ("integer", "number"):
        return ""
    currency = next((form for form in CURRENCIES if any(f"{{{name}:{form}}}" in text for text in texts)), "")
    return (currency or ("" if texts else "amount")) if _is_amount(name) else ""


def _is_amount(name: str) -> bool:
    """Whether a field or argument of this name holds an amount of money."""
    return measure_in_field(name)[0].rpartition(" ")[2].lower() in _AMOUNTS


def _fields(returns: dict[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield required fields of a result, and of the elements of a list in it."""
    for name, schema in returns.get("properties", {}).items():
        if name not in returns.get("required", ()) or not isinstance(schema, dict):
            continue
        items = schema.get("items") if schema.get("type") == "array" else None
        if isinstance(items, dict):
            inside = items.get("properties", {})
            yield from [(f"{name}/*/{field}", inside[field]) for field in items.get("required", ()) if field in inside]
        else:
            yield name, schema
