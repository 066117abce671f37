"""Strategies of users run in a room: without our environment, with one limit of time, and nothing that they print grows us."""

from pathlib import Path

import pytest

from generator.arguments import overrides
from generator.core.errors import RecipeError
from generator.recipe.overrides import Script

START = "import os, sys, time\nfrom hypothesis import strategies as st\n"


def draw(folder: Path, text: str) -> tuple[bytes, ...]:
    path = folder / "mine.py"
    path.write_text(START + text)
    script = Script(file=path, name="x")
    return overrides._draw_strategy(script, path.read_bytes(), "f#/a", 5, RecipeError)


def test_the_environment_is_that_of_handlers(tmp_path: Path, monkeypatch):
    monkeypatch.setenv("OPENAI_API_KEY", "sk-secret")
    (values,) = draw(tmp_path, "x = st.just(sorted(os.environ))")
    assert b"OPENAI" not in values
    assert b"TMPDIR" in values


def test_what_is_printed_and_written_elsewhere_is_no_value(tmp_path: Path):
    noise = "for _ in range(300): print('x' * 100_000)\nfor n in range(3, 3000):\n    try: os.write(n, b'\\0\\0')\n    except OSError: pass\n"
    assert draw(tmp_path, noise + "x = st.just(1)") == (b"1",)


def test_a_strategy_that_never_ends_costs_one_limit(tmp_path: Path, monkeypatch):
    monkeypatch.setattr(overrides, "_STRATEGY_SECONDS", 1.0)
    with pytest.raises(RecipeError, match="no 40 values came in 1 seconds"):
        draw(tmp_path, "time.sleep(600)")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("print('no licence', file=sys.stderr)\nos._exit(3)", r"its process ended \(exit code 3\) no licence"),
        ("x = st.just('\\ud800')", "no JSON"),
        ("x = 5", "a Hypothesis strategy"),
    ],
)
def test_what_gives_no_values_is_told(tmp_path: Path, text: str, told: str):
    with pytest.raises(RecipeError, match=told):
        draw(tmp_path, text)


def test_wide_numbers_are_kept(tmp_path: Path):
    assert len(draw(tmp_path, "x = st.integers(2**70, 2**70 + 9)")) >= 1
