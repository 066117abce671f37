"""Checks of scrambled rows: everything is the same but for names, which are replaced one for one.

Written without the code that renames: both rows are compared.
"""

import re
from collections.abc import Iterator
from typing import Any

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Renamed, Tool, ToolCall, ToolMessage, Violation
from generator.core.exact_json import same
from generator.core.pointers import resolve

CODE = "SR101"
STATEMENT = "A row with other names says, calls and answers what it did with the usual ones, and tells none of them."


def is_code_name(name: str) -> bool:
    """Whether a name is not a common word: `max_price`, `maxPrice`, `line2`."""
    return re.search(r"[\d_]|[a-z][A-Z]", name) is not None


def scramble_faults(
    before: Conversation, after: Conversation, proof: Proof, renaming: dict[str, Renamed]
) -> list[Violation]:
    """Return violations for everything that differs in more than names.

    Args:
        before: The row with the usual names.
        after: The row with other names.
        proof: What is claimed about the row with other names.
        renaming: Old name of each tool → its new names.
    """
    return [Violation(CODE, path, what) for path, what in _faults(before, after, proof, renaming)]


ScrambleFault = tuple[str, str]


def _faults(
    before: Conversation, after: Conversation, proof: Proof, renaming: dict[str, Renamed]
) -> Iterator[ScrambleFault]:
    news = [new.tool for new in renaming.values()]
    if len(set(news)) < len(news) or not all(_is_one_to_one(new) for new in renaming.values()):
        yield "$", "two names are replaced by the same one"
    if len(before.messages) != len(after.messages) or len(before.tools) != len(after.tools):
        yield "$.messages", "something is left out"
        return
    for at, (old, new) in enumerate(zip(before.messages, after.messages, strict=True)):
        if not _is_same_message(old, new, renaming):
            yield f"$.messages[{at}]", "it differs in more than names"
    for at, (tool, other) in enumerate(zip(before.tools, after.tools, strict=True)):
        yield from [(f"$.tools[{at}]", what) for what in _tool_faults(tool, other, renaming)]
    yield from _lost_claims(after, proof)


def _is_one_to_one(new: Renamed) -> bool:
    maps = [new.arguments, *new.values.values()]
    return all(len(set(one.values())) == len(one) for one in maps)


def _is_same_message(old: Any, new: Any, renaming: dict[str, Renamed]) -> bool:
    if type(old) is not type(new) or old.content != new.content:
        return False
    if isinstance(old, AssistantMessage):
        pairs = list(zip(old.tool_calls, new.tool_calls, strict=False))
        return len(old.tool_calls) == len(new.tool_calls) and all(_is_same_call(*pair, renaming) for pair in pairs)
    if isinstance(old, ToolMessage):
        named = old.name is None or new.name == _new_name(old.name, renaming)
        return named and (old.tool_call_id, old.is_error) == (new.tool_call_id, new.is_error)
    return True


def _new_name(name: str, renaming: dict[str, Renamed]) -> str:
    return renaming[name].tool if name in renaming else name


def _is_same_call(old: ToolCall, new: ToolCall, renaming: dict[str, Renamed]) -> bool:
    names = renaming.get(old.name)
    if names is None or new.name != names.tool or new.id != old.id:
        return False
    return _is_renamed(old.arguments, new.arguments, "", names)


def _is_renamed(old: Any, new: Any, name: str, names: Renamed) -> bool:
    """Whether a value is the same as another one under new names."""
    if isinstance(old, dict):
        if not isinstance(new, dict) or list(new) != [names.arguments.get(key, key) for key in old]:
            return False
        return all(_is_renamed(inner, new[names.arguments.get(key, key)], key, names) for key, inner in old.items())
    if isinstance(old, list):
        if not isinstance(new, list) or len(old) != len(new):
            return False
        return all(_is_renamed(one, other, name, names) for one, other in zip(old, new, strict=True))
    if isinstance(old, str) and old in names.values.get(name, {}):
        return bool(new == names.values[name][old])
    return same(old, new)


_FREE = frozenset({"description", "title"})


def _tool_faults(old: Tool, new: Tool, renaming: dict[str, Renamed]) -> Iterator[str]:
    names = renaming.get(old.name)
    if names is None or new.name != names.tool or new.strict != old.strict:
        yield "its name is not the one it was given"
        return
    if not _is_same_schema(old.parameters, new.parameters, "", names):
        yield "its parameters differ in more than names"
    told = {*renaming, *names.arguments, *[member for members in names.values.values() for member in members]}
    for text in (new.description or "", *_descriptions(new.parameters)):
        for name in [name for name in told if name in text]:
            quoted = rf"[`'\"]{re.escape(name)}[`'\"]"
            plain = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
            if re.search(plain if is_code_name(name) else quoted, text):
                yield f"its descriptions tell the old name {name!r}"


def _is_same_schema(old: Any, new: Any, name: str, names: Renamed) -> bool:
    if not isinstance(old, dict) or not isinstance(new, dict):
        return same(old, new)
    if old.keys() - _FREE != new.keys() - _FREE:
        return False
    return all(_is_same_part(key, old[key], new[key], name, names) for key in old.keys() - _FREE)


def _is_same_part(key: str, old: Any, new: Any, name: str, names: Renamed) -> bool:
    """Whether the content of a keyword is the same under new names."""
    match key:
        case "properties":
            return [names.arguments.get(inner, inner) for inner in old] == list(new) and all(
                _is_same_schema(inner, new[names.arguments.get(place, place)], place, names)
                for place, inner in old.items()
            )
        case "required":
            return [names.arguments.get(inner, inner) for inner in old] == list(new)
        case "items":
            return _is_same_schema(old, new, name, names)
        case "anyOf":
            pairs = zip(old, new, strict=False)
            return len(old) == len(new) and all(_is_same_schema(one, other, name, names) for one, other in pairs)
        case "enum" | "examples" | "default":
            return _is_renamed(old, new, name, names)
        case _:
            return same(old, new)


def _descriptions(schema: Any) -> Iterator[str]:
    if isinstance(schema, dict):
        for key, inner in schema.items():
            if key in _FREE and isinstance(inner, str):
                yield inner
            else:
                yield from _descriptions(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from _descriptions(inner)


def _lost_claims(after: Conversation, proof: Proof) -> Iterator[ScrambleFault]:
    """Yield faults for claims about arguments that do not exist under their new names."""
    calls = {
        call.id: call.arguments
        for message in after.messages
        if isinstance(message, AssistantMessage)
        for call in message.tool_calls
    }
    for claim in proof.arguments:
        try:
            resolve(calls.get(claim.call_id, {}), claim.pointer)
        except LookupError:
            if claim.call_id in calls:
                yield f"$.arguments[{claim.call_id}]{claim.pointer}", "a claim is about an argument that is not there"
