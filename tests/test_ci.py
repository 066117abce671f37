"""The gate runs the README's own commands, so the README must hold them as it looks for them."""

import os
import re
from pathlib import Path

ROOT = Path(__file__).parents[1]


def test_the_readme_holds_the_two_commands():
    lines = re.findall(r"^python3 -m venv \.venv && .*$", (ROOT / "README.md").read_text(), re.MULTILINE)
    assert [line.rpartition(" && ")[2] for line in lines] == [
        ".venv/bin/python -m generator run recipes/parallel.yaml",
        ".venv/bin/python -m pytest -q -n auto",
    ]


def test_the_gate_can_be_run():
    assert os.access(ROOT / ".ci" / "run", os.X_OK)


def test_outputs_are_not_kept():
    ignored = (ROOT / ".gitignore").read_text().splitlines()
    assert {"outputs/*", "!outputs/README.md"} <= set(ignored)
