"""`run`: what it writes, says and returns."""

import errno
import os
import signal
from pathlib import Path

import pytest
from command import Command
from made_rows import TOKEN, made_row

import generator.run.checked_row
from generator.cli.progress import follow
from generator.errors import OutputError, PlanError, RowError
from generator.run.progress import RowsMade


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


FILES = ["deepfabric.jsonl", "manifest.json", "openai.jsonl", "proofs.jsonl", "rejected.jsonl"]


class TestGood:
    def test_writes_below_the_working_directory(self, cli: Command, recipe: Path, tmp_path: Path):
        ran = cli("run", recipe)
        assert ran.code == 0
        assert names(tmp_path / "outputs" / "tiny") == FILES
        assert "rows by scenario:\n  mixed  4\n" in ran.out
        assert "outputs/tiny/openai.jsonl" in ran.out
        assert ran.err.splitlines()[0] == "tiny: 4 rows to outputs/tiny"
        assert ran.err.splitlines()[-1].startswith("4 of 4 rows · ")

    def test_flags_have_the_last_word(self, cli: Command, recipe: Path, tmp_path: Path):
        ran = cli("run", recipe, "--rows", 2, "--out", tmp_path / "x", "--format", "openchatml", "--format", "openai")
        assert ran.code == 0
        assert names(tmp_path / "x") == ["manifest.json", "openai.jsonl", "openchatml.jsonl", "proofs.jsonl", "rejected.jsonl"]
        assert len((tmp_path / "x" / "proofs.jsonl").read_bytes().splitlines()) == 2

    def test_quiet_says_nothing(self, cli: Command, recipe: Path):
        ran = cli("run", recipe, "--quiet")
        assert (ran.code, ran.out, ran.err) == (0, "", "")

    def test_the_table_tells_rejected_and_refused(self, cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch):
        made = [made_row(0, rejected=1), made_row(1, TOKEN), made_row(2), made_row(3)]
        monkeypatch.setattr("generator.run.checked_row.make_row", lambda _, index: made[index])
        ran = cli("run", recipe, "--format", "openchatml")
        assert ran.code == 0
        assert "attempts rejected by rule (made again):\n  DF201  1" in ran.out
        assert "rows that a format cannot carry:\n  openchatml  1" in ran.out

    def test_a_format_that_got_no_row_is_1(self, cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr("generator.run.checked_row.make_row", lambda _, index: made_row(index, TOKEN))
        assert cli("run", recipe, "--format", "openchatml").code == 1


class TestBad:
    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (["--rows", "0"], "--rows 0: a whole number from 1"),
            (["--seed", "-1"], "--seed -1: a whole number of at least 0"),
            (["--format", "opnai"], 'did you mean "openai"?'),
            (["--out", "t.yaml"], "t.yaml is a file, not a folder"),
            (["--out", "/dev/full"], "/dev/full is a file, not a folder"),
            (["--out", "t.yaml/deeper"], "t.yaml is a file, not a folder"),
        ],
    )
    def test_input_is_2_and_nothing_is_written(self, cli: Command, recipe: Path, flags: list[str], words: str):
        ran = cli("run", recipe, *flags)
        assert ran.code == 2
        assert words in ran.err
        assert names(recipe.parent) == ["r.yaml", "t.yaml"]

    @pytest.mark.parametrize("error", [PlanError("no links"), RowError("row 2: no"), OutputError("full")])
    def test_failing_half_way_leaves_nothing(
        self, cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch, error: Exception
    ):
        def make(_: object, index: int):
            if index == 2:
                raise error
            return made_row(index)

        monkeypatch.setattr("generator.run.checked_row.make_row", make)
        ran = cli("run", recipe)
        assert ran.code == 2
        assert ran.err.splitlines()[-1] == str(error)
        assert names(recipe.parent) == ["r.yaml", "t.yaml"]

    def test_a_full_disk(self, cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch):
        def full(_: int) -> None:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

        monkeypatch.setattr("os.fsync", full)
        ran = cli("run", recipe)
        assert ran.code == 2
        assert "cannot be written: the disk is full" in ran.err
        assert names(recipe.parent) == ["r.yaml", "t.yaml"]

    @pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    def test_stopping_it_leaves_nothing(
        self, cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch, sent: signal.Signals, code: int
    ):
        def make(_: object, index: int):
            if index == 2:
                signal.raise_signal(sent)
            return made_row(index)

        monkeypatch.setattr("generator.run.checked_row.make_row", make)
        assert cli("run", recipe).code == code
        assert names(recipe.parent) == ["r.yaml", "t.yaml"]


class TestProgress:
    def test_a_bar_on_a_terminal(self, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]):
        monkeypatch.setattr("sys.stderr.isatty", lambda: True, raising=False)
        monkeypatch.setenv("FORCE_COLOR", "1")
        with follow(quiet=False) as listener:
            for made in range(1, 4):
                listener(RowsMade(made, 3))
        assert "rows/s" in capsys.readouterr().err

    def test_nothing_when_quiet(self, capsys: pytest.CaptureFixture[str]):
        with follow(quiet=True) as listener:
            listener(RowsMade(1, 1))
        assert capsys.readouterr() == ("", "")


def test_the_fakes_are_in_place(recipe: Path):
    assert generator.run.checked_row.make_row(None, 3) == made_row(3)
