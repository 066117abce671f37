"""Pairwise coverage: the values and combinations that a tool's calls must cover, and arguments made to cover them.

The goals of a tool are every value of its enums and booleans (at any depth), both states of every optional parameter
(given or not), and every pair of such states. For more than MOST_PAIRED optional parameters there are no pairs. A
*target* is a set of states and values that one call can show at once; together the targets show every goal that is
possible. Which target a row aims at follows from its index alone (run/coverage_targets.py).

The targets are a covering array, found greedily: M. B. Cohen et al., "Constructing test suites for interaction
testing" (2003) describes the family of methods.
"""

from collections.abc import Callable, Iterator
from datetime import date
from itertools import combinations
from typing import Any

import msgspec
import orjson

from generator.arguments.reading.nodes import ArrayNode, EnumNode, Node, Schema, below, object_nodes
from generator.arguments.sampling.numbers import Maker
from generator.arguments.sources import Parts, compile_parts
from generator.core.pointers import escape, expand, joined, resolve, split
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import ToolSpec
from generator.recipe import ArgumentSettings

MOST_PAIRED = 12
_TRIES = 20
_COMPLETIONS = 8
_DEEPEST = 6

OptionalState = tuple[str, bool]
"""An optional parameter, and whether it is given."""
States = dict[str, bool]
Values = dict[str, tuple[Any, ...]]
"""Slot → values of the enum there."""
Make = Callable[[Draw], dict[str, Any]]


class CoverageTarget(msgspec.Struct, frozen=True):
    """What one call should show."""

    states: tuple[OptionalState, ...] = ()
    values: tuple[tuple[str, Any], ...] = ()
    """(slot, value) pairs."""

    def allows(self, argument: str) -> bool:
        """Whether a parameter may be given, and with any value."""
        return (argument, False) not in self.states and all(split(slot)[0] != argument for slot, _ in self.values)


class ToolCoverage(msgspec.Struct, frozen=True, kw_only=True):
    """The goals of one tool and the targets that show them."""

    tool: str
    targets: tuple[CoverageTarget, ...]
    goals: dict[Any, int]
    """Possible goals, numbered: a pair of states, a single state, or (slot, JSON of the value)."""
    optionals: tuple[str, ...]
    slots: tuple[str, ...]
    make: Callable[[Draw, CoverageTarget], dict[str, Any] | None]
    """Makes valid arguments that reach a target; None when the draws do not."""

    def reached(self, arguments: dict[str, Any]) -> set[int]:
        """Return the numbers of the goals that the arguments of a call reach, such as that of `("unit", b'"celsius"')`."""
        states = tuple([(name, name in arguments) for name in self.optionals])
        goal_numbers = [self.goals.get(state) for state in states]
        if len(states) <= MOST_PAIRED:
            goal_numbers += [self.goals.get(pair) for pair in combinations(states, 2)]
        for slot in self.slots:
            for pointer in expand(arguments, slot):
                goal_numbers.append(self.goals.get((slot, orjson.dumps(resolve(arguments, pointer)))))
        return {goal for goal in goal_numbers if goal is not None}


def compile_coverage(spec: ToolSpec, settings: ArgumentSettings, seed: int, source: Make) -> ToolCoverage:
    """Find a tool's goals, and targets that show all that are possible.

    `source` makes the tool's usual arguments. Overridden ones keep their values, and their enums are not goals.
    """
    parts = compile_parts(spec, settings, seed)
    optionals = _optional_parameters(parts.schema)
    enums = {
        slot: values
        for slot, values in _enums(parts.schema).items()
        if slot in parts.makers
        and not any(
            (slot == other or slot.startswith(f"{other}/") or other.startswith(f"{slot}/"))
            for other in parts.overridden
        )
    }
    make = _target_maker(parts, source, enums)
    draw = Draw(stream_seed("coverage", spec.name, seed), date(2026, 3, 1))

    def works(target: CoverageTarget) -> bool:
        return make(draw, target) is not None

    rows = _covering_rows(optionals, works, draw)
    targets = _targets_with_values(rows, enums, works)
    goals: dict[Any, int] = {}
    for target in targets:
        for goal in _goals_of_target(target, len(optionals) <= MOST_PAIRED):
            goals.setdefault(goal, len(goals))
    return ToolCoverage(
        tool=spec.name, targets=targets, goals=goals, optionals=optionals, slots=tuple(enums), make=make
    )


def _goals_of_target(target: CoverageTarget, is_paired: bool) -> Iterator[Any]:
    """Yield what a target covers: single parameters given or left out, pairs of them, and values."""
    yield from target.states
    if is_paired:
        yield from combinations(target.states, 2)
    yield from ((slot, orjson.dumps(value)) for slot, value in target.values)


