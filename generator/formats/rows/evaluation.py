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

from generator.core.conversation import AssistantMessage, Conversation, Message, Row, Violation
from generator.core.errors import CannotCarryError
from generator.formats.accepted import accepted
from generator.formats.format import Consumer, Format, Policy, Read, compact_json, number_of, tool_object, tool_text
from generator.formats.openai_messages import chat_entry, read_messages_record
from generator.formats.steps import without_parts

_FAULTS = (
    ("EV101", "`messages` and `tools` are lists, and arguments are objects."),
    ("EV102", "`answer` is an object with `content` and `calls`, and each call has a `name` and `arguments`."),
)


def render(conversation: Conversation) -> dict[str, Any]:
    """The record that asks for the last message."""
    *before, last = without_parts(conversation, "thoughts").messages or (None,)
    if not isinstance(last, AssistantMessage):
        raise CannotCarryError("$.messages: does not end with the assistant")
    tools = {tool.name: tool for tool in conversation.tools}
    messages = [chat_entry(message, as_text=False) for message in before if message is not None]
    calls = [{"id": call.id, **accepted(call, tools.get(call.name))} for call in last.tool_calls]
    prompt = compact_json(messages)
    number = number_of(prompt, *map(tool_text, conversation.tools), compact_json(calls), last.content or "")
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
    made = []
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
        made.append({"id": call.get("id"), "type": "function", "function": function})
    said = {"content": answer.get("content")} | ({"tool_calls": made} if made else {})
    plain["messages"] = [*plain["messages"], {"role": "assistant", **said}]
    return plain, faults


def carries(conversation: Conversation) -> Conversation:
    """All but thoughts, error flags and the name of who speaks last; only the last message is learnt."""
    if not conversation.messages or not isinstance(conversation.messages[-1], AssistantMessage):
        raise CannotCarryError("$.messages: does not end with the assistant")
    *before, last = without_parts(conversation, "thoughts", "is_error", "empty_text").messages
    messages: list[Message] = [_unlearnt(message) for message in before]
    messages.append(msgspec.structs.replace(last, name=None, train=True))
    return msgspec.structs.replace(conversation, messages=tuple(messages))


def _unlearnt(message: Message) -> Message:
    if not isinstance(message, AssistantMessage):
        return message
    calls = [msgspec.structs.replace(call, accepts=None) for call in message.tool_calls]
    return msgspec.structs.replace(message, train=False, tool_calls=tuple(calls))


def label(row: Row) -> dict[str, Any]:
    """Where a record is from."""
    family = {} if row.family is None else {"family": row.family}
    return {"scenario": row.scenario, "row": row.index, **family}


FORMAT = Format(
    name="eval",
    about="prompts (`messages`, `tools`) and the answers that are right, for `score` and for rewards",
    page=__doc__,
    render=render,
    read=read,
    carries=carries,
    policy=Policy(later_system=True, no_content="empty", train="flag", records="unrolled", accepts=True),
    waives=("DF201", "DF301", "DF501"),
    faults=_FAULTS,
    label=label,
    consumers=(Consumer("bfcl-eval", "2026.3.23", "`ast_checker` finds the same calls right and wrong"),),
)
