"""What tests of commands share."""

from pathlib import Path
from types import SimpleNamespace

import command
import pytest
from made_rows import made_row

import generator.run.engine.blocks
import generator.run.engine.checked_row


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> command.Command:
    """`cli("run", path)` runs a command."""
    return command.command(monkeypatch, capsys)


@pytest.fixture
def recipe(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A recipe whose rows are made by hand, in the working directory."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "t.yaml").write_text("[]")
    path = tmp_path / "r.yaml"
    path.write_text("name: tiny\nrows: 4\ntools: [t.yaml]\nscenarios: [mixed]\nformats: [deepfabric, openai]\n")
    monkeypatch.setattr(
        generator.run.engine.blocks,
        "prepare_usable",
        lambda recipe, *_: SimpleNamespace(recipe=recipe, aims=None, toolbox={}, left_out=()),
    )
    monkeypatch.setattr(generator.run.engine.checked_row, "make_row", lambda _, index: made_row(index))
    return path
