"""The shipped recipes, run as a newcomer runs them (with fewer rows), each once."""

import json
import re
from collections.abc import Callable
from pathlib import Path

import pytest
from command import Command
from nightly import one_in

from generator.formats import FORMATS
from generator.run.overlays import preferences

ROOT = Path(__file__).parents[2]
SHIPPED = sorted(
    path.stem
    for path in (ROOT / "recipes").glob("*.yaml")
    if not path.stem.startswith(("llm_", "fuzz_", "tuning", "train"))
)
"""Those of data sets in one file a format that need no model; tests/llm and tests/corpus run the others."""
ROWS = 5
WHOLE = [name for name, fmt in FORMATS.items() if fmt.policy.requests == "any"]
"""Formats that hold whole conversations."""
ALWAYS = ("deepfabric", "openai", "openchatml")
PREFERENCES = [name for name in WHOLE if name.endswith(("-preference", "-ranking", "-unpaired"))]
"""To weigh what is rejected takes longer than to make the rows, so recipes have all of these or none."""
PARTS = 12
WEIGHED = 12
"""Rows by which the defects of preferences are weighed; five times as many take longer than all rows of a recipe."""


def formats_of(recipe: str) -> list[str]:
    """What a recipe is written in: each format is that of one or two recipes, and those of `ALWAYS` of each."""
    part = SHIPPED.index(recipe) % PARTS
    others = [name for name in WHOLE if name not in (*ALWAYS, *PREFERENCES)]
    return [*ALWAYS, *others[part::PARTS], *(PREFERENCES if part == 0 else ())]


def flags_of(recipe: str) -> list[str]:
    return [flag for name in formats_of(recipe) for flag in ("--format", name)]


def lines(path: Path) -> list[bytes]:
    return path.read_bytes().splitlines()


def refused(folder: Path, fmt: str) -> set[int]:
    """Rows that a format could not carry: documents, here."""
    entries = [json.loads(line) for line in lines(folder / "rejected.jsonl")]
    found = [entry for entry in entries if entry.get("format") == fmt]
    assert all(entry["reason"].startswith("$: a document") for entry in found)
    return {entry["index"] for entry in found}


@pytest.fixture(scope="module")
def folders() -> dict[str, Path]:
    """The output folders of recipes that were run."""
    return {}


@pytest.fixture(autouse=True)
def few_rows_weigh(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(preferences, "_SAMPLE", WEIGHED)


@pytest.fixture
def made(cli: Command, folders: dict[str, Path], tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Path]:
    """A function that gives the output folder of a recipe, which is run once."""

    def folder(name: str) -> Path:
        if name not in folders:
            out = tmp_path_factory.mktemp(name)
            ran = cli(
                "run", ROOT / "recipes" / f"{name}.yaml", "--rows", ROWS, "--out", out, "--quiet", *flags_of(name)
            )
            assert (ran.code, ran.out, ran.err) == (0, "", "")
            folders[name] = out
        return folders[name]

    return folder


@pytest.mark.parametrize("name", one_in(2, SHIPPED))
def test_each_makes_as_many_rows_as_asked_all_valid_and_with_an_origin_for_every_value(
    cli: Command, made: Callable[[str], Path], name: str
):
    assert f"python -m generator run recipes/{name}.yaml" in (ROOT / "recipes" / f"{name}.yaml").read_text()
    assert len(lines(made(name) / "openchatml.jsonl")) == ROWS
    assert len(lines(made(name) / "proofs.jsonl")) == ROWS
    assert b"PL103" not in (made(name) / "rejected.jsonl").read_bytes()  # a fault of ours that another attempt hid
    assert len(lines(made(name) / "deepfabric.jsonl")) == ROWS - len(refused(made(name), "deepfabric"))
    for fmt in formats_of(name):
        assert cli("validate", made(name) / f"{fmt}.jsonl", "--format", fmt).code == 0
    for index in sorted(set(range(ROWS)) - refused(made(name), "openai"))[:2]:
        ran = cli("show", made(name) / "openai.jsonl", "--row", index)
        assert ran.code == 0
        assert "the proof does not say" not in ran.out
        assert "no proof of this row" not in ran.out


def test_the_one_with_splits_makes_valid_rows_in_both(cli: Command, tmp_path: Path):
    assert cli("run", ROOT / "recipes" / "tuning.yaml", "--rows", 24, "--out", tmp_path, "--quiet").code == 0
    files = [path for path in tmp_path.glob("*.jsonl") if path.name.partition(".")[0] in FORMATS]
    assert {path.suffixes[0] for path in files} == {".train", ".test"}
    assert sum(len(lines(path)) for path in files if path.name.startswith("openai.")) == 24
    for path in files:
        assert cli("validate", path, "--format", path.name.partition(".")[0]).code == 0, path.name


def test_the_one_to_train_on_makes_short_records_that_end_with_a_decision(cli: Command, tmp_path: Path):
    flags = ("--rows", 24, "--out", tmp_path, "--format", "openai", "--quiet")
    assert cli("run", ROOT / "recipes" / "train.yaml", *flags).code == 0
    records = [json.loads(line) for line in lines(tmp_path / "openai.jsonl")]
    assert len(records) >= 24
    assert all(record["messages"][-1]["role"] == "assistant" for record in records)
    reports = [one["messages"][-2]["role"] == "tool" and "tool_calls" not in one["messages"][-1] for one in records]
    assert not any(reports)
    assert all(len(line) < 4 * 700 for line in lines(tmp_path / "openai.jsonl"))
    assert any("tool_calls" not in record["messages"][-1] for record in records)


def test_rows_do_not_depend_on_how_many_are_made(cli: Command, made: Callable[[str], Path], tmp_path: Path):
    flags = ["--rows", 3, "--out", tmp_path, "--quiet", *flags_of("sequential")]
    assert cli("run", ROOT / "recipes" / "sequential.yaml", *flags).code == 0
    for name in ("deepfabric", "openai", "proofs"):
        assert lines(tmp_path / f"{name}.jsonl") == lines(made("sequential") / f"{name}.jsonl")[:3]


def test_another_seed_makes_other_rows(cli: Command, made: Callable[[str], Path], tmp_path: Path):
    flags = ["--rows", 3, "--seed", 12345, "--out", tmp_path, "--quiet"]
    assert cli("run", ROOT / "recipes" / "sequential.yaml", *flags).code == 0
    other = lines(made("sequential") / "deepfabric.jsonl")
    assert not set(lines(tmp_path / "deepfabric.jsonl")) & set(other)


def test_a_dry_run_shows_the_plan_and_three_rows_that_a_run_makes(
    cli: Command, made: Callable[[str], Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    monkeypatch.chdir(tmp_path)
    ran = cli("run", ROOT / "recipes" / "parallel.yaml", "--dry-run")
    assert ran.code == 0
    for plan in (
        r"rows +1,000 with seed 7",
        r"scenarios +parallel 50%, parallel_multiple 50%",
        r"files +outputs/parallel/: deepfabric\.jsonl, openai\.jsonl, openchatml\.jsonl, proofs\.jsonl, rejected\.jsonl, README\.md, report\.json, index\.html, manifest\.json",
    ):
        assert re.search(rf"^{plan}$", ran.out, re.MULTILINE)
    assert re.findall(r"^Row \d+$", ran.out, re.MULTILINE) == ["Row 0", "Row 1", "Row 2"]
    record = json.loads(lines(made("parallel") / "deepfabric.jsonl")[2])
    asked = next(message["content"] for message in record["messages"] if message["role"] == "user")
    assert asked.splitlines()[0] in ran.out
    assert list(tmp_path.iterdir()) == []
