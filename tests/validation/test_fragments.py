"""A finished row cannot be changed so that its text says more, less or something else than its calls do.

Each change here keeps every single claim true, or nearly: what gives it away is the text between the claims. The rows
come from the small tools of the workbench and from all tools that ship.
"""

from collections.abc import Callable
from functools import lru_cache
from pathlib import Path

import pytest
from changed_rows import (
    Bench,
    Made,
    calls_of,
    replace,
    spliced,
    text_of,
    with_answer_claim,
    with_arguments,
    with_value,
)
from generator.validation.phrase_grammar.fragments import FRAGMENT_CODES, check_fragments
from generator.validation.proof.check_proof import check_proof
from generator.validation.proof.proven import surely_proven
from hypothesis import given, settings
from hypothesis import strategies as st
from workbench import rows, workshop

from generator.conversation import AnswerClaim, AssistantMessage, Claim, Proof, ToolMessage, UserMessage, Violation
from generator.formats import FORMATS
from generator.pointers import resolve
from generator.recipe.load import load_recipe
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS
from generator.toolbox import Toolbox
from generator.validation import check_record
from generator.validation.phrase_grammar.gaps import ALSO, REQUESTS, book_of, join_marks, spot_at

RECIPES = Path(__file__).parents[2] / "recipes"
Draw = Callable[[st.SearchStrategy], object]


@lru_cache
def shipped() -> Bench:
    """Rows of the recipe that has something of everything."""
    shop = prepare(load_recipe(RECIPES / "mixed.yaml", scenarios=SCENARIOS, formats=FORMATS))
    made = [make_row(shop, index).row for index in range(120)]
    return Bench([Made(row.conversation, row.proof) for row in made], shop.toolbox)


def is_noticed(made: Made, toolbox: Toolbox) -> bool:
    found = bool(check_fragments(*made, toolbox) or check_proof(*made, toolbox))
    assert not found or not surely_proven(*made, toolbox)
    return found or bool(record_faults(made))


def record_faults(made: Made) -> list[Violation]:
    return check_record(FORMATS["deepfabric"].render(made.talk))


# -- the changes: each takes a row and a way to draw, and gives the changed row or None when there is nothing to change


def said(made: Made) -> list[Claim]:
    return [claim for claim in made.proof.arguments if claim.source == "user"]


def users(made: Made) -> list[int]:
    return [at for at, message in enumerate(made.talk.messages) if isinstance(message, UserMessage)]


def answers(made: Made) -> list[int]:
    found = enumerate(made.talk.messages)
    return [at for at, message in found if isinstance(message, AssistantMessage) and message.content]


def with_claims(made: Made, old: list[Claim], new: list[Claim]) -> Made:
    kept = [claim for claim in made.proof.arguments if not any(claim is other for other in old)]
    return made._replace(proof=replace(made.proof, arguments=(*kept, *new)))


def one_of(draw: Draw, found: list) -> object:
    return draw(st.sampled_from(found)) if found else None


def exchanged(made: Made, one: Claim, other: Claim) -> Made:
    """Each argument takes the value and the words of the other."""
    left = resolve(calls_of(made.talk)[one.call_id].arguments, one.pointer)
    right = resolve(calls_of(made.talk)[other.call_id].arguments, other.pointer)
    changed = with_value(made, one.call_id, one.pointer, right)
    changed = with_value(changed, other.call_id, other.pointer, left)
    words = replace(one, call_id=other.call_id, pointer=other.pointer), replace(other, call_id=one.call_id, pointer=one.pointer)
    return with_claims(changed, [one, other], list(words))


def differ(made: Made, one: Claim, other: Claim) -> bool:
    values = [resolve(calls_of(made.talk)[c.call_id].arguments, c.pointer) for c in (one, other)]
    return bool(values[0] != values[1] and type(values[0]) is type(values[1]))


def swap_two_arguments_of_a_call(made: Made, draw: Draw) -> Made | None:
    """ "From Oslo to Rome", and the call flies from Rome."""
    pairs = [
        (one, other)
        for one in said(made)
        for other in said(made)
        if one.call_id == other.call_id and one.pointer < other.pointer and differ(made, one, other)
    ]
    pair = one_of(draw, pairs)
    return exchanged(made, *pair) if pair else None


