"""Rows in another language: of what they are made, that they are proven like others, and what is refused."""

import random
import re
from functools import lru_cache
from pathlib import Path

import msgspec
import pytest
from changed_rows import Proven
from planted_changes import KINDS, Planted, refused
from workbench import TOOL_SPECS, recipe

from generator.acts.check import check_row
from generator.connectives import CONNECTIVES, IN_ENGLISH
from generator.conversation import AssistantMessage, SystemMessage, UserMessage
from generator.errors import PlanError, RecipeError, SpecError
from generator.formats import FORMATS
from generator.locales import LANGUAGES, pack_of
from generator.recipe.load import load_recipe
from generator.run.prepared import PreparedRecipe
from generator.run.row import make_row, prepare
from generator.scenarios import SCENARIOS

ROOT = TOOL_SPECS.parent
GERMAN = pack_of("de")
CALLING = tuple(name for name in GERMAN.scenarios if name not in ("irrelevant", "near_miss"))
ROWS = 32


@lru_cache
def both() -> PreparedRecipe:
    """The shipped recipe with rows in two languages."""
    return prepare(load_recipe(ROOT / "recipes" / "german.yaml", scenarios=SCENARIOS, formats=FORMATS))


@lru_cache
def german() -> tuple[Proven, ...]:
    """Rows in German."""
    part = both().languages["de"]
    made = [make_row(part, index).row for index in range(ROWS)]
    return tuple([Proven(row.conversation, row.proof, row.scenario, part.toolbox) for row in made])


def texts(row: Proven) -> list[str]:
    """What is said in a row."""
    said = (SystemMessage, UserMessage, AssistantMessage)
    return [message.content for message in row.talk.messages if isinstance(message, said) and message.content]


def test_rows_are_of_what_has_words_and_proven():
    assert {row.scenario for row in german()} == {*GERMAN.scenarios}
    assert [finding for row in german() for finding in row.findings()] == []
    assert {claim.verbalizer for row in german() for claim in row.proof.arguments} >= {"date_alone", "enum", "clause"}


def test_what_is_singled_out_by_a_superlative_needs_no_sentence_that_the_language_lacks():
    part = both().languages["de"]
    made = [make_row(part, index) for index in range(120)]
    reasons = {violation.rule for row in made for attempt in row.rejected for violation in attempt.violations}
    picks = {claim.pick for row in made for claim in row.row.proof.arguments if claim.pick}
    assert "PF143" not in reasons
    assert [pick for pick in picks if pick.startswith(("min ", "max "))]


ENGLISH = re.compile(
    r"\b(?:the|and|your?|my|for|with|please|is|are|can|could|order|appointment|on|at)\b", re.IGNORECASE
)


def test_nothing_in_them_is_english_but_what_results_and_names_hold():
    for row in german():
        spans = [(c.message, c.start, c.end) for c in (*row.proof.answers, *row.proof.arguments) if c.start is not None]
        for at, message in enumerate(row.talk.messages):
            if isinstance(message, UserMessage | AssistantMessage | SystemMessage):
                left = message.content or ""
                for _, start, end in sorted([span for span in spans if span[0] == at], reverse=True):
                    left = left[:start] + left[end:]
                assert not ENGLISH.search(left), left


@pytest.mark.parametrize("kind", [kind for kinds in KINDS.values() for kind in kinds], ids=lambda k: k.change.__name__)
def test_what_is_planted_in_them_is_refused(kind: Planted):
    changes = []
    for number, row in enumerate(one for one in german()[:16] if one.scenario in CALLING):
        found = list(kind.change(row))
        changes += random.Random(f"{kind.change.__name__} {number}").sample(found, min(1, len(found)))
    found = refused(kind, iter(changes))
    assert len(found.passed) <= (0.1 * found.number if kind.mostly else 0), found.passed


def test_english_words_do_not_join_german_phrases_nor_the_other_way_round():
    english = both().languages["en"]
    for row in german():
        assert check_row(row.talk, row.proof, english.toolbox)
        ask = next(at for at, message in enumerate(row.talk.messages) if isinstance(message, UserMessage))
        text = row.text(ask)
        if text.startswith("Kannst du "):
            messages = list(row.talk.messages)
            messages[ask] = UserMessage(text.replace("Kannst du", "Could you"))
            talk = msgspec.structs.replace(row.talk, messages=tuple(messages))
            assert "PF110" in {finding.code for finding in check_row(talk, row.proof, row.toolbox)}


def test_other_rows_keep_their_bytes():
    alone = prepare(msgspec.structs.replace(both().recipe, language=(("en", 1.0),)))
    made = [(index, make_row(both(), index).row) for index in range(16)]
    english = [(index, row) for index, row in made if "language:de" not in row.tags]
    assert 3 < len(english) < 13
    for index, row in english:
        assert row == make_row(alone, index).row


def test_each_file_of_a_pack_has_no_keys_of_its_own():
    english = IN_ENGLISH.tables
    for language in LANGUAGES:
        assert CONNECTIVES[language].tables.keys() <= english.keys()
        assert CONNECTIVES[language].language == language
        assert {*pack_of(language).scenarios} <= {*SCENARIOS}


