"""A transcript is its own evidence: its calls and texts are played again, and what it says of results and the user must be so.

A line of a file of transcripts is `{"index": 12, "messages": [...]}` with messages as in OpenAI's Chat Completions; other keys
(`score`, `tools`, `recipe`) are passed over. It may have been made anywhere.
"""

from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Message, SystemMessage, ToolMessage, UserMessage
from generator.core.errors import FormatError
from generator.episodes.episode import Episode
from generator.episodes.scoring import Score
from generator.formats.files.records import records_of
from generator.formats.openai_messages import call_entries
from generator.formats.rows.openai import read

_MOST_FAULTS = 5


class Transcript(msgspec.Struct, frozen=True, kw_only=True):
    """What was said and done in an episode."""

    index: int
    """Which row was played."""
    messages: tuple[dict[str, Any], ...]
    """As the file has them, but for arguments, which are objects, or texts where they are no JSON."""
    where: str = ""
    """`file:line`, for messages."""


class Replayed(msgspec.Struct, frozen=True, kw_only=True):
    """A transcript played again."""

    index: int
    scenario: str
    score: Score
    faults: tuple[str, ...] = ()
    """Where it says something else than what comes back: it was altered, or made with another recipe. Then it is no evidence."""


def read_transcripts(path: Path) -> Iterator[Transcript]:
    """Yield the transcripts of a file, JSON lines or one JSON list.

    Raises:
        OutputError: when it cannot be read.
        FormatError: for a line that is none.
    """
    for entry in records_of(path):
        where = f"{path}:{entry.line}"
        if entry.fault:
            raise FormatError(f"{where}: {entry.fault.removeprefix('$: ')}")
        yield read_transcript(entry.record, where)


def read_transcript(record: Any, where: str = "transcript") -> Transcript:
    """Return a transcript; raises FormatError for what is none."""
    if not isinstance(record, dict) or type(record.get("index")) is not int:
        raise FormatError(f"{where}: a transcript has the `index` of the row that was played, a whole number")
    plain, _ = read(record)
    messages = plain.get("messages") if isinstance(plain, dict) else None
    if not isinstance(messages, list) or not all(isinstance(one, dict) and "role" in one for one in messages):
        raise FormatError(f"{where}: a transcript has `messages`, each an object with a `role`")
    for fault in _misshapen(messages):
        raise FormatError(f"{where}: {fault}")
    return Transcript(index=record["index"], messages=tuple(messages), where=where)


def _misshapen(messages: Sequence[dict[str, Any]]) -> Iterator[str]:
    """Yield where messages have something else than texts and calls."""
    for at, message in enumerate(messages):
        place, content, calls = f"$.messages[{at}]", message.get("content"), message.get("tool_calls")
        if not isinstance(content, str | None):
            yield f"{place}.content: a text is expected, not {content!r:.60}"
        if not isinstance(calls, list | None):
            yield f"{place}.tool_calls: a list is expected, not {calls!r:.60}"
        for number, call in enumerate(calls if isinstance(calls, list) else ()):
            function = call.get("function") if isinstance(call, dict) else None
            if not isinstance(function, dict) or not isinstance(function.get("name"), str):
                yield f"{place}.tool_calls[{number}].function: an object with a `name` is expected, not {function!r:.60}"


def transcript_of(episode: Episode, **beside: Any) -> dict[str, Any]:
    """Return an episode as a line of a file of transcripts, with its score; `beside` are other keys of the line."""
    assert episode.task is not None
    score = msgspec.to_builtins(episode.score())
    messages = [entry_of(message) for message in episode.messages]
    for (at, place), text in episode.unread.items():
        messages[at]["tool_calls"][place]["function"]["arguments"] = text
    return {
        "index": episode.task.row.index,
        "scenario": episode.task.row.scenario,
        "messages": messages,
        "ended": episode.ended,
        "score": score,
        **beside,
    }


def entry_of(message: Message) -> dict[str, Any]:
    """Return a message as a transcript, and the OpenAI API, have it."""
    if isinstance(message, ToolMessage):
        return {"role": "tool", "tool_call_id": message.tool_call_id, "content": message.content}
    if isinstance(message, AssistantMessage):
        entry: dict[str, Any] = {"role": "assistant", "content": message.content}
        return entry | ({"tool_calls": call_entries(message.tool_calls, as_text=True)} if message.tool_calls else {})
    return {"role": "system" if isinstance(message, SystemMessage) else "user", "content": message.content}


def replay(episode: Episode, transcript: Transcript) -> Replayed:
    """Play a transcript again; return its score, and where it is not what comes back.

    Raises:
        GeneratorError: when there is no such row.
    """
    episode.reset(transcript.index)
    assert episode.task is not None
    messages = transcript.messages
    first = _next_of_assistant(messages, 0)
    faults = _differing(episode.messages, messages[:first], 0, goes_on=True)
    at = first
    while at < len(messages):
        before, said = len(episode.messages), messages[at]
        if said["role"] == "assistant":
            calls = said.get("tool_calls") or ()
            named = [(call["function"]["name"], call["function"].get("arguments")) for call in calls]
            episode.act(named, [str(call.get("id", "")) for call in calls], said.get("content"))
        following = _next_of_assistant(messages, at + 1)
        told = messages[at + 1 : following]
        faults += _differing(episode.messages[before + 1 :], told, at + 1, goes_on=following < len(messages))
        at = following
    row = episode.task.row
    return Replayed(index=row.index, scenario=row.scenario, score=episode.score(), faults=tuple(faults[:_MOST_FAULTS]))


def _next_of_assistant(messages: Sequence[dict[str, Any]], at: int) -> int:
    """Return the index of the assistant's first message from a place on; beyond the end where there is none."""
    return next((place for place in range(at, len(messages)) if messages[place]["role"] == "assistant"), len(messages))


def _differing(came: Sequence[Message], told: Sequence[dict[str, Any]], first: int, *, goes_on: bool) -> list[str]:
    """Return where the messages of a transcript are not those that came; what comes after its end is left out."""
    faults = []
    for place, entry in enumerate(told):
        message = came[place] if place < len(came) else None
        role = "none" if message is None else _ROLES[type(message)]
        if entry["role"] != role:
            faults.append(f"$.messages[{first + place}]: {entry['role']!r} is told, and {role!r} comes")
        elif message is not None and (entry.get("content") or "") != (message.content or ""):
            faults.append(f"$.messages[{first + place}].content: it is not what comes back")
    if len(told) < len(came) and (told or goes_on):
        faults.append(f"$.messages[{first + len(told)}]: {_ROLES[type(came[len(told)])]!r} is missing")
    return faults


_ROLES: dict[type, str] = {
    SystemMessage: "system",
    UserMessage: "user",
    ToolMessage: "tool",
    AssistantMessage: "assistant",
}
