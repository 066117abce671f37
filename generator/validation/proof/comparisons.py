"""Comparisons: what the user asks to be compared, and whether the results that the assistant names as the best are so."""

from typing import Any

from generator.connectives import COMPARING, the_best
from generator.conversation import ComparisonClaim, Proof
from generator.pointers import resolve
from generator.toolbox import ToolSpec
from generator.validation.proof.ledger import NEVER, ClaimedCall, Finding, Ledger, TellSentence
from generator.values import same

Compared = tuple[ComparisonClaim, list[ClaimedCall]]


def check_comparisons(ledger: Ledger, proof: Proof, *, phrases: bool, prefix: bool) -> None:
    """Check that each comparison covers all look-ups made for it, that those named as the best are, and that nothing else is named so."""
    expected = _comparisons(ledger, proof, phrases=phrases, prefix=prefix)
    questions = {(one.message, one.start, one.end) for one in proof.comparisons}
    told: list[ComparisonClaim] = []
    for index, segment in [(index, one) for index, segments in ledger.segments.items() for one in segments]:
        fault = None
        if segment.tell.how == "best":
            of = next((pair for pair in expected if segment.tell.call_id in pair[0].calls), None)
            fault = (
                "nothing is compared"
                if of is None
                else _not_the_best(*of, segment, index, ledger, proof, phrases=phrases)
            )
            told += [] if of is None else [of[0]]
        elif segment.tell.how == "comparison" and (index, segment.start, segment.end) not in questions:
            fault = "it is not said what is compared"
        if fault is not None:
            _report(ledger, index, segment.start, segment.end, fault)
    for claim, _ in [] if prefix else expected:
        if told.count(claim) != 1:
            _report(ledger, claim.message, claim.start, claim.end, "nobody says which is the best, or somebody twice")


def _comparisons(ledger: Ledger, proof: Proof, *, phrases: bool, prefix: bool) -> list[Compared]:
    """Return the comparisons that can be checked; report the others."""
    found = []
    for claim in proof.comparisons:
        calls = [ledger.calls[call] for call in claim.calls if call in ledger.calls]
        if prefix and (
            len(calls) < len(claim.calls) or any(made.arguments is None or made.told_at == NEVER for made in calls)
        ):
            continue  # the calls are still to come
        fault = _not_compared(claim, calls, ledger, phrases=phrases)
        if fault is None:
            found.append((claim, calls))
        else:
            _report(ledger, claim.message, claim.start, claim.end, fault)
    return found


def _report(ledger: Ledger, index: int, start: int, end: int, fault: str) -> None:
    ledger.found.append(Finding("PF128", ("message", index, start, end), fault))


def _not_compared(claim: ComparisonClaim, calls: list[ClaimedCall], ledger: Ledger, *, phrases: bool) -> str | None:
    """Return why a question does not compare these calls, or None."""
    segments = ledger.segments.get(claim.message, ())
    question = (claim.start, claim.end, "comparison", claim.calls[:1])
    if not any((one.start, one.end, one.tell.how, (one.tell.call_id,)) == question for one in segments):
        return "there is no such question"
    spec = calls[0].spec if calls else None
    asked = {made.id for made in ledger.calls.values() if made.asked_at == claim.message}
    if spec is None or len(calls) < 2 or {made.id for made in calls} != asked or len(asked) != len(claim.calls):
        return "these are not the calls that it asks for"
    if any(made.spec is not spec or made.at != calls[0].at for made in calls) or _differing(calls) is None:
        return "the calls are not made at once, or do not differ in just one argument"
    if claim.extreme not in {"min", "max"} or not all(_is_number(_value(made, claim)) for made in calls):
        return "the results have no numbers there"
    said = ledger.contents[claim.message][claim.start : claim.end]
    forms = [form.format(words) for form in COMPARING for words in _words(spec, claim)]
    return "nobody asks for that in these words" if phrases and said not in forms else None


def _not_the_best(
    claim: ComparisonClaim,
    calls: list[ClaimedCall],
    segment: TellSentence,
    index: int,
    ledger: Ledger,
    proof: Proof,
    *,
    phrases: bool,
) -> str | None:
    """Return why the results that a sentence names are not the best ones, or None."""
    values = {made.id: _value(made, claim) for made in calls}
    best = min(values.values()) if claim.extreme == "min" else max(values.values())
    spoken = sorted(
        [one for one in proof.answers if one.message == index and segment.start <= one.start < segment.end],
        key=lambda one: one.start,
    )
    named = [one.call_id for one in spoken if one.of == "arguments" and one.pointer == f"/{_differing(calls)}"]
    if sorted(named) != sorted([call for call, value in values.items() if value == best]):
        return "these are not all that are best, or others are named"
    if segment.tell.call_id != named[0]:
        return "it is about another call"
    if [one.pointer for one in spoken if one.of == "result"] != [claim.pointer] or any(
        one.of == "result" and one.call_id not in named for one in spoken
    ):
        return "it does not say what the best one has"
    said = ledger.contents[index][segment.start : segment.end]
    is_said = any(words in said for words in _words(calls[0].spec, claim))
    return None if is_said or not phrases else "it does not say in what it is the best"


def _words(spec: ToolSpec, claim: ComparisonClaim) -> list[str]:
    field = claim.pointer.removeprefix("/")
    own = [best.say for best in spec.phrases.best if best.by == f"{claim.extreme} {field}"]
    return [*own, the_best(field, claim.extreme)]


def _differing(calls: list[ClaimedCall]) -> str | None:
    """Return the only argument in which the calls differ, if all of its values are different; None otherwise."""
    arguments = [made.arguments or {} for made in calls]
    keys = {
        key
        for one in arguments
        for key in one
        if not all(key in other and same(one[key], other[key]) for other in arguments)
    }
    return next(iter(keys)) if len(keys) == 1 else None


def _value(made: ClaimedCall, claim: ComparisonClaim) -> Any:
    try:
        return resolve(made.result, claim.pointer)
    except LookupError:
        return None


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)
