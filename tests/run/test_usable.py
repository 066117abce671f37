"""A server is never lost to one tool: what cannot be used is left out and named, and the others make a data set."""

import json
from pathlib import Path
from typing import Any

import command
import msgspec
import pytest

import generator.run.stages.events
import generator.run.stages.words
import generator.tools.describing
from generator.core.conversation import Violation
from generator.core.errors import CannotFillError, GeneratorError, PlanError, RecipeError, RowError, SpecError
from generator.core.toolbox import LeftOut
from generator.formats import FORMATS
from generator.formats.run_folder.manifest import read_manifest
from generator.recipe import Recipe, load_recipe
from generator.run.described import describe_source
from generator.run.engine.checked_row import FailedRow, check_share
from generator.run.engine.merge import make_shard, merge, plan_of_shards
from generator.run.engine.run import RunOptions, run
from generator.run.engine.shard import Shard
from generator.run.row import RejectedRow, make_row
from generator.run.stages.attempt import ATTEMPTS
from generator.run.usable import prepare_usable
from generator.scenarios import SCENARIOS

TEXT = {"type": "string", "description": "Title of the note"}


def tool(name: str, about: str, **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": list(properties)}
    return {"name": name, "description": about, "inputSchema": schema}


NOTES = tool("create_note", "Create a note.", title=TEXT)
WEATHER = tool("get_weather", "Get the weather of a city.", city={"type": "string", "description": "Name of the city"})
NO_SCHEMA = {"name": "no_schema", "description": "Do something."}
ILLEGAL = tool("illegal", "Do something.", what={"type": 17})
IMPOSSIBLE = tool("impossible", "Do something.", what={"type": "string", "pattern": "^a", "maxLength": 0})
HOLDS_NOTHING = tool("holds_nothing", "Do something.", what={"type": "array", "items": False, "minItems": 2})


def recipe_of(folder: Path, *tools: dict[str, Any], **keys: Any) -> Recipe:
    (folder / "server.json").write_text(json.dumps({"tools": list(tools)}))
    value = {
        "name": "own",
        "rows": 20,
        "tools": [{"file": "server.json", "undescribed": "keep"}],
        "scenarios": ["single"],
        "formats": ["openai"],
        **keys,
    }
    (folder / "r.yaml").write_text(json.dumps(value))
    return load_recipe(folder / "r.yaml", scenarios=SCENARIOS, formats=FORMATS)


def rows_of(out: Path, recipe: Recipe) -> list[dict[str, Any]]:
    run(recipe, out, how=RunOptions(executor="serial"))
    return [json.loads(line) for line in (out / "openai.jsonl").read_text().splitlines()]


@pytest.mark.parametrize("bad", [NO_SCHEMA, ILLEGAL, IMPOSSIBLE, HOLDS_NOTHING], ids=lambda bad: bad["name"])
def test_a_tool_that_cannot_be_loaded_is_left_out_and_named(tmp_path: Path, bad: dict[str, Any]):
    recipe = recipe_of(tmp_path, NOTES, bad, WEATHER)
    prepared = prepare_usable(recipe)
    assert list(prepared.toolbox) == ["create_note", "get_weather"]
    (left_out,) = prepared.left_out
    assert (left_out.what, left_out.name) == ("tool", bad["name"])
    assert left_out.why
    assert len(rows_of(tmp_path / "out", recipe)) == 20


@pytest.mark.parametrize("bad", [NO_SCHEMA, IMPOSSIBLE], ids=lambda bad: bad["name"])
def test_a_tool_that_the_recipe_names_must_be_there(tmp_path: Path, bad: dict[str, Any]):
    recipe = recipe_of(tmp_path, NOTES, bad, tools=[{"file": "server.json", "only": ["create_note", bad["name"]]}])
    with pytest.raises(SpecError, match=bad["name"]):
        prepare_usable(recipe)


def test_without_any_tool_there_is_no_run(tmp_path: Path):
    with pytest.raises(SpecError, match=r"(?s)no_schema: it has no inputSchema.*illegal: parameters"):
        prepare_usable(recipe_of(tmp_path, NO_SCHEMA, ILLEGAL))


def test_a_tool_of_our_own_language_is_never_left_out(tmp_path: Path):
    (tmp_path / "own.yaml").write_text(
        "tools: [{name: ping, parameters: {type: 17}, kinds: {}, phrases: {request: [ping]}}]"
    )
    with pytest.raises(SpecError, match=r"own\.yaml:1: ping"):
        prepare_usable(recipe_of(tmp_path, NOTES, tools=["server.json", "own.yaml"]))


@pytest.mark.parametrize("together", [False, True])
def test_a_tool_that_cannot_be_described_is_left_out_and_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, together: bool
):
    derive = generator.tools.describing.derive

    def fails(specs):
        if any(spec.name == "get_weather" for spec in specs) and (not together or len(specs) > 1):
            raise ValueError("substring not found")
        return derive(specs)

    monkeypatch.setattr(generator.tools.describing, "derive", fails)
    recipe, told = recipe_of(tmp_path, NOTES, WEATHER), list[LeftOut]()
    prepared = prepare_usable(recipe)
    described = describe_source(recipe.tools[0], told.append)
    if together:  # each is described by itself
        assert (prepared.left_out, told) == ((), [])
        assert [one.level for one in described] == ["derived", "derived"]
    else:
        why = "it cannot be described (ValueError: substring not found)"
        assert list(prepared.left_out) == told == [LeftOut("tool", "get_weather", why)]
        assert [one.spec.name for one in described] == ["create_note"]
    assert len(rows_of(tmp_path / "out", recipe)) == 20


