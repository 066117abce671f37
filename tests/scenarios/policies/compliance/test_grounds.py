"""Thoughts of rows under a policy quote the clauses that they follow, and the values that decide."""

import re
from pathlib import Path

import msgspec
import pytest
from nightly import night

from generator.core.conversation import AssistantMessage, SystemMessage, ToolMessage
from generator.core.exact_json import loads
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.row import MadeRow, PreparedRecipe, make_row, prepare
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[4]
ROWS = 24
TOOLS = {"help_desk": "tickets"}
RULE = re.compile(r'(?:The rules say|There is a rule for this|I am told): "(.*?)"(?= |$)')


def recipe(domain: str) -> PreparedRecipe:
    """The service recipe with one policy and its tools."""
    whole = load_recipe(ROOT / "recipes" / "service.yaml", scenarios=SCENARIOS, formats=FORMATS)
    tools = tuple(path for path in whole.tools if Path(str(path)).stem in ("desk", TOOLS.get(domain, domain)))
    policies = tuple(path for path in whole.policies if Path(str(path)).stem == domain)
    return prepare(msgspec.structs.replace(whole, tools=tools, policies=policies))


@pytest.fixture(scope="module", params=["shop", pytest.param("help_desk", marks=night)])
def pairs(request: pytest.FixtureRequest) -> list[tuple[MadeRow, MadeRow]]:
    """Rows with thoughts, beside those without."""
    plain = recipe(request.param)
    thinking = msgspec.structs.replace(
        plain, recipe=msgspec.structs.replace(plain.recipe, thoughts=("reflect", "introspect", "reason"))
    )
    return [(make_row(thinking, index), make_row(plain, index)) for index in range(ROWS)]


def test_rows_are_those_without_thoughts(pairs: list[tuple[MadeRow, MadeRow]]) -> None:
    for thinking, plain in pairs:
        messages = [
            msgspec.structs.replace(one, thoughts=None) if type(one) is AssistantMessage else one
            for one in thinking.row.conversation.messages
        ]
        assert tuple(messages) == plain.row.conversation.messages


@night
def test_who_is_insistent_insists_more() -> None:
    plain = recipe("shop")
    shares = {}
    for name in ("insistent", "blunt"):
        overlays = msgspec.structs.replace(plain.recipe.overlays, personas=((name, 1.0),))
        prepared = msgspec.structs.replace(plain, recipe=msgspec.structs.replace(plain.recipe, overlays=overlays))
        how = [tell.how for index in range(2 * ROWS) for tell in make_row(prepared, index).row.proof.tells]
        shares[name] = how.count("insists") / how.count("ruled_out")
    assert shares["insistent"] > shares["blunt"] + 0.05


def reasons(row: MadeRow) -> dict[int, str]:
    """Why each message of the assistant is as it is, by its index."""
    messages = row.row.conversation.messages
    return {
        at: one.thoughts.reason or ""
        for at, one in enumerate(messages)
        if type(one) is AssistantMessage and one.thoughts is not None
    }


def test_rules_are_those_of_the_system_message(pairs: list[tuple[MadeRow, MadeRow]]) -> None:
    said = 0
    for row, _ in pairs:
        system = next(one.content for one in row.row.conversation.messages if type(one) is SystemMessage)
        for reason in reasons(row).values():
            for rule in RULE.findall(reason):
                assert rule in system
                said += 1
    assert said > ROWS / 2


def test_refusals_proposals_and_questions_for_them_have_a_rule(pairs: list[tuple[MadeRow, MadeRow]]) -> None:
    kinds = set()
    for row, _ in pairs:
        demanded = {wish.call_id for wish in row.row.proof.wishes if wish.demanded}
        why = reasons(row)
        for tell in row.row.proof.tells:
            if tell.how in ("ruled_out", "kept_back", "proposed"):
                assert RULE.search(why[tell.message]), why[tell.message]
                kinds.add(tell.how)
        for at, message in enumerate(row.row.conversation.messages):
            calls = message.tool_calls if type(message) is AssistantMessage else ()
            if any(call.id in demanded for call in calls):
                assert RULE.search(why[at]), why[at]
                kinds.add("demanded")
    assert kinds >= {"ruled_out", "proposed", "demanded"}


def test_values_that_decide_were_found_or_wanted(pairs: list[tuple[MadeRow, MadeRow]]) -> None:
    said = 0
    for row, _ in pairs:
        messages, left = row.row.conversation.messages, row.row.proof.wishes
        for at, reason in reasons(row).items():
            results = " ".join([one.content for one in messages[:at] if type(one) is ToolMessage])
            wanted = " ".join(str({**(wish.unmade or {})}) for wish in left)
            for name, value in re.findall(r"(?:Here|and) (\w+) is ([^ ]+?)(?= and |\.(?: |$))", reason):
                is_json = re.fullmatch(r"[\[{].*|-?\d+(?:\.\d+)?|true|false", value)  # a date is none
                found = str(loads(value)) if is_json else value
                assert name in results + wanted
                assert found in results + wanted or value in results + wanted
                said += 1
    assert said
