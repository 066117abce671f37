"""Files that are there whole or not at all, lines, and files that grow piece by piece."""

import hashlib
import io
import json
import resource
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.errors import CannotCarryError, OutputError
from generator.formats.sinks import GrowingFile, encode_line, encode_read_line, write_whole

json_values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=10,
)


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@contextmanager
def files_end_at(size: int) -> Iterator[None]:
    """As on a disk that is full then."""
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (size, limits[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, limits)


class TestLines:
    @given(record=st.dictionaries(st.text(), json_values, max_size=4))
    def test_one_line_that_reads_back(self, record: dict[str, object]):
        line = encode_line(record)
        assert line.endswith(b"\n")
        assert line.count(b"\n") == 1
        assert json.loads(line) == record

    def test_compact_and_not_escaped(self):
        assert encode_line({"city": "Zürich", "n": [1, 2]}) == '{"city":"Zürich","n":[1,2]}\n'.encode()


class TestMadeLines:
    """The quick way for converted rows writes the same lines."""

    @given(
        record=st.dictionaries(st.text(), json_values, max_size=3),
        tools=st.lists(json_values | st.just({"default": 2**70}), max_size=4),
        place=st.integers(0, 3),
    )
    def test_the_same_line(self, record: dict[str, object], tools: list[object], place: int):
        entries = list(record.items())
        entries.insert(place, ("tools", tools))
        whole = dict(entries)
        assert encode_read_line(whole) == encode_line(whole)
        assert encode_read_line(whole | {"tools": tools[::-1]}) == encode_line(whole | {"tools": tools[::-1]})
        assert encode_read_line(record) == encode_line(record)

    @pytest.mark.parametrize("fault", [float("nan"), float("inf"), "\ud800", {1: 2}, {"a": {1, 2}}])
    def test_a_tool_that_json_cannot_say_is_refused_by_its_place(self, fault: object):
        tools = [{"name": "f"}, {"name": "g", "default": fault}]
        for _ in range(2):
            with pytest.raises(CannotCarryError, match=r"^\$/tools/1"):
                encode_read_line({"messages": [], "tools": tools})

    @pytest.mark.parametrize(
        "record", [{"a": float("inf")}, {"function": [{"default": float("nan")}]}, {"tools": "[]", "b": float("inf")}]
    )
    def test_a_record_without_a_list_of_tools_is_looked_at_whole(self, record: dict[str, object]):
        with pytest.raises(CannotCarryError, match="is no number of JSON"):
            encode_read_line(record)

    def test_more_tools_than_are_kept(self):
        tools = [{"name": f"f{number}"} for number in range(5000)]
        assert encode_read_line({"tools": tools}) == encode_line({"tools": tools})
        assert encode_read_line({"tools": tools[:3]}) == encode_line({"tools": tools[:3]})


class TestWhole:
    def test_replaces_what_was_there(self, tmp_path: Path):
        (tmp_path / "f").write_text("old and longer")
        write_whole(tmp_path / "f", [b"ne", b"w"])
        assert (tmp_path / "f").read_text() == "new"
        assert names(tmp_path) == ["f"]

    @pytest.mark.parametrize("size", [21, 1 << 20])
    def test_a_full_disk_leaves_what_was_there(self, tmp_path: Path, size: int):
        (tmp_path / "f").write_text("old")
        with files_end_at(20), pytest.raises(OutputError, match="f: cannot be written: the disk is full"):
            write_whole(tmp_path / "f", [b"x" * size])
        assert names(tmp_path) == ["f"]
        assert (tmp_path / "f").read_text() == "old"

    def test_a_folder_of_that_name(self, tmp_path: Path):
        (tmp_path / "f").mkdir()
        with pytest.raises(OutputError, match="f: cannot be written: a folder has that name"):
            write_whole(tmp_path / "f", [b"x"])
        assert names(tmp_path) == ["f"]

    def test_an_interruption_leaves_nothing(self, tmp_path: Path):
        def pieces() -> Iterator[bytes]:
            yield b"x"
            raise KeyboardInterrupt

        with pytest.raises(KeyboardInterrupt):
            write_whole(tmp_path / "f", pieces())
        assert names(tmp_path) == []


class TestGrowing:
    @given(pieces=st.lists(st.binary(max_size=20), max_size=6))
    def test_holds_all_pieces_and_knows_their_digest(
        self, tmp_path_factory: pytest.TempPathFactory, pieces: list[bytes]
    ):
        path = tmp_path_factory.mktemp("growing") / "f"
        file = GrowingFile(path, "rows.jsonl")
        for piece in pieces:
            file.add_from(io.BytesIO(piece + b"more"), len(piece))
        file.finish()
        whole = b"".join(pieces)
        assert path.read_bytes() == whole
        assert (file.bytes, file.sha256) == (len(whole), hashlib.sha256(whole).hexdigest())

    def test_a_piece_that_is_too_short(self, tmp_path: Path):
        piece = tmp_path / "piece"
        piece.write_bytes(b"abc")
        file = GrowingFile(tmp_path / "f", "f")
        with piece.open("rb") as source, pytest.raises(OutputError, match="piece: is shorter than it was"):
            file.add_from(source, 4)

    def test_a_full_disk_is_told_with_the_name_that_people_know(self, tmp_path: Path):
        file = GrowingFile(tmp_path / "f", "rows.jsonl")
        with files_end_at(20), pytest.raises(OutputError, match=r"rows\.jsonl: cannot be written: the disk is full"):
            file.add(b"x" * 21)
