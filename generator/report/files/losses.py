"""What a conversion loses of a record, by name."""

from collections.abc import Callable, Iterable, Iterator
from functools import cache
from operator import gt
from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, Tool, ToolMessage
from generator.core.yaml_values import own_data
from generator.formats import Format
from generator.formats.columns import example_records

_KEYS: dict[str, list[str]] = own_data(__file__)
_READ, _FREE = frozenset(_KEYS["read"]), frozenset(_KEYS["free"])
"""Keys that are read although the record would not be written with them; keys behind which names are anybody's."""
RESULT_NAMES = "names on results"
GRAVE = ("calls", "results of calls", "tools")
"""Losses after which a row teaches something else: `convert` exits with 1."""
_NOTHING: tuple[Any, ...] = (None, "", [], {})


def lost_between(before: Conversation, after: Conversation) -> Iterator[str]:
    """Yield names of what `before` has and `after` has not."""
    yield from _lost_messages(before.messages, after.messages)
    if len(after.tools) < len(before.tools):
        yield "tools"
    if len(_ids(after.messages)) < len(_ids(before.messages)):
        yield "calls"
    for old, new in zip(before.tools, after.tools, strict=False):
        if old is not new:
            yield from _lost_of_tool(old, new)


def _lost_of_tool(old: Tool, new: Tool) -> Iterator[str]:
    """Yield the names of what a tool has no more: "`strict` of tools"."""
    if old.strict is not None and new.strict is None:
        yield "`strict` of tools"
    if old.parameters is not None and old.parameters != new.parameters:
        yield "parts of the schemas of tools"
    if old.description and not new.description:
        yield "descriptions of tools"
    elif (old.description or "") != (new.description or ""):
        yield "parts of the descriptions of tools"


def _lost_messages(before: tuple[Message, ...], after: tuple[Message, ...]) -> Iterator[str]:
    """Yield what is lost of the messages; if there are as many after as before, only changed ones are compared."""
    pairs = [(old, new) for old, new in zip(before, after, strict=False) if old is not new]
    if not pairs and len(before) == len(after):
        return
    aligned = len(before) == len(after) and all(type(old) is type(new) for old, new in pairs)
    old_said, old_results = _divided([old for old, _ in pairs] if aligned else before)
    new_said, new_results = _divided([new for _, new in pairs] if aligned else after)
    yield from _fewer(_SAID, old_said, new_said)
    yield from _fewer(_RESULTS, old_results, new_results)
    yield from _changed_texts(old_said, new_said)
    old_ids, new_ids = _ids(old_said), _ids(new_said)
    if old_ids != new_ids[: len(old_ids)]:
        yield "ids of calls (calls are numbered)"
    if aligned and old_results:
        moved = [m.tool_call_id for m in old_results] != [m.tool_call_id for m in new_results]
        if moved and _answered(before) != _answered(after):
            yield "order of results (calls and results stand in one order)"
        elif any(old.content != new.content for old, new in zip(old_results, new_results, strict=True)):
            yield "the writing of results (JSON is written anew)"


def _fewer(parts: tuple[tuple[str, Any], ...], before: list[Any], after: list[Any]) -> Iterator[str]:
    """Yield the parts that a message has no more; where messages were joined, cut or moved, those that fewer have."""
    paired = [type(message) for message in before] == [type(message) for message in after]
    for what, pick in parts if before else ():
        old, new = [bool(pick(message)) for message in before], [bool(pick(message)) for message in after]
        if any(map(gt, old, new)) if paired else sum(new) < sum(old):
            yield what


def _divided(messages: Iterable[Message]) -> tuple[list[Any], list[ToolMessage]]:
    """Return what is said, and the results of calls."""
    listed = list(messages)
    results = [message for message in listed if isinstance(message, ToolMessage)]
    return [message for message in listed if not isinstance(message, ToolMessage)], results


def _answered(messages: tuple[Message, ...]) -> list[int]:
    """Return for each result the number of the call that it answers, regardless of ids."""
    numbers = {call_id: number for number, call_id in enumerate(_ids(messages))}
    return [numbers.get(m.tool_call_id, -1) for m in messages if isinstance(m, ToolMessage)]


