"""Formats without system messages get the rows whose words do not depend on them, and no others."""

import json
import re
from pathlib import Path
from typing import Any

import msgspec
import yaml

from generator.core.conversation import Row
from generator.core.errors import CannotCarryError
from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.run.engine.run import RunOptions, run
from generator.run.row import make_row, prepare
from generator.run.stages.shortened import without_system
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

ROOT = Path(__file__).parents[3]
ROWS = 80
DAY = re.compile(r'"(20\d\d)-\d\d-\d\d')


def _recipe(name: str) -> Recipe:
    path = ROOT / "recipes" / f"{name}.yaml"
    return load_recipe(path, scenarios={**SCENARIOS, **DOCUMENT_SCENARIOS}, formats=FORMATS)


def test_rows_are_written_without_a_system_message_where_the_proof_holds_without_it(tmp_path: Path):
    recipe = msgspec.structs.replace(_recipe("parallel"), rows=ROWS, formats=("deepfabric", "xlam"), splits=())
    finished = run(recipe, tmp_path, how=RunOptions(executor="serial"))
    needed = finished.tally.refused["xlam"]["a system message that the words depend on"]
    assert (finished.tally.lost, finished.rows_in("xlam")) == (
        {"xlam": {"system messages": ROWS - needed}},
        ROWS - needed,
    )
    assert 0 < needed < ROWS
    rejected = [json.loads(line) for line in (tmp_path / "rejected.jsonl").read_text().splitlines()]
    refused = {entry["index"] for entry in rejected if entry.get("format") == "xlam"}
    rows = [json.loads(line) for line in (tmp_path / "deepfabric.jsonl").read_text().splitlines()]
    asked = [row["messages"][1]["content"] for row in rows]
    records = [json.loads(line) for line in (tmp_path / "xlam.jsonl").read_text().splitlines()]
    written = [record["query"] for record in records]
    assert written == [text for index, text in enumerate(asked) if index not in refused]
    for record in records:  # a day is said with its year, not counted from today
        assert all(year in record["query"] for year in DAY.findall(record["answers"]))
    answers = [json.dumps(rows[index]["messages"][2]["tool_calls"]) for index in refused]
    assert all(DAY.search(text) for text in answers)
    assert "| xlam: system messages |" in (tmp_path / "README.md").read_text()


def _refused(name: str, **changes: Any) -> tuple[list[Row], set[int]]:
    """Rows of a recipe, and those of which `without_system` makes none."""
    prepared = prepare(msgspec.structs.replace(_recipe(name), **changes))
    rows = [make_row(prepared, index).row for index in range(60)]
    refused = set()
    for row in rows:
        try:
            without_system(row, prepared.toolbox, FORMATS["xlam"])
        except CannotCarryError:
            refused.add(row.index)
    return rows, refused


def test_no_row_goes_without_the_policy_that_it_follows():
    """What the assistant looks up, asks and declines would be without a reason, although no word depends on the policy."""
    rows, refused = _refused("service")
    assert {row.index for row in rows} == refused


def test_no_row_of_a_script_goes_without_what_the_script_says_of_the_assistant():
    stated = {
        one["script"]: bool(one.get("system"))
        for file in (ROOT / "tool_specs" / "scripts").glob("*.yaml")
        for one in yaml.safe_load(file.read_text())["scripts"]
    }
    rows, refused = _refused("conversations", scenarios=(("ambiguous", 1.0),), required_scenarios=())
    governed = {row.index for row in rows if any(stated[script.script] for script in row.proof.scripts)}
    assert governed <= refused
    assert 4 < len(governed) < len(rows)
