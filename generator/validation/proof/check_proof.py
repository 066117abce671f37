"""The proof check: every claim is read back from the conversation alone, by code that did not write it.

Nothing here knows how a row was planned or worded. It sees the finished messages, the claims, and what the
tool specs say about spoken forms; it reads each claimed span with a reader of its own and compares the value
that comes out with the value in the call.
"""

import re
from collections.abc import Iterator
from typing import Any

import orjson

from generator.conversation import (
    AnswerClaim,
    Claim,
    Conversation,
    Proof,
    ToolCall,
    UserMessage,
    Violation,
)
from generator.pointers import escape, expand, leaves, resolve, schema_at, split
from generator.toolbox import Pick, Toolbox
from generator.validation.proof.facts import Facts, Made, look_up
from generator.validation.proof.picks import list_indexes, pick_fault
from generator.validation.proof.spans import own_key, place_at, same, span_fault

CODES = {
    "PF101": "every leaf of every call's arguments has a claim",
    "PF102": "a value that the user says stands at its span, and the span reads as that value",
    "PF103": "a value from a result equals the value at its place in an earlier step's result",
    "PF104": "an element picked from a list is the one its words single out",
    "PF105": "a value that nobody says is the only one its schema allows, or its default",
    "PF106": "a value that an answer states equals the value of the result or argument it comes from",
    "PF107": "an answer states no number outside its claimed values",
    "PF108": "calls made at once differ from each other",
    "PF109": "the user says no number that no call takes",
}


def check_proof(conversation: Conversation, proof: Proof, toolbox: Toolbox) -> list[Violation]:
    """All claims that do not hold and all values nothing is claimed about.

    Relative dates count from the day that the system message states as `YYYY-MM-DD`; without one there are none.
    """
    facts, found = look_up(conversation, toolbox)
    if found:
        return found
    calls, claims = facts.calls, proof.arguments
    if len(facts.steps) > 1:  # what a step takes may be spoken of in a later one
        claims = tuple(sorted(claims, key=lambda claim: calls[claim.call_id].at if claim.call_id in calls else 0))
    for claim in claims:
        made = calls.get(claim.call_id)
        if made is None:
            fault: tuple[str, str] | None = ("PF101", f"there is no call {claim.call_id}")
        elif claim.source == "user":
            fault = _check_said(claim, made, facts)
        else:
            fault = _check_sourced(claim, made, facts)
        if fault is not None:
            found.append(Violation(fault[0], f"$.arguments[{claim.call_id}]{claim.pointer}", fault[1]))
    found += _check_coverage(facts)
    found += _check_every_element(facts)
    found += _check_parallel(facts)
    found += _check_requests(facts, proof.arguments)
    found += _check_answers(facts, proof.answers)
    return found


def _check_sourced(claim: Claim, made: Made, facts: Facts) -> tuple[str, str] | None:
    """Why a value that the user does not say is not what is claimed."""
    own = own_key(claim.pointer)
    if own is None:
        made.covered.append(claim.pointer)
    else:
        made.keys.add(own)
    if claim.source == "result":
        facts.from_results.append(claim)
    try:
        value = resolve(made.arguments, claim.pointer)
    except LookupError:
        return "PF101", "there is no such argument"
    return _check_taken(claim, value, made, facts) if claim.source == "result" else _check_default(claim, value, made)


def _check_default(claim: Claim, value: Any, made: Made) -> tuple[str, str] | None:
    if claim.source != "default":
        return "PF101", f"the source {claim.source!r} is not known here"
    schema = schema_at(made.spec.tool.parameters, claim.pointer) or {}
    members = schema.get("enum", ())
    only = [*(members if len(members) == 1 else ()), *(schema[key] for key in ("const", "default") if key in schema)]
    if any(same(value, allowed) for allowed in only):
        return None
    return "PF105", f"{value!r} is not what the schema fixes"


