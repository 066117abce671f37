"""Preferences: what a model should say next, and what it should not, where it calls tools.

- `{name: trl, rows: preference}` is `{"prompt", "chosen", "rejected", "tools"}` for TRL's DPO and others; TRL's
  `unpair_preference_dataset` makes rows for KTO of it
- `{name: openai, rows: preference}` is `{"input": {"messages", "tools", "parallel_tool_calls"}, "preferred_output",
  "non_preferred_output"}`
- `{name: sharegpt, rows: ranking}` is LLaMA-Factory's `{"conversations", "chosen", "rejected", "system", "tools"}`

A run writes a record for each message with calls that is to be learnt; of any other conversation, the last calls count. The rejected calls have exactly one fault, and `defect`
is its name (OpenAI takes no keys of ours, so it is left out there). Which one is decided by what the record holds, so it is always the same.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.conversation import AssistantMessage, Conversation, Violation
from generator.errors import CannotCarryError, FormatError
from generator.formats.defects import DEFECTS, defect_between, rejected
from generator.formats.format import Consumer, Format, Read, conversation_of
from generator.formats.steps import without

_CODE = "PD101"
FAULT = (_CODE, "What is rejected differs from what is chosen by the one fault that `defect` names.")
Record = dict[str, Any]


def trl(base: Format) -> Format:
    """TRL's preferences."""

    def join(good: Record, bad: Record) -> Record:
        *prompt, chosen = good.pop("messages")
        return {"prompt": prompt, "chosen": [chosen], "rejected": [bad["messages"][-1]], **good}

    def part(record: Record, key: str) -> Record:
        rest = {name: value for name, value in record.items() if name not in ("prompt", "chosen", "rejected", "defect")}
        return rest | {"messages": [*record["prompt"], *record[key]]}

    reader = Consumer("trl", "1.16.0", "`DPOTrainer`, `unpair_preference_dataset`")
    return _preference(base, "preference", join, lambda r: part(r, "chosen"), lambda r: part(r, "rejected"), reader)


def openai(base: Format) -> Format:
    """OpenAI's preferences."""

    def join(good: Record, bad: Record) -> Record:
        *prompt, chosen = good.pop("messages")
        return {"input": {"messages": prompt, **good}, "preferred_output": [chosen], "non_preferred_output": [bad["messages"][-1]]}

    def part(record: Record, key: str) -> Record:
        given = {name: value for name, value in record["input"].items() if name != "parallel_tool_calls"}
        return given | {"messages": [*given["messages"], *record[key]]}

    reader = Consumer("openai", "2.54", "`ChatCompletionMessageParam` of all messages")
    return _preference(
        base, "preference", join, lambda r: part(r, "preferred_output"), lambda r: part(r, "non_preferred_output"), reader, named=False
    )


def sharegpt(base: Format) -> Format:
    """LLaMA-Factory's ranking."""

    def join(good: Record, bad: Record) -> Record:
        *prompt, chosen = good.pop("conversations")
        return {"conversations": prompt, "chosen": chosen, "rejected": bad["conversations"][-1], **good}

    def part(record: Record, key: str) -> Record:
        rest = {name: value for name, value in record.items() if name not in ("chosen", "rejected", "defect")}
        return rest | {"conversations": [*record["conversations"], record[key]]}

    reader = Consumer("llamafactory", "0.9.5", "`SharegptDatasetConverter` with `ranking`")
    made = _preference(base, "ranking", join, lambda r: part(r, "chosen"), lambda r: part(r, "rejected"), reader)
    info = base.dataset_info or {}
    columns = {**info["columns"], "chosen": "chosen", "rejected": "rejected"}
    return msgspec.structs.replace(made, dataset_info={**info, "ranking": True, "columns": columns})


def _preference(
    base: Format,
    rows: str,
    join: Callable[[Record, Record], Record],
    chosen_of: Callable[[Record], Record],
    rejected_of: Callable[[Record], Record],
    reader: Consumer,
    *,
    named: bool = True,
) -> Format:
    """Preferences in the manner of a format of conversations."""

    def carries(conversation: Conversation) -> Conversation:
        carried = base.carries(without(_to_calls(conversation), "train"))
        rejected(carried)
        return carried

    def render(conversation: Conversation) -> Record:
        carried = base.carries(without(_to_calls(conversation), "train"))
        wrong, name = rejected(carried)
        bad = msgspec.structs.replace(carried, messages=(*carried.messages[:-1], wrong))
        record = join(base.render(carried), base.render(bad))
        return record | {"defect": name} if named else record

    def read(record: Any) -> Read:
        try:
            good, bad = chosen_of(record), rejected_of(record)
        except (AttributeError, KeyError, TypeError):
            return None, [Violation(_CODE, "$", "does not hold a prompt, what is chosen and what is rejected")]
        plain, faults = base.read(good)
        other, others = base.read(bad)
        if not faults and not others and not _differs(plain, other, record.get("defect")):
            faults = [Violation(_CODE, "$.defect", f"is not {' or '.join(DEFECTS)}, or not what is wrong with the rejected calls")]
        return plain, faults

    policy = msgspec.structs.replace(base.policy, records="unrolled", learns="calls", train="none")
    return msgspec.structs.replace(
        base,
        name=f"{base.name}-{rows}",
        about="what should be said next where tools are called, and what should not: one fault, which is named",
        render=render,
        read=read,
        carries=carries,
        policy=policy,
        faults=(*base.faults, FAULT),
        options=(("rows", rows), *[option for option in base.options if option[0] != "rows"]),
        consumers=(reader,),
    )


def _to_calls(conversation: Conversation) -> Conversation:
    """The conversation up to the last message that calls."""
    calling = [at for at, m in enumerate(conversation.messages) if isinstance(m, AssistantMessage) and m.tool_calls]
    if not calling:
        raise CannotCarryError("$.messages: no calls, so there is nothing to get wrong")
    return msgspec.structs.replace(conversation, messages=conversation.messages[: calling[-1] + 1])


def _differs(plain: Any, other: Any, name: Any) -> bool:
    """Whether the last messages differ by the fault of that name; a record that names none is anybody's and not checked."""
    if name is None:
        return True
    try:
        right, wrong = conversation_of(plain), conversation_of(other)
    except FormatError:
        return False
    first, second = right.messages[-1], wrong.messages[-1]
    if not isinstance(first, AssistantMessage) or not isinstance(second, AssistantMessage):
        return False
    tools = {tool.name: tool for tool in right.tools}
    return bool(defect_between(first.tool_calls, second.tool_calls, tools) == name)