def test_a_noun_whose_place_was_taken_does_not_break_the_phrases(tmp_path: Path):
    """What is said of the job's identifier is cut off again as an alternative: "in a job or pipeline of …"."""
    project = {"type": "string", "description": "ID of the project"}
    path = {"type": "string", "description": "Path of the job"}
    tools = [
        tool(name, about, project_id=project, job_id=path, group_id=project)
        for name, about in (
            ("get_project_events", "List all events of a specific project or group for a job"),
            ("list_group_projects", "Get the projects in a group or project of a job"),
            ("delete_job_group", "Delete the group or project of a job from the project"),
        )
    ]
    assert prepare_usable(recipe_of(tmp_path, *tools)).left_out == ()


SEVERAL = {"single": 1, "sequential": 3}


class TestScenarios:
    def test_one_that_the_tools_cannot_serve_is_left_out_and_named(self, tmp_path: Path):
        recipe = recipe_of(tmp_path, NOTES, WEATHER, scenarios=SEVERAL)
        (left_out,) = prepare_usable(recipe).left_out
        assert (left_out.what, left_out.name) == ("scenario", "sequential")
        assert "r.yaml:1: scenarios.sequential: " in left_out.why
        assert len(rows_of(tmp_path / "out", recipe)) == 20

    def test_one_of_which_no_row_can_be_made_is_left_out_and_named(self, tmp_path: Path):
        ping = tool("set_mode", "Set the mode of the light.", mode={"type": "string", "enum": ["on"]})
        recipe = recipe_of(tmp_path, ping, scenarios={"single": 1, "parallel": 1})
        (left_out,) = prepare_usable(recipe).left_out
        assert (left_out.what, left_out.name) == ("scenario", "parallel")
        assert len(rows_of(tmp_path / "out", recipe)) == 20

    @pytest.mark.parametrize("required", ["sequential", ["single", "sequential"]])
    def test_one_that_the_recipe_requires_must_be_there(self, tmp_path: Path, required: Any):
        recipe = recipe_of(tmp_path, NOTES, WEATHER, scenarios=SEVERAL, required_scenarios=required)
        with pytest.raises(PlanError, match=r"scenarios\.sequential: "):
            prepare_usable(recipe)

    def test_without_any_there_is_no_run(self, tmp_path: Path):
        with pytest.raises(PlanError, match=r"scenarios\.sequential: "):
            prepare_usable(recipe_of(tmp_path, NOTES, scenarios={"sequential": 1, "single": 0}))

    @pytest.mark.parametrize("required", ["sequentia", ["parallel"], ["single", "single"], {"single": 1}])
    def test_only_those_of_the_recipe_can_be_required(self, tmp_path: Path, required: Any):
        with pytest.raises(RecipeError, match="required_scenarios"):
            recipe_of(tmp_path, NOTES, scenarios=SEVERAL, required_scenarios=required)


