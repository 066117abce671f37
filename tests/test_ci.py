"""The gate runs the README's own commands, so the README must hold them as it looks for them."""

import os
import re
import subprocess
from pathlib import Path

from examples import examples
from hypothesis import settings

ROOT = Path(__file__).parents[1]


def test_the_readme_holds_the_two_commands():
    lines = re.findall(r"^python3 -m venv \.venv && .*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert [line.rpartition(" && ")[2] for line in lines] == [
        ".venv/bin/python -m generator run recipes/parallel.yaml",
        ".venv/bin/python -m pytest -q -n auto",
    ]


def test_the_gate_can_be_run():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


TOP_LEVEL = {
    *("pyproject.toml", "README.md", "generator", "tool_specs", "tests", "recipes", "outputs"),
    *("docs", "benchmarks", "CHANGELOG.md", "LICENSE"),
}
"""Besides names that begin with a dot."""


def test_the_top_level_is_what_it_is_to_be():
    listed = subprocess.run(
        ["git", "ls-files", "-z"], cwd=ROOT, capture_output=True, text=True, check=False
    )  # what is committed: whoever follows README.md has files of their own beside it
    # a copy of the tree, as the gate makes one, holds nothing but what is kept and what installing and running leave there
    kept = [name for name in listed.stdout.split("\0") if (ROOT / name).exists()] if listed.returncode == 0 else []
    names = {name.partition("/")[0] for name in kept if name} or {path.name for path in ROOT.iterdir()}
    left_there = {"generator.egg-info", "build", "dist", "venv"}
    assert {name for name in names if not name.startswith(".")} - left_there == TOP_LEVEL
    assert (ROOT / "outputs" / "README.md").is_file()


def test_outputs_are_not_kept():
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"outputs/*", "!outputs/README.md"} <= set(ignored)


def test_everybody_has_the_same_examples_unless_new_ones_are_asked_for(pytestconfig):
    usual, explore = settings.get_profile("same"), settings.get_profile("explore")
    assert usual.derandomize
    assert not explore.derandomize
    assert explore.max_examples == 30 * usual.max_examples
    asked = pytestconfig.getoption("--hypothesis-profile") or "same"
    assert settings().max_examples == settings.get_profile(asked).max_examples == examples(100)