def swap_an_argument_of_two_calls(made: Made, draw: Draw) -> Made | None:
    """ "Oslo tomorrow and Rome on Friday", and the calls ask for Rome tomorrow."""
    claims = said(made)
    spans = [(claim.start, claim.end) for claim in claims]
    own = [claim for claim in claims if spans.count((claim.start, claim.end)) == 1]
    calls = calls_of(made.talk)
    pairs = [
        (one, other)
        for one in own
        for other in own
        if one.call_id < other.call_id
        and calls[one.call_id].name == calls[other.call_id].name
        and one.pointer == other.pointer
        and differ(made, one, other)
        and all(sum(c.call_id == call for c in own) > 1 for call in (one.call_id, other.call_id))
    ]
    pair = one_of(draw, pairs)
    return exchanged(made, *pair) if pair else None


def drop_an_optional_argument(made: Made, draw: Draw) -> Made | None:
    """The words for it are still there: with several calls, for each of them, or for none."""
    tools = {tool.name: tool for tool in made.talk.tools}
    shared = [(claim.start, claim.end) for claim in said(made)]
    is_each = any(claim.pick == "each" for claim in made.proof.arguments)
    optional = []
    for claim in said(made):
        call, key = calls_of(made.talk)[claim.call_id], claim.pointer.split("/")[1]
        is_own = shared.count((claim.start, claim.end)) == 1
        if (is_own or is_each) and key not in (tools[call.name].parameters or {}).get("required", ()):
            optional.append((call, key))
    chosen = one_of(draw, optional)
    if chosen is None:
        return None
    call, key = chosen
    rest = {name: value for name, value in call.arguments.items() if name != key}
    about = [c for c in made.proof.arguments if c.call_id == call.id and c.pointer.split("/")[1] == key]
    return with_claims(with_arguments(made, call.id, rest), about, [])


def drop_a_call(made: Made, draw: Draw) -> Made | None:
    """One call is missing, with its result and all that is claimed about it; somebody asked for it."""
    steps = [message for message in made.talk.messages if isinstance(message, AssistantMessage) and len(message.tool_calls) > 1]
    used = {claim.message for claim in made.proof.arguments if claim.source == "result"}
    told = {message.tool_call_id: at for at, message in enumerate(made.talk.messages) if isinstance(message, ToolMessage)}
    free = [call for step in steps for call in step.tool_calls if told[call.id] not in used]
    gone = one_of(draw, free)
    if gone is None or any(claim.pick == "each" for claim in made.proof.arguments):
        return None
    messages, at = [], told[gone.id]
    for message in made.talk.messages:
        if isinstance(message, AssistantMessage) and gone in message.tool_calls:
            message = replace(message, tool_calls=tuple(call for call in message.tool_calls if call is not gone))
        if not (isinstance(message, ToolMessage) and message.tool_call_id == gone.id):
            messages.append(message)

    def moved(claim):
        after = claim.message is not None and claim.message > at
        return replace(claim, message=claim.message - 1) if after else claim

    return Made(
        replace(made.talk, messages=tuple(messages)),
        Proof(
            arguments=tuple(moved(claim) for claim in made.proof.arguments if claim.call_id != gone.id),
            answers=tuple(moved(claim) for claim in made.proof.answers if claim.call_id != gone.id),
        ),
    )


MORE_TO_ASK = (" and book me a taxi", ", and book me a taxi", "Also, water the plants. ", " for Maria", " not", " really", "\n- Feed the cat", ' called "Blue Moon"')
MORE_TO_TELL = ("The manager approved it. ", " by Maria", " not", " almost", " two", ' called "Blue Moon"', " Nothing else was found.", " twelve")


def added(made: Made, at: int, more: str, draw: Draw) -> Made:
    """More words beside a value, or where the text begins or ends."""
    spans = [(c.start, c.end) for c in (*said(made), *made.proof.answers) if c.message == at]
    ends = sorted({0, len(text_of(made.talk, at)), *[place for span in spans for place in span]})
    places = [place for place in ends if not any(start < place < end for start, end in spans)]
    place = draw(st.sampled_from(places))
    text = more if place in {end for _, end in spans} or place == len(text_of(made.talk, at)) else more.strip() + " "
    changed = spliced(made, at, place, 0, text)
    return kept_at(made, changed, at, place, len(text))


