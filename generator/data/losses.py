"""What of a record does not come through a conversion, by name."""

from collections.abc import Iterator
from functools import cache
from typing import Any

from generator.conversation import AssistantMessage, Conversation, Message, ToolMessage
from generator.formats import Format
from generator.formats.columns import example_records

_READ_ANYHOW = frozenset(
    ["weight", "training", "train", "name", "id", "tool_call_id", "tool_calls", "parallel_tool_calls", "available_tools", "function_call", "thoughts", "is_error", "from", "value", "role", "content", "system", "system_instruction", "tools", "input", "prompt", "completion", "history"]
)
"""Keys that are read although the record would not be written with them."""
RESULT_NAMES = "names on results"
_LISTS = ("messages", "conversations", "contents")
_NOTHING: tuple[Any, ...] = (None, "", [], {})


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
    if len(before) == len(after):  # what comes through as it is needs no second look
        changed = [i for i, message in enumerate(before) if message is not after[i]]
        if not changed:
            return
        old_part, new_part = [before[i] for i in changed], [after[i] for i in changed]
    else:
        old_part, new_part = list(before), list(after)
    for what, pick in _PARTS:
        if sum([bool(pick(message)) for message in new_part]) < sum([bool(pick(message)) for message in old_part]):
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
    ("calls made at once (they follow one another)", lambda m: isinstance(m, AssistantMessage) and len(m.tool_calls) > 1),
    ("text beside calls", lambda m: isinstance(m, AssistantMessage) and m.tool_calls and m.content),
    ("names of speakers", lambda m: not isinstance(m, ToolMessage) and m.name),
    (RESULT_NAMES, lambda m: isinstance(m, ToolMessage) and m.name),
    ("thoughts", lambda m: isinstance(m, AssistantMessage) and m.thoughts is not None),
    ("marks of what is not learnt", lambda m: isinstance(m, AssistantMessage) and not m.train),
    ("marks of failed calls", lambda m: isinstance(m, ToolMessage) and m.is_error),
)


def _ids(messages: tuple[Message, ...]) -> list[str]:
    return [call.id for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls]


def unread_keys(raw: Any, fmt: Format) -> Iterator[str]:
    """Keys of a record, and of its messages, that hold something and that the format does not know, as paths."""
    if not isinstance(raw, dict):
        return
    known = _known_keys(fmt.name)
    found = [key for key in raw if key not in known[""]]
    yield from [f"`{key}`" for key in found if key not in _READ_ANYHOW and raw[key] not in _NOTHING]
    for key in _LISTS:
        messages = raw.get(key)
        if isinstance(messages, list):
            yield from _unread_in(messages, key, known[key])


def _unread_in(messages: list[Any], key: str, known: frozenset[str]) -> Iterator[str]:
    strange: dict[str, None] = {}
    for message in messages:
        if isinstance(message, dict) and not message.keys() <= known:
            strange |= {inner: None for inner in message.keys() - known if message[inner] not in _NOTHING}
    yield from [f"`{key}[].{inner}`" for inner in sorted(strange)]


@cache
def _known_keys(format_name: str) -> dict[str, frozenset[str]]:
    """The keys of the format's records (under the empty text) and of the messages in each list, with those read anyhow."""
    records = example_records(format_name)
    known = {"": frozenset(key for record in records for key in record)}
    for key in _LISTS:
        messages = [message for record in records for message in record.get(key, ())]
        known[key] = _READ_ANYHOW.union(*messages)
    return known
