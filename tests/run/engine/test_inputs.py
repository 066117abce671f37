"""Whatever a run reads is looked at before its first row is made: a file that cannot be used ends it at once, with its name."""

import json
from pathlib import Path

import pytest
from hostile.cases import RECIPE, TOOL

from generator.core.errors import GeneratorError
from generator.formats import FORMATS, format_options
from generator.formats.run_folder.files import Layout
from generator.recipe import load_recipe
from generator.run.engine.run import RunOptions, run
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS


def override(**given: str) -> dict:
    return {"arguments": {"overrides": {"find#/title": given}}}


INPUTS: dict[str, tuple[str, dict]] = {
    "values": ("v.txt", override(file="v.txt")),
    "table": ("v.csv", override(file="v.csv", column="a")),
    "lines": ("v.jsonl", override(file="v.jsonl")),
    "strategy": ("s.py", override(strategy="s.py:titles")),
    "tokenizer": ("t.model", {"lengths": {"tokenizer": "t.model"}}),
    "goals": ("g.yaml", {"scenarios": ["parallel_multiple"], "goals": ["g.yaml"]}),
    "document": ("d.txt", {"scenarios": ["fill_in_the_middle"], "documents": {"files": ["d.txt"]}}),
    "recorded": ("r.jsonl", {"backend": {"recorded": "r.jsonl"}}),
    "module": ("m.py", {"backend": {"python": "m.py"}}),
    "overlay": ("o.yaml", {"tools": [{"file": "t.json", "overlay": "o.yaml"}]}),
    "tools": ("u.json", {"tools": ["t.json", "u.json"]}),
    "against": ("a.jsonl", {}),
}


@pytest.mark.parametrize("broken", ["no text", "a device", "nothing there"])
@pytest.mark.parametrize("what", INPUTS)
def test_every_input_is_looked_at_before_the_first_row(tmp_path: Path, monkeypatch, what: str, broken: str):
    monkeypatch.chdir(tmp_path)
    name, more = INPUTS[what]
    Path("t.json").write_text(json.dumps([TOOL]))
    Path("r.yaml").write_text(json.dumps({**RECIPE, **more}))
    if broken == "a device":
        Path(name).symlink_to("/dev/zero")
    elif broken == "no text":
        Path(name).write_bytes(b"\xff\xfe\x00nothing\n")
    events: list[object] = []
    layout = Layout(against=(Path(name),) if what == "against" else ())
    with pytest.raises(GeneratorError, match=name):
        run(recipe(), tmp_path / "out", events.append, RunOptions(executor="serial", layout=layout))
    assert events == []
    assert not (tmp_path / "out").exists() or [*(tmp_path / "out").iterdir()] == []


def recipe():
    known = {**SCENARIOS, **DOCUMENT_SCENARIOS}
    return load_recipe(Path("r.yaml"), scenarios=known, formats=FORMATS, format_options=format_options())
