"""The shipped recipes whose tools or results come from elsewhere."""

import json
from pathlib import Path
from typing import Any

import pytest
from command import Command
from nightly import night, one_in

RECIPES = Path(__file__).parents[2] / "recipes"


def rows(folder: Path) -> list[dict]:
    return [json.loads(line) for line in (folder / "openai.jsonl").read_text(encoding="utf-8").splitlines()]


@pytest.mark.parametrize("name", one_in(2, ["python_tools", "openapi", "mcp", "portable"]))
def test_shipped_recipes_run(cli: Command, tmp_path: Path, name: str):
    if name == "mcp":
        pytest.importorskip("mcp", reason="the package mcp is not installed")
        pytest.importorskip("mcp_server_time", reason="mcp-server-time is not installed")
    ran = cli("run", RECIPES / f"{name}.yaml", "--rows", 6, "--out", tmp_path / "out", "--workers", 1)
    assert ran.code == 0, ran.err
    assert len(rows(tmp_path / "out")) == 6
    assert cli("validate", tmp_path / "out" / "deepfabric.jsonl").code == 0


@night
def test_rows_of_real_handlers_do_not_depend_on_the_number_of_workers(cli: Command, tmp_path: Path):
    for workers in (1, 2):
        out = tmp_path / str(workers)
        arguments = ("--rows", 6, "--out", out, "--workers", workers)
        assert cli("run", RECIPES / "python_tools.yaml", *arguments, "--executor", "processes").code == 0
    assert (tmp_path / "1/deepfabric.jsonl").read_bytes() == (tmp_path / "2/deepfabric.jsonl").read_bytes()


MODULE = """
import itertools, json, time
TOOLS = [{"type": "function", "function": {"name": "count_up", "description": "Count.", "parameters": {"type": "object", "properties": {}}}}]
def handle_tool_call(tool_name, tool_input): return json.dumps({"number": %s})
"""
RECIPE = "name: own\nrows: 1\ntools: [own.py]\nbackend: {python: own.py, seconds: 5}\nscenarios: [single]\nformats: [openai]\n"


def own(cli: Command, folder: Path, expression: str):
    (folder / "own.py").write_text(MODULE % expression)
    (folder / "own.yaml").write_text(RECIPE)
    return cli("run", folder / "own.yaml", "--out", folder / "out", "--workers", 1)


def test_a_handler_that_answers_otherwise_each_time_is_found_by_replay(cli: Command, tmp_path: Path):
    ran = own(cli, tmp_path, "time.perf_counter_ns()")
    assert ran.code != 0
    assert "RP101" in ran.err + ran.out


@pytest.mark.parametrize("confined", [True, False])
def test_the_account_says_whether_modules_were_walled_off(cli: Command, tmp_path: Path, monkeypatch, confined: bool):
    monkeypatch.setattr("generator.run.engine.assembly.is_confined", lambda: confined)
    ran = own(cli, tmp_path, "1")
    assert ran.code == 0, ran.err
    assert ("ran without Landlock" in ran.err) != confined
    assert json.loads((tmp_path / "out/manifest.json").read_text())["confined"] is confined


def test_the_account_says_nothing_of_it_where_there_is_no_module(cli: Command, tmp_path: Path, monkeypatch):
    monkeypatch.setattr("generator.run.engine.assembly.is_confined", lambda: False)
    ran = cli("run", RECIPES / "parallel.yaml", "--rows", 2, "--out", tmp_path / "out", "--workers", 1)
    assert (ran.code, "Landlock" in ran.err) == (0, False), ran.err
    assert json.loads((tmp_path / "out/manifest.json").read_text())["confined"] is None


def test_a_handler_that_fails_is_never_told_as_if_it_had_gone_well(cli: Command, tmp_path: Path):
    ran = own(cli, tmp_path, "1 / 0")
    assert ran.code != 0
    assert "count_up answers: Error: division by zero" in ran.err + ran.out


LOANS = """
def monthly_payment(principal: float, annual_rate: float, years: int) -> float:
    \"\"\"Monthly payment of a loan.\"\"\"
    rate, months = annual_rate / 1200, years * 12
    return round(principal * rate / (1 - (1 + rate) ** -months), 2)
"""


