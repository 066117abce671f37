"""Prompts and the answers that are right: `{"id", "messages", "tools", "answer"}`, a record for each message to be learnt.

- `messages` and `tools` are what a model is given, as chat templates of Hugging Face take them: arguments are objects
- `answer` is what it should say: `{"content": text or null, "calls": [...]}`. Without calls, the right answer is to call
  nothing: the words are one way to say it
- each call has its `name` and `arguments`, and what may differ: `may_omit` (arguments that have their default and may be
  left out), `may_add` (arguments that were left out and may be given with their default), `any_case` (pointers of free
  texts: case and white space do not matter), `accepts` (pointer to other values that are as right; `""` among them: it may be left
  out), `any_order` (pointers of lists of unique elements). The order of calls made
  at once never matters
- `id` is a number made from the prompt; a run adds `scenario` and `row`, and where rows have twins their `family`
- only what a recipe's `train` marks is asked for: with `train: calls` no record's right answer is a text

`python -m generator score ROWS ANSWERS` compares what a model said with such a file, and
`generator.episodes.rewards.call_reward(completion, answer)` compares one completion.
"""

from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Message, Row, Tool, ToolCall, Violation
from generator.core.errors import CannotCarryError
from generator.core.exact_json import same
from generator.core.pointers import escape, parts_of_object
from generator.formats.format import Format, Read, compact_json, number_from_texts, row_format, tool_object, tool_text
from generator.formats.openai_messages import chat_entry, parse_or_text, read_messages_record
from generator.formats.steps import without_parts

Accepted = dict[str, Any]
"""A call that is right: `name` and `arguments`, and where there are any: `may_omit` (arguments that need not be given,
because they have their defaults), `may_add` (arguments that may be given, with the only value they may have),
`accepts` (pointer -> other values that are as right, `""` where it may be left out), `any_case` and `any_order` (pointers of texts in which upper and lower case and white space count as the same, and of lists
whose order does not matter)."""


def accepted(call: ToolCall, tool: Tool | None) -> Accepted:
    """Return the call, with all that may differ in it by the schema of its tool.

    - an argument that is not required and has its default may be left out; one that was left out may be given so
    - of a text without `enum`, `const`, `format` and `pattern`, case and white space do not matter
    - of a list with `uniqueItems`, the order does not matter
    """
    properties, required = parts_of_object(tool.parameters if tool is not None else None)
    defaults = {
        name: part["default"]
        for name, part in properties.items()
        if name not in required and isinstance(part, dict) and "default" in part
    }
    differences = [
        entry
        for name, value in call.arguments.items()
        for entry in _what_may_differ(value, properties.get(name), f"/{escape(name)}")
    ]
    entry_of_call: Accepted = {"name": call.name, "arguments": call.arguments}
    tolerances: Accepted = {
        "may_omit": [
            name for name, value in call.arguments.items() if name in defaults and same(defaults[name], value)
        ],
        "may_add": {name: value for name, value in defaults.items() if name not in call.arguments},
        "accepts": call.accepts or {},
        "any_case": [pointer for kind, pointer in differences if kind == "any_case"],
        "any_order": [pointer for kind, pointer in differences if kind == "any_order"],
    }
    return entry_of_call | {key: value for key, value in tolerances.items() if value}


_EXACT = ("enum", "const", "format", "pattern", "$ref", "anyOf", "oneOf", "allOf")


def _what_may_differ(value: Any, schema: Any, pointer: str) -> list[tuple[str, str]]:
    """Return (what may differ, pointer) for each part of a value: `[("any_case", "/city"), ("any_order", "/tags")]`."""
    schema = schema if isinstance(schema, dict) else {}
    if isinstance(value, str):
        free = schema.get("type") == "string" and not any(key in schema for key in _EXACT)
        return [("any_case", pointer)] if free and value.casefold() != value.upper() else []
    if isinstance(value, dict):
        properties, _ = parts_of_object(schema)
        return [
            e
            for key, item in value.items()
            for e in _what_may_differ(item, properties.get(key), f"{pointer}/{escape(key)}")
        ]
    if isinstance(value, list):
        differences = [("any_order", pointer)] if schema.get("uniqueItems") is True and len(value) > 1 else []
        return differences + [
            e for i, item in enumerate(value) for e in _what_may_differ(item, schema.get("items"), f"{pointer}/{i}")
        ]
    return []


# -------------------------------------------------------------------------------------------------------- the records


def render(conversation: Conversation) -> dict[str, Any]:
    """Return the record whose prompt is the conversation without its last message, and whose answer is that message."""
    *before, last = without_parts(conversation, "thoughts").messages or (None,)
    if not isinstance(last, AssistantMessage):
        raise CannotCarryError("$.messages: does not end with the assistant")
    tools = {tool.name: tool for tool in conversation.tools}
    messages = [chat_entry(message, as_text=False) for message in before if message is not None]
    calls = [{"id": call.id, **accepted(call, tools.get(call.name))} for call in last.tool_calls]
    prompt = compact_json(messages)
    number = number_from_texts(prompt, *map(tool_text, conversation.tools), compact_json(calls), last.content or "")
    record: dict[str, Any] = {"id": str(number), "messages": messages}
    if conversation.tools:
        record["tools"] = [tool_object(tool) for tool in conversation.tools]
    return record | {"answer": {"content": last.content or (None if calls else ""), "calls": calls}}


