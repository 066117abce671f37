"""Records checked against a profile: the limits of a target on tools, arguments and results."""

from collections.abc import Iterator
from typing import Any

from generator.core.conversation import Tool, Violation
from generator.core.profiles import Profile, arguments_excess, check_result, tools_excess
from generator.formats.openai_messages import parse_or_text

CODES = {
    "LM101": "The tools keep the limits of the profile (`validate --profile`).",
    "LM102": "The arguments of a call keep the limits of the profile.",
    "LM103": "The result of a call keeps the limits of the profile.",
}


def limits_exceeded(record: Any, profile: Profile) -> Iterator[Violation]:
    """Yield the limits that a record in the DeepFabric shape exceeds; other shapes are left to the rules."""
    if not isinstance(record, dict):
        return
    for index, excess in tools_excess([tool for _, tool in _tools(record)], profile):
        place = _tools(record)[index][0]
        yield Violation("LM101", f"$.tools[{place}].{excess.field}", f"{excess.error}: {excess.message}")
    messages = record.get("messages")
    for index, message in enumerate(messages if isinstance(messages, list) else ()):
        if isinstance(message, dict):
            yield from _check_message(message, f"$.messages[{index}]", profile)


def _tools(record: dict[str, Any]) -> list[tuple[int, Tool]]:
    listed = record.get("tools")
    found = []
    for index, entry in enumerate(listed if isinstance(listed, list) else ()):
        function = entry.get("function") if isinstance(entry, dict) else None
        if isinstance(function, dict) and isinstance(function.get("name"), str):
            description, parameters = function.get("description"), function.get("parameters")
            tool = Tool(
                name=function["name"],
                description=description if isinstance(description, str) else None,
                parameters=parameters if isinstance(parameters, dict) else None,
            )
            found.append((index, tool))
    return found


def _check_message(message: dict[str, Any], path: str, profile: Profile) -> Iterator[Violation]:
    calls = message.get("tool_calls")
    for index, call in enumerate(calls if isinstance(calls, list) else ()):
        function = call.get("function") if isinstance(call, dict) else None
        arguments = parse_or_text(function.get("arguments")) if isinstance(function, dict) else None
        for excess in arguments_excess(arguments, profile) if isinstance(arguments, dict) else ():
            yield Violation("LM102", f"{path}.tool_calls[{index}].{excess.field}", f"{excess.error}: {excess.message}")
    content = message.get("content")
    if message.get("role") == "tool" and isinstance(content, str):
        for excess in check_result(content, profile):
            yield Violation("LM103", f"{path}.content", f"{excess.error}: {excess.message}")