@pytest.mark.parametrize(
    ("keys", "is_called"),
    [
        ("tools: [{functions: own.py}]", True),
        ("tools: [own.py]\nbackend: {python: own.py}", True),
        ("tools: [{functions: own.py}]\nbackend: {tools: {monthly_payment: {python: own.py}}}", True),
        ("tools: [{functions: own.py}]\nbackend: schema", False),
        ("tools: [{functions: own.py}]\nbackend: {tools: {monthly_payment: schema}}", False),
    ],
)
def test_functions_are_called_unless_the_recipe_says_otherwise(
    cli: Command, tmp_path: Path, keys: str, is_called: bool
):
    (tmp_path / "own.py").write_text(LOANS)
    (tmp_path / "own.yaml").write_text(f"name: own\nrows: 4\n{keys}\nscenarios: [single]\nformats: [openai]\n")
    ran = cli("run", tmp_path / "own.yaml", "--out", tmp_path / "out", "--workers", 1)
    assert ran.code == 0, ran.err
    functions: dict[str, Any] = {}
    exec(LOANS, functions)
    for row in rows(tmp_path / "out"):
        call, result = row["messages"][-3:-1]
        right = functions["monthly_payment"](**json.loads(call["tool_calls"][0]["function"]["arguments"]))
        assert (json.loads(result["content"]) == right) is is_called
    if keys != "tools: [{functions: own.py}]":
        return
    again = ("--out", tmp_path / "again", "--workers", 2, "--executor", "processes")
    assert cli("run", tmp_path / "own.yaml", *again).code == 0
    assert rows(tmp_path / "again") == rows(tmp_path / "out")


def test_scripts_are_refused_where_functions_answer_calls(cli: Command, tmp_path: Path):
    (tmp_path / "own.py").write_text(LOANS)
    (tmp_path / "scripts.yaml").write_text(
        "tools: [{functions: own.py}]\n"
        "scripts:\n- script: pay\n  about: single\n  turns:\n"
        "  - user: ['What do I pay a month for {900 ~ 900} at {5 ~ 5} percent over {2 ~ 2} years?']\n"
        "  - call: m = monthly_payment(principal=900, annual_rate=5, years=2)\n"
        "  - say: ['{m} a month.']\n"
    )
    (tmp_path / "own.yaml").write_text(
        "name: own\nrows: 1\ntools: [{functions: own.py}]\nscenarios: [single]\nformats: [openai]\n"
        "scripts: {files: [scripts.yaml], per_script: 4, share: 0.5}\n"
    )
    ran = cli("run", tmp_path / "own.yaml", "--out", tmp_path / "out", "--workers", 1)
    assert ran.code == 2, ran.err
    assert "own.yaml:6: scripts: scripts are played in simulated worlds" in ran.err


def test_functions_that_cannot_be_called_are_told(cli: Command, tmp_path: Path):
    (tmp_path / "own.py").write_text(f"{LOANS}    raise OSError('no network')\n".replace("return", "rate ="))
    (tmp_path / "own.yaml").write_text(
        "name: own\nrows: 1\ntools: [{functions: own.py}]\nscenarios: [single]\nformats: [openai]\n"
    )
    ran = cli("run", tmp_path / "own.yaml", "--out", tmp_path / "out", "--workers", 1)
    assert ran.code == 2
    assert "monthly_payment answers: Error: no network (functions are called" in ran.err
    (tmp_path / "own.py").write_text('def find(word: str) -> str:\n    """Find a word."""\n')
    assert "it has no body, so it is not called" in cli("tools", "read", tmp_path / "own.py").out
    ran = cli("run", tmp_path / "own.yaml", "--out", tmp_path / "out", "--workers", 1)
    assert ran.code == 0, ran.err


def test_a_handler_that_stops_those_who_look_after_it_is_told_within_a_limit_of_time(
    cli: Command, tmp_path: Path, monkeypatch
):
    monkeypatch.setattr("generator.world.backends.process._PATIENCE", 1.0)
    ran = own(cli, tmp_path, "__import__('os').kill(__import__('os').getppid(), 19) or 1")
    assert (ran.code, ran.err.strip().rpartition("/")[2]) == (
        2,
        "own.py: its process did not go on within 1 seconds after a conversation",
    )


