"""Rows keep the policy that they state; without a clause they go otherwise; and planted breaches of each kind are found."""

from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import pytest

from generator.compliance import Left, Played, breaches, played
from generator.compliance.check import CHECKS
from generator.conversation import AssistantMessage, Conversation, SystemMessage, ToolCall, ToolMessage, UserMessage
from generator.formats import FORMATS
from generator.policies import Clause, Confirm, Eligible, Forbid, Limit
from generator.recipe import load_recipe
from generator.run.row import MadeRow, PreparedRecipe, make_row, prepare
from generator.run.stages.checking import unmade_of
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[2]
replace = msgspec.structs.replace


@cache
def service() -> PreparedRecipe:
    return prepare(load_recipe(ROOT / "recipes" / "service.yaml", scenarios=SCENARIOS, formats=FORMATS))


CLAUSES = [
    pytest.param(policy, at, id=f"{name}-{at}-{clause.kind}")
    for policy, name, clauses in [(at, one.policy, one.clauses) for at, one in enumerate(service().toolkit.policies)]
    for at, clause in enumerate(clauses)
    if type(clause) in CHECKS
]


def with_shares(policy: int, share: Callable[[int, Clause], float]) -> PreparedRecipe:
    """Return the recipe with one policy, whose clauses stand in other shares of its rows."""
    own = service().toolkit.policies[policy]
    clauses = tuple([replace(clause, share=share(at, clause)) for at, clause in enumerate(own.clauses)])
    toolkit = replace(service().toolkit, policies=(replace(own, clauses=clauses),))
    return replace(service(), toolkit=toolkit)


def read(prepared: PreparedRecipe, row: MadeRow) -> Played:
    talk = row.row.conversation
    return played(talk, prepared.toolkit.policies, prepared.toolbox, *unmade_of(talk, row.row.proof))


def binds(seen: Played, clause: Clause) -> bool:
    """Whether something in a row happens because of its only clause."""
    return bool(seen.proposed if isinstance(clause, Confirm) else seen.refused)


def behaviour(talk: Conversation) -> list[Any]:
    """Return the calls of a conversation, and where the assistant only speaks."""
    return [
        [(call.name, call.arguments) for call in message.tool_calls]
        for message in talk.messages
        if type(message) is AssistantMessage
    ]


@cache
def binding_row(policy: int, at: int) -> tuple[MadeRow, Played, MadeRow]:
    """Return a row in which a clause, the only one stated, binds; how it reads; and its twin without the clause."""
    alone = with_shares(policy, lambda place, clause: float(place == at or type(clause) not in CHECKS))
    clause = alone.toolkit.policies[0].clauses[at]
    for index in range(120):
        row = make_row(alone, index)
        seen = read(alone, row)
        if binds(seen, clause):
            without = with_shares(policy, lambda place, clause: float(type(clause) not in CHECKS))
            return row, seen, make_row(without, index)
    raise AssertionError("no row in which the clause binds")


@pytest.mark.parametrize(("policy", "at"), CLAUSES)
def test_without_a_clause_that_binds_a_row_goes_otherwise(policy: int, at: int) -> None:
    row, seen, twin = binding_row(policy, at)
    one, other = row.row.conversation, twin.row.conversation
    assert breaches(seen) == []
    first = next(at for at, message in enumerate(one.messages) if type(message) is UserMessage)
    assert one.messages[first] == other.messages[first]
    assert behaviour(one) != behaviour(other)


# --- planted breaches ---


def without(seen: Played, begin: int, end: int) -> Played:
    return replay(seen, [*seen.messages[:begin], *seen.messages[end:]])


def replay(
    seen: Played, messages: list[Any], refused: tuple[Left, ...] = (), proposed: tuple[Left, ...] = ()
) -> Played:
    return played(Conversation(tuple(messages)), service().toolkit.policies, seen.toolbox, refused, proposed)


