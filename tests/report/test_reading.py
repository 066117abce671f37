"""What a report reads: folders of runs and files of any of our shapes, each row with its own proof."""

import gzip
import json
from pathlib import Path

import msgspec
import pytest
from hostile_rows import hostile_rows
from made_rows import TOKEN, made_row, recipe, write_rows
from measured import weather, write
from nightly import one_in

from generator.core.conversation import FileSequence
from generator.core.errors import CannotCarryError, OutputError
from generator.formats import FORMATS
from generator.formats.sinks import encode_line
from generator.report import Report, files_to_measure, measure_files, sample
from generator.report.measure import measure_rows, rows_of
from generator.report.page import noted, page, sections_of


def read(path: Path, format_name: str | None = None) -> Report:
    return measure_files("it", files_to_measure(path, format_name))


def proofs_of(path: Path) -> list[int | None]:
    """The index that each row's proof says."""
    rows = rows_of(files_to_measure(path), lambda number: True)
    return [row.proof.index if row.proof else None for row in rows if row is not None and row.parsed is not None]


@pytest.fixture(scope="module")
def split(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run with splits and shards in which one format cannot carry every third row."""
    out = tmp_path_factory.mktemp("split")
    made = [made_row(index, TOKEN if index % 3 == 0 else "Ada") for index in range(20)]
    plan = msgspec.structs.replace(recipe(20, "openchatml", "deepfabric"), splits=(("train", 0.7), ("test", 0.3)))
    write_rows(plan, made, out, shard_rows=8, packing="zstd")
    return out


class TestFolders:
    def test_all_splits_and_shards_with_their_proofs(self, split: Path):
        report = read(split)
        assert (report.rows, report.measured) == (20, 20)
        assert report.figures["sources.proven"] == 100
        assert sorted(index for index in proofs_of(split) if index is not None) == list(range(20))

    def test_rows_that_the_format_could_not_carry_are_passed_over(self, split: Path):
        files = sorted(split.glob("openchatml*"))
        found = [index for file in files for index in proofs_of(file)]
        assert sorted(index for index in found if index is not None) == [index for index in range(20) if index % 3]

    def test_an_empty_folder(self, tmp_path: Path):
        (tmp_path / "other.jsonl").write_text("{}\n")
        with pytest.raises(
            OutputError, match=r"no JSON Lines file named after a format .*name one of its files \(other\.jsonl\)"
        ):
            files_to_measure(tmp_path)


class TestFiles:
    @pytest.mark.parametrize("name", one_in(3, FORMATS))
    def test_every_format_is_read_whatever_its_rows_hold(self, tmp_path: Path, name: str):
        rows = []
        for conversation in hostile_rows()[:20]:
            try:
                FORMATS[name].render(conversation)
            except CannotCarryError:
                continue
            rows.append(conversation)
        path, entries = write(tmp_path / "anything.jsonl", rows, name), []
        read_rows = rows_of(files_to_measure(path, name), lambda _: True)
        report = measure_rows("it", noted(read_rows, entries, raw=True))
        assert (report.rows, report.measured, report.unreadable) == (len(rows), len(rows), 0)
        assert page("it", ["it"], entries, sections_of([report])).count('"messages":[{') == len(rows)

    @pytest.mark.parametrize("name", ["openai", "sharegpt", "anthropic", "gemini", "hermes"])
    def test_the_format_is_told_from_the_rows(self, tmp_path: Path, name: str):
        path = write(tmp_path / "anything.jsonl", [weather("Oslo?", "Oslo")], name)
        assert read(path).figures["tools.called"] == 1

    def test_a_json_list_and_packed_lines(self, tmp_path: Path):
        lines = write(tmp_path / "rows.jsonl", [weather("Oslo?", "Oslo")] * 3).read_bytes()
        (tmp_path / "rows.json").write_text(json.dumps([json.loads(line) for line in lines.splitlines()], indent=1))
        (tmp_path / "rows.jsonl.gz").write_bytes(gzip.compress(lines))
        assert [read(tmp_path / name).measured for name in ("rows.json", "rows.jsonl.gz")] == [3, 3]

    def test_rows_that_cannot_be_read_are_counted_and_named(self, tmp_path: Path):
        good = write(tmp_path / "rows.jsonl", [weather("Oslo?", "Oslo")]).read_bytes()
        deep = b'{"messages":' + b"[" * 3000 + b"]" * 3000 + b"}\n"
        (tmp_path / "rows.jsonl").write_bytes(b"no\n" + good + b"\n[1]\n" + deep + good)
        report = read(tmp_path / "rows.jsonl")
        assert (report.rows, report.measured, report.unreadable) == (6, 2, 4)
        assert [number for number, _ in report.unread] == [0, 2, 3, 4]

    def test_documents_are_counted_apart(self, tmp_path: Path):
        path = write(tmp_path / "rows.jsonl", [weather("Oslo?", "Oslo")], "openchatml")
        path.write_bytes(
            path.read_bytes() + encode_line(FORMATS["openchatml"].write_document(FileSequence(files=("a = 1\n",))))
        )
        report = read(path)
        assert (report.measured, report.documents, report.figures["kinds.turns"]) == (2, 1, 1)

    def test_a_proof_of_another_conversation_is_not_believed(self, tmp_path: Path):
        write_rows(recipe(2), [made_row(index) for index in range(2)], tmp_path)
        path = tmp_path / "deepfabric.jsonl"
        path.write_bytes(b"".join(reversed(path.read_bytes().splitlines(keepends=True))))
        assert read(path).figures["sources.proven"] == 0


class TestSamples:
    @pytest.mark.parametrize("rows", [0, 1, 99, 100, 101, 5000, 123_456])
    def test_about_as_many_as_asked_for_from_everywhere(self, rows: int):
        chosen = list(sample(rows, 100))
        assert abs(len(chosen) - min(rows, 100)) <= 2
        if rows > 1000:
            gaps = [after - before for before, after in zip([0, *chosen], [*chosen, rows], strict=True)]
            assert max(gaps) < 4 * rows / 100

    def test_only_those_are_looked_at(self, tmp_path: Path):
        path = write(tmp_path / "rows.jsonl", [weather(f"{n}?", str(n)) for n in range(50)])
        report = measure_rows("it", rows_of(files_to_measure(path), [7, 30].__contains__))
        assert (report.rows, report.measured, report.sampled) == (50, 2, True)