def _optional_parameters(schema: Schema) -> tuple[str, ...]:
    """Return the parameters that at least one branch of the schema lets a call leave out."""
    required_by_branch = [{part.name: part.required for part in root.properties} for root in object_nodes(schema.root)]
    parameters = [name for name in _parameters_in_order(schema) if any(name in branch for branch in required_by_branch)]
    return tuple(name for name in parameters if not all(branch.get(name, False) for branch in required_by_branch))


def _parameters_in_order(schema: Schema) -> list[str]:
    """Return the names of all parameters, in the order of the schema's own properties."""
    own_properties = schema.source.get("properties", {})
    return list(
        dict.fromkeys([*own_properties, *[part.name for root in object_nodes(schema.root) for part in root.properties]])
    )


def _enums(schema: Schema) -> Values:
    """Return slot → values, for each slot whose values the schema lists: `{"unit": ("metric", "imperial")}`."""
    values_by_slot: dict[str, dict[bytes, Any]] = {}
    for slot, node in _nodes(schema.root, "", 0):
        if isinstance(node, EnumNode):
            values_by_slot.setdefault(slot, {}).update({orjson.dumps(value): value for value in node.values})
    return {slot: tuple(values.values()) for slot, values in values_by_slot.items() if len(values) > 1 and slot}


def _nodes(node: Node, slot: str, depth: int) -> Iterator[tuple[str, Node]]:
    """Yield every declared node with its slot; deep schemas are followed a few levels."""
    yield slot, node
    for step, part in below(node) if depth <= _DEEPEST else ():
        if step != "*" or isinstance(node, ArrayNode):
            yield from _nodes(part, slot if step is None else joined(slot, step), depth + 1)


def _covering_rows(names: tuple[str, ...], works: Callable[[CoverageTarget], bool], draw: Draw) -> list[States]:
    """Return rows of states of the optional parameters that cover every possible pair (or every state, for many)."""
    if len(names) < 2 or len(names) > MOST_PAIRED:
        all_or_none = [dict.fromkeys(names, True), dict.fromkeys(names, False)] if names else [{}]
        rows = [row for row in all_or_none if works(_target(row))]
        single_states = [{name: state} for name in names for state in (True, False)]
        return _completed_rows(rows, [tuple(states.items()) for states in single_states], names, works, draw)
    pairs: list[tuple[OptionalState, ...]] = [
        ((left, left_state), (right, right_state))
        for left, right in combinations(names, 2)
        for left_state in (True, False)
        for right_state in (True, False)
    ]
    return _completed_rows([], pairs, names, works, draw)


def _completed_rows(
    rows: list[States],
    wanted: list[tuple[OptionalState, ...]],
    names: tuple[str, ...],
    works: Callable[[CoverageTarget], bool],
    draw: Draw,
) -> list[States]:
    """Return the rows with others added, until every wanted combination that is possible occurs in one of them."""
    missing = {goal: None for goal in wanted if not any(_has_states(row, goal) for row in rows)}
    while missing:
        goal = next(iter(missing))
        row = next((row for row in _candidates(goal, names, missing, draw) if works(_target(row))), None)
        if row is None:
            del missing[goal]  # the schema does not allow it
            continue
        rows.append(row)
        missing = {combination: None for combination in missing if not _has_states(row, combination)}
    return rows or [{}]


def _candidates(
    goal: tuple[OptionalState, ...], names: tuple[str, ...], missing: dict[tuple[OptionalState, ...], None], draw: Draw
) -> Iterator[States]:
    """Yield ways to complete a combination: first the one that covers most missing goals, then random ones."""
    row: States = dict(goal)
    for name in names:
        if name not in row:
            gains = [sum(_has_states({**row, name: state}, other) for other in missing) for state in (True, False)]
            row[name] = gains[0] > gains[1] or (gains[0] == gains[1] and draw.rand() < 0.5)
    yield {name: row[name] for name in names}
    for share in [index / (_COMPLETIONS - 1) for index in range(_COMPLETIONS)]:
        yield {name: dict(goal).get(name, draw.rand() < share) for name in names}


def _has_states(row: States, goal: tuple[OptionalState, ...]) -> bool:
    """Whether a row of states has all states of a combination."""
    return all(row.get(name) is state for name, state in goal)


def _target(row: States, values: tuple[tuple[str, Any], ...] = ()) -> CoverageTarget:
    """Return the target for a row of states and (slot, value) pairs."""
    return CoverageTarget(tuple(row.items()), values)


