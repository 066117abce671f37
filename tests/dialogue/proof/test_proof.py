"""Made rows pass the checker as they are, and whatever makes a claim untrue is found out.

What is planted in rows, and what must come of each kind of change, is written down in `planted_changes`.
"""

import pytest
from changed_rows import PARTS, Proven, made, rearranged, replace, spliced, with_claim, with_proof
from planted_changes import KINDS, Planted, planted, refused
from planting.lists import (
    leave_one_of_several,
    miscount_all_together,
    miscount_what_is_left_out,
    tell_another_field,
)
from workbench import CONVERSATIONS

from generator.core.claims import AnswerClaim, AskClaim, Claim, Proof, UseClaim, WishClaim
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    SystemMessage,
    Tool,
    ToolCall,
    ToolMessage,
    UserMessage,
)
from generator.core.toolbox import Phrases, SlotFrames, Toolbox, ToolSpec
from generator.dialogue.acts.check import CODES
from generator.dialogue.proof.scripted import CODES as OF_SCRIPTS

OF_TALK = {"PF131", "PF132", "PF134", "PF136"}
"""Provoked in `test_talk.py`; the last one in `test_held_back.py`."""
ALL_KINDS = [kind for kinds in KINDS.values() for kind in kinds]


@pytest.mark.parametrize("phrases", [True, False])
def test_rows_as_they_are_made_report_nothing(phrases: bool):
    assert {row.scenario for row in made()} == {*CONVERSATIONS, "under_policy"}
    assert [finding for row in made() for finding in row.findings(phrases=phrases)] == []


def test_the_rows_have_something_of_everything():
    claims = [claim for row in made() for claim in row.proof.arguments]
    answers = [claim for row in made() for claim in row.proof.answers]
    assert {claim.source for claim in claims} == {"user", "result", "default", "earlier_turn", "context"}
    assert {claim.verbalizer for claim in claims} >= {
        *("literal", "quoted", "number", "words", "date", "time", "enum", "clause", "usd", "json"),
    }
    assert {claim.pick for claim in claims} >= {None, "last", "each", "min total", "max total"}
    assert {claim.verbalizer for claim in answers} >= {
        "count",
        "literal",
        "number",
        "date",
        "time",
        "usd",
        "eur",
        "enum",
    }
    assert {claim.of for claim in answers} == {"arguments", "result"}


def test_the_order_of_claims_does_not_matter():
    for row in made():
        turned = {name: getattr(row.proof, name)[::-1] for name in PARTS}
        assert with_proof(row, **turned).findings() == []


RARE = {
    leave_one_of_several,
    tell_another_field,
    miscount_all_together,
    miscount_what_is_left_out,
}
"""Changes of what few answers have; tests/dialogue/acts/test_lists.py has rows with some."""
every_kind = pytest.mark.parametrize("kind", ALL_KINDS, ids=lambda kind: kind.change.__name__)


@every_kind
def test_what_is_planted_is_refused(kind: Planted):
    """One change of each kind in a row of each scenario and toolbox, in five where those have none; the nightly job tries all."""
    found = refused(kind, planted(kind.change, each=1, most=1))
    if not found.number and kind.change not in RARE:
        found = refused(kind, planted(kind.change, most=1))
    if kind.change not in RARE:
        assert found.number
        assert found.codes
    assert len(found.passed) <= (0.1 * found.number if kind.mostly else 0), found.passed


@pytest.mark.nightly
@every_kind
def test_all_that_is_planted_is_refused(kind: Planted):
    """Of rows under a policy only what is asked, proposed and failed: another course of the rest may be as right."""
    found = refused(kind, planted(kind.change, with_policies=kind in (*KINDS["questions"], *KINDS["failures"])))
    assert found.codes or not found.number
    assert len(found.passed) <= (0.1 * found.number if kind.mostly else 0), found.passed


def test_every_code_is_provoked():
    provoked = {code for kind in ALL_KINDS for code in kind.codes.split()}
    under_policy = "PF137"  # tests/dialogue/acts and tests/scenarios/policies/compliance have rows under a policy
    depending = {"PF146", "PF147"}  # tests/scenarios/test_depending.py and test_goals.py
    assert set(CODES) - provoked - set(OF_SCRIPTS) == {"PF117", under_policy, *depending, *OF_TALK}


