"""What the tests of the four documents share."""

import command
import pytest


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> command.Command:
    """`cli("run", path)` runs a command."""
    return command.command(monkeypatch, capsys)
