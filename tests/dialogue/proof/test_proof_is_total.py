"""Whatever conversation and whatever claims it is given, the checker reports and never raises."""

import random
from typing import Any

import pytest
from changed_rows import PARTS, Proven, made, replace, spliced, with_message, with_messages, with_proof
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st
from strategies import JSON, conversations

from generator.core.claims import AnswerClaim, AskClaim, Claim, Proof, WishClaim
from generator.core.conversation import AssistantMessage, Conversation, ToolCall, ToolMessage
from generator.core.toolbox import Toolbox, ToolSpec
from generator.dialogue.values import VERBALIZERS

# -- rows with several accidents: each takes a row and chance, and gives the changed row -----------------------------------


def alter_a_claim(row: Proven, chance: random.Random) -> Proven:
    """Another beginning, end, place, way of saying, call or message: one of another claim, or one that is not."""
    name = chance.choice([name for name in PARTS if getattr(row.proof, name)])
    claims: list[Any] = list(getattr(row.proof, name))
    at, other = chance.randrange(len(claims)), chance.choice(claims)
    field = chance.choice(claims[at].__struct_fields__)
    value = getattr(other, field)
    if isinstance(value, int) and chance.random() < 0.7:
        value += chance.choice([-1, 1, 2, -5, 10**6, -(10**6), -value])
    elif isinstance(value, str) and chance.random() < 0.5:
        value = chance.choice(["", "/", value + "/0", value + "/~", "/0/0", "nonsense", "*", "each", "first"])
    elif (
        chance.random() < 0.1
        and field in {"start", "end", "verbalizer", "pick", "result_pointer"}
        and name == "arguments"
    ):
        value = None
    claims[at] = replace(claims[at], **{field: value})
    return with_proof(row, **{name: claims})


def drop_or_double_a_claim(row: Proven, chance: random.Random) -> Proven:
    name = chance.choice([name for name in PARTS if getattr(row.proof, name)])
    claims: list[Any] = list(getattr(row.proof, name))
    at = chance.randrange(len(claims))
    claims[at : at + 1] = [claims[at]] * chance.choice([0, 2])
    return with_proof(row, **{name: claims})


def edit_a_text(row: Proven, chance: random.Random) -> Proven:
    """A letter, a digit or a word more or less somewhere; what is claimed about what follows may move along."""
    index = chance.randrange(len(row.talk.messages))
    content = row.text(index)
    at = chance.randrange(len(content) + 1)
    added = chance.choice(["", "x", "7", " ", " and", ", ", "not ", "1. ", "Ü", "ß", "İ", "\n", "\0"])
    cut = min(chance.choice([0, 0, 1, 3, 10**6]), len(content) - at)
    if chance.random() < 0.5:
        return spliced(row, index, at, cut, added)
    return with_message(row, index, content=content[:at] + added + content[at + cut :])


def alter_a_call(row: Proven, chance: random.Random) -> Proven:
    """Another value, a value less, another tool, another call's arguments or id."""
    steps = [index for index in row.at(AssistantMessage) if row.talk.messages[index].tool_calls]
    at = chance.choice(steps)
    calls: list[ToolCall] = list(row.talk.messages[at].tool_calls)
    which, other = chance.randrange(len(calls)), chance.choice(list(row.calls.values()))
    arguments = dict(calls[which].arguments)
    if arguments and chance.random() < 0.6:
        key = chance.choice(list(arguments))
        arguments[key] = chance.choice(
            [*arguments.values(), *other.arguments.values(), None, 1, True, "Oslo", [], {"": {}}]
        )
        if chance.random() < 0.3:
            del arguments[key]
        calls[which] = replace(calls[which], arguments=arguments)
    else:
        field = chance.choice(["name", "arguments", "id"])
        calls[which] = replace(calls[which], **{field: getattr(other, field)})
    return with_message(row, at, tool_calls=tuple(calls))


def alter_the_messages(row: Proven, chance: random.Random) -> Proven:
    """A message less, twice, elsewhere, or one of another row."""
    messages = list(row.talk.messages)
    if not messages:
        return row
    at = chance.randrange(len(messages))
    taken = messages.pop(at)
    other = chance.choice(chance.choice(made()).talk.messages)
    messages[at:at] = chance.choice([[], [taken, taken], [other], [other, taken]])
    return with_messages(row, messages)


