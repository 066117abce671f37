"""`dedup` and `max_share`: rows are removed for what was before them, the same ones however a run is made."""

import json
import math
from collections import Counter
from fractions import Fraction
from pathlib import Path

import msgspec
import pytest
from command import command
from consumers import ROOT
from hypothesis import given
from hypothesis import strategies as st
from nightly import night
from object_store import files, told
from tiny_run import BLOCK, TOOLS

import generator.run.engine.run as engine
from generator.core.errors import RecipeError
from generator.formats import FORMATS
from generator.formats.run_folder.manifest import read_manifest
from generator.formats.run_folder.tally import Tally
from generator.recipe import Recipe, load_recipe
from generator.recipe.settings import Dedup
from generator.run.engine.blocks import BlockRecord
from generator.run.engine.merge import make_shard, merge, plan_of_shards, settings_of
from generator.run.engine.passes.decide import Shares, removed_rows
from generator.run.engine.passes.facts import Hashes, Removed, RowFacts
from generator.run.engine.run import RunOptions, run
from generator.run.engine.shard import Shard
from generator.scenarios import SCENARIOS

ROWS = 260
SHIPPED = load_recipe(ROOT / "recipes/parallel.yaml", scenarios=SCENARIOS, formats=FORMATS)


def recipe_of(folder: Path, more: str, rows: int = ROWS) -> Recipe:
    (folder / "tools.yaml").write_text(TOOLS.replace("maximum: 90", "maximum: 3").replace("maximum: 500", "maximum: 9"))
    text = f"name: tiny\nseed: 3\nrows: {rows}\ntools: [tools.yaml]\nscenarios: [single, parallel]\nformats: [openai]\n"
    text = text.replace("scenarios: [single, parallel]\n", "") if "scenarios:" in more else text
    (folder / "r.yaml").write_text(text + more)
    return load_recipe(folder / "r.yaml", scenarios=SCENARIOS, formats=FORMATS)


def lines(path: Path) -> list[dict]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def requests(folder: Path) -> list[str]:
    return [
        " ".join(m["content"] for m in row["messages"] if m["role"] == "user") for row in lines(folder / "openai.jsonl")
    ]


def hashed(value: int) -> bytes:
    return bytes([value * 6]) + bytes(14) + bytes([value])


@given(st.lists(st.integers(0, 30), max_size=200))
def test_equal_hashes_are_found(values: list[int]):
    found = Hashes()
    for start in range(0, len(values), 7):
        found.add(b"".join([hashed(value) for value in values[start : start + 7]]))
    assert found.repeated() == {hashed(value) for value, times in Counter(values).items() if times > 1}


@given(
    st.lists(st.tuples(st.integers(0, 9), st.integers(0, 3), st.sampled_from("abc")), max_size=60),
    st.sampled_from([0.2, 0.5, 1.0]),
)
def test_for_every_duplicate_that_is_removed_there_is_a_row_that_stays(rows: list[tuple[int, int, str]], share: float):
    """Rows are (request, what else tells them apart, tool)."""
    records = [
        BlockRecord(
            digest="", start=start, stop=start + len(part), parts={}, tally=Tally(), cpu_seconds=0.0,
            facts=RowFacts(
                rows=b"".join([hashed(request * 4 + other) for request, other, _ in part]),
                requests=b"".join([hashed(request) for request, _, _ in part]),
                names=tuple([(f"tool: {tool}",) for _, _, tool in part]),
            ),
        )
        for start in range(0, len(rows), 7) if (part := rows[start : start + 7])
    ]  # fmt: skip
    recipe = msgspec.structs.replace(SHIPPED, rows=max(1, len(rows)), dedup=Dedup(), max_share=(("tool", share),))
    removed = removed_rows(recipe, lambda: iter(records))
    stay: list[int] = []
    for at, (request, other, tool) in enumerate(rows):
        same = next((there for there in stay if rows[there][:2] == (request, other)), None)
        said = next((there for there in stay if rows[there][0] == request), None)
        most = math.ceil(Fraction(str(share)) * (len(stay) + 1))
        if same is not None or said is not None:
            assert removed[at] == Removed(
                at, "row" if same is not None else "request", same if same is not None else said
            )
        elif sum(rows[there][2] == tool for there in stay) + 1 > most:
            assert removed[at] == Removed(at, f"tool: {tool}")
        else:
            assert at not in removed
            stay.append(at)


