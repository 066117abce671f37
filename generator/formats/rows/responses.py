"""OpenAI Responses: `{"instructions": "...", "input": [...], "tools": [...]}`, the items of a request and its answer in order.

- an item is a message with `role` and `content`, a `function_call` with its arguments as JSON text, a
  `function_call_output`, or `reasoning`, which is what the model thinks before it speaks or calls
- a call and its result have the same `call_id`; what is said beside calls is a message before them
- the first system message stands under `instructions`, later ones among the items
- a tool is `{"type": "function", "name", "description", "parameters", "strict"}`; names are at most 64 letters, digits, `_`
  and `-`
- there are no names of speakers, no flags; a message that only calls cannot follow another answer: the two would be one

Read as well: `input` as one text, `output` behind it, content in parts, calls and tools of the type `custom`.
"""

from typing import Any

from generator.core.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    Tool,
    ToolMessage,
    Violation,
)
from generator.core.toolbox import once_per_tool
from generator.formats.format import Read, compact_json, plain_call, plain_record, row_format, text_or_json
from generator.formats.openai_messages import (
    CUSTOM_INPUT,
    ROLES,
    check_names,
    declared_tools,
    joined_text_parts,
    read_arguments,
)
from generator.formats.steps import argument_schema, refuse_calls_behind_answers, thought_of, without_parts


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    check_names(conversation)
    refuse_calls_behind_answers(conversation)
    messages = conversation.messages
    has_system = bool(messages) and type(messages[0]) is SystemMessage
    record: dict[str, Any] = {"instructions": messages[0].content} if has_system else {}
    record["input"] = [
        item for i, message in enumerate(messages) if i or not has_system for item in _items_of_message(message, i)
    ]
    if conversation.tools:
        record["tools"] = [_tool_entry(tool) for tool in conversation.tools]
    return record


def _items_of_message(message: Message, index: int) -> list[dict[str, Any]]:
    """Return a message as items: reasoning, what is said, calls; or the output of a call."""
    if type(message) is ToolMessage:
        return [{"type": "function_call_output", "call_id": message.tool_call_id, "output": message.content}]
    items: list[dict[str, Any]] = []
    if thought := thought_of(message):
        summary = [{"type": "summary_text", "text": thought}]
        items.append({"type": "reasoning", "id": f"rs_{index}", "summary": summary})
    calls = message.tool_calls if type(message) is AssistantMessage else ()
    if message.content or not calls:
        items.append({"type": "message", "role": ROLES[type(message)], "content": message.content or ""})
    for call in calls:
        call_fields = {"call_id": call.id, "name": call.name, "arguments": compact_json(call.arguments)}
        items.append({"type": "function_call", **call_fields})
    return items


@once_per_tool
def _tool_entry(tool: Tool) -> dict[str, Any]:
    """Return a tool in the flat form of the Responses API."""
    about = {} if tool.description is None else {"description": tool.description}
    return {
        "type": "function",
        "name": tool.name,
        **about,
        "parameters": argument_schema(tool),
        "strict": tool.strict,
    }


def carries(conversation: Conversation) -> Conversation:
    """All but names, training and error flags; thoughts are one text; beside calls, empty and no content are the same."""
    return without_parts(
        conversation, "speakers", "tool_names", "blocks", "train", "is_error", "empty_text", "no_schema"
    )


def read(record: Any) -> Read:
    """Items become messages; reasoning, what is said and the calls behind it are one."""
    items = record.get("input", record.get("output")) if isinstance(record, dict) else None
    if not isinstance(items, str | list):
        return None, [Violation("RE101", "$.input", "is neither a text nor a list of items")]
    faults: list[Violation] = []
    messages: list[dict[str, Any]] = []
    if isinstance(record.get("instructions"), str):
        messages.append({"role": "system", "content": record["instructions"]})
    for key in ("input", "output"):
        listed = record.get(key) or []
        if not isinstance(listed, str | list):
            return None, [Violation("RE101", f"$.{key}", "is neither a text nor a list of items")]
        for i, item in enumerate([{"role": "user", "content": listed}] if isinstance(listed, str) else listed):
            _read_item(item, messages, f"$.{key}[{i}]", faults)
    tools = declared_tools(record, "RE101", faults) or []
    return plain_record(messages, [_read_tool(tool, f"$.tools[{i}]", faults) for i, tool in enumerate(tools)]), faults


def _read_item(item: Any, messages: list[dict[str, Any]], path: str, faults: list[Violation]) -> None:
    """Add one item of a request or answer to the messages: text, a call, the output of a call, reasoning."""
    kind = item.get("type", "message") if isinstance(item, dict) else None
    if kind in ("function_call_output", "custom_tool_call_output"):
        content = text_or_json(joined_text_parts(item.get("output")))
        messages.append({"role": "tool", "tool_call_id": item.get("call_id"), "content": content})
    elif kind in ("function_call", "custom_tool_call"):
        written_arguments = item.get("arguments") if kind == "function_call" else {"input": item.get("input")}
        arguments, reason = read_arguments(written_arguments)
        if reason:
            faults.append(Violation("RE102", f"{path}.arguments", reason))
        call = plain_call(item.get("call_id"), item.get("name"), arguments)
        _answer_for_item(messages, begins=False).setdefault("tool_calls", []).append(call)
    elif kind == "reasoning":
        parts = item.get("content") or item.get("summary")
        if isinstance(thought := joined_text_parts(parts), str) and thought:
            _answer_for_item(messages, begins=True)["thoughts"] = {"reason": thought}
    elif kind == "message" and isinstance(content := joined_text_parts(item.get("content")), str):
        if item.get("role") == "assistant":
            _answer_for_item(messages, begins=True)["content"] = content
        else:
            role = item.get("role")
            messages.append({"role": "system" if role == "developer" else role, "content": content})
    else:
        what = (
            f"the type {kind!r}" if kind != "message" else "content that is not text (--drop-images leaves images out)"
        )
        faults.append(Violation("RE102", path, f"an item of {what}"))


def _answer_for_item(messages: list[dict[str, Any]], *, begins: bool) -> dict[str, Any]:
    """Return the answer that an item is a part of: the last message, if it has nothing yet that stands behind such an item."""
    last = messages[-1] if messages and messages[-1]["role"] == "assistant" else None
    if last is None or (begins and (last["content"] is not None or "tool_calls" in last)):
        messages.append(last := {"role": "assistant", "content": None})
    return last


def _read_tool(raw: Any, path: str, faults: list[Violation]) -> Any:
    """Return an entry of `tools` as plain records declare it."""
    kind = raw.get("type") if isinstance(raw, dict) else None
    if kind not in ("function", "custom"):
        faults.append(Violation("RE103", path, f"a tool of the type {kind!r}"))
        return raw
    if "function" in raw:
        faults.append(Violation("RE104", f"{path}.function", "the form of Chat Completions, not the flat one"))
        return raw
    about = {key: raw[key] for key in ("name", "description", "strict") if raw.get(key) is not None}
    return {
        "type": "function",
        "function": about | {"parameters": raw.get("parameters") if kind == "function" else CUSTOM_INPUT},
    }


FORMAT = row_format("responses", __doc__, render=render, read=read, carries=carries)
