"""Keys by which duplicate rows are found, as numbers of 63 bits."""

from hashlib import blake2b

import msgspec

from generator.conversation import AssistantMessage, Row, UserMessage
from generator.formats.format import compact_json


def key_of(row: Row, unique: str) -> int:
    """Return a number that is equal for duplicate rows; others share one with a chance of 1 in 2^63.

    Args:
        row: A finished row.
        unique: `requests`: what the user says in all turns, without regard to case and white space. `calls`: the set of
            all calls, each a name and arguments.
    """
    if row.document is not None:
        parts = [msgspec.json.encode(row.document).decode()]
    elif unique == "requests":
        said = [message.content for message in row.conversation.messages if isinstance(message, UserMessage)]
        parts = [" ".join(text.casefold().split()) for text in said]
    else:
        calls = [call for m in row.conversation.messages if isinstance(m, AssistantMessage) for call in m.tool_calls]
        parts = sorted({f"{call.name} {compact_json(in_order(call.arguments))}" for call in calls})
    text = "\x1f".join(parts).encode("utf-8", "surrogatepass")
    return int.from_bytes(blake2b(text, digest_size=8).digest(), "big") >> 1  # a column of whole numbers holds it


def in_order(value: object) -> object:
    """A JSON value with the keys of all objects in one order."""
    if isinstance(value, dict):
        return {key: in_order(value[key]) for key in sorted(value)}
    return [in_order(item) for item in value] if isinstance(value, list) else value