def kept_at(made: Made, changed: Made, at: int, place: int, length: int) -> Made:
    """The same, but spans that end where words were added stay as they were."""

    def kept(old, new):
        ended = old.end == place and old.start is not None and old.start < place and new.end != old.end
        return replace(new, end=new.end - length) if ended else new

    return changed._replace(
        proof=Proof(
            arguments=tuple(kept(*pair) for pair in zip(made.proof.arguments, changed.proof.arguments, strict=True)),
            answers=tuple(
                kept(*pair) if pair[0].message == at else pair[1]
                for pair in zip(made.proof.answers, changed.proof.answers, strict=True)
            ),
        )
    )


def ask_for_more(made: Made, draw: Draw) -> Made | None:
    return added(made, draw(st.sampled_from(users(made))), draw(st.sampled_from(MORE_TO_ASK)), draw)


def tell_more(made: Made, draw: Draw) -> Made | None:
    return added(made, draw(st.sampled_from(answers(made))), draw(st.sampled_from(MORE_TO_TELL)), draw)


def claim_less_of_an_answer(made: Made, draw: Draw) -> Made | None:
    """A name or a number stands in the answer, and nothing says where it comes from."""
    claim = one_of(draw, list(made.proof.answers))
    return with_answer_claim(made, claim) if isinstance(claim, AnswerClaim) else None


def turn_a_list_round(made: Made, draw: Draw) -> Made | None:
    """The values of a list in another order than they are said in."""
    lists = [
        (call.id, key, [c for c in said(made) if c.call_id == call.id and c.pointer in {f"/{key}/0", f"/{key}/1"}])
        for call in calls_of(made.talk).values()
        for key, value in call.arguments.items()
        if isinstance(value, list) and len(value) > 1 and value[0] != value[1]
    ]
    chosen = one_of(draw, [entry for entry in lists if len(entry[2]) == 2])
    return exchanged(made, *chosen[2]) if chosen else None


CHANGES = {
    change.__name__: change
    for change in (
        swap_two_arguments_of_a_call,
        swap_an_argument_of_two_calls,
        drop_an_optional_argument,
        drop_a_call,
        ask_for_more,
        tell_more,
        claim_less_of_an_answer,
        turn_a_list_round,
    )
}


def test_rows_as_they_are_made_report_nothing(bench: Bench):
    for made, toolbox in [(made, some.toolbox) for some in (bench, shipped()) for made in some.rows]:
        assert check_fragments(*made, toolbox) == []


@pytest.mark.parametrize("name", CHANGES)
@settings(max_examples=150, derandomize=True)
@given(data=st.data())
def test_a_changed_row_is_noticed(name: str, data: st.DataObject):
    made = data.draw(st.sampled_from(possible(name)))
    changed = CHANGES[name](made, data.draw)
    assert changed is not None
    assert is_noticed(changed, shipped().toolbox)


@lru_cache
def possible(name: str) -> list[Made]:
    """The rows that have something to change."""
    return [made for made in shipped().rows if CHANGES[name](made, first) is not None]


def first(strategy: st.SearchStrategy) -> object:
    return strategy.elements[0]


# -- each code, by the simplest row that breaks its rule


def codes(made: Made, toolbox: Toolbox) -> set[str]:
    return {fault.rule for fault in check_fragments(*made, toolbox)}


def test_more_words_of_the_user_and_of_the_answer_are_told_apart(bench: Bench):
    for made in bench.rows[::5]:
        request, answer = users(made)[0], answers(made)[-1]
        assert codes(spliced(made, request, 0, 0, "Please water the plants. "), bench.toolbox) == {"PF110"}
        assert codes(spliced(made, answer, 0, 0, "Surely, "), bench.toolbox) == {"PF111"}


def test_words_of_two_calls_that_are_mixed_are_noticed(bench: Bench):
    found = [swap_an_argument_of_two_calls(made, first) for made in bench.rows]
    mixed = [codes(made, bench.toolbox) for made in found if made is not None]
    assert mixed
    assert all("PF112" in one for one in mixed)


