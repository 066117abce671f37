"""Checks of scrambled rows: everything is the same but for names, which are replaced one for one.

Written without the code that renames: both rows are compared.
"""

import re
from collections.abc import Iterator
from typing import Any

import msgspec
import orjson
from msgspec.structs import replace

from generator.core.claims import Proof
from generator.core.conversation import AssistantMessage, Conversation, Message, Renamed, Tool, ToolMessage, Violation
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
    """Yield where two rows differ in more than names: a JSON path, and what is wrong there."""
    news = [new.tool for new in renaming.values()]
    if len(set(news)) < len(news) or not all(_is_one_to_one(new) for new in renaming.values()):
        yield "$", "two names are replaced by the same one"
    if len(before.messages) != len(after.messages) or len(before.tools) != len(after.tools):
        yield "$.messages", "something is left out"
        return
    for at, (old, new) in enumerate(zip(before.messages, after.messages, strict=True)):
        if msgspec.json.encode(_renamed_message(old, renaming)) != msgspec.json.encode(new):
            yield f"$.messages[{at}]", "it differs in more than names"
    for at, (tool, other) in enumerate(zip(before.tools, after.tools, strict=True)):
        yield from [(f"$.tools[{at}]", what) for what in _tool_faults(tool, other, renaming)]
    yield from _lost_claims(after, proof)


def _is_one_to_one(new: Renamed) -> bool:
    """Whether no two arguments, and no two values of one, have the same new name."""
    maps = [new.arguments, *new.values.values()]
    return all(len(set(one.values())) == len(one) for one in maps)


def _renamed_message(message: Message, renaming: dict[str, Renamed]) -> Message:
    """Return a message with the new names of the tools and arguments of its calls, and of the tool that answers."""
    if isinstance(message, AssistantMessage):
        calls = [
            replace(call, name=names.tool, arguments=_renamed(call.arguments, "", names))
            for call in message.tool_calls
            for names in [renaming.get(call.name, Renamed(tool=call.name))]
        ]
        return replace(message, tool_calls=tuple(calls))
    if isinstance(message, ToolMessage) and message.name in renaming:
        return replace(message, name=renaming[message.name].tool)
    return message


def _renamed(value: Any, name: str, names: Renamed) -> Any:
    """Return the value of an argument of this name with the new names of what is in it."""
    if isinstance(value, dict):
        return {names.arguments.get(key, key): _renamed(inner, key, names) for key, inner in value.items()}
    if isinstance(value, list):
        return [_renamed(inner, name, names) for inner in value]
    return names.values.get(name, {}).get(value, value) if isinstance(value, str) else value


_FREE = frozenset({"description", "title"})


def _tool_faults(old: Tool, new: Tool, renaming: dict[str, Renamed]) -> Iterator[str]:
    """Yield why a tool is not the old one with its new names, or tells an old one."""
    names = renaming.get(old.name)
    if names is None or new.name != names.tool or new.strict != old.strict:
        yield "its name is not the one it was given"
        return
    if _renamed_schema(old.parameters, "", names) != _renamed_schema(new.parameters, "", Renamed(tool=new.name)):
        yield "its parameters differ in more than names"
    told = {*renaming, *names.arguments, *[member for members in names.values.values() for member in members]}
    for text in (new.description or "", *_descriptions(new.parameters)):
        for name in [name for name in told if name in text]:
            quoted = rf"[`'\"]{re.escape(name)}[`'\"]"
            plain = rf"(?<![\w-]){re.escape(name)}(?![\w-])"
            if re.search(plain if is_code_name(name) else quoted, text):
                yield f"its descriptions tell the old name {name!r}"


def _renamed_schema(schema: Any, name: str, names: Renamed) -> bytes:
    """Return the schema of parameters with new names, as JSON."""
    return orjson.dumps(_without_texts(schema, name, names))


def _without_texts(schema: Any, name: str, names: Renamed) -> Any:
    """Return the schema of an argument of this name with new names, without its titles and descriptions."""
    if not isinstance(schema, dict):
        return schema
    return {key: _renamed_part(key, part, name, names) for key, part in schema.items() if key not in _FREE}


def _renamed_part(key: str, part: Any, name: str, names: Renamed) -> Any:
    """Return the content of a keyword with new names."""
    match key:
        case "properties":
            return {names.arguments.get(one, one): _without_texts(inner, one, names) for one, inner in part.items()}
        case "required":
            return [names.arguments.get(one, one) for one in part]
        case "items":
            return _without_texts(part, name, names)
        case "anyOf":
            return [_without_texts(branch, name, names) for branch in part]
        case "enum" | "examples" | "default":
            return _renamed(part, name, names)
        case _:
            return part


def _descriptions(schema: Any) -> Iterator[str]:
    """Yield the titles and descriptions anywhere in a schema."""
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
