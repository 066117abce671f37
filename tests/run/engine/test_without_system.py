"""Formats without system messages get the rows whose words do not depend on them, and no others."""

import json
import re
from pathlib import Path

import msgspec

from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[3]
ROWS = 80
DAY = re.compile(r'"(20\d\d)-\d\d-\d\d')


def test_rows_are_written_without_a_system_message_where_the_proof_holds_without_it(tmp_path: Path):
    recipe = load_recipe(ROOT / "recipes" / "parallel.yaml", scenarios=SCENARIOS, formats=FORMATS)
    recipe = msgspec.structs.replace(recipe, rows=ROWS, formats=("deepfabric", "xlam"), splits=())
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
