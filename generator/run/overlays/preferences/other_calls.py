"""Calls in place of what the assistant did: other ones, more of them, too early, or without asking."""

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from generator.arguments.sampling.relations import broken
from generator.core.conversation import (
    AssistantMessage,
    ToolCall,
    ToolMessage,
)
from generator.core.pointers import expand, resolve, split
from generator.core.seeds import call_id
from generator.dialogue.acts.rejected import Continuation, asked_values
from generator.dialogue.proof.opening import parsed
from generator.formats.defects import MAKERS as CALL_MAKERS
from generator.run.overlays.preferences.finished_row import FinishedRow, later_calls


def extra_call(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the calls with one more; or one call in place of a text that asks nothing."""
    if row.message(at).tool_calls:
        yield from calls_with("extra_call", row, at)
    elif not any(ask.message == at for ask in row.proof.asks):
        for tool in row.draw.shuffled(row.conversation.tools):
            if arguments := row.arguments(tool.name):
                yield Continuation(
                    message=AssistantMessage(tool_calls=(ToolCall(call_id(row.draw.rand), tool.name, arguments),))
                )


def calls_with(name: str, row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield other calls in place of calls."""
    message = row.message(at)
    if message.tool_calls:
        tools = {tool.name: tool for tool in row.conversation.tools}
        some = list(CALL_MAKERS[name](message.tool_calls, tools, row.arguments))
        for calls in (
            some if name == "wrong_tool" else row.draw.shuffled(some)
        ):  # those are in order: the likeliest first
            if name == "swapped_values" or not any(
                broken(row.prepared.toolbox[call.name].relations, call.arguments) for call in calls
            ):
                yield Continuation(message=msgspec.structs.replace(message, tool_calls=calls))


def dependent_calls(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the calls, together with a later one that takes a value from their results."""
    message, own = row.message(at), {call.id for call in row.message(at).tool_calls}
    answers = {
        place for place, other in enumerate(row.conversation.messages)
        if isinstance(other, ToolMessage) and other.tool_call_id in own
    }  # fmt: skip
    later = later_calls(row, at)
    for other_id in dict.fromkeys(
        [one.call_id for one in row.proof.arguments if one.source == "result" and one.message in answers]
    ):
        if other_id in later:
            yield Continuation(
                message=msgspec.structs.replace(message, tool_calls=(*message.tool_calls, later[other_id]))
            )


def call_instead_of_question(row: FinishedRow, at: int) -> Iterator[Continuation]:
    """Yield the calls that are made later, with a value in place of the one that is asked for, or without the user's leave."""
    proposed = {tell.call_id for tell in row.proof.tells if tell.message == at and tell.how == "proposed"}
    asked: dict[str, list[str]] = {}
    for asking, pointer in sorted(asked_values(row.conversation, row.proof, at)):
        asked.setdefault(asking, []).append(pointer)
    for message in row.conversation.messages[at + 1 :]:
        calls = message.tool_calls if isinstance(message, AssistantMessage) else ()
        if proposed & {call.id for call in calls}:
            yield Continuation(message=AssistantMessage(tool_calls=calls))
        elif asked.keys() & {call.id for call in calls}:
            for _ in range(_GUESSES):
                made = tuple(
                    [_filled_in(row, call, asked[call.id], at) if call.id in asked else call for call in calls]
                )
                if all(call is not None for call in made):
                    yield Continuation(
                        message=AssistantMessage(tool_calls=tuple([call for call in made if call is not None]))
                    )


_GUESSES = 6
"""How many values are tried in place of one that is asked for."""


def _filled_in(row: FinishedRow, call: ToolCall, pointers: list[str], at: int) -> ToolCall | None:
    """Return the call with other values at pointers; None where there is no other value."""
    drawn, arguments = row.arguments(call.name), dict(call.arguments)
    for pointer in pointers:
        key = split(pointer)[0]
        value = _element(row, call, pointer, at) or drawn.get(key)
        if value is None or value == call.arguments.get(key):
            return None
        arguments[key] = value
    is_broken = broken(row.prepared.toolbox[call.name].relations, arguments)
    return None if is_broken else msgspec.structs.replace(call, arguments=arguments)


def _element(row: FinishedRow, call: ToolCall, pointer: str, at: int) -> Any:
    """Return a value for an argument from any element of the list that it is taken from; None where it is taken from no list before `at`."""
    for claim in row.proof.arguments:
        if (
            (claim.call_id, claim.pointer) == (call.id, pointer)
            and claim.result_pointer
            and claim.message is not None
            and claim.message < at
        ):
            result = parsed(row.conversation.messages[claim.message].content or "")
            places = expand(result, re.sub(r"/\d+", "/*", claim.result_pointer))
            return resolve(result, row.draw.choice(places)) if places else None
    return None
