"""Each kind of source: found out from its content, read with all that it says."""

import json
from pathlib import Path

import bfcl_eval
import pytest
from nightly import night
from tools.specs.reading import Select, ToolFile, tools, verdicts

from generator.core.errors import RecipeError, SpecError
from generator.tools.specs.read import read_tools
from generator.tools.specs.readers import READERS

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
MCP = {
    "name": "get_weather",
    "title": "Weather",
    "description": "Look the weather up.",
    "inputSchema": SCHEMA,
    "outputSchema": {"type": "object", "properties": {"sky": {"type": "string", "x-unit": "none"}}},
    "annotations": {"readOnlyHint": True, "openWorldHint": False},
    "_meta": {"vendor": 1},
}
ANTHROPIC = {
    "name": "get_weather",
    "description": "Look it up.",
    "input_schema": SCHEMA,
    "cache_control": {"type": "x"},
}
BFCL = {
    "name": "weather.get",
    "description": "Look it up.",
    "parameters": {
        "type": "dict",
        "properties": {
            "city": {"type": "String", "optional": True},
            "days": {"type": "tuple", "items": {"type": "float"}},
            "extra": {"type": "any"},
            "type": {"type": "Boolean"},
            "map": {"type": "HashMap"},
        },
        "required": ["city"],
    },
    "response": {"type": "dict", "properties": {"sky": {"type": "string"}}},
}
PROMPT = {
    "version": 1,
    "model_prompt": "Translate {{text}} into {{language}}.",
    "metadata": {
        "prompt_name": "Translate a text",
        "description": "Translates.",
        "variables": [
            {"name": "text", "type": "text", "description": "What to translate"},
            {"name": "language", "type": "single-select", "default": "French", "allowed_values": ["French", "Greek"]},
            {"name": "styles", "type": "multi-select", "default": [], "allowed_values": ["short", "kind"]},
        ],
        "expected_output": {"type": "limited", "allowed_values": ["yes", "no"]},
    },
}
EXAMPLES = {
    "openai": {"tools": [{"type": "function", "function": {"name": "get_weather", "parameters": SCHEMA}}]},
    "mcp": {"tools": [MCP]},
    "anthropic": [ANTHROPIC],
    "openapi": {"openapi": "3.0.3", "paths": {"/weather": {"get": {"operationId": "get_weather"}}}},
    "bfcl": {"id": "x_0", "question": [], "function": [BFCL]},
    "portable": PROMPT,
    "declared": {
        "tools": [{"functionDeclarations": [{"name": "get_weather", "description": "Weather", "parameters": SCHEMA}]}]
    },
}


def test_every_reader_has_an_example():
    assert EXAMPLES.keys() == READERS.keys()


@pytest.mark.parametrize("kind", EXAMPLES)
def test_the_kind_is_found_out_from_the_content(tmp_path: Path, kind: str):
    (verdict,) = verdicts(tmp_path, EXAMPLES[kind])
    assert (verdict.kind, verdict.verdict) == (kind, "loaded")
    assert verdicts(tmp_path, EXAMPLES[kind], kind=kind) == [verdict]


@pytest.mark.parametrize("kind", EXAMPLES)
@pytest.mark.parametrize("forced", READERS)
def test_a_file_read_as_another_kind_is_refused_or_loaded_but_never_breaks(tmp_path: Path, kind: str, forced: str):
    if forced in ("openapi", "portable") and forced != kind:
        with pytest.raises(SpecError, match=str(tmp_path)):
            verdicts(tmp_path, EXAMPLES[kind], kind=forced)
    else:
        assert _told(lambda: verdicts(tmp_path, EXAMPLES[kind], kind=forced))


def _told(read) -> list[str]:
    """What became of every tool, or the one message that says why there are none."""
    try:
        return [verdict.verdict for verdict in read()]
    except SpecError as fault:
        return [str(fault)]


class TestMcp:
    @pytest.mark.parametrize(
        "dump", [{"tools": [MCP]}, [MCP], {"jsonrpc": "2.0", "id": 2, "result": {"tools": [MCP]}}, MCP]
    )
    def test_every_shape_of_a_dump(self, tmp_path: Path, dump: object):
        spec = tools(tmp_path, dump)["get_weather"]
        assert spec.tool.parameters == SCHEMA
        assert spec.tool.description == "Look the weather up."
        assert spec.returns == {"type": "object", "properties": {"sky": {"type": "string"}}}
        assert spec.origin.annotations == {"readOnlyHint": True, "openWorldHint": False}
        assert spec.origin.title == "Weather"

    def test_a_log_of_messages(self, tmp_path: Path):
        lines = [{"id": 1, "result": {"serverInfo": {"name": "w"}}}, {"id": 2, "result": {"tools": [MCP]}}]
        assert list(tools(tmp_path, "\n".join(map(json.dumps, lines)), "log.jsonl")) == ["get_weather"]

    def test_the_servers_name_is_kept(self, tmp_path: Path):
        spec = tools(tmp_path, {"serverInfo": {"name": "weather-server"}, "tools": [MCP]})["get_weather"]
        assert (spec.origin.server, spec.domain) == ("weather-server", "weather-server")

    def test_a_tool_without_schema_is_refused_by_name(self, tmp_path: Path):
        (_, verdict) = verdicts(tmp_path, [MCP, {"name": "bare", "inputSchema": None}])
        assert (verdict.name, verdict.verdict, verdict.reasons) == ("bare", "refused", ("it has no inputSchema",))


