"""Going on: with an unfinished run, a finished one, a torn one, a longer one, and never with another one."""

import json
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
from made_rows import how_to, made_row, recipe, rows_are, write_rows
from nightly import some_of
from tiny_run import tiny_recipe

from generator.core.errors import OutputError, PlanError, RowError, SpecError
from generator.formats.run_folder.files import Layout
from generator.formats.sinks import PACKINGS, reading
from generator.recipe import Recipe, ToolFile
from generator.run.engine.blocks import BlockRecord, encode_record
from generator.run.engine.progress import Event, RunFinished, RunStarted, RunStopped
from generator.run.engine.run import RunOptions, run
from generator.run.row import MadeRow

ROWS, BLOCK = 7, 2


class Rows:
    """Makes rows, notes which, and stops at one of them."""

    def __init__(self) -> None:
        self.made: list[int] = []
        self.stop_at = -1
        self.error: BaseException = KeyboardInterrupt()

    def __call__(self, index: int) -> MadeRow:
        if index == self.stop_at:
            raise self.error
        self.made.append(index)
        return made_row(index, rejected=index % 2)


def data(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "manifest.json"
    }


def unfinished(out: Path, stop_at: int = 5, wanted: Recipe | None = None) -> None:
    """A run that was interrupted at a row."""
    rows = Rows()
    rows.stop_at = stop_at
    with rows_are(rows), pytest.raises(KeyboardInterrupt):
        run(wanted or recipe(ROWS), out, how=RunOptions(block_rows=BLOCK))


def go_on(out: Path, wanted: Recipe | None = None, **how: object) -> tuple[RunFinished, list[int], list[Event]]:
    """Run again; the end, the rows that were made, and what was told."""
    rows, events = Rows(), []
    with rows_are(rows):
        finished = run(wanted or recipe(ROWS), out, events.append, how_to(block_rows=BLOCK, **how))  # type: ignore[arg-type]
    return finished, rows.made, events


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> Callable[[int], dict[str, bytes]]:
    """Files of a run that nothing happened to, by its number of rows."""

    def files(count: int) -> dict[str, bytes]:
        out = tmp_path_factory.mktemp("undisturbed")
        go_on(out, recipe(count))
        return data(out)

    return files