def written(folder: Path, text: str) -> Path:
    """A tool file with phrases in German beside it."""
    tools = folder / "lamp.yaml"
    tools.write_text(
        "tools:\n- name: switch_lamp\n  description: Switch a lamp on or off.\n"
        "  parameters: {type: object, properties: {lamp: {type: string}, mode: {type: string, enum: [warm, cold]}}, required: [lamp, mode]}\n"
        "  phrases: {request: ['switch on {lamp}'], answer: ['{args.lamp} is on.']}\n"
    )
    beside = folder / "locales" / "de"
    beside.mkdir(parents=True, exist_ok=True)
    (beside / "lamp.yaml").write_text(text)
    return tools


WHOLE = """
tools:
  switch_lamp:
    examples: {lamp: [die Stehlampe, das Licht im Flur]}
    phrases:
      request: ["{lamp} einschalten"]
      can: [Lampen einschalten]
      answer: ["{args.lamp} ist an."]
      slots: {lamp: [", und zwar {lamp}"], mode: [", und zwar {mode}"]}
      ask: {lamp: ["Welche Lampe?"], mode: ["Warm oder kalt?"]}
      synonyms: {mode: {warm: [warmweiß], cold: [kaltweiß]}}
"""


def test_tools_of_ones_own_are_spoken_of_in_words_beside_their_file(tmp_path: Path):
    part = prepare(recipe([written(tmp_path, WHOLE)], "single", language=(("de", 1.0),)))
    texts = [message.content or "" for index in range(6) for message in make_row(part, index).row.conversation.messages]
    assert any(re.search(r"(?:Stehlampe|Flur) einschalten, und zwar (?:warm|kalt)weiß", text) for text in texts), texts


@pytest.mark.parametrize(
    ("left_out", "fault"),
    [
        ('      request: ["{lamp} einschalten"]\n', r"locales/de/lamp\.yaml:3: .*phrases\.request is missing"),
        ('lamp: ["Welche Lampe?"], ', r"phrases\.ask\.lamp is missing"),
        (', mode: [", und zwar {mode}"]', r"phrases\.slots\.mode is missing"),
        (", cold: [kaltweiß]", r"'cold' has no words"),
        ("      synonyms: {mode: {warm: [warmweiß], cold: [kaltweiß]}}\n", r"phrases\.synonyms\.mode is missing"),
    ],
)
def test_words_that_are_missing_are_named(tmp_path: Path, left_out: str, fault: str):
    assert left_out in WHOLE
    with pytest.raises(SpecError, match=fault):
        prepare(recipe([written(tmp_path, WHOLE.replace(left_out, ""))], "single", language=(("de", 1.0),)))


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        (
            WHOLE.replace("examples:", "kinds:").replace("[die Stehlampe, das Licht im Flur]", "city"),
            "differ by language",
        ),
        (WHOLE.replace("switch_lamp", "switch_lamps"), "there is no tool 'switch_lamps'.*switch_lamp"),
        (WHOLE.replace("{args.lamp} ist an", "{args.lamp:ordinal} ist an"), "there is no verbalizer 'ordinal'"),
    ],
)
def test_words_that_do_not_fit_are_refused(tmp_path: Path, text: str, fault: str):
    with pytest.raises(SpecError, match=fault):
        prepare(recipe([written(tmp_path, text)], "single", language=(("de", 1.0),)))


def test_what_has_no_words_at_all_is_refused_and_what_lacks_some_is_told():
    tools = [TOOL_SPECS / "shop.yaml"]
    with pytest.raises(PlanError, match="none of the recipe's scenarios has words in German: these have: single"):
        prepare(recipe(tools, "correct", language=(("de", 1.0),)))
    with pytest.raises(PlanError, match=r"none of the tools has phrases in German.*locales/de/"):
        prepare(recipe([TOOL_SPECS / "calendar.yaml"], language=(("de", 1.0),)))
    told = prepare(recipe(tools, "single", "correct", "follow_up", language=(("de", 1.0),))).left_out
    assert [str(one) for one in told] == [
        "the scenario 'correct (and 1 more) in German' is left out: it has no words in German, so that rows in German are of other scenarios"
    ]


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ("language: fr", r"recipe.yaml:\d+: language: unknown language 'fr'"),
        ("language: {de: 1}\nthoughts: [reason]", r"thoughts: goes with rows in English only"),
        ("language: {de: 1, en: 1}\ntwins: true", r"twins: goes with rows in English only"),
        ("language: de\nno_call: {share: 0.2}", r"no_call: goes with rows in English only"),
    ],
)
def test_keys_that_are_english_do_not_go_with_other_languages(tmp_path: Path, more: str, fault: str):
    file = tmp_path / "recipe.yaml"
    file.write_text(f"name: some\nrows: 3\nscenarios: single\ntools: [{TOOL_SPECS / 'shop.yaml'}]\n{more}\n")
    with pytest.raises(RecipeError, match=fault):
        load_recipe(file, scenarios=SCENARIOS, formats=FORMATS)