class TestFailedRows:
    @pytest.fixture
    def failing(self, monkeypatch: pytest.MonkeyPatch) -> dict[str, set[str]]:
        """Scenarios that fail in runs, and tools that do."""
        failing: dict[str, set[str]] = {"scenarios": set(), "tools": set()}
        conduct = generator.run.stages.events.conduct

        def conducted(scenario, scene, world, note):
            events = conduct(scenario, scene, world, note)
            called = {call.name for event in events for call in getattr(event, "made", ())}
            if scenario.name in failing["scenarios"]:
                raise CannotFillError("nothing fits")
            for name in sorted(called & failing["tools"]):
                raise CannotFillError(f"{name} answers: no")
            return events

        monkeypatch.setattr("generator.run.stages.events.conduct", conducted)
        return failing

    def test_a_row_that_fails_is_drawn_anew_with_another_scenario(self, tmp_path: Path, failing: dict[str, set[str]]):
        recipe = recipe_of(tmp_path, NOTES, WEATHER, scenarios={"single": 1, "multiple": 1})
        prepared = prepare_usable(recipe)
        usual = [make_row(prepared, index).row for index in range(10)]
        failing["scenarios"].add("multiple")
        made = [make_row(prepared, index) for index in range(10)]
        assert {row.scenario for row in usual} == {"single", "multiple"}
        assert {one.row.scenario for one in made} == {"single"}
        for before, now in zip(usual, made, strict=True):
            assert len(now.rejected) == (ATTEMPTS if before.scenario == "multiple" else 0)
            assert before.scenario == "multiple" or now.row == before

    def test_a_tool_that_never_works_is_left_out_before_the_run(self, tmp_path: Path, failing: dict[str, set[str]]):
        failing["tools"].add("get_weather")
        recipe = recipe_of(tmp_path, NOTES, WEATHER)
        (left_out,) = prepare_usable(recipe).left_out
        assert left_out.name == "get_weather"
        assert "get_weather answers: no" in left_out.why
        rows_of(tmp_path / "out", recipe)
        assert (tmp_path / "out/rejected.jsonl").read_text() == ""

    def test_few_that_fail_are_missing_and_told_and_many_stop_the_run(
        self, tmp_path: Path, failing: dict[str, set[str]], monkeypatch: pytest.MonkeyPatch
    ):
        recipe = recipe_of(tmp_path, NOTES, WEATHER, rows=40)
        fails = {3, 17}
        made = generator.run.engine.checked_row.make_row

        def make(prepared, index):
            if index in fails:
                attempt = RejectedRow(
                    index=index, attempt=0, violations=(Violation("PL101", "$", "no"),), tools=("get_weather",)
                )
                raise RowError(f"row {index}: no", (attempt,))
            return made(prepared, index)

        monkeypatch.setattr("generator.run.engine.checked_row.make_row", make)
        found = {}
        for rows_at_once in (20, 10):  # other processes would not have what is patched here
            out = tmp_path / str(rows_at_once)
            finished = run(recipe, out, how=RunOptions(executor="serial", block_rows=rows_at_once))
            assert (finished.tally.rows, finished.tally.removed) == (38, {"failed": {"get_weather": 2}})
            found[rows_at_once] = {
                name: (out / name).read_bytes() for name in ("openai.jsonl", "rejected.jsonl", "proofs.jsonl")
            }
        assert found[20] == found[10]
        assert {"index": 3, "failed": "row 3: no"} in map(json.loads, found[20]["rejected.jsonl"].splitlines())
        fails |= {4, 5, 6}
        with pytest.raises(RowError, match="5 of 40 rows could not be made; by tool: get_weather 5; row 3: no"):
            run(recipe, tmp_path / "many", how=RunOptions(executor="serial", block_rows=20))

    def test_a_run_that_goes_nowhere_ends_early(self, tmp_path: Path, failing: dict[str, set[str]]):
        recipe = recipe_of(tmp_path, NOTES, WEATHER, rows=100_000)
        prepared = prepare_usable(recipe)
        failing["scenarios"].add("single")
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("generator.run.engine.blocks.prepare_usable", lambda *_: prepared)
            with pytest.raises(RowError, match="20 of 20 rows in a row could not be made; by tool: no tool 20"):
                run(recipe, tmp_path / "out", how=RunOptions(executor="serial"))

    @pytest.mark.parametrize("unique", [{"unique": "requests"}, {"dedup": {}}, {"max_share": {"tool": 0.9}}])
    def test_they_are_like_no_other_row(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, unique: dict[str, Any]):
        recipe = recipe_of(tmp_path, NOTES, WEATHER, rows=40, **unique)
        made = generator.run.engine.checked_row.make_row

        def make(prepared, index):
            if index in (3, 17):
                raise RowError(f"row {index}: no")
            return made(prepared, index)

        monkeypatch.setattr("generator.run.engine.checked_row.make_row", make)
        finished = run(recipe, tmp_path / "out", how=RunOptions(executor="serial"))
        assert finished.tally.removed["failed"] == {"no tool": 2}
        assert finished.tally.rows + sum(sum(of.values()) for of in finished.tally.removed.values()) == 40

    def test_the_share_counts(self):
        check_share({"ping": 1}, 10, "")
        with pytest.raises(RowError):
            check_share({"ping": 2}, 10, "")

    def test_the_tool_of_most_attempts_is_named(self):
        attempts = [
            RejectedRow(index=1, attempt=at, violations=(Violation("PL101", "$", "no"),), tools=tools)
            for at, tools in enumerate([("a",), ("b", "a"), ()])
        ]
        assert FailedRow(index=1, rejected=tuple(attempts), why="no").tool == "a"