@given(
    st.lists(st.sets(st.sampled_from(["tool: a", "tool: b", "tag: x", "tag: y"])), max_size=80),
    st.sampled_from([0.25, 0.3, 0.7, 1.0]),
)
def test_no_beginning_of_a_data_set_passes_a_share_and_no_row_is_removed_without_need(
    rows: list[set[str]], share: float
):
    shares, counts, kept = Shares([("tool", share), ("tag", 1.0)]), Counter[str](), 0
    for row in rows:
        names = sorted(row)
        most = math.ceil(Fraction(str(share)) * (kept + 1))
        full = [name for name in names if name.startswith("tool") and counts[name] + 1 > most]
        assert shares.find(names) == (full[0] if full else None)
        if not full:
            kept += 1
            counts.update(names)


@night
def test_the_same_rows_are_removed_however_they_are_made(tmp_path: Path):
    recipe = recipe_of(tmp_path, "dedup: {}\nmax_share: {tool: 0.8, scenario: 0.55}\n")
    run(recipe, tmp_path / "a", how=RunOptions(block_rows=BLOCK))
    run(recipe, tmp_path / "b", how=RunOptions(block_rows=33, executor="processes", workers=2))
    for index in (1, 0, 2):
        make_shard(recipe, tmp_path / "c", Shard(index, 3), how=RunOptions(block_rows=BLOCK))
    plan = plan_of_shards(tmp_path / "c")
    assert plan is not None
    merge(recipe, plan, tmp_path / "c", settings_of(tmp_path / "c", plan).layout)
    made = told(files(tmp_path / "a"))
    assert told(files(tmp_path / "b")) == told(files(tmp_path / "c")) == made
    said = requests(tmp_path / "a")
    assert len({text.casefold() for text in said}) == len(said)
    removed = [line for line in lines(tmp_path / "a/rejected.jsonl") if "removed" in line]
    assert len(said) + len(removed) == ROWS
    assert not {line["like"] for line in removed if "like" in line} & {line["index"] for line in removed}
    manifest = read_manifest(tmp_path / "a")
    assert manifest is not None
    told_of = manifest.tally.removed
    assert {**told_of["dedup"], **told_of["max_share"]} == {
        "row": 0,
        "request": 0,
        **Counter(line["removed"] for line in removed),
    }
    assert {"request", "scenario: single"} <= {line["removed"] for line in removed}
    plain = recipe_of(tmp_path, "")
    run(plain, tmp_path / "all", how=RunOptions(block_rows=BLOCK))
    everything = requests(tmp_path / "all")
    alike = [line for line in removed if line["removed"] == "request"]
    assert alike
    assert all(
        everything[line["index"]].casefold() == everything[line["like"]].casefold() and line["like"] < line["index"]
        for line in alike
    )
    assert said == [text for at, text in enumerate(everything) if at not in {line["index"] for line in removed}]


def test_rows_are_found_where_others_are_removed(tmp_path: Path, monkeypatch, capsys):
    recipe_of(tmp_path, "dedup: {}\n")
    cli = command(monkeypatch, capsys)
    seen = cli("run", tmp_path / "r.yaml", "--out", tmp_path / "out", "--workers", 1, "--shard-rows", 100)
    assert seen.code == 0
    assert "the same request as an earlier one" in seen.out
    assert "removed because of | rows" in (tmp_path / "out/README.md").read_text()
    for name in ("openai-00000.jsonl", "openai-00001.jsonl"):
        records, seen = lines(tmp_path / "out" / name), cli("show", tmp_path / "out" / name, "--index", 20)
        said = next(m["content"] for m in records[20]["messages"] if m["role"] == "user")
        assert said.split()[0] in seen.out
        assert "←" in seen.out, "the proof of another row"
    assert cli("verify", tmp_path / "out", "--recipe", tmp_path / "r.yaml").code == 0
    again = cli("run", tmp_path / "r.yaml", "--out", tmp_path / "out", "--shard-rows", 100)
    assert "finished already" in again.out
    longer = cli("run", tmp_path / "r.yaml", "--out", tmp_path / "out", "--shard-rows", 100, "--rows", 300)
    assert (longer.code, "with `dedup` or `max_share` it cannot be made longer" in longer.err) == (2, True)


