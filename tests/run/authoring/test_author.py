"""Good, sloppy and hostile authors: what is wrong goes, text by text, and what is right stays."""

import asyncio
from pathlib import Path
from typing import Any

import author_answers
import greenhouse
import pytest
from authors import AS_MEANT, Oracle, entry_as_meant, people, writer

from generator.recipe import ToolFile
from generator.run.author import author
from generator.run.authoring import steps
from generator.run.authoring.bench import Bench, open_bench
from generator.run.authoring.result import Authoring
from generator.run.authoring.writing import load_author_prompts

SERVER = Path(__file__).parents[3] / "tool_specs" / "mcp" / "fieldworks.json"
NAMES = tuple(author_answers.TOOLS)


@pytest.fixture(scope="module")
def bench() -> Bench:
    return open_bench(ToolFile(file=SERVER))


@pytest.fixture(autouse=True)
def _readers_know_what_was_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    """Honest readers read a text as it was written, unless a test says what it really means."""
    items_of = steps.items_of

    def remembering(spec: Any, elements: Any) -> Any:
        found = items_of(spec, elements)
        AS_MEANT.update({item.text: entry_as_meant(item, spec.name) for item in found})
        return found

    monkeypatch.setattr(steps, "items_of", remembering)


def described(bench: Bench, who: Any, oracle: Oracle | None = None, only: Any = NAMES, **more: Any) -> Authoring:
    """What comes of authoring with honest readers."""
    asked = people(who, oracle or Oracle(), **more)
    return asyncio.run(author(bench, asked, load_author_prompts(None), {}, only))


def test_a_good_author_keeps_every_word(bench: Bench):
    done = described(bench, writer(author_answers.SERVER, author_answers.TOOLS))
    assert [(one.element.name, one.element.text, one.why) for tool in done.tools for one in tool.dropped] == []
    assert [tool.refused for tool in done.tools] == ["", "", ""]
    assert {tool.spec.name: tool.spec.effect.kind for tool in done.tools if tool.spec.effect} == {
        "fieldworks_get_job": "get",
        "fieldworks_list_jobs": "find",
        "fieldworks_cancel_job": "move",
    }


def texts(done: Authoring, what: str) -> set[tuple[str, str, str]]:
    """(tool, piece, text) triples of what was kept or dropped."""
    if what == "kept":
        return {(tool.spec.name, one.name, one.text) for tool in done.tools for one in tool.kept}
    return {(tool.spec.name, one.element.name, one.element.text) for tool in done.tools for one in tool.dropped}


def named(planted: list[greenhouse.Planted]) -> set[tuple[str, str, str]]:
    """The same for faults."""
    found = set()
    for tool, path, value, _, _ in planted:
        piece = ".".join(path if path[0] in ("kinds", "say") else ("phrases", *path))
        found.add((tool, piece, str(value["say"] if isinstance(value, dict) else value)))
    return found


@pytest.fixture(scope="module")
def greenhouse_bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    return open_bench(ToolFile(file=greenhouse.write_server(tmp_path_factory.mktemp("greenhouse"))))


def test_planted_faults_are_caught_and_every_good_word_stays(greenhouse_bench: Bench):
    good = texts(described(greenhouse_bench, writer(greenhouse.SERVER, greenhouse.GOOD), only=()), "kept")
    assert len(good) >= 24
    planted = [*greenhouse.FAULTS, *greenhouse.WHOLE]
    oracle = Oracle({part: honest for _, _, _, part, honest in planted if honest is not None})
    done = described(greenhouse_bench, writer(greenhouse.SERVER, greenhouse.with_faults(planted)), oracle, only=())
    kept, dropped = texts(done, "kept"), texts(done, "dropped")
    assert named(planted) & kept == set()
    assert named(planted) <= dropped
    assert good - kept == set()
    assert not any(tool.refused for tool in done.tools)


def test_words_alone_tell_many_faults_whatever_the_readers_say(greenhouse_bench: Bench):
    planted = [fault for fault in (*greenhouse.FAULTS, *greenhouse.WHOLE) if fault[4] is None]
    done = described(greenhouse_bench, writer(greenhouse.SERVER, greenhouse.with_faults(planted)), only=())
    assert named(planted) & texts(done, "kept") == set()
