"""Made rows pass the proof check as they are, and whatever makes a claim untrue is found out.

Every test changes one thing in finished rows of all scenarios and wants to see the code of the rule that is broken
then. A change that nobody notices would let an unproven value into the data.
"""

from collections.abc import Iterator

import pytest
from changed_rows import (
    Bench,
    Case,
    Change,
    Made,
    calls_of,
    copy_of,
    faults,
    replace,
    result_claims,
    text_of,
    unnoticed,
    user_claims,
    with_arguments,
    with_claim,
    with_message,
    with_result,
    with_value,
)
from generator.validation.proof.check_proof import CODES

from generator.conversation import (
    AnswerClaim,
    AssistantMessage,
    Conversation,
    Proof,
    ToolCall,
    ToolMessage,
    UserMessage,
)


def test_rows_as_they_are_made_report_nothing(bench: Bench):
    assert [fault for made in bench.rows for fault in faults(made, bench.toolbox)] == []


def test_the_rows_have_something_of_everything(bench: Bench):
    claims = [claim for made in bench.rows for claim in made.proof.arguments]
    answers = [claim for made in bench.rows for claim in made.proof.answers]
    assert {claim.source for claim in claims} == {"user", "result", "default"}
    assert {claim.verbalizer for claim in claims} >= {
        *("literal", "quoted", "number", "words", "date", "time", "enum", "clause", "nothing", "usd", "json"),
    }
    assert {claim.pick for claim in claims} >= {None, "last", "each", "min total", "max total"}
    assert {claim.verbalizer for claim in answers} >= {"count", "literal", "number", "date", "time", "usd", "eur", "enum"}
    assert {claim.of for claim in answers} == {"arguments", "result"}


def test_the_order_of_claims_does_not_matter(bench: Bench):
    for made in bench.rows:
        turned = Proof(arguments=made.proof.arguments[::-1], answers=made.proof.answers[::-1])
        assert faults(made._replace(proof=turned), bench.toolbox) == []


def test_a_conversation_without_calls_has_nothing_to_prove(bench: Bench):
    talk = Conversation(messages=(UserMessage(content="Hi"), AssistantMessage(content="Hello!")))
    assert faults(Made(talk, Proof()), bench.toolbox) == []
    assert faults(Made(Conversation(messages=()), Proof()), bench.toolbox) == []


def test_a_fault_names_the_argument(bench: Bench):
    for made in bench.rows[:20]:
        claim = user_claims(made)[0]
        changed = with_claim(made, claim, replace(claim, verbalizer="nonsense"))
        (fault,) = faults(changed, bench.toolbox)
        assert (fault.rule, fault.path) == ("PF102", f"$.arguments[{claim.call_id}]{claim.pointer}")
        assert "no such reader" in fault.message


# -- PF101: every leaf has a claim --------------------------------------------------------------------------------


def drop_a_claim(made: Made) -> Iterator[Case]:
    for claim in made.proof.arguments:
        rest = [c.pointer for c in made.proof.arguments if c is not claim and c.call_id == claim.call_id]
        if claim.pointer not in rest:
            yield Case(f"without {claim}", with_claim(made, claim))


def add_an_argument(made: Made) -> Iterator[Case]:
    for call in calls_of(made.talk).values():
        for value in (1, "x", None, [], {}, {"a": 1}):
            yield Case(f"{call.name} with more", with_arguments(made, call.id, {**call.arguments, "more": value}))


def add_to_a_list_or_object(made: Made) -> Iterator[Case]:
    for call in calls_of(made.talk).values():
        for name, part in call.arguments.items():
            whole = [c for c in made.proof.arguments if c.call_id == call.id and c.pointer == f"/{name}"]
            if isinstance(part, list | dict) and not whole:
                bigger = [*copy_of(part), copy_of(part[0])] if isinstance(part, list) else {**part, "more": 1}
                yield Case(f"more in {name}", with_value(made, call.id, f"/{name}", bigger))


def aim_a_claim_elsewhere(made: Made) -> Iterator[Case]:
    for claim in made.proof.arguments:
        yield Case("no such argument", with_claim(made, claim, replace(claim, pointer="/nothing")))
        yield Case("no such call", with_claim(made, claim, replace(claim, call_id="000000000")))
        yield Case("deeper", with_claim(made, claim, replace(claim, pointer=claim.pointer + "/0")))


def an_unknown_source(made: Made) -> Iterator[Case]:
    for claim in made.proof.arguments:
        for source in ("context", "earlier_turn", "model"):
            yield Case(source, with_claim(made, claim, replace(claim, source=source)))


def add_a_call(made: Made) -> Iterator[Case]:
    for index, message in enumerate(made.talk.messages):
        if isinstance(message, AssistantMessage) and message.tool_calls:
            extra = ToolCall(id="extra0000", name="get_weather", arguments={"city": "Atlantis"})
            yield Case("one call more", with_message(made, index, replace(message, tool_calls=(*message.tool_calls, extra))))


