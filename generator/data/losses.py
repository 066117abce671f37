"""What of a record does not come through a conversion, by name."""

from collections.abc import Iterator
from typing import Any

from generator.conversation import AssistantMessage, Conversation, Message, ToolMessage

_READ_ANYHOW = frozenset(
    ["weight", "training", "train", "name", "id", "tool_call_id", "tool_calls", "parallel_tool_calls", "available_tools", "function_call", "thoughts", "is_error", "from", "value", "role", "content", "system", "system_instruction", "tools", "input", "prompt", "completion", "history"]
)
"""Keys that are read although the record would not be written with them."""
RESULT_NAMES = "names on results"
_LISTS = ("messages", "conversations", "contents")


def lost_between(before: Conversation, after: Conversation) -> Iterator[str]:
    """Names of what `before` has and `after` has not."""
    yield from _lost_messages(before.messages, after.messages)
    if len(after.tools) < len(before.tools):
        yield "tools"
    for old, new in zip(before.tools, after.tools, strict=False):
        if old.strict is not None and new.strict is None:
            yield "`strict` of tools"
        if old.parameters is not None and old.parameters != new.parameters:
            yield "parts of the schemas of tools"
        if old.description and not new.description:
            yield "descriptions of tools"
        elif (old.description or "") != (new.description or ""):
            yield "parts of the descriptions of tools"


def _lost_messages(before: tuple[Message, ...], after: tuple[Message, ...]) -> Iterator[str]:
    for what, pick in _PARTS:
        old, new = [pick(message) for message in before], [pick(message) for message in after]
        if sum(map(bool, new)) < sum(map(bool, old)):
            yield what
    yield from _changed_texts(before, after)
    if _ids(before) != _ids(after)[: len(_ids(before))]:
        yield "ids of calls (calls are numbered)"
    yield from _changed_results(before, after)


def _changed_results(before: tuple[Message, ...], after: tuple[Message, ...]) -> Iterator[str]:
    if [type(m) for m in before] != [type(m) for m in after]:
        return
    if _answered(before) != _answered(after):
        yield "order of results (calls and results stand in one order)"
    else:
        pairs = zip(before, after, strict=True)
        if any(old.content != new.content for old, new in pairs if isinstance(old, ToolMessage)):
            yield "the writing of results (JSON is written anew)"


def _answered(messages: tuple[Message, ...]) -> list[int]:
    """For each result the number of the call that it answers, whatever the calls' ids are."""
    numbers = {call_id: number for number, call_id in enumerate(_ids(messages))}
    return [numbers.get(m.tool_call_id, -1) for m in messages if isinstance(m, ToolMessage)]


def _changed_texts(before: tuple[Message, ...], after: tuple[Message, ...]) -> Iterator[str]:
    old, new = ([m.content or "" for m in talk if not isinstance(m, ToolMessage)] for talk in (before, after))
    if len(old) == len(new) and old != new:
        bare = [text.strip() for text in old] == [text.strip() for text in new]
        yield "white space around texts" if bare else "parts of texts"


_PARTS: tuple[tuple[str, Any], ...] = (
    ("system messages", lambda m: type(m).__name__ == "SystemMessage"),
    ("results of calls", lambda m: isinstance(m, ToolMessage)),
    ("assistant messages", lambda m: isinstance(m, AssistantMessage)),
    ("text beside calls", lambda m: isinstance(m, AssistantMessage) and m.tool_calls and m.content),
    ("names of speakers", lambda m: not isinstance(m, ToolMessage) and m.name),
    (RESULT_NAMES, lambda m: isinstance(m, ToolMessage) and m.name),
    ("thoughts", lambda m: isinstance(m, AssistantMessage) and m.thoughts is not None),
    ("marks of what is not learnt", lambda m: isinstance(m, AssistantMessage) and not m.train),
    ("marks of failed calls", lambda m: isinstance(m, ToolMessage) and m.is_error),
)


def _ids(messages: tuple[Message, ...]) -> list[str]:
    return [call.id for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls]


def unread_keys(raw: Any, written: Any) -> Iterator[str]:
    """Keys of a record that were not read, as paths: those that the record would not have if it were written again."""
    known = set(_keys(written))
    for key in dict.fromkeys(_keys(raw)):
        if key not in known and key.rpartition(".")[2] not in _READ_ANYHOW:
            yield f"`{key}`"


def _keys(record: Any) -> Iterator[str]:
    """Keys of the record and of its messages that hold something."""
    if not isinstance(record, dict):
        return
    for key, value in record.items():
        if value not in (None, "", [], {}):
            yield key
        if key in _LISTS and isinstance(value, list):
            for message in value:
                if isinstance(message, dict):
                    yield from (f"{key}[].{inner}" for inner, held in message.items() if held not in (None, "", [], {}))
