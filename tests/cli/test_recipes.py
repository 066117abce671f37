"""The shipped recipes, run as a newcomer runs them (with fewer rows)."""

import json
import re
from pathlib import Path

import pytest
from command import Command

from generator.formats import FORMATS

ROOT = Path(__file__).parents[2]
SHIPPED = sorted((ROOT / "recipes").glob("*.yaml"))
ROWS = 12


@pytest.mark.parametrize("path", SHIPPED, ids=lambda path: path.stem)
class TestEach:
    def test_makes_rows_that_are_valid_in_every_format(self, cli: Command, tmp_path: Path, path: Path):
        every = [flag for name in FORMATS for flag in ("--format", name)]
        ran = cli("run", path, "--rows", ROWS, "--out", tmp_path, *every)
        assert (ran.code, ran.err.splitlines()[-1].split(" · ")[0]) == (0, f"{ROWS} of {ROWS} rows")
        assert len((tmp_path / "proofs.jsonl").read_bytes().splitlines()) == ROWS
        assert len((tmp_path / "deepfabric.jsonl").read_bytes().splitlines()) == ROWS
        for name in FORMATS:
            assert cli("validate", tmp_path / f"{name}.jsonl", "--format", name).code == 0

    def test_rows_do_not_depend_on_how_many_are_made(self, cli: Command, tmp_path: Path, path: Path):
        for name, rows in (("few", 3), ("more", 6)):
            assert cli("run", path, "--rows", rows, "--out", tmp_path / name, "--quiet").code == 0
        few, more = ((tmp_path / name / "deepfabric.jsonl").read_bytes().splitlines() for name in ("few", "more"))
        assert few == more[:3]

    def test_another_seed_makes_other_rows(self, cli: Command, tmp_path: Path, path: Path):
        for seed in (1, 2):
            assert cli("run", path, "--rows", 3, "--seed", seed, "--out", tmp_path / str(seed), "--quiet").code == 0
        first, second = ((tmp_path / str(seed) / "deepfabric.jsonl").read_bytes() for seed in (1, 2))
        assert first != second

    def test_says_how_it_is_run(self, path: Path):
        assert f"python -m generator run recipes/{path.name}" in path.read_text()


def test_every_value_of_a_row_has_its_origin(cli: Command, tmp_path: Path):
    cli("run", ROOT / "recipes" / "mixed.yaml", "--rows", 8, "--out", tmp_path, "--quiet")
    for index in range(8):
        for name in ("deepfabric", "openai", "openchatml"):
            ran = cli("show", tmp_path / f"{name}.jsonl", "--index", index)
            assert ran.code == 0
            assert "the proof does not say" not in ran.out
            assert "no proof of this row" not in ran.out


def test_a_dry_run_shows_the_plan_and_three_rows(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    ran = cli("run", ROOT / "recipes" / "parallel.yaml", "--dry-run")
    assert ran.code == 0
    assert re.search(r"^rows +1,000 with seed 7$", ran.out, re.MULTILINE)
    assert re.search(r"^scenarios +parallel 50%, parallel_multiple 50%$", ran.out, re.MULTILINE)
    assert re.search(
        r"^files +outputs/parallel/: deepfabric\.jsonl, proofs\.jsonl, rejected\.jsonl$", ran.out, re.MULTILINE
    )
    assert re.findall(r"^Row \d+$", ran.out, re.MULTILINE) == ["Row 0", "Row 1", "Row 2"]
    assert list(tmp_path.iterdir()) == []


def test_a_dry_run_shows_the_rows_that_a_run_makes(cli: Command, tmp_path: Path):
    path = ROOT / "recipes" / "parallel.yaml"
    cli("run", path, "--rows", 3, "--out", tmp_path, "--quiet")
    record = json.loads((tmp_path / "deepfabric.jsonl").read_text().splitlines()[2])
    ran = cli("run", path, "--dry-run")
    asked = next(message["content"] for message in record["messages"] if message["role"] == "user")
    assert asked.splitlines()[0] in ran.out
