"""A scenario of two turns is added with one new file and its name in `scenarios/__init__.py`."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
from nightly import night
from workbench import SHOP, write_tools

ROOT = Path(__file__).parents[2]
TWO_REQUESTS = '''
"""two_requests: one request after the other, about different tools."""

from generator.core.planning import Say, Step
from generator.scenarios.shape import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.scenario import serve, tell


def _events(scene: Scene) -> Events:
    first = scene.decide(scene.toolkit.starters)
    others = [name for name in scene.toolkit.starters if name != first]
    for tool in (first, scene.decide(others)):
        asked = yield Say(wishes=(scene.wish(tool),))
        done = yield Step(calls=(serve(asked),))
        yield tell(done)


SCENARIO = Scenario(
    "two_requests",
    "one request after the other, about different tools",
    lambda toolkit: toolkit.starters,
    _events,
    (Pattern("U C A U C A"),),
)
'''


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A copy of the package with one file more and one changed."""
    copy = tmp_path / "generator"
    shutil.copytree(ROOT / "generator", copy)
    (copy / "scenarios" / "two_requests.py").write_text(TWO_REQUESTS, encoding="utf-8")
    registry = copy / "scenarios" / "__init__.py"
    text = registry.read_text(encoding="utf-8")
    assert text.count("documents, no_call\n") == text.count("*no_call.SCENARIOS,") == 1
    changed = text.replace("documents, no_call\n", "documents, no_call, two_requests\n").replace(
        "*no_call.SCENARIOS,", "*no_call.SCENARIOS, two_requests.SCENARIO,"
    )
    registry.write_text(changed, encoding="utf-8")
    return tmp_path


@night
def test_rows_of_it_are_made_proven_and_written(package: Path):
    write_tools(package, SHOP)
    recipe = {
        "name": "more",
        "seed": 1,
        "rows": 20,
        "tools": ["shop.yaml"],
        "scenarios": ["two_requests", "single"],
        "formats": ["openai"],
    }
    (package / "r.yaml").write_text(json.dumps(recipe), encoding="utf-8")
    command = [sys.executable, "-m", "generator", "run", "r.yaml", "--out", "out", "--workers", "1"]
    done = subprocess.run(
        command,
        cwd=package,
        env={**os.environ, "PYTHONPATH": str(package)},
        capture_output=True,
        text=True,
        timeout=120,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (file,) = (package / "out").glob("*openai*.jsonl")
    orders = []
    for line in file.read_text(encoding="utf-8").splitlines():
        roles = [message["role"] for message in json.loads(line)["messages"] if message["role"] != "system"]
        orders.append(roles)
    assert len(orders) == 20
    assert orders.count(["user", "assistant", "tool", "assistant"] * 2) > 4
