"""Values that are valid again from an earlier turn: "and in Rome?" asks about the day that was said before."""

from collections.abc import Iterator
from typing import Any

from generator.core.exact_json import same
from generator.core.pointers import escape, schema_at
from generator.dialogue.from_results.choosing import may_mean, same_again
from generator.dialogue.proof.ledger import NEVER, UNKNOWN, ClaimedCall, ClaimedSpan, FaultFacts, Ledger
from generator.dialogue.proof.spans import span_faults
from generator.dialogue.proof.verbalizations import verbalization


def check_kept(index: int, part: ClaimedSpan, made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield why a value that a request leaves out is not what was last said of that argument."""
    if made.asked_at != NEVER and index >= made.asked_at:
        yield "PF102", "it is not an earlier turn that says it", ()
        return
    here = [other for other in ledger.parts[index] if (other.start, other.end) == (part.start, part.end)]
    made.goes_on = True
    if not any(_is_about(other, part) for other in here):
        yield "PF102", "no request of that turn says it there", ()
        return
    since = [parts for later, parts in ledger.parts.items() if index < later <= made.asked_at]
    if any(_is_about(other, part) for parts in since for other in parts):
        yield "PF102", "the user has said it anew since", ()
    else:
        yield from _misread(index, part, ledger)


def _misread(index: int, part: ClaimedSpan, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield why the words of an earlier turn do not say the value."""
    if part.value is UNKNOWN:
        return
    content, place = ledger.contents[index], part.saying.place
    for text, facts in span_faults(content, part.start, part.end, part.value, place, ledger.today):
        yield "PF102", text, facts


def check_same(
    index: int, at: int, start: int, end: int, part: ClaimedSpan, made: ClaimedCall, ledger: Ledger
) -> Iterator[FaultFacts]:
    """Yield why the words at a place of the request ("the same day") do not refer to this value, which is said before them."""
    is_before = (index, part.end) < (at, start)
    if at != made.asked_at or not is_before or not 0 <= start < end <= len(ledger.contents[at]):
        yield "PF102", "no request refers to it", ()
        return
    words = ledger.contents[at][start:end].casefold()
    if words not in same_again(part.saying.leaf[1]):
        yield "PF102", "{!r} does not refer to what was said of {}", (words, part.saying.leaf[1])
        return
    spoken_of = [
        other
        for later, parts in ledger.parts.items()
        if later <= at
        for other in parts
        if _could_be_meant(words, other)
    ]
    if not any(
        other in ledger.parts[index] and (other.start, other.end) == (part.start, part.end) for other in spoken_of
    ):
        yield "PF102", "no request of that turn says it there", ()
    elif any(
        other.value is not UNKNOWN and not same(other.value, part.value)
        for other in spoken_of
        if part.value is not UNKNOWN
    ):
        yield "PF102", "{!r} could mean something else", (words,)
    else:
        _note_words(at, start, end, part, made, ledger)
        yield from _misread(index, part, ledger)


def _note_words(at: int, start: int, end: int, part: ClaimedSpan, made: ClaimedCall, ledger: Ledger) -> None:
    """Note that words of the request stand for a value of an earlier turn."""
    saying = verbalization(made.spec, ledger.tongues[at], "arguments", "/" + part.saying.leaf[1], None)
    ledger.parts[at].append(ClaimedSpan(start, end, made.id, saying, UNKNOWN))


def _could_be_meant(words: str, part: ClaimedSpan) -> bool:
    """Whether words such as "the same day" could refer to what a span of the user says."""
    (of, slot), spec = part.saying.leaf, part.saying.spec
    return of == "arguments" and may_mean(words, slot, schema_at(spec.tool.parameters, slot) or {})


def _is_about(one: ClaimedSpan, other: ClaimedSpan) -> bool:
    left, right = one.saying, other.saying
    return (left.spec.name, left.of, left.pointer) == (right.spec.name, right.of, right.pointer)


def check_going_on(ledger: Ledger) -> None:
    """Check that a request that continues one of an earlier turn keeps all of it that it does not say anew."""
    for made in ledger.calls.values():
        if made.goes_on:
            for code, text, facts in going_on_faults(made, ledger):
                ledger.report(code, ("argument", made.id, ""), text, *facts)


def going_on_faults(made: ClaimedCall, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield why a call does not continue the last one of its tool."""
    name = made.spec.name
    before = [call for call in ledger.calls.values() if call.spec.name == name and call.asked_at < made.asked_at]
    if not before:
        yield "PF118", "no earlier turn asks for {}", (name,)
    elif made.arguments is not None:
        last = max(before, key=lambda call: (call.asked_at, call.at))
        lost = sorted({*_names(last.arguments or {})} - {*_names(made.arguments)})
        if lost:
            yield "PF118", "the call leaves out {} of the earlier turn", (", ".join(lost),)


def _names(arguments: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """Yield the pointers of all arguments, and of those within objects."""
    for key, value in arguments.items():
        yield f"{prefix}/{escape(key)}"
        if type(value) is dict:
            yield from _names(value, f"{prefix}/{escape(key)}")
