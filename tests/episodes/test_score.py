"""What the score is worth: the row's own actions get all of it, in every scenario; each slip is found; what is as good passes."""

from collections import Counter, defaultdict
from collections.abc import Callable
from datetime import date

import pytest
from nightly import some_of
from played import ROOT, begun, results_differ, rows_of, tasks_of

from benchmarks.slips import AS_GOOD, NOT_SEEN, SLIPS
from generator.core.conversation import AssistantMessage, ToolMessage
from generator.core.seeds import Draw
from generator.episodes.player import play_actions as play
from generator.episodes.player import play_idle, play_reference, reference_actions
from generator.scenarios import SCENARIOS
from generator.scenarios.scripts import SCRIPTED

ROWS = 150
MOST_PASSED = {"gives_up_after_error": 0.05, "acts_instead_of_asking": 0.05}
"""The share of a slip that may pass (a look-up of a wrong address that comes too early changes nothing); 0.01 for all others. More rows: benchmarks/episodes.py."""


@some_of(
    2,
    ("recipe", "rows"),
    [("phrases", ROWS), ("conversations", 60), ("hard", 8), ("openapi", 20), ("your_tools", 20), ("python_tools", 12)],
)
def test_the_rows_own_actions_get_all(recipe: str, rows: int) -> None:
    episode = tasks_of(recipe).episode()
    seen = set()
    for task in rows_of(recipe, rows):
        episode.reset(task.row.index)
        play_reference(episode)
        score = episode.score()
        assert score.reward == 1.0, (recipe, task.row.index, task.row.scenario, score)
        assert score.state is not False
        assert not results_differ(episode)
        assert (score.calls, score.unasked) == (score.needed, 0)
        assert episode.messages == list(_comparable(task.row.conversation.messages, episode.messages))
        seen.add(task.row.scenario)
    episode.close()
    if recipe == "phrases":
        assert len(seen) >= len(SCENARIOS) - len(SCRIPTED) - 2


def _comparable(row, played):  # thoughts and what is learnt are not said by an agent
    for message, other in zip(row, played, strict=True):
        yield other if (message.content or "") == (other.content or "") and type(message) is type(other) else message


@pytest.fixture(scope="module")
def passed() -> dict[str, list[bool]]:
    """For each slip, and each way that is as good, whether each row passed with it."""
    found: dict[str, list[bool]] = defaultdict(list)
    for recipe, rows in (("phrases", ROWS), ("service", 60), ("conversations/error_recover", 12)):
        _try(recipe, rows, found)
    return found


def _try(recipe: str, rows: int, found: dict[str, list[bool]]) -> None:
    episode = tasks_of(recipe).episode()
    for task in rows_of(recipe, rows):
        for name, slip in {**SLIPS, **AS_GOOD, **NOT_SEEN}.items():
            actions = slip(task, reference_actions(task), Draw(task.row.index, date.min))
            if actions is not None:
                episode.reset(task.row.index)
                play(episode, actions)
                found[name].append(episode.score().passed)


@pytest.mark.parametrize("slip", SLIPS)
def test_a_slip_is_found(slip: str, passed: dict[str, list[bool]]) -> None:
    results = passed[slip]
    assert len(results) >= 4, slip
    assert sum(results) / len(results) <= MOST_PASSED.get(slip, 0.01), slip


@pytest.mark.parametrize("way", AS_GOOD)
def test_what_is_as_good_passes(way: str, passed: dict[str, list[bool]]) -> None:
    assert len(passed[way]) >= 30
    assert len(passed[way]) - sum(passed[way]) <= max(1, 0.01 * len(passed[way]))


def test_what_the_score_does_not_see_is_what_the_page_says(passed: dict[str, list[bool]]) -> None:
    page = (ROOT / "docs/episodes.md").read_text(encoding="utf-8")
    assert "an invented fact beside the right ones" in page
    for way in NOT_SEEN:
        assert sum(passed[way]) / len(passed[way]) >= 0.9, way


def _played(scenario: str, text: Callable[[str, str], str], recipe: str = "phrases") -> list[float]:
    """The rewards of rows of a scenario whose calls are right, and whose texts are made of the row's and of the last result."""
    found = []
    episode = tasks_of(recipe).episode()
    for task in rows_of(recipe, ROWS if recipe == "phrases" else 12):
        if task.row.scenario == scenario:
            result, actions = "", []
            for message in task.row.conversation.messages:
                result = message.content if isinstance(message, ToolMessage) else result
                if isinstance(message, AssistantMessage):
                    said = AssistantMessage(content=text(message.content or "", result))
                    actions.append(message if message.tool_calls else said)
            episode.reset(task.row.index)
            play(episode, actions)
            found.append(episode.score().reward)
    assert len(found) >= 4
    return found


def test_an_answer_is_needed_where_no_call_is() -> None:
    assert max(_played("direct_answer", lambda said, result: "OK.", "conversations/direct_answer")) < 1
    assert max(_played("direct_answer", lambda said, result: "", "conversations/direct_answer")) < 1


def test_right_calls_that_are_told_as_failed_do_not_pass() -> None:
    for scenario in ("multiple", "parallel", "sequential"):
        assert max(_played(scenario, lambda said, result: "Sorry, but this failed and nothing was changed.")) < 1


def test_a_result_is_no_answer() -> None:
    for hedge in ("", "This may or may not be right, I could not check it: "):
        assert max(_played("multiple", lambda said, result, hedge=hedge: hedge + result)) < 1


def test_thoughts_before_an_answer_are_not_said() -> None:
    think = "<think>It failed before, sorry. Nothing was changed?</think>\n"
    assert min(_played("multiple", lambda said, result: think + said)) == 1
    assert max(_played("multiple", lambda said, result: f"<think>{said}")) < 1


def test_an_idle_agent_gets_next_to_nothing() -> None:
    rewards, rows = Counter[str](), Counter[str]()
    episode = tasks_of("phrases").episode()
    for task in rows_of("phrases", ROWS):
        episode.reset(task.row.index)
        play_idle(episode)
        score = episode.score()
        assert score.parts["policy"] == 1.0
        rows[task.row.scenario] += 1
        rewards[task.row.scenario] += score.reward
    assert sum(rewards.values()) / sum(rows.values()) < 0.05
    assert {name for name, reward in rewards.items() if reward / rows[name] > 0.2} == set()


def test_nothing_is_paid_for_what_nobody_asked_for() -> None:
    """Also where all the rest is right."""
    write = next(
        (task, call)
        for task in rows_of("phrases", ROWS)
        for message in task.row.conversation.messages
        for call in getattr(message, "tool_calls", ())
        if not task.row.renamed and call.name == "create_reminder"
    )
    task, call = write
    episode = begun("phrases", task.row.index)
    episode.call(call.name, {**call.arguments, "task": "water the plants"})
    play_reference(episode)
    score = episode.score()
    assert score.unasked == 1
    assert score.reward == 0.0
    assert score.parts["writes"] == 0.0
