"""DF5xx: who speaks after whom."""

from collections.abc import Iterator

from generator.validation.record import Message, Record
from generator.validation.rules.base import Fault


def system_comes_first(record: Record) -> Iterator[Fault]:
    """A system message is the first message; there is at most one."""
    for message in record.messages[1:]:
        if message.role == "system":
            yield message.path, "a system message stands only at the beginning"


def user_speaks_first(record: Record) -> Iterator[Fault]:
    """The first message that is not the system's is the user's."""
    first = next((message for message in record.messages if message.role != "system"), None)
    if first is not None and first.role not in (None, "user"):
        yield first.path, f"the first message after the system's should be the user's, not the {first.role}'s"


def results_follow_calls(record: Record) -> Iterator[Fault]:
    """A tool message directly follows the assistant message with its call, or another tool message."""
    for before, message in _neighbours(record):
        makes_calls = before.role == "assistant" and before.body.get("tool_calls") is not None
        if message.role == "tool" and before.role not in (None, "tool") and not makes_calls:
            yield message.path, f"stands after {_described(before)}"


def turns_alternate(record: Record) -> Iterator[Fault]:
    """Two user messages, or two assistant messages, never stand in a row."""
    for before, message in _neighbours(record):
        if message.role in ("user", "assistant") and message.role == before.role:
            yield message.path, f"a second {message.role} message in a row"


def user_waits_for_the_answer(record: Record) -> Iterator[Fault]:
    """A user message never directly follows a tool message."""
    for before, message in _neighbours(record):
        if message.role == "user" and before.role == "tool":
            yield message.path, "the assistant has not spoken since the tool's answer"


def assistant_speaks_last(record: Record) -> Iterator[Fault]:
    """The last message is the assistant's."""
    last = record.messages[-1] if record.messages else None
    if last is not None and last.role not in (None, "assistant"):
        yield last.path, f"the last message should be the assistant's, not the {last.role}'s"


def _neighbours(record: Record) -> Iterator[tuple[Message, Message]]:
    return zip(record.messages, record.messages[1:], strict=False)


def _described(message: Message) -> str:
    return "an assistant message without calls" if message.role == "assistant" else f"a {message.role} message"
