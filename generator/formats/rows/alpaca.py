"""Alpaca-like records of one turn: `{"instruction", "input", "output", "system", "tools"}`, all texts.

- `instruction` is the request and `input` is empty
- `output` is what the assistant does first: text, or the calls as a JSON list of `{"name", "arguments"}`. Results of the
  calls and the words about them are not part of such a record
- `tools` is a JSON string that holds the list of functions; `system` and `tools` are empty when there are none
- rows with several requests, or with calls in several messages, are refused

A run writes `dataset_info.json` beside the files, so that its folder can be LLaMA-Factory's `dataset_dir`.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from generator.conversation import (
    AssistantMessage,
    Conversation,
    Message,
    SystemMessage,
    Tool,
    UserMessage,
    Violation,
)
from generator.errors import CannotCarryError
from generator.formats.format import Consumer, Format, Policy, Read, compact_json, once_per_tool, tool_object
from generator.formats.openai_messages import parse_json, read_json_list
from generator.formats.steps import numbered_calls, one_step, placeholder_id, schema_of, without

_FAULTS = (
    ("AL101", "`instruction` and `output` are texts, `input` and `system` may be; `tools` is a list as JSON text."),
)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record of a conversation."""
    step = one_step(conversation)
    if step.calls:
        texts = [f'{{"name":{compact_json(c.name)},"arguments":{compact_json(c.arguments)}}}' for c in step.calls]
        output = f"[{','.join(texts)}]"
    else:
        output = step.content or ""
        if _read_calls(output):
            raise CannotCarryError("$.messages: an answer that looks like calls")
    tools = f"[{','.join([_function_text(tool) for tool in step.tools])}]" if step.tools else ""
    return {"instruction": step.request, "input": "", "output": output, "system": step.system or "", "tools": tools}


def read(record: Any) -> Read:
    """The request, with the input behind it, and the calls or the text."""
    record = record if isinstance(record, dict) else {}
    faults = [
        Violation("AL101", f"$.{key}", "is not a text")
        for key in ("instruction", "output", "input", "system")
        if not isinstance(record.get(key), str) and (key in ("instruction", "output") or record.get(key) is not None)
    ]
    if faults:
        return None, faults
    messages: list[dict[str, Any]] = []
    if record.get("system"):
        messages.append({"role": "system", "content": record["system"]})
    request = "\n".join([part for part in (record["instruction"], record.get("input")) if part])
    calls = _read_calls(record["output"])
    messages.append({"role": "user", "content": request})
    messages.append({"role": "assistant"} | ({"tool_calls": calls} if calls else {"content": record["output"]}))
    raw = record.get("tools")
    tools = read_json_list(raw, "$.tools", "AL101", faults) if isinstance(raw, str) else raw
    if not isinstance(tools, list) or not tools:
        return {"messages": messages}, faults
    return {"messages": messages, "tools": [{"type": "function", "function": tool} for tool in tools]}, faults


def carries(conversation: Conversation) -> Conversation:
    """The system message, the request, the tools, and what the assistant does first, calls numbered."""
    step = one_step(conversation)
    messages: list[Message] = [SystemMessage(content=step.system)] if step.system else []
    messages.append(UserMessage(content=step.request))
    messages.append(AssistantMessage(content=step.content, tool_calls=tuple(numbered_calls(step.calls))))
    return without(Conversation(messages=tuple(messages), tools=step.tools), "no_schema")


@once_per_tool
def _function_text(tool: Tool) -> str:
    return compact_json(tool_object(msgspec.structs.replace(tool, parameters=schema_of(tool)))["function"])


def _read_calls(output: str) -> list[dict[str, Any]]:
    """The calls that an output is; none when it is anything else."""
    if not output.startswith("[{"):
        return []
    try:
        calls = list(_calls(parse_json(output)))
    except ValueError:
        return []
    return calls


def _calls(values: Any) -> Iterator[dict[str, Any]]:
    for number, value in enumerate(values, 1):
        if not isinstance(value, dict) or value.keys() != {"name", "arguments"}:
            raise ValueError("not calls")
        if not isinstance(value["name"], str) or not isinstance(value["arguments"], dict):
            raise ValueError("not calls")
        yield {"id": placeholder_id(number), "type": "function", "function": value}


FORMAT = Format(
    name="alpaca",
    about="one turn as `instruction` and `output`, calls as a JSON list",
    page=__doc__,
    render=render,
    read=read,
    carries=carries,
    policy=Policy(
        requests="one",
        text_beside_calls="reject",
        no_content="absent",
        system="field",
        ids="none: calls are numbered",
        id_pattern=None,
    ),
    waives=("DF402", "DF506"),
    faults=_FAULTS,
    consumers=(Consumer("llamafactory", "0.9.5", "`AlpacaDatasetConverter`"),),
    dataset_info={
        "columns": {
            "prompt": "instruction",
            "query": "input",
            "response": "output",
            "system": "system",
            "tools": "tools",
        }
    },
)
