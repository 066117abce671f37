"""The experiment of benchmarks/fine_tune with a model that knows nothing: it trains, asks, goes on where it was stopped, and compares."""

import json
import sys
from itertools import pairwise
from pathlib import Path
from types import SimpleNamespace

import pytest

pytest.importorskip("torch", reason="needs torch: pip install -e '.[train]'")
pytest.importorskip("transformers", reason="needs transformers: pip install -e '.[train]'")

from fine_tune_script import script

from benchmarks.fine_tune import __main__ as experiment
from benchmarks.fine_tune.measure import forced, judged, total
from benchmarks.fine_tune.sets import EXPERIMENT, Item, Leaf, items_of, make, training_of
from benchmarks.fine_tune.table import paired, wilson

OPTIONS = [
    "--model",
    "random",
    "--tokens",
    "3000",
    "--items",
    "2",
    "--rows",
    "24",
    "--longest",
    "9000",
    "--answer",
    "4",
    "--threads",
    "1",
    "--seeds",
    "1",
]


@pytest.fixture(autouse=True)
def _few_tools(monkeypatch):
    """A few tools for each data set: the experiment itself has whole files of many domains."""
    monkeypatch.setitem(EXPERIMENT["training"], "tools", ["weather.json", "notes.yaml"])
    for settings in EXPERIMENT["sets"].values():
        if "tools" in settings:
            monkeypatch.setitem(settings, "tools", ["mcp/fieldworks.json"])


def ran(monkeypatch, capsys, out, *more: str) -> tuple[int, str, str]:
    """Exit code, what it prints, and what it tells."""
    monkeypatch.setattr(sys, "argv", ["fine_tune", "--out", str(out), *OPTIONS, "--sets", "own", "irrelevant", *more])
    monkeypatch.setattr(experiment, "_ROWS_OF_A_SET", 16)
    code = experiment.main()
    return code, *capsys.readouterr()


def test_two_variants_are_trained_asked_and_compared_and_a_second_run_makes_only_what_is_missing(
    tmp_path, monkeypatch, capsys
):
    code, _, told = ran(monkeypatch, capsys, tmp_path, "--variants", "base")
    assert (code, told.count("minutes, loss")) == (0, 1)
    code, tables, told = ran(
        monkeypatch, capsys, tmp_path, "--variants", "base", "as_is", "--record", str(tmp_path / "b")
    )
    assert (code, told.count("minutes, loss")) == (0, 1)
    lines = [line for line in tables.splitlines() if line.startswith(("| base", "| as_is"))]
    assert len(lines) == 4
    assert all("(0/2; " in line for line in lines)
    code, again, told = ran(
        monkeypatch, capsys, tmp_path, "--variants", "base", "as_is", "--baseline", str(tmp_path / "b")
    )
    assert (code, "nothing is left" in told) == (0, True)
    assert [line for line in again.splitlines() if line.startswith("| as_is")] == lines[1::2]
    code, _, told = ran(monkeypatch, capsys, tmp_path, "--tokens", "9")
    assert (code, "tokens 3000, not 9" in told) == (2, True)


class Oracle:
    """A model that always guesses the next token of one text."""

    def __init__(self, ids: list[int], vocabulary: int) -> None:
        self.ids, self.vocabulary = ids, vocabulary

    def __call__(self, ids):
        import torch

        guesses = torch.zeros(1, ids.shape[1], self.vocabulary)
        for at in range(ids.shape[1] - 1):
            guesses[0, at, self.ids[at + 1]] = 1.0
        return SimpleNamespace(logits=guesses)


@pytest.mark.parametrize("name", ["own", "irrelevant"])
def test_who_says_what_is_right_is_right_and_who_says_something_else_is_not(tmp_path, name):
    settings = EXPERIMENT["sets"][name]
    items = list(items_of(make(name, settings, tmp_path, 16), settings.get("only", "")))
    _, tokenizer = script().random_model()
    assert len(items) > 4
    for item, other in pairwise(items):
        ids = tokenizer(item.prompt + item.gold, add_special_tokens=False)["input_ids"]
        found = forced(Oracle(ids, len(tokenizer)), tokenizer, item)
        decoded = judged(item.gold, item)
        for outcome in (found, decoded):
            assert outcome.pop("begun") == [int(bool(item.calls)), 1]
            assert all(right == of for right, of in outcome.values())
        if item.calls:
            assert decoded["exact"] == [1, 1]
            assert sum(found[kind][1] for kind in ("verbatim", "normalised")) == len(item.leaves)
        if item.calls and item.answer != other.answer:
            assert judged(other.gold, item)["exact"] == [0, 1]


def test_no_tool_of_a_set_is_in_training(monkeypatch):
    monkeypatch.undo()  # the tools of experiment.yaml
    trained = {
        Path(tool).name
        for variant in EXPERIMENT["variants"]
        for tool in training_of(variant)["tools"]
        if isinstance(tool, str)
    }
    assert "travel.yaml" in trained
    for settings in EXPERIMENT["sets"].values():
        assert not trained & {Path(tool).name for tool in settings.get("tools", ())}
        assert settings.get("tools") or settings.get("servers")


def test_values_are_word_for_word_or_not(tmp_path):
    records = [
        {"text": "U: 5% in Oslo\nA: " + json.dumps({"name": "f", "arguments": {"rate": 0.05, "city": "Oslo"}})},
    ]
    start = records[0]["text"].index("A: ") + 3
    records[0]["spans"] = [[start, len(records[0]["text"])]]
    (tmp_path / "qwen.jsonl").write_text(json.dumps(records[0]) + "\n")
    call = {"name": "f", "arguments": {"rate": 0.05, "city": "Oslo"}}
    asked = {"messages": [{"role": "user", "content": "5% in Oslo"}], "answer": {"content": None, "calls": [call]}}
    (tmp_path / "eval.jsonl").write_text(json.dumps(asked) + "\n")
    (item,) = items_of(tmp_path, "")
    assert [(item.gold[leaf.start : leaf.end], leaf.normalised) for leaf in item.leaves] == [
        ("0.05", True),
        ('"Oslo"', False),
    ]
    assert isinstance(item, Item)
    assert isinstance(item.leaves[0], Leaf)


def test_intervals():
    low, high = wilson(30, 100)
    assert (round(low, 3), round(high, 3)) == (0.219, 0.396)
    assert wilson(0, 0) == (0.0, 1.0)
    same = [{"exact": [1, 1]}, {"exact": [0, 1]}] * 20
    assert paired(same, same, "exact") == (0.0, 0.0, 0.0)
    better = [{"exact": [1, 1]}] * 40
    gain = paired(better, same, "exact")
    assert gain is not None
    assert gain[0] == 0.5
    assert 0.3 < gain[1] < 0.5 < gain[2] < 0.7
    assert paired(better, same[:3], "exact") is None
    assert total(better) == {"exact": (40, 40)}
