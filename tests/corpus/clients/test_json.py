"""JSON that ends early, and answers in JSON: what may be read, and what real readers read."""

import json
from pathlib import Path

import jiter
import msgspec
import pytest
from corpora import recipe_of
from hypothesis import given
from hypothesis import strategies as st

from generator.core.errors import GeneratorError
from generator.corpus import cases
from generator.corpus.check.run import CheckOptions, check_corpus
from generator.corpus.clients.json_cases import answers, check_interpretations, is_beginning, readings
from generator.corpus.run import make_corpus

CLIENTS = Path(__file__).parents[2] / "clients.py"
JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("json")
    recipe = "kind: corpus\nname: json\nseed: 3\ncases: 40\nformats: [partial_json, json_answers]\n"
    make_corpus(recipe_of(folder, recipe), folder / "out")
    return folder / "out"


@given(JSON, st.booleans(), st.sampled_from([None, 1]), st.data())
def test_what_is_read_of_a_prefix_is_a_beginning_of_the_whole_and_what_jiter_reads_is_among_it(
    value, ascii_only, indent, data
):
    text = json.dumps(value, ensure_ascii=ascii_only, indent=indent)
    prefix = text[: data.draw(st.integers(1, len(text)))]
    found = list(readings(prefix))
    check_interpretations(text, prefix, found)
    for mode in (True, "trailing-strings"):
        try:
            read = jiter.from_json(prefix.encode(), partial_mode=mode)
        except ValueError:
            assert msgspec.UNSET in found
        else:
            assert any(one == read for one in found)


@pytest.mark.parametrize(
    ("prefix", "told"),
    [
        ('{"a": "x', [{"a": "x"}, {}]),
        ('{"a"', [{}]),
        ('{"a": ', [{}]),
        ('["a\\ud83d', [["a"], []]),
        ("[1, 2", [[1, 2], [1]]),
        ("[-", [[]]),
        ('{"a": tr', [{"a": True}, {}]),
        ("[null", [[None]]),
        ('"', ["", msgspec.UNSET]),
        (" \n", [msgspec.UNSET]),
    ],
)
def test_readings(prefix, told):
    assert list(readings(prefix)) == told


@pytest.mark.parametrize(
    ("part", "whole"), [({"a": ""}, {"a": 1}), ({"b": 1}, {"a": 1, "b": 1}), (["ab"], ["ax"]), ([1, 2], [1])]
)
def test_what_the_whole_does_not_hold_is_no_beginning(part, whole):
    assert not is_beginning(part, whole)
    with pytest.raises(GeneratorError):
        check_interpretations(json.dumps(whole), json.dumps(whole)[:-1], [part])


def test_every_prefix_of_a_document_is_a_case(corpus):
    lengths = sorted(len(case.chars) for case in cases(corpus, "partial_json") if case.hazard == "surrogate_pair")
    assert lengths == list(range(1, 19))


def test_every_way_to_write_an_answer_says_what_is_allowed(corpus):
    for answer in answers():
        assert bool(answer.allowed) == (answer.verdict == "i"), answer.name
    assert {case.hazard for case in cases(corpus, "json_answers")} - {None} == {answer.name for answer in answers()}


def check(corpus, form, reader):
    report = check_corpus(corpus, CheckOptions(parser=f"{CLIENTS}:{reader}"), formats=(form,))
    return {(finding.features[0], finding.label) for finding in report.findings}


FAULTS = {("mismatched_end", "fault not noticed"), ("missing_comma", "fault not noticed")}
FOUND = {
    "jiter_partial": FAULTS,
    "jiter_trailing": FAULTS,
    "pydantic_partial": FAULTS,
    "partial_json_parser": {
        ("surrogate_pair", "not an allowed reading"),
        ("line_separators", "not an allowed reading"),
    },
}


@pytest.mark.parametrize("reader", FOUND)
def test_real_readers_of_json_that_ends_early(corpus, reader):
    found = check(corpus, "partial_json", reader)
    assert {one for one in found if one[0] != "truncate"} == FOUND[reader]


def test_a_reader_of_whole_texts_only_is_found_out(corpus):
    assert ("compact", "exception") in check(corpus, "partial_json", "standard_library")
    assert ("fence", "exception") in check(corpus, "json_answers", "standard_library")
    assert ("bare", "exception") not in check(corpus, "json_answers", "standard_library")
