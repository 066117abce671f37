"""Tools of which nothing is known beyond the schema are left out, named, and kept where somebody wants them."""

import json
from pathlib import Path
from typing import Any

import command
import pytest

from generator.core.errors import SpecError
from generator.recipe import ToolFile
from generator.run.described import describe_source, faults_of_tools
from generator.run.prepared import derive_pieces
from generator.tools.specs.load import LoadedTools, load_tools


def tool(name: str, about: str, reads: bool, required: list[str], **arguments: Any) -> dict[str, Any]:
    """A tool of an MCP server."""
    schema = {"type": "object", "properties": arguments, "required": required}
    return {"name": name, "description": about, "inputSchema": schema, "annotations": {"readOnlyHint": reads}}


TEXT = {"type": "string"}
STATUS_ONLY = tool(
    "analyze_flux", "Analyze the flux.", True, ["depth"], depth={"type": "integer", "minimum": 2, "maximum": 9}
)
FILLED = tool("apply_zorb", "Apply a zorb.", False, ["zorb"], zorb=TEXT)
KNOWN = tool(
    "cancel_job", "Cancel a job.", False, ["job_id"], job_id={**TEXT, "description": "ID of the job, e.g. 'JOB-20417'"}
)


def loaded(folder: Path, *tools: dict[str, Any], **source: Any) -> LoadedTools:
    """These tools as a recipe loads them."""
    path = folder / "server.json"
    path.write_text(json.dumps({"tools": tools}))
    return load_tools([ToolFile(file=path, **source)], derive=derive_pieces)


def test_they_are_left_out_and_named(tmp_path: Path):
    found = loaded(tmp_path, STATUS_ONLY, FILLED, KNOWN)
    assert [*found.toolbox] == ["cancel_job"]
    told = {one.name: one.why for one in found.left_out}
    assert "it needs an author (returns: nothing is known of what it returns)" in told["analyze_flux"]
    assert "zorb: nothing tells what its values look like" in told["apply_zorb"]
    assert all("undescribed: keep}` keeps it" in why for why in told.values())


def test_they_are_kept_where_somebody_wants_them(tmp_path: Path):
    kept = loaded(tmp_path, STATUS_ONLY, FILLED, KNOWN, undescribed="keep")
    assert ([*kept.toolbox], kept.left_out) == (["analyze_flux", "apply_zorb", "cancel_job"], ())
    assert [*loaded(tmp_path, STATUS_ONLY, FILLED, KNOWN, only=("apply_zorb",)).toolbox] == ["apply_zorb"]


def test_what_an_overlay_says_counts_as_known(tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(
        "tools:\n  apply_zorb: {examples: {zorb: [left zorb, right zorb, long zorb]}}\n"
        "  analyze_flux: {returns: {type: object, properties: {flux: {type: integer, minimum: 1, maximum: 9}}}}\n"
    )
    assert len(loaded(tmp_path, STATUS_ONLY, FILLED, KNOWN, overlays=(overlay,)).toolbox) == 3


def test_a_source_of_nothing_else_is_kept(tmp_path: Path):
    assert len(loaded(tmp_path, STATUS_ONLY, FILLED).toolbox) == 2


def test_checks_report_both_as_faults(tmp_path: Path):
    loaded(tmp_path, STATUS_ONLY, FILLED, KNOWN)
    tools = describe_source(ToolFile(file=tmp_path / "server.json"))
    found = {(fault.tool, fault.piece) for fault in faults_of_tools(tools, 0) if fault.check == "author"}
    assert found == {("analyze_flux", "returns"), ("apply_zorb", "zorb")}


def test_a_scenario_that_misses_them_names_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "server.json").write_text(json.dumps({"tools": [FILLED, KNOWN]}))
    recipe = tmp_path / "r.yaml"
    recipe.write_text("name: r\nrows: 2\ntools: [server.json]\nscenarios: [parallel_multiple]\n")
    ran = command.command(monkeypatch, capsys)("run", recipe, "--out", tmp_path / "out")
    assert ran.code == 2
    assert "the tool 'apply_zorb' is left out: it needs an author" in ran.err


def test_what_was_said_and_refused_is_not_known(tmp_path: Path):
    overlay = tmp_path / "mine.yaml"
    overlay.write_text("origin: model\nrefused: {cancel_job: 1 of 5 trial rows passed the judge}\ntools: {}\n")
    other = {**KNOWN, "name": "close_job"}
    found = loaded(tmp_path, KNOWN, other, overlays=(overlay,))
    assert [*found.toolbox] == ["close_job"]
    assert "what was said of it was refused: 1 of 5 trial rows passed the judge" in found.left_out[0].why
    assert len(loaded(tmp_path, KNOWN, other, overlays=(overlay,), undescribed="keep").toolbox) == 2
    overlay.write_text("refused: {cancel_jobs: no}\n")
    with pytest.raises(SpecError, match=r"mine.yaml:1: refused.cancel_jobs: there is no such tool"):
        loaded(tmp_path, KNOWN, other, overlays=(overlay,))


def test_nothing_is_derived_of_what_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
):
    (tmp_path / "server.json").write_text(json.dumps({"tools": [FILLED, KNOWN]}))
    overlay = tmp_path / "mine.yaml"
    overlay.write_text(f"refused: {{{FILLED['name']}: nobody has described it}}\n")
    run = command.command(monkeypatch, capsys)
    alone = run("tools", "check", tmp_path / "server.json")
    beside = run("tools", "check", tmp_path / "server.json", "--overlay", overlay, "--told")
    assert (alone.code, beside.code) == (1, 0)
    assert "nobody has described it" in beside.out
    overlay.write_text(f"refused: {{{KNOWN['name']}: no}}\ntools: {{{KNOWN['name']}: {{say: {{}}}}}}\n")
    assert (
        f"refused.{KNOWN['name']}: it is described under `tools`, too"
        in run("tools", "check", tmp_path / "server.json", "--overlay", overlay).err
    )
