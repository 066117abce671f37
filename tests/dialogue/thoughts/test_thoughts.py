"""What the assistant thinks says nothing that the conversation and its proof do not say."""

import json
import re
from pathlib import Path

import msgspec
import pytest
from nightly import one_in
from workbench import CONVERSATIONS, TODAY, WITH_DATE, load, rows, workshop

from generator.core.conversation import AssistantMessage, Conversation, Thoughts, ToolMessage, UserMessage
from generator.core.errors import CannotCarryError, RecipeError
from generator.core.seeds import Draw
from generator.dialogue.thoughts import think
from generator.formats import FORMATS
from generator.formats.format import Format
from generator.recipe import load_recipe
from generator.scenarios import SCENARIOS

ALL = ("reflect", "introspect", "reason")


@pytest.fixture(scope="module")
def made(tmp_path_factory):
    folder = tmp_path_factory.mktemp("thoughts")
    return {name: rows(workshop(folder, name, thoughts=ALL, system=(WITH_DATE,)), 8) for name in CONVERSATIONS}


def answers(row):
    """The messages of the assistant that are to be learnt."""
    return [(i, m) for i, m in enumerate(row.conversation.messages) if isinstance(m, AssistantMessage) and m.train]


@pytest.mark.parametrize("scenario", one_in(3, CONVERSATIONS))
def test_rows_are_those_without_thoughts(made, tmp_path: Path, scenario: str):
    plain = rows(workshop(tmp_path, scenario, system=(WITH_DATE,)), 8)
    for thinking, other in zip(made[scenario], plain, strict=True):
        messages = [
            msgspec.structs.replace(m, thoughts=None) if isinstance(m, AssistantMessage) else m
            for m in thinking.row.conversation.messages
        ]
        assert tuple(messages) == other.row.conversation.messages
        assert thinking.record == other.record


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_words_in_quotes_are_the_users(made, scenario: str):
    for one in made[scenario]:
        said = " ".join(m.content for m in one.row.conversation.messages if isinstance(m, UserMessage))
        for _, message in answers(one.row):
            for words in re.findall(r'\("([^"]*)"[);]', message.thoughts.reason):
                assert words in said


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_every_argument_is_in_the_reason(made, scenario: str):
    for one in made[scenario]:
        for _, message in answers(one.row):
            for call in message.tool_calls:
                assert call.name in message.thoughts.reason
                for argument in call.arguments:
                    assert re.search(rf"\b{argument}\b[^ ]* is ", message.thoughts.reason)


def test_what_comes_from_a_result_is_said_to(made):
    reasons = [m.thoughts.reason for one in made["sequential"] for _, m in answers(one.row)[1:-1]]
    assert reasons
    assert all("from the result of " in reason for reason in reasons)


def test_calls_at_once_are_explained(made):
    for one in made["parallel"]:
        (_, message), _ = answers(one.row)
        assert re.search(r"at once|together|no need to wait", message.thoughts.reason)


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_only_the_first_message_after_the_users_reflects(made, scenario: str):
    for one in made[scenario]:
        for i, message in answers(one.row):
            before = one.row.conversation.messages[i - 1]
            assert (message.thoughts.reflect is not None) == isinstance(before, UserMessage)
            assert isinstance(before, UserMessage | ToolMessage)


def test_politeness_is_seen_only_where_it_is(made):
    for ones in made.values():
        for one in ones:
            asked = next(m.content for m in one.row.conversation.messages if isinstance(m, UserMessage))
            (_, first), *_ = answers(one.row)
            if first.thoughts.reflect is None:
                continue  # a call that is not to be learnt stands before it
            if re.search(r"polite|friendly", first.thoughts.reflect):
                assert re.search(r"please|thank|kindly|(can|could|would) you", asked, re.IGNORECASE)
            if re.search("asks a question|makes a request;", first.thoughts.reflect):
                assert ("asks a question" in first.thoughts.reflect) == ("?" in asked)


