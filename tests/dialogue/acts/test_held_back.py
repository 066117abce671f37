"""What is held back (done already, to wait, a value missing or impossible): rows as they are made pass, planted changes are found out."""

from collections.abc import Callable, Iterator
from functools import cache
from itertools import combinations
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from changed_rows import BARE, Proven, replace, with_messages, with_proof
from workbench import TOOL_SPECS, recipe, rows, write_tools

from generator.core.conversation import AssistantMessage, ToolCall, ToolMessage, UserMessage
from generator.core.yaml_values import own_data
from generator.dialogue.acts import set_aside
from generator.dialogue.acts.set_aside import ACTS, NOTED
from generator.run.row import prepare


@cache
def made() -> tuple[Proven, ...]:
    found: list[Proven] = []
    with TemporaryDirectory() as name:
        shipped = [TOOL_SPECS / f"{stem}.yaml" for stem in ("travel", "mail", "projects", "tickets")]
        for files, number in ((shipped, 40), ([write_tools(Path(name), BARE, "bare.yaml")], 12)):
            shop = prepare(recipe(files, "held_back"))
            found += [
                Proven(one.row.conversation, one.row.proof, "held_back", shop.toolbox) for one in rows(shop, number)
            ]
    return tuple(found)


def aside() -> list[Proven]:
    return [row for row in made() if any(tell.how in NOTED for tell in row.proof.tells)]


def asking() -> list[Proven]:
    return [row for row in made() if row.proof.asks]


@pytest.mark.parametrize("phrases", [True, False])
def test_rows_as_they_are_made_report_nothing(phrases: bool):
    assert [finding for row in made() for finding in row.findings(phrases=phrases)] == []


def test_every_reason_comes_up_and_no_call_is_made():
    assert len(aside()) + len(asking()) == len(made())
    assert {tell.how for row in made() for tell in row.proof.tells} == {"refused", *[act.how for act in ACTS]}
    assert any(not row.proof.tells for row in asking())
    for row in made():
        (wish,) = row.proof.wishes
        assert not row.calls
        assert wish.tool in [tool.name for tool in row.talk.tools]


def test_the_request_holds_the_values_of_the_wish():
    for row in made():
        (wish,) = row.proof.wishes
        assert {claim.pointer.split("/")[1] for claim in wish.said} == {*(wish.unmade or ())}


def test_no_text_stands_for_two_kinds():
    for kind, other in combinations(own_data(set_aside.__file__).values(), 2):
        for part in ("around", "after", "reply"):
            assert set(kind[part]).isdisjoint(other[part])


# -- what is planted -----------------------------------------------------------------------------------------------------


def last(row: Proven, text: str) -> Proven:
    """A row whose assistant says something else, as the claims have it."""
    *before, _ = row.talk.messages
    end = len(before)
    tells = [replace(tell, end=len(text)) if tell.message == end else tell for tell in row.proof.tells]
    return with_proof(with_messages(row, (*before, AssistantMessage(text))), tells=tuple(tells))


def make_the_call(row: Proven) -> Iterator[Proven]:
    (wish,) = row.proof.wishes
    call = ToolCall("call00001", wish.tool, wish.unmade)
    step = (AssistantMessage(None, (call,)), ToolMessage(call.id, "{}", wish.tool))
    at = next(i for i, m in enumerate(row.talk.messages) if isinstance(m, UserMessage)) + 1
    messages = (*row.talk.messages[:at], *step, *row.talk.messages[at:])
    yield with_messages(row, messages)
    claims = tuple([replace(claim, call_id=call.id) for claim in wish.said])
    own = replace(wish, call_id=call.id, unmade=None, said=())
    tells = tuple([replace(t, call_id=call.id, message=t.message + 2 * (t.message >= at)) for t in row.proof.tells])
    uses = tuple([replace(use, calls=(call.id,)) for use in row.proof.uses])
    asks = tuple([replace(ask, call_id=call.id, message=ask.message + 2) for ask in row.proof.asks])
    yield with_proof(with_messages(row, messages), arguments=claims, wishes=(own,), tells=tells, uses=uses, asks=asks)


def say_done(row: Proven) -> Iterator[Proven]:
    yield last(row, "Done.")
    yield last(row, f"{row.text(len(row.talk.messages) - 1)} It will be done tomorrow.")


def note_the_other_thing(row: Proven) -> Iterator[Proven]:
    texts = own_data(set_aside.__file__)
    for kind, forms in texts.items():
        if f"{kind}_noted" not in [tell.how for tell in row.proof.tells]:
            for reply in forms["reply"]:
                yield last(row, reply)


def forget_what_was_said(row: Proven) -> Iterator[Proven]:
    (wish,) = row.proof.wishes
    yield with_proof(row, wishes=())
    yield with_proof(row, tells=())
    for claim in wish.said:
        yield with_proof(row, wishes=(replace(wish, said=tuple([one for one in wish.said if one is not claim])),))


def want_other_values(row: Proven) -> Iterator[Proven]:
    (wish,) = row.proof.wishes
    for key in wish.unmade or ():
        yield with_proof(row, wishes=(replace(wish, unmade={**wish.unmade, key: ["other"]}),))


def go_on_speaking(row: Proven) -> Iterator[Proven]:
    messages = [
        replace(message, content=f"{message.content} But please do it now.")
        if isinstance(message, UserMessage)
        else message
        for message in row.talk.messages
    ]
    yield with_messages(row, messages)


@pytest.mark.parametrize(
    "change",
    [make_the_call, say_done, note_the_other_thing, forget_what_was_said, want_other_values, go_on_speaking],
)
def test_changes_of_what_is_set_aside_are_found(change: Callable[[Proven], Iterator[Proven]]):
    changed = [one for row in aside() for one in change(row)]
    assert changed
    assert [one.talk.messages[-2:] for one in changed if not one.findings()] == []


def test_the_rule_is_named():
    assert all("PF136" in one.codes() for row in aside() for one in note_the_other_thing(row))


def ask_for_what_is_not_needed(row: Proven) -> Iterator[Proven]:
    (ask,) = row.proof.asks
    spec = row.toolbox[row.proof.wishes[0].tool]
    for name in spec.properties:
        if name not in spec.required and f"/{name}" != ask.pointer:
            yield with_proof(row, asks=(replace(ask, pointer=f"/{name}"),))


def have_the_value(row: Proven) -> Iterator[Proven]:
    (ask,), (wish,) = row.proof.asks, row.proof.wishes
    unmade = {**(wish.unmade or {}), ask.pointer.removeprefix("/"): "there"}
    yield with_proof(row, wishes=(replace(wish, unmade=unmade),))


def ask_nothing(row: Proven) -> Iterator[Proven]:
    yield with_proof(row, asks=())


@pytest.mark.parametrize(
    "change", [make_the_call, say_done, ask_for_what_is_not_needed, have_the_value, ask_nothing, want_other_values]
)
def test_changes_of_what_is_asked_for_are_found(change: Callable[[Proven], Iterator[Proven]]):
    changed = [one for row in asking() for one in change(row)]
    assert changed
    assert [one.talk.messages[-2:] for one in changed if not one.findings()] == []
