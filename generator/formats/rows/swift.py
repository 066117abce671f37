"""ms-swift: `{"messages": [...], "tools": "[...]"}` with the roles `tool_call` and `tool_response`.

- a call is a message of its own with the JSON object `{"name", "arguments"}` as its content; what is said beside calls is an
  `assistant` message before them
- results stand in the order of the calls; there are no ids, names or flags of failed calls
- what the model thinks stands in `<think>` and `</think>` before what it says
- where some message is not to be learnt, all messages of the model say it with `loss`: true or false
- `tools` is a JSON string, and every tool has a `description`, be it empty
- a message that only calls cannot follow another answer: the two would be one

Read as well: LLaMA-Factory's roles in messages, `function_call` and `observation`, calls as a list or a Python literal.
"""

from collections.abc import Iterator
from typing import Any

from generator.core.conversation import AssistantMessage, Conversation, Message, SystemMessage, ToolMessage, Violation
from generator.core.errors import CannotCarryError
from generator.formats.format import Read, compact_json, plain_call, row_format
from generator.formats.openai_messages import ROLES, parse_or_text, python_value, read_arguments, read_messages_record
from generator.formats.steps import (
    described_tool,
    divided_thought,
    in_call_order,
    placeholder_id,
    refuse_calls_behind_answers,
    tagged_thought,
    with_descriptions,
    without_parts,
)

_CALLS, _RESULTS = ("tool_call", "function_call"), ("tool_response", "observation", "tool")


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    refuse_calls_behind_answers(conversation)
    messages = in_call_order(conversation).messages
    marks = not all(message.train for message in messages if type(message) is AssistantMessage)
    entries = [entry for i, message in enumerate(messages) for entry in _entries_of_message(message, i, marks)]
    record: dict[str, Any] = {"messages": entries}
    if conversation.tools:
        record["tools"] = compact_json([described_tool(tool) for tool in conversation.tools])
    return record


def _entries_of_message(message: Message, index: int, marks: bool) -> Iterator[dict[str, Any]]:
    """Yield the entries of a message: what is said, then one for each call."""
    if type(message) is not AssistantMessage:
        if index and type(message) is SystemMessage:
            raise CannotCarryError(f"$.messages[{index}]: a system message that is not the first message")
        role = "tool_response" if type(message) is ToolMessage else ROLES[type(message)]
        yield {"role": role, "content": message.content}
        return
    mark = {"loss": message.train} if marks else {}
    thought = tagged_thought(message, f"$.messages[{index}]")
    if thought or message.content or not message.tool_calls:
        yield {"role": "assistant", "content": thought + (message.content or ""), **mark}
    for call in message.tool_calls:
        yield {"role": "tool_call", "content": compact_json({"name": call.name, "arguments": call.arguments}), **mark}


def carries(conversation: Conversation) -> Conversation:
    """Calls numbered, results in call order; thoughts are one text; no names and error flags; every tool is described."""
    ordered = in_call_order(conversation, numbered=True)
    return with_descriptions(without_parts(ordered, "speakers", "blocks", "is_error", "empty_text", "no_schema"))


def read(record: Any) -> Read:
    """Calls and results become those of the messages before them."""
    faults: list[Violation] = []
    plain = read_messages_record(record, "SW101", faults, train="loss", empty=None)
    messages = plain.get("messages") if isinstance(plain, dict) else None
    if isinstance(messages, list):
        plain["messages"] = list(_Reading(faults).read(messages))
    return plain, faults


class _Reading:
    """The calls that were read so far."""

    def __init__(self, faults: list[Violation]) -> None:
        self._faults = faults
        self._made = 0
        self._open: list[dict[str, Any]] = []

    def read(self, messages: list[Any]) -> Iterator[Any]:
        """Yield the messages, each with its calls."""
        answer: dict[str, Any] | None = None
        for i, message in enumerate(messages):
            role = message.get("role") if isinstance(message, dict) else None
            if role in _CALLS:
                answer = answer or {"role": "assistant", "content": None}
                self._add_calls(message, answer, f"$.messages[{i}]")
                continue
            if answer is not None:
                yield answer
            answer = None
            if role == "assistant" and isinstance(message.get("content"), str):
                thought, text = divided_thought(message["content"])
                answer = message | {"content": text} | ({"thoughts": {"reason": thought}} if thought else {})
            else:
                yield self._tool_message(message, f"$.messages[{i}]") if role in _RESULTS else message
            self._open = self._open if role in _RESULTS else []
        if answer is not None:
            yield answer

    def _add_calls(self, message: dict[str, Any], answer: dict[str, Any], path: str) -> None:
        """Add the calls of a `tool_call` entry to an answer."""
        content = message.get("content")
        value = parse_or_text(content)
        value = python_value(value) if isinstance(value, str) else value
        for call in value if isinstance(value, list) else [value]:
            has_name = isinstance(call, dict) and isinstance(call.get("name"), str)
            arguments, reason = (
                read_arguments(call.get("arguments", call.get("parameters"))) if has_name else (None, "")
            )
            if not has_name or reason:
                self._faults.append(
                    Violation("SW102", f"{path}.content", reason or "is no object with `name` and `arguments`")
                )
                return
            self._made += 1
            self._open.append(plain_call(placeholder_id(self._made), call["name"], arguments))
            answer.setdefault("tool_calls", []).append(self._open[-1])
        answer["content"] = answer["content"] or None
        if message.get("loss") is False:
            answer["train"] = False

    def _tool_message(self, message: dict[str, Any], path: str) -> dict[str, Any]:
        """Return a result as the tool message of the first open call."""
        if not self._open:
            self._faults.append(Violation("SW103", path, "a result without a call"))
            return message
        call = self._open.pop(0)
        return {
            "role": "tool",
            "tool_call_id": call["id"],
            "name": call["function"]["name"],
            "content": message.get("content"),
        }


FORMAT = row_format("swift", __doc__, render=render, read=read, carries=carries)
