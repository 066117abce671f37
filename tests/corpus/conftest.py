"""Corpora that are made once."""

from pathlib import Path

import command
import pytest
from corpora import recipe_of

from generator.corpus.generation import CaseMaker, case_makers
from generator.corpus.run import make_corpus


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> command.Command:
    """`cli("corpus", "check", path)` runs a command."""
    return command.command(monkeypatch, capsys)


@pytest.fixture(scope="session")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A corpus of four formats."""
    folder = tmp_path_factory.mktemp("corpus")
    make_corpus(recipe_of(folder), folder / "out")
    return folder / "out"


@pytest.fixture(scope="session")
def shops(tmp_path_factory: pytest.TempPathFactory) -> dict[str, CaseMaker]:
    """A maker for every wire format."""
    recipe = recipe_of(
        tmp_path_factory.mktemp("shops"), "kind: corpus\nname: all\nseed: 11\ncases: 10\nformats: [wire]\n"
    )
    return {shop.fmt.name: shop for shop in case_makers(recipe)}
