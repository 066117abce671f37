"""A model plays an episode: it is shown the conversation and the tools, and what it answers is done or said."""

from collections.abc import Awaitable, Callable, Generator, Sequence
from typing import Any

from generator.core.conversation import AssistantMessage, ToolMessage
from generator.episodes.baselines import play_own
from generator.episodes.episode import Episode
from generator.episodes.replay import entry_of
from generator.formats.format import tool_object
from generator.llm.asking import Account, ModelAnswer, Request

USE = "play"
"""What requests are for, in the cache of answers."""
Ask = Callable[[Request], Awaitable[ModelAnswer]]
Turns = Generator[Request, ModelAnswer, None]

_SILENT = "empty"


def request_of(messages: list[dict[str, Any]], episode: Episode, nth: int, use: str = USE) -> Request:
    """Return what a model is asked after these messages: nothing but the row's own conversation and tools."""
    tools = tuple([tool_object(tool) for tool in episode.tools])
    return Request(turns=tuple(messages), tools=tools, nth=nth, use=use)


def turns(episode: Episode, nth: int = 0, use: str = USE) -> Turns:
    """Play an episode that has been begun, to its end: yield each request, and do what the answer that is sent back says.

    It ends after `Limits.calls` and `Limits.texts` requests at the latest, since each answer makes a call, says something
    (nothing, too), or is of no use, which ends it.

    Args:
        episode: The episode.
        nth: Number of the try, among several at one row.
        use: What it is played for.
    """
    while not episode.done:
        answer = yield request_of([entry_of(message) for message in episode.messages], episode, nth, use)
        act(episode, answer)


def following(turns: Turns, answer: ModelAnswer | None = None) -> Request | None:
    """Return the next request, given the answer to the last one; None at the end."""
    try:
        return next(turns) if answer is None else turns.send(answer)
    except StopIteration:
        return None


async def play(episode: Episode, ask: Ask, nth: int = 0) -> Account:
    """Play an episode that has been begun, to its end; return what it took, whether it was asked now or taken from a cache.

    Args:
        episode: The episode.
        ask: Asks the model.
        nth: Number of the try, among several at one row.
    """
    spent, going = Account(), turns(episode, nth)
    request = following(going)
    while request is not None:
        answer = await ask(request)
        spent.add(answer)
        request = following(going, answer)
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


def requests_of_own(episode: Episode, tries: Sequence[int] = (0,), use: str = USE) -> list[Request]:
    """Return what a model is asked that does what the row does, in each try; the episode has been begun, and is played."""
    first = len(episode.messages)
    play_own(episode)
    entries = [entry_of(message) for message in episode.messages]
    own = [at for at in range(first, len(entries)) if isinstance(episode.messages[at], AssistantMessage)]
    return [request_of(entries[:at], episode, nth, use) for nth in tries for at in own]