def alter_a_result(row: Proven, chance: random.Random) -> Proven:
    told = row.at(ToolMessage)
    if not told:
        return row
    at, other = chance.choice(told), row.talk.messages[chance.choice(told)]
    content = chance.choice([other.content, "", "null", "[]", "{", "7", '{"orders":null}', '{"orders":[]}', "[[[]]]"])
    return with_message(row, at, **chance.choice([{"content": content}, {"tool_call_id": other.tool_call_id}]))


ACCIDENTS = (alter_a_claim, drop_or_double_a_claim, edit_a_text, alter_a_call, alter_the_messages, alter_a_result)


def fits(row: Proven, accident: Any) -> bool:
    """Whether there is something to alter."""
    if accident in {alter_a_claim, drop_or_double_a_claim}:
        return any(getattr(row.proof, name) for name in PARTS)
    if accident is alter_a_call:
        return bool(row.calls)
    return bool(row.talk.messages)


@settings(max_examples=examples(400))
@given(
    st.integers(0, 10**6),
    st.lists(st.sampled_from(ACCIDENTS), min_size=1, max_size=5),
    st.booleans(),
    st.booleans(),
    st.randoms(use_true_random=False),
)
@example(
    250385, [edit_a_text], False, False, random.Random(138)
)  # a list whose elements no longer hold the same fields
def test_rows_after_accidents_are_read_to_the_end(
    index: int, accidents: list[Any], phrases: bool, prefix: bool, chance: random.Random
):
    row = made()[index % len(made())]
    for accident in accidents:
        row = accident(row, chance) if fits(row, accident) else row
    found = row.findings(phrases=phrases, prefix=prefix)
    assert "PF117" not in {finding.code for finding in found}, found


# -- anything at all --------------------------------------------------------------------------------------------------------

NUMBERS = st.integers(-4, 40) | st.sampled_from([10**6, -(10**9)])
MAYBE = st.none() | NUMBERS
WAYS = st.sampled_from([*VERBALIZERS, "reference", "clause", "nothing", "empty", "", "nonsense"])
POINTERS = st.sampled_from(
    [
        *("", "/", "//", "/~", "/~2", "/0", "/-1", "/٣", "/99999999999999999999", "/a/b", "x", "*", "/*", "/note"),
        *("/date", "/count", "/schlüssel~1~0", '/odd "key"\n', "/level/0", "/prices/1", "/stops/0/place/city"),
    ]
)
PICKS = st.none() | st.sampled_from(["first", "last", "each", "", "min", "min /x", "max note", "min  ", "middle"])


def proofs(ids: list[str], names: list[str]) -> st.SearchStrategy[Proof]:
    called = st.sampled_from([*ids, "nobody00"])
    claims = st.builds(
        Claim,
        called,
        POINTERS,
        st.sampled_from(["user", "context", "result", "earlier_turn", "default", "nonsense"]),
        MAYBE,
        MAYBE,
        MAYBE,
        st.none() | WAYS,
        st.none() | POINTERS,
        PICKS,
    )
    answers = st.builds(
        AnswerClaim, NUMBERS, NUMBERS, NUMBERS, WAYS, called, st.sampled_from(["result", "arguments"]), POINTERS
    )
    wishes = st.builds(WishClaim, called, st.sampled_from([*names, "nothing"]), NUMBERS)
    asks = st.builds(AskClaim, NUMBERS, NUMBERS, NUMBERS, called, POINTERS)
    several = [st.lists(one, max_size=4).map(tuple) for one in (claims, answers, wishes, asks)]
    return st.builds(Proof, *several)


@st.composite
def anything(draw: st.DrawFn) -> tuple[Conversation, Proof, Toolbox]:
    talk = draw(conversations())
    messages = draw(st.permutations(talk.messages)) if draw(st.booleans()) else talk.messages
    talk = replace(talk, messages=tuple(messages))
    calls = [call for m in messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
    known = draw(st.lists(st.sampled_from(talk.tools), unique_by=lambda tool: tool.name)) if talk.tools else []
    toolbox = {
        tool.name: ToolSpec(
            tool=tool,
            domain="any",
            where="any",
            returns=draw(st.none() | st.dictionaries(st.sampled_from(["type", "properties", "items", "enum"]), JSON)),
        )
        for tool in known
    }
    return talk, draw(proofs([call.id for call in calls], [call.name for call in calls])), toolbox


@pytest.mark.parametrize("phrases", [True, False])
@settings(max_examples=examples(120))
@given(anything(), st.booleans())
def test_any_claims_about_any_conversation_are_read(
    phrases: bool, given: tuple[Conversation, Proof, Toolbox], prefix: bool
):
    Proven(*given[:2], "", given[2]).findings(phrases=phrases, prefix=prefix)
