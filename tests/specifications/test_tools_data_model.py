"""The data model of the variable `TOOLS`, section by section, with the document's narrator."""

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from typing import Any

import pytest
from command import Command
from nightly import some_of
from pydantic import ValidationError

from generator.core.conversation import Tool
from generator.world.backends.lifecycle import Handlers, parameter_model
from generator.world.backends.process import Limits
from generator.world.backends.states import CALL, MODULE, State, Transitions, assemble

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "log_story_event",
        "description": "Log an important narrative event to the terminal",
        "parameters": {
            "type": "object",
            "properties": {
                "event": {"type": "string", "description": "The story event to log"},
                "importance": {
                    "type": "string",
                    "enum": ["low", "medium", "high"],
                    "description": "Event importance level",
                },
            },
            "required": ["event"],
        },
    },
}
NARRATOR = """
class PromptGenerator:
    def handle_tool_call(self, tool_name: str, tool_input: dict) -> str:
        if tool_name == "log_story_event":
            print(f"[EVENT] {tool_input['event']}")
            return f"Logged: {tool_input['event']}"
        raise ValueError(f"Unknown tool: {tool_name}")
"""
"""The document's character, from the section of the complete lifecycle."""
TODAY = date(2026, 3, 14)


def module(folder: Path, tools: Any = None, handler: str = NARRATOR) -> Path:
    path = folder / "narrator.py"
    path.write_text(f"TOOLS = {[TOOL] if tools is None else tools!r}\n{handler}")
    return path


def body(text: str) -> str:
    lines = "\n".join(f"    {line}" for line in text.splitlines())
    return f"def handle_tool_call(tool_name, tool_input):\n{lines}\n"


def changed(**function: Any) -> dict[str, Any]:
    return {**TOOL, "function": {**TOOL["function"], **function}}


def schema(**parameters: Any) -> dict[str, Any]:
    return changed(parameters={"type": "object", "properties": {}, **parameters})


@contextmanager
def handlers(path: Path, **limits: Any) -> Iterator[Handlers]:
    found = Handlers(str(path), Limits(**{"seconds": 20.0, **limits}))
    found.open(1, TODAY)
    try:
        yield found
    finally:
        found.stop()


def run(cli: Command, folder: Path, scenarios: str, rows: int = 20, more: str = "") -> list[dict[str, Any]]:
    """The rows of a recipe with the narrator, under the profile of its document."""
    recipe = folder / "r.yaml"
    recipe.write_text(
        f"name: r\nseed: 3\nrows: {rows}\ntools: [{{file: narrator.py}}]\nbackend: {{python: narrator.py, seconds: 20}}\n"
        f"profile: character\nscenarios: {scenarios}\nformats: [openai]\n{more}"
    )
    done = cli("run", recipe, "--out", folder / "out", "--overwrite", "--quiet")
    assert done.code == 0, done.err
    return [json.loads(line) for line in (folder / "out" / "openai.jsonl").read_text().splitlines()]


def messages(rows: list[dict[str, Any]], role: str) -> list[dict[str, Any]]:
    return [message for row in rows for message in row["messages"] if message["role"] == role]


class TestToolDefinition:
    def test_the_example_is_a_tool(self, cli: Command, tmp_path: Path):
        done = cli("tools", "read", module(tmp_path), "--profile", "character", "--json")
        assert done.code == 0
        assert json.loads(done.out)["tool"] == "log_story_event"

    @some_of(
        2,
        ("tools", "told"),
        [
            ([{**TOOL, "type": "retrieval"}], "ValueError: TOOLS[0].type"),
            ([TOOL, TOOL], "DuplicateName: TOOLS[1].function.name"),
            ([changed(name="log event")], "InvalidName: TOOLS[0].function.name"),
            ([changed(name="_log")], "InvalidName: TOOLS[0].function.name"),
            ([changed(name="class")], "InvalidName: TOOLS[0].function.name: 'class' is a word of Python's"),
            ([changed(description="")], "ValueError: TOOLS[0].function.description"),
            ([changed(description="x" * 200)], "ValueError: TOOLS[0].function.description"),
            ([changed(parameters={"type": "array"})], "the top-level type must be 'object'"),
            ([changed(parameters={"type": "objekt"})], "not valid JSON Schema"),
            ([schema(properties={"a": {"$ref": "#/properties/b"}, "b": {}})], "'$ref' is used"),
            ([schema(**{"$dynamicAnchor": "x"}, properties={"a": {"$dynamicRef": "#x"}})], "'$dynamicRef' is used"),
            ([schema(properties={"a": {"$dynamicRef": "#x"}})], "not valid JSON Schema"),
        ],
    )
    def test_validation_rules(self, cli: Command, tmp_path: Path, tools: Any, told: str):
        done = cli("tools", "read", module(tmp_path, tools))
        assert done.code == 2
        assert "FAILED_VALIDATION: " in done.err
        assert told in done.err


