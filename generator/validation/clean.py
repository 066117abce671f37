"""One pass over a record that says "surely clean" or "look closer".

It knows only the usual shape of a right record and takes nothing for granted beyond it, so it may turn down
an unusual record that breaks no rule, and never passes one that breaks one. Rows are made with it; the rules
themselves (`rules/`) say what is wrong with the others.
"""

from collections.abc import Callable
from typing import Any

import jsonschema_rs

from generator.validation.rules.tools import tool_faults
from generator.validation.schemas import compiled

Fits = Callable[[Any], bool]
Known = tuple[Any, str, Fits]
"""A tool object (held, so that its id stays its own), its name, its arguments' check."""
_known: dict[int, Known] = {}
"""By id of the tool object."""
_MOST_KNOWN = 2048


def surely_clean(record: Any, *, shared_tools: bool) -> bool:
    """True only for a record that breaks no rule.

    Args:
        record: Any JSON value.
        shared_tools: The tool objects stand in many records and never change: know them again by identity.
    """
    if type(record) is not dict:
        return False
    messages, declared = record.get("messages"), record.get("tools")
    if type(messages) is not list:
        return False
    tools: dict[str, Fits] | None = None
    if declared is not None:
        tools = _declared(declared, shared_tools)
        if tools is None:
            return False
    try:
        return _conversation_is_clean(messages, tools)
    except ValueError:  # an argument that the validator cannot take in
        return False


def _declared(declared: Any, shared: bool) -> dict[str, Fits] | None:
    if type(declared) is not list:
        return None
    tools: dict[str, Fits] = {}
    for tool in declared:
        known = (_known.get(id(tool)) if shared else None) or _look_at(tool, shared)
        if known is None:
            return None
        tools[known[1]] = known[2]
    return tools if len(tools) == len(declared) else None


def _look_at(tool: Any, shared: bool) -> Known | None:
    if next(tool_faults("", tool), None) is not None:
        return None
    function = tool["function"]
    schema = function.get("parameters")
    fits: Fits = _takes_nothing
    if schema is not None:
        validator = compiled(schema)
        if not isinstance(validator, jsonschema_rs.Validator):
            return None
        fits = validator.is_valid
    if shared:
        if len(_known) >= _MOST_KNOWN:
            _known.clear()
        _known[id(tool)] = tool, function["name"], fits
    return tool, function["name"], fits


def _takes_nothing(arguments: Any) -> bool:
    return not arguments


_BEFORE = {"system": ("",), "user": ("", "system", "assistant"), "assistant": ("user", "tool")}
"""After whom one may speak; the open calls say when a tool may."""


def _conversation_is_clean(messages: list[Any], tools: dict[str, Fits] | None) -> bool:
    before = ""
    seen: set[str] = set()
    pending: dict[str, str] = {}  # calls of the turn that are not answered yet: id → name of the called tool
    for message in messages:
        role = message.get("role") if type(message) is dict else None
        if role == "tool":
            if not _answer_is_clean(message, pending):
                return False
        elif pending or type(role) is not str or before not in _BEFORE.get(role, ()):
            return False
        elif role == "assistant":
            if not _assistant_is_clean(message, tools, seen, pending):
                return False
        elif type(message.get("content")) is not str or message.get("tool_calls") is not None or not _is_named(message):
            return False
        before = role
    return before == "assistant" and not pending


def _answer_is_clean(message: dict[str, Any], pending: dict[str, str]) -> bool:
    call_id = message.get("tool_call_id")
    name = pending.pop(call_id, None) if type(call_id) is str else None
    return (
        name is not None
        and message.get("name", name) == name
        and type(message.get("content")) is str
        and message.get("tool_calls") is None
    )


def _assistant_is_clean(
    message: dict[str, Any], tools: dict[str, Fits] | None, seen: set[str], pending: dict[str, str]
) -> bool:
    content, calls = message.get("content"), message.get("tool_calls")
    if calls is None:
        return type(content) is str and _is_named(message)
    if type(calls) is not list or not calls or not (content is None or type(content) is str) or not _is_named(message):
        return False
    for call in calls:
        if type(call) is not dict or call.get("type") != "function":
            return False
        call_id, function = call.get("id"), call.get("function")
        if type(call_id) is not str or type(function) is not dict or call_id in seen or not _is_id(call_id):
            return False
        name, arguments = function.get("name"), function.get("arguments")
        if type(arguments) is not dict or type(name) is not str or not name:
            return False
        if tools is not None and (name not in tools or not tools[name](arguments)):
            return False
        seen.add(call_id)
        pending[call_id] = name
    return True


def _is_id(text: str) -> bool:
    return len(text) == 9 and text.isascii() and text.isalnum()


def _is_named(message: dict[str, Any]) -> bool:
    """Whether it has no name, or one that says something."""
    if "name" not in message:
        return True
    name = message["name"]
    return type(name) is str and name != ""
