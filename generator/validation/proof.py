"""The proof check: every claim is read back from the conversation alone, by code that did not write it.

Nothing here knows how a row was planned or worded. It sees the finished messages, the claims, and what the
tool specs say about spoken forms; it reads each claimed span with a reader of its own and compares the value
that comes out with the value in the call.
"""

import re
from collections.abc import Iterator, Mapping
from datetime import date
from typing import Any

import msgspec
import orjson

from generator.conversation import (
    AnswerClaim,
    AssistantMessage,
    Claim,
    Conversation,
    Proof,
    SystemMessage,
    ToolCall,
    ToolMessage,
    UserMessage,
    Violation,
)
from generator.pointers import expand, leaves, resolve, schema_at, split
from generator.toolbox import Pick, Toolbox, ToolSpec
from generator.validation.picks import list_of, pick_fault
from generator.validation.spans import same, span_fault

CODES = {
    "PF101": "every leaf of every call's arguments has a claim",
    "PF102": "a value that the user says stands at its span, and the span reads as that value",
    "PF103": "a value from a result equals the value at its place in an earlier step's result",
    "PF104": "an element picked from a list is the one its words single out",
    "PF105": "a value that nobody says is the only one its schema allows, or its default",
    "PF106": "a value that an answer states equals the value of the result or argument it comes from",
    "PF107": "an answer states no number outside its claimed values",
    "PF108": "calls made at once differ from each other",
}


class _Facts(msgspec.Struct):
    """A conversation, looked up once."""

    conversation: Conversation
    calls: dict[str, ToolCall]
    made_at: dict[str, int]
    """Index of the assistant message that makes the call."""
    results: dict[int, Any]
    """Parsed result by message index."""
    told_at: dict[str, int]
    """Index of the tool message that answers the call."""
    today: date | None
    """The day that the conversation states."""
    taken: set[tuple[int, str]]
    """Places in results from which values have been taken so far."""
    said: dict[tuple[str, int | None, int | None], str]
    """By call and beginning of a span in a message: the argument that it says."""


def check_proof(conversation: Conversation, proof: Proof, toolbox: Toolbox) -> list[Violation]:
    """All claims that do not hold and all values nothing is claimed about.

    Relative dates count from the day that the system message states as `YYYY-MM-DD`; without one there are none.
    """
    facts = _look_up(conversation)
    found: list[Violation] = []
    covered: dict[str, list[str]] = {call_id: [] for call_id in facts.calls}
    found += _check_tools(facts, toolbox)
    if found:
        return found
    for claim in sorted(proof.arguments, key=lambda claim: facts.made_at.get(claim.call_id, 0)):
        fault = _check_claim(claim, facts, toolbox)
        if fault is None and claim.source == "user":
            fault = _borrowed(claim, facts)
        if fault is not None:
            found.append(Violation(fault[0], f"$.arguments[{claim.call_id}]{claim.pointer}", fault[1]))
        covered.setdefault(claim.call_id, []).append(claim.pointer)
    found += _check_coverage(facts, covered)
    found += _check_every_element(facts, proof.arguments)
    found += _check_parallel(facts)
    found += _check_answers(facts, proof.answers, toolbox)
    return found


def _look_up(conversation: Conversation) -> _Facts:
    facts = _Facts(conversation, {}, {}, {}, {}, _stated_day(conversation), set(), {})
    for index, message in enumerate(conversation.messages):
        if type(message) is AssistantMessage:
            for call in message.tool_calls:
                facts.calls[call.id] = call
                facts.made_at[call.id] = index
        elif type(message) is ToolMessage:
            facts.told_at[message.tool_call_id] = index
            facts.results[index] = _parsed(message.content)
    return facts


_DAY = re.compile(r"(?<!\d)\d{4}-\d{2}-\d{2}(?!\d)")


_NAMED = re.compile(r"\b(?:today|date|day)\b[^.!?]{0,40}\Z", re.IGNORECASE)
"""What stands before a day that is today's, when a system message holds several days."""


