"""Preferences: what a model should say next, and what it should not.

- `{name: trl, rows: preference}` is `{"prompt", "chosen", "rejected", "tools"}` for TRL's DPO and others
- `{name: trl, rows: unpaired}` is `{"prompt", "completion", "label", "tools"}` for TRL's KTO: two records for each preference
- `{name: openai, rows: preference}` is `{"input": {"messages", "tools", "parallel_tool_calls"}, "preferred_output",
  "non_preferred_output"}`
- `{name: sharegpt, rows: ranking}` is LLaMA-Factory's `{"conversations", "chosen", "rejected", "system", "tools"}`
- `{name: sharegpt, rows: unpaired}` is LLaMA-Factory's `{"conversations", "system", "tools", "kto_tag"}` for KTO: two records for each
  preference

What is rejected has exactly one fault, and `defect` is its name (OpenAI takes no keys of ours, so it is left out there). A
run takes what the recipe's `preferences` make of a row. Of any other conversation, the last calls count, and the fault is one
that calls alone can show; which one is decided by what the record holds, so it is always the same.
"""

from collections.abc import Callable
from typing import Any

import msgspec

from generator.core.conversation import AssistantMessage, Conversation, Rejected, Violation
from generator.core.defects import DEFECTS_OF_CALLS, DEFECTS_OF_TRIES, NAMED_DEFECTS, defect_between
from generator.core.errors import CannotCarryError, FormatError
from generator.formats.defects import rejected
from generator.formats.format import Consumer, Format, Read, conversation_of
from generator.formats.steps import without_parts

_CODE = "PD101"
FAULT = (_CODE, "What is rejected differs from what is chosen by the one fault that `defect` names.")
Record = dict[str, Any]


def trl(base: Format) -> Format:
    """Return TRL's format of preferences: `{"prompt", "chosen", "rejected"}`, each a list of messages."""

    def join(good: Record, bad: Record) -> Record:
        *prompt, chosen = good.pop("messages")
        return {"prompt": prompt, "chosen": [chosen], "rejected": [bad["messages"][-1]], **good}

    def part(record: Record, key: str) -> Record:
        rest = {name: value for name, value in record.items() if name not in ("prompt", "chosen", "rejected", "defect")}
        return rest | {"messages": [*record["prompt"], *record[key]]}

    reader = Consumer("trl", "1.16.0", "`DPOTrainer`, `unpair_preference_dataset`")
    return _preference(base, "preference", join, part, ("chosen", "rejected"), reader)


def trl_unpaired(base: Format) -> Format:
    """Return TRL's format of completions with a label: one that is right, or one that is rejected."""

    def join(record: Record, label: bool) -> Record:
        *prompt, completion = record.pop("messages")
        return {"prompt": prompt, "completion": [completion], "label": label, **record}

    def part(record: Record, whole: bool) -> Record:
        """Return the record as one of messages: the prompt, and the completion if the record is wanted whole."""
        rest = {
            name: value for name, value in record.items() if name not in ("prompt", "completion", "label", "defect")
        }
        return rest | {"messages": [*record["prompt"], *(record["completion"] if whole else ())]}

    return _unpaired(base, "label", join, part, Consumer("trl", "1.16.0", "`KTOTrainer`"))


def openai(base: Format) -> Format:
    """Return OpenAI's format of preferences: `{"input": {"messages"}, "preferred_output", "non_preferred_output"}`."""

    def join(good: Record, bad: Record) -> Record:
        """Return OpenAI's record of the prompt that both have, and of their last messages."""
        *prompt, chosen = good.pop("messages")
        return {
            "input": {"messages": prompt, **good},
            "preferred_output": [chosen],
            "non_preferred_output": [bad["messages"][-1]],
        }

    def part(record: Record, key: str) -> Record:
        fields = {name: value for name, value in record["input"].items() if name != "parallel_tool_calls"}
        return fields | {"messages": [*fields["messages"], *record[key]]}

    reader = Consumer("openai", "2.54", "`ChatCompletionMessageParam` of all messages")
    keys = "preferred_output", "non_preferred_output"
    return _preference(base, "preference", join, part, keys, reader, names_defect=False)


