"""Agents without a model, for what the figures of a real one mean: the row's own actions, and nothing at all."""

from collections.abc import Callable

from generator.conversation import AssistantMessage, ToolMessage
from generator.episodes.episode import Episode

NOTHING = "OK."


def play_own(episode: Episode) -> None:
    """Do and say what the row does and says; an episode has been begun."""
    assert episode.task is not None
    for message in episode.task.row.conversation.messages:
        if type(message) is AssistantMessage and not episode.done:
            if message.tool_calls:
                calls = [(call.name, call.arguments) for call in message.tool_calls]
                episode.step(calls, [call.id for call in message.tool_calls], message.content)
            else:
                episode.say(message.content or "")


def play_idle(episode: Episode) -> None:
    """Call nothing, and say "OK." to everything."""
    while not episode.done:
        episode.say(NOTHING)


def results_differ(episode: Episode) -> bool:
    """Whether a call has another result than in the row, whose own actions were played."""
    assert episode.task is not None
    row = [one.content for one in episode.task.row.conversation.messages if type(one) is ToolMessage]
    return row != [one.content for one in episode.messages if type(one) is ToolMessage]


BASELINES: dict[str, Callable[[Episode], None]] = {"own": play_own, "idle": play_idle}