def _stated_day(conversation: Conversation) -> date | None:
    first = conversation.messages[0] if conversation.messages else None
    if type(first) is not SystemMessage:
        return None
    days = list(_DAY.finditer(first.content))
    named = [day for day in days if _NAMED.search(first.content[: day.start()])]
    try:
        return date.fromisoformat((named or days)[0].group()) if days else None
    except ValueError:
        return None


def _parsed(content: str) -> Any:
    try:
        return orjson.loads(content)
    except orjson.JSONDecodeError:
        return content


def _check_claim(claim: Claim, facts: _Facts, toolbox: Toolbox) -> tuple[str, str] | None:
    call = facts.calls.get(claim.call_id)
    if call is None:
        return "PF101", f"there is no call {claim.call_id}"
    try:
        value = resolve(call.arguments, claim.pointer)
    except LookupError:
        return "PF101", "there is no such argument"
    if claim.source == "user":
        return _check_said(claim, value, facts, toolbox[call.name])
    if claim.source == "result":
        return _check_taken(claim, value, facts, toolbox)
    if claim.source == "default":
        schema = schema_at(toolbox[call.name].tool.parameters, claim.pointer) or {}
        members = schema.get("enum", ())
        only = [*(members if len(members) == 1 else ()), *(schema[key] for key in ("const", "default") if key in schema)]
        if any(same(value, allowed) for allowed in only):
            return None
        return "PF105", f"{value!r} is not what the schema fixes"
    return "PF101", f"the source {claim.source!r} is not known here"


def _check_said(claim: Claim, value: Any, facts: _Facts, spec: ToolSpec) -> tuple[str, str] | None:
    messages = facts.conversation.messages
    index = claim.message if claim.message is not None else -1
    if not 0 <= index < facts.made_at[claim.call_id] or type(messages[index]) is not UserMessage:
        return "PF102", "the value must be said by the user before the call"
    content = messages[index].content or ""
    span = (claim.start or 0, claim.end or 0)
    fault = span_fault(content, span, claim.verbalizer or "", value, spec, claim.pointer, False, facts.today)
    return ("PF102", fault) if fault is not None else None


def _borrowed(claim: Claim, facts: _Facts) -> tuple[str, str] | None:
    """Words say one argument of a call; another of the same value must have words of its own."""
    owner = facts.said.setdefault((claim.call_id, claim.message, claim.start), claim.pointer)
    return None if owner == claim.pointer else ("PF102", f"these words already say {owner}")


def _check_taken(claim: Claim, value: Any, facts: _Facts, toolbox: Toolbox) -> tuple[str, str] | None:
    index = claim.message if claim.message is not None else -1
    if index not in facts.results or index > facts.made_at[claim.call_id]:
        return "PF103", "the result must stand before the call"
    pointer = claim.result_pointer or ""
    try:
        taken = resolve(facts.results[index], pointer)
    except LookupError:
        return "PF103", f"the result has no {pointer}"
    if not same(taken, value):
        return "PF103", f"{value!r} is not the result's {taken!r}"
    words = _reference(claim, facts)
    if words is not None and words.casefold() == "it" and (index, pointer) not in facts.taken:
        words = None  # nothing that "it" could be
    facts.taken.add((index, pointer))
    fault = pick_fault(claim, facts.results[index], words, _picks(claim, facts, toolbox))
    return ("PF104", fault) if fault is not None else None


def _reference(claim: Claim, facts: _Facts) -> str | None:
    """The user's words for the element, in the last user message before the call."""
    if claim.start is None or claim.end is None or not 0 <= claim.start < claim.end:
        return None
    before = facts.conversation.messages[: facts.made_at[claim.call_id]]
    said = next((message.content for message in reversed(before) if type(message) is UserMessage), "")
    return said[claim.start : claim.end] if claim.end <= len(said) else None


def _picks(claim: Claim, facts: _Facts, toolbox: Toolbox) -> tuple[Pick, ...]:
    """The ways in which the tool that gave the result lets people single out an element of that list."""
    source = next((call for call, at in facts.told_at.items() if at == claim.message), "")
    steps = split(claim.result_pointer or "")
    at = next((index for index, step in enumerate(steps) if step.isdecimal()), None)
    if at is None or source not in facts.calls:
        return ()
    return toolbox[facts.calls[source].name].phrases.pick.get(list_of(steps[:at]), ())