class TestAnthropic:
    def test_a_tool_that_the_provider_runs_is_refused_by_name(self, tmp_path: Path):
        (_, verdict) = verdicts(tmp_path, [ANTHROPIC, {"type": "web_search_20250305", "name": "web_search"}])
        assert verdict.verdict == "refused"
        assert "web_search_20250305 is run by the provider" in verdict.reasons[0]


class TestBfcl:
    def test_names_of_types_are_mapped(self, tmp_path: Path):
        spec = tools(tmp_path, BFCL)["weather.get"]
        assert spec.tool.parameters == {
            "type": "object",
            "properties": {
                "city": {"type": "string"},
                "days": {"type": "array", "items": {"type": "number"}},
                "extra": {},
                "type": {"type": "boolean"},
                "map": {"type": "object"},
            },
            "required": ["city"],
        }
        assert spec.returns == {"type": "object", "properties": {"sky": {"type": "string"}}}

    def test_files_that_are_called_json_but_hold_lines(self, tmp_path: Path):
        rows = [{"id": str(number), "function": [BFCL]} for number in range(3)]
        assert list(tools(tmp_path, "\n".join(map(json.dumps, rows)) + "\n")) == ["weather.get"]

    @night
    def test_all_files_of_the_leaderboard(self):
        files = sorted((Path(bfcl_eval.__file__).parent / "data").glob("BFCL_v4_*.json"))
        found = []
        for file in files:
            if any(word in file.name for word in ("multi_turn", "memory", "web_search", "format_sensitivity")):
                continue  # rows that name classes, not functions
            found += read_tools(ToolFile(file=file, kind="bfcl"))
        assert len(found) > 2000
        assert {reason for verdict in found if verdict.spec is None for reason in verdict.reasons} == set()


class TestPortable:
    def test_variables_are_parameters(self, tmp_path: Path):
        spec = tools(tmp_path, PROMPT)["translate_a_text"]
        assert spec.tool.parameters == {
            "type": "object",
            "properties": {
                "text": {"type": "string", "description": "What to translate"},
                "language": {"type": "string", "enum": ["French", "Greek"], "default": "French"},
                "styles": {
                    "type": "array",
                    "items": {"type": "string", "enum": ["short", "kind"]},
                    "uniqueItems": True,
                    "default": [],
                },
            },
            "required": ["text"],
            "additionalProperties": False,
        }
        assert spec.returns == {"type": "string", "enum": ["yes", "no"]}
        assert json.loads(spec.origin.prompt) == PROMPT


BROKEN = {
    "type": "object",
    "properties": {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "text": {"type": "str", "description": None},
        "any": {"type": "any"},
        "pair": {"type": "array", "items": [{"type": "integer"}], "additionalItems": False},
        "low": {"type": "number", "minimum": 0, "exclusiveMinimum": True},
        "flag": {"type": "boolean", "required": True},
        "one": {"enum": "red"},
        "tree": {
            "$recursiveAnchor": True,
            "type": "object",
            "properties": {"next": {"$recursiveRef": "#"}},
            "required": ["next", "next"],
        },
    },
}


MANY = [{"name": f"{word}_{number}", "inputSchema": {}} for word in ("get", "set") for number in range(20)]


