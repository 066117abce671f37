"""Tools that people use for one purpose, and the values that their calls then have in common."""

from collections.abc import Callable, Iterable, Sequence
from datetime import date, timedelta
from functools import lru_cache
from typing import Any

import msgspec
import orjson

from generator.arguments.kinds.records import RECORDS
from generator.arguments.vocabulary.words import composed
from generator.core.documents import nearest
from generator.core.errors import CannotFillError, RecipeError
from generator.core.exact_json import same
from generator.core.planning import Wish
from generator.core.pointers import escape, resolve_or_none, schema_at, split, variants
from generator.core.seeds import Draw
from generator.core.toolbox import Relation, Toolbox, ToolSpec
from generator.formats.rules import UnusableSchema, compiled
from generator.recipe.goals import Goal

UNRELATED = 0.06
"""How often tools are combined at random although there are goals, as people sometimes do."""
_WITH_MORE = 0.5
"""How often an optional argument is given because another call has that value."""


class SharedArgument(msgspec.Struct, frozen=True, eq=False):
    """An argument that can share a value with others."""

    name: str
    """The name of the shared value."""
    at: str
    options: dict[bytes, Any] | None
    """All values that it may have, by their JSON, if these are known: its examples, its enum, or those of its kind."""
    is_valid: Callable[[Any], bool]
    """Whether its schema allows a value, as far as that can be told."""


