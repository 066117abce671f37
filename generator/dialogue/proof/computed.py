"""Arguments that are computed from results: "transfer half of the total", "remind me the day before"."""

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from typing import Any

from generator.core.claims import Claim
from generator.core.pointers import resolve, split
from generator.core.toolbox import Pick
from generator.dialogue.from_results.calculating import ways_to_say_calculation
from generator.dialogue.from_results.choosing import REFERENCES
from generator.dialogue.proof.ledger import ClaimedCall, Ledger
from generator.dialogue.proof.spans import SpanFault


def computed_faults(claim: Claim, taken: Any, value: Any, made: ClaimedCall, ledger: Ledger) -> Iterator[SpanFault]:
    """Yield why a value is not what the claim says is made of the result."""
    op, by = _parts(claim.calc or "")
    try:
        yield from _computed_otherwise(op, by, taken, _other(claim, made, ledger), value)
    except (ArithmeticError, LookupError, TypeError, ValueError):
        yield "{!r} cannot be computed from {!r}", (value, taken)


def picked_by(claim: Claim, words: str, picks: tuple[Pick, ...]) -> str | None:
    """Return those of the words for a computed value that single out an element, an empty text where none do.

    None: the words do not say what is computed.
    """
    op, by = _parts(claim.calc or "")
    field, said = split(claim.result_pointer or "")[-1:], words.casefold()
    for say in ("", *REFERENCES.picks.values(), *[pick.say for pick in picks]) if field else ():
        if said in [way.casefold() for way in ways_to_say_calculation(op, by, field[0], say)]:
            return say
    return None


_LONGEST = 20
"""Digits of a number that people would say."""


def _parts(calc: str) -> tuple[str, int | None]:
    """Return the operation and the number that is added or taken away, if there is one."""
    op, _, by = calc.partition(" ")
    return (op, int(by)) if op in ("plus", "minus") and by.isdecimal() and len(by) < _LONGEST else (calc, None)


def _other(claim: Claim, made: ClaimedCall, ledger: Ledger) -> Any:
    """Return the second value, from the result of another call of the same step; None when there is none."""
    if claim.also is None:
        return None
    source = next((call for call in ledger.calls.values() if call.told_at == claim.also[0]), None)
    if source is None or claim.also[0] >= made.at or claim.also == (claim.message, claim.result_pointer):
        return None
    first = next((call for call in ledger.calls.values() if call.told_at == claim.message), None)
    if first is None:
        return None
    is_pair = source.spec is first.spec and source.at == first.at and claim.also[1] == claim.result_pointer
    return resolve(source.result, claim.also[1]) if is_pair else None


def _computed_otherwise(op: str, by: int | None, one: Any, other: Any, value: Any) -> Iterator[SpanFault]:
    """Yield why a value is not what the operation makes of the others."""
    if op.startswith("days "):
        days = (date.fromisoformat(value) - date.fromisoformat(one)).days
        if days != int(op.removeprefix("days ")):
            yield "{} is not {} from {}", (value, op, one)
        return
    if op in ("sum", "difference") and other is None:
        yield "there is no second value", ()
        return
    number, first, second = [_exactly(part) for part in (value, one, 0 if other is None else other)]
    expected = {
        "half": first / 2,
        "third": first / 3,
        "quarter": first / 4,
        "double": first * 2,
        "plus": first + (by or 0),
        "minus": first - (by or 0),
        "sum": first + second,
        "difference": abs(first - second),
    }.get(op)
    if number != expected:
        yield "{} is not what {!r} makes of {}", (value, op, one)


def _exactly(number: Any) -> Fraction:
    """Return the number that JSON has; raises TypeError for what is none, such as a text of digits."""
    if isinstance(number, bool) or not isinstance(number, int | float):
        raise TypeError(f"{number!r} is no number")
    return Fraction(str(number))
