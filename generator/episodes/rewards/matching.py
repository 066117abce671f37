"""Calls that were made against calls that are right."""

from collections import Counter
from itertools import permutations
from typing import Any

import msgspec

from generator.core.exact_json import is_among, same
from generator.core.pointers import escape
from generator.formats.accepted import Accepted

Call = tuple[str, dict[str, Any]]
"""Name and arguments."""
_NAME, _ARGUMENTS = 0.2, 0.6
_MOST_ORDERS = 5040
"""Of up to seven calls of one name every way to pair them is tried; of more, the best pair is taken first."""


class Match(msgspec.Struct, frozen=True, kw_only=True):
    """What is right in a completion."""

    expected: int
    """How many calls are right; 0 where nothing should be called."""
    made: int
    readable: bool = True
    """Whether all calls that were begun could be read."""
    names: bool
    """Whether just the right tools are called, as often as they should be."""
    arguments: bool
    """Whether, besides, every call has the right arguments, whatever their values."""
    exact: bool
    """Whether everything is right."""
    reward: float


def match(made: list[Call] | None, right: list[Accepted]) -> Match:
    """Compare calls; None stands for calls that cannot be read."""
    if made is None:
        return Match(expected=len(right), made=0, names=False, arguments=False, exact=False, reward=0.0, readable=False)
    if not right or not made:
        good = len(right) == len(made)
        reward = 1.0 if good else 0.0
        return Match(expected=len(right), made=len(made), names=good, arguments=good, exact=good, reward=reward)
    by_name: dict[str, list[Accepted]] = {}
    for call in right:
        by_name.setdefault(call["name"], []).append(call)
    pairs = [pair for name, calls in by_name.items() for pair in _paired([c for c in made if c[0] == name], calls)]
    names = Counter(name for name, _ in made) == Counter(call["name"] for call in right)
    grades = [_grade(arguments, call) for arguments, call in pairs]
    return Match(
        expected=len(right),
        made=len(made),
        names=names,
        arguments=names and all(named for named, _ in grades),
        exact=names and all(grade == 1.0 for _, grade in grades),
        reward=sum(grade for _, grade in grades) / max(len(right), len(made)),
    )


def _paired(made: list[Call], right: list[Accepted]) -> list[tuple[dict[str, Any], Accepted]]:
    """Return the arguments of calls of one tool, each paired with a right call, so that the sum of the grades is highest."""
    arguments = [given for _, given in made]
    few, many = sorted((len(arguments), len(right)))
    grades = [[_grade(given, call)[1] for call in right] for given in arguments]
    if _ways(few, many) > _MOST_ORDERS:
        return _greedy(arguments, right, grades)
    best: tuple[float, list[tuple[int, int]]] = (-1.0, [])
    for chosen in permutations(range(many), few):
        pairs = [(i, j) if len(arguments) <= len(right) else (j, i) for i, j in enumerate(chosen)]
        best = max(best, (sum(grades[i][j] for i, j in pairs), pairs), key=lambda entry: entry[0])
    return [(arguments[i], right[j]) for i, j in best[1]]


def _ways(few: int, many: int) -> int:
    ways = 1
    for number in range(many, many - few, -1):
        ways *= number
    return ways


def _greedy(
    arguments: list[dict[str, Any]], right: list[Accepted], grades: list[list[float]]
) -> list[tuple[dict[str, Any], Accepted]]:
    order = sorted(((-grade, i, j) for i, row in enumerate(grades) for j, grade in enumerate(row)))
    taken: list[tuple[int, int]] = []
    for _, i, j in order:
        if all(i != i2 and j != j2 for i2, j2 in taken):
            taken.append((i, j))
    return [(arguments[i], right[j]) for i, j in taken]


def _grade(made: dict[str, Any], right: Accepted) -> tuple[bool, float]:
    """Whether the arguments are the right ones, and how right the call is."""
    wanted, may_add, others = right["arguments"], right.get("may_add", {}), right.get("accepts", {})
    may_omit = {*right.get("may_omit", ()), *[key for key in wanted if "" in others.get(f"/{escape(key)}", ())]}
    more = {key for key in made if key not in wanted and f"/{escape(key)}" in others}
    named = all(key in wanted or key in may_add or key in more for key in made) and all(
        key in made or key in may_omit for key in wanted
    )
    keys = [key for key in {**wanted, **made} if key in made or key not in may_omit]
    good = sum(
        key in made
        and (
            _is_right(made[key], wanted[key], right, f"/{escape(key)}")
            if key in wanted
            else (key in more and is_among(made[key], others[f"/{escape(key)}"]))
            or (key in may_add and same(made[key], may_add[key]))
        )
        for key in keys
    )
    if named and good == len(keys):
        return True, 1.0
    return named, _NAME + (_ARGUMENTS * good / len(keys))


def _is_right(made: Any, right: Any, call: Accepted, pointer: str) -> bool:
    """Whether a value is as good as the right one."""
    if is_among(made, call.get("accepts", {}).get(pointer, ())):
        return True
    if isinstance(made, str) and isinstance(right, str) and pointer in call.get("any_case", ()):
        return _plain(made) == _plain(right)
    if isinstance(made, dict) and isinstance(right, dict):
        return made.keys() == right.keys() and all(
            _is_right(made[key], right[key], call, f"{pointer}/{escape(key)}") for key in right
        )
    if isinstance(made, list) and isinstance(right, list) and len(made) == len(right):
        if pointer not in call.get("any_order", ()):
            return all(_is_right(made[i], item, call, f"{pointer}/{i}") for i, item in enumerate(right))
        left = list(made)
        for i, item in enumerate(right):
            at = next((n for n, one in enumerate(left) if _is_right(one, item, call, f"{pointer}/{i}")), None)
            if at is None:
                return False
            del left[at]
        return True
    return same(made, right)


def _plain(text: str) -> str:
    return " ".join(text.casefold().split())
