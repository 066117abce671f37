"""Keys by which duplicate rows are found: numbers of 63 bits, and hashes of 128 bits for any number of rows."""

from hashlib import blake2b

import msgspec

from generator.core.conversation import AssistantMessage, Message, Row, ToolMessage, UserMessage
from generator.formats.format import compact_json


def duplicate_key(row: Row, unique: str) -> int:
    """Return a number that is equal for duplicate rows; others share one with a chance of 1 in 2^63.

    Args:
        row: A finished row.
        unique: `requests`: what the user says in all turns, without regard to case and white space. `calls`: the set of
            all calls, each a name and arguments.
    """
    text = _common(row, unique)
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1  # a column of whole numbers holds it


def digest_of(row: Row, what: str) -> bytes:
    """Return 16 bytes that are equal for duplicate rows.

    Args:
        row: A finished row.
        what: As `unique` of `duplicate_key`, or `rows`: all messages with their calls and results, and the names of the tools on offer,
            without regard to ids.
    """
    return blake2b(_common(row, what), digest_size=16).digest()


def _common(row: Row, what: str) -> bytes:
    """Return what duplicate rows have in common."""
    if row.document is not None:
        parts = [msgspec.json.encode(row.document).decode()]
    elif what == "rows":
        messages = row.conversation.messages
        parts = [
            *sorted(tool.name for tool in row.conversation.tools),
            *[_without_ids(message) for message in messages],
        ]
    elif what == "requests":
        said = [message.content for message in row.conversation.messages if isinstance(message, UserMessage)]
        parts = [" ".join(text.casefold().split()) for text in said]
    else:
        calls = [call for m in row.conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
        parts = sorted({f"{call.name} {compact_json(with_sorted_keys(call.arguments))}" for call in calls})
    return "\x1f".join(parts).encode("utf-8", "surrogatepass")


def _without_ids(message: Message) -> str:
    role = str(message.__struct_config__.tag)
    if isinstance(message, ToolMessage):
        return f"{role}\x1e{message.name}\x1e{message.content}"
    calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
    said = [f"{call.name} {compact_json(with_sorted_keys(call.arguments))}" for call in calls]
    return "\x1e".join([role, message.content or "", *said])


def with_sorted_keys(value: object) -> object:
    """Return a JSON value with the keys of all objects in one order."""
    if isinstance(value, dict):
        return {key: with_sorted_keys(value[key]) for key in sorted(value)}
    return [with_sorted_keys(item) for item in value] if isinstance(value, list) else value
