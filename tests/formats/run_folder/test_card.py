"""The dataset card shows names from data as text, wherever they stand."""

import json
from pathlib import Path

from hostile.cases import RECIPE, TOOL

from generator.formats import FORMATS
from generator.formats.run_folder.card import card
from generator.formats.run_folder.files import Layout
from generator.formats.run_folder.tally import Shared, Tally
from generator.recipe import load_recipe
from generator.scenarios import SCENARIOS

NAME = "a|b <img src=x onerror=1> [x](http:y) ![z](q).jsonl"


def test_names_of_files_cannot_end_a_cell_or_be_markup(tmp_path: Path):
    (tmp_path / "t.json").write_text(json.dumps([TOOL]))
    (tmp_path / "r.yaml").write_text(json.dumps(RECIPE))
    recipe = load_recipe(tmp_path / "r.yaml", scenarios=SCENARIOS, formats=FORMATS)
    shared = Shared(files=[NAME], records=1, rows=1, tools=1, names=[NAME])
    tally = Tally(rows=1, scenarios={NAME: 1}, refused={NAME: {NAME: 1}})
    files = ["openai.jsonl", "proofs.jsonl", "rejected.jsonl"]
    text = card(recipe, Layout(), tally, dict.fromkeys(files, 1), dict.fromkeys(files, "0"), (), shared)
    told = [line for line in text.splitlines() if "img" in line]
    assert len(told) == 4
    for line in told:
        assert line.replace("\\|", "").count("|") == 3
        assert "<" not in line
        assert "](" not in line.replace("\\](", "")