def made_all_the_same(seen: Played) -> Iterator[Played]:
    """The refused call is made."""
    for left in seen.refused:
        call = AssistantMessage(tool_calls=(ToolCall("planted", left.tool, left.args),))
        result = ToolMessage("planted", "{}", left.tool)
        yield replay(seen, [*seen.messages[: left.at], call, result, AssistantMessage("Done.")])


def unseen(seen: Played) -> Iterator[Played]:
    """The call is made without the look-up before it."""
    for left in seen.refused:
        call = AssistantMessage(tool_calls=(ToolCall("planted", left.tool, left.args),))
        yield replay(seen, [*seen.messages[: left.at - 2], call, ToolMessage("planted", "{}", left.tool)])


def another_reason(seen: Played) -> Iterator[Played]:
    """The refusal gives another reason than there is."""
    for left in seen.refused:
        yield replay(seen, list(seen.messages), (replace(left, text="Our rules say so on Sundays."),))


def no_reason(seen: Played) -> Iterator[Played]:
    """The system message does not state the clause, and the call is refused all the same."""
    for left in seen.refused:
        gone = [
            SystemMessage(seen.clauses[0].clause.where) if type(one) is SystemMessage else one for one in seen.messages
        ]
        yield replay(seen, gone, (left,))


def too_many(seen: Played) -> Iterator[Played]:
    """The call is made as often as never before."""
    yield from made_all_the_same(seen)


def at_once(seen: Played) -> Iterator[Played]:
    """The call is made without the proposal and the yes."""
    for left in seen.proposed:
        call = AssistantMessage(tool_calls=(ToolCall("planted", left.tool, left.args),))
        yield replay(seen, [*seen.messages[: left.at], call, ToolMessage("planted", "{}", left.tool)])


def after_no(seen: Played) -> Iterator[Played]:
    """The user says no, or something that is no answer, and the call is made."""
    for left in seen.proposed:
        for reply in ("No, leave it.", "Hm, what would that cost?", "Wait, yes, no, don't."):
            call = AssistantMessage(tool_calls=(ToolCall("planted", left.tool, left.args),))
            messages = [
                *seen.messages[: left.at + 1],
                UserMessage(reply),
                call,
                ToolMessage("planted", "{}", left.tool),
            ]
            yield replay(seen, messages)


def another_call(seen: Played) -> Iterator[Played]:
    """The call names another thing than was proposed."""
    linked = {link.argument.removeprefix("/") for left in seen.proposed for link in seen.toolbox[left.tool].links}
    for left in seen.proposed:
        for slot in linked & left.args.keys():
            call = ToolCall("planted", left.tool, {**left.args, slot: "OTHER-000001"})
            step = [AssistantMessage(tool_calls=(call,)), ToolMessage("planted", "{}", left.tool)]
            yield replay(seen, [*seen.messages[: left.at + 1], UserMessage("Yes, please."), *step])


def needless(seen: Played) -> Iterator[Played]:
    """The system message does not state the clause, and leave is asked for all the same."""
    gone = [SystemMessage(seen.clauses[0].clause.where) if type(one) is SystemMessage else one for one in seen.messages]
    yield replay(seen, gone, (), seen.proposed)


PLANTED: dict[type[Clause], tuple[Callable[[Played], Iterator[Played]], ...]] = {
    Eligible: (made_all_the_same, unseen, another_reason, no_reason),
    Forbid: (made_all_the_same, another_reason, no_reason),
    Limit: (too_many, another_reason, no_reason),
    Confirm: (at_once, after_no, another_call, needless),
}


@pytest.mark.parametrize(("policy", "at"), CLAUSES)
def test_planted_breaches_are_found(policy: int, at: int) -> None:
    clause = service().toolkit.policies[policy].clauses[at]
    _, seen, _ = binding_row(policy, at)
    for plant in PLANTED[type(clause)]:
        for planted in plant(seen):
            assert breaches(planted), plant.__doc__


def test_each_kind_that_is_checked_has_planted_breaches() -> None:
    assert PLANTED.keys() == CHECKS.keys()