class TestIllegal:
    def test_is_refused_by_name(self, tmp_path: Path):
        (verdict,) = verdicts(tmp_path, [{"name": "t", "inputSchema": BROKEN}])
        assert (verdict.verdict, verdict.spec) == ("refused", None)
        assert verdict.reasons[0].startswith("parameters: /properties/")

    def test_is_repaired_and_each_repair_named(self, tmp_path: Path):
        (verdict,) = verdicts(tmp_path, [{"name": "t", "inputSchema": BROKEN}], on_illegal="repair")
        assert verdict.verdict == "repaired"
        assert verdict.spec.origin.repairs == verdict.reasons
        assert verdict.spec.tool.parameters == {
            "type": "object",
            "properties": {
                "text": {"type": "string"},
                "any": {},
                "pair": {"type": "array", "prefixItems": [{"type": "integer"}], "items": False},
                "low": {"type": "number", "exclusiveMinimum": 0},
                "flag": {"type": "boolean"},
                "one": {"enum": ["red"]},
                "tree": {
                    "type": "object",
                    "properties": {"next": {"$ref": "#/properties/tree"}},
                    "required": ["next"],
                },
            },
            "required": ["flag"],
        }
        names = {reason.split()[1] for reason in verdict.reasons}
        assert names == {
            *("type_alias", "unknown_type", "list_of_items", "boolean_bound", "boolean_required", "not_a_schema"),
            *("recursive_reference", "text_is_no_text", "enum_of_one", "repeated_required"),
        }

    def test_is_kept(self, tmp_path: Path):
        (verdict,) = verdicts(tmp_path, [{"name": "t", "inputSchema": BROKEN}], on_illegal="keep")
        assert verdict.verdict == "kept"
        assert verdict.spec.tool.parameters == BROKEN

    def test_a_bound_that_no_number_of_64_bits_reaches_is_left_out(self, tmp_path: Path):
        schema = {"type": "object", "properties": {"seed": {"type": "integer", "minimum": 0, "maximum": 2**64}}}
        (verdict,) = verdicts(tmp_path, [{"name": "t", "inputSchema": schema}], on_illegal="repair")
        assert (verdict.verdict, verdict.reasons) == ("repaired", ("parameters: far_bound at /properties/seed",))
        assert verdict.spec.tool.parameters["properties"]["seed"] == {"type": "integer", "minimum": 0}
        for policy in ("reject", "keep"):
            (verdict,) = verdicts(tmp_path, [{"name": "t", "inputSchema": schema}], on_illegal=policy)
            assert verdict.verdict == "refused"
            assert "/properties/seed/maximum: JSON readers disagree" in verdict.reasons[0]

    def test_a_legal_schema_is_never_touched(self, tmp_path: Path):
        legal = {"type": "object", "properties": {"type": {"const": "any"}, "required": {"type": "string"}}}
        (verdict,) = verdicts(tmp_path, [{"name": "t", "inputSchema": legal}], on_illegal="repair")
        assert (verdict.verdict, verdict.spec.tool.parameters) == ("loaded", legal)

    @pytest.mark.parametrize(
        "reference", ["https://example.com/x.json", "file:///etc/passwd", "other.json#/x", "#/$defs/no"]
    )
    def test_a_reference_out_of_the_schema_is_refused_and_nothing_fetched(self, tmp_path: Path, reference: str):
        schema = {"type": "object", "properties": {"x": {"$ref": reference}}}
        for policy in ("reject", "repair"):
            (verdict,) = verdicts(tmp_path, [{"name": "t", "inputSchema": schema}], on_illegal=policy)
            assert verdict.verdict == "refused"
            assert reference in verdict.reasons[0]


class TestSelect:
    def test_by_pattern(self, tmp_path: Path):
        assert list(tools(tmp_path, MANY, select=Select(names=("get_1*", "SET_3")))) == [
            *("get_1", *(f"get_1{digit}" for digit in range(10))),
            "set_3",
        ]

    def test_by_number_the_same_each_time_and_more_keeps_those_there_are(self, tmp_path: Path):
        few = list(tools(tmp_path, MANY, select=Select(count=5)))
        more = list(tools(tmp_path, MANY, select=Select(count=9)))
        assert len(few) == 5
        assert set(few) < set(more)
        assert more == [name for name in (tool["name"] for tool in MANY) if name in more]
        path = tmp_path / "tools.json"
        other = read_tools(ToolFile(file=path, select=Select(count=9)), seed=2)
        assert [verdict.name for verdict in other] != more

    @pytest.mark.parametrize(
        ("chosen", "words"),
        [
            (Select(names=("gte_1",)), "select.names: 'gte_1' fits no tool (did you mean \"get_1\"?)"),
            (Select(tags=("pets",)), "select.tags: 'pets' fits no tool"),
            (Select(count=41), "41 tools are wanted, but there are 40"),
        ],
    )
    def test_what_fits_nothing_is_told(self, tmp_path: Path, chosen: Select, words: str):
        with pytest.raises(SpecError) as caught:
            verdicts(tmp_path, MANY, select=chosen)
        assert words in str(caught.value)

    def test_a_tool_that_is_not_wanted_may_be_broken(self, tmp_path: Path):
        broken = [*MANY, {"name": "broken", "inputSchema": {"type": 3}}]
        assert len(tools(tmp_path, broken, without=("broken",))) == 40
        with pytest.raises(RecipeError, match="no tool 'brokn'"):
            verdicts(tmp_path, broken, only=("brokn",))


@pytest.mark.parametrize(
    ("name", "text", "words"),
    [
        ("a.json", '{"tools": [}', "a.json:1: not valid JSON"),
        (
            "a.yaml",
            "a: &a [1, 2]\n"
            + "".join(f"b{n}: &b{n} [{', '.join(['*a' if n == 0 else f'*b{n - 1}'] * 9)}]\n" for n in range(9)),
            "aliases",
        ),
        ("a.json", '{"openapi": "4.0", "paths": {}}', "OpenAPI '4.0' is not read"),
        ("a.json", '{"openapi": "3.0.0", "paths": {}}', "there is no tool in this file"),
        ("a.json", "[]", "there is no tool in this file"),
        ("a.py", "TOOLS = 1 / 0", "it cannot be imported: division by zero"),
        ("a.py", "import os; os._exit(3)", "its process ended"),
    ],
)
def test_what_cannot_be_read_is_told(tmp_path: Path, name: str, text: str, words: str):
    with pytest.raises(SpecError) as caught:
        verdicts(tmp_path, text, name)
    assert words in str(caught.value)