def sharegpt(base: Format) -> Format:
    """Return LLaMA-Factory's format of rankings: `{"conversations", "chosen", "rejected"}`."""

    def join(good: Record, bad: Record) -> Record:
        *prompt, chosen = good.pop("conversations")
        return {"conversations": prompt, "chosen": chosen, "rejected": bad["conversations"][-1], **good}

    def part(record: Record, key: str) -> Record:
        rest = {name: value for name, value in record.items() if name not in ("chosen", "rejected", "defect")}
        return rest | {"conversations": [*record["conversations"], record[key]]}

    reader = Consumer("llamafactory", "0.9.5", "`SharegptDatasetConverter` with `ranking`")
    fmt = _preference(base, "ranking", join, part, ("chosen", "rejected"), reader)
    info = base.dataset_info or {}
    columns = {**info["columns"], "chosen": "chosen", "rejected": "rejected"}
    return msgspec.structs.replace(fmt, dataset_info={**info, "ranking": True, "columns": columns})


def sharegpt_unpaired(base: Format) -> Format:
    """Return LLaMA-Factory's format for KTO: conversations of which the last message is right, or is rejected."""

    def part(record: Record, whole: bool) -> Record:
        rest = {name: value for name, value in record.items() if name not in ("kto_tag", "defect")}
        return rest if whole else rest | {"conversations": record["conversations"][:-1]}

    reader = Consumer(
        "llamafactory", "0.9.5", "`SharegptDatasetConverter` with `kto_tag`; `FeedbackDatasetProcessor`: what is learnt"
    )
    fmt = _unpaired(base, "kto_tag", lambda record, label: {**record, "kto_tag": label}, part, reader)
    info = base.dataset_info or {}
    return msgspec.structs.replace(fmt, dataset_info={**info, "columns": {**info["columns"], "kto_tag": "kto_tag"}})


def _unpaired(
    base: Format,
    key: str,
    join: Callable[[Record, bool], Record],
    part: Callable[[Record, bool], Record],
    reader: Consumer,
) -> Format:
    """Return a format of completions with a label, made from a format of conversations.

    Args:
        base: The format of conversations.
        key: The name of the label.
        join: Returns the record of a conversation with its label.
        part: Returns a record as one of a conversation: whole, or without what should be said next.
        reader: Who reads it.
    """

    def render(conversation: Conversation) -> Record:
        """Return the conversation up to what should be said next, or to what is rejected, with its label and the name of the fault."""
        wrong = conversation.rejected
        continued = _up_to_last_learnt(conversation) if wrong is None else _ending_with_rejected(conversation, wrong)
        record = join(base.render(_carried(base, continued)), wrong is None)
        return record if wrong is None else record | {"defect": wrong.defect}

    def read(record: Any) -> Read:
        """Return the plain record of a labelled completion, of which only what should be said next is learnt, and its faults."""
        try:
            label, defect = record.get(key), record.get("defect")
            base_record = part(record, label is not False)  # what is rejected is wrong
        except (AttributeError, KeyError, TypeError):
            return None, [Violation(_CODE, "$", "does not hold a prompt and a completion")]
        has_known_defect = isinstance(defect, str) and defect in NAMED_DEFECTS
        if not isinstance(label, bool) or (defect is not None and (label or not has_known_defect)):
            return None, [Violation(_CODE, f"$.{key}", "is not true, or false with one of the defects as `defect`")]
        plain, faults = base.read(base_record)
        _mark_prompt_as_not_learnt(plain, label)
        return plain, faults

    def wrong(record: Any) -> Rejected | None:
        return None if record[key] else _read_rejected(base, part(record, True), record)

    def carries(conversation: Conversation) -> Conversation:
        """Return what is left of a conversation: its end is learnt; of one with something rejected, only the prompt stays."""
        carried = _only_last_is_learnt(_carried(base, _up_to_last_learnt(conversation)))
        prompt = carried.messages[:-1]
        return carried if conversation.rejected is None else msgspec.structs.replace(carried, messages=prompt)

    about = f"what should be said next, or what should not: one fault, which is named; `{key}` says which"
    record = _made_from(base, "unpaired", about, reader, render=render, read=read, rejected=wrong, carries=carries)
    policy = msgspec.structs.replace(record.policy, records="unpaired")
    waives = (*base.waives, "DF506")  # of what is rejected, the prompt is all that is right
    return msgspec.structs.replace(record, policy=policy, waives=waives)


