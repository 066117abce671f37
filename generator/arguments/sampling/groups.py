"""Arguments of which some are there although the tool's groups want all of them, or others in their place."""

from typing import Any

from generator.arguments.sampling.leaves import Maker, Test
from generator.arguments.sampling.relations import Relate
from generator.core.errors import RowError
from generator.core.pointers import escape
from generator.core.seeds import Draw
from generator.core.toolbox import Groups, is_chosen

_TRIES = 60


def keeping_groups(
    make: Maker,
    groups: Groups,
    makers: dict[str, Maker],
    required: frozenset[str],
    relations: tuple[Relate, ...],
    is_valid: Test,
    name: str,
) -> Maker:
    """Return a maker of the same arguments that has all or none of a group, and one of the sets of a choice.

    Args:
        make: The maker of arguments that fit the schema.
        groups: What goes together.
        makers: Of each argument, by slot.
        required: Arguments that are always there.
        relations: Hold between values, also those that are added.
        is_valid: Whether arguments fit the schema.
        name: Of the tool, for the error.
    """
    names = [argument for argument in map(_unslotted, makers) if argument]

    def made(draw: Draw) -> Any:
        for _ in range(_TRIES):
            arguments = make(draw)
            if not any(groups.broken(arguments)):
                return arguments
            wanted = _wanted(groups, set(arguments), required, draw)
            for argument in sorted(wanted - arguments.keys()):
                arguments[argument] = makers[escape(argument)](draw)
            arguments = {argument: arguments[argument] for argument in names if argument in wanted} | {
                argument: value for argument, value in arguments.items() if argument in wanted
            }
            for relate in relations:
                relate(draw, arguments)
            if is_valid(arguments) and not any(groups.broken(arguments)):
                return arguments
        raise RowError(f"{name}: {_TRIES} times the arguments that go together could not be made valid")

    return made


def _unslotted(slot: str) -> str:
    """Return the argument that a slot names; nothing for a part of one."""
    return "" if "/" in slot else slot.replace("~1", "/").replace("~0", "~")


def _wanted(groups: Groups, given: set[str], required: frozenset[str], draw: Draw) -> set[str]:
    """Return the arguments that the call shall have."""
    for choice in groups.one_of:
        if any(is_chosen(alternative, choice, given) for alternative in choice):
            continue
        possible = [one for one in choice if required.isdisjoint({name for other in choice for name in other} - {*one})]
        there = [one for one in possible if given.issuperset(one) and one]
        chosen = draw.choice(there or possible or list(choice))
        given = (given - {name for one in choice for name in one}) | {*chosen}
    for group in groups.together:
        present = given.intersection(group)
        if present and len(present) < len(group):
            is_whole = bool(required & present) or draw.chance(0.5)
            given = given | {*group} if is_whole else given - {*group}
    return given
