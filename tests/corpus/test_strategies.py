"""Hypothesis strategies of completions."""

import faulty_parsers
import pytest
from hypothesis import HealthCheck, Phase, find, given, settings

from generator.core.errors import FormatError
from generator.corpus import model_outputs
from generator.formats.wire.completions import read
from generator.formats.wire.format import wire_format

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
