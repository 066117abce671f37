"""Rejected continuations: each has exactly the one defect that it names, whatever scenario the row is of."""

import json
import re
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from unittest.mock import patch

import msgspec
import pytest
from consumers import ROOT, converter_of
from nightly import night

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Row
from generator.core.defects import DEFECTS
from generator.core.errors import CannotCarryError, PlanError, RecipeError
from generator.dialogue.acts.rejected import Continuation, defect_of, is_right
from generator.formats import FORMATS, format_options
from generator.formats.files.validate import check_raw
from generator.recipe import Recipe, load_recipe
from generator.recipe.settings import Preferences
from generator.run.engine.run import RunOptions, run
from generator.run.row import PreparedRecipe, make_row, prepare
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS
from generator.scenarios.defects import why_never
from generator.scenarios.service import course

TOOLS = (
    "travel.yaml",
    "weather.json",
    "calendar.yaml",
    "mail.yaml",
    "shop.yaml",
    "banking.json",
    "files.yaml",
    "tickets.yaml",
    "maps.yaml",
)
RECIPE = f"""
name: preferred
seed: 3
rows: 12
tools: {[str(ROOT / "tool_specs" / name) for name in TOOLS]}
offer: {{distractors: [1, 4]}}
scenarios: [single, parallel, sequential, clarify, confirm, error_recover, multi_turn, irrelevant]
calls: [2, 3]
system: "Today is {{weekday}}, {{today}}."
overlays: {{personas: {{casual: 0.3}}, scramble: 0.1}}
formats: [{{name: trl, rows: preference}}, {{name: trl, rows: unpaired}}, {{name: openai, rows: preference}}, {{name: sharegpt, rows: ranking}}, {{name: sharegpt, rows: unpaired}}]
"""
EVERY = Preferences(per_row=len(DEFECTS))
SOME = 4
"""Records of each defect in each format that are read by their consumers."""


def written(folder: Path, more: str = "") -> Path:
    (folder / "preferred.yaml").write_text(RECIPE + more)
    return folder / "preferred.yaml"


def loaded(path: Path):
    return load_recipe(path, scenarios=SCENARIOS, formats=FORMATS, format_options=format_options())


@pytest.fixture(autouse=True, scope="module")
def wrong_answers() -> Iterator[None]:
    """Half of those who are asked who they are give a wrong answer first, so that calls fail."""
    with patch.object(course, "_WRONG", (0, 1)):
        yield


@cache
def prepared() -> PreparedRecipe:
    recipe, service = [loaded(ROOT / f"recipes/{name}.yaml") for name in ("mixed", "service")]
    tools = {tool.file.name: tool for tool in (*recipe.tools, *service.tools) if tool.file is not None}
    usual = [(name, 5.0 if name == "under_policy" else 1.0) for name in SCENARIOS if name not in DOCUMENT_SCENARIOS]
    recipe = msgspec.structs.replace(
        recipe,
        tools=tuple(tools.values()),
        policies=service.policies,
        scenarios=tuple(usual),
        scripts=None,
        formats=("trl-preference",),
        preferences=EVERY,
    )
    made = prepare(recipe)
    made.defects = tuple(
        [(name, 1.0) for name in DEFECTS]
    )  # all are made, so none is weighed, which takes a hundred rows
    return made


@cache
def rows() -> tuple[Row, ...]:
    return tuple(make_row(prepared(), index).row for index in range(90))


def test_every_defect_is_made_in_rows_of_every_scenario_where_it_can_be():
    made = {(row.scenario, one.rejected.defect) for row in rows() for one in row.preferences if one.rejected}
    defects = Counter(defect for _, defect in made)
    assert set(defects) == set(DEFECTS)
    assert defects["extra_call"] >= 20  # in rows of nearly every scenario, those without calls among them
    for scenario, defect in (
        ("sequential", "dependent_calls"), ("sequential", "early_stop"), ("parallel", "serial_calls"),
        ("clarify", "call_instead_of_question"), ("under_policy", "call_instead_of_question"),
        ("under_policy", "ignored_error"), ("single", "unfounded_claim"),
    ):  # fmt: skip
        assert (scenario, defect) in made


def test_no_scenario_shows_a_defect_for_which_it_would_be_refused():
    for row in rows():
        for one in row.preferences:
            assert one.rejected is not None
            assert (
                why_never(
                    one.rejected.defect, msgspec.structs.replace(prepared().recipe, scenarios=((row.scenario, 1.0),))
                )
                is None
            )