def _check_coverage(facts: _Facts, covered: Mapping[str, list[str]]) -> Iterator[Violation]:
    for call_id, call in facts.calls.items():
        claimed = covered[call_id]
        for pointer, _ in leaves(call.arguments):
            if pointer not in claimed and not any(pointer.startswith(part + "/") for part in claimed) and pointer:
                yield Violation("PF101", f"$.arguments[{call_id}]{pointer}", "nothing says where this value comes from")


def _check_parallel(facts: _Facts) -> Iterator[Violation]:
    for index, message in enumerate(facts.conversation.messages):
        if type(message) is AssistantMessage and len(message.tool_calls) > 1:
            made = [(call.name, orjson.dumps(call.arguments, option=orjson.OPT_SORT_KEYS)) for call in message.tool_calls]
            if len(set(made)) < len(made):
                yield Violation("PF108", f"$.messages[{index}].tool_calls", "two of the calls are the same")


def _check_tools(facts: _Facts, toolbox: Toolbox) -> Iterator[Violation]:
    for call_id, call in facts.calls.items():
        if call.name not in toolbox:
            yield Violation("PF101", f"$.arguments[{call_id}]", f"there is no tool {call.name!r}")


def _check_every_element(facts: _Facts, claims: tuple[Claim, ...]) -> Iterator[Violation]:
    """What is said of "each of them" must be done for every element of the list."""
    taken: dict[tuple[int | None, str], set[str]] = {}
    for claim in claims:
        if claim.source == "result" and claim.pick == "each" and claim.call_id in facts.calls:
            pointer = claim.result_pointer or ""
            taken.setdefault((claim.message, re.sub(r"/[0-9]+", "/*", pointer)), set()).add(pointer)
    for (message, pattern), pointers in taken.items():
        if message in facts.results and set(expand(facts.results[message], pattern)) != pointers:
            yield Violation("PF104", f"$.messages[{message}].content", "not every element of the list has its call")


_DIGIT = re.compile(r"\d")


def _check_answers(facts: _Facts, claims: tuple[AnswerClaim, ...], toolbox: Toolbox) -> Iterator[Violation]:
    spans: dict[int, list[tuple[int, int]]] = {}
    for claim in claims:
        spans.setdefault(claim.message, []).append((claim.start, claim.end))
        fault = _check_stated(claim, facts, toolbox)
        if fault is not None:
            yield Violation("PF106", f"$.messages[{claim.message}].content[{claim.start}:{claim.end}]", fault)
    for index, message in enumerate(facts.conversation.messages):
        if type(message) is AssistantMessage and message.content:
            end = 0
            for start, stop in sorted(spans.get(index, ())):
                if start > end and _DIGIT.search(message.content, end, start):
                    break
                end = max(end, stop)
            else:
                if not _DIGIT.search(message.content, end):
                    continue
            yield Violation("PF107", f"$.messages[{index}].content", "a number stands outside the claimed values")


def _check_stated(claim: AnswerClaim, facts: _Facts, toolbox: Toolbox) -> str | None:
    call = facts.calls.get(claim.call_id)
    if not 0 <= claim.message < len(facts.conversation.messages):
        return "there is no such message"
    message = facts.conversation.messages[claim.message]
    if call is None or facts.told_at.get(claim.call_id, claim.message) >= claim.message:
        return "the answer must come after the result it speaks of"
    spec = toolbox[call.name]
    of_result = claim.of == "result"
    source = facts.results[facts.told_at[claim.call_id]] if of_result else call.arguments
    try:
        value = resolve(source, claim.pointer)
    except LookupError:
        return f"there is no {claim.pointer}"
    if claim.verbalizer == "count" and isinstance(value, list):
        value = len(value)
    content, span = message.content or "", (claim.start, claim.end)
    fault = span_fault(content, span, claim.verbalizer, value, spec, claim.pointer, of_result, facts.today)
    if fault is not None and of_result and claim.pointer == "":
        # a result that is text may read as JSON all the same ("null", "5")
        text = facts.conversation.messages[facts.told_at[claim.call_id]].content
        fault = span_fault(content, span, claim.verbalizer, text, spec, "", True, facts.today)
    return fault
