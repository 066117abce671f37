"""Alpaca-like records of one turn: `{"instruction", "input", "output", "system", "tools"}`, all texts.

- `instruction` is the request and `input` is empty
- `output` is what the assistant does first, word for word what a model learns to say. Calls are written as the template of
  the model writes them, which the option `calls` names as LLaMA-Factory does: `qwen` (`<tool_call>` tags; also Hermes and
  others that have them), `llama3` (`{"name", "parameters"}`, several as a list), `mistral` (a list of `{"name",
  "arguments"}`). Without it (`none`) rows with calls are refused: there is no text that all templates read
- results of the calls and the words about them are not part of such a record
- `tools` is a JSON string that holds the list of functions; `system` and `tools` are empty when there are none
- rows with several requests, or with calls in several messages, are refused

Calls in any of these shapes are read.

A run writes `dataset_info.json` beside the files, so that its folder can be LLaMA-Factory's `dataset_dir`.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import msgspec

from generator.core.conversation import Conversation, ToolCall, Violation
from generator.core.errors import CannotCarryError, FormatError
from generator.formats.format import Format, Read, plain_call, plain_record, row_format
from generator.formats.openai_messages import declared_tools, parse_exact_json
from generator.formats.steps import function_text, one_step, placeholder_id, without_parts
from generator.formats.text import Scanner, spaced_json
from generator.formats.texts.calls import CallText, call_syntax_for

_TAGGED = call_syntax_for(CallText(wire="qwen"))


def _llama3_text(calls: tuple[ToolCall, ...]) -> str:
    values = [{"name": call.name, "parameters": call.arguments} for call in calls]
    return spaced_json(values[0] if len(values) == 1 else values)


def _mistral_text(calls: tuple[ToolCall, ...]) -> str:
    return spaced_json([{"name": call.name, "arguments": call.arguments} for call in calls])


_CALL_TEXTS: dict[str, Callable[[tuple[ToolCall, ...]], str]] = {
    "qwen": lambda calls: _TAGGED.write(calls, 0),
    "llama3": _llama3_text,
    "mistral": _mistral_text,
}
"""Template -> the text of calls."""


def render(conversation: Conversation, template: str | None = None) -> dict[str, Any]:
    """Return the record of a conversation, its calls as a template of LLaMA-Factory writes them."""
    step = one_step(conversation)
    if step.calls:
        output = _CALL_TEXTS[_chosen_template(template)](step.calls)
    else:
        output = step.content or ""
        if _read_calls(output):
            raise CannotCarryError("$.messages: an answer that looks like calls")
    tools = f"[{','.join(map(function_text, step.tools))}]" if step.tools else ""
    return {"instruction": step.request, "input": "", "output": output, "system": step.system or "", "tools": tools}


def _chosen_template(name: str | None) -> str:
    """Return the name of the template for calls; raises CannotCarryError where none is chosen."""
    if name is None:
        choices = " or ".join(_CALL_TEXTS)
        raise CannotCarryError(f"$.messages: calls, and no template for their text is chosen (calls: {choices})")
    return name


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
    tools = [{"type": "function", "function": tool} for tool in declared_tools(record, "AL101", faults) or ()]
    return plain_record(messages, tools), faults


def carries(conversation: Conversation, template: str | None = None) -> Conversation:
    """Return the system message, the request, the tools, and what the assistant says first."""
    step = one_step(conversation)
    if step.calls:
        _chosen_template(template)
    carried_step = msgspec.structs.replace(step, system=step.system or None)
    return without_parts(carried_step.conversation(step.tools), "no_schema")


def _read_calls(output: str) -> list[dict[str, Any]]:
    """The calls that an output is, in any template's shape; none when it is anything else."""
    try:
        if output.startswith(_TAGGED.begins):
            scanner = Scanner(output)
            calls = _TAGGED.read(scanner, {})
            return (
                []
                if not scanner.done
                else [plain_call(placeholder_id(n), *call[:2]) for n, call in enumerate(calls, 1)]
            )
        if not output.startswith(("[", "{")):
            return []
        value = parse_exact_json(output)
        return [
            plain_call(placeholder_id(n), *_name_and_arguments(part))
            for n, part in enumerate(value if isinstance(value, list) else [value], 1)
        ]
    except (ValueError, FormatError):
        return []


def _name_and_arguments(value: Any) -> tuple[str, dict[str, Any]]:
    """Name and arguments; raises ValueError for what is no call."""
    keys = value.keys() if isinstance(value, dict) else ()
    if keys not in ({"name", "arguments"}, {"name", "parameters"}):
        raise ValueError("not a call")
    arguments = value["arguments"] if "arguments" in value else value["parameters"]
    if not isinstance(value["name"], str) or not isinstance(arguments, dict):
        raise ValueError("not a call")
    return value["name"], arguments


FORMAT = row_format("alpaca", __doc__, render=render, read=read, carries=carries)


def _with_calls(template: str) -> Format:
    """Return the format whose calls are written as the template of that name writes them."""
    return msgspec.structs.replace(
        FORMAT,
        name=f"alpaca-{template}",
        about=f"one turn as `instruction` and `output`, calls as the template `{template}` writes them",
        render=partial(render, template=template),
        carries=partial(carries, template=template),
        options=(("calls", template),),
    )


OTHER_FORMATS = tuple([_with_calls(template) for template in _CALL_TEXTS])
