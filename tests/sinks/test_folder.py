"""Files of a run: whole under their final name, or not there at all.

Not covered: losing power between two renames.
"""

import json
import resource
from pathlib import Path

import orjson
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.errors import OutputError
from generator.sinks import OutputFolder, encode_line

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


class TestLines:
    @given(record=st.dictionaries(st.text(), json_values, max_size=4))
    def test_one_line_that_reads_back(self, record: dict[str, object]):
        line = encode_line(record)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert json.loads(line) == record

    def test_compact_and_not_escaped(self):
        assert encode_line({"city": "Zürich", "n": [1, 2]}) == '{"city":"Zürich","n":[1,2]}\n'.encode()


class TestCommit:
    def test_files_appear_whole_and_alone(self, tmp_path: Path):
        with OutputFolder(tmp_path / "a" / "b") as folder:
            rows = folder.jsonl("rows.jsonl")
            rows.write({"n": 1})
            assert not (tmp_path / "a" / "b" / "rows.jsonl").exists()
            assert folder.commit() == [tmp_path / "a" / "b" / "rows.jsonl"]
        assert names(tmp_path / "a" / "b") == ["rows.jsonl"]
        assert orjson.loads((tmp_path / "a" / "b" / "rows.jsonl").read_bytes()) == {"n": 1}
        assert (rows.rows, rows.bytes) == (1, 8)

    def test_an_earlier_file_is_replaced(self, tmp_path: Path):
        (tmp_path / "rows.jsonl").write_text("old and longer\n")
        with OutputFolder(tmp_path) as folder:
            folder.jsonl("rows.jsonl").write(1)
            folder.commit()
        assert (tmp_path / "rows.jsonl").read_text() == "1\n"

    def test_a_file_without_records_is_there(self, tmp_path: Path):
        with OutputFolder(tmp_path) as folder:
            folder.jsonl("rejected.jsonl")
            folder.commit()
        assert (tmp_path / "rejected.jsonl").read_bytes() == b""


class TestFailure:
    @pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
    def test_nothing_is_left_and_nothing_is_lost(self, tmp_path: Path, error: type[BaseException]):
        (tmp_path / "rows.jsonl").write_text("old\n")

        def fail():
            with OutputFolder(tmp_path) as folder:
                folder.jsonl("rows.jsonl").write({"n": 1})
                folder.jsonl("proofs.jsonl").write({"n": 1})
                raise error

        with pytest.raises(error):
            fail()
        assert names(tmp_path) == ["rows.jsonl"]
        assert (tmp_path / "rows.jsonl").read_text() == "old\n"

    def test_folders_made_for_nothing_go_away(self, tmp_path: Path):
        def fail():
            with OutputFolder(tmp_path / "a" / "b"):
                raise ValueError

        with pytest.raises(ValueError, match=r"^$"):
            fail()
        assert names(tmp_path) == []

    @pytest.mark.parametrize("below", [".", "inside", "inside/deeper"])
    def test_a_path_that_is_a_file(self, tmp_path: Path, below: str):
        file = tmp_path / "file"
        file.write_text("mine")
        with pytest.raises(OutputError, match=r"file.*is a file, not a folder"), OutputFolder(file / below):
            pass
        assert file.read_text() == "mine"

    def test_a_folder_where_a_file_must_go(self, tmp_path: Path):
        (tmp_path / "rows.jsonl").mkdir()
        with (
            pytest.raises(OutputError, match=r"rows\.jsonl: .*a folder has that name"),
            OutputFolder(tmp_path) as folder,
        ):
            folder.jsonl("rows.jsonl")
        assert names(tmp_path) == ["rows.jsonl"]

    @pytest.mark.parametrize("lines", [1, 10, 100_000])
    def test_a_file_that_may_not_grow(self, tmp_path: Path, lines: int):
        (tmp_path / "rows.jsonl").write_text("old\n")
        limits = resource.getrlimit(resource.RLIMIT_FSIZE)

        def fill():
            with OutputFolder(tmp_path) as folder:
                sink = folder.jsonl("rows.jsonl")
                for _ in range(lines):
                    sink.write("x" * 50)
                folder.commit()

        resource.setrlimit(resource.RLIMIT_FSIZE, (20, limits[1]))
        try:
            with pytest.raises(OutputError, match=r"rows\.jsonl: cannot be written: the disk is full"):
                fill()
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
        assert names(tmp_path) == ["rows.jsonl"]
        assert (tmp_path / "rows.jsonl").read_text() == "old\n"

    def test_two_runs_do_not_share_a_folder(self, tmp_path: Path):
        with OutputFolder(tmp_path) as folder:
            folder.jsonl("rows.jsonl").write(1)
            with pytest.raises(OutputError, match="another run is writing to this folder"), OutputFolder(tmp_path):
                pass
            folder.commit()
        with OutputFolder(tmp_path) as folder:
            folder.commit()
        assert names(tmp_path) == ["rows.jsonl"]

    def test_what_a_killed_run_left_is_overwritten(self, tmp_path: Path):
        (tmp_path / ".rows.jsonl.part").write_text("torn and long")
        with OutputFolder(tmp_path) as folder:
            folder.jsonl("rows.jsonl").write(1)
            folder.commit()
        assert names(tmp_path) == ["rows.jsonl"]
