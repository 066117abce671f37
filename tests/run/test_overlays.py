"""What is laid over rows: other names, other words, other system messages; what a row says and calls stays right."""

import json
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any, get_args

import msgspec
import pytest
from nightly import some_of
from workbench import CONVERSATIONS, TODAY, TOOL_SPECS, WITHOUT_CALLS, recipe

from generator.core.claims import Proof
from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    Row,
    SystemMessage,
    ToolMessage,
    UserMessage,
)
from generator.core.errors import RecipeError
from generator.core.seeds import Draw
from generator.dialogue.acts.check import check_row
from generator.dialogue.proof.scrambled import is_code_name, scramble_faults
from generator.formats import FORMATS
from generator.formats.rules import check_record
from generator.recipe import load_recipe
from generator.recipe.settings import Overlays, PersonaName
from generator.run.overlays import draw_system
from generator.run.overlays.personas import personas, write_as
from generator.run.overlays.scramble import restore, scramble
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS

replace = msgspec.structs.replace
REGISTERS = ("casual", "terse", "lower_case", "typos", "formal")
STEMS = (
    "travel.yaml",
    "calendar.yaml",
    "contacts.json",
    "mail.yaml",
    "shop.yaml",
    "smart_home.yaml",
    "weather.json",
    "notes.yaml",
)
ALL = (*CONVERSATIONS, *WITHOUT_CALLS)
NUMBER = 60


@cache
def plain_shop() -> PreparedRecipe:
    return prepare(recipe([TOOL_SPECS / stem for stem in STEMS], *ALL))


def shop(**overlays: Any) -> PreparedRecipe:
    prepared = plain_shop()
    offer = replace(prepared.recipe.offer, hard=overlays.pop("hard", 0.0))
    return replace(prepared, recipe=replace(prepared.recipe, offer=offer, overlays=Overlays(**overlays)))


@cache
def made(**overlays: Any) -> tuple[Row, ...]:
    prepared = shop(**overlays)
    return tuple([make_row(prepared, index).row for index in range(NUMBER)])


def contents(row: Row, kind: type) -> list[str]:
    return [message.content for message in row.conversation.messages if isinstance(message, kind)]


def said(row: Row) -> list[str]:
    """What stands in the spans of the user's messages."""
    asked_at = {wish.call_id: wish.message for wish in row.proof.wishes}
    claims = [*row.proof.arguments, *[claim for decline in row.proof.declines for claim in decline.said]]
    places = [
        (asked_at.get(c.call_id) if c.source == "result" else c.message, c.start, c.end)
        for c in claims
        if c.start is not None
    ]
    return [row.conversation.messages[at].content[start:end] for at, start, end in places]


# -- registers -----------------------------------------------------------------------------------------------------------


@some_of(2, "register", REGISTERS)
def test_a_register_changes_what_stands_around_values_and_nothing_else(register: str):
    changed = 0
    for row, plain in zip(made(personas=((register, 1.0),)), made(), strict=True):
        assert said(row) == said(plain)
        assert check_row(row.conversation, row.proof, shop().toolbox, phrases=False) == []
        calls = [message for message in row.conversation.messages if not isinstance(message, UserMessage)]
        assert calls == [message for message in plain.conversation.messages if not isinstance(message, UserMessage)]
        assert row.tags in ((), (f"persona:{register}",))
        changed += contents(row, UserMessage) != contents(plain, UserMessage)
    assert changed > 0.7 * NUMBER if register != "formal" else changed > 0.4 * NUMBER


def test_personas_are_those_that_recipes_name_and_differ_in_their_manners():
    assert set(personas()) == set(get_args(PersonaName))
    assert {name for persona in personas().values() for name in persona.registers} == set(REGISTERS)
    firsts = {
        name: [contents(row, UserMessage)[0] for row in made(personas=((name, 1.0),))] for name in ("friendly", "blunt")
    }
    thanked = {name: sum("hank" in text or "Cheers" in text for text in texts) for name, texts in firsts.items()}
    assert thanked["friendly"] > 0.3 * NUMBER > thanked["blunt"] + 3
    for row in made(personas=(("hurried", 1.0),)):
        assert check_row(row.conversation, row.proof, shop().toolbox, phrases=False) == []


def test_registers_have_the_shares_that_the_recipe_gives_them():
    rows = made(personas=(("casual", 0.5), ("typos", 0.25)))
    tags = [tag for row in rows for tag in row.tags]
    assert 0.35 < tags.count("persona:casual") / NUMBER < 0.65
    assert 0.12 < tags.count("persona:typos") / NUMBER < 0.4
    for row, plain in zip(rows, made(), strict=True):
        assert row.tags or row == plain


