"""Changes of calls and messages as a whole."""

from itertools import pairwise

from changed_rows import (
    AnyClaim,
    Change,
    Proven,
    rearranged,
    replace,
    with_call,
    with_message,
    with_messages,
    with_proof,
    without_call,
)

from generator.core.conversation import AssistantMessage, SystemMessage, ToolCall, ToolMessage, UserMessage
from planting.changes import Changes


def make_a_call_twice(row: Proven) -> Changes:
    """Everything about the second call is in order, except that it is the first one again."""
    for index in row.at(AssistantMessage):
        for call in row.talk.messages[index].tool_calls:
            again = replace(call, id="again0000", arguments=dict(reversed(call.arguments.items())))
            calls = (*row.talk.messages[index].tool_calls, again)
            result = next(m for m in row.talk.messages if isinstance(m, ToolMessage) and m.tool_call_id == call.id)
            changed = with_message(row, index, tool_calls=calls)
            changed = with_messages(changed, (*changed.talk.messages, replace(result, tool_call_id=again.id)))
            claims: dict[str, list[AnyClaim]] = {
                name: [
                    *getattr(row.proof, name),
                    *[replace(c, call_id=again.id) for c in getattr(row.proof, name) if c.call_id == call.id],
                ]
                for name in ("arguments", "wishes")
            }
            yield Change(call.name, with_proof(changed, **claims))


def add_a_call(row: Proven) -> Changes:
    """Nobody asks for it."""
    for index in row.at(AssistantMessage):
        if row.talk.messages[index].tool_calls:
            for name, arguments in ((next(iter(row.toolbox)), {}), ("no_such_tool", {"x": 1})):
                calls = (*row.talk.messages[index].tool_calls, ToolCall("extra0000", name, arguments))
                yield Change(name, with_message(row, index, tool_calls=calls))


def drop_a_call(row: Proven) -> Changes:
    """With its result and all that is claimed about it; somebody asked for it."""
    used = {row.talk.messages[claim.message or 0].tool_call_id for claim in row.claims("result")}
    is_each = any(claim.pick == "each" for claim in row.proof.arguments)
    for call in row.calls.values():
        if call.id not in used and not is_each and len(row.calls) > 1:
            yield Change(call.name, without_call(row, call.id))


def call_another_tool(row: Proven) -> Changes:
    for call in row.calls.values():
        for name in [name for name in row.toolbox if name != call.name][:3]:
            if call.arguments:
                wishes = [replace(wish, tool=name) if wish.call_id == call.id else wish for wish in row.proof.wishes]
                yield Change(f"{name} for {call.name}", with_proof(with_call(row, call.id, name=name), wishes=wishes))
        yield Change(f"no tool for {call.name}", with_call(row, call.id, name="no_such_tool"))


def give_two_calls_one_id(row: Proven) -> Changes:
    for one, other in pairwise(row.calls.values()):
        yield Change(one.name, with_call(row, other.id, id=one.id))


def let_somebody_else_ask(row: Proven) -> Changes:
    for index in row.at(UserMessage):
        for other in (SystemMessage(row.text(index)), AssistantMessage(row.text(index))):
            messages = list(row.talk.messages)
            messages[index] = other
            yield Change(type(other).__name__, with_messages(row, messages))


def ask_after_the_call(row: Proven) -> Changes:
    for index in row.at(UserMessage):
        order = [*[at for at in range(len(row.talk.messages)) if at != index], index]
        yield Change(f"message {index}", rearranged(row, order))


def exchange_two_messages_of_the_user(row: Proven) -> Changes:
    """A reply stands in the place of the message before it."""
    asked = {ask.message for ask in row.proof.asks} | {one.message for one in row.proof.tells if one.how == "proposed"}
    for one, other in pairwise(row.at(UserMessage)):
        if other - 1 not in asked:  # requests may need nothing of each other
            continue
        order = list(range(len(row.talk.messages)))
        order[one], order[other] = other, one
        yield Change(f"{one} and {other}", rearranged(row, order))


def drop_a_message_of_the_user(row: Proven) -> Changes:
    for index in row.at(UserMessage):
        order = [at for at in range(len(row.talk.messages)) if at != index]
        yield Change(f"message {index}", rearranged(row, order))
