"""Conversations without calls: rows as they are made pass the checker, and whatever is planted in them is found out."""

from collections.abc import Callable, Iterator
from functools import lru_cache
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest
from changed_rows import BARE, Proven, replace, with_message, with_messages, with_proof
from workbench import GARDEN, TOOL_SPECS, WITHOUT_CALLS, recipe, rows, write_tools

from generator.core.claims import TellClaim, WishClaim
from generator.core.conversation import AssistantMessage, SystemMessage, Tool, ToolCall, ToolMessage, UserMessage
from generator.dialogue.no_call.abilities import could_do, is_alien, is_sister
from generator.run.row import prepare


@lru_cache
def made(number: int = 12, scenarios: tuple[str, ...] = WITHOUT_CALLS) -> tuple[Proven, ...]:
    """Rows of every scenario without calls, with a small toolbox, shipped tools, and tools without phrases."""
    found: list[Proven] = []
    with TemporaryDirectory() as name:
        folder = Path(name)
        garden = write_tools(folder, GARDEN, "garden.yaml")
        stems = ("travel", "mail", "smart_home", "hr")
        for files in (
            [write_tools(folder), garden],
            [TOOL_SPECS / f"{stem}.yaml" for stem in stems],
            [write_tools(folder, BARE, "bare.yaml"), garden],
        ):
            for scenario in scenarios:
                shop = prepare(recipe(files, scenario))
                for one in rows(shop, number):
                    found.append(Proven(one.row.conversation, one.row.proof, scenario, shop.toolbox))
    return tuple(found)


def declined() -> list[Proven]:
    """Rows with a decline because nothing on offer could do it."""
    return [row for row in made() if row.proof.declines and row.scenario != "withheld_tool"]


def withheld() -> list[Proven]:
    return [row for row in made() if row.scenario == "withheld_tool"]


@pytest.mark.parametrize("phrases", [True, False])
def test_rows_as_they_are_made_report_nothing(phrases: bool):
    assert {row.scenario for row in made()} == set(WITHOUT_CALLS)
    assert [finding for row in made() for finding in row.findings(phrases=phrases)] == []


def test_rows_cut_after_a_message_of_the_assistant_report_nothing():
    for row in made():
        for end in row.at(AssistantMessage):
            cut = with_messages(row, row.talk.messages[: end + 1])
            parts = ("answers", "wishes", "declines", "tells", "uses")
            kept = {name: [one for one in getattr(row.proof, name) if one.message <= end] for name in parts}
            asked = {wish.call_id for wish in kept["wishes"]}
            cut = with_proof(cut, **kept, arguments=[one for one in row.proof.arguments if one.call_id in asked])
            assert cut.findings(prefix=True) == []


def test_nothing_on_offer_could_do_what_is_declined():
    for row in declined():
        (claim,) = row.proof.declines
        wished, offered = row.toolbox[claim.tool], [row.toolbox[tool.name] for tool in row.talk.tools]
        assert offered
        assert not any(could_do(spec, wished) for spec in offered)
        if row.scenario == "irrelevant":
            assert all(is_alien(spec, wished) for spec in offered)
        else:
            assert any(is_sister(spec, wished) and spec.name == claim.like for spec in offered)


def test_rows_without_calls_have_none():
    assert not any(row.calls for row in declined())
    assert {len(row.calls) for row in made()} == {0, 1}


# -- what is planted in declines ------------------------------------------------------------------------------------------


def offer_what_is_asked_for(row: Proven) -> Iterator[Proven]:
    tool = row.toolbox[row.proof.declines[0].tool].tool
    yield row._replace(talk=replace(row.talk, tools=(*row.talk.tools, tool)))


def offer_what_could_do_it(row: Proven) -> Iterator[Proven]:
    wished = row.toolbox[row.proof.declines[0].tool]
    for spec in row.toolbox.values():
        if spec is not wished and could_do(spec, wished):
            yield row._replace(talk=replace(row.talk, tools=(*row.talk.tools, spec.tool)))


def offer_a_tool_nobody_knows(row: Proven) -> Iterator[Proven]:
    yield row._replace(talk=replace(row.talk, tools=(*row.talk.tools, Tool(name="do_anything"))))


