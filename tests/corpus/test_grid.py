"""The grid: every hazard at every position of every format, and a parser with one mistake fails where it is named."""

import json
from functools import cache
from pathlib import Path

import msgspec
import pytest
import reference_parsers
import yaml
from corpora import ONE_OF_EACH, RECIPE, SOME, recipe_of
from nightly import night, one_in

from generator.corpus import cases
from generator.corpus.check.failures import features_of
from generator.corpus.check.run import CheckOptions, CheckReport, check_case
from generator.corpus.grid import grid_cases, hazards
from generator.corpus.release import release_line
from generator.corpus.run import make_corpus
from generator.formats.format import tool_object
from generator.formats.wire.format import wire_formats

OF_EACH_PARSER = (
    "hermes",
    "mistral_text",
    "jamba",
    "lfm25",
    "qwen3_coder",
    "deepseek_v4",
    "minicpm5",
    "gemma4",
    "harmony",
)


GAPS = Path(__file__).with_name("hazard_gaps.yaml")


@cache
def grid_of(shop):
    return tuple(grid_cases(shop))


@pytest.mark.parametrize("name", SOME)
def test_the_grid_is_small_and_each_case_has_one_hazard(shops, name):
    found = list(grid_of(shops[name]))
    if name in ONE_OF_EACH[::3]:
        assert found == list(grid_cases(shops[name]))
    assert len({case.id for case in found}) == len(found) > 200
    assert sum(len(case.text) for case in found) < 180_000
    assert sum(len(release_line(case, shops[name].fmt)) for case in found) < 450_000
    assert {case.hazard for case in found} <= {hazard.name for hazard in hazards()}
    for case in found:
        assert case.verdict == "i" or case.oracle is not None
        assert not case.chars.isspace() or case.verdict != "y"


def test_a_text_hazard_stands_first_in_the_middle_last_alone_and_in_a_key(shops):
    places = {case.tags for case in grid_cases(shops["hermes"]) if case.hazard == "line_separator"}
    assert places == {(f"position_{place}",) for place in ("first", "middle", "last", "alone", "key")}


def test_a_second_call_is_made_where_the_format_has_one(shops):
    case = next(case for case in grid_cases(shops["internlm2"]) if case.hazard == "second_call")
    assert (case.verdict, len(case.oracle.tool_calls)) == ("i", 2)
    assert [len(reading.tool_calls) for reading in case.allowed] == [2, 1, 0]


def report_of(shop, parse, stream=None):
    tools = {name: msgspec.to_builtins(tool_object(known.tool)) for name, known in shop.tools.items()}

    class Runner(reference_parsers.InProcess):
        def run(self, given, tools, seconds):
            changed = super().run(given, tools, seconds)
            return parse(changed, given)

    runner = Runner(shop.fmt.name, tools)
    found = list(grid_of(shop))
    findings = [one for case in found for one in check_case(case, runner, CheckOptions(parser="a", stream="b"))[1]]
    return CheckReport(cases=len(found), runs=0, findings=tuple(findings)), found


@pytest.mark.parametrize("name", one_in(3, OF_EACH_PARSER))
def test_a_right_parser_passes_the_grid(shops, name):
    report, _ = report_of(shops[name], lambda answer, given: answer)
    assert [(found.case, found.label, found.detail) for found in report.findings] == []


def changed_values(change):
    """A parser that reads values otherwise: every one of every call goes through `change`."""

    def walk(value):  # one frame a level: the deepest values have hundreds
        if isinstance(value, dict):
            changed = {}
            for key, part in value.items():
                new = change(key)
                changed[new if isinstance(new, str) else key] = walk(part)
            return changed
        if isinstance(value, list):
            parts = []
            for part in value:
                parts.append(walk(part))
            return parts
        return change(value)

    def parse(answer, given):
        calls = tuple(
            call._replace(arguments=walk(call.arguments)) if isinstance(call.arguments, dict) else call
            for call in answer.calls
        )
        return msgspec.structs.replace(answer, calls=calls, deltas=None)

    return parse


def text_change(of, to):
    return changed_values(lambda value: value.replace(of, to) if isinstance(value, str) else value)


TEXTS = {hazard.name: hazard.text for hazard in hazards() if hazard.text and not hazard.text.startswith("$")}
ALONE = {hazard.name: hazard.alone for hazard in hazards() if hazard.alone is not None}
VALUES = {hazard.name: hazard.value for hazard in hazards() if hazard.value is not msgspec.UNSET}