@night
def test_all_defects_occur_about_equally_often_and_as_often_as_weights_say():
    some = prepared()
    once = msgspec.structs.replace(some.recipe, preferences=Preferences())
    counted = Counter(one.rejected.defect for row in made_with(once, 100) for one in row.preferences if one.rejected)
    assert set(counted) == set(DEFECTS)
    assert max(counted.values()) < 4 * min(
        counted.values()
    )  # where the first that can be made is taken, it is 14 times
    weighed = msgspec.structs.replace(
        some.recipe, preferences=Preferences(defects=(("wrong_type", 3.0), ("extra_call", 1.0)))
    )
    counted = Counter(one.rejected.defect for row in made_with(weighed, 40) for one in row.preferences if one.rejected)
    assert 1.8 < counted["wrong_type"] / counted["extra_call"] < 5


def made_with(recipe: Recipe, number: int) -> list[Row]:
    again = msgspec.structs.replace(prepared(), recipe=recipe, defects=None)
    return [make_row(again, index).row for index in range(number)]


def test_the_words_of_what_is_rejected_are_those_of_people():
    """A model must not tell what is rejected by its language: no question by the name of a parameter, no torn title, no "1 nights"."""
    for row in rows():
        for one in row.preferences:
            text = (one.rejected and one.rejected.message.content) or ""
            assert not re.search(
                r"\b(?:include|only|limit) should I use|tell me the limit|the include|\b1 \w+s\b(?! of)", text
            )
            assert 'status "error"' not in text


def test_what_is_chosen_is_the_row_and_what_is_rejected_differs_from_it():
    for row in rows():
        assert len({one.rejected.defect for one in row.preferences if one.rejected}) == len(row.preferences)
        for one in row.preferences:
            assert one.rejected is not None
            assert one.messages == row.conversation.messages[: len(one.messages)]
            assert isinstance(one.messages[-1], AssistantMessage)
            assert one.messages[-1].train
            assert one.rejected.message != one.messages[-1]


def test_the_checker_tells_no_defect_of_what_is_right_and_none_of_two_at_once():
    """A rejected call with one more change has two defects, and so no name."""
    toolbox, seen = prepared().toolbox, 0
    for row in rows():
        for one in row.preferences:
            at, wrong = len(one.messages) - 1, one.rejected
            right = row.conversation.messages[at]
            assert wrong is not None
            assert isinstance(right, AssistantMessage)
            assert is_right(row.conversation, row.proof, at, toolbox)
            same = Continuation(
                message=right,
                answers=tuple(c for c in row.proof.answers if c.message == at),
                asks=tuple(c for c in row.proof.asks if c.message == at),
            )
            assert defect_of(row.conversation, row.proof, at, same, toolbox) is None
            if (
                wrong.defect in ("wrong_value", "unsaid_optional", "wrong_type", "wrong_tool")
                and len(right.tool_calls) > 1
            ):
                twice = msgspec.structs.replace(wrong.message, tool_calls=wrong.message.tool_calls[::-1][1:])
                other = defect_of(row.conversation, row.proof, at, Continuation(message=twice), toolbox)
                changed = {c.id: c for c in right.tool_calls}
                if any(c != changed.get(c.id) for c in twice.tool_calls):
                    seen += 1
                    assert other is None
    assert seen > 10


def test_rows_are_the_same_with_and_without_preferences():
    plain = msgspec.structs.replace(prepared(), recipe=msgspec.structs.replace(prepared().recipe, formats=("trl",)))
    for index in range(12):
        bare = make_row(plain, index).row
        assert bare.preferences == ()
        assert msgspec.structs.replace(rows()[index], preferences=()) == bare


