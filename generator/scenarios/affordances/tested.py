"""Fields of results on which people make a further request depend."""

from typing import TYPE_CHECKING, Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.scenarios.affordances.names import words_that_tell

if TYPE_CHECKING:
    from generator.scenarios.affordances.toolkit import Toolkit

_UNITS = words_that_tell("units")
"""Last words of field names that nobody would speak of."""


_ACTING = words_that_tell("acting")
"""First words of the names of tools that act on what was found out."""


SHARED = frozenset({"city", "place", "location", "person", "customer", "project", "file", "product"})
"""Arguments of which both tools mean the same one."""


class Tested(msgspec.Struct, frozen=True):
    """A tool that looks something up, a field of its result, and the tests of it that people make."""

    tool: str
    field: str
    tests: tuple[tuple[str, tuple[Any, ...]], ...]
    """(`is`, `over` or `under`, values that it is compared with)."""
    values: tuple[tuple[str, tuple[Any, ...]], ...] = ()
    """(argument of the tool that acts, values one of which it has), where only these go with the test."""


Conditional = tuple[Tested, tuple[str, ...]]
"""What is tested, and the tools one of which is called if it is so."""


def _tests(schema: dict[str, Any]) -> tuple[tuple[str, tuple[Any, ...]], ...]:
    """Return tests that about half of the results pass, or one of n for an enum of n values."""
    if "enum" in schema:
        return (("is", tuple(schema["enum"])),)
    middle = (schema["minimum"] + schema["maximum"]) / 2
    step = 50 if middle >= 200 else 10 if middle >= 40 else 5 if middle >= 15 else 1
    return tuple([(op, (int(middle // step * step),)) for op in ("over", "under")])


def find_conditionals(toolkit: "Toolkit") -> tuple[Conditional, ...]:
    """Return what can be tested, with the tools that act on it: as files of goals say, or else tools of the same subject.

    Where some of the latter are about the same place or person as the look-up, only these.
    """
    return _told(toolkit) or _guessed(toolkit)


def _told(toolkit: "Toolkit") -> tuple[Conditional, ...]:
    """Return the conditions of files of goals whose tools need nothing from another result."""
    found = []
    for condition in toolkit.conditions:
        then = tuple([name for name in condition.then if name in toolkit.partner_sets[condition.tool]])
        if condition.tool in toolkit.starters and then:
            found.append((Tested(condition.tool, condition.field, condition.tests, condition.values), then))
    return tuple(found)


def _guessed(toolkit: "Toolkit") -> tuple[Conditional, ...]:
    """Return fields of results that may be compared, with the tools of the same file that act."""
    found = []
    for name in toolkit.starters:
        near = [other for other in toolkit.neighbours[name] if other not in toolkit.look_ups]
        acting = tuple([other for other in near if name_as_words(other).partition(" ")[0] in _ACTING])
        if name in toolkit.look_ups and acting:
            found += [(Tested(name, field, _tests(schema)), acting) for field, schema in _fields(toolkit, name)]
    alike = [
        (tested, tuple([name for name in acting if _share(toolkit, tested.tool, name)])) for tested, acting in found
    ]
    return tuple([pair for pair in alike if pair[1]]) or tuple(found)


def _share(toolkit: "Toolkit", reader: str, acting: str) -> bool:
    """Whether both tools have to be told the same place or person."""
    first, then = (toolkit.toolbox[name].required for name in (reader, acting))
    return not SHARED.isdisjoint({*first} & {*then})


def _fields(toolkit: "Toolkit", tool: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the fields of a result that people compare: always present, not arguments of the call, and plainly named."""
    spec = toolkit.toolbox[tool]
    returns = spec.returns or {}
    given = spec.properties
    required = returns.get("required", ())
    return [
        (field, schema)
        for field, schema in returns.get("properties", {}).items()
        if isinstance(schema, dict)
        and field not in given
        and field in required
        and _is_named_plainly(field)
        and _is_comparable(schema)
    ]


def _is_named_plainly(field: str) -> bool:
    words = field.split("_")
    return (
        all(word.isascii() and word.isalpha() and word.islower() for word in words)
        and words[-1] not in _UNITS
        and (not field.endswith("s") or field.endswith(("status", "ss")))
    )


def _is_comparable(schema: dict[str, Any]) -> bool:
    if schema.get("type") == "string":
        values = schema.get("enum", ())
        return len(values) > 1 and all(isinstance(value, str) and value.replace("_", "").isalpha() for value in values)
    return (
        schema.get("type") in ("integer", "number")
        and "minimum" in schema
        and schema.get("maximum", 0) > 1 + schema["minimum"]
    )
