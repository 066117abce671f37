"""Keys of recipes that are gone say so."""

from pathlib import Path

import pytest
from command import Command

from generator.core.declared import gone_keys


def _nested(path: str) -> str:
    *outer, key = path.split(".")
    return "".join(f"{name}: {{" for name in outer) + f"{key}: 1" + "}" * len(outer)


@pytest.mark.parametrize("key", sorted(gone_keys()))
def test_a_key_that_is_gone_says_so(cli: Command, tmp_path: Path, key: str):
    recipe = tmp_path / "recipe.yaml"
    of, _, name = key.partition(".")
    usual = "" if of == "scenarios" else "scenarios: [single]\n"
    recipe.write_text(f"name: one\nrows: 1\ntools: [weather.json]\nformats: [openai]\n{usual}{_nested(key)}\n")
    done = cli("run", str(recipe), "--out", str(tmp_path / "out"))
    assert done.code == 2
    told = (
        f"unknown scenario {name!r}: it is gone; {gone_keys()[key]}"
        if of == "scenarios"
        else f"this key is gone: {gone_keys()[key]}"
    )
    assert f"recipe.yaml:{5 if of == 'scenarios' else 6}: {key}: {told}" in " ".join(done.err.split())
    assert not (tmp_path / "out").exists()
