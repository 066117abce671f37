"""DF4xx: which answer belongs to which call."""

from collections import Counter
from collections.abc import Iterator

from generator.validation.record import Call, Message, Record, Step
from generator.validation.rules.base import Fault
from generator.validation.text import quoted, wrong


def answers_name_their_call(record: Record) -> Iterator[Fault]:
    """Every tool message has a `tool_call_id` that is the id of a call made since the last user or assistant turn."""
    places = {call.id: call.path for call in record.calls if call.id is not None}
    for step in record.steps:
        in_scope = {call.id for call in step.calls}
        for answer in step.answers:
            call_id = answer.body.get("tool_call_id")
            if isinstance(call_id, str) and call_id in in_scope:
                continue
            yield f"{answer.path}.tool_call_id", _why_unlinked(answer, places)


def calls_are_answered_once(record: Record) -> Iterator[Fault]:
    """Every call is answered exactly once before the next user or assistant turn."""
    for step in record.steps:
        yield from _unanswered(step)
        yield from _answered_again(step)


def results_are_text(record: Record) -> Iterator[Fault]:
    """The content of a tool message is a string."""
    for message in record.messages:
        if message.role == "tool" and not isinstance(message.body.get("content"), str):
            yield f"{message.path}.content", wrong(message.body, "content", "a string")


def results_name_the_called_tool(record: Record) -> Iterator[Fault]:
    """The `name` of a tool message, where there is one, is that of the called tool."""
    for step in record.steps:
        names = {call.id: call.name for call in reversed(step.calls) if call.id is not None}
        for answer in step.answers:
            name, call_id = answer.body.get("name"), answer.body.get("tool_call_id")
            called = names.get(call_id) if isinstance(call_id, str) else None
            if isinstance(name, str) and name and called is not None and name != called:
                yield f"{answer.path}.name", f"{quoted(name)} is not the called tool {quoted(called)}"


def _why_unlinked(answer: Message, places: dict[str, str]) -> str:
    call_id = answer.body.get("tool_call_id")
    if not isinstance(call_id, str):
        return wrong(answer.body, "tool_call_id", "a string")
    if call_id in places:
        return f"{quoted(call_id)} is the id of {places[call_id]}, which is not in the turn just before"
    return f"no call has the id {quoted(call_id)}"


def _unanswered(step: Step) -> Iterator[Fault]:
    answers = Counter(_answered_id(answer) for answer in step.answers)
    for call in step.calls:
        if call.id is None:
            continue
        if answers[call.id] == 0:
            yield call.path, f"the call {quoted(call.id)} is not answered before the next turn"
        answers[call.id] -= 1


def _answered_again(step: Step) -> Iterator[Fault]:
    calls = Counter(_called_id(call) for call in step.calls)
    for answer in step.answers:
        call_id = _answered_id(answer)
        if call_id is None or call_id not in calls:
            continue
        if calls[call_id] == 0:
            yield f"{answer.path}.tool_call_id", f"the call {quoted(call_id)} has been answered already"
        calls[call_id] -= calls[call_id] > 0


def _called_id(call: Call) -> str | None:
    return call.id


def _answered_id(answer: Message) -> str | None:
    call_id = answer.body.get("tool_call_id")
    return call_id if isinstance(call_id, str) else None
