"""Finished rows have the shape of their scenario; rows that were changed, and rows of other scenarios, have not."""

from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from workbench import CONVERSATIONS, SHOP, TOOL_SPECS, recipe, rows, workshop

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, ToolCall, UserMessage
from generator.run.row import MadeRow, prepare
from generator.scenarios import SCENARIOS
from generator.scenarios.shape import ConversationShape, ShapedCall, conversation_shape

ALL = CONVERSATIONS
CHAINS = ("sequential", "fan_out", "mixed")


@pytest.fixture(scope="module")
def made(tmp_path_factory) -> dict[str, list[MadeRow]]:
    folder = tmp_path_factory.mktemp("shapes")
    return {name: rows(workshop(folder, name), 12) for name in CONVERSATIONS}


def reason(scenario: str, talk: Conversation, proof: Proof) -> str | None:
    """Why the conversation has not the shape; claims about calls that it has lost are left out."""
    there = {call.id for index in calls_at(talk) for call in talk.messages[index].tool_calls}
    claims = tuple(claim for claim in proof.arguments if claim.call_id in there)
    shape = conversation_shape(talk, msgspec.structs.replace(proof, arguments=claims))
    return next(SCENARIOS[scenario].faults(shape), None)


@pytest.mark.parametrize("scenario", ALL)
def test_made_rows_have_their_shape(made, scenario: str):
    assert {reason(scenario, one.row.conversation, one.row.proof) for one in made[scenario]} == {None}


@pytest.mark.parametrize("scenario", CHAINS)
def test_rows_of_the_shipped_tools_have_their_shape_too(scenario: str):
    shop = prepare(
        recipe([TOOL_SPECS / "travel.yaml", TOOL_SPECS / "mail.yaml", TOOL_SPECS / "banking.json"], scenario)
    )
    for one in rows(shop, 15):
        assert reason(scenario, one.row.conversation, one.row.proof) is None


OTHERS = {
    "single": {"parallel", "parallel_multiple", "sequential", "fan_out", "mixed"},
    "multiple": {"parallel", "parallel_multiple", "sequential", "fan_out", "mixed"},
    "parallel": {"single", "multiple", "parallel_multiple", "sequential", "fan_out", "mixed"},
    "parallel_multiple": {"single", "multiple", "parallel", "sequential", "fan_out", "mixed"},
    "sequential": {"single", "multiple", "parallel", "parallel_multiple"},
    "fan_out": {"single", "multiple", "parallel", "parallel_multiple", "sequential", "mixed"},
    "mixed": {"single", "multiple", "parallel", "parallel_multiple", "sequential", "fan_out"},
}
"""Scenario → those whose rows do not have its shape (a chain that fans out is still a chain)."""


@pytest.mark.parametrize("scenario", ALL)
def test_rows_of_other_scenarios_do_not(made, scenario: str):
    for other in OTHERS[scenario]:
        assert None not in {reason(scenario, one.row.conversation, one.row.proof) for one in made[other]}, other


def calls_at(talk: Conversation) -> list[int]:
    return [i for i, m in enumerate(talk.messages) if isinstance(m, AssistantMessage) and m.tool_calls]


def with_calls(talk: Conversation, index: int, calls: tuple[ToolCall, ...]) -> Conversation:
    messages = list(talk.messages)
    messages[index] = msgspec.structs.replace(messages[index], tool_calls=calls)
    return msgspec.structs.replace(talk, messages=tuple(messages))


def without_the_last_step(talk: Conversation) -> Conversation:
    return with_calls(talk, calls_at(talk)[-1], ())


def without_all_but_one_call(talk: Conversation) -> Conversation:
    index = max(calls_at(talk), key=lambda at: len(talk.messages[at].tool_calls))
    return with_calls(talk, index, talk.messages[index].tool_calls[:1])


def one_call_after_the_other(talk: Conversation) -> Conversation:
    first = calls_at(talk)[0]
    call, *others = talk.messages[first].tool_calls
    if not others:
        return without_the_last_step(talk)
    messages = list(with_calls(talk, first, (call,)).messages)
    messages[-1:-1] = [AssistantMessage(tool_calls=tuple(others))]
    return msgspec.structs.replace(talk, messages=tuple(messages))


def another_tool(talk: Conversation) -> Conversation:
    index = calls_at(talk)[0]
    call, *others = talk.messages[index].tool_calls
    return with_calls(talk, index, (msgspec.structs.replace(call, name="other_tool"), *others))