def test_a_finding_names_the_argument():
    for row in made()[::5]:
        if not row.claims("user"):
            continue
        claim = row.claims("user")[0]
        found = with_claim(row, claim, replace(claim, verbalizer="nonsense")).findings(phrases=False)
        assert [(one.code, one.at[:1]) for one in found] == [("PF102", ("message",))]


def test_what_the_user_and_the_answer_say_beside_phrases_is_told_apart():
    for row in [row for row in made() if row.scenario != "under_policy"][::5]:
        request, answer = row.at(UserMessage)[0], row.at(AssistantMessage)[-1]
        assert "PF110" in spliced(row, request, 0, 0, "Please water the plants. ").codes() <= {"PF110", "PF113"}
        assert spliced(row, answer, 0, 0, "Surely, ").codes() == {"PF111"}


# -- conversations that no scenario makes yet -----------------------------------------------------------------------------


def test_a_conversation_without_calls_has_nothing_to_prove():
    for talk in (Conversation(()), Conversation((UserMessage("Hi"), AssistantMessage("Hello!")))):
        assert Proven(talk, Proof(), "", {}).findings(phrases=False) == []


def weather(**phrases: object) -> Toolbox:
    parameters = {"type": "object", "properties": {"city": {"type": "string"}, "day": {"type": "string"}}}
    tool = Tool(name="get_weather", parameters=parameters)
    return {"get_weather": ToolSpec(tool=tool, domain="weather", where="x", phrases=Phrases(**phrases))}


def talk_about(*messages: object, proof: Proof, toolbox: Toolbox | None = None) -> Proven:
    return Proven(Conversation(messages), proof, "", toolbox or weather())


CALL = ToolCall("000000001", "get_weather", {})


def test_results_that_are_no_json_can_be_told_whole():
    """A tool may answer in plain text, which is a value like any other."""
    claim = AnswerClaim(3, 0, 17, "literal", CALL.id, "result", "")
    for told, codes in (("Sunny, 21 degrees", set()), ("Sunny, 22 degrees", {"PF106"})):
        row = talk_about(
            UserMessage("The weather?"), AssistantMessage(tool_calls=(CALL,)), ToolMessage(CALL.id, told),
            AssistantMessage("Sunny, 21 degrees"),
            proof=Proof(answers=(claim,), wishes=(WishClaim(CALL.id, CALL.name, 0),)),
        )  # fmt: skip
        assert row.codes(phrases=False) == codes


@pytest.mark.parametrize(
    ("system", "start", "end", "holds"),
    [
        ("The user lives in Oslo.", 18, 22, True),
        ("The user lives in Rome.", 18, 22, False),
        ("The user lives in Oslo.", 18, 21, False),
        ("The user lives in Oslo.", None, None, False),
        ("The user lives in Oslo.", -5, -1, False),
        ("The user lives in Osloo.", 18, 22, False),
    ],
)
def test_a_value_may_stand_in_the_system_message(system: str, start: int | None, end: int | None, holds: bool):
    call = ToolCall("000000001", "get_weather", {"city": "Oslo"})
    claim = Claim(call.id, "/city", "context", 0, start, end, "literal")
    row = talk_about(
        SystemMessage(system), UserMessage("call get_weather."), AssistantMessage(tool_calls=(call,)),
        ToolMessage(call.id, "{}"),
        proof=Proof(
            arguments=(claim,), wishes=(WishClaim(call.id, call.name, 1),), uses=(UseClaim(1, 0, "bare: call get_weather", (call.id,)),)
        ),
    )  # fmt: skip
    assert row.codes() == (set() if holds else {"PF116"})


