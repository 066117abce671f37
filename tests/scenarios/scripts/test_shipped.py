"""Every shipped script: each wording in eight worlds, nothing refused, nothing left out."""

import re

import pytest
from nightly import some_of
from scripted_rows import FILES, scripts_of

from generator.scenarios import SCENARIOS
from generator.scenarios.scripts.check import checked
from generator.scenarios.scripts.trial import try_script

SCRIPTS = [(file, name) for file in FILES for name in re.findall(r"(?m)^- script: (\w+)", file.read_text("utf-8"))]
FEWEST_WORDINGS = 5
"""First wordings of a shipped script."""


@some_of(96, ("file", "name"), SCRIPTS, ids=lambda one: getattr(one, "stem", one))
def test_every_wording_is_right_in_every_world(file, name) -> None:
    scripts, tools, backend = scripts_of(file)
    trial = try_script(next(script for script in scripts if script.name == name), tools, backend.open)
    assert not trial.faults, trial.faults[0].text
    assert trial.script is not None
    assert trial.rows


@pytest.mark.parametrize("file", FILES, ids=lambda file: file.stem)
def test_nothing_is_refused_before_a_world_is_opened(file) -> None:
    scripts, tools, _ = scripts_of(file)
    for script in scripts:
        assert not checked(script, tools).faults
        assert script.shape in SCENARIOS
        first = next(turn for turn in script.turns if turn.user)
        assert len(first.user) >= FEWEST_WORDINGS, script.name


def test_names_are_told_apart() -> None:
    names = [name for _, name in SCRIPTS]
    assert len(names) == len(set(names))