def read(record: Any) -> Read:
    """The prompt with the answer behind it, which alone is learnt."""
    faults: list[Violation] = []
    answer = record.get("answer") if isinstance(record, dict) else None
    calls = answer.get("calls") if isinstance(answer, dict) else None
    if not isinstance(answer, dict) or not isinstance(calls, list):
        return None, [Violation("EV102", "$.answer", "is not an object with calls")]
    plain = read_messages_record(
        {key: value for key, value in record.items() if key in ("messages", "tools")}, "EV101", faults, empty=None
    )
    if not isinstance(plain.get("messages"), list):
        return None, [Violation("EV101", "$.messages", "is not a list")]
    for message in plain["messages"]:
        if isinstance(message, dict) and message.get("role") == "assistant":
            message["train"] = False
    tool_calls = []
    for i, call in enumerate(calls):
        if (
            not isinstance(call, dict)
            or not isinstance(call.get("name"), str)
            or not isinstance(call.get("arguments"), dict)
        ):
            faults.append(Violation("EV102", f"$.answer.calls[{i}]", "has no name and arguments"))
            continue
        function = {"name": call["name"], "arguments": call["arguments"]}
        if isinstance(call.get("accepts"), dict):
            function["accepts"] = call["accepts"]
        tool_calls.append({"id": call.get("id"), "type": "function", "function": function})
    content_and_calls = {"content": answer.get("content")} | ({"tool_calls": tool_calls} if tool_calls else {})
    plain["messages"] = [*plain["messages"], {"role": "assistant", **content_and_calls}]
    return plain, faults


def carries(conversation: Conversation) -> Conversation:
    """All but thoughts, error flags and the name of who speaks last; only the last message is learnt."""
    if not conversation.messages or not isinstance(conversation.messages[-1], AssistantMessage):
        raise CannotCarryError("$.messages: does not end with the assistant")
    *before, last = without_parts(conversation, "thoughts", "is_error", "empty_text").messages
    messages: list[Message] = [_not_learnt(message) for message in before]
    messages.append(msgspec.structs.replace(last, name=None, train=True))
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def _not_learnt(message: Message) -> Message:
    """Return the message marked as not learnt, its calls without other accepted values."""
    if not isinstance(message, AssistantMessage):
        return message
    calls = [msgspec.structs.replace(call, accepts=None) for call in message.tool_calls]
    return msgspec.structs.replace(message, train=False, tool_calls=tuple(calls))


def label(row: Row) -> dict[str, Any]:
    """Where a record is from."""
    family = {} if row.family is None else {"family": row.family}
    return {"scenario": row.scenario, "row": row.index, **family}


FORMAT = row_format("eval", __doc__, render=render, read=read, carries=carries, label=label)


# ------------------------------------------------------------------------------------------ records for reinforcement learning
# made of formats that are there: what is right is written and read as here, prompts as the other one does

_VERL = """\
verl: `{"data_source", "prompt", "ability", "reward_model", "extra_info"}`, a record for each message to be learnt.

- `prompt` are the messages before it, as chat templates of Hugging Face take them: arguments are objects
- `reward_model` is `{"style": "rule", "ground_truth"}`, whose text is the `answer` of [`eval`](#eval) as JSON
- `extra_info` has `index`, a number made from the prompt, and `tools` as JSON text. verl shows a model the tools of its
  configuration (`tool_config_path`), the same for all rows: make rows with one set of tools for it
- a reward function: `def compute_score(data_source, solution_str, ground_truth, extra_info=None): return
  call_reward(solution_str, ground_truth)`, with `call_reward` of `generator.episodes.rewards`
- in Parquet our columns are JSON text, so that Arrow fills nothing with null; verl wants lists: give it JSON Lines
"""
_NEMO = """\
NeMo Gym: `{"responses_create_params": {"input": [...], "tools": [...]}, "answer": {...}}`, a record for each message to be learnt.

- `responses_create_params` is what [`responses`](#responses) writes of the messages before it
- `answer` is that of [`eval`](#eval), for a resources server with `call_reward` of `generator.episodes.rewards`
- `expected_action` is the same for the server `single_step_tool_use_with_argument_comparison` of NeMo Gym, whose agent
  `agent_ref` names: one call, `function_call_batch` for several, or a message, in whose place any text is right

Read as well: `expected_action` without `answer`, and the `response` of rollouts, which then is the rest of the conversation.
"""
_NEMO_CODES = {"RE104": "NG102"}
"""Code of a fault of `responses` -> its code here, where that is not NG101."""
_AGENT = {"type": "responses_api_agents", "name": "single_step_tool_use_with_argument_comparison_agent"}


