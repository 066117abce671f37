"""A raw record taken apart once, so that every rule reads the same parts and none trips over bad types.

The record is untrusted: any JSON value. Whatever does not have the expected shape is left out of the
parts here, and the rule about that shape reports it.
"""

from typing import Any

import msgspec

ROLES = ("system", "user", "assistant", "tool")


class Message(msgspec.Struct):
    """One entry of `messages`."""

    path: str
    raw: Any
    body: dict[str, Any]
    """The entry, or an empty object when it is something else."""
    role: str | None
    """One of ROLES; None when it is something else."""


class Call(msgspec.Struct):
    """One entry of an assistant's `tool_calls`."""

    path: str
    raw: Any
    body: dict[str, Any]
    function: dict[str, Any]
    id: str | None
    name: str | None
    """The called function's name, when it is a non-empty string."""


class Step(msgspec.Struct):
    """An assistant message's calls and the tool messages that stand before the next user or assistant turn."""

    calls: list[Call]
    answers: list[Message]


class DeclaredTool(msgspec.Struct):
    """One entry of `tools`."""

    path: str
    raw: Any
    function: dict[str, Any]
    name: str | None


class Record(msgspec.Struct):
    """The parts of a record."""

    raw: Any
    messages: list[Message]
    calls: list[Call]
    steps: list[Step]
    tools: list[DeclaredTool] | None
    """None when the record declares no tools (which is not the same as declaring an empty list)."""


def read_record(raw: Any) -> Record:
    """Take a record apart; never raises."""
    entries = raw.get("messages") if isinstance(raw, dict) else None
    messages = [_message(i, entry) for i, entry in enumerate(entries)] if isinstance(entries, list) else []
    steps = _steps(messages)
    calls = [call for step in steps for call in step.calls]
    declared = raw.get("tools") if isinstance(raw, dict) else None
    tools = [_tool(i, entry) for i, entry in enumerate(declared)] if isinstance(declared, list) else None
    return Record(raw, messages, calls, steps, tools)


def called_tools(record: Record) -> dict[str, DeclaredTool]:
    """The declared tools by name; the first of a name counts."""
    tools: dict[str, DeclaredTool] = {}
    for tool in record.tools or ():
        if tool.name is not None:
            tools.setdefault(tool.name, tool)
    return tools


def _message(index: int, raw: Any) -> Message:
    body = raw if isinstance(raw, dict) else {}
    role = body.get("role")
    return Message(f"$.messages[{index}]", raw, body, role if isinstance(role, str) and role in ROLES else None)


def _steps(messages: list[Message]) -> list[Step]:
    steps = [Step([], [])]
    for message in messages:
        if message.role == "tool":
            steps[-1].answers.append(message)
        elif message.role in ("assistant", "user"):
            steps.append(Step(_calls(message) if message.role == "assistant" else [], []))
    return steps


def _calls(message: Message) -> list[Call]:
    entries = message.body.get("tool_calls")
    if not isinstance(entries, list):
        return []
    return [_call(f"{message.path}.tool_calls[{i}]", entry) for i, entry in enumerate(entries)]


def _call(path: str, raw: Any) -> Call:
    body = raw if isinstance(raw, dict) else {}
    call_id = body.get("id")
    function = _object(body.get("function"))
    return Call(path, raw, body, function, call_id if isinstance(call_id, str) else None, _text(function.get("name")))


def _tool(index: int, raw: Any) -> DeclaredTool:
    function = _object(raw.get("function")) if isinstance(raw, dict) else {}
    return DeclaredTool(f"$.tools[{index}]", raw, function, _text(function.get("name")))


def _object(value: Any) -> dict[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: Any) -> str | None:
    return value if isinstance(value, str) and value else None
