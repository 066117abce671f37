"""What people make depend on results, as files of goals say, held against the results that the loaded tools have."""

from collections.abc import Iterable
from typing import Any

import msgspec

from generator.core.documents import nearest, shown
from generator.core.errors import RecipeError
from generator.core.pointers import escape, parts_of_object, schemas_at, split, variants
from generator.core.toolbox import Toolbox, ToolSpec
from generator.formats.rules.schemas import UnusableSchema, compiled
from generator.recipe.goals import Condition

_NUMBERS = frozenset({"integer", "number"})
_DEFINITIONS = ("$defs", "definitions")
_ELSEWHERE = frozenset({"x-compute", "x-field", "x-from", "x-maximum", "x-minimum"})
"""Keywords because of which a number may lie outside the bounds of its schema."""


def compile_conditions(conditions: Iterable[Condition], toolbox: Toolbox) -> tuple[Condition, ...]:
    """Return the conditions whose tools are loaded, each with those of the tools to be called then that are.

    Raises:
        RecipeError: for a field that the tool's result does not have, and for a test that the field's values cannot be put to.
    """
    found = []
    for condition in conditions:
        spec, then = toolbox.get(condition.tool), tuple([name for name in condition.then if name in toolbox])
        if spec is None or not then:
            continue
        _check(condition, spec)
        for argument, values in condition.values:
            for name in then:
                _check_values(condition, toolbox[name], argument, values)
        found.append(msgspec.structs.replace(condition, then=then))
    return tuple(found)


def _check(condition: Condition, spec: ToolSpec) -> None:
    field, name = condition.field, f"{condition.field} of {spec.name}"
    schemas = list(schemas_at(spec.returns, field))
    if not schemas:
        known = [escape(key) for key in (spec.returns or {}).get("properties", {})]
        raise RecipeError(f"{condition.where}: the result of {spec.name} has no {field!r}{nearest(field, known)}")
    if not _is_always_told(spec.returns, split(field)):
        raise RecipeError(f"{condition.where}: {name} is not in every result: it must be `required`, and not in a list")
    branches = [branch for schema in schemas for branch in variants(spec.returns, schema)]
    for operator, values in condition.tests:
        if operator == "is":
            wrong = [value for value in values if not any(_allows(spec.returns, schema, value) for schema in schemas)]
            known = [value for branch in branches for value in branch.get("enum", ()) if isinstance(value, str)]
            fault = f"`is`: {name} is never {shown(wrong[0])}{nearest(wrong[0], known)}" if wrong else ""
        elif not _are_numbers(branches):
            fault = f"{name} is no number, as `over` and `under` need"
        else:
            low, high = _range(branches)
            wrong = [value for value in values if not low <= value <= high]
            fault = f"`{operator}`: {name} is {_in_words(low, high)}, which {wrong[0]} is not" if wrong else ""
        if fault:
            raise RecipeError(f"{condition.where}: {fault}")


def _check_values(condition: Condition, spec: ToolSpec, argument: str, values: tuple[Any, ...]) -> None:
    """Raise RecipeError for an argument that a tool does not have, or a value that it does not accept."""
    if argument not in spec.properties:
        raise RecipeError(
            f"{condition.where}: with: {spec.name} has no argument {argument!r}{nearest(argument, [*spec.properties])}"
        )
    wrong = [value for value in values if not _allows(spec.tool.parameters, spec.properties[argument], value)]
    if wrong:
        raise RecipeError(f"{condition.where}: with: {spec.name} does not accept {shown(wrong[0])} as {argument}")


def _is_always_told(root: Any, steps: tuple[str, ...]) -> bool:
    """Whether every result has the field: it is required, and so is all that it stands in."""
    for at, step in enumerate(steps):
        parents = schemas_at(root, "/".join(map(escape, steps[:at])))
        if not all(any(step in parts_of_object(branch)[1] for branch in variants(root, parent)) for parent in parents):
            return False
    return True


def _allows(root: Any, schema: dict[str, Any], value: Any) -> bool:
    """Whether something is a value of a schema; true where the schema cannot be used, which is told elsewhere."""
    validator = compiled({**{key: root[key] for key in _DEFINITIONS if key in root}, **schema})
    return isinstance(validator, UnusableSchema) or validator.is_valid(value)


def _are_numbers(branches: list[dict[str, Any]]) -> bool:
    """Whether all that the branches of a schema say of their values is that they are numbers."""
    told = [
        {branch["type"]} if isinstance(branch["type"], str) else {*branch["type"]}
        for branch in branches
        if "type" in branch
    ]
    listed = [
        value
        for branch in branches
        for value in (*branch.get("enum", ()), *([branch["const"]] if "const" in branch else ()))
    ]
    are_numbers = all(type(value) in (int, float) for value in listed)
    return are_numbers and bool(told or listed) and all(types <= _NUMBERS for types in told)


def _range(branches: list[dict[str, Any]]) -> tuple[float, float]:
    """Return the least and the greatest bound that the branches of a schema name; infinity where one names none.

    Beside `x-compute` and the like they are about what would be drawn otherwise.
    """
    if not all(_ELSEWHERE.isdisjoint(branch) for branch in branches):
        return float("-inf"), float("inf")
    typed = [branch for branch in branches if "type" in branch or "enum" in branch] or branches
    lows = [branch.get("minimum", branch.get("exclusiveMinimum", float("-inf"))) for branch in typed]
    highs = [branch.get("maximum", branch.get("exclusiveMaximum", float("inf"))) for branch in typed]
    return min(lows), max(highs)


def _in_words(low: float, high: float) -> str:
    if low == float("-inf"):
        return f"at most {high}"
    return f"at least {low}" if high == float("inf") else f"from {low} to {high}"