def _preference(
    base: Format,
    rows: str,
    join: Callable[[Record, Record], Record],
    part: Callable[[Record, str], Record],
    keys: tuple[str, str],
    reader: Consumer,
    *,
    names_defect: bool = True,
) -> Format:
    """Return a format of preferences made from a format of conversations.

    Args:
        base: The format of conversations.
        rows: The choice of its option `rows`.
        join: Returns the record of two conversations: what is chosen, and what is rejected in its place.
        part: Returns the record of one of them, by its key.
        keys: The keys of what is chosen and of what is rejected.
        reader: Who reads it.
        names_defect: Whether `defect` is the name of the fault.
    """

    def carries(conversation: Conversation) -> Conversation:
        return _only_last_is_learnt(_carried(base, _with_rejected_message(conversation, base)))

    def render(conversation: Conversation) -> Record:
        """Return the record of a conversation that ends in what is chosen, and of one that ends in what is rejected."""
        preferred = _with_rejected_message(conversation, base)
        wrong = preferred.rejected
        assert wrong is not None
        bad = _carried(base, _ending_with_rejected(preferred, wrong))
        record = join(base.render(_carried(base, preferred)), base.render(bad))
        return record | {"defect": wrong.defect} if names_defect else record

    def read(record: Any) -> Read:
        """Return the plain record that ends in what is chosen; a fault where what is rejected does not differ by the named defect."""
        try:
            good, bad = (part(record, key) for key in keys)
        except (AttributeError, KeyError, TypeError):
            return None, [Violation(_CODE, "$", "does not hold a prompt, what is chosen and what is rejected")]
        plain, faults = base.read(good)
        _mark_prompt_as_not_learnt(plain)
        plain_rejected, faults_of_rejected = base.read(bad)
        if not faults and not faults_of_rejected and not _differ_by_defect(plain, plain_rejected, record.get("defect")):
            reason = f"is not {' or '.join(NAMED_DEFECTS)}, or not what is wrong with what is rejected"
            faults = [Violation(_CODE, "$.defect", reason)]
        return plain, faults

    def wrong(record: Any) -> Rejected | None:
        return _read_rejected(base, part(record, keys[1]), record)

    about = "what should be said next, and what should not: one fault, which is named"
    made = _made_from(base, rows, about, reader, render=render, read=read, rejected=wrong, carries=carries)
    policy = msgspec.structs.replace(made.policy, records="preferences", learns="calls")
    return msgspec.structs.replace(made, policy=policy)


def _made_from(
    base: Format,
    rows: str,
    about: str,
    reader: Consumer,
    *,
    render: Callable[[Conversation], Record],
    read: Callable[[Any], Read],
    rejected: Callable[[Any], Rejected | None],
    carries: Callable[[Conversation], Conversation],
) -> Format:
    """Return a format that is made from one of conversations: another choice of its option `rows`."""
    return msgspec.structs.replace(
        base,
        name=f"{base.name}-{rows}",
        about=about,
        render=render,
        read=read,
        rejected=rejected,
        carries=carries,
        policy=msgspec.structs.replace(base.policy, train="none", thoughts=False),
        faults=(*base.faults, FAULT),
        options=(("rows", rows), *[option for option in base.options if option[0] != "rows"]),
        consumers=(reader,),
    )


def _carried(base: Format, conversation: Conversation) -> Conversation:
    """Return what the format of conversations carries of one, all of it to be learnt."""
    return base.carries(without_parts(conversation, "train", "thoughts"))


