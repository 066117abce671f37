"""Agents without a model, for what the figures of a real one mean: the row's own actions, and nothing at all."""

from collections.abc import Iterable

from generator.core.conversation import AssistantMessage
from generator.episodes.episode import Episode
from generator.episodes.opening import Task

NOTHING = "OK."


def play(episode: Episode, actions: Iterable[AssistantMessage]) -> None:
    """Do and say one thing after the other, until the episode is over; it has been begun."""
    for action in actions:
        if episode.done:
            return
        if action.tool_calls:
            calls = [(call.name, call.arguments) for call in action.tool_calls]
            episode.step(calls, [call.id for call in action.tool_calls], action.content)
        else:
            episode.say(action.content or "")


def own_actions(task: Task) -> list[AssistantMessage]:
    """Return what a row does and says, in order."""
    return [message for message in task.row.conversation.messages if type(message) is AssistantMessage]


def play_own(episode: Episode) -> None:
    """Do and say what the row does and says."""
    assert episode.task is not None
    play(episode, own_actions(episode.task))


def play_idle(episode: Episode) -> None:
    """Call nothing, and say "OK." to everything."""
    while not episode.done:
        episode.say(NOTHING)
