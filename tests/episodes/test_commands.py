"""The commands of `episodes`, as docs/episodes.md shows them."""

import json
import re
import shlex
from datetime import date
from pathlib import Path

import command
import pytest
from played import ROOT, rows_of, tasks_of

from generator.episodes.replay import transcript_of
from generator.episodes.slips import SLIPS, own_actions, play
from generator.seeds import Draw

PAGE = (ROOT / "docs/episodes.md").read_text(encoding="utf-8")


@pytest.fixture
def cli(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> command.Command:
    return command.command(monkeypatch, capsys)


@pytest.fixture
def transcripts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Three transcripts of good agents, and one of a bad one, where docs/episodes.md has them."""
    monkeypatch.chdir(tmp_path)
    for name in ("recipes", "tool_specs"):
        (tmp_path / name).symlink_to(ROOT / name)
    episode, lines = tasks_of("conversations").episode(), []
    for task in rows_of("conversations", 4):
        actions = own_actions(task)
        if task.row.index == 3:
            actions = SLIPS["write_missing"](task, actions, Draw(0, date.min)) or actions
        episode.reset(task.row.index)
        play(episode, actions)
        lines.append(json.dumps(transcript_of(episode)))
    path = tmp_path / "transcripts.jsonl"
    path.write_text("\n".join(lines) + "\n")
    return path


def _commands(kind: str) -> list[list[str]]:
    blocks = re.findall(r"```bash\n(.*?)```", PAGE, re.DOTALL)
    lines = [line for block in blocks for line in block.splitlines() if line.startswith("python -m generator episodes")]
    return [words[3:] for line in lines if (words := shlex.split(line))[4] == kind]


def test_score_as_the_page_shows_it(cli: command.Command, transcripts: Path) -> None:
    (words,) = _commands("score")
    ran = cli(*words)
    assert ran.code == 0, ran.err
    assert re.search(r"^all +4 +0.750", ran.out, re.MULTILINE), ran.out
    assert "transcripts.jsonl:4: row 3" in ran.out
    assert "is missing" in ran.out


def test_score_for_ci_and_for_programs(cli: command.Command, transcripts: Path) -> None:
    words = ["episodes", "score", "recipes/conversations.yaml", transcripts]
    assert cli(*words, "--fail-under", "pass=0.7").code == 0
    failed = cli(*words, "--fail-under", "pass=0.9")
    assert (failed.code, failed.err) == (1, "pass is 0.750, at least 0.9 is wanted\n")
    assert cli(*words, "--fail-under", "reward=1").code == 1
    assert cli(*words, "--fail-under", "luck=1").code == 2
    lines = [json.loads(line) for line in cli(*words, "--json").out.splitlines()]
    assert [line["score"]["reward"] == 1.0 for line in lines] == [True, True, True, False]


def test_an_altered_transcript_is_told_and_bad_files_are_refused(cli: command.Command, transcripts: Path) -> None:
    words = ["episodes", "score", "recipes/conversations.yaml", transcripts]
    text = transcripts.read_text()
    transcripts.write_text(text.replace("Bianca Small", "Bianca Large"))
    altered = cli(*words, "--faults")
    assert altered.code == 1
    assert "it is not what comes back" in altered.out
    for bad in ("", "{}\n", "nothing\n", '{"index": 0}\n'):
        transcripts.write_text(bad)
        ran = cli(*words)
        assert ran.code == 2
        assert "transcripts.jsonl" in ran.err


def test_the_code_of_the_page_runs(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    code = re.search(r"```python\n(.*?)```", PAGE, re.DOTALL)
    assert code is not None
    monkeypatch.chdir(ROOT)
    exec(code[1], {})
    assert "{'lookups'" in capsys.readouterr().out
