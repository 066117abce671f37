"""The folder of a run: made when it is needed, locked while it is written to, gone when nothing came of it."""

import os
from pathlib import Path

import pytest

from generator.core.errors import OutputError
from generator.formats.sinks import OutputFolder


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def test_made_with_its_parents(tmp_path: Path):
    with OutputFolder(tmp_path / "a" / "b"):
        (tmp_path / "a" / "b" / "rows.jsonl").write_text("1\n")
    assert names(tmp_path / "a" / "b") == ["rows.jsonl"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit])
def test_folders_made_for_nothing_go_away(tmp_path: Path, error: type[BaseException]):
    def fail():
        with OutputFolder(tmp_path / "a" / "b"):
            raise error

    with pytest.raises(error):
        fail()
    assert names(tmp_path) == []


@pytest.mark.parametrize("below", [".", "inside", "inside/deeper"])
def test_a_path_that_is_a_file(tmp_path: Path, below: str):
    file = tmp_path / "file"
    file.write_text("mine")
    with pytest.raises(OutputError, match=r"file.*is a file, not a folder"), OutputFolder(file / below):
        pass
    assert file.read_text() == "mine"


def test_two_runs_do_not_share_a_folder(tmp_path: Path):
    with (
        OutputFolder(tmp_path),
        pytest.raises(OutputError, match="another run is writing to this folder"),
        OutputFolder(tmp_path),
    ):
        pass
    with OutputFolder(tmp_path):
        pass


def test_a_forked_process_that_lives_on_keeps_nobody_out(tmp_path: Path):
    waits, goes_on = os.pipe()
    listens, is_there = os.pipe()
    with OutputFolder(tmp_path):
        child = os.fork()
        if child == 0:
            os.close(goes_on)
            os.write(is_there, b".")
            os.read(waits, 1)
            os._exit(0)
        os.read(listens, 1)
        with pytest.raises(OutputError, match="another run"), OutputFolder(tmp_path):
            pass
    try:
        with OutputFolder(tmp_path):
            pass
    finally:
        for handle in (goes_on, waits, listens, is_there):
            os.close(handle)
        assert os.waitpid(child, 0)[1] == 0


def test_a_folder_that_may_not_be_written(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    def refuse(path: Path, **_: object) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    monkeypatch.setattr(Path, "mkdir", refuse)
    with pytest.raises(OutputError, match="new: cannot be written: no permission"), OutputFolder(tmp_path / "new"):
        pass
