"""Rows keep the policy that they state; without a clause they go otherwise; and planted breaches of each kind are found."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nightly import night

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.dialogue.acts.remark import _FORMS as REMARKS
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import MadeRow, PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS
from generator.scenarios.policies.clauses import (
    KINDS,
    About,
    Amount,
    Ask,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Hide,
    Identity,
    Instead,
    Limit,
    OneByOne,
    Order,
    Scope,
    Tell,
    Transfer,
    Whose,
)
from generator.scenarios.policies.compliance import breaches, read_transcript, unmade_calls
from generator.scenarios.policies.compliance.transcript import Transcript, UnmadeCall, objects_in
from generator.scenarios.policies.sentences import with_listed_sentences

ROOT = Path(__file__).parents[4]
MOST = 600
"""Rows among which there is one that a clause changes."""
replace = msgspec.structs.replace


@cache
def service() -> PreparedRecipe:
    return prepare(load_recipe(ROOT / "recipes" / "service.yaml", scenarios=SCENARIOS, formats=FORMATS))


def with_shares(policy: int, stated: Callable[[int, Clause], bool]) -> PreparedRecipe:
    """Return the recipe with one policy, which always or never states each clause."""
    own = service().toolkit.policies[policy]
    clauses = tuple([replace(clause, share=float(stated(at, clause))) for at, clause in enumerate(own.clauses)])
    toolkit = replace(service().toolkit, policies=(replace(own, clauses=clauses),))
    return replace(service(), toolkit=toolkit)


def read(row: MadeRow, system: str = "") -> Transcript:
    """Return a row as the checker reads it, now and then under the system message of another one."""
    talk = row.row.conversation
    messages = [SystemMessage(system or one.content) if type(one) is SystemMessage else one for one in talk.messages]
    return replay([*messages], *unmade_calls(talk, row.row.proof))


def replay(messages: list[Any], refused: Any = (), proposed: Any = ()) -> Transcript:
    return read_transcript(
        Conversation(tuple(messages)), service().toolkit.policies, service().toolbox, refused, proposed
    )


def system_of(row: MadeRow) -> str:
    return next(one.content for one in row.row.conversation.messages if type(one) is SystemMessage)


def first_difference(row: MadeRow, twin: MadeRow) -> Message:
    """The first message behind the system message that differs."""
    pairs = zip(row.row.conversation.messages, twin.row.conversation.messages, strict=False)
    return next(one for place, (one, other) in enumerate(pairs) if place and one != other)


def needs_another(clause: Clause, other: Clause) -> bool:
    """Whether a clause has an effect only where another one is stated: there is an offer only after a refusal."""
    refuses = isinstance(other, Eligible | Forbid)
    return isinstance(clause, Instead) and refuses and other.tools[0] == clause.instead


def twins(policy: int, at: int) -> tuple[MadeRow, MadeRow]:
    """Return a row that states one clause, and its twin without it that breaks it."""
    own = service().toolkit.policies[policy].clauses
    beside = [place for place, clause in enumerate(own) if needs_another(own[at], clause)]
    stated = with_shares(policy, lambda place, _: place == at or place in beside)
    without = with_shares(policy, lambda place, _: place in beside)
    for index in range(MOST):
        row = make_row(stated, index)
        twin = make_row(without, index)
        is_broken = any(found.kind == own[at].kind for found in breaches(read(twin, system_of(row))))
        if is_broken and not isinstance(
            first_difference(row, twin), UserMessage
        ):  # neither was made anew for a reason of its own
            return row, twin
    raise AssertionError("no row that the clause changes")


def clauses() -> Iterator[Any]:
    """All clauses that are checked; of each kind one is tried in every run."""
    seen: set[tuple[str, bool]] = set()
    for policy, one in enumerate(service().toolkit.policies):
        for at, clause in enumerate(one.clauses):
            if not isinstance(clause, About):
                sort = (clause.kind, isinstance(clause, Transfer) and bool(clause.on))
                often = () if sort not in seen else night
                seen.add(sort)
                yield pytest.param(policy, at, id=f"{one.policy}-{at}-{clause.kind}", marks=often)


CLAUSES = [*clauses()]


# --- planted breaches ---


def call_of(left: UnmadeCall) -> list[Any]:
    return [
        AssistantMessage(tool_calls=(ToolCall("planted", left.tool, left.args),)),
        ToolMessage("planted", "{}", left.tool),
    ]


def made_all_the_same(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The refused call is made."""
    for left in seen.refused:
        yield replay([*seen.messages[: left.at], *call_of(left), AssistantMessage("Done.")])