def test_a_run_writes_every_format_of_preferences_with_the_wanted_defects(tmp_path):
    path = written(tmp_path, "preferences: {defects: [wrong_value, extra_call], per_row: 2}\n")
    run(loaded(path), tmp_path / "out", how=RunOptions(executor="serial"))
    records = {
        name: [json.loads(line) for line in (tmp_path / f"out/{name}.jsonl").read_text().splitlines()]
        for name in ("trl-preference", "trl-unpaired", "openai-preference", "sharegpt-ranking", "sharegpt-unpaired")
    }
    pairs = records["trl-preference"]
    assert {record["defect"] for record in pairs} == {"wrong_value", "extra_call"}
    assert 12 < len(pairs) <= 24
    assert [record["label"] for record in records["trl-unpaired"]] == [True, False] * len(pairs)
    assert [record["completion"] for record in records["trl-unpaired"]] == [
        record[key] for record in pairs for key in ("chosen", "rejected")
    ]
    for name, made in records.items():
        assert not [fault for record in made for fault in check_raw(record, FORMATS[name])]
    both = [record[key] for record in records["sharegpt-ranking"] for key in ("chosen", "rejected")]
    assert [record["conversations"][-1] for record in records["sharegpt-unpaired"]] == both
    assert [record["kto_tag"] for record in records["sharegpt-unpaired"]] == [True, False] * len(
        records["sharegpt-ranking"]
    )
    manifest = json.loads((tmp_path / "out/manifest.json").read_text())
    assert manifest["tally"]["defects"] == Counter(record["defect"] for record in pairs)


def test_every_format_of_preferences_holds_every_defect_as_its_consumer_reads_it():
    from openai.types.chat import ChatCompletionMessageParam
    from pydantic import TypeAdapter

    messages = TypeAdapter(list[ChatCompletionMessageParam])
    ranking, unpaired = converter_of("sharegpt-ranking"), converter_of("sharegpt-unpaired")
    seen: Counter[tuple[str, str]] = Counter()
    for one in [one for row in rows()[:50] for one in row.preferences]:
        assert one.rejected is not None
        for name in (name for name, fmt in FORMATS.items() if fmt.policy.records in ("preferences", "unpaired")):
            if seen[name, one.rejected.defect] == SOME:
                continue
            try:
                record = json.loads(json.dumps(FORMATS[name].render(one)))
            except CannotCarryError:
                continue  # text beside calls
            seen[name, one.rejected.defect] += 1
            assert not check_raw(record, FORMATS[name])
            wrong = FORMATS[name].rejected(record)
            assert [(call.name, call.arguments) for call in wrong.message.tool_calls] == [
                (call.name, call.arguments) for call in one.rejected.message.tool_calls
            ]
            assert (wrong.message.content or "") == (one.rejected.message.content or "")
            if name == "openai-preference":
                messages.validate_python(record["input"]["messages"] + record["non_preferred_output"])
            elif name == "sharegpt-ranking":
                assert [said["content"] for said in ranking(record)["_response"]] == [
                    record["chosen"]["value"],
                    record["rejected"]["value"],
                ]
            elif name == "sharegpt-unpaired":
                assert [said["content"] for said in unpaired(record)["_response"]] == [
                    "",
                    record["conversations"][-1]["value"],
                ]
    assert len(seen) == 5 * len(DEFECTS)


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ("preferences: {defects: wrong_valeu}\n", "unknown defect 'wrong_valeu' (did you mean \"wrong_value\"?)"),
        ("preferences: {per_row: 0}\n", "preferences.per_row"),
        ("preferences: {}\nformats: [trl]\n", "no format of the recipe writes what is rejected"),
        (
            "preferences: {defects: [wrong_value, ignored_error]}\nscenarios: [single, parallel]\n",
            "preferred.yaml:11: preferences.defects.ignored_error: no scenario of the recipe can show it; these can: under_policy",
        ),
        ("preferences: {defects: {unfounded_claim: 2}}\ntrain: calls\n", "`train: calls` leaves no message to learn"),
    ],
)
def test_wrong_keys_are_told_with_their_place(tmp_path, more, told):
    path = written(tmp_path)
    usual = re.sub(r"scenarios:.*\n", "", RECIPE) if "scenarios:" in more else RECIPE
    path.write_text(
        usual.partition("formats:")[0]
        + ("" if "formats:" in more else "formats: [{name: trl, rows: preference}]\n")
        + more
    )
    with pytest.raises((RecipeError, PlanError)) as raised:
        prepare(loaded(path))
    assert told in str(raised.value)


def test_a_conversation_without_claims_has_no_named_defect():
    conversation, nothing = rows()[0].conversation, Proof()
    at = next(i for i, m in enumerate(conversation.messages) if isinstance(m, AssistantMessage))
    wrong = Continuation(message=AssistantMessage("Done."))
    assert (
        defect_of(Conversation(conversation.messages, conversation.tools), nothing, at, wrong, prepared().toolbox)
        is None
    )
