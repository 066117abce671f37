"""Files of goals: which tools people use together, and which of their arguments then have the same value."""

from pathlib import Path
from typing import Annotated

import msgspec
from msgspec import Meta

from generator.core.declared import read
from generator.core.documents import Document, Place, read_document
from generator.core.errors import RecipeError
from generator.core.forms import Form

_PLACE = r"^[^#\s]+#/.+$"
GoalArgument = Annotated[str, Meta(pattern=_PLACE)]
"""`tool#/argument`"""


class Goal(msgspec.Struct, frozen=True, kw_only=True):
    """The purpose of a request for several things: its tools, and the arguments with a common value."""

    name: str
    where: str
    """`file:line`, for messages."""
    share: tuple[tuple[str, tuple[tuple[str, str], ...]], ...]
    """(name of a value, (tool, slot) pairs that have it)."""
    apart: frozenset[frozenset[str]] = frozenset()
    """Pairs of tools that one person would not ask for together: one undoes or repeats the other."""
    always_apart: frozenset[frozenset[str]] = frozenset()
    """Those of them that its file keeps apart whatever the goal."""


def _check_differ(pair: tuple[str, ...]) -> tuple[str, ...]:
    """Return a pair of tools; raises ValueError when it is one tool twice."""
    if pair[0] == pair[1]:
        raise ValueError(f"{pair[0]!r} is kept apart from itself: two tools are expected")
    return pair


def _check_distinct(places: tuple[str, ...]) -> tuple[str, ...]:
    """Return arguments; raises ValueError when one stands there twice."""
    twice = {place for place in places if places.count(place) > 1}
    if twice:
        raise ValueError(f"{min(twice)} stands twice under one name")
    return places


Pair = Annotated[tuple[str, ...], Meta(min_length=2, max_length=2), Form(made=_check_differ)]
"""Two tools."""
Shared = Annotated[tuple[GoalArgument, ...], Meta(min_length=2), Form(made=_check_distinct)]
"""Arguments with the same value."""


class WrittenGoal(msgspec.Struct, frozen=True, kw_only=True):
    """One goal of a file."""

    name: Annotated[str, Meta(min_length=1)]
    share: Annotated[dict[str, Shared], Meta(min_length=1)]
    apart: tuple[Pair, ...] = ()


class GoalFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of goals, and pairs of tools that are kept apart whatever the goal, in chains of calls as well."""

    goals: Annotated[tuple[WrittenGoal, ...], Meta(min_length=1)]
    apart: tuple[Pair, ...] = ()


def read_goals(files: tuple[Path, ...]) -> tuple[Goal, ...]:
    """Return the goals of some files; raises RecipeError with `file:line: path: what is wrong`."""
    found: list[Goal] = []
    for file in files:
        document = read_document(file, RecipeError)
        model = read(GoalFile, document, document.value, (), RecipeError)
        always = frozenset(map(frozenset, model.apart))
        found += [_goal_of(goal, document, ("goals", at), always) for at, goal in enumerate(model.goals)]
    return tuple(found)


def _goal_of(model: WrittenGoal, document: Document, place: Place, always_apart: frozenset[frozenset[str]]) -> Goal:
    """Return a goal as it was written as plain data; raises RecipeError for tools that it does not have."""
    share = []
    for name, places in model.share.items():
        pairs = [(tool, slot) for tool, _, slot in (one.partition("#/") for one in places)]
        share.append((name, tuple(pairs)))
    tools = {tool for _, pairs in share for tool, _ in pairs}
    for at, pair in enumerate(model.apart):
        for tool in pair:
            if tool not in tools:
                where = (*place, "apart", at)
                raise RecipeError(f"{document.at(where)}: {tool!r} is not among the tools of this goal")
    return Goal(
        name=model.name,
        where=document.at(place),
        share=tuple(share),
        apart=always_apart | frozenset(map(frozenset, model.apart)),
        always_apart=always_apart,
    )