class TestToolCall:
    def test_a_streamed_call_is_put_together(self):
        text = '{"event": "User revealed backstory", "importance": "high"}'
        first = {"index": 0, "id": "call_9a7b3c2d", "type": "function", "function": {"name": "log_story_event"}}
        pieces = [first, *[{"index": 0, "function": {"arguments": letter}} for letter in text]]
        chunks = [{"choices": [{"delta": {"tool_calls": [piece]}}]} for piece in pieces]
        (call,) = assemble([*chunks, {"choices": [{"delta": {"content": "x"}}]}])
        assert (call.id, call.name, call.arguments) == ("call_9a7b3c2d", "log_story_event", text)

    def test_calls_of_rows_have_the_document_s_shape(self, cli: Command, tmp_path: Path):
        module(tmp_path)
        for message in messages(run(cli, tmp_path, "{single: 1, parallel: 1}"), "assistant"):
            for call in message.get("tool_calls", ()):
                assert call.keys() == {"id", "type", "function"}
                assert (call["type"], call["function"]["name"]) == ("function", "log_story_event")
                assert set(json.loads(call["function"]["arguments"])) <= {"event", "importance"}

    def test_an_optional_parameter_is_given_in_some_calls(self, cli: Command, tmp_path: Path):
        module(tmp_path)
        rows = run(cli, tmp_path, "single", 40)
        given = [
            json.loads(call["function"]["arguments"])
            for message in messages(rows, "assistant")
            for call in message.get("tool_calls", ())
        ]
        with_it = [arguments["importance"] for arguments in given if "importance" in arguments]
        assert set(with_it) == {"low", "medium", "high"}
        assert 5 < len(with_it) < len(given)
        asked = [message["content"] for message in messages(rows, "user")]
        assert any(f"importance {level}" in content for level in set(with_it) for content in asked)


class TestToolResponse:
    def test_examples(self, tmp_path: Path):
        with handlers(module(tmp_path)) as found:
            event = "User revealed backstory"
            assert found.call("log_story_event", {"event": event}) == f"Logged: {event}"
            assert found.call("log_story_event", {}).startswith("Error: ")

    def test_every_result_of_every_row_is_plain_text(self, cli: Command, tmp_path: Path):
        module(tmp_path)
        rows = run(cli, tmp_path, "{single: 1, parallel: 1, held_back: 1}", 60)
        results = [message["content"] for message in messages(rows, "tool")]
        assert len(results) > 40
        assert all(text.startswith("Logged: ") for text in results)
        out = tmp_path / "out" / "openai.jsonl"
        assert cli("validate", out, "--format", "openai", "--profile", "character").code == 0
        assert cli("verify", tmp_path / "out", "--recipe", tmp_path / "r.yaml").code == 0

    @some_of(
        2,
        ("content", "told"),
        [
            ('{"error": "service_ended", "message": "Gone."}', "JSON; plain text for people is expected"),
            ("[1, 2]", "JSON; plain text for people is expected"),
            ("ERROR: no such event", "an error begins with 'Error: ' and says what is wrong"),
            ("Error:", "an error begins with 'Error: ' and says what is wrong"),
            ("Traceback (most recent call last): x", "an error begins with 'Error: '"),
            ("Logged: \u0000", "control characters"),
            (" ", "nothing is said"),
            ("x" * 1000, "1000 characters; 999 are the most"),
            ("Error: Missing required parameter: event", ""),
            ("Logged story event: User revealed backstory", ""),
            ("Error codes are explained in the manual.", ""),
        ],
    )
    def test_checks_of_the_profile(self, cli: Command, tmp_path: Path, content: str, told: str):
        call = {
            "id": "call9a7b3",
            "type": "function",
            "function": {"name": "log_story_event", "arguments": {"event": "x"}},
        }
        row = {
            "messages": [
                {"role": "user", "content": "Log x."},
                {"role": "assistant", "tool_calls": [call]},
                {"role": "tool", "tool_call_id": "call9a7b3", "content": content},
                {"role": "assistant", "content": "Done."},
            ],
            "tools": [TOOL],
        }
        path = tmp_path / "rows.jsonl"
        path.write_text(json.dumps(row) + "\n")
        done = cli("validate", path, "--profile", "character")
        assert done.code == bool(told)
        assert ("LM103" in done.out) == bool(told)
        assert told in done.out

    def test_a_run_writes_no_row_that_the_profile_refuses(self, cli: Command, tmp_path: Path):
        module(tmp_path, handler=body("return '{\"logged\": true}'"))
        recipe = tmp_path / "r.yaml"
        recipe.write_text(
            "name: r\nrows: 2\ntools: [narrator.py]\nprofile: character\nscenarios: [single]\n"
            "backend: {python: narrator.py, seconds: 20}\n"
        )
        done = cli("run", recipe, "--out", tmp_path / "out")
        assert done.code == 2
        assert "Tool must return plain text (JSON; plain text for people is expected)" in done.err
        recipe.write_text(recipe.read_text().replace("profile: character\n", ""))
        assert cli("run", recipe, "--out", tmp_path / "out").code == 0