class Purpose(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """A goal, reduced to the loaded tools."""

    name: str
    slots: dict[str, tuple[SharedArgument, ...]]
    """The slots of each of its tools."""
    friends: dict[str, frozenset[str]]
    """Tool → the tools of the goal that can share a value with it and may be called beside it."""
    allowed: dict[str, frozenset[str]]
    """Tool → the tools of the goal that may be called beside it."""


def compile_purposes(
    goals: Iterable[Goal], toolbox: Toolbox, partners: dict[str, frozenset[str]]
) -> dict[str, tuple[Purpose, ...]]:
    """Return, by tool, the goals that it serves together with other tools.

    Args:
        goals: As files say them; tools that are not in the toolbox are passed over.
        toolbox: The loaded tools.
        partners: The tools that can be called beside each tool.

    Raises:
        RecipeError: for an argument that its tool does not have.
    """
    found: dict[str, list[Purpose]] = {}
    for goal in goals:
        purpose = _purpose_of_goal(goal, toolbox, partners)
        for tool, friends in purpose.friends.items():
            if friends:
                found.setdefault(tool, []).append(purpose)
    return {tool: tuple(purposes) for tool, purposes in found.items()}


def _purpose_of_goal(goal: Goal, toolbox: Toolbox, partners: dict[str, frozenset[str]]) -> Purpose:
    """Return a goal with the arguments that can share a value, and the tools that can be called beside each other."""
    slots: dict[str, list[SharedArgument]] = {}
    for name, pairs in goal.share:
        for tool, slot in pairs:
            if tool in toolbox:
                slots.setdefault(tool, []).append(_shared_argument(name, slot, toolbox[tool], goal))
    may_be_called_beside = {
        tool: frozenset(o for o in slots if o in partners.get(tool, ()) and frozenset((tool, o)) not in goal.apart)
        for tool in slots
    }
    return Purpose(
        name=goal.name,
        slots={tool: tuple(arguments) for tool, arguments in slots.items()},
        friends={
            tool: frozenset(other for other in others if _can_share(slots[tool], slots[other]))
            for tool, others in may_be_called_beside.items()
        },
        allowed=may_be_called_beside,
    )


def _shared_argument(name: str, slot: str, spec: ToolSpec, goal: Goal) -> SharedArgument:
    """Return an argument of a tool that shares the value `name` of a goal."""
    schema = schema_at(spec.tool.parameters, slot)
    if schema is None:
        argument_names = [escape(key) for key in spec.properties]
        raise RecipeError(f"{goal.where}: {spec.name} has no argument {slot!r}{nearest(slot, argument_names)}")
    enums = [
        value for schema_variant in variants(spec.tool.parameters, schema) for value in schema_variant.get("enum", ())
    ]
    check = compiled({} if "$ref" in schema else schema)
    is_valid: Callable[[Any], bool] = (lambda _: True) if isinstance(check, UnusableSchema) else check.is_valid
    values = spec.examples.get(slot, ()) or enums or _values_of_kind(spec.kinds.get(slot))
    options = {orjson.dumps(value): value for value in values if is_valid(value)} if values else None
    return SharedArgument(name, slot, options, is_valid)


def _values_of_kind(kind: str | None) -> tuple[str, ...]:
    """Return the values of a kind that is made from a grammar: "the canteen" is a venue, but no restaurant."""
    grammar = RECORDS[kind].grammar if kind is not None else ""
    return composed(grammar) if grammar else ()


def _can_share(arguments: Sequence[SharedArgument], other_arguments: Sequence[SharedArgument]) -> bool:
    """Whether an argument of one tool and one of another can have one value."""
    pairs = [(left, right) for left in arguments for right in other_arguments if left.name == right.name]
    return any((left.options is None and right.options is None) or _options((left, right)) for left, right in pairs)


@lru_cache(maxsize=1 << 12)
def _options(slots: tuple[SharedArgument, ...]) -> dict[bytes, Any]:
    """Return the values that all of the slots may have, by their JSON, if some of them have known values."""
    options_of_slots = [slot.options for slot in slots if slot.options is not None]
    if not options_of_slots:
        return {}
    shared = set(options_of_slots[0]).intersection(*options_of_slots[1:])
    checks = [slot.is_valid for slot in slots if slot.options is None]
    shared_options = {text: value for text, value in options_of_slots[0].items() if text in shared}
    return {text: value for text, value in shared_options.items() if all(is_valid(value) for is_valid in checks)}


def choose_tools(purpose: Purpose, first: str, wanted: int, draw: Draw) -> list[str]:
    """Return `first` and other tools of the purpose, up to `wanted`, each sharing a value with a tool before it and allowed beside all of them."""
    tools = [first]
    while len(tools) < wanted:
        sharing_tools = {other for tool in tools for other in purpose.friends[tool]}
        candidates = [
            tool
            for tool in purpose.slots
            if tool in sharing_tools and all(tool in purpose.allowed[chosen] for chosen in tools)
        ]
        candidates = [tool for tool in candidates if tool not in tools]
        if not candidates:
            break
        tools.append(draw.choice(candidates))
    return tools


Said = dict[str, Any]


class _SharingWish(msgspec.Struct, eq=False):
    """A wish and its slot for a shared value."""

    spec: ToolSpec
    said: Said
    slot: SharedArgument
    settled: set[str]
    """Slots of the wish that have received their value."""

    @property
    def value(self) -> Any:
        """The value that the wish has there; None where it has none."""
        return resolve_or_none(self.said, self.slot.at)


def agree(purpose: Purpose, wishes: Sequence[Wish], toolbox: Toolbox, draw: Draw) -> tuple[Wish, ...]:
    """Return the wishes with the shared values that the goal asks for.

    Raises:
        CannotFillError: when what is shared does not fit the rest of a wish.
    """
    arguments = [dict(wish.said) for wish in wishes]
    settled: list[set[str]] = [set() for _ in wishes]
    joined: set[str] = set()
    for name in dict.fromkeys(slot.name for wish in wishes for slot in purpose.slots.get(wish.tool, ())):
        holders = [
            _SharingWish(toolbox[wish.tool], arguments_of_wish, slot, settled_slots)
            for wish, arguments_of_wish, settled_slots in zip(wishes, arguments, settled, strict=True)
            for slot in purpose.slots.get(wish.tool, ())
            if slot.name == name and slot.at not in wish.meant
        ]
        joined |= _give_one_value(_wishes_that_join(holders, joined, draw), draw)
    apart = {wish.tool for wish in wishes if wish.tool in purpose.slots and not wish.meant} - joined
    if apart:
        raise CannotFillError(f"{min(apart)} shares nothing with the other tools of {purpose.name}")
    changed = []
    for wish, arguments_of_wish in zip(wishes, arguments, strict=True):
        spec = toolbox[wish.tool]
        if not agrees(spec, arguments_of_wish):
            raise CannotFillError(f"what {purpose.name} shares does not fit {wish.tool}")
        changed.append(
            msgspec.structs.replace(
                wish, said={key: arguments_of_wish[key] for key in spec.properties if key in arguments_of_wish}
            )
        )
    return tuple(changed)


class InCommon(msgspec.Struct, frozen=True, eq=False):
    """The values that the requests of a conversation have in common, each as the first of them had it."""

    purpose: Purpose
    values: dict[str, Any]

    def given_to(self, spec: ToolSpec, said: Said, draw: Draw) -> Said:
        """Return drawn arguments with the common values; those that are new become common."""
        changed, settled, joined = dict(said), set[str](), False
        slots = self.purpose.slots.get(spec.name, ())
        first = self.values.get(slots[0].name) if slots else None
        if first is not None and not _may_have(slots[0], first):
            return said  # what it is mainly about is something else: not the same days in another city
        for slot in slots:
            holder = _SharingWish(spec, changed, slot, settled)
            own, common = holder.value, self.values.get(slot.name)
            if common is None or not _may_have(slot, common):
                continue
            if own is not None or not joined or draw.chance(_WITH_MORE):
                _give(holder, common)
                joined = True
        if not agrees(spec, changed):
            changed = said
        for slot in slots:
            own = resolve_or_none(changed, slot.at)
            if own is not None:
                self.values.setdefault(slot.name, own)
        return {key: changed[key] for key in spec.properties if key in changed}


def _wishes_that_join(holders: list[_SharingWish], joined: set[str], draw: Draw) -> list[_SharingWish]:
    """Return the holders that have the value, and of the others those of tools that share nothing yet, and some more."""
    lonely = {holder.spec.name for holder in holders} - joined
    # optional arguments are added so that the calls have something in common at all
    having = [
        holder
        for holder in holders
        if holder.value is not None or holder.spec.name in lonely or draw.chance(_WITH_MORE)
    ]
    tools = {holder.spec.name for holder in having}
    # what has the value is joined to nothing as long as no other tool has it
    return holders if len(tools) < _FEWEST and not lonely.isdisjoint(tools) else having


def _give_one_value(holders: list[_SharingWish], draw: Draw) -> set[str]:
    """Give one value to all of the holders that can have it; return their tools, if there are several."""
    values = [holder.value for holder in holders if holder.value is not None]
    options = _options(tuple([holder.slot for holder in holders]))
    if options:
        possible_values = [value for value in values if orjson.dumps(value) in options]
        receivers, value = holders, possible_values[0] if possible_values else draw.choice(tuple(options.values()))
    else:
        # no value is known that all may have: as many as possible have that of one of them
        takers = [[holder for holder in holders if _may_have(holder.slot, value)] for value in values]
        receivers, value = max(zip(takers, values, strict=True), key=lambda pair: len(pair[0]), default=([], None))
    tools = {holder.spec.name for holder in receivers}
    if len(tools) < _FEWEST:
        return set()
    for holder in receivers:
        _give(holder, value)
    return tools


_FEWEST = 2


def _may_have(slot: SharedArgument, value: Any) -> bool:
    """Whether an argument may have a value: its schema allows it, and it is among its values where these are known."""
    return slot.is_valid(value) and (slot.options is None or orjson.dumps(value) in slot.options)


def _give(holder: _SharingWish, value: Any) -> None:
    """Give a wish a value in its slot; the end of a time range follows its beginning."""
    previous_value = holder.value
    *parents, last = split(holder.slot.at)
    holder_object = holder.said
    for step in parents:
        holder_object[step] = holder_object = dict(holder_object.get(step) or {})
    holder_object[last] = value
    holder.settled.add(holder.slot.at)
    for relation in holder.spec.relations:
        other_end = {relation.left: relation.right, relation.right: relation.left}.get(holder.slot.at)
        if relation.operator == "<" and other_end in holder.said and other_end not in holder.settled:
            holder.said[other_end] = _moved_end(holder.said[other_end], previous_value, value)


def _moved_end(end: Any, previous_start: Any, new_start: Any) -> Any:
    """Return the end of a time range after its beginning has moved from one day to another, or the reverse; anything else stays."""
    try:
        moved_by: timedelta = date.fromisoformat(new_start) - date.fromisoformat(previous_start)
        return (date.fromisoformat(end) + moved_by).isoformat()
    except (TypeError, ValueError):
        return end


def agrees(spec: ToolSpec, said: Said) -> bool:
    """Whether the arguments of a call break no relation between them (`start < end`); those that are not there break none."""
    return all(_holds(relation, said) for relation in spec.relations)


def _holds(relation: Relation, said: Said) -> bool:
    """Whether `left < right`, or `left != right`, where both are given."""
    left, right = said.get(relation.left), said.get(relation.right)
    if left is None or right is None:
        return True
    return bool(left < right) if relation.operator == "<" else not same(left, right)
