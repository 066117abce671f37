"""`run`: what it writes, says and returns."""

import errno
import os
import signal
from pathlib import Path

import pytest
from command import Command, Ran
from made_rows import TOKEN, made_row

import generator.run.engine.checked_row
from generator.cli.screen.run import follow
from generator.core.errors import OutputError, PlanError, RowError
from generator.run.engine.progress import RowsMade


def names(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


BESIDE = ["README.md", "index.html", "manifest.json", "proofs.jsonl", "rejected.jsonl", "report.json"]
FILES = sorted([*BESIDE, "deepfabric.jsonl", "openai.jsonl"])


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
        assert names(tmp_path / "x") == sorted([*BESIDE, "openai.jsonl", "openchatml.jsonl"])
        assert len((tmp_path / "x" / "proofs.jsonl").read_bytes().splitlines()) == 2

    def test_quiet_says_nothing(self, cli: Command, recipe: Path):
        ran = cli("run", recipe, "--quiet")
        assert (ran.code, ran.out, ran.err) == (0, "", "")

    def test_the_table_tells_rejected_and_refused(self, cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch):
        made = [made_row(0, rejected=1), made_row(1, TOKEN), made_row(2), made_row(3)]
        monkeypatch.setattr("generator.run.engine.checked_row.make_row", lambda _, index, *begun: made[index])
        ran = cli("run", recipe, "--format", "openchatml")
        assert ran.code == 0
        assert "attempts rejected by rule (made again):\n  DF201  1" in ran.out
        assert "rows that a format cannot carry:\n  openchatml  1" in ran.out

    def test_a_format_that_got_no_row_is_1(self, cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(
            "generator.run.engine.checked_row.make_row", lambda _, index, *begun: made_row(index, TOKEN)
        )
        assert cli("run", recipe, "--format", "openchatml").code == 1

    def test_a_format_that_got_no_row_is_named_also_when_quiet(
        self, cli: Command, recipe: Path, monkeypatch: pytest.MonkeyPatch
    ):
        monkeypatch.setattr(
            "generator.run.engine.checked_row.make_row", lambda _, index, *begun: made_row(index, TOKEN)
        )
        ran = cli("run", recipe, "--format", "openchatml", "--quiet", "--out", "made")
        assert (ran.code, ran.out, ran.err) == (1, "", "made: no row could be written as openchatml\n")


class TestBad:
    @pytest.mark.parametrize(
        ("flags", "words"),
        [
            (["--rows", "0"], "--rows 0: a whole number from 1"),
            (["--seed", "-1"], "--seed -1: a whole number of at least 0"),
            (["--format", "opnai"], 'did you mean "openai"?'),
            (["--workers", "0"], "'--workers': 0 is not in the range"),
            (["--workers", "many"], "'--workers': 'many' is not a valid integer"),
            (["--compress", "zip"], "'zip' is not one of 'zstd', 'gzip'"),
            (["--resume", "--overwrite"], "give one of them"),
            (["--out", ""], "--out: the name of a folder is expected"),
            (["--out", "t.yaml"], "t.yaml is a file, not a folder"),
            (["--out", "/dev/null"], "/dev/null is a file, not a folder"),
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
        def make(_: object, index: int, *begun: object):
            if index == 2:
                raise error
            return made_row(index)

        monkeypatch.setattr("generator.run.engine.checked_row.make_row", make)
        ran = cli("run", recipe)
        assert ran.code == 2
        assert ran.err.splitlines()[-1].endswith(str(error))
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
        def make(_: object, index: int, *begun: object):
            if index == 2:
                signal.raise_signal(sent)
            return made_row(index)

        monkeypatch.setattr("generator.run.engine.checked_row.make_row", make)
        assert cli("run", recipe).code == code
        assert names(recipe.parent) == ["r.yaml", "t.yaml"]


class TestGoingOn:
    @pytest.fixture
    def many(self, recipe: Path) -> Path:
        """A recipe of more than one block."""
        recipe.write_text(recipe.read_text().replace("rows: 4", "rows: 2500"))
        return recipe

    def stop(self, cli: Command, many: Path, at: int, *flags: str, sent: signal.Signals = signal.SIGINT) -> Ran:
        def make(_: object, index: int, *begun: object):
            if index == at:
                signal.raise_signal(sent)
            return made_row(index)

        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(generator.run.engine.checked_row, "make_row", make)
            return cli("run", many, *flags)

    @pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
    @pytest.mark.parametrize("flags", [[], ["--quiet"]])
    def test_a_stopped_run_says_how(self, cli: Command, many: Path, sent: signal.Signals, code: int, flags: list[str]):
        ran = self.stop(cli, many, 1500, *flags, sent=sent)
        assert ran.code == code
        assert "outputs/tiny: 1,000 of 2,500 rows are kept; the same command goes on from there." in ran.err
        assert names(many.parent / "outputs" / "tiny") == [".parts"]

    @pytest.mark.parametrize("flags", [[], ["--resume"]])
    def test_the_same_command_goes_on_and_says_so(self, cli: Command, many: Path, flags: list[str]):
        self.stop(cli, many, 1500)
        ran = cli("run", many, *flags)
        assert ran.code == 0
        first = ran.err.splitlines()[0]
        assert first == "tiny: going on with 2,500 rows, of which 1,000 are there, to outputs/tiny"
        assert "outputs/tiny/openai.jsonl      2,500 lines" in ran.out

    def test_resume_starts_where_nothing_is(self, cli: Command, recipe: Path):
        assert cli("run", recipe, "--resume").code == 0

    def test_a_finished_run_is_told(self, cli: Command, recipe: Path):
        cli("run", recipe)
        ran = cli("run", recipe)
        assert ran.code == 0
        assert ran.out.startswith("outputs/tiny: the run was finished already; nothing was made\n")

    def test_more_rows(self, cli: Command, recipe: Path):
        cli("run", recipe)
        ran = cli("run", recipe, "--rows", "6")
        assert ran.code == 0
        assert len(Path("outputs/tiny/openai.jsonl").read_bytes().splitlines()) == 6

    @pytest.mark.parametrize("flags", [[], ["--resume"]])
    def test_another_run_is_2_and_nothing_is_lost(self, cli: Command, recipe: Path, flags: list[str]):
        cli("run", recipe)
        before = {path.name: path.read_bytes() for path in Path("outputs/tiny").iterdir()}
        ran = cli("run", recipe, "--seed", "5", *flags)
        assert ran.code == 2
        assert "seed: 0 before, 5 now" in ran.err
        assert {path.name: path.read_bytes() for path in Path("outputs/tiny").iterdir()} == before
        assert cli("run", recipe, "--seed", "5", "--overwrite").code == 0

    def test_packed(self, cli: Command, recipe: Path):
        assert cli("run", recipe, "--compress", "zstd").code == 0
        assert names(Path("outputs/tiny")) == sorted(
            [name + ".zst" if name.endswith("jsonl") else name for name in FILES]
        )
        assert cli("validate", "outputs/tiny/openai.jsonl.zst", "--format", "openai").code == 0
        ran = cli("show", "outputs/tiny/openai.jsonl.zst", "--index", "2")
        assert ran.code == 0
        assert "no proof of this row" not in ran.out


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
    assert generator.run.engine.checked_row.make_row(None, 3) == made_row(3)
