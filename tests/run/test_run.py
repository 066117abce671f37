"""What becomes of rows when they are made: files, counts, events, and nothing when something fails."""

from collections.abc import Iterator
from pathlib import Path

import msgspec
import orjson
import pytest
from made_rows import TOKEN, made_row, recipe

from generator.errors import RowError
from generator.formats import FORMATS
from generator.run.progress import Event, RowsMade
from generator.run.row import MadeRow
from generator.run.run import ProofLine, write_rows


def records(path: Path) -> list[dict]:
    return [orjson.loads(line) for line in path.read_bytes().splitlines()]


class TestFiles:
    def test_every_row_in_every_format_and_in_the_proofs(self, tmp_path: Path):
        made = [made_row(index) for index in range(3)]
        finished = write_rows(recipe(3, *FORMATS), made, tmp_path)
        for name, fmt in FORMATS.items():
            talks = [fmt.parse(record) for record in records(tmp_path / f"{name}.jsonl")]
            assert talks == [fmt.carries(row.row.conversation) for row in made]
        proofs = [
            msgspec.json.decode(line, type=ProofLine) for line in (tmp_path / "proofs.jsonl").read_bytes().splitlines()
        ]
        assert [proof.index for proof in proofs] == [0, 1, 2]
        assert [proof.arguments for proof in proofs] == [row.row.proof.arguments for row in made]
        assert (tmp_path / "rejected.jsonl").read_bytes() == b""
        assert {file.path.name: file.rows for file in finished.files} == {
            "deepfabric.jsonl": 3,
            "openai.jsonl": 3,
            "openchatml.jsonl": 3,
            "proofs.jsonl": 3,
            "rejected.jsonl": 0,
        }
        assert all(file.bytes == file.path.stat().st_size for file in finished.files)

    def test_rejected_attempts_are_told_and_counted(self, tmp_path: Path):
        finished = write_rows(recipe(2), [made_row(0), made_row(1, rejected=2)], tmp_path)
        assert finished.tally.rejected == {"DF201": 2}
        assert finished.tally.scenarios == {"mixed": 2}
        assert records(tmp_path / "rejected.jsonl") == [
            {
                "index": 1,
                "attempt": attempt,
                "violations": [{"rule": "DF201", "path": "$.messages[1]", "message": "is wrong"}],
            }
            for attempt in (0, 1)
        ]

    def test_a_row_that_one_format_cannot_carry_stays_in_the_others(self, tmp_path: Path):
        made = [made_row(0), made_row(1, TOKEN), made_row(2)]
        finished = write_rows(recipe(3, "deepfabric", "openchatml"), made, tmp_path)
        assert finished.rows_in("deepfabric") == 3
        assert finished.rows_in("openchatml") == 2
        ((refused, count),) = finished.tally.refused.items()
        assert (refused[0], count) == ("openchatml", 1)
        assert TOKEN in refused[1]
        (told,) = records(tmp_path / "rejected.jsonl")
        assert (told["index"], told["format"]) == (1, "openchatml")

    def test_the_same_rows_the_same_bytes(self, tmp_path: Path):
        for name in ("a", "b"):
            write_rows(recipe(2, *FORMATS), [made_row(0), made_row(1)], tmp_path / name)
        assert {p.name: p.read_bytes() for p in (tmp_path / "a").iterdir()} == {
            p.name: p.read_bytes() for p in (tmp_path / "b").iterdir()
        }


class TestEvents:
    def test_count_the_rows(self, tmp_path: Path):
        events: list[Event] = []
        write_rows(recipe(3), [made_row(index) for index in range(3)], tmp_path, events.append)
        assert events == [RowsMade(1, 3), RowsMade(2, 3), RowsMade(3, 3)]


class TestFailure:
    @pytest.mark.parametrize("error", [RowError, KeyboardInterrupt])
    def test_a_run_that_stops_leaves_the_folder_as_it_was(self, tmp_path: Path, error: type[BaseException]):
        write_rows(recipe(1), [made_row(0)], tmp_path)
        before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}

        def rows() -> Iterator[MadeRow]:
            yield made_row(5)
            raise error("row 6")

        with pytest.raises(error):
            write_rows(recipe(9, *FORMATS), rows(), tmp_path)
        assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