def test_a_call_that_nobody_asks_for_is_noticed():
    bench = shipped()
    quiet = 0
    for made in bench.rows:
        spoken = {claim.call_id for claim in made.proof.arguments if claim.start is not None}
        silent = [call for call in calls_of(made.talk).values() if call.id not in spoken]
        texts = [text_of(made.talk, at) for at in users(made)]
        for call in silent:
            quiet += 1
            others = [c for c in calls_of(made.talk).values() if c.id != call.id]
            if others and len(texts) == 1 and all(other.name != call.name for other in others):
                other = next(name for name, spec in bench.toolbox.items() if name != call.name)
                renamed = with_call(made, call.id, other)
                assert "PF113" in codes(renamed, bench.toolbox)
    assert quiet


def with_call(made: Made, call_id: str, name: str) -> Made:
    """The same row with a call of another tool."""
    messages = []
    for message in made.talk.messages:
        if isinstance(message, AssistantMessage) and message.tool_calls:
            calls = tuple(replace(c, name=name) if c.id == call_id else c for c in message.tool_calls)
            message = replace(message, tool_calls=calls)
        messages.append(message)
    return made._replace(talk=replace(made.talk, messages=tuple(messages)))


BARE = """
tools:
  - type: function
    function:
      name: bookRoom2
      description: Book a room.
      parameters:
        type: object
        properties:
          city: {type: string, enum: [Oslo, Rome, Lima]}
          departureDate: {type: string, format: date}
          guest_names: {type: array, items: {type: string, enum: [Ann, Bob, Cid]}, minItems: 1, maxItems: 3, uniqueItems: true}
          late: {type: boolean}
          extras: {type: object, properties: {note: {type: string, minLength: 1, maxLength: 9}}, required: [note], additionalProperties: false}
        required: [city]
        additionalProperties: false
    returns: {type: object, properties: {room: {type: string, pattern: "^R-[0-9]{3}$"}, price: {type: integer, minimum: 1, maximum: 99}}, required: [room, price]}
  - type: function
    function:
      name: list_rooms
      description: List rooms.
      parameters: {type: object, properties: {region: {type: string, enum: [north, south]}, limit: {type: integer, minimum: 1, maximum: 9}}}
"""


@pytest.mark.parametrize("scenario", ["single", "parallel", "parallel_multiple"])
def test_tools_without_phrases_have_fragments_too(tmp_path: Path, scenario: str):
    shop = workshop(tmp_path, scenario, text=BARE)
    found = rows(shop, 40)
    assert [one.rejected for one in found if one.rejected] == []
    for one in found:
        made = Made(one.row.conversation, one.row.proof)
        assert check_fragments(*made, shop.toolbox) == []
        assert codes(spliced(made, users(made)[0], 0, 0, "Please water the plants. "), shop.toolbox) >= {"PF110"}


def test_every_code_is_provoked_above():
    assert list(FRAGMENT_CODES) == ["PF110", "PF111", "PF112", "PF113"]


def test_a_capital_begins_a_sentence_of_its_own() -> None:
    """After "… say: 'Hello.' And email Kim. Give it the subject …" the subject is Kim's alone, not both calls'."""
    spec = shipped().toolbox["send_message"]
    book, spots = book_of(spec, REQUESTS)
    text, receiver = spot_at(book, spots, "arguments", "/body", "quoted"), spot_at(book, spots, "arguments", "/to/0", "literal")
    assert join_marks(text, " And email ", receiver, REQUESTS) == ()
    assert join_marks(text, " and email ", receiver, REQUESTS) is ALSO


def test_a_span_beyond_the_end_is_noticed() -> None:
    """A claim about a result whose words would stand behind the text: the proof has no words to read."""
    bench = shipped()
    made = next(made for made in bench.rows if any(c.source == "result" and c.start is not None for c in made.proof.arguments))
    arguments = [
        replace(claim, start=10**6, end=10**6 + 3) if claim.source == "result" and claim.start is not None else claim
        for claim in made.proof.arguments
    ]
    assert check_fragments(made.talk, replace(made.proof, arguments=tuple(arguments)), bench.toolbox)