class TestToolValidator:
    def test_the_model_of_the_example(self):
        made = parameter_model(Tool(name="log_story_event", parameters=TOOL["function"]["parameters"]))
        assert made.__name__ == "LogStoryEventParams"
        made.model_validate({"event": "x", "importance": "high"})
        for wrong in ({"importance": "high"}, {"event": 3}, {"event": "x", "importance": "highest"}):
            with pytest.raises(ValidationError):
                made.model_validate(wrong)

    def test_defaults_reach_the_handler(self, tmp_path: Path):
        properties = {"event": {"type": "string"}, "importance": {"enum": ["low", "medium"], "default": "medium"}}
        with handlers(module(tmp_path, [schema(properties=properties)], body("return str(tool_input)"))) as found:
            assert found.call("log_story_event", {"event": "x"}) == "{'event': 'x', 'importance': 'medium'}"


class TestRelationships:
    def test_what_get_tools_returns_is_offered(self, cli: Command, tmp_path: Path):
        other = changed(name="close_story", description="Close the story")
        handler = f"{NARRATOR}    def get_tools(self):\n        return TOOLS[:1]\n"
        done = cli("tools", "read", module(tmp_path, [TOOL, other], handler))
        assert done.code == 0
        assert "1 tool: " in done.out
        assert "close_story" not in done.out

    @some_of(
        2,
        ("returned", "told"),
        [
            ("3", "FAILED_VALIDATION: TypeError: TOOLS: a list or None is expected, not int"),
            (f"[{changed(name='other')!r}]", "get_tools(): its tool 0 is not in TOOLS"),
            ("1 / 0", "get_tools(): division by zero"),
        ],
    )
    def test_what_get_tools_may_not_return(self, cli: Command, tmp_path: Path, returned: str, told: str):
        handler = f"{NARRATOR}    def get_tools(self):\n        return {returned}\n"
        done = cli("tools", "read", module(tmp_path, handler=handler))
        assert done.code == 2
        assert told in done.err

    def test_the_flow_of_a_row(self, cli: Command, tmp_path: Path):
        """Tools are offered, a call is made, its result added under its id, and the assistant goes on."""
        module(tmp_path)
        for row in run(cli, tmp_path, "single", 5):
            assert [tool["function"]["name"] for tool in row["tools"]] == ["log_story_event"]
            user, call, result, answer = row["messages"]
            assert (user["role"], answer["role"]) == ("user", "assistant")
            assert result["tool_call_id"] == call["tool_calls"][0]["id"]
            assert answer["content"]