def test_a_message_is_never_empty_and_holds_no_loose_ends():
    for register in REGISTERS:
        for text in [text for row in made(personas=((register, 1.0),)) for text in contents(row, UserMessage)]:
            assert re.search(r"\w", text)
            assert text == text.strip()
            assert "  " not in text.replace("\n", "")


@some_of(2, "register", REGISTERS)
def test_what_is_asked_stays_what_is_asked(register: str):
    asked = Conversation(messages=(UserMessage("Thanks. Would you be able to send it to Ines?"),), tools=())
    for seed in range(20):
        written, _ = write_as(asked, Proof(), register, Draw(seed, TODAY))
        (text,) = [message.content for message in written.messages if isinstance(message, UserMessage)]
        assert not re.search(r"(^|[.!] |please |kindly |to )be able", text, re.IGNORECASE), text


# -- text beside calls ---------------------------------------------------------------------------------------------------


def test_rows_with_text_beside_calls():
    some = 0
    for row, plain in zip(made(beside=1.0), made(), strict=True):
        messages, before = row.conversation.messages, plain.conversation.messages
        said = [at for at, (one, other) in enumerate(zip(messages, before, strict=True)) if one != other]
        assert len(said) <= 2
        for at in said:
            step, answer = messages[at], next((m for m in messages[at + 1 :] if is_answer(m)), None)
            assert isinstance(step, AssistantMessage)
            assert step.tool_calls
            assert isinstance(messages[at - 1], UserMessage)
            assert answer is None or not (answer.content or "").startswith("Here")
        some += bool(said)
    assert some > 0.5 * NUMBER


def is_answer(message: Message) -> bool:
    return isinstance(message, AssistantMessage) and not message.tool_calls


def test_nothing_else_may_be_said_beside_calls():
    row = next(row for row in made(beside=1.0) if row.scenario == "single")
    at = next(at for at, m in enumerate(row.conversation.messages) if isinstance(m, AssistantMessage) and m.tool_calls)
    for text in ("It will be sunny.", f"{row.conversation.messages[at].content} It's 21 degrees.", "Done!"):
        messages = list(row.conversation.messages)
        messages[at] = replace(messages[at], content=text)
        found = check_row(replace(row.conversation, messages=tuple(messages)), row.proof, shop().toolbox)
        assert {finding.code for finding in found} & {"PF111", "PF107"}


# -- system messages -----------------------------------------------------------------------------------------------------


def test_system_messages_have_many_forms():
    draw = Draw(7, TODAY)
    notes = [draw_system(draw, TODAY) for _ in range(3000)]
    assert len({note.text for note in notes}) > 1000
    for note in notes:
        assert note.states_today == ("2026-03-12" in note.text)
        assert "{" not in note.text
        assert not re.search(
            r"(?<![.\n)])\n?(?<=[a-z0-9]) [A-Z][a-z]+ (?:is|are|the)\b", note.text.replace("12 March", "")
        )


def test_rows_of_a_share_have_them():
    assert all(contents(row, SystemMessage) for row in made(system=1.0))
    assert len({contents(row, SystemMessage)[0] for row in made(system=1.0)}) > 0.9 * NUMBER


# -- hard distractors ----------------------------------------------------------------------------------------------------


def test_hard_distractors_are_the_tools_most_like_the_called_ones():
    prepared = shop(hard=1.0)
    rows = [row for row in made(hard=1.0) if row.scenario == "single"]
    for row in rows:
        (called,) = {m.name for m in row.conversation.messages if isinstance(m, ToolMessage)}
        others = {tool.name for tool in row.conversation.tools} - {called}
        assert others == set(prepared.look_alikes[called][: len(others)])
        assert len(others) >= 4


# -- other names ---------------------------------------------------------------------------------------------------------


def pairs() -> Iterator[tuple[Row, Row]]:
    for row, plain in zip(made(scramble=1.0), made(), strict=True):
        if row.renamed:
            yield plain, row


def test_most_rows_can_be_scrambled_and_the_others_stay_as_they_are():
    rows = list(zip(made(scramble=1.0), made(), strict=True))
    assert sum(bool(row.renamed) for row, _ in rows) > 0.7 * NUMBER
    assert all(row == plain for row, plain in rows if not row.renamed)
    assert {row.tags for row, _ in rows if row.renamed} == {("scrambled",)}


