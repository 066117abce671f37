"""What holds again from an earlier turn: "and in Rome?" asks about the day that was said before."""

from collections.abc import Iterator
from typing import Any

from generator.pointers import escape
from generator.validation.proof.ledger import NEVER, UNKNOWN, Fault, Finding, Ledger, Made, Part
from generator.validation.proof.spans import span_fault


def check_kept(index: int, part: Part, made: Made, ledger: Ledger) -> Fault | None:
    """Why a value that a request leaves out is not what was last said of that argument."""
    if made.asked_at != NEVER and index >= made.asked_at:
        return "PF102", "it is not an earlier turn that says it", ()
    made.goes_on = True
    if not any((other.start, other.end) == (part.start, part.end) and _fits(other, part) for other in ledger.parts[index]):
        return "PF102", "no request of that turn says it there", ()
    for later, parts in ledger.parts.items():
        if index < later <= made.asked_at and any(_is_about(other, part) for other in parts):
            return "PF102", "the user has said it anew since", ()
    if part.value is UNKNOWN:
        return None
    why = span_fault(ledger.contents[index], part.start, part.end, part.value, part.saying.place, ledger.today)
    return None if why is None else ("PF102", "{}", (why,))


def _fits(earlier: Part, part: Part) -> bool:
    """Whether an argument may take what was said of another call: of the same tool only the same argument."""
    return earlier.saying.spot.tool != part.saying.spot.tool or _is_about(earlier, part)


def _is_about(one: Part, other: Part) -> bool:
    left, right = one.saying.spot, other.saying.spot
    return (left.tool, left.leaf, left.places) == (right.tool, right.leaf, right.places)


def check_going_on(ledger: Ledger) -> None:
    """A request that goes on from one of an earlier turn keeps all of it that it does not say anew."""
    for made in ledger.calls.values():
        if made.goes_on:
            fault = going_on_fault(made, ledger)
            if fault is not None:
                ledger.found.append(Finding(fault[0], ("argument", made.id, ""), fault[1], fault[2]))


def going_on_fault(made: Made, ledger: Ledger) -> Fault | None:
    """Why a call does not go on from the last one of its tool."""
    name = made.sayings.spec.name
    before = [call for call in ledger.calls.values() if call.sayings.spec.name == name and call.asked_at < made.asked_at]
    if not before:
        return "PF118", "no earlier turn asks for {}", (name,)
    last = max(before, key=lambda call: (call.asked_at, call.at))
    if made.arguments is None:
        return None
    lost = sorted({*_names(last.arguments or {})} - {*_names(made.arguments)})
    return ("PF118", "the call leaves out {} of the earlier turn", (", ".join(lost),)) if lost else None


def _names(arguments: dict[str, Any], prefix: str = "") -> Iterator[str]:
    """The pointers of all arguments, and of those within objects."""
    for key, value in arguments.items():
        yield f"{prefix}/{escape(key)}"
        if type(value) is dict:
            yield from _names(value, f"{prefix}/{escape(key)}")
