"""Hypothesis strategies of completions, and shrinking of stored cases."""

import json
import re
from pathlib import Path

import faulty_parsers
import pytest
from corpora import RECIPE, recipe_of
from hypothesis import HealthCheck, Phase, find, given, settings

from generator.corpus import cases, model_outputs
from generator.corpus.check.run import CheckOptions, check_corpus
from generator.corpus.run import make_corpus
from generator.errors import FormatError
from generator.wire.format import wire_format
from generator.wire.reading import read

TOOLS = [
    {"type": "function", "function": {"name": "ping", "parameters": {"type": "object", "properties": {}}}},
    {
        "type": "function",
        "function": {
            "name": "note",
            "parameters": {
                "type": "object",
                "properties": {"text": {"type": "string"}, "level": {"type": "integer"}},
                "required": ["text"],
            },
        },
    },
]
FAULTY = Path(faulty_parsers.__file__)


@pytest.mark.parametrize("name", ["hermes", "qwen3_coder", "llama_pythonic", "kimi_k2"])
def test_every_output_has_one_meaning(name):
    schemas = {tool["function"]["name"]: tool["function"]["parameters"] for tool in TOOLS}

    @settings(max_examples=40, suppress_health_check=list(HealthCheck))
    @given(model_outputs(name, TOOLS))
    def check(output):
        assert "".join(output.pieces) == output.text
        found = read(wire_format(name), output.text, schemas)
        assert found.calls == output.calls
        assert found.before.strip() == (output.content or "").strip()

    check()


def test_a_failing_output_shrinks_to_the_least():
    def loses_a_call(output):
        found = faulty_parsers.drops_empty(output.text, TOOLS)
        return len(found["tool_calls"]) < len(output.calls)

    small = find(
        model_outputs("hermes", TOOLS),
        loses_a_call,
        settings=settings(database=None, phases=[Phase.generate, Phase.shrink]),
    )
    assert [(call.name, call.arguments) for call in small.calls] == [("ping", {})]
    assert small.content is None
    assert len(small.pieces) == 1


def test_tools_that_a_format_cannot_write_are_refused():
    odd = {"type": "function", "function": {"name": "get-time", "parameters": {"type": "object", "properties": {}}}}
    with pytest.raises(FormatError, match="none of the tools"):
        model_outputs("llama_pythonic", [odd])


@pytest.fixture
def own(tmp_path):
    make_corpus(
        recipe_of(
            tmp_path,
            RECIPE.replace("[hermes, qwen3_coder, llama_pythonic, gemma4]", "[hermes]").replace("seed: 3", "seed: 4"),
        ),
        tmp_path / "out",
    )
    return tmp_path / "out"


def failing(corpus, name, label, **more):
    report = check_corpus(corpus, CheckOptions(parser=f"{FAULTY}:{name}", **more))
    return max(
        (finding for finding in report.findings if finding.label == label and finding.verdict == "y"),
        key=lambda f: len(str(f.observed)),
    )


class TestShrink:
    def test_a_valid_case_shrinks_to_one_call_and_stays_valid(self, own, cli):
        finding = failing(own, "drops_empty", "lost call")
        ran = cli(
            "corpus", "shrink", own, "--format", "hermes", "--case", finding.case, "--parser", f"{FAULTY}:drops_empty"
        )
        assert ran.code == 0
        small = next(case for case in cases(own, "hermes") if case.parent == finding.case)
        assert small.id in ran.out
        assert re.fullmatch(r'<tool_call>\n\{"name": "\w+", "arguments": \{\}\}\n</tool_call>', small.chars)
        assert small.verdict == "y"
        again = check_corpus(own, CheckOptions(parser=f"{FAULTY}:drops_empty"), ids=(small.id,))
        assert [found.label for found in again.findings] == ["lost call"]

    def test_values_shrink_too(self, own, cli):
        finding = failing(own, "raises", "exception")
        cli("corpus", "shrink", own, "--format", "hermes", "--case", finding.case, "--parser", f"{FAULTY}:raises")
        small = next(case for case in cases(own, "hermes") if case.parent == finding.case)
        assert len(small.text) < 120

    def test_plans_shrink_to_one_cut(self, own, cli):
        how = {"stream": f"{FAULTY}:needs_whole_markers", "torn_tokens": True}
        finding = failing(own, "right", "lost call", **how)
        flags = ["--parser", f"{FAULTY}:right", "--stream", how["stream"]]
        assert cli("corpus", "shrink", own, "--format", "hermes", "--case", finding.case, *flags).code == 0
        small = next(case for case in cases(own, "hermes") if case.parent == finding.case)
        assert [len(plan.sizes) for plan in small.plans] == [2]

    def test_a_case_that_does_not_fail_is_refused(self, own, cli):
        valid = next(case for case in cases(own, "hermes") if case.verdict == "y")
        ran = cli("corpus", "shrink", own, "--format", "hermes", "--case", valid.id, "--parser", f"{FAULTY}:right")
        assert (ran.code, "does not fail" in ran.err) == (2, True)
        assert len(json.dumps([case.id for case in cases(own, "hermes")])) > 0
