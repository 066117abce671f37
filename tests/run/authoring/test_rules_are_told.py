"""Each fault that a check can find is one that the writer could know of: the prompts say its rule."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
import yaml

import generator
from generator.run.authoring.writer.writing import load_author_prompts

CODE = Path(generator.__file__).parent
CHECKS = (
    "tools/describing/checks.py",
    *("tools/specs/check.py", "tools/specs/effects.py", "tools/specs/entities.py"),
    *("run/authoring/bench.py", "run/authoring/elements.py"),
    *("run/authoring/writer/unused.py", "run/authoring/writer/describing.py"),
    *(f"run/authoring/tidying/{name}.py" for name in ("chains", "ids", "sayable", "spoken")),
)
RULES = yaml.safe_load((Path(__file__).parent / "rules_told.yaml").read_text(encoding="utf-8"))
_FEWEST_WORDS = 3


def faults(path: Path) -> Iterator[str]:
    """Yield the texts of a module that have some words and are no docstring, with `…` for what is filled in."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    within = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    within |= {id(part) for node in ast.walk(tree) if isinstance(node, ast.JoinedStr) for part in node.values}
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.JoinedStr):
            text = "".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in node.values)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in within:
            text = node.value
        if len(re.findall(r"[a-z]{2,}", text)) >= _FEWEST_WORDS and " " in text.strip() and "(?" not in text:
            yield text


def test_the_prompts_say_every_rule():
    prompts = load_author_prompts(None)
    said = " ".join(" ".join(text for _, text in prompt.messages) for prompt in (prompts.server, prompts.tools))
    said = " ".join(said.split())
    assert [rule["told"] for rule in RULES if rule["told"] not in said] == []


@pytest.mark.parametrize("module", CHECKS)
def test_every_fault_has_a_rule(module: str):
    known = tuple(fault for rule in RULES for fault in rule["faults"])
    found = set(faults(CODE / module))
    assert found, "no fault was found in the module"
    assert [text for text in found if not text.startswith(known)] == []


def test_every_rule_is_about_a_fault():
    found = {text for module in CHECKS for text in faults(CODE / module)}
    assert [
        fault for rule in RULES for fault in rule["faults"] if not any(text.startswith(fault) for text in found)
    ] == []