LOADING = """
UNLOADED          -> LOADING
LOADING           -> VALIDATING_TOOLS
VALIDATING_TOOLS  -> LOADED_NO_TOOLS, FAILED_VALIDATION, FAILED_VALIDATION, LOADED_WITH_TOOLS
"""
CALLING = """
IDLE                   -> TOOL_CALL_INITIATED
TOOL_CALL_INITIATED    -> VALIDATING_PARAMETERS
VALIDATING_PARAMETERS  -> EXECUTION_FAILED, EXECUTION_FAILED, EXECUTING_TOOL
EXECUTING_TOOL         -> EXECUTION_FAILED, EXECUTION_FAILED, TOOL_COMPLETED
EXECUTION_FAILED       -> AWAITING_LLM_RESPONSE
TOOL_COMPLETED         -> AWAITING_LLM_RESPONSE
AWAITING_LLM_RESPONSE  -> IDLE
"""
"""The arrows of the document's two drawings."""


def arrows(transitions: Transitions) -> str:
    """A table as the document draws it."""
    after: dict[State, list[State]] = {}
    for (before, _), state in transitions.items():
        after.setdefault(before, []).append(state)
    return "\n".join(
        f"{before.value} -> {', '.join(state.value for state in states)}" for before, states in after.items()
    )


class TestStateTransitions:
    @pytest.mark.parametrize(("transitions", "drawn"), [(MODULE, LOADING), (CALL, CALLING)])
    def test_tables_are_the_document_s_drawings(self, transitions: Transitions, drawn: str):
        assert arrows(transitions) == re.sub(" +", " ", drawn.strip())

    @some_of(
        2,
        ("tools", "handler", "last"),
        [
            ("None", NARRATOR, "LOADED_NO_TOOLS        TOOLS missing or empty"),
            ([], NARRATOR, "LOADED_NO_TOOLS        TOOLS missing or empty"),
            ([3], NARRATOR, "FAILED_VALIDATION      TOOLS invalid             ValueError: TOOLS[0]: a dict"),
            ([TOOL], "", "FAILED_VALIDATION      handle_tool_call missing  MissingMethod: "),
            ([TOOL], NARRATOR, "LOADED_WITH_TOOLS      validation passed         log_story_event"),
        ],
    )
    def test_the_life_of_a_character(self, cli: Command, tmp_path: Path, tools: Any, handler: str, last: str):
        path = module(tmp_path, tools if tools != "None" else None, handler)
        if tools == "None":
            path.write_text(f"TOOLS = None\n{handler}")
        done = cli("tools", "read", "--states", path)
        lines = done.out.splitlines()
        assert done.code == last.startswith("FAILED")
        assert [line.split()[0] for line in lines[1:4]] == ["UNLOADED", "LOADING", "VALIDATING_TOOLS"]
        assert lines[4].strip().startswith(last)

    @some_of(
        2,
        ("arguments", "handler", "failed", "told"),
        [
            ('{"event": ', "return 'x'", ("VALIDATING_PARAMETERS", "JSON invalid"), "Error: Invalid JSON arguments - "),
            ({}, "return 'x'", ("VALIDATING_PARAMETERS", "validation failed"), "Error: Invalid parameters - "),
            ({"event": "x"}, "raise ValueError('no')", ("EXECUTING_TOOL", "execution error"), "Error: no"),
            ({"event": "x"}, "return 'Error: no'", ("EXECUTING_TOOL", "execution error"), "Error: no"),
            ({"event": "x"}, "while True: pass", ("EXECUTING_TOOL", "timeout"), "Error: Tool execution timed out"),
            ('{"event": "x"}', "return 'fine'", None, "fine"),
        ],
    )
    def test_the_life_of_a_call(
        self, tmp_path: Path, arguments: Any, handler: str, failed: tuple[str, str] | None, told: str
    ):
        with handlers(module(tmp_path, handler=body(handler)), seconds=0.5) as found:
            text, life = found.live("log_story_event", arguments)
        states = [reached.state.value for reached in life]
        assert states[:3] == ["IDLE", "TOOL_CALL_INITIATED", "VALIDATING_PARAMETERS"]
        assert states[-1] == "AWAITING_LLM_RESPONSE"
        assert states[-2] == ("EXECUTION_FAILED" if failed else "TOOL_COMPLETED")
        if failed:
            assert (states[-3], life[-2].event) == failed
        assert text.startswith(told)
        assert [reached.seen for reached in life[-2:]] == [text, text]

    def test_they_are_shown(self, cli: Command, tmp_path: Path):
        out = cli("tools", "read", "--states", module(tmp_path)).out
        for words in (
            "TOOLS: a list of 1; handle_tool_call of the class",
            "TOOL_COMPLETED         success                   Logged: ",
            "EXECUTION_FAILED       validation failed         Error: Invalid parameters - event: Field required",
            "AWAITING_LLM_RESPONSE  error returned            Error: Invalid parameters",
        ):
            assert words in out
        done = cli("tools", "read", "--states", tmp_path / "tools.json")
        assert (done.code, "only a Python module has states" in done.err) == (2, True)