def _with_rejected_message(conversation: Conversation, base: Format) -> Conversation:
    """Return the conversation with what is rejected: as it is, or up to its last calls, with a fault in these."""
    if conversation.rejected is not None:
        return conversation
    calling = [at for at, m in enumerate(conversation.messages) if isinstance(m, AssistantMessage) and m.tool_calls]
    if not calling:
        raise CannotCarryError("$.messages: no calls, so there is nothing to get wrong")
    beginning = msgspec.structs.replace(conversation, messages=conversation.messages[: calling[-1] + 1])
    beginning = _carried(base, beginning)  # what it holds decides which fault it is
    return msgspec.structs.replace(beginning, rejected=Rejected(*rejected(beginning)))


def _ending_with_rejected(conversation: Conversation, wrong: Rejected) -> Conversation:
    """Return the conversation that ends with what is rejected."""
    return msgspec.structs.replace(conversation, messages=(*conversation.messages[:-1], wrong.message))


def _read_rejected(base: Format, bad: Record, record: Record) -> Rejected | None:
    """What is rejected, which stands last in `bad`; None where that is nobody's message."""
    plain, _ = base.read(bad)
    try:
        last = conversation_of(plain).messages[-1]
    except (FormatError, IndexError):
        return None
    defect = record.get("defect")
    defect_name = defect if isinstance(defect, str) else ""
    return Rejected(last, defect_name) if isinstance(last, AssistantMessage) else None


def _only_last_is_learnt(conversation: Conversation) -> Conversation:
    """Return the conversation of which the last message alone is to be learnt: what stands before it is the prompt."""
    *prompt, last = conversation.messages
    messages = [msgspec.structs.replace(m, train=False) if isinstance(m, AssistantMessage) else m for m in prompt]
    return msgspec.structs.replace(conversation, messages=(*messages, last))


def _mark_prompt_as_not_learnt(plain: Any, whole: bool = True) -> None:
    """Mark the prompt as not to be learnt: all messages, but the last where the record is `whole`."""
    messages = plain.get("messages") if isinstance(plain, dict) else None
    prompt = messages if isinstance(messages, list) else []
    for message in prompt[:-1] if whole else prompt:
        if isinstance(message, dict) and message.get("role") == "assistant":
            message["train"] = False


def _up_to_last_learnt(conversation: Conversation) -> Conversation:
    """Return the conversation up to the last message that is to be learnt."""
    learnt = [at for at, m in enumerate(conversation.messages) if isinstance(m, AssistantMessage) and m.train]
    if not learnt:
        raise CannotCarryError("$.messages: nothing is to be learnt")
    return msgspec.structs.replace(conversation, messages=conversation.messages[: learnt[-1] + 1])


def _differ_by_defect(plain: Any, other: Any, name: Any) -> bool:
    """Whether the last messages differ by the fault of that name; a record that names none is anybody's and not checked.

    Faults that calls alone do not show are not looked for: that takes the proof of the row.
    """
    if name is None:
        return True
    try:
        right, wrong = conversation_of(plain), conversation_of(other)
    except FormatError:
        return False
    first, second = right.messages[-1], wrong.messages[-1]
    if (
        not isinstance(name, str)
        or name not in NAMED_DEFECTS
        or not isinstance(first, AssistantMessage)
        or not isinstance(second, AssistantMessage)
    ):
        return False
    if name in DEFECTS_OF_TRIES:
        return first.content != second.content or _names_and_arguments(first) != _names_and_arguments(second)
    if name not in DEFECTS_OF_CALLS:
        return first.content != second.content or len(first.tool_calls) != len(second.tool_calls)
    tools = {tool.name: tool for tool in right.tools}
    return bool(defect_between(first.tool_calls, second.tool_calls, tools) == name)


def _names_and_arguments(message: AssistantMessage) -> list[tuple[str, Any]]:
    return [(call.name, call.arguments) for call in message.tool_calls]