def _check_said(claim: Claim, made: Made, facts: Facts) -> tuple[str, str] | None:
    """Why a value is not said by the user as claimed; also notes which argument the claim is about."""
    pointer, index, start = claim.pointer, claim.message, claim.start or 0
    key = (pointer, claim.verbalizer or "", "arguments")
    place = made.places.get(key) or place_at(made.places, made.spec, *key)
    if place.key is None:
        made.covered.append(pointer)
    else:
        made.keys.add(place.key)
    try:
        value = place.find(made.arguments)
    except LookupError:
        return "PF101", "there is no such argument"
    if index is None or not 0 <= index < made.at or index not in facts.spoken:
        return "PF102", "the value must be said by the user before the call"
    fault = span_fault(facts.contents[index], start, claim.end or 0, value, place, facts.today)
    if fault is not None:
        return "PF102", fault
    # words say one argument of a call; another of the same value must have words of its own
    owner = made.said.setdefault((index, start), pointer)
    return None if owner == pointer else ("PF102", f"these words already say {owner}")


def _check_taken(claim: Claim, value: Any, made: Made, facts: Facts) -> tuple[str, str] | None:
    index = claim.message if claim.message is not None else -1
    if index not in facts.results or index > made.at:
        return "PF103", "the result must stand before the call"
    pointer = claim.result_pointer or ""
    try:
        taken = resolve(facts.results[index], pointer)
    except LookupError:
        return "PF103", f"the result has no {pointer}"
    if not same(taken, value):
        return "PF103", f"{value!r} is not the result's {taken!r}"
    words = _reference(claim, made, facts)
    if words is not None and words.casefold() == "it" and (index, pointer, claim.pick) not in facts.taken:
        words = None  # nothing that "it" could be
    facts.taken.add((index, pointer, claim.pick))
    fault = pick_fault(claim, facts.results[index], words, _picks(claim, facts))
    return ("PF104", fault) if fault is not None else None


def _reference(claim: Claim, made: Made, facts: Facts) -> str | None:
    """The user's words for the element, in the last user message before the call."""
    if claim.start is None or claim.end is None or not 0 <= claim.start < claim.end:
        return None
    before = facts.conversation.messages[: made.at]
    said = next((message.content for message in reversed(before) if type(message) is UserMessage), "")
    return said[claim.start : claim.end] if claim.end <= len(said) else None


def _picks(claim: Claim, facts: Facts) -> tuple[Pick, ...]:
    """The ways in which the tool that gave the result lets people single out an element of a list on the way."""
    index = claim.message if claim.message is not None else -1
    source = next((call for call, at in facts.told_at.items() if at == index), "")
    if source not in facts.calls:
        return ()
    pointer = claim.result_pointer or ""
    steps = split(pointer)
    places = list_indexes(facts.results.get(index), pointer)
    slots = ["/".join(["*" if at in places else escape(step) for at, step in enumerate(steps[:end])]) for end in places]
    known = facts.calls[source].spec.phrases.pick
    return tuple([pick for slot in slots for pick in known.get(slot, ())])


def _check_coverage(facts: Facts) -> list[Violation]:
    found: list[Violation] = []
    for call_id, made in facts.calls.items():
        for pointer in unclaimed(made.arguments, made.keys, made.covered):
            path = f"$.arguments[{call_id}]{pointer}"
            found.append(Violation("PF101", path, "nothing says where this value comes from"))
    return found


def unclaimed(arguments: dict[str, Any], keys: set[str], covered: list[str]) -> list[str]:
    """Leaves of arguments that no claim is about, nor about what they are part of.

    Args:
        arguments: The arguments of a call.
        keys: Those with a claim.
        covered: Pointers of claims about parts of arguments.
    """
    if arguments.keys() <= keys:
        return []
    return [
        pointer
        for key, value in arguments.items()
        if key not in keys
        for pointer, _ in leaves(value, f"/{escape(key)}")
        if pointer not in covered and not any(pointer.startswith(part + "/") for part in covered)
    ]


def _check_parallel(facts: Facts) -> Iterator[Violation]:
    for index, calls in facts.steps:
        if len(calls) > 1 and may_repeat(calls):
            made = [(call.name, orjson.dumps(call.arguments, option=orjson.OPT_SORT_KEYS)) for call in calls]
            if len(set(made)) < len(made):
                yield Violation("PF108", f"$.messages[{index}].tool_calls", "two of the calls are the same")


def may_repeat(calls: tuple[ToolCall, ...]) -> bool:
    """Whether two calls of a tool have equal arguments as Python has it, which takes 1, 1.0 and true for the same."""
    rest = [(call.name, call.arguments) for call in calls]
    while rest:
        if rest.pop() in rest:
            return True
    return False