class TestValidationRules:
    @some_of(
        2,
        ("tools", "handler", "error"),
        [
            ((TOOL,), NARRATOR, "TypeError"),
            ([TOOL["function"]], NARRATOR, "ValueError"),
            ([TOOL, TOOL], NARRATOR, "DuplicateName"),
            ([changed(name="1st")], NARRATOR, "InvalidName"),
            ([changed(description=None)], NARRATOR, "ValueError"),
            ([changed(parameters=["event"])], NARRATOR, "ValidationError"),
            ([TOOL], "handle_tool_call = None\n", "MissingMethod"),
        ],
    )
    def test_character_load_time(self, cli: Command, tmp_path: Path, tools: Any, handler: str, error: str):
        done = cli("tools", "read", module(tmp_path, tools, handler))
        assert (done.code, f"FAILED_VALIDATION: {error}: " in done.err) == (2, True)

    @some_of(
        2,
        ("name", "arguments", "handler", "told"),
        [
            ("other", {"event": "x"}, "return 'x'", "Error: Unknown tool: other"),
            ("log_story_event", "{", "return 'x'", "Error: Invalid JSON arguments - "),
            (
                "log_story_event",
                {"event": 3},
                "return 'x'",
                "Error: Invalid parameters - event: Input should be a valid",
            ),
            ("log_story_event", {"event": "x"}, "import time; time.sleep(9)", "Error: Tool execution timed out"),
            ("log_story_event", {"event": "x"}, "return 3", "Error: Tool must return string"),
        ],
    )
    def test_runtime(self, tmp_path: Path, name: str, arguments: Any, handler: str, told: str):
        with handlers(module(tmp_path, handler=body(handler)), seconds=0.5) as found:
            assert found.call(name, arguments).startswith(told)

    def test_the_usual_time_limit_is_a_tenth_of_a_second(self):
        assert Limits().seconds == 0.1


class TestDataConstraints:
    @some_of(
        2,
        ("inside", "outside"),
        [
            ([changed(name="a" * 50)], [changed(name="a" * 51)]),
            ([changed(description="x" * 199)], [changed(description="x" * 200)]),
            (
                [schema(properties={f"p{n}": {"type": "string"} for n in range(10)})],
                [schema(properties={f"p{n}": {"type": "string"} for n in range(11)})],
            ),
            ([changed(name=f"t{n}") for n in range(10)], [changed(name=f"t{n}") for n in range(11)]),
        ],
    )
    def test_size_limits_of_tools(self, cli: Command, tmp_path: Path, inside: Any, outside: Any):
        assert cli("tools", "read", module(tmp_path, inside)).code == 0
        assert cli("tools", "read", module(tmp_path, outside)).code == 2

    def test_size_limits_of_calls_hold_without_a_profile(self, tmp_path: Path):
        with handlers(module(tmp_path, handler=body("return 'x' * len(tool_input['event'])"))) as found:
            assert found.call("log_story_event", {"event": "x" * 999}) == "x" * 999
            assert found.call("log_story_event", {"event": "x" * 1000}).startswith("Error: Tool result is too long")
            told = found.call("log_story_event", {"event": "x" * 2048})
            assert told == "Error: Invalid parameters - 2061 bytes of JSON; 2048 are the most"

    @some_of(
        2,
        ("tool", "is_right"),
        [
            *[(schema(properties={"a": {"type": kind}}), True) for kind in ("string", "number", "integer", "boolean")],
            *[(schema(properties={"a": {"type": kind}}), True) for kind in ("array", "object")],
            (schema(properties={"a": {"type": "null"}}), False),
            (schema(properties={"a": {"type": ["string", "null"]}}), True),
            (schema(properties={"a": {"anyOf": [{"type": "string"}, {"type": "null"}]}}), True),
            (schema(properties={"a": {"enum": list(range(10))}}), True),
            (schema(properties={"a": {"enum": list(range(11))}}), False),
        ],
    )
    def test_type_constraints(self, cli: Command, tmp_path: Path, tool: Any, is_right: bool):
        assert cli("tools", "read", module(tmp_path, [tool])).code == (0 if is_right else 2)

    def test_rows_offer_no_more_tools_than_there_may_be(self, cli: Command, tmp_path: Path):
        names = [
            f"log_{word}"
            for word in [
                "ash",
                "birch",
                "cedar",
                "elm",
                "fir",
                "larch",
                "maple",
                "oak",
                "pine",
                "yew",
                "alder",
                "hazel",
            ]
        ]
        for part, some in enumerate((names[:6], names[6:])):
            (tmp_path / f"part{part}.py").write_text(f"TOOLS = {[changed(name=name) for name in some]!r}\n{NARRATOR}")
        recipe = tmp_path / "r.yaml"
        recipe.write_text(
            "name: r\nrows: 4\ntools: [part0.py, part1.py]\nscenarios: [single]\nprofile: character\n"
            "offer: {distractors: [11, 11]}\nbackend: {usual: {python: part0.py, seconds: 20}, tools: {"
            + ", ".join(f"{name}: {{python: part1.py, seconds: 20}}" for name in names[6:])
            + "}}\n"
        )
        for part in ("part0", "part1"):
            path = tmp_path / f"{part}.py"
            path.write_text(path.read_text().replace('if tool_name == "log_story_event":', "if tool_name:"))
        done = cli("run", recipe, "--out", tmp_path / "out")
        assert done.code == 0, done.err
        rows = [json.loads(line) for line in (tmp_path / "out" / "deepfabric.jsonl").read_text().splitlines()]
        assert {len(row["tools"]) for row in rows} == {10}