def _changed_texts(before: list[Any], after: list[Any]) -> Iterator[str]:
    """Yield how the texts of messages have changed, where there are as many."""
    old, new = ([message.content or "" for message in messages] for messages in (before, after))
    if len(old) == len(new) and old != new:
        differ_in_space = [text.strip() for text in old] == [text.strip() for text in new]
        yield "white space around texts" if differ_in_space else "parts of texts"


def _ids(messages: Iterable[Message]) -> list[str]:
    return [call.id for message in messages if isinstance(message, AssistantMessage) for call in message.tool_calls]


def _of_answers(pick: Callable[[AssistantMessage], Any]) -> Callable[[Message], Any]:
    return lambda message: isinstance(message, AssistantMessage) and pick(message)


_SAID: tuple[tuple[str, Any], ...] = (
    ("system messages", lambda m: isinstance(m, SystemMessage)),
    ("assistant messages", _of_answers(lambda m: True)),
    ("calls made at once (they follow one another)", _of_answers(lambda m: len(m.tool_calls) > 1)),
    ("text beside calls", _of_answers(lambda m: m.tool_calls and m.content)),
    ("names of speakers", lambda m: m.name),
    ("other values that are as right", _of_answers(lambda m: any(call.accepts for call in m.tool_calls))),
    ("thoughts", _of_answers(lambda m: m.thoughts is not None)),
    (
        "blocks of thoughts (they are one text)",
        _of_answers(lambda m: m.thoughts and (m.thoughts.reflect, m.thoughts.introspect) != (None, None)),
    ),
    ("assistant messages that are learnt (one a record)", _of_answers(lambda m: m.train)),
    ("marks of what is not learnt", _of_answers(lambda m: not m.train)),
)
_RESULTS: tuple[tuple[str, Any], ...] = (
    ("results of calls", lambda m: True),
    (RESULT_NAMES, lambda m: m.name),
    ("marks of failed calls", lambda m: m.is_error),
)


def unread_keys(raw: Any, fmt: Format) -> Iterator[str]:
    """Yield the paths of keys with values that the format does not know, anywhere but in arguments and schemas: `messages[].audio`."""
    known_paths = _known_paths(fmt.name)
    unread = {
        path: value
        for path, value in _paths_and_values(raw, "", known_paths)
        if path not in known_paths and value not in _NOTHING
    }
    yield from [
        f"calls in `{path}`" if "'arguments'" in repr(value) else f"`{path}`"
        for path, value in sorted(unread.items(), key=lambda path_and_value: path_and_value[0].count("."))
    ]


def _paths_and_values(value: Any, path: str, known_paths: frozenset[str]) -> Iterator[tuple[str, Any]]:
    """Yield (path, value) of keys in a record; what stands in a key that is not known is not looked at."""
    if isinstance(value, list):
        for item in value:
            yield from _paths_and_values(item, f"{path}[]", known_paths)
    elif isinstance(value, dict):
        for key, inner in value.items():
            inner_path = f"{path}.{key}" if path else key
            if key not in _READ:
                yield inner_path, inner
            is_free = key in _FREE or (key == "input" and path) or (key == "content" and isinstance(inner, dict))
            if not is_free and (inner_path in known_paths or key in _READ):
                yield from _paths_and_values(inner, inner_path, known_paths)


@cache
def _known_paths(format_name: str) -> frozenset[str]:
    """Return the paths of the keys that the format writes."""
    records = example_records(format_name)
    keys = frozenset(key for record in records for key in _key_paths(record))
    return frozenset(
        path for record in records for path, value in _paths_and_values(record, "", keys) if value not in _NOTHING
    )


def _key_paths(value: Any, path: str = "") -> Iterator[str]:
    """Yield the paths of all keys in a value: `messages[].role`."""
    if isinstance(value, list):
        for item in value:
            yield from _key_paths(item, f"{path}[]")
    elif isinstance(value, dict):
        for key, inner in value.items():
            yield (inside := f"{path}.{key}" if path else key)
            yield from _key_paths(inner, inside)