def unseen(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The refused call is made without any look-up before it."""
    for left in seen.refused:
        yield replay([*[one for one in seen.messages if type(one) in (SystemMessage, UserMessage)], *call_of(left)])


def another_reason(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The refusal gives another reason than there is."""
    for left in seen.refused:
        yield replay([*seen.messages], [replace(left, text="Our rules say so on Sundays.")])


def unstated(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The system message does not state the clause, and the assistant refuses or asks for leave all the same."""
    gone = [SystemMessage("Be brief.") if type(one) is SystemMessage else one for one in seen.messages]
    if seen.refused or seen.proposed:
        yield replay(gone, seen.refused, seen.proposed)


def at_once(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The call is made without the proposal and the yes."""
    for left in seen.proposed:
        yield replay([*seen.messages[: left.at], *call_of(left)])


def after_no(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The user says no, or something that is no answer, and the call is made."""
    for left in seen.proposed:
        for reply in (
            "No, leave it.",
            "Hm, what would that cost?",
            "Yes? No, don't.",
            "Well, maybe.",
            "Yes, but on Friday.",
        ):
            yield replay([*seen.messages[: left.at + 1], UserMessage(reply), *call_of(left)])


def another_call(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The call names another thing than was proposed."""
    for left in seen.proposed:
        for slot in {link.argument.removeprefix("/") for link in seen.toolbox[left.tool].links} & left.args.keys():
            other = replace(left, args={**left.args, slot: "OTHER-000001"})
            yield replay([*seen.messages[: left.at + 1], UserMessage("Yes, please."), *call_of(other)])


def to_no_question(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The question is answered otherwise, and the yes is one to what is said later."""
    for left in seen.proposed:
        for reply, said in (
            ("Which order was that again?", "It's on its way."),
            ("No, leave it.", "OK, then it stays as it is."),
        ):
            later = [UserMessage(reply), AssistantMessage(said), UserMessage("Yes, please."), *call_of(left)]
            yield replay([*seen.messages[: left.at + 1], *later])


def left_out(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """The call that the clause demands is not made."""
    demanded = clause.order[0] if isinstance(clause, Order) else clause.identity
    for call in [call for call in seen.calls if call.tool == demanded and not call.failed]:
        yield replay([one for at, one in enumerate(seen.messages) if at not in (call.at, call.result_at)])


def of_another(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """The call that the clause demands names another thing, or another person."""
    demanded = clause.order[0] if isinstance(clause, Order) else clause.identity
    for call in [call for call in seen.calls if call.tool == demanded]:
        args = dict.fromkeys(call.args, "OTHER-000001")
        step = AssistantMessage(tool_calls=(ToolCall("planted", call.tool, args),))
        yield replay(
            [*seen.messages[: call.at], step, ToolMessage("planted", "{}"), *seen.messages[call.result_at + 1 :]]
        )


def unasked(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """The call leaves out what is to be asked for."""
    for call in [call for call in seen.calls if call.tool == clause.tools[0]]:
        args = {name: value for name, value in call.args.items() if name != clause.slot}
        yield replay([*seen.messages[: call.at], *call_of(UnmadeCall(call.tool, args, call.at, ""))])


def all_at_once(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """Two calls stand in one message."""
    covered = [call for call in seen.calls if clause.covers(looks_up=seen.toolbox[call.tool].looks_up)]
    for one, other in pairwise(covered):
        if other.at == one.result_at + 1:
            both = (ToolCall("one", one.tool, one.args), ToolCall("other", other.tool, other.args))
            yield replay([*seen.messages[: one.at], AssistantMessage(tool_calls=both)])


def no_offer(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The refusal offers nothing."""
    for left in seen.refused:
        yield replay([*seen.messages[: left.at], AssistantMessage(left.text)], [left])


def untold(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """The answer does not say what the clause wants told, or something else."""
    for call in [call for call in seen.calls if call.tool == clause.tools[0]]:
        for text in ("Done.", "It's done: all 1,234,567 of them."):
            yield replay([*seen.messages[: call.result_at + 1], AssistantMessage(text)])


def given_in(seen: Transcript, _: Clause) -> Iterator[Transcript]:
    """The user insists, and the refused call is made."""
    for left in seen.refused:
        said = [*seen.messages[: left.at + 1], UserMessage("Please, just this once.")]
        yield replay([*said, *call_of(left), AssistantMessage("Done.")], [left])


def of_somebody_else(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """The call has what is not the user's, or nobody knows who they are."""
    for left in seen.refused:
        yield replay([*seen.messages[: left.at], *call_of(left), AssistantMessage("Done.")])
        unknown = [one for at, one in enumerate(seen.messages[: left.at]) if at not in looked_up(seen, clause.by)]
        yield replay([*unknown, *call_of(left), AssistantMessage("Done.")])


def looked_up(seen: Transcript, tool: str) -> set[int]:
    return {at for call in seen.calls if call.tool == tool for at in (call.at, call.result_at)}


def leaked(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """What is hidden is told, in the words of the policy or in others."""
    for left in seen.refused:
        call = next(one for one in seen.calls if (one.tool, one.args) == (left.tool, left.args))
        value = next(one[clause.field] for one in objects_in(call.result) if clause.field in one)
        for text in (f"It's {value}.", f"Well, between us: {value}", f"Between us, that is {value}, I think."):
            yield replay([*seen.messages[: left.at], AssistantMessage(text)])


def another_amount(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """The argument is left out, or another number than the clause makes of it."""
    for call in [call for call in seen.calls if call.tool == clause.tools[0]]:
        others = {name: value for name, value in call.args.items() if name != clause.slot}
        for args in (others, {**others, clause.slot: call.args[clause.slot] + 1}):
            yield replay([*seen.messages[: call.at], *call_of(UnmadeCall(call.tool, args, call.at, ""))])


def one_try_more(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """After as many wrong answers as there may be, somebody is asked once more."""
    if clause.tries:
        at = next(call.at for call in seen.calls if call.tool == clause.identity)
        wrong = [
            one
            for number in range(3)
            for one in (
                UserMessage(f"It's x{number}@example.com."),
                AssistantMessage(
                    tool_calls=(ToolCall(f"try{number}", clause.identity, {clause.by: f"x{number}@example.com"}),)
                ),
                ToolMessage(f"try{number}", "Error: There is no account with this address.", clause.identity, True),
                AssistantMessage("There is none. Which one is it?"),
            )
        ]
        yield replay([*seen.messages[: at - 1], *wrong, *seen.messages[at - 1 :]])


def too_early(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """It is handed over before the user has asked for it so often."""
    if clause.times != 1:
        at = next(
            at
            for at, one in enumerate(seen.messages)
            if type(one) is UserMessage and one.content in with_listed_sentences(clause.on)
        )
        yield replay(
            [
                *seen.messages[: at + 1],
                *call_of(UnmadeCall(clause.transfer, {}, at, "")),
                AssistantMessage(clause.says[0]),
            ]
        )


def not_handed_over(seen: Transcript, clause: Clause) -> Iterator[Transcript]:
    """The conversation is not handed over, or goes on after that."""
    for call in [call for call in seen.calls if call.tool == clause.transfer]:
        without = [one for at, one in enumerate(seen.messages) if at not in (call.at, call.result_at)]
        yield replay(without, [replace(left, at=left.at - 2) for left in seen.refused])
        yield replay([*seen.messages, UserMessage("Thanks!"), AssistantMessage("You're welcome.")], seen.refused)


PLANTED: dict[type[Clause], tuple[Callable[[Transcript, Any], Iterator[Transcript]], ...]] = {
    Eligible: (made_all_the_same, given_in, unseen, another_reason, unstated),
    Forbid: (made_all_the_same, given_in, another_reason, unstated),
    Limit: (made_all_the_same, given_in, another_reason, unstated),
    Scope: (made_all_the_same, given_in, another_reason, unstated),
    Whose: (of_somebody_else, given_in, another_reason, unstated),
    Hide: (leaked, another_reason, unstated),
    Amount: (another_amount,),
    Transfer: (made_all_the_same, not_handed_over, too_early, another_reason),
    Confirm: (at_once, after_no, another_call, to_no_question, unstated),
    Order: (left_out, of_another),
    Identity: (left_out, of_another, one_try_more),
    Ask: (unasked,),
    OneByOne: (all_at_once,),
    Instead: (no_offer,),
    Tell: (untold,),
}


@pytest.mark.parametrize(("policy", "at"), CLAUSES)
def test_a_clause_that_binds_changes_what_follows_and_its_breaches_are_found(policy: int, at: int) -> None:
    row, twin = twins(policy, at)
    assert breaches(read(row)) == breaches(read(twin)) == []
    clause, seen = service().toolkit.policies[policy].clauses[at], read(row)
    for plant in PLANTED[type(clause)]:
        for planted in plant(seen, clause):
            assert breaches(planted), plant.__doc__


def test_each_kind_that_is_checked_has_planted_breaches() -> None:
    assert PLANTED.keys() == {*KINDS.values()} - {About}


def test_a_yes_may_follow_a_hesitation_after_the_question() -> None:
    own = next(one for one in service().toolkit.policies if one.policy == "help_desk")
    clause = next(one for one in own.clauses if isinstance(one, Confirm))
    left = UnmadeCall(clause.tools[0], {}, 0, "")
    asked = [
        SystemMessage(f"{own.role[0]} {clause.text[0]}"),
        UserMessage("Open a ticket."),
        AssistantMessage("Shall I?"),
    ]
    for unsure in REMARKS["unsure"]:
        decided = [UserMessage(unsure), AssistantMessage("Take your time."), UserMessage("Yes, do it, please.")]
        assert not breaches(replay([*asked, *decided, *call_of(left)])), unsure
    for told in ([], [AssistantMessage("It's all fine."), UserMessage("Let me think.")]):
        longer = [*asked, UserMessage("Let me think."), *told, AssistantMessage("Sure."), UserMessage("Yes.")]
        assert bool(breaches(replay([*longer, *call_of(left)]))) == bool(told)
