"""DF1xx: what a record, its messages and its calls are made of."""

from collections.abc import Iterator

from generator.validation.record import ROLES, Record
from generator.validation.rules.base import Fault
from generator.validation.text import kind, quoted, wrong


def record_has_messages(record: Record) -> Iterator[Fault]:
    """A record is an object with a non-empty list `messages` and, if it declares tools, a list `tools`."""
    raw = record.raw
    if not isinstance(raw, dict):
        yield "$", f"a record should be an object, not {kind(raw)}"
        return
    if not isinstance(raw.get("messages"), list):
        yield "$.messages", wrong(raw, "messages", "a list")
    elif not raw["messages"]:
        yield "$.messages", "is empty"
    if raw.get("tools") is not None and not isinstance(raw["tools"], list):
        yield "$.tools", wrong(raw, "tools", "a list")


def roles_are_known(record: Record) -> Iterator[Fault]:
    """Every message is an object whose `role` is `system`, `user`, `assistant` or `tool`."""
    for message in record.messages:
        if not isinstance(message.raw, dict):
            yield message.path, f"a message should be an object, not {kind(message.raw)}"
        elif message.role is None:
            role = message.raw.get("role")
            said = quoted(role) if isinstance(role, str) else kind(role)
            yield f"{message.path}.role", f"should be one of {', '.join(ROLES)}, not {said}"


def content_is_text(record: Record) -> Iterator[Fault]:
    """The content of a system or user message is a string."""
    for message in record.messages:
        if message.role in ("system", "user") and not isinstance(message.body.get("content"), str):
            yield f"{message.path}.content", wrong(message.body, "content", "a string")


def assistant_content_is_text(record: Record) -> Iterator[Fault]:
    """The content of an assistant message is a string; beside calls it may also be absent, empty or null."""
    for message in record.messages:
        if message.role != "assistant":
            continue
        content = message.body.get("content")
        beside_calls = message.body.get("tool_calls") is not None
        if not isinstance(content, str) and not (content is None and beside_calls):
            why = wrong(message.body, "content", "a string")
            yield f"{message.path}.content", why if beside_calls else f"{why} (the message makes no calls)"


def names_are_text(record: Record) -> Iterator[Fault]:
    """A message's `name`, where there is one, is a non-empty string."""
    for message in record.messages:
        name = message.body.get("name")
        if name is not None and not (isinstance(name, str) and name):
            yield f"{message.path}.name", wrong(message.body, "name", "a string")


def calls_are_the_assistants(record: Record) -> Iterator[Fault]:
    """Only assistant messages have `tool_calls`."""
    for message in record.messages:
        if message.role != "assistant" and message.body.get("tool_calls") is not None:
            yield f"{message.path}.tool_calls", f"stands on a message whose role is {message.role or 'unknown'}"


def calls_are_never_empty(record: Record) -> Iterator[Fault]:
    """`tool_calls`, where there is one, is a non-empty list."""
    for message in record.messages:
        calls = message.body.get("tool_calls")
        if message.role == "assistant" and calls is not None and not (isinstance(calls, list) and calls):
            yield f"{message.path}.tool_calls", wrong(message.body, "tool_calls", "a list")


def calls_hold_a_function(record: Record) -> Iterator[Fault]:
    """Every call is an object that holds a `function` object."""
    for call in record.calls:
        if not isinstance(call.raw, dict):
            yield call.path, f"a call should be an object, not {kind(call.raw)}"
        elif not isinstance(call.raw.get("function"), dict):
            yield f"{call.path}.function", wrong(call.raw, "function", "an object")


def call_type_is_function(record: Record) -> Iterator[Fault]:
    """The `type` of every call is `function`."""
    for call in record.calls:
        value = call.body.get("type")
        if isinstance(call.raw, dict) and value != "function":
            said = quoted(value) if isinstance(value, str) else kind(value)
            yield f"{call.path}.type", f"should be 'function', not {said}"


def functions_are_named(record: Record) -> Iterator[Fault]:
    """The `name` of a called function is a non-empty string."""
    for call in record.calls:
        if isinstance(call.body.get("function"), dict) and call.name is None:
            yield f"{call.path}.function.name", wrong(call.function, "name", "a string")
