"""A transcript is its own evidence: played again it has the score that it had, and what was altered is found."""

import json
from datetime import date

import pytest
from played import results_differ, rows_of, tasks_of

from benchmarks.slips import SLIPS
from generator.core.errors import FormatError
from generator.core.seeds import Draw
from generator.episodes.player import play_actions as play
from generator.episodes.player import reference_actions
from generator.episodes.replay import read_transcript, replay, transcript_of


def _transcripts(rows: int):
    """Transcripts of good and bad episodes, as they come back from a file."""
    episode = tasks_of("conversations").episode()
    for task in rows_of("conversations", rows):
        ways = [
            reference_actions(task),
            *[slip(task, reference_actions(task), Draw(1, date.min)) for slip in SLIPS.values()],
        ]
        for actions in ways:
            if actions is not None:
                episode.reset(task.row.index)
                play(episode, actions)
                yield json.loads(json.dumps(transcript_of(episode)))


def test_the_score_of_a_replay_is_that_of_the_episode() -> None:
    import msgspec

    episode, count = tasks_of("conversations").episode(), 0
    for record in _transcripts(20):
        found = replay(episode, read_transcript(record))
        assert found.faults == ()
        assert json.loads(json.dumps(msgspec.to_builtins(found.score))) == record["score"]
        count += 1
    assert count > 70


def test_calls_that_are_made_at_once_come_to_the_same_one_after_the_other() -> None:
    """Servers of environments have agents make one call at a time."""
    episode, several = tasks_of("conversations").episode(), 0
    for task in rows_of("conversations", 60):
        several += any(len(action.tool_calls) > 1 for action in reference_actions(task))
        episode.reset(task.row.index)
        for action in reference_actions(task):
            for call in action.tool_calls:
                episode.call(call.name, call.arguments)
            if not action.tool_calls:
                episode.say(action.content or "")
        assert not results_differ(episode), task.row.scenario
    assert several > 10


def test_whatever_is_altered_is_found() -> None:
    episode, altered = tasks_of("conversations").episode(), 0
    for record in _transcripts(8):
        for message in record["messages"]:
            if message["role"] != "assistant":
                before = message["content"]
                message["content"] = before.replace("1", "7").replace("e", "a", 1) if "e" in before else f"{before}x"
                if message["content"] != before:
                    assert replay(episode, read_transcript(record)).faults, message
                    altered += 1
                message["content"] = before
    assert altered > 60


def test_messages_that_are_left_out_or_made_up_are_found() -> None:
    episode = tasks_of("conversations").episode()
    for record in _transcripts(6):
        tools = [at for at, message in enumerate(record["messages"]) if message["role"] == "tool"]
        for at in tools[:1]:
            short = {**record, "messages": record["messages"][:at] + record["messages"][at + 1 :]}
            assert replay(episode, read_transcript(short)).faults
        long = [*record["messages"], {"role": "user", "content": "Thanks, that was right."}]
        assert replay(episode, read_transcript({**record, "messages": long})).faults


@pytest.mark.parametrize(
    "record",
    [
        None,
        [],
        {},
        {"index": "3", "messages": []},
        {"index": 3},
        {"index": 3, "messages": ["x"]},
        {"index": True, "messages": []},
    ],
)
def test_what_is_no_transcript_is_refused(record: object) -> None:
    with pytest.raises(FormatError, match="transcript"):
        read_transcript(record)
