"""Run the command line inside the test process."""

import sys
from collections.abc import Callable

import msgspec
import pytest

from generator.cli import main


class Ran(msgspec.Struct):
    """What a command left behind."""

    code: int
    out: str
    err: str


Command = Callable[..., Ran]


def command(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Command:
    """A function that runs `python -m generator` with its arguments."""

    def run(*arguments: object) -> Ran:
        monkeypatch.setattr(sys, "argv", ["generator", *map(str, arguments)])
        capsys.readouterr()
        with pytest.raises(SystemExit) as exit_:
            main()
        captured = capsys.readouterr()
        return Ran(int(exit_.value.code or 0), captured.out, captured.err)

    return run
