"""`verify`: what it says and returns."""

from pathlib import Path

import pytest
from command import Command


def test_a_whole_run(cli: Command, recipe: Path):
    cli("run", recipe, "--quiet")
    ran = cli("verify", "outputs/tiny")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.splitlines()[:4] == [
        "outputs/tiny/deepfabric.jsonl: 4 lines",
        "outputs/tiny/openai.jsonl: 4 lines",
        "outputs/tiny/proofs.jsonl: 4 lines",
        "outputs/tiny/rejected.jsonl: 0 lines",
    ]


def test_a_changed_file_is_1(cli: Command, recipe: Path):
    cli("run", recipe, "--quiet", "--compress", "zstd")
    Path("outputs/tiny/openai.jsonl.zst").write_bytes(b"x")
    ran = cli("verify", "outputs/tiny")
    assert ran.code == 1
    assert "outputs/tiny/openai.jsonl.zst: NOT AS IT WAS MADE: it has 1 bytes instead of" in ran.out


def test_no_run_is_2_and_the_others_are_checked(cli: Command, recipe: Path):
    cli("run", recipe, "--quiet")
    ran = cli("verify", "nowhere", "outputs/tiny")
    assert ran.code == 2
    assert "nowhere/manifest.json: there is no such file" in ran.err
    assert "outputs/tiny/proofs.jsonl: 4 lines" in ran.out


def test_the_state_that_calls_leave_is_found_again(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    from tests.desk import DESK

    monkeypatch.chdir(tmp_path)
    Path("desk.yaml").write_text(DESK)
    recipe = Path("desk_rows.yaml")
    recipe.write_text("name: desk\nrows: 6\ntools: [desk.yaml]\nscenarios: {sequential: 1}\nformats: [openai]\n")
    assert cli("run", recipe, "--quiet", "--seed", "5").code == 0
    ran = cli("verify", "outputs/desk", "--recipe", recipe)
    assert (ran.code, ran.err) == (0, "")
    assert "outputs/desk/proofs.jsonl: 6 rows made again, with the same calls and state" in ran.out
    Path("desk.yaml").write_text(DESK.replace("count: [4, 8]", "count: [3, 3]"))
    ran = cli("verify", "outputs/desk", "--recipe", recipe)
    assert ran.code == 1
    assert "outputs/desk/proofs.jsonl: " in ran.out.splitlines()[-1]


def test_rows_that_were_made_anew_are_made_so_again(cli: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.chdir(tmp_path)
    Path("tools.yaml").write_text(
        "tools:\n  - {type: function, function: {name: water_plant, description: Water a plant., parameters: {type: object,"
        " properties: {litres: {type: integer, minimum: 1, maximum: 20}}, required: [litres]}}}\n"
    )
    recipe = Path("plants.yaml")
    text = "name: plants\nrows: 12\ntools: [tools.yaml]\nscenarios: [single]\nformats: [openai]\n"
    recipe.write_text(f"{text}unique: calls\n")
    assert cli("run", recipe, "--quiet").code == 0
    ran = cli("verify", "outputs/plants", "--recipe", recipe)
    assert (ran.code, ran.out.splitlines()[-1]) == (
        0,
        "outputs/plants/proofs.jsonl: 12 rows made again, with the same calls and state",
    )
    recipe.write_text(text)
    ran = cli("verify", "outputs/plants", "--recipe", recipe)  # without it: some rows were made anew
    assert (ran.code, ran.out.count("the recipe makes other calls in row")) == (1, 1)