def one_tool_only(talk: Conversation) -> Conversation:
    index = calls_at(talk)[0]
    return with_calls(
        talk, index, tuple(msgspec.structs.replace(c, name="same") for c in talk.messages[index].tool_calls)
    )


def no_other_tools(talk: Conversation) -> Conversation:
    return msgspec.structs.replace(talk, tools=talk.tools[:1])


@pytest.mark.parametrize(
    ("scenario", "change"),
    [
        ("single", without_the_last_step),
        ("multiple", no_other_tools),
        ("parallel", without_all_but_one_call),
        ("parallel", another_tool),
        ("parallel", one_call_after_the_other),
        ("parallel_multiple", one_tool_only),
        ("parallel_multiple", one_call_after_the_other),
        ("fan_out", without_all_but_one_call),
        ("fan_out", without_the_last_step),
        ("mixed", without_all_but_one_call),
        ("mixed", without_the_last_step),
    ],
)
def test_a_row_that_was_changed_has_lost_it(made, scenario: str, change: Callable[[Conversation], Conversation]):
    for one in made[scenario]:
        assert reason(scenario, change(one.row.conversation), one.row.proof) is not None


def test_a_chain_without_its_later_steps_is_none(made):
    for one in made["sequential"]:
        talk = one.row.conversation
        for index in calls_at(talk)[1:]:
            talk = with_calls(talk, index, ())
        assert reason("sequential", talk, one.row.proof)


@pytest.mark.parametrize("scenario", CHAINS)
def test_a_chain_whose_user_knows_the_identifier_is_none(made, scenario: str):
    """What the user says already needs no earlier result."""
    for one in made[scenario]:
        talk, proof = one.row.conversation, one.row.proof
        known = [
            call.arguments[claim.pointer[1:]]
            for claim in proof.arguments
            if claim.source == "result"
            for index in calls_at(talk)
            for call in talk.messages[index].tool_calls
            if call.id == claim.call_id
        ]
        index = next(i for i, m in enumerate(talk.messages) if isinstance(m, UserMessage))
        messages = list(talk.messages)
        messages[index] = UserMessage(content=f"{messages[index].content} It is {' or '.join(map(str, known))}.")
        assert reason(scenario, msgspec.structs.replace(talk, messages=tuple(messages)), proof) is not None


@pytest.mark.parametrize("scenario", CHAINS)
def test_a_chain_without_claims_from_results_is_none(made, scenario: str):
    for one in made[scenario]:
        claims = tuple(claim for claim in one.row.proof.arguments if claim.source != "result")
        assert reason(scenario, one.row.conversation, Proof(arguments=claims)) is not None


def test_a_fan_out_uses_every_element_once():
    def call(name: str, *takes: str) -> ShapedCall:
        return ShapedCall(name, bool(takes), takes)

    def shape(*second: ShapedCall) -> ConversationShape:
        return ConversationShape("UCCA", ((call("find"),), second), 2)

    faults = SCENARIOS["fan_out"].faults
    one, other = (call("act", f"3:/items/{place}/id") for place in (0, 1))
    assert [*faults(shape(one, other))] == []
    assert [*faults(shape(one, one))]
    assert [*faults(shape(one, call("act")))]


@pytest.mark.parametrize("scenario", ALL)
def test_an_empty_conversation_has_no_shape(scenario: str):
    talk = Conversation(messages=(UserMessage(content="Hi"), AssistantMessage(content="Hello!")))
    assert reason(scenario, talk, Proof())


@pytest.mark.parametrize("scenario", ALL)
def test_scenarios_say_what_they_are(scenario: str):
    assert SCENARIOS[scenario].name == scenario
    assert 10 < len(SCENARIOS[scenario].about) < 100


def test_a_short_value_that_happens_to_stand_in_the_message_is_not_said_by_it(tmp_path: Path):
    """An identifier like 3 is not known because the user wants three rooms "at 3:30": a row of such tools can be made."""
    text = SHOP.replace(
        'order_id: {type: string, pattern: "^ORD-[0-9]{6}$"', "order_id: {type: integer, minimum: 1, maximum: 9"
    )
    text = text.replace("order_id: {type: string}", "order_id: {type: integer}")
    made_rows = rows(workshop(tmp_path, "sequential", text=text), 20)
    assert sum(len(one.rejected) for one in made_rows) <= 20
