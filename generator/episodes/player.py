"""A model plays an episode: it is shown the conversation and the tools, and what it answers is done or said."""

from collections.abc import Awaitable, Callable
from typing import Any

from generator.conversation import ToolMessage
from generator.episodes.episode import Episode
from generator.episodes.replay import entry_of
from generator.formats.format import tool_object
from generator.llm.account import Account
from generator.llm.asking import ModelAnswer, Request

USE = "play"
"""What requests are for, in the cache of answers."""
Ask = Callable[[Request], Awaitable[ModelAnswer]]

_SILENT = "empty"


def request_of(messages: list[dict[str, Any]], episode: Episode, nth: int) -> Request:
    """Return what a model is asked after these messages: nothing but the row's own conversation and tools."""
    tools = tuple([tool_object(tool) for tool in episode.tools])
    return Request(turns=tuple(messages), tools=tools, nth=nth, use=USE)


async def play(episode: Episode, ask: Ask, nth: int = 0) -> Account:
    """Play an episode that has been begun, to its end; return what it took, whether it was asked now or taken from a cache.

    It ends after `Limits.calls` and `Limits.texts` requests at the latest, since each answer makes a call, says something
    (nothing, too), or is of no use, which ends it.

    Args:
        episode: The episode.
        ask: Asks the model.
        nth: Number of the try, among several at one row.
    """
    spent = Account()
    while not episode.done:
        answer = await ask(request_of([entry_of(message) for message in episode.messages], episode, nth))
        spent.add(answer)
        act(episode, answer)
    return spent


def act(episode: Episode, answer: ModelAnswer) -> None:
    """Do or say what a model has answered."""
    if answer.fault and answer.fault != _SILENT:
        episode.end(f"the model's answer is {answer.fault}")
    elif answer.calls:
        before = sum(isinstance(message, ToolMessage) for message in episode.messages)
        # ids of our own: the next request is the same whatever the server's ids are, and some servers take these nine letters only
        ids = [f"call{number:05}" for number in range(before + 1, before + len(answer.calls) + 1)]
        episode.step([(call.name, call.arguments) for call in answer.calls], ids, answer.text or None)
    else:
        episode.say(answer.text)
