"""Agents that play an episode: a model, the row's own actions, and nothing at all (for what the figures of a real one mean).

A model is shown the conversation and the tools, and what it answers is done or said.
"""

from collections.abc import Awaitable, Callable, Generator, Iterable, Sequence
from typing import Any

from generator.core.conversation import AssistantMessage, ToolMessage
from generator.episodes import Task
from generator.episodes.episode import Episode
from generator.episodes.replay import entry_of
from generator.formats.format import tool_object
from generator.llm.asking import Account, ModelAnswer, Request

NOTHING = "OK."


def play_actions(episode: Episode, actions: Iterable[AssistantMessage]) -> None:
    """Do and say one thing after the other, until the episode is over; it has been begun."""
    for action in actions:
        if episode.done:
            return
        calls = [(call.name, call.arguments) for call in action.tool_calls]
        episode.act(calls, [call.id for call in action.tool_calls], action.content)


def reference_actions(task: Task) -> list[AssistantMessage]:
    """Return what a row does and says, in order."""
    return [message for message in task.row.conversation.messages if type(message) is AssistantMessage]


def play_reference(episode: Episode) -> None:
    """Do and say what the row does and says."""
    assert episode.task is not None
    play_actions(episode, reference_actions(episode.task))


def play_idle(episode: Episode) -> None:
    """Call nothing, and say "OK." to everything."""
    while not episode.done:
        episode.say(NOTHING)


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
    (nothing, too), or is of no use, which ends it. `nth` is the number of the try, among several at one row.
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
    """Play an episode that has been begun, to its end; return what it took, whether it was asked now or taken from a cache."""
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
        return
    before = sum(isinstance(message, ToolMessage) for message in episode.messages)
    # ids of our own: the next request is the same whatever the server's ids are, and some servers take these nine letters only
    ids = [f"call{number:05}" for number in range(before + 1, before + len(answer.calls) + 1)]
    episode.act([(call.name, call.arguments) for call in answer.calls], ids, answer.text or None)


def reference_requests(episode: Episode, tries: Sequence[int] = (0,), use: str = USE) -> list[Request]:
    """Return what a model is asked that does what the row does, in each try; the episode has been begun, and is played."""
    first = len(episode.messages)
    play_reference(episode)
    entries = [entry_of(message) for message in episode.messages]
    own = [at for at in range(first, len(entries)) if isinstance(episode.messages[at], AssistantMessage)]
    return [request_of(entries[:at], episode, nth, use) for nth in tries for at in own]
