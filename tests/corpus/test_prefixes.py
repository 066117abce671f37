"""Texts that end early: every byte of short ones, some of long ones."""

import pytest
from corpora import RECIPE, recipe_of

from generator.corpus import cases
from generator.corpus.check.run import CheckOptions, check_corpus
from generator.corpus.chunks import cut
from generator.corpus.meaning import emissions_of, readings_of_prefix
from generator.corpus.run import SHORT, make_corpus
from generator.formats.wire.format import ExpectedCall, wire_format
from generator.formats.wire.writing import write_completion

PARSER = """
import json
def careful(text, tools):
    calls = []
    for part in text.split("<tool_call>\\n")[1:]:
        try:
            call = json.loads(part.partition("\\n</tool_call>")[0])
            calls.append((call["name"], call["arguments"]))
        except ValueError:
            break
    return text.partition("<tool_call>")[0], calls

def careless(text, tools):
    return None, [(call["name"], call["arguments"]) for part in text.split("<tool_call>\\n")[1:] for call in [json.loads(part.partition("\\n</tool_call>")[0])]]
"""


@pytest.fixture(scope="module")
def corpus(tmp_path_factory):
    folder = tmp_path_factory.mktemp("prefixes")
    (folder / "parser.py").write_text(PARSER)
    text = RECIPE.replace("prefixes: 0", "prefixes: 1").replace(
        "[hermes, qwen3_coder, llama_pythonic, gemma4]", "[hermes, deepseek_v31]"
    )
    make_corpus(recipe_of(folder, text), folder / "out")
    return folder


@pytest.fixture(scope="module", params=["hermes", "deepseek_v31"])
def families(corpus, request):
    """By parent: its prefixes."""
    found = list(cases(corpus / "out", request.param))
    parents = {case.id: case for case in found}
    groups = {}
    for case in found:
        if case.parent:
            groups.setdefault(case.parent, []).append(case)
    return [(parents[name], group) for name, group in groups.items()]


def test_every_byte_of_a_short_text_and_some_of_a_long_one(families):
    (short, every), (long, some) = sorted(families, key=lambda family: len(family[0].text))
    assert [case.text for case in every] == [short.text[:at] for at in range(1, len(short.text))]
    assert len(short.text) <= SHORT < len(long.text)
    assert 30 < len(some) < 50


def test_nothing_or_the_calls_that_are_whole_may_be_read(families):
    for parent, prefixes in families:
        for case in prefixes:
            assert (case.verdict, case.tools) == ("i", parent.tools)
            assert case.allowed[0].tool_calls == ()
            for reading in case.allowed:
                assert reading.tool_calls == parent.oracle.tool_calls[: len(reading.tool_calls)]
            assert case.mutations[-1].op == "truncate"
            assert parent.text.startswith(case.text)
            assert case.oracle == parent.oracle


def test_pieces_are_those_of_the_whole_text(families):
    for parent, prefixes in families:
        whole = {plan.kind: cut(parent.text, plan) for plan in parent.plans}
        for case in prefixes:
            assert {plan.kind for plan in case.plans} == {"whole", "tokens"}
            for plan in case.plans:
                pieces = cut(case.text, plan)
                assert b"".join(pieces) == case.text
                assert pieces[:-1] == whole[plan.kind][: len(pieces) - 1]


@pytest.mark.parametrize(("name", "labels"), [("careful", set()), ("careless", {"exception"})])
def test_parsers_that_raise_on_an_unfinished_call_are_found(corpus, name, labels):
    ids = tuple(case.id for case in cases(corpus / "out", "hermes") if case.id.startswith("prefix"))
    report = check_corpus(
        corpus / "out", CheckOptions(parser=f"{corpus / 'parser.py'}:{name}"), formats=("hermes",), ids=ids
    )
    assert {finding.label for finding in report.findings} == labels


@pytest.mark.parametrize(("name", "closing"), [("minimax_m3", "</a>"), ("qwen3_coder", "</parameter>")])
def test_elements_that_are_closed_may_be_read_of_a_call_that_is_cut_off(name, closing):
    fmt, calls = wire_format(name), (ExpectedCall("f", {"a": 1, "b": [2]}),)
    written = write_completion(fmt, calls)
    at = written.text.index(closing) + len(closing)
    found = readings_of_prefix(fmt, calls, written.text.encode(), emissions_of(written), at)
    assert found == ((), (ExpectedCall("f", {"a": 1}),))
    assert readings_of_prefix(fmt, calls, written.text.encode(), emissions_of(written), at - 1)[1] == (
        ExpectedCall("f", {}),
    )