def test_words_that_a_tool_does_not_accept_are_not_exchanged_with_those_that_it_does():
    """ "Meet at The Old Mill at 19:30" is not a meeting at a place called 19:30."""
    slots = {"place": SlotFrames(("at {place}",)), "time": SlotFrames(("at {time}",))}
    properties = {"place": {"type": "string"}, "time": {"type": "string", "pattern": "^[0-9]{2}:[0-9]{2}$"}}
    tool = Tool(name="meet", parameters={"type": "object", "properties": properties})
    toolbox = {
        "meet": ToolSpec(
            tool=tool, domain="x", where="x", phrases=Phrases(request=("meet at {place} at {time}",), slots=slots)
        )
    }
    text = "Meet at The Old Mill at 19:30."
    words = {value: (text.index(value), text.index(value) + len(value)) for value in ("The Old Mill", "19:30")}

    def row(place: str, time: str) -> Proven:
        call = ToolCall("000000001", "meet", {"place": place, "time": time})
        ways = {"The Old Mill": "literal", "19:30": "time"}
        claims = [
            Claim(call.id, f"/{name}", "user", 0, *words[value], ways[value]) for name, value in call.arguments.items()
        ]
        messages = (UserMessage(text), AssistantMessage(tool_calls=(call,)), ToolMessage(call.id, "{}"))
        use = UseClaim(0, 0, "request: meet at {place} at {time}", (call.id,))
        proof = Proof(arguments=tuple(claims), wishes=(WishClaim(call.id, "meet", 0),), uses=(use,))
        return talk_about(*messages, proof=proof, toolbox=toolbox)

    assert row("The Old Mill", "19:30").codes() == set()
    assert row("19:30", "The Old Mill").codes() == {"PF102", "PF110"}
    assert row("19:30", "The Old Mill").codes(phrases=False) == {"PF102"}


def test_two_questions_in_one_message_are_both_verified():
    row = next(row for row in made() if row.proof.asks)
    (ask,) = row.proof.asks
    for other in (
        replace(ask, call_id="000000000"),
        replace(ask, pointer="/nothing"),
        AskClaim(ask.message, 0, 1, ask.call_id, ask.pointer),
    ):
        for asks in ((ask, other), (other, ask)):
            assert "PF115" in with_proof(row, asks=asks).codes(phrases=False)


# -- unrolled rows: conversations that end before all is done -------------------------------------------------------------


def prefixes(row: Proven) -> list[Proven]:
    """The row up to each message of the assistant, with all claims about what stands there."""
    found = []
    for index in row.at(AssistantMessage):
        length = index + 1
        cut = row._replace(talk=replace(row.talk, messages=row.talk.messages[:length]))
        asked = {wish.call_id for wish in row.proof.wishes if wish.message < length}
        found.append(
            with_proof(
                cut,
                arguments=[
                    c
                    for c in row.proof.arguments
                    if c.call_id in asked and (c.source == "result" or (c.message or 0) < length)
                ],
                answers=[claim for claim in row.proof.answers if claim.message < length],
                wishes=[wish for wish in row.proof.wishes if wish.message < length],
                asks=[ask for ask in row.proof.asks if ask.message < length],
                tells=[tell for tell in row.proof.tells if tell.message < length],
                retracted=[claim for claim in row.proof.retracted if claim.message < length],
            )
        )
    return found


@pytest.mark.parametrize("phrases", [True, False])
def test_every_prefix_passes_as_one(phrases: bool):
    own = [row for row in made() if row.scenario != "under_policy"]  # whose clauses say what is to come
    found = [prefix for row in own for prefix in prefixes(row)]
    assert len(found) >= 2 * len(own)
    assert [
        prefix.findings(phrases=phrases, prefix=True)
        for prefix in found
        if prefix.findings(phrases=phrases, prefix=True)
    ] == []


def test_only_a_prefix_may_claim_calls_that_are_not_made():
    unfinished = [
        p
        for row in made()
        for p in prefixes(row)
        if {wish.call_id for wish in p.proof.wishes if wish.unmade is None} - p.calls.keys()
    ]
    assert len(unfinished) > 50
    assert all(prefix.findings() for prefix in unfinished)


def test_what_is_planted_in_a_prefix_is_refused():
    for row in made()[::3]:
        for prefix in prefixes(row):
            for index in prefix.at(UserMessage):
                changed = spliced(prefix, index, 0, 0, "Please water the plants. ")
                assert "PF110" in {finding.code for finding in changed.findings(prefix=True)}
            for claim in prefix.claims("user"):
                if claim.call_id in prefix.calls:
                    changed = with_claim(prefix, claim, replace(claim, verbalizer="nonsense"))
                    assert "PF102" in {finding.code for finding in changed.findings(prefix=True, phrases=False)}


def test_rearranged_rows_are_their_own_when_nothing_moves():
    """The means of these tests change nothing by themselves."""
    for row in made():
        assert rearranged(row, list(range(len(row.talk.messages)))) == row