def test_a_run_that_ends_while_rows_are_removed_goes_on(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    recipe = recipe_of(tmp_path, "dedup: {}\n")
    run(recipe, tmp_path / "whole", how=RunOptions(block_rows=BLOCK))
    make, again = engine.Serial.run, []

    def stop(self, job, blocks):
        for record in make(self, job, blocks):
            yield record
            again.append(record)
            if len([record for record in again if record.without]) == 3:
                raise KeyboardInterrupt

    monkeypatch.setattr(engine.Serial, "run", stop)
    with pytest.raises(KeyboardInterrupt):
        run(recipe, tmp_path / "out", how=RunOptions(block_rows=BLOCK))
    monkeypatch.setattr(engine.Serial, "run", make)
    assert run(recipe, tmp_path / "out", how=RunOptions(block_rows=BLOCK)).made == 0
    assert told(files(tmp_path / "out")) == told(files(tmp_path / "whole"))


def test_near_requests_are_removed_and_no_others(tmp_path: Path):
    pytest.importorskip("rensa", reason="rensa is not installed: pip install -r tests/clusters.txt")
    from generator.run.engine.passes.decide import likeness, shingles_of

    run(
        recipe_of(tmp_path, "dedup: {requests: false, near: 0.7}\n"),
        tmp_path / "near",
        how=RunOptions(block_rows=BLOCK),
    )
    run(recipe_of(tmp_path, ""), tmp_path / "all", how=RunOptions(block_rows=BLOCK))
    texts = [shingles_of(text) for text in requests(tmp_path / "all")]
    stay: list[int] = []
    for at, shingles in enumerate(texts):
        if all(likeness(shingles, texts[other]) < 0.7 for other in stay):
            stay.append(at)
    removed = [line for line in lines(tmp_path / "near/rejected.jsonl") if "removed" in line]
    assert {at for at in range(ROWS) if at not in stay} == {line["index"] for line in removed}
    assert "near request" in {line["removed"] for line in removed}
    assert all(likeness(texts[line["index"]], texts[line["like"]]) >= 0.7 for line in removed)


def test_rows_in_which_nobody_says_anything_are_not_near_one_another():
    """Documents, for one."""
    pytest.importorskip("rensa")
    from generator.run.engine.passes.decide import NearRows

    found = NearRows(0.7)
    for index, (text, like) in enumerate(
        [("", None), ("", None), ("go to the shop", None), ("…", None), ("go to the shop", 2)]
    ):
        assert found.find(text) == like
        if like is None:
            found.keep(index, text)


def test_near_has_a_limit(tmp_path: Path):
    recipe = recipe_of(tmp_path, "dedup: {near: 0.8}\n", rows=5_000_001)
    with pytest.raises(
        RecipeError, match=r"r\.yaml:7: dedup\.near: 5,000,001 rows are too many, 5,000,000 are the most"
    ):
        run(recipe, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize(
    ("more", "words"),
    [
        ("dedup: {near: 0.2}\n", r"r\.yaml:7: dedup\.near"),
        ("dedup: {rows: false, requests: false}\n", r"r\.yaml:7: dedup: removes nothing"),
        ("max_share: {}\n", r"r\.yaml:7: max_share: at least 1 entry"),
        ("max_share: {tag: 1.0e-300}\n", r"r\.yaml:7: max_share\.tag: at least 0\.0001"),
        ("dedup: {}\nunique: calls\n", r"r\.yaml:7: dedup: .*`unique`"),
        ("coverage: pairwise\nmax_share: {tool: 0.5}\n", r"r\.yaml:8: max_share: .*coverage"),
        ("dedup: {}\nscenarios: [single]\ntwins: true\n", r"r\.yaml:\d+: dedup: .*twins"),
        ("max_share: {tools: 0.5}\n", r"r\.yaml:7: max_share"),
        ("max_share: {scenario: 0.4}\n", r"r\.yaml:7: max_share\.scenario: 2 scenarios of at most 0\.4"),
    ],
)
def test_what_cannot_be_is_told(tmp_path: Path, more: str, words: str):
    with pytest.raises(RecipeError, match=words):
        recipe_of(tmp_path, more)


def test_shares_of_tools_that_are_not_all_rows_together_are_told(tmp_path: Path):
    recipe = recipe_of(tmp_path, "max_share: {tool: 0.4}\n")
    with pytest.raises(RecipeError, match=r"r\.yaml:7: max_share\.tool: 2 tools in at most 0\.4 of the rows each"):
        run(recipe, tmp_path / "out")


def test_near_says_what_it_needs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("generator.run.engine.passes.decide.find_spec", lambda name: None)
    with pytest.raises(
        RecipeError, match=r"r\.yaml:7: dedup\.near: needs the package rensa: pip install 'rensa[<>=,.\d]+'"
    ):
        run(recipe_of(tmp_path, "dedup: {near: 0.8}\n"), tmp_path / "out")