@pytest.mark.parametrize(
    "change", [drop_a_claim, add_an_argument, add_to_a_list_or_object, aim_a_claim_elsewhere, an_unknown_source, add_a_call]
)
def test_a_leaf_without_a_source_is_noticed(bench: Bench, change: Change):
    assert unnoticed(bench, change, "PF101") == []


# -- PF105: defaults------------------------------------------------------------


def claim_a_default_for_what_the_user_says(made: Made) -> Iterator[Case]:
    for claim in user_claims(made):
        yield Case(f"{claim.pointer}", with_claim(made, claim, replace(claim, source="default")))


def claim_a_default_for_what_a_result_gives(made: Made) -> Iterator[Case]:
    for claim in result_claims(made):
        yield Case(f"{claim.pointer}", with_claim(made, claim, replace(claim, source="default")))


def change_a_default(made: Made) -> Iterator[Case]:
    for claim in made.proof.arguments:
        if claim.source == "default":
            for value in ("phone", "", None, ["assistant"]):
                yield Case(f"{value!r}", with_value(made, claim.call_id, claim.pointer, value))


@pytest.mark.parametrize(
    "change", [claim_a_default_for_what_the_user_says, claim_a_default_for_what_a_result_gives, change_a_default]
)
def test_a_default_that_the_schema_does_not_fix_is_noticed(bench: Bench, change: Change):
    assert unnoticed(bench, change, "PF105") == []


# -- PF108: calls made at once -------------------------------------------------------------------------------------------


def make_a_call_twice(made: Made) -> Iterator[Case]:
    """Everything about the second call is in order, except that it is the first one again."""
    for index, message in enumerate(made.talk.messages):
        for call in message.tool_calls if isinstance(message, AssistantMessage) else ():
            answer = next(m for m in made.talk.messages if isinstance(m, ToolMessage) and m.tool_call_id == call.id)
            for arguments in (call.arguments, dict(reversed(call.arguments.items()))):
                again = replace(call, id="again0000", arguments=arguments)
                changed = with_message(made, index, replace(message, tool_calls=(*message.tool_calls, again)))
                talk = replace(
                    changed.talk, messages=(*changed.talk.messages, replace(answer, tool_call_id=again.id))
                )
                claims = [replace(c, call_id=again.id) for c in made.proof.arguments if c.call_id == call.id]
                proof = replace(made.proof, arguments=(*made.proof.arguments, *claims))
                yield Case(call.name, Made(talk, proof))


def test_a_call_that_is_made_twice_is_noticed(bench: Bench):
    assert unnoticed(bench, make_a_call_twice, "PF108") == []


# -- PF109: what the user says and no call takes -------------------------------------------------------------------------


def ask_for_something_that_nobody_does(made: Made) -> Iterator[Case]:
    index = next(i for i, m in enumerate(made.talk.messages) if isinstance(m, UserMessage))
    content = text_of(made.talk, index)
    for more in (" Also book 17 rooms in Reykjavik.", " Do it by 23 May.", "\n12) and then some"):
        yield Case(f"{more!r}", with_message(made, index, replace(made.talk.messages[index], content=content + more)))


def test_a_number_that_no_call_takes_is_noticed(bench: Bench):
    assert unnoticed(bench, ask_for_something_that_nobody_does, "PF109") == []


# -- and whatever else -----------------------------------------------------------------------------------------------------


def test_every_code_is_provoked_above():
    assert list(CODES) == [f"PF10{number}" for number in range(1, 10)]


def test_a_call_of_a_tool_that_is_not_there_is_a_fault_and_not_an_error(bench: Bench):
    for made in bench.rows[::7]:
        for index, message in enumerate(made.talk.messages):
            if isinstance(message, AssistantMessage) and message.tool_calls:
                calls = tuple(replace(call, name="no_such_tool") for call in message.tool_calls)
                assert faults(with_message(made, index, replace(message, tool_calls=calls)), bench.toolbox)


def test_results_that_are_no_json_can_be_told_whole(bench: Bench):
    """A tool may answer in plain text, which is a value like any other."""
    call = ToolCall(id="000000001", name="get_weather", arguments={})
    messages = (
        UserMessage(content="The weather?"),
        AssistantMessage(tool_calls=(call,)),
        ToolMessage(tool_call_id=call.id, content="Sunny, 21 degrees"),
        AssistantMessage(content="Sunny, 21 degrees"),
    )
    claim = AnswerClaim(message=3, start=0, end=17, verbalizer="literal", call_id=call.id, of="result", pointer="")
    made = Made(Conversation(messages=messages), Proof(answers=(claim,)))
    assert faults(made, bench.toolbox) == []
    assert {f.rule for f in faults(with_result(made, 2, "Sunny, 22 degrees"), bench.toolbox)} == {"PF106"}
