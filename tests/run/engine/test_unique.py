"""`unique` and `splits: {by: tool}`: what rows may not have in common."""

import json
from pathlib import Path

import msgspec
import pytest
from nightly import some_of

from generator.core.errors import GeneratorError, PlanError, RecipeError
from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS

ROOT = Path(__file__).parents[3]


def tiny(folder: Path, rows: int, more: str = "", scenario: str = "single", most: int = 9) -> Recipe:
    (folder / "tools.yaml").write_text(
        "tools:\n"
        "  - {type: function, function: {name: water_plant, description: Water a plant., parameters: {type: object,"
        " properties: {plant: {type: string, enum: [fern, cactus, ivy], description: Plant},"
        " litres: {type: integer, minimum: 1, maximum: MOST, description: Litres}}, required: [plant, litres]}}}\n".replace(
            "MOST", str(most)
        )
    )
    path = folder / "r.yaml"
    path.write_text(
        f"name: r\nrows: {rows}\ntools: [tools.yaml]\nscenarios: [{scenario}]\nformats: [deepfabric]\n{more}"
    )
    return load_recipe(path, scenarios=SCENARIOS, formats=FORMATS)


def records(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def calls_in(rows: list[dict]) -> list[str]:
    made = [[call["function"] for m in row["messages"] for call in m.get("tool_calls", ())] for row in rows]
    return [json.dumps(sorted(json.dumps(call, sort_keys=True) for call in calls)) for calls in made]


def requests_in(rows: list[dict]) -> list[str]:
    return [" ".join(m["content"] for m in row["messages"] if m["role"] == "user").casefold() for row in rows]


@pytest.mark.parametrize(
    ("unique", "found", "rows", "most"), [("calls", calls_in, 24, 9), ("requests", requests_in, 120, 1)]
)
def test_no_two_rows_are_alike_in_any_split_however_they_are_made(tmp_path: Path, unique, found, rows, most):
    more = f"unique: {unique}\nsplits: {{train: 0.5, test: 0.5}}\n"
    recipe = tiny(tmp_path, rows, more, most=most)
    for name, how in {
        "a": RunOptions(block_rows=17),
        "b": RunOptions(block_rows=9, executor="processes", workers=2),
    }.items():
        run(recipe, tmp_path / name, how=how)
    made = [row for part in ("train", "test") for row in records(tmp_path / "a" / f"deepfabric.{part}.jsonl")]
    assert len(set(found(made))) == len(made) == rows
    for part in ("train", "test"):
        name = f"deepfabric.{part}.jsonl"
        assert (tmp_path / "a" / name).read_bytes() == (tmp_path / "b" / name).read_bytes()
    plain = tiny(tmp_path, rows, most=most)
    run(plain, tmp_path / "c")
    assert len(set(found(records(tmp_path / "c" / "deepfabric.jsonl")))) < rows  # there was something to do


def test_a_run_that_grows_keeps_what_it_has_and_repeats_none_of_it(tmp_path: Path):
    run(tiny(tmp_path, 10, "unique: calls\n"), tmp_path / "a", how=RunOptions(block_rows=5))
    run(tiny(tmp_path, 20, "unique: calls\n"), tmp_path / "a", how=RunOptions(block_rows=5))
    run(tiny(tmp_path, 20, "unique: calls\n"), tmp_path / "b", how=RunOptions(block_rows=5))
    assert (tmp_path / "a/deepfabric.jsonl").read_bytes() == (tmp_path / "b/deepfabric.jsonl").read_bytes()
    assert len(set(calls_in(records(tmp_path / "a/deepfabric.jsonl")))) == 20


def test_more_rows_than_there_can_be_are_told(tmp_path: Path):
    with pytest.raises(GeneratorError, match=r"row \d+: no row with other calls than those before could be made"):
        run(tiny(tmp_path, 28, "unique: calls\n"), tmp_path / "a", how=RunOptions(block_rows=7))


@some_of(2, "by", ["tool", "domain"])
def test_no_row_sees_a_tool_of_another_split(tmp_path: Path, by):
    recipe = load_recipe(ROOT / "recipes/mixed.yaml", scenarios=SCENARIOS, formats=FORMATS)
    recipe = msgspec.structs.replace(
        recipe,
        rows=60,
        tools=recipe.tools[::3],
        formats=("deepfabric",),
        splits=(("train", 0.7), ("test", 0.3)),
        split_by=by,
    )
    run(recipe, tmp_path)
    rows = {part: records(tmp_path / f"deepfabric.{part}.jsonl") for part in ("train", "test")}
    seen = {part: {t["function"]["name"] for row in found for t in row["tools"]} for part, found in rows.items()}
    assert not seen["train"] & seen["test"]
    assert all(len(tools) > 5 for tools in seen.values())
    scenarios = {json.loads(line)["scenario"] for line in (tmp_path / "proofs.jsonl").read_text().splitlines()}
    assert len(scenarios) >= 5  # all parts serve all scenarios


def test_tools_that_cannot_be_divided_are_told_with_file_and_line(tmp_path: Path):
    with pytest.raises(RecipeError, match=r"r\.yaml:6: splits: 1 tool cannot be divided among 2 splits"):
        run(tiny(tmp_path, 5, "splits: {by: tool, train: 0.9, test: 0.1}\n"), tmp_path / "a")
    recipe = tiny(tmp_path, 5, "splits: {by: tool, train: 0.9, test: 0.1}\n", "sequential")
    two = (tmp_path / "tools.yaml").read_text()
    (tmp_path / "tools.yaml").write_text(two + two.replace("water_plant", "wash_plant").replace("tools:\n", ""))
    with pytest.raises((PlanError, RecipeError), match=r"r\.yaml:\d+: "):
        run(recipe, tmp_path / "a")


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("splits: {by: rows, train: 1}\n", "splits.by"),
        ("splits: {by: tool}\n", "shares are expected beside `by`"),
        ("unique: rows\n", "unique"),
        ("unique: calls\ncoverage: pairwise\n", "unique"),
        ("splits: {by: tool, train: 1}\ncoverage: pairwise\n", "splits.by"),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, more, words):
    with pytest.raises(RecipeError, match=rf"r\.yaml:\d+: .*{words}"):
        tiny(tmp_path, 3, more)