def _check_every_element(facts: Facts) -> Iterator[Violation]:
    """What is said of "each of them" must be done for every element of the list."""
    taken: dict[tuple[int | None, str], set[str]] = {}
    for claim in facts.from_results:
        if claim.pick == "each":
            pointer = claim.result_pointer or ""
            result = facts.results.get(claim.message if claim.message is not None else -1)
            taken.setdefault((claim.message, _any_element(result, pointer)), set()).add(pointer)
    for (message, pattern), pointers in taken.items():
        if message in facts.results and set(expand(facts.results[message], pattern)) != pointers:
            yield Violation("PF104", f"$.messages[{message}].content", "not every element of the list has its call")


def _any_element(result: Any, pointer: str) -> str:
    """The pointer with `*` for elements of lists: a key may look like a number too."""
    places = list_indexes(result, pointer)
    return "/" + "/".join(["*" if index in places else escape(step) for index, step in enumerate(split(pointer))])


def _check_requests(facts: Facts, claims: tuple[Claim, ...]) -> list[Violation]:
    """Digits in what the user says belong to values; only the numbers of a list stand for nothing."""
    users = [(at, message.content) for at, message in enumerate(facts.conversation.messages) if type(message) is UserMessage]
    found = []
    for at, content in users:
        spans = [
            (claim.start, claim.end)
            for claim in claims
            if claim.start is not None and claim.end is not None and (claim.message == at or claim.source == "result")
        ]
        if digit_outside(without_list_numbers(content), spans):
            found.append(Violation("PF109", f"$.messages[{at}].content", "the user says a number that no call takes"))
    return found


def without_list_numbers(content: str) -> str:
    """The text with blanks for the numbers of a list."""
    return _LIST_NUMBER.sub(lambda number: " " * len(number[0]), content)


_LIST_NUMBER = re.compile(r"^[0-9]{1,2}\. ", re.MULTILINE)
_DIGIT = re.compile(r"\d")
_ASCII_DIGIT = re.compile(r"[0-9]")  # finds the same in ASCII text, sooner


def _check_answers(facts: Facts, claims: tuple[AnswerClaim, ...]) -> list[Violation]:
    found: list[Violation] = []
    contents = facts.contents
    spans: list[list[tuple[int, int]]] = [[] for _ in contents]
    for claim in claims:
        index, start, end = claim.message, claim.start, claim.end
        if 0 <= index < len(spans):
            spans[index].append((start, end))
            fault = _check_stated(claim, facts, contents[index], start, end)
        else:
            fault = "there is no such message"
        if fault is not None:
            found.append(Violation("PF106", f"$.messages[{index}].content[{start}:{end}]", fault))
    loose = [index for index in facts.answers if digit_outside(contents[index], spans[index])]
    found += [Violation("PF107", f"$.messages[{i}].content", "a number stands outside the claimed values") for i in loose]
    return found


def digit_outside(content: str, spans: list[tuple[int, int]]) -> bool:
    """Whether a digit stands outside all spans."""
    between, end = [], 0
    spans.sort()
    for start, stop in spans:
        if start > end:
            between.append(content[end:start])
        if stop > end:
            end = stop
    between.append(content[end:])
    return holds_digit("".join(between))


def holds_digit(text: str) -> bool:
    """Whether there is a digit of any script in it."""
    return (_ASCII_DIGIT if text.isascii() else _DIGIT).search(text) is not None


def _check_stated(claim: AnswerClaim, facts: Facts, content: str, start: int, end: int) -> str | None:
    made = facts.calls.get(claim.call_id)
    if made is None or made.told_at >= claim.message:
        return "the answer must come after the result it speaks of"
    pointer, of = claim.pointer, claim.of
    key = (pointer, claim.verbalizer, of)
    place = made.places.get(key) or place_at(made.places, made.spec, *key)
    source = made.result if of == "result" else made.arguments
    try:
        value = place.find(source)
    except LookupError:
        return f"there is no {pointer}"
    if type(value) is list and claim.verbalizer == "count":
        value = len(value)
    fault = span_fault(content, start, end, value, place, facts.today)
    if fault is not None and of == "result" and pointer == "":
        # a result that is text may read as JSON all the same ("null", "5")
        fault = span_fault(content, start, end, facts.contents[made.told_at], place, facts.today)
    return fault