def test_no_old_name_is_left_and_nothing_else_has_changed():
    for plain, row in pairs():
        old = {name for tool, new in row.renamed.items() for name in (tool, *new.arguments)}
        shown = {tool.name for tool in row.conversation.tools}
        assert old.isdisjoint(shown)
        declared = [json.dumps([tool.description, tool.parameters]) for tool in row.conversation.tools]
        told = {word for text in declared for word in re.findall(r"[\w-]+", text)}
        kept = {name for tool in row.conversation.tools for name in _properties(tool.parameters)}
        assert not {name for name in old if is_code_name(name)} & told - kept
        assert scramble_faults(plain.conversation, row.conversation, row.proof, row.renamed) == []
        assert check_record(FORMATS["deepfabric"].render(row.conversation)) == [] or row.scenario.startswith("error")


def _properties(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for part in schema.values():
            yield from _properties(part)


def test_the_usual_names_come_back_and_are_proven():
    for plain, row in pairs():
        conversation, proof = restore(row.conversation, row.proof, row.renamed)
        assert conversation.messages == plain.conversation.messages
        assert proof == plain.proof
        assert check_row(conversation, proof, shop().toolbox) == []


def planted(conversation: Conversation) -> Iterator[Conversation]:
    """Rows in which more than names differs."""
    tools, messages = conversation.tools, list(conversation.messages)
    yield replace(conversation, tools=tools[1:])
    yield replace(conversation, messages=tuple(messages[:-1]))
    for at, tool in enumerate(tools):
        parameters = tool.parameters or {}
        for other in (
            replace(tool, name="another"),
            replace(tool, parameters={**parameters, "required": ["another"]}),
            replace(tool, parameters={**parameters, "properties": {**parameters.get("properties", {}), "another": {}}}),
            replace(tool, parameters={**parameters, "type": "array"}),
        ):
            yield replace(conversation, tools=(*tools[:at], other, *tools[at + 1 :]))
    for at, message in enumerate(messages):
        if isinstance(message, AssistantMessage) and message.tool_calls:
            call = message.tool_calls[0]
            for other in (
                replace(call, name="another"),
                replace(call, id="a23456789"),
                replace(call, arguments={**call.arguments, "another": 1}),
                *[replace(call, arguments={**call.arguments, key: "?"}) for key in call.arguments],
                *[
                    replace(call, arguments={k: v for k, v in call.arguments.items() if k != key})
                    for key in call.arguments
                ],
            ):
                calls = (other, *message.tool_calls[1:])
                yield replace(
                    conversation, messages=(*messages[:at], replace(message, tool_calls=calls), *messages[at + 1 :])
                )
        else:
            other = replace(message, content=f"{message.content} more")
            yield replace(conversation, messages=(*messages[:at], other, *messages[at + 1 :]))


def test_more_than_names_is_found_out():
    for plain, row in list(pairs())[:40]:
        for other in planted(row.conversation):
            assert scramble_faults(plain.conversation, other, row.proof, row.renamed)


def test_a_description_that_tells_an_old_name_is_found_out():
    for plain, row in list(pairs())[:40]:
        first, *others = row.conversation.tools
        for name in (
            next(iter(row.renamed)),
            *[f"`{name}`" for name in row.renamed[plain.conversation.tools[0].name].arguments],
        ):
            tool = replace(first, description=f"{first.description} See {name}.")
            changed = replace(row.conversation, tools=(tool, *others))
            assert scramble_faults(plain.conversation, changed, row.proof, row.renamed)


def test_the_same_row_gets_other_names_from_another_stream():
    plain = next(row for row in made() if row.scenario in {"single", "multiple", "parallel"})
    one, other = [scramble(plain.conversation, plain.proof, Draw(seed, TODAY)) for seed in (1, 2)]
    assert one is not None
    assert other is not None
    assert one[2] != other[2]


# -- recipes -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("overlays", "what"),
    [
        ("{personas: {slang: 0.1}}", "slang"),
        ("{personas: {casual: 0.7, terse: 0.4}}", "must not add up to more than 1"),
        ("{scramble: 2}", "scramble"),
        ("{scrambel: 0.1}", 'did you mean "scramble"'),
        ("{scramble: 0.1}\nthoughts: [reason]\nformats: [openchatml]", "thoughts speak of tools by their names"),
    ],
)
def test_wrong_overlays_are_refused(tmp_path: Path, overlays: str, what: str):
    path = tmp_path / "r.yaml"
    path.write_text(f"name: r\nrows: 1\ntools: [{TOOL_SPECS / 'mail.yaml'}]\nscenarios: single\noverlays: {overlays}\n")
    with pytest.raises(RecipeError) as caught:
        load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)
    assert what in str(caught.value)
    assert "overlays" in str(caught.value)
