"""Loading a module with TOOLS: every state and every row of the data model's table "Character Load Time"."""

from pathlib import Path
from typing import Any

import pytest
from nightly import some_of

from generator.core.errors import SpecError
from generator.world.backends.process import Limits, ModuleProcess
from generator.world.backends.states import Loaded, State, check_report

TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "log_story_event",
        "description": "Log an important narrative event to the terminal",
        "parameters": {
            "type": "object",
            "properties": {
                "event": {"type": "string", "description": "The story event to log"},
                "importance": {"type": "string", "enum": ["low", "medium", "high"]},
            },
            "required": ["event"],
        },
    },
}
HANDLER = "def handle_tool_call(tool_name, tool_input): return 'done'\n"
CLASS = "class PromptGenerator:\n    def handle_tool_call(self, tool_name, tool_input): return 'done'\n"


def load(folder: Path, text: str) -> Loaded:
    path = folder / "character.py"
    path.write_text(text)
    process = ModuleProcess(str(path), Limits())
    try:
        return check_report(str(path), process.load())
    finally:
        process.stop()


def changed(**function: Any) -> list[dict[str, Any]]:
    return [{**TOOL, "function": {**TOOL["function"], **function}}]


def parameters(**schema: Any) -> list[dict[str, Any]]:
    return changed(parameters={"type": "object", "properties": {}, **schema})


@some_of(3, "text", ["", "TOOLS = None\n", "TOOLS = []\n", HANDLER, CLASS + "TOOLS = []"])
def test_without_tools(tmp_path: Path, text: str):
    loaded = load(tmp_path, text)
    assert (loaded.state, loaded.tools, loaded.faults) == (State.LOADED_NO_TOOLS, (), ())


@some_of(3, "handler", [HANDLER, CLASS])
def test_with_tools(tmp_path: Path, handler: str):
    loaded = load(tmp_path, f"TOOLS = {[TOOL]!r}\n{handler}")
    assert loaded.state is State.LOADED_WITH_TOOLS
    assert [(tool.name, tool.parameters) for tool in loaded.tools] == [
        ("log_story_event", TOOL["function"]["parameters"])
    ]


@some_of(
    3,
    ("tools", "error", "field"),
    [
        ((TOOL,), "TypeError", "TOOLS"),
        ({"a": TOOL}, "TypeError", "TOOLS"),
        ("roll", "TypeError", "TOOLS"),
        (3, "TypeError", "TOOLS"),
        ([3], "ValueError", "TOOLS[0]"),
        ([TOOL["function"]], "ValueError", "TOOLS[0]"),
        ([{"type": "function"}], "ValueError", "TOOLS[0]"),
        ([{**TOOL, "type": "retrieval"}], "ValueError", "TOOLS[0].type"),
        ([{**TOOL, "function": None}], "ValueError", "TOOLS[0].function"),
        ([TOOL, TOOL], "DuplicateName", "TOOLS[1].function.name"),
        (changed(name="log event"), "InvalidName", "TOOLS[0].function.name"),
        (changed(name="_log"), "InvalidName", "TOOLS[0].function.name"),
        (changed(name="1log"), "InvalidName", "TOOLS[0].function.name"),
        (changed(name=None), "InvalidName", "TOOLS[0].function.name"),
        (changed(name="l" * 51), "InvalidName", "TOOLS[0].function.name"),
        (changed(description=""), "ValueError", "TOOLS[0].function.description"),
        (changed(description=None), "ValueError", "TOOLS[0].function.description"),
        (changed(description="x" * 200), "ValueError", "TOOLS[0].function.description"),
        (changed(parameters=3), "ValidationError", "TOOLS[0].function.parameters"),
        (changed(parameters={"type": "list"}), "ValidationError", "TOOLS[0].function.parameters"),
        (changed(parameters={"type": "array"}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(properties={f"p{n}": {} for n in range(11)}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(properties={"a": {"enum": list(range(11))}}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(properties={"a": {"$ref": "#"}}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(properties={"a": {"$ref": "http://x/y"}}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(properties={"a": {"$dynamicRef": "#x"}}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(**{"$recursiveRef": "#"}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(properties={"a": {"pattern": "("}}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(**{"$id": "::::"}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(**{"$schema": "http://x/y"}), "ValidationError", "TOOLS[0].function.parameters"),
        (parameters(properties={"a": {"type": "null"}}), "ValidationError", "TOOLS[0].function.parameters"),
        (changed(name="class"), "InvalidName", "TOOLS[0].function.name"),
        ([*changed()] + [changed(name=f"t{n}")[0] for n in range(10)], "ValueError", "TOOLS"),
    ],
)
def test_tools_that_fail(tmp_path: Path, tools: Any, error: str, field: str):
    loaded = load(tmp_path, f"TOOLS = {tools!r}\n{HANDLER}")
    assert loaded.state is State.FAILED_VALIDATION
    assert (error, field) in [(fault.error, fault.field) for fault in loaded.faults]


@some_of(3, "other", ["", "class PromptGenerator: pass\n", "handle_tool_call = 3\n"])
def test_a_missing_handler(tmp_path: Path, other: str):
    loaded = load(tmp_path, f"TOOLS = {[TOOL]!r}\n{other}")
    assert loaded.state is State.FAILED_VALIDATION
    assert [fault.error for fault in loaded.faults] == ["MissingMethod"]


def test_tools_that_json_cannot_say(tmp_path: Path):
    loaded = load(tmp_path, f"TOOLS = [{{'type': 'function', 'function': {{1, 2}}}}]\n{HANDLER}")
    assert (loaded.state, loaded.faults[0].error) == (State.FAILED_VALIDATION, "ValidationError")


@some_of(
    3,
    ("text", "words"),
    [
        ("1 / 0", "division by zero"),
        ("raise SystemExit('no')", "no"),
        ("class Odd(BaseException): pass\nraise Odd", "Odd"),
        ("import os; os._exit(0)", "its process ended (exit code 0)"),
        ("def f(:", "invalid syntax"),
        ("import time; time.sleep(60)", "no answer within 1 seconds"),
    ],
)
def test_a_module_that_cannot_be_imported(tmp_path: Path, text: str, words: str):
    path = tmp_path / "character.py"
    path.write_text(text)
    process = ModuleProcess(str(path), Limits(start_seconds=1.0 if "sleep" in text else 30.0))
    with pytest.raises(SpecError, match="cannot be imported: ") as caught:
        process.load()
    process.stop()
    assert words in str(caught.value)
