"""Results that are kept between starts hold as long as what they were read from, and never change what a run writes."""

from collections.abc import Callable
from pathlib import Path

import pytest

from generator.core.files import cached_result, read_regular


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path


def reading(file: Path, done: list[bytes]) -> Callable[[], bytes]:
    def compute() -> bytes:
        done.append(read_regular(file))
        return done[-1]

    return compute


def always(_: object) -> bool:
    return True


def test_a_result_is_computed_anew_only_when_a_file_has_changed(folder: Path) -> None:
    file, done = folder / "a.txt", list[bytes]()
    file.write_bytes(b"one")
    assert [cached_result(("a",), reading(file, done), always) for _ in range(3)] == [b"one"] * 3
    assert done == [b"one"]
    file.write_bytes(b"two")
    assert cached_result(("a",), reading(file, done), always) == b"two"
    assert cached_result(("b",), reading(file, done), always) == b"two"  # another key
    assert done == [b"one", b"two", b"two"]


def test_a_file_that_is_only_named_counts_too(folder: Path) -> None:
    named, done = folder / "named.txt", list[int]()
    for text in ("one", "one", "two"):
        named.write_text(text)
        cached_result(("named",), lambda: done.append(1), always, [named])
    assert len(done) == 2


def test_what_depends_on_more_than_files_is_not_kept(folder: Path) -> None:
    done = list[int]()
    for _ in range(2):
        cached_result(("never",), lambda: done.append(1), lambda _: False)
    assert len(done) == 2


@pytest.mark.parametrize("broken", [b"", b"no pickle", b"\x80\x05."], ids=["empty", "text", "cut"])
def test_a_broken_result_is_as_if_there_were_none(folder: Path, broken: bytes) -> None:
    assert cached_result(("broken",), lambda: 1, always) == 1
    (file,) = (folder / "cache").rglob("*.pickle")
    file.write_bytes(broken)
    assert cached_result(("broken",), lambda: 2, always) == 2


def test_a_folder_that_cannot_be_written_is_no_fault(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("in the way")
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "file"))
    assert cached_result(("nowhere",), lambda: 1, always) == 1


def test_only_so_many_results_are_kept(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("generator.core.files._MOST", 3)
    for number in range(5):
        cached_result((number,), lambda: 0, always)
    assert len([*(folder / "cache").rglob("*.pickle")]) == 3
