"""One pass over a record that says "surely clean" or "look closer".

It knows only the usual shape of a right record and takes nothing for granted beyond it, so it may turn down
an unusual record that breaks no rule, and never passes one that breaks one. Rows are made with it; the rules
themselves (`rules/`) say what is wrong with the others.
"""

from collections.abc import Callable
from typing import Any, TypeGuard

import jsonschema_rs

from generator.validation.rules.tools import tool_faults
from generator.validation.schemas import compiled

Fits = Callable[[Any], bool]
_known: dict[int, tuple[Any, str, Fits]] = {}
"""id of a tool object → the object (held, so that its id stays its own), its name, its arguments' check."""
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
        known = _known.get(id(tool)) if shared else None
        if known is None:
            known = _look_at(tool)
            if known is None:
                return None
            if shared:
                _remember(known)
        tools[known[1]] = known[2]
    return tools if len(tools) == len(declared) else None


def _look_at(tool: Any) -> tuple[Any, str, Fits] | None:
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
    return tool, function["name"], fits


def _remember(known: tuple[Any, str, Fits]) -> None:
    if len(_known) >= _MOST_KNOWN:
        _known.clear()
    _known[id(known[0])] = known


def _takes_nothing(arguments: Any) -> bool:
    return not arguments


_ORDER = frozenset(
    {
        ("", "system"),
        ("", "user"),
        ("system", "user"),
        ("user", "assistant"),
        ("assistant", "tool"),
        ("tool", "tool"),
        ("tool", "assistant"),
        ("assistant", "user"),
    }
)
"""Who may speak after whom; pending calls decide the rest."""


def _conversation_is_clean(messages: list[Any], tools: dict[str, Fits] | None) -> bool:
    before = ""
    seen: set[str] = set()
    pending: dict[str, str] = {}  # calls of the turn that are not answered yet: id → name of the called tool
    for message in messages:
        role = message.get("role") if type(message) is dict else None
        if type(role) is not str or (before, role) not in _ORDER:
            return False
        if role == "tool":
            clean = _answer_is_clean(message, pending)
        elif role == "assistant":
            clean = not pending and _assistant_is_clean(message, tools, seen, pending)
        else:
            clean = not pending and _words_are_clean(message)
        if not clean:
            return False
        before = role
    return before == "assistant" and not pending


def _words_are_clean(message: dict[str, Any]) -> bool:
    return (
        type(message.get("content")) is str
        and message.get("tool_calls") is None
        and ("name" not in message or _is_text(message["name"]))
    )


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
    if "name" in message and not _is_text(message["name"]):
        return False
    content, calls = message.get("content"), message.get("tool_calls")
    if calls is None:
        return type(content) is str
    if type(calls) is not list or not calls or not (content is None or type(content) is str):
        return False
    for call in calls:
        if type(call) is not dict or not _call_is_clean(call, tools, pending):
            return False
        if call["id"] in seen:
            return False
        seen.add(call["id"])
    return True


def _call_is_clean(call: dict[str, Any], tools: dict[str, Fits] | None, pending: dict[str, str]) -> bool:
    call_id, function = call.get("id"), call.get("function")
    if type(call_id) is not str or len(call_id) != 9 or not (call_id.isascii() and call_id.isalnum()):
        return False
    if call.get("type") != "function" or type(function) is not dict:
        return False
    name, arguments = function.get("name"), function.get("arguments")
    if type(arguments) is not dict or type(name) is not str or not name:
        return False
    pending[call_id] = name
    if tools is None:
        return True
    fits = tools.get(name)
    return fits is not None and fits(arguments)


def _is_text(value: Any) -> TypeGuard[str]:
    return type(value) is str and value != ""