class TestCompleteLifecycle:
    def test_from_the_file_to_the_answer(self, cli: Command, tmp_path: Path):
        """The six steps of the example: file, loading, request, call, execution, response."""
        path = module(tmp_path)
        assert "LOADED_WITH_TOOLS" in cli("tools", "read", "--states", path).out
        with handlers(path) as found:
            assert [tool.name for tool in found.tools] == ["log_story_event"]
            written = '{"event": "Plot twist revealed", "importance": "high"}'
            content = found.call("log_story_event", written)
        assert content == "Logged: Plot twist revealed"
        for row in run(cli, tmp_path, "single", 3):
            call, result = row["messages"][1]["tool_calls"][0], row["messages"][2]
            event = json.loads(call["function"]["arguments"])["event"]
            assert result == {"role": "tool", "tool_call_id": call["id"], "content": f"Logged: {event}"}

    def test_what_a_handler_prints_is_no_result(self, tmp_path: Path, capfd: pytest.CaptureFixture[str]):
        with handlers(module(tmp_path)) as found:
            assert found.call("log_story_event", {"event": "x"}) == "Logged: x"
        assert capfd.readouterr().out == ""


class TestPydanticModels:
    def test_optional_parameters_may_be_left_out_and_may_not_be_wrong(self):
        made = parameter_model(Tool(name="t", parameters=TOOL["function"]["parameters"]))
        assert [field.is_required() for field in made.model_fields.values()] == [True, False]

    def test_a_tool_without_parameters_takes_anything(self, tmp_path: Path):
        tool = changed(parameters=None)
        with handlers(module(tmp_path, [tool], body("return 'fine'"))) as found:
            assert found.call("log_story_event", {}) == found.call("log_story_event", {"a": 1}) == "fine"

    @some_of(
        2,
        ("part", "right", "wrong"),
        [
            ({"type": "string"}, "x", 3),
            ({"type": "number"}, 1.5, "x"),
            ({"type": "integer"}, 2, 1.5),
            ({"type": "boolean"}, True, "yes"),
            ({"type": "array", "items": {"type": "string"}}, ["x"], [3]),
            ({"type": "object", "properties": {"x": {"type": "number"}}, "required": ["x"]}, {"x": 1}, {}),
        ],
    )
    def test_every_type_is_held(self, tmp_path: Path, part: dict[str, Any], right: Any, wrong: Any):
        tool = schema(properties={"a": part}, required=["a"])
        with handlers(module(tmp_path, [tool], body("return 'fine'"))) as found:
            assert found.call("log_story_event", {"a": right}) == "fine"
            assert found.call("log_story_event", {"a": wrong}).startswith("Error: Invalid parameters - a")