def decline_something_else(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    for name in row.toolbox:
        if name != claim.tool:
            yield changed(row, tool=name)


def decline_other_arguments(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    yield changed(row, arguments={**claim.arguments, "more": 1})
    for key, value in claim.arguments.items():
        yield changed(row, arguments={**claim.arguments, key: [value]})
        yield changed(row, arguments={other: value for other, value in claim.arguments.items() if other != key})


def leave_claims_out(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    for said in claim.said:
        yield changed(row, said=tuple(other for other in claim.said if other is not said))


def mention_a_tool_that_is_not_there(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    yield changed(row, instead=(*claim.instead, claim.tool))
    yield changed(row, instead=("no_such_tool",))


def mention_another_tool(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    if claim.instead:
        yield changed(row, instead=())


def say_something_else(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    text = row.text(claim.message)
    for other in (
        "Done.",
        text[:-1],
        f"{text} It will be done tomorrow.",
        text.replace("can't", "can").replace("not ", ""),
    ):
        if other != text:
            yield with_message(changed(row, end=len(other)), claim.message, content=other)


def say_more_than_is_claimed(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    yield with_message(row, claim.message, content=f"{row.text(claim.message)} I'll ask a colleague.")


def call_it_all_the_same(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    for name, arguments in ((claim.tool, claim.arguments), (row.talk.tools[0].name, {})):
        call = ToolCall("a00000001", name, arguments)
        messages = list(row.talk.messages)
        messages[claim.message : claim.message] = [AssistantMessage(None, (call,)), ToolMessage(call.id, "{}", name)]
        wishes = (WishClaim(call.id, name, claim.asked_at),)
        moved = changed(row, message=claim.message + 2)
        yield with_proof(with_messages(moved, messages), wishes=wishes)


def decline_before_it_is_asked_for(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    for asked_at in (claim.message, claim.message + 1, -1, 99):
        yield changed(row, asked_at=asked_at)


def take_another_tool_for_the_look_alike(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    for spec in row.toolbox.values():
        if not is_sister(spec, row.toolbox[claim.tool]):
            yield changed(row, like=spec.name)
    yield changed(row, like="no_such_tool")


def claim_nothing(row: Proven) -> Iterator[Proven]:
    yield with_proof(row, declines=())


def say_another_value(row: Proven) -> Iterator[Proven]:
    (claim,) = row.proof.declines
    for said in claim.said:
        if said.start is not None and said.verbalizer in {"literal", "number"}:
            text = row.text(said.message)
            letter = "7" if text[said.start] != "7" else "8"
            yield with_message(row, said.message, content=text[: said.start] + letter + text[said.start + 1 :])


def changed(row: Proven, **parts: object) -> Proven:
    return with_proof(row, declines=(replace(row.proof.declines[0], **parts),))


PLANTED: dict[Callable[[Proven], Iterator[Proven]], str] = {
    offer_what_is_asked_for: "PF131",
    offer_what_could_do_it: "PF131",
    offer_a_tool_nobody_knows: "PF131",
    decline_something_else: "PF101 PF110 PF113 PF131 PF132",
    decline_other_arguments: "PF101 PF102 PF105",
    leave_claims_out: "PF101",
    mention_a_tool_that_is_not_there: "PF132",
    mention_another_tool: "PF132",
    say_something_else: "PF132",
    say_more_than_is_claimed: "PF111",
    call_it_all_the_same: "PF131",
    decline_before_it_is_asked_for: "PF131",
    take_another_tool_for_the_look_alike: "PF131",
    claim_nothing: "PF110 PF111",
    say_another_value: "PF102",
}


@pytest.mark.parametrize("plant", PLANTED, ids=lambda plant: plant.__name__)
def test_what_is_planted_in_a_decline_is_refused(plant: Callable[[Proven], Iterator[Proven]]):
    expected = set(PLANTED[plant].split())
    planted = [other for row in declined() for other in plant(row)]
    assert len(planted) > 5
    for row in planted:
        codes = row.codes()
        assert codes & expected, (codes, row.talk.messages)
        assert "PF117" not in codes


def test_a_user_still_speaks_first():
    assert all(isinstance(row.talk.messages[row.proof.declines[0].asked_at], UserMessage) for row in declined())


# -- tools that cannot be used yet ----------------------------------------------------------------------------------------


def leave_out_what_withholds_it(row: Proven) -> Iterator[Proven]:
    yield with_message(row, 0, content="You are a helpful assistant.")


def leave_out_what_allows_it(row: Proven) -> Iterator[Proven]:
    yield with_message(row, row.at(SystemMessage)[1], content="Be brief.")


def allow_another_tool(row: Proven) -> Iterator[Proven]:
    for other in {*row.toolbox} - {row.proof.declines[0].tool}:
        index = row.at(SystemMessage)[1]
        yield with_message(row, index, content=row.text(index).replace(row.proof.declines[0].tool, other))


def allow_it_at_once(row: Proven) -> Iterator[Proven]:
    first, second = row.at(SystemMessage)
    yield with_message(row, first, content=f"{row.text(first)}\n{row.text(second)}")


def call_something_else_afterwards(row: Proven) -> Iterator[Proven]:
    (call,) = row.calls.values()
    at = next(at for at in row.at(AssistantMessage) if row.talk.messages[at].tool_calls)
    for name in {*row.toolbox} - {call.name}:
        yield with_message(row, at, tool_calls=(replace(call, name=name),))
    for key in call.arguments:
        yield with_message(row, at, tool_calls=(replace(call, arguments={**call.arguments, key: ["other"]}),))


def retry_of(row: Proven) -> TellClaim:
    """Where the user asks for it once more."""
    return next(one for one in row.proof.tells if one.how == "retry")


def ask_for_something_else(row: Proven) -> Iterator[Proven]:
    index = retry_of(row).message
    for text in ("Never mind.", "Try again with 5.", f"{row.text(index)} But for tomorrow."):
        yield with_message(row, index, content=text)


def claim_that_it_was_not_declined(row: Proven) -> Iterator[Proven]:
    yield with_proof(row, declines=())


def claim_no_retry(row: Proven) -> Iterator[Proven]:
    yield with_proof(row, tells=[one for one in row.proof.tells if one.how != "retry"])


PLANTED_IN_WITHHELD = {
    leave_out_what_withholds_it: "PF131",
    leave_out_what_allows_it: "PF134",
    allow_another_tool: "PF134",
    allow_it_at_once: "PF131",
    call_something_else_afterwards: "PF101 PF102 PF105 PF137 PF134",
    ask_for_something_else: "PF110",
    claim_that_it_was_not_declined: "PF137",
    claim_no_retry: "PF110",
}


@pytest.mark.parametrize("plant", PLANTED_IN_WITHHELD, ids=lambda plant: plant.__name__)
def test_what_is_planted_around_a_withheld_tool_is_refused(plant: Callable[[Proven], Iterator[Proven]]):
    expected = set(PLANTED_IN_WITHHELD[plant].split())
    planted = [other for row in withheld() for other in plant(row)]
    assert len(planted) > 5
    for row in planted:
        assert row.codes() & expected, row.talk.messages
        assert "PF117" not in row.codes()