def _targets_with_values(
    rows: list[States], enums: Values, works: Callable[[CoverageTarget], bool]
) -> tuple[CoverageTarget, ...]:
    """Return targets for the rows with enum values spread over them, and more until every value occurs."""
    missing_values = {slot: list(values) for slot, values in enums.items()}
    targets: list[CoverageTarget] = []
    turns_without_value = turn = 0
    while turn < len(rows) or (any(missing_values.values()) and turns_without_value < len(rows)):
        row = rows[turn % len(rows)]
        values_taken = _values_for(row, missing_values, works)
        turns_without_value = 0 if values_taken else turns_without_value + 1
        if values_taken or turn < len(rows):
            targets.append(_target(row, tuple(values_taken.items())))
        turn += 1
    return tuple(targets)


def _values_for(row: States, missing: dict[str, list[Any]], works: Callable[[CoverageTarget], bool]) -> dict[str, Any]:
    """Take compatible values out of `missing` (slot → values), at most one for each enum below a given parameter; return them by slot."""
    values_taken: dict[str, Any] = {}
    for slot, values in missing.items():
        if not row.get(split(slot)[0], True):
            continue
        for value in list(values):
            if works(_target(row, (*values_taken.items(), (slot, value)))):
                values_taken[slot] = value
                values.remove(value)
                break
    return values_taken


def _target_maker(parts: Parts, source: Make, enums: Values) -> Callable[[Draw, CoverageTarget], dict[str, Any] | None]:
    """Return a function that makes valid arguments with the states and values of a target."""
    order = _parameters_in_order(parts.schema)

    def make(draw: Draw, target: CoverageTarget) -> dict[str, Any] | None:
        """Return valid arguments that meet the target; None when a few draws do not."""
        for _ in range(_TRIES):
            drawn = source(draw)
            _set_states(drawn, target.states, parts.makers, draw)
            for slot, value in target.values:
                _set_value(drawn, slot, value, parts.makers, enums[slot], draw)
            arguments = {name: drawn[name] for name in order if name in drawn} | drawn
            for relate in parts.relations:
                relate(draw, arguments)
            if parts.is_valid(arguments) and _is_met(target, arguments) and not any(parts.groups.broken(arguments)):
                return arguments
        return None

    return make


def _set_states(
    arguments: dict[str, Any], states: tuple[OptionalState, ...], makers: dict[str, Maker], draw: Draw
) -> None:
    """Add the parameters that should be given, and remove those that should not, in place."""
    for name, is_given in states:
        if not is_given:
            arguments.pop(name, None)
        elif name not in arguments:
            arguments[name] = makers[escape(name)](draw)


def _is_met(target: CoverageTarget, arguments: dict[str, Any]) -> bool:
    """Whether arguments have what the target asks for."""
    return all((name in arguments) is is_given for name, is_given in target.states) and all(
        any(_same_json(resolve(arguments, pointer), value) for pointer in expand(arguments, slot))
        for slot, value in target.values
    )


def _same_json(left: Any, right: Any) -> bool:
    """Whether two values have the same JSON."""
    return orjson.dumps(left) == orjson.dumps(right)


def _set_value(
    arguments: dict[str, Any], slot: str, value: Any, makers: dict[str, Maker], enum_values: tuple[Any, ...], draw: Draw
) -> None:
    """Set the value at a slot of the arguments, in place: at `days/*` in the first item, in the order of the enum. Missing parents are made."""
    *above, last = split(slot)
    steps = slot.split("/")
    parent: Any = arguments
    for depth, step in enumerate(above):
        parent = _step_into(parent, step, makers.get("/".join(steps[: depth + 1])), draw)
    if last != "*":
        if isinstance(parent, dict):
            parent[last] = value
        return
    if isinstance(parent, list) and not any(_same_json(item, value) for item in parent):
        value_order = [orjson.dumps(enum_value) for enum_value in enum_values]
        parent[:1] = [value]
        if all(orjson.dumps(item) in value_order for item in parent):
            parent.sort(key=lambda item: value_order.index(orjson.dumps(item)))


def _step_into(container: Any, step: str, make: Maker | None, draw: Draw) -> Any:
    """Return the object or list at one step below a container; one that is missing is made. None where there is none."""
    if isinstance(container, list):
        if not container and make is not None:
            container.append(make(draw))
        return container[0] if container else None
    if not isinstance(container, dict):
        return None
    for _ in range(_TRIES):
        if isinstance(container.get(step), dict | list) or make is None:
            break
        container[step] = make(draw)
    return container.get(step)