def verl(evaluation: Format) -> Format:
    """Return the format of verl, whose records wrap those of the evaluation format."""

    def render(conversation: Conversation) -> dict[str, Any]:
        """Return the record of verl, with the answer as JSON in `reward_model`."""
        record = evaluation.render(conversation)
        about = {"index": int(record["id"]), "tools": compact_json(record.get("tools", []))}
        return {
            "data_source": "tool_calls",
            "prompt": record["messages"],
            "ability": "tool_use",
            "reward_model": {"style": "rule", "ground_truth": compact_json(record["answer"])},
            "extra_info": about,
        }

    def read(record: Any) -> Read:
        """Return the plain record of a record of verl, and its faults."""
        fields = record if isinstance(record, dict) else {}
        evaluation_record = {"messages": fields.get("prompt")}
        about, reward = fields.get("extra_info"), fields.get("reward_model")
        if isinstance(about, dict) and (tools := parse_or_text(about.get("tools"))):
            evaluation_record["tools"] = tools
        answer = parse_or_text(reward.get("ground_truth")) if isinstance(reward, dict) else None
        return _with_fault_code(evaluation.read(evaluation_record | {"answer": answer}), "VE101")

    return row_format("verl", _VERL, render=render, read=read, carries=evaluation.carries, label=label)


def nemo_gym(evaluation: Format, responses: Format) -> Format:
    """Return the format of NeMo Gym: a prompt as in the Responses API, with the answer of the evaluation format."""

    def divided(conversation: Conversation) -> tuple[Conversation, Conversation]:
        carried = evaluation.carries(conversation)
        return carried, msgspec.structs.replace(carried, messages=carried.messages[:-1])

    def render(conversation: Conversation) -> dict[str, Any]:
        """Return the record of NeMo Gym: the request in the Responses API's form, the answer, and the action it stands for."""
        answer = evaluation.render(conversation)["answer"]
        prompt = responses.render(divided(conversation)[1])
        expected = {"expected_action": _expected_action(answer), "agent_ref": _AGENT}
        return {"responses_create_params": prompt, "answer": answer, **expected}

    def carries(conversation: Conversation) -> Conversation:
        """Return the prompt as the Responses API carries it, and the answer behind it, which alone is learnt."""
        carried, prompt = divided(conversation)
        before = responses.carries(prompt)
        messages = [
            msgspec.structs.replace(kept, train=False) if getattr(kept, "train", False) else kept
            for kept in before.messages
        ]
        return msgspec.structs.replace(before, messages=(*messages, carried.messages[-1]))

    def read(record: Any) -> Read:
        """Return the plain record of a record of NeMo Gym, with the answer or the expected action at its end, and its faults."""
        fields = record if isinstance(record, dict) else {}
        prompt, answered = fields.get("responses_create_params"), fields.get("response")
        if not isinstance(prompt, dict):
            return None, [Violation("NG101", "$.responses_create_params", "is not an object")]
        output = answered.get("output") if isinstance(answered, dict) else None
        plain, faults = responses.read(prompt | ({"output": output} if output else {}))
        faults = [msgspec.structs.replace(fault, rule=_NEMO_CODES.get(fault.rule, "NG101")) for fault in faults]
        answer = fields.get("answer", _answer_of_action(fields.get("expected_action")))
        if output or answer is None or any(fault.rule == "NG101" for fault in faults):
            return plain, faults
        plain, of_answer = _with_fault_code(evaluation.read(plain | {"answer": answer}), "NG101")
        return plain, faults + of_answer

    return row_format("nemo_gym", _NEMO, render=render, read=read, carries=carries, label=label)


def _with_fault_code(plain_and_faults: Read, code: str) -> Read:
    """Return what was read, with its faults under a format's own code."""
    plain, faults = plain_and_faults
    return plain, [Violation(code, fault.path, fault.message) for fault in faults]


def _expected_action(answer: dict[str, Any]) -> dict[str, Any]:
    """Return an answer as the action that is expected."""
    calls = [
        {"type": "function_call", "name": call["name"], "arguments": compact_json(call["arguments"])}
        for call in answer["calls"]
    ]
    if len(calls) == 1:
        return calls[0]
    if calls:
        return {"type": "function_call_batch", "calls": calls}
    return {"type": "message", "content": answer["content"]}


def _answer_of_action(action: Any) -> Any:
    """Return an expected action as an answer; None for none."""
    if not isinstance(action, dict):
        return None
    if action.get("type") == "message":
        return {"content": action.get("content"), "calls": []}
    calls = action.get("calls", [action])
    if not isinstance(calls, list) or not all(isinstance(call, dict) for call in calls):
        return None
    return {"content": None, "calls": [call | {"arguments": parse_or_text(call.get("arguments"))} for call in calls]}
