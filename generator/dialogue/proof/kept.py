"""Values that a request refers to and that were said before: "the same day"."""

from collections.abc import Iterator

from generator.core.exact_json import same
from generator.core.pointers import schema_at
from generator.dialogue.from_results.choosing import may_mean, same_again
from generator.dialogue.proof.ledger import UNKNOWN, ClaimedCall, ClaimedSpan, FaultFacts, Ledger
from generator.dialogue.proof.spans import span_faults
from generator.dialogue.proof.verbalizations import verbalization


def _misread(index: int, part: ClaimedSpan, ledger: Ledger) -> Iterator[FaultFacts]:
    """Yield why the words of an earlier turn do not say the value."""
    if part.value is UNKNOWN:
        return
    content, place = ledger.contents[index], part.saying.place
    for text, facts in span_faults(content, part.start, part.end, part.value, place, ledger.today):
        yield "PF102", text, facts


def check_same(
    index: int, referred: tuple[int, int, int] | None, part: ClaimedSpan, made: ClaimedCall, ledger: Ledger
) -> Iterator[FaultFacts]:
    """Yield why the words at a place of the request ("the same day") do not refer to this value, which is said before them."""
    at, start, end = referred or (-1, 0, 0)
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
