"""Packed files: frames made apart are one file, equal data gives equal bytes, and damage is noticed."""

import gzip
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.errors import OutputError
from generator.formats.sinks import PACKINGS, pack, reading, suffix_of, unpacked_name

frames = st.lists(st.binary(max_size=200) | st.just(b"line\n" * 50_000), max_size=4)


def read(path: Path) -> bytes:
    with reading(path) as file:
        return file.read()


@pytest.mark.parametrize("packing", PACKINGS)
class TestEach:
    @given(pieces=frames)
    def test_frames_read_as_one(self, tmp_path_factory: pytest.TempPathFactory, packing: str, pieces: list[bytes]):
        path = tmp_path_factory.mktemp("packed") / f"f.jsonl{suffix_of(packing)}"
        path.write_bytes(b"".join(pack(piece, packing) for piece in pieces))
        assert read(path) == b"".join(pieces)

    def test_equal_bytes_whenever(self, packing: str, monkeypatch: pytest.MonkeyPatch):
        before = pack(b"abc" * 100, packing)
        monkeypatch.setattr("time.time", lambda: 1e9)
        assert pack(bytearray(b"abc" * 100), packing) == before

    def test_lines(self, tmp_path: Path, packing: str):
        path = tmp_path / f"f{suffix_of(packing)}"
        path.write_bytes(pack(b"a\nb", packing) + pack(b"c\n", packing))
        with reading(path) as file:
            assert list(file) == [b"a\n", b"bc\n"]

    def test_cut_off_anywhere_is_damaged(self, tmp_path: Path, packing: str):
        path = tmp_path / f"f.jsonl{suffix_of(packing)}"
        first, second = pack(b"one\n" * 10, packing), pack(b"two\n" * 10, packing)
        for end in range(1, len(first + second)):
            path.write_bytes((first + second)[:end])
            if end == len(first):
                assert read(path) == b"one\n" * 10
            else:
                with pytest.raises(OutputError, match=r"f\.jsonl.*: damaged"):
                    read(path)

    def test_something_else(self, tmp_path: Path, packing: str):
        path = tmp_path / f"f.jsonl{suffix_of(packing)}"
        path.write_text('{"plain": 1}\n')
        with pytest.raises(OutputError, match="damaged, or not what its name says"):
            read(path)


def test_the_world_can_read_it(tmp_path: Path):
    assert gzip.decompress(bytes(pack(b"a", "gzip") + pack(b"b", "gzip"))) == b"ab"


@pytest.mark.parametrize(
    ("name", "plain"), [("a.jsonl.zst", "a.jsonl"), ("a.jsonl.gz", "a.jsonl"), ("a.jsonl", "a.jsonl")]
)
def test_names(name: str, plain: str):
    assert unpacked_name(Path(name)) == plain


def test_files_that_cannot_be_read(tmp_path: Path):
    with pytest.raises(OutputError, match="there is no such file"):
        read(tmp_path / "nothing.gz")
    with pytest.raises(OutputError, match="this is a folder"):
        read(tmp_path)