def test_a_fault_of_ours_costs_an_attempt_and_not_the_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    prepared = prepare_usable(recipe_of(tmp_path, NOTES, WEATHER))
    word, failed = generator.run.stages.words.word, []

    def fails_once(*given):
        if not failed:
            failed.append(True)
            raise IndexError("list index out of range")
        return word(*given)

    monkeypatch.setattr("generator.run.stages.words.word", fails_once)
    (attempt,) = make_row(prepared, 0).rejected
    assert attempt.violations == (Violation("PL103", "$", "IndexError: list index out of range"),)


def test_what_is_left_out_is_told_once_on_standard_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    cli = command.command(monkeypatch, capsys)
    recipe_of(tmp_path, NOTES, NO_SCHEMA, WEATHER, scenarios={"single": 1, "sequential": 1})
    for flags in ((), ("--quiet",)):
        ran = cli("run", tmp_path / "r.yaml", "--out", tmp_path / "out", "--workers", 1, "--overwrite", *flags)
        assert ran.code == 0, ran.err
        told = [line for line in ran.err.splitlines() if line.startswith("warning: ")]
        assert [line[: line.index(" is left out: ")] for line in told] == [
            "warning: the tool 'no_schema'",
            "warning: the scenario 'sequential'",
        ]
    planned = cli("run", tmp_path / "r.yaml", "--dry-run")
    assert "left out   the tool 'no_schema' is left out: it has no inputSchema" in planned.out
    described = cli("tools", "describe", tmp_path / "server.json")
    assert (described.code, "warning: the tool 'no_schema'" in described.err) == (0, True)
    checked = cli("tools", "check", tmp_path / "server.json", "--rows", 0)
    assert (checked.code, "no_schema  loading  it has no inputSchema" in checked.out) == (1, True)


def test_a_required_scenario_changes_no_row(tmp_path: Path):
    one = recipe_of(tmp_path, NOTES, WEATHER)
    other = msgspec.structs.replace(one, required_scenarios=("single",))
    assert make_row(prepare_usable(one), 3).row == make_row(prepare_usable(other), 3).row
    run(one, tmp_path / "out", how=RunOptions(executor="serial"))
    assert run(other, tmp_path / "out", how=RunOptions(executor="serial")).made == 0
    with pytest.raises(GeneratorError):
        run(msgspec.structs.replace(one, seed=9), tmp_path / "out", how=RunOptions(executor="serial"))


def test_the_manifest_and_the_card_name_what_is_left_out(tmp_path: Path):
    recipe = recipe_of(tmp_path, NOTES, WEATHER, ILLEGAL, scenarios=["single", "sequential"])
    run(recipe, tmp_path / "whole", how=RunOptions(executor="serial"))
    whole = read_manifest(tmp_path / "whole")
    assert [(one.what, one.name) for one in whole.left_out] == [("tool", "illegal"), ("scenario", "sequential")]
    assert all(one.why for one in whole.left_out)
    card = (tmp_path / "whole/README.md").read_text()
    assert "| tool `illegal` |" in card
    assert "| scenario `sequential` |" in card
    how = RunOptions(executor="serial", block_rows=10)
    for index in range(2):
        make_shard(recipe, tmp_path / "parts", Shard(index, 2), how=how)
    merge(recipe, plan_of_shards(tmp_path / "parts"), tmp_path / "parts", how.layout)
    assert read_manifest(tmp_path / "parts").left_out == whole.left_out


@pytest.mark.parametrize("usual", ["number", "string"])
def test_an_identifier_of_two_types_costs_no_tool(tmp_path: Path, usual: str):
    """Some tools take a group's identifier as a number, others as a text: each gets what it takes."""
    other = {"number": "string", "string": "number"}[usual]
    group = {kind: {"type": kind, "description": "Group ID"} for kind in (usual, other)}
    milestone = {"type": "string", "description": "The ID of a milestone"}
    tools = [
        tool("list_group_milestones", "List group milestones.", group_id=group[usual]),
        tool("create_group_milestone", "Create a group milestone.", group_id=group[usual], title=TEXT),
        tool("get_group_milestone", "Get a group milestone.", group_id=group[other], milestone_id=milestone),
        tool("delete_group_milestone", "Delete a group milestone.", group_id=group[other], milestone_id=milestone),
        tool("list_milestones", "List milestones."),
        tool("create_group", "Create a group.", title={"type": "string", "description": "The name of the group"}),
    ]
    prepared = prepare_usable(recipe_of(tmp_path, *tools))
    assert prepared.left_out == ()
    assert [rejected for index in range(20) for rejected in make_row(prepared, index).rejected] == []