@pytest.mark.parametrize("hazard", [*one_in(2, TEXTS), *one_in(2, ALONE), *one_in(2, VALUES)])
def test_a_parser_that_loses_one_thing_is_found_by_the_hazard_of_that_name(shops, hazard):
    if hazard in TEXTS:
        parse = text_change(TEXTS[hazard], "")
    else:
        wrong = ALONE.get(hazard, VALUES.get(hazard))
        same = repr("lorem ipsum dolor sit amet, " * 36 if wrong == "long" else wrong)
        parse = changed_values(lambda value: "lost" if repr(value) == same else value)
        if isinstance(wrong, list | dict):
            parse = lambda answer, given: msgspec.structs.replace(  # noqa: E731
                answer,
                deltas=None,
                calls=tuple(
                    call._replace(arguments={k: v for k, v in call.arguments.items() if repr(v) != same})
                    for call in answer.calls
                    if isinstance(call.arguments, dict)
                ),
            )
    shop = shops["hermes"]
    cases_of = [case for case in grid_of(shop) if case.hazard == hazard]
    tools = {name: msgspec.to_builtins(tool_object(known.tool)) for name, known in shop.tools.items()}

    class Runner(reference_parsers.InProcess):
        def run(self, given, tools, seconds):
            return parse(super().run(given, tools, seconds), given)

    runner = Runner("hermes", tools)
    for case in cases_of:
        assert [found.features for found in check_case(case, runner, CheckOptions(parser="a"))[1]] == [(hazard,)]
    assert cases_of


def test_findings_are_told_by_what_failing_cases_have_in_common(shops):
    report, found = report_of(shops["hermes"], text_change("\u2028", ""))
    report.seen.update(feature for case in found for feature in features_of(case))
    (cluster,) = report.by_cause()
    assert (cluster.label, cluster.cause, cluster.failing, cluster.cases) == ("wrong argument", "line_separator", 5, 5)
    assert cluster.witness.bytes == min(len(case.text) for case in found if case.hazard == "line_separator")


def test_one_mistake_in_most_cases_is_one_cause_and_valid_texts_come_first(shops):
    def raises(answer, given):
        missing = msgspec.structs.replace(answer, error="KeyError: 'name'", deltas=None)
        loses = isinstance(given, list) and answer.calls
        return msgspec.structs.replace(answer, calls=(), deltas=None) if loses else answer if answer.calls else missing

    report, found = report_of(shops["hermes"], raises)
    report.seen.update(feature for case in found for feature in {*features_of(case), case.verdict})
    told = [(cluster.label, cluster.cause, cluster.streams) for cluster in report.by_cause()]
    assert told[:2] == [("exception", "no call", False), ("lost call", "a call", True)]
    assert {cause for label, cause, _ in told if label == "exception"} == {"no call", "a fault"}
    assert len(told) == len(set(told)) < 20 < len(report.findings)


def test_a_corpus_holds_the_grid_and_the_drawn_cases(tmp_path):
    text = RECIPE.replace("cases: 60", "cases: 2").replace("grid: false", "grid: true")
    make_corpus(
        recipe_of(tmp_path, text.replace("[hermes, qwen3_coder, llama_pythonic, gemma4]", "[hermes]")), tmp_path / "out"
    )
    found = list(cases(tmp_path / "out", "hermes"))
    assert sum(case.hazard is None for case in found) == 2
    assert len(found) > 200
    named = {json.loads(line).get("hazard") for line in (tmp_path / "out/hermes.jsonl").read_text().splitlines()}
    assert named == {None, *(case.hazard for case in found if case.hazard)}


def shapes(fmt):
    """What `hazard_gaps.yaml` calls formats of a shape."""
    if not fmt.thoughts or fmt.thoughts_inside:
        yield "no thoughts"
    if "<think>" in (fmt.thoughts or ""):
        yield "thinks"
    if not fmt.open.strip() or fmt.call_pieces[0] == ("slot", "object") or not fmt.opening:
        yield "no section"


@pytest.mark.parametrize("names", [ONE_OF_EACH, pytest.param(tuple(wire_formats()), marks=night)], ids=["some", "all"])
def test_every_hazard_is_in_every_format_or_has_a_reason_not_to_be(shops, names):
    whole = len(names) == len(wire_formats())
    missing = {
        (hazard.name, name)
        for name in names
        for hazard in hazards()
        if hazard.name not in {case.hazard for case in grid_of(shops[name])}
        if not hazard.only or name in hazard.only
    }
    explained = set()
    for gap in yaml.safe_load(GAPS.read_text()):
        of = {n for n in names if {n, wire_formats()[n].arguments, *shapes(wire_formats()[n])} & set(gap["formats"])}
        pairs = {(hazard, name) for hazard in gap["hazards"] for name in of}
        assert not whole or len(pairs & missing) >= len(gap["hazards"]), gap
        explained |= pairs
    assert missing == explained if whole else missing <= explained