class TestUnfinished:
    @pytest.mark.parametrize("stop_at", range(BLOCK, ROWS))
    def test_the_same_bytes_and_no_block_twice(self, tmp_path: Path, undisturbed: Callable, stop_at: int):
        unfinished(tmp_path, stop_at)
        assert [path.name for path in tmp_path.iterdir()] == [".parts"]
        there = stop_at - stop_at % BLOCK
        finished, made, events = go_on(tmp_path)
        assert made == list(range(there, ROWS))
        assert data(tmp_path) == undisturbed(ROWS)
        assert isinstance(events[0], RunStarted)
        assert events[0].there == there
        assert (finished.tally.rows, finished.made) == (ROWS, ROWS - there)
        assert finished.tally.rejected == {"DF201": ROWS // 2}
        assert not (tmp_path / ".parts").exists()

    def test_stopping_tells_what_is_kept(self, tmp_path: Path):
        events: list[Event] = []
        rows = Rows()
        rows.stop_at = 5
        with rows_are(rows), pytest.raises(KeyboardInterrupt):
            run(recipe(ROWS), tmp_path, events.append, RunOptions(block_rows=BLOCK))
        assert events[-1] == RunStopped(tmp_path, 4, ROWS)

    def test_nothing_is_kept_of_nothing(self, tmp_path: Path):
        unfinished(tmp_path / "out", 1)
        assert list(tmp_path.iterdir()) == []

    def test_a_row_that_cannot_be_made_loses_no_others(self, tmp_path: Path, undisturbed: Callable):
        rows = Rows()
        rows.stop_at, rows.error = 5, RowError("row 5: no luck")
        with rows_are(rows), pytest.raises(RowError, match="no luck"):
            run(recipe(ROWS), tmp_path, how=RunOptions(block_rows=BLOCK))
        assert go_on(tmp_path)[1] == [4, 5]  # its block
        assert data(tmp_path) == undisturbed(ROWS)

    def test_again_and_again(self, tmp_path: Path, undisturbed: Callable):
        for stop_at in (2, 3, 5, 6):
            unfinished(tmp_path, stop_at)
        go_on(tmp_path)
        assert data(tmp_path) == undisturbed(ROWS)

    def test_with_more_rows(self, tmp_path: Path, undisturbed: Callable):
        unfinished(tmp_path)
        assert go_on(tmp_path, recipe(10))[1] == [4, 5, 6, 7, 8, 9]
        assert data(tmp_path) == undisturbed(10)

    def test_a_last_block_that_is_longer_now_is_made_again(self, tmp_path: Path, undisturbed: Callable):
        unfinished(tmp_path, 2, recipe(3))
        (record,) = (tmp_path / ".parts").glob("0*.json")
        shutil.copytree(tmp_path / ".parts", tmp_path / "saved")
        go_on(tmp_path, recipe(3))
        assert go_on(tmp_path, recipe(4))[1] == [3]
        assert data(tmp_path) == undisturbed(4)
        assert record.stem == "0" * 12

    def test_over_foreign_things_in_the_parts_folder(self, tmp_path: Path, undisturbed: Callable):
        unfinished(tmp_path)
        parts = tmp_path / ".parts"
        for name in ("000000000001.json", "000000000099.part", ".run.json.77.tmp", "pools", "manifest.json"):
            (parts / name).write_bytes(b"{}")
        (parts / "final").mkdir()
        (parts / "final" / "deepfabric.jsonl").write_bytes(b"torn")
        go_on(tmp_path)
        assert data(tmp_path) == undisturbed(ROWS)


class TestSomebodyElsesFiles:
    """A run never removes what it did not write, and never writes through a link."""

    @pytest.mark.parametrize("overwrite", [False, True])
    @pytest.mark.parametrize("name", [".parts", ".parts/final"])
    def test_a_link_in_place_of_a_working_folder_is_refused(self, tmp_path: Path, name: str, overwrite: bool):
        elsewhere, out = tmp_path / "elsewhere", tmp_path / "out"
        elsewhere.mkdir()
        for file in ("keep", "000000000000.part", "run.json", "deepfabric.jsonl"):
            (elsewhere / file).write_text("mine")
        (out / name).parent.mkdir(parents=True)
        (out / name).symlink_to(elsewhere)
        with pytest.raises(OutputError, match=rf"{name}: a run keeps a folder there, and this is a link"):
            go_on(out, overwrite=overwrite)
        assert {path.read_text() for path in elsewhere.iterdir()} == {"mine"}
        assert len(list(elsewhere.iterdir())) == 4

    @pytest.mark.parametrize(
        "name", ["run.json", "manifest.json", "pools", "000000000002.part", "final/deepfabric.jsonl", ".run.json.1.tmp"]
    )
    @pytest.mark.parametrize("kind", ["link", "pipe"])
    def test_a_link_or_a_pipe_in_place_of_a_working_file_is_refused(self, tmp_path: Path, name: str, kind: str):
        mine, out = tmp_path / "mine", tmp_path / "out"
        mine.write_text("mine")
        unfinished(out)
        path = out / ".parts" / name
        path.parent.mkdir(exist_ok=True)
        path.unlink(missing_ok=True)
        path.symlink_to(mine) if kind == "link" else os.mkfifo(path)
        with pytest.raises(OutputError, match=r"a run keeps a file there, and this is"):
            go_on(out)
        assert mine.read_text() == "mine"

    def test_other_files_in_the_working_folder_stay(self, tmp_path: Path, undisturbed: Callable):
        unfinished(tmp_path)
        foreign = [tmp_path / ".parts" / name for name in ("thesis.txt", "1.json", "papers/one", "final/two.txt")]
        for path in foreign:
            path.parent.mkdir(exist_ok=True)
            path.write_text("mine")
        go_on(tmp_path)
        assert data(tmp_path) == undisturbed(ROWS)
        assert [path.read_text() for path in foreign] == ["mine"] * 4
        assert sum(path.is_file() for path in (tmp_path / ".parts").rglob("*")) == 4

    @pytest.mark.parametrize("name", ["thesis.txt", "qwen.jsonl", "manifest.json.old"])
    def test_a_manifest_does_not_make_somebodys_file_one_of_the_run(self, tmp_path: Path, name: str):
        go_on(tmp_path)
        (tmp_path / name).write_text("mine")
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        manifest["files"][name] = {"rows": 1, "bytes": 4, "sha256": "0" * 64}
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        go_on(tmp_path, overwrite=True)
        assert (tmp_path / name).read_text() == "mine"

    def test_a_link_with_a_files_name_is_not_replaced(self, tmp_path: Path):
        (tmp_path / "deepfabric.jsonl").symlink_to(tmp_path / "nowhere")
        with pytest.raises(OutputError, match=r"holds deepfabric\.jsonl, but no manifest"):
            go_on(tmp_path)


class TestTorn:
    """Whatever a crash leaves of the ledger, only whole blocks count."""

    @some_of(2, "name", ["run.json", "000000000002.json", "000000000002.part"])
    def test_cut_off_at_any_byte(self, tmp_path: Path, undisturbed: Callable, name: str):
        unfinished(tmp_path / "torn", wanted=recipe(6))
        expected = undisturbed(6)
        whole = (tmp_path / "torn" / ".parts" / name).read_bytes()
        for end in range(0, len(whole), max(1, len(whole) // 12)):
            out = tmp_path / f"at{end}"
            shutil.copytree(tmp_path / "torn", out)
            (out / ".parts" / name).write_bytes(whole[:end])
            _, made, _ = go_on(out, recipe(6))
            assert made == ([4, 5] if name == "run.json" else [2, 3, 4, 5])
            assert data(out) == expected
            shutil.rmtree(out)

    def test_a_record_without_its_rows(self, tmp_path: Path, undisturbed: Callable):
        unfinished(tmp_path)
        (tmp_path / ".parts" / "000000000000.part").unlink()
        assert go_on(tmp_path)[1] == [0, 1, 4, 5, 6]
        assert data(tmp_path) == undisturbed(ROWS)

    def test_rows_without_their_record(self, tmp_path: Path, undisturbed: Callable):
        unfinished(tmp_path)
        (tmp_path / ".parts" / "000000000000.json").unlink()
        assert go_on(tmp_path)[1] == [0, 1, 4, 5, 6]
        assert data(tmp_path) == undisturbed(ROWS)

    def test_a_bit_that_is_not_as_it_was(self, tmp_path: Path, undisturbed: Callable):
        unfinished(tmp_path)
        part = tmp_path / ".parts" / "000000000000.part"
        part.write_bytes(part.read_bytes().replace(b"Ada", b"Bda", 1))
        assert go_on(tmp_path)[1] == [0, 1, 4, 5, 6]
        assert data(tmp_path) == undisturbed(ROWS)


class TestNonsense:
    """Whatever somebody wrote into the ledger is made again or refused in one message."""

    @pytest.mark.parametrize(
        "changes",
        [
            {"block_rows": 0},
            {"block_rows": -2},
            {"block_rows": None},
            {"rows": 0},
            {"rows": 1.5},
            {"replaces": ["../precious"]},
            {"replaces": ["/precious"]},
            {"kept": {"rows": -1}},
        ],
    )
    def test_a_plan_that_cannot_be(self, tmp_path: Path, undisturbed: Callable, changes: dict):
        (tmp_path / "precious").write_text("kept")
        unfinished(tmp_path / "out")
        path = tmp_path / "out" / ".parts" / "run.json"
        path.write_text(json.dumps(json.loads(path.read_text()) | changes))
        assert go_on(tmp_path / "out")[1] == [4, 5, 6]
        assert data(tmp_path / "out") == undisturbed(ROWS)
        assert (tmp_path / "precious").read_text() == "kept"

    def test_a_plan_that_extends_a_run_of_other_files(self, tmp_path: Path):
        go_on(tmp_path)
        unfinished(tmp_path, 10, recipe(12))
        path = tmp_path / ".parts" / "run.json"
        plan = json.loads(path.read_text())
        plan["kept"]["files"]["other.jsonl"] = plan["kept"]["files"].pop("proofs.jsonl")
        path.write_text(json.dumps(plan))
        with pytest.raises(OutputError, match=r"run\.json: the run it extends has other files; remove .*\.parts"):
            go_on(tmp_path, recipe(12))

    def test_a_record_of_a_file_that_is_not_written(self, tmp_path: Path):
        unfinished(tmp_path)
        path = tmp_path / ".parts" / "000000000000.json"
        text = path.read_text().splitlines()[0].replace("proofs.jsonl", "../proofs")
        path.write_bytes(encode_record(msgspec.json.decode(text, type=BlockRecord)))
        with pytest.raises(
            OutputError, match=r"000000000000\.json: names '\.\./proofs', which this run does not write; remove"
        ):
            go_on(tmp_path)

    @pytest.mark.parametrize("name", ["../deepfabric.jsonl", "/deepfabric.jsonl", ""])
    def test_an_assembled_manifest_that_leads_elsewhere_is_not_obeyed(
        self, tmp_path: Path, undisturbed: Callable, name: str
    ):
        unfinished(tmp_path / "out")
        manifest = {
            "name": "r",
            "recipe_sha256": "",
            "rows": 7,
            "made_from": {},
            "tally": {},
            "cpu_seconds": 1,
            "wall_seconds": 1,
        }
        files = {name: {"rows": 7, "bytes": 0, "sha256": ""}}
        (tmp_path / "out" / ".parts" / "manifest.json").write_text(json.dumps(manifest | {"files": files}))
        assert go_on(tmp_path / "out")[1] == [4, 5, 6]
        assert data(tmp_path / "out") == undisturbed(ROWS)


class TestFinished:
    def test_is_not_made_again(self, tmp_path: Path):
        go_on(tmp_path)
        before = {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()}
        finished, made, events = go_on(tmp_path)
        assert (made, finished.made, finished.tally.rows) == ([], 0, ROWS)
        assert events == [finished]
        assert {path.name: path.stat().st_mtime_ns for path in tmp_path.iterdir()} == before

    @pytest.mark.parametrize("count", [8, 9, 20])
    def test_more_rows_are_added(self, tmp_path: Path, undisturbed: Callable, count: int):
        go_on(tmp_path)
        finished, made, _ = go_on(tmp_path, recipe(count))
        assert made == list(range(ROWS, count))
        assert data(tmp_path) == undisturbed(count)
        assert (finished.tally.rows, finished.made, finished.rows_in("deepfabric")) == (count, count - ROWS, count)

    def test_adding_can_be_interrupted(self, tmp_path: Path, undisturbed: Callable):
        go_on(tmp_path)
        unfinished(tmp_path, 10, recipe(12))
        assert data(tmp_path) == undisturbed(ROWS)
        assert go_on(tmp_path, recipe(12))[1] == [10, 11]
        assert data(tmp_path) == undisturbed(12)

    @pytest.mark.parametrize("packing", PACKINGS)
    def test_more_rows_are_added_to_packed_files(self, tmp_path: Path, undisturbed: Callable, packing: str):
        go_on(tmp_path, packing=packing)
        go_on(tmp_path, recipe(12), packing=packing)
        unpacked = {}
        for path in tmp_path.glob("*.jsonl.*"):
            with reading(path) as file:
                unpacked[path.stem] = file.read()
        plain = undisturbed(12)
        assert unpacked == {name: plain[name] for name in plain if name.endswith(".jsonl")}
        assert len(unpacked) == 3

    def test_comments_and_names_do_not_count(self, tmp_path: Path):
        go_on(tmp_path)
        other = msgspec.structs.replace(recipe(ROWS), text="# said otherwise", path=Path("elsewhere.yaml"))
        assert go_on(tmp_path, other)[1] == []


class TestAnother:
    @pytest.mark.parametrize("stopped", [True, False])
    @pytest.mark.parametrize(
        ("changes", "words"),
        [
            ({"seed": 1}, "seed: 0 before, 1 now"),
            ({"calls": (2, 5)}, r"calls: \[2, 2\] before, \[2, 5\] now"),
            ({"formats": ("openai",)}, r'formats: \["deepfabric"\] before, \["openai"\] now'),
            ({"splits": (("a", 1.0),)}, "splits: "),
            ({"rows": 6}, r"finished run of 7 rows, 6 are asked for \(a run can only be made longer\)\nIts first 6"),
            ({"rows": 6, "seed": 1}, "made from something else:\n  seed: 0 before, 1 now\n"),
        ],
    )
    def test_is_refused(self, tmp_path: Path, changes: dict, words: str, stopped: bool):
        (unfinished if stopped else go_on)(tmp_path)
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        with pytest.raises(OutputError, match=words) as refusal:
            go_on(tmp_path, msgspec.structs.replace(recipe(ROWS), **changes))
        assert "--overwrite" in str(refusal.value)
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before

    def test_versions_and_tools_count(self, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
        tools = tmp_path / "t.yaml"
        tools.write_text("[]")
        wanted = msgspec.structs.replace(recipe(ROWS), path=tmp_path / "r.yaml", tools=(ToolFile(file=tools),))
        go_on(tmp_path / "out", wanted)
        monkeypatch.setattr("generator.run.engine.blocks.version", lambda name: f"{name}-9")
        tools.write_text("[1]")
        with pytest.raises(OutputError) as refusal:
            go_on(tmp_path / "out", wanted)
        assert "tools.1. t.yaml: its content\n" in str(refusal.value)
        for package in ("hypothesis", "faker", "jsonschema-rs", "jsonschema", "orjson", "msgspec"):
            assert f'versions.{package}: "' in str(refusal.value)
            assert f'" before, "{package}-9" now' in str(refusal.value)

    def test_tools_that_change_while_the_run_begins(self, tmp_path: Path):
        tools = tmp_path / "t.yaml"
        tools.write_text("[]")
        wanted = msgspec.structs.replace(recipe(1), path=tmp_path / "r.yaml", tools=(ToolFile(file=tools),))
        with rows_are(Rows()), pytest.MonkeyPatch.context() as patch:
            patch.setattr("generator.run.engine.blocks.prepare_usable", lambda *_: tools.write_text("[1]"))
            with pytest.raises(OutputError, match=r"changed while the run went on:\ntools\.1\. t\.yaml: its content"):
                run(wanted, tmp_path / "out")
        assert not (tmp_path / "out").exists()

    @pytest.mark.parametrize("stopped", [True, False])
    def test_is_made_with_overwrite(self, tmp_path: Path, stopped: bool):
        (unfinished if stopped else go_on)(tmp_path / "a", wanted=recipe(ROWS, "deepfabric", "openai"))
        other = msgspec.structs.replace(recipe(5), seed=3)
        go_on(tmp_path / "a", other, overwrite=True)
        go_on(tmp_path / "b", other)
        assert data(tmp_path / "a") == data(tmp_path / "b")

    def test_overwriting_with_what_cannot_work_loses_nothing(self, tmp_path: Path, undisturbed: Callable):
        unfinished(tmp_path)
        other = msgspec.structs.replace(recipe(5), seed=3)
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(
                "generator.run.engine.blocks.prepare_usable", lambda *_: (_ for _ in ()).throw(PlanError("no links"))
            )
            with pytest.raises(PlanError):
                run(other, tmp_path, how=RunOptions(block_rows=BLOCK, overwrite=True))
        assert go_on(tmp_path)[1] == [4, 5, 6]
        assert data(tmp_path) == undisturbed(ROWS)

    def test_overwriting_keeps_the_old_until_the_new_is_whole(self, tmp_path: Path, undisturbed: Callable):
        go_on(tmp_path)
        rows = Rows()
        rows.stop_at = 3
        other = msgspec.structs.replace(recipe(5), seed=3)
        with rows_are(rows), pytest.raises(KeyboardInterrupt):
            run(other, tmp_path, how=RunOptions(block_rows=BLOCK, overwrite=True))
        assert data(tmp_path) == undisturbed(ROWS)
        assert go_on(tmp_path, other)[1] == [2, 3, 4]

    def test_what_a_run_reads_is_not_overwritten(self, tmp_path: Path):
        go_on(tmp_path)
        before = data(tmp_path)
        layout = Layout(against=(tmp_path / "deepfabric.jsonl",))
        with (
            rows_are(Rows()),
            pytest.raises(OutputError, match=r"deepfabric\.jsonl: is read by this run, which would write over it"),
        ):
            run(recipe(5), tmp_path, how=RunOptions(layout=layout, overwrite=True))
        assert data(tmp_path) == before

    def test_overwrite_makes_a_finished_run_anew_and_goes_on_with_an_unfinished_one(self, tmp_path: Path):
        unfinished(tmp_path)
        assert go_on(tmp_path, overwrite=True)[1] == [4, 5, 6]
        assert go_on(tmp_path, overwrite=True)[1] == list(range(ROWS))


class TestManifestThatDoesNotFit:
    def test_the_page_of_an_earlier_version_goes_with_its_run(self, tmp_path: Path):
        go_on(tmp_path)
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        manifest["files"]["report.html"] = manifest["files"].pop("index.html")
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        (tmp_path / "index.html").rename(tmp_path / "report.html")
        with pytest.raises(OutputError, match="--overwrite"):
            go_on(tmp_path)
        go_on(tmp_path, overwrite=True)
        assert {"index.html", "report.html"}.intersection(data(tmp_path)) == {"index.html"}

    @pytest.mark.parametrize("text", ["", "{", "[]", '{"manifest": 1}', "\xff", '"' * 3])
    def test_not_a_manifest(self, tmp_path: Path, undisturbed: Callable, text: str):
        go_on(tmp_path)
        (tmp_path / "manifest.json").write_bytes(text.encode("latin-1"))
        with pytest.raises(OutputError, match=r"manifest\.json: not a manifest, or cut off"):
            go_on(tmp_path)
        go_on(tmp_path, overwrite=True)
        assert data(tmp_path) == undisturbed(ROWS)

    @pytest.mark.parametrize("name", ["../deepfabric.jsonl", "/etc/passwd", "..", ""])
    def test_names_that_lead_elsewhere(self, tmp_path: Path, name: str):
        go_on(tmp_path)
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        manifest["files"][name] = manifest["files"]["deepfabric.jsonl"]
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(OutputError, match="is no name of a file"):
            go_on(tmp_path)

    def test_a_name_that_is_no_text_is_refused_or_replaced(self, tmp_path: Path, undisturbed: Callable):
        go_on(tmp_path)
        manifest = json.loads((tmp_path / "manifest.json").read_text())
        manifest["files"]["\ud800"] = manifest["files"]["deepfabric.jsonl"]
        (tmp_path / "manifest.json").write_text(json.dumps(manifest))
        with pytest.raises(OutputError, match="not a manifest"):
            go_on(tmp_path)
        go_on(tmp_path, overwrite=True)
        assert data(tmp_path) == undisturbed(ROWS)

    def test_a_file_is_missing_or_has_another_size(self, tmp_path: Path):
        go_on(tmp_path)
        (tmp_path / "proofs.jsonl").unlink()
        with (tmp_path / "deepfabric.jsonl").open("a") as file:
            file.write("more\n")
        for count in (ROWS, 9):
            with pytest.raises(OutputError, match=r"deepfabric\.jsonl has \d+ bytes.*; proofs\.jsonl is missing"):
                go_on(tmp_path, recipe(count))

    def test_a_file_of_another_content_is_not_extended(self, tmp_path: Path):
        go_on(tmp_path)
        path = tmp_path / "deepfabric.jsonl"
        path.write_bytes(path.read_bytes().replace(b"Ada", b"Bda", 1))
        before = {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()}
        events: list[Event] = []
        with (
            rows_are(Rows()),
            pytest.raises(OutputError, match=r"deepfabric\.jsonl: is not what its manifest says\nSo the run"),
        ):
            run(recipe(9), tmp_path, events.append, RunOptions(block_rows=BLOCK))
        assert events == []
        assert {path: path.read_bytes() for path in tmp_path.rglob("*") if path.is_file()} == before
        assert go_on(tmp_path)[1] == []  # it is a finished run as before

    def test_files_that_change_while_a_run_is_extended(self, tmp_path: Path, undisturbed: Callable):
        go_on(tmp_path)
        unfinished(tmp_path, 10, recipe(12))
        path = tmp_path / "deepfabric.jsonl"
        path.write_bytes(path.read_bytes().replace(b"Ada", b"Bda", 1))
        with pytest.raises(OutputError, match=r"deepfabric\.jsonl: is not what its manifest says\nSo the run"):
            go_on(tmp_path, recipe(12))
        go_on(tmp_path, recipe(12), overwrite=True)
        assert data(tmp_path) == undisturbed(12)

    def test_files_without_a_manifest_are_not_replaced(self, tmp_path: Path):
        (tmp_path / "deepfabric.jsonl").write_text("mine")
        with pytest.raises(OutputError, match=r"holds deepfabric\.jsonl, but no manifest\.json"):
            go_on(tmp_path)
        assert data(tmp_path) == {"deepfabric.jsonl": b"mine"}
        go_on(tmp_path, overwrite=True)
        assert len(data(tmp_path)) == 6

    def test_a_readme_that_somebody_wrote_is_never_replaced(self, tmp_path: Path):
        (tmp_path / "README.md").write_text("mine")
        for overwrite in (False, True):
            with pytest.raises(OutputError, match=r"README\.md"):
                go_on(tmp_path, overwrite=overwrite)
        assert data(tmp_path) == {"README.md": b"mine"}


def test_the_helper_of_other_tests_makes_runs(tmp_path: Path):
    assert write_rows(recipe(1), [made_row(0)], tmp_path).made == 1


def test_faults_of_the_tools_are_told_before_the_run_that_is_in_the_way(tmp_path: Path):
    out = tmp_path / "out"
    tiny = tiny_recipe(tmp_path / "tiny", 3)
    run(tiny, out)
    tools = tmp_path / "tiny/tools.yaml"
    tools.write_text(tools.read_text().replace("    returns:", "    phrases: {requst: [Ring it.]}\n    returns:", 1))
    with pytest.raises(SpecError, match=r"tools\.yaml:\d+: .*requst"):
        run(tiny, out)
    tools.write_text(
        tools.read_text().replace("    phrases: {requst: [Ring it.]}\n", "").replace("maximum: 90", "maximum: 80")
    )
    with pytest.raises(OutputError, match="holds a finished run made from something else"):
        run(tiny, out)