@pytest.mark.parametrize("scenario", CONVERSATIONS)
def test_thoughts_know_nothing_of_what_comes_after_them(made, tmp_path: Path, scenario: str):
    toolbox = load(tmp_path)
    for one in made[scenario]:
        conversation, proof = one.row.conversation, one.row.proof
        thinking = [index for index, _ in answers(one.row)]
        for number, index in enumerate(thinking):
            begun = msgspec.structs.replace(conversation, messages=conversation.messages[: index + 1])
            again = think(begun, proof, toolbox, ALL, Draw(number, TODAY))
            whole = think(conversation, proof, toolbox, ALL, Draw(number, TODAY))
            assert again.messages == whole.messages[: index + 1]


def test_introspection_knows_which_step_it_is(made):
    for one in made["sequential"]:
        first, *later = [m.thoughts.introspect for _, m in answers(one.row) if m.tool_calls]
        assert " step" not in first
        for place, thought in zip(("second", "third", "fourth"), later, strict=False):
            assert f"the {place} step" in thought


def test_the_comparison_behind_a_description_is_shown(made):
    shown = 0
    for one in [*made["sequential"], *made["mixed"]]:
        for claim in one.row.proof.arguments:
            if claim.pick is None or not claim.pick.startswith(("min total", "max total")):
                continue
            orders = json.loads(one.row.conversation.messages[claim.message].content)["orders"]
            totals = [order["total"] for order in orders]
            best = min(totals) if claim.pick.startswith("min") else max(totals)
            (call,) = [m for _, m in answers(one.row) if claim.call_id in [c.id for c in m.tool_calls]]
            word = "lowest" if claim.pick.startswith("min") else "highest"
            compared = re.search(rf"{word} total: {best}, against ([^);]+)", call.thoughts.reason)
            assert sorted(map(int, re.findall(r"\d+", compared[1]))) == sorted(
                total for total in totals if total != best
            )
            shown += 1
    assert shown


def test_a_question_names_what_is_missing(tmp_path: Path):
    asked = 0
    for one in rows(workshop(tmp_path, "held_back", thoughts=ALL, system=(WITH_DATE,)), 24):
        for ask in one.row.proof.asks:
            thoughts = one.row.conversation.messages[ask.message].thoughts
            assert ask.pointer.removeprefix("/").replace("_", " ") in thoughts.reason
            asked += 1
    assert asked


def test_one_block_alone(tmp_path: Path):
    (one,) = rows(workshop(tmp_path, "single", thoughts=("reason",)), 1)
    for _, message in answers(one.row):
        assert message.thoughts.reason
        assert message.thoughts.reflect is None
        assert message.thoughts.introspect is None
    text = FORMATS["openchatml"].render(one.row.conversation)["text"]
    assert "<|reason|>\n<|im_end|>" in text
    assert "<|reflect|>" not in text


def test_a_recipe_with_thoughts_needs_a_format_that_carries_them(tmp_path: Path):
    conversation = Conversation(
        messages=(UserMessage("Hi."), AssistantMessage("Hello.", thoughts=Thoughts(reason="x")))
    )
    carrying = {fmt.family for fmt in FORMATS.values() if carries_thoughts(fmt, conversation)}
    assert carrying
    tools = Path(__file__).parents[3] / "tool_specs" / "weather.json"
    for name in sorted({fmt.family for fmt in FORMATS.values()}):
        recipe = tmp_path / f"{name}.yaml"
        recipe.write_text(
            f"name: x\nrows: 1\ntools: [{tools}]\nscenarios: single\nthoughts: [reason]\nformats: [{name}]\n"
        )
        if name in carrying:
            assert load_recipe(recipe, scenarios=SCENARIOS, formats=FORMATS).thoughts
        else:
            with pytest.raises(RecipeError, match="no format of the recipe carries thoughts"):
                load_recipe(recipe, scenarios=SCENARIOS, formats=FORMATS)


def carries_thoughts(fmt: Format, conversation: Conversation) -> bool:
    """Whether a format keeps what the assistant thinks."""
    try:
        last = fmt.carries(conversation).messages[-1]
    except CannotCarryError:
        return False
    return isinstance(last, AssistantMessage) and last.thoughts is not None