@pytest.mark.parametrize(
    ("backend", "words"),
    [
        ("{python: nothing.py}", "backend.python: there is no file"),
        ("{python: own.py, recorded: own.py}", "exactly one of python, recorded, http, mcp is expected"),
        ("{pyhton: own.py}", 'unknown key (did you mean "python"?)'),
        ("shcema", "schema or llm, or a mapping"),
        ("{http: 'ftp://x'}", "backend.http"),
        ("{python: own.py, attempts: 3}", "'attempts' is for http"),
        ("{python: own.py, session: run}", "'session' is for mcp"),
        ("{mcp: {command: [python]}, session: always}", "backend.session"),
        ("{mcp: {command: []}}", "backend.mcp.command"),
        ("{mcp: {command: [no-such-program-here]}}", "no-such-program-here: the MCP server cannot be started"),
        ("{tools: {cuont_up: {python: own.py}}}", "there is no tool 'cuont_up'"),
        ("{python: other.py}", "it has no tool 'count_up'"),
        ("{python: broken.py}", "FAILED_VALIDATION: TypeError: TOOLS"),
    ],
)
def test_a_backend_that_cannot_be_is_told(cli: Command, tmp_path: Path, backend: str, words: str):
    (tmp_path / "own.py").write_text(MODULE % "1")
    (tmp_path / "other.py").write_text((MODULE % "1").replace("count_up", "count_down"))
    (tmp_path / "broken.py").write_text("TOOLS = 3")
    (tmp_path / "own.yaml").write_text(RECIPE.replace("{python: own.py, seconds: 5}", backend))
    ran = cli("run", tmp_path / "own.yaml", "--out", tmp_path / "out", "--workers", 1)
    assert ran.code == 2
    assert words in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("tools", "words"),
    [
        ("[{file: own.py, from: mpc}]", "tools[0].from"),
        ("[{openapi: own.py, from: mcp}]", "'from' is for 'file'"),
        ("[{mcp: {command: []}}]", "tools[0].mcp.command"),
        ("[{functions: own.py, select: {count: 99}}]", "99 tools are wanted, but there are 1"),
        ("[{openapi: nothing.yaml}]", "tools[0].openapi: there is no file"),
    ],
)
def test_tools_that_cannot_be_read_are_told(cli: Command, tmp_path: Path, tools: str, words: str):
    (tmp_path / "own.py").write_text(MODULE % "1")
    (tmp_path / "own.yaml").write_text(
        RECIPE.replace("[own.py]", tools).replace("backend: {python: own.py, seconds: 5}\n", "")
    )
    ran = cli("run", tmp_path / "own.yaml", "--out", tmp_path / "out", "--workers", 1)
    assert ran.code == 2
    assert words in ran.err


SYNC = """\
tools:
  - name: sync_notes
    description: Send all notes to the server.
    parameters: {type: object, properties: {}}
    effect: {act: note, set: {synced: true}}
    returns: {type: object, properties: {sent: {type: integer, minimum: 1, maximum: 9}}, required: [sent]}
entities:
  note:
    key: note_id
    called: [title]
    fields: {note_id: {type: string, pattern: "^n[0-9]{3}$"}, title: {type: string}, synced: {type: boolean}}
"""
SYNCED = """\
tools: [notes.yaml]
scripts:
  - script: sync_all
    about: single
    turns:
      - user: [Please sync my notes., Send the notes over., "Sync everything, please."]
      - call: done = sync_notes()
      - say: ["Done: {done.sent} sent.", "{done.sent} are over.", "Synced, {done.sent} in all."]
"""


def test_a_script_may_change_things_by_a_call_without_arguments(cli: Command, tmp_path: Path):
    (tmp_path / "notes.yaml").write_text(SYNC)
    (tmp_path / "notes.scripts.yaml").write_text(SYNCED)
    done = cli("tools", "check", tmp_path / "notes.scripts.yaml")
    assert (done.code, "sync_all  single  fine" in done.out) == (0, True), done.out
