"""What the letters of an answer settle, so that its words need not say it.

An answer with `when` is told only where its values hold, so that words which do not say them are never wrong. They may
be missing where nobody would say them: the only value that there is, null, what a letter shows, what is computed of what
the letters show, and what holds as long as nothing is asked for ("for good", where no time is given).
"""

from collections.abc import Iterator, Mapping
from typing import Any

from generator.core.pointers import schema_at
from generator.core.toolbox import ToolSpec
from generator.core.values import same
from generator.world.expressions import FAULTS, ReadableNames, Reads, compile_expression
from generator.world.functions import MissingError


class _Shown:
    """A value that the words say by a letter, whatever it is: nothing can be computed of it but that it is there."""

    def __eq__(self, other: object) -> bool:
        raise TypeError


def is_settled(
    spec: ToolSpec, slots: tuple[tuple[str, str], ...], said: Mapping[str, Any], name: str, value: Any
) -> bool:
    """Whether a field of a result can only have this value, as far as the words of an answer say what the call was.

    Args:
        spec: The tool.
        slots: (letter, argument or field) pairs of the answer; `args.NAME` for an argument.
        said: What the words say without a letter, by the last name of its argument or field.
        name: The field.
        value: What it is said to be.
    """
    shown = {slot.removesuffix("#") for _, slot in slots}
    leaf = schema_at(spec.returns, name)
    if value is None or name in shown:
        return True
    if leaf is None:
        return False
    if "x-from" in leaf and f"args.{leaf['x-from']}" not in shown and leaf["x-from"] not in said:
        return _only_value(leaf.get("examples", []), value)
    if "x-compute" in leaf and "/" not in name:
        return _is_computed(spec, leaf, shown, said, value)
    return "x-from" not in leaf and _only_value(leaf.get("enum", [leaf["const"]] if "const" in leaf else []), value)


def read_of(spec: ToolSpec, name: str) -> frozenset[str]:
    """Return the arguments of which a field of a result is made."""
    leaf = schema_at(spec.returns, name) or {}
    return frozenset([*_compiled(spec, leaf)[1].arguments, *([leaf["x-from"]] if "x-from" in leaf else [])])


def _only_value(values: Any, value: Any) -> bool:
    return isinstance(values, list) and bool(values) and all(same(one, value) for one in values)


def _is_computed(spec: ToolSpec, leaf: Mapping[str, Any], shown: set[str], said: Mapping[str, Any], value: Any) -> bool:
    """Whether a formula gives a value with nothing but what the words say and what every call has, or reads only fields that are shown."""
    expression, reads = _compiled(spec, leaf)
    if reads.properties - shown - {"value"}:
        return False
    if reads.properties & shown and not reads.arguments:
        return True
    names = ReadableNames({field: _Shown() for field in (*shown, "value") if not field.startswith("args.")})
    names["args"] = ReadableNames(dict(_arguments(spec, shown, said)))
    try:
        found = expression(names)
    except MissingError:  # as for a call without that argument
        return _only_value(leaf.get("examples", []), value)
    except FAULTS:
        return False
    return not isinstance(found, _Shown) and same(found, value)


def _arguments(spec: ToolSpec, shown: set[str], said: Mapping[str, Any]) -> Iterator[tuple[str, Any]]:
    """Yield the arguments that the call has by what the words say."""
    for name in spec.properties:
        if name in said:
            yield name, said[name]
        elif name in spec.required or any(one.split("/")[0] == f"args.{name}" for one in shown):
            yield name, _Shown()


def _compiled(spec: ToolSpec, leaf: Mapping[str, Any]) -> Any:
    text = leaf.get("x-compute")
    if text is None:
        return None, Reads(frozenset(), frozenset())
    return compile_expression(str(text), spec.declared.tables, spec.declared.entities)
