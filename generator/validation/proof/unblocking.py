"""Calls that change a state because of which another call was refused: "It's closed. Shall I reopen it first?".

Such a step is about the same thing as the refused call, and as the tools' effects are declared it ends a state that gives just the
error with which that call was refused. The user allows it (with the request, or after the assistant has asked), and the refused
call is made again after it. When the user says no, no call is made.
"""

import re
from collections.abc import Iterator
from typing import Any

from generator.conversation import Proof
from generator.entities import Need
from generator.offers import IF_NEED_BE, UNBLOCKING, words_to_unblock
from generator.toolbox import ToolSpec, fields_written
from generator.validation.proof.ledger import NEVER, ClaimedCall, Finding, Ledger, TellSentence
from generator.values import is_among, same

_CHANGING = frozenset({"update", "move", "act"})
"""Kinds of effects that can lead out of a state."""
_UNKNOWN = object()
"""Stands for the new value of a field that an expression computes."""


def note_unblocking(ledger: Ledger) -> None:
    """Check what such steps are about, and note which arguments need no claims: those that name it and the state that it shall have."""
    for made in ledger.calls.values():
        if made.unblocks is None:
            continue
        refused = ledger.calls.get(made.unblocks)
        fault = "there is no call {}" if refused is None else _not_about_it(refused, made)
        if fault is not None:
            ledger.found.append(Finding("PF135", ("argument", made.id, ""), fault, (made.unblocks,)))
        if refused is not None and made.arguments is not None:
            pair = _naming(refused.spec, made.spec, made.arguments)
            made.keys.update(_choosing(refused, made, made.arguments), () if pair is None else pair[:1])


def _not_about_it(refused: ClaimedCall, made: ClaimedCall) -> str | None:
    """Return why a call cannot end the state because of which another one was refused, or None."""
    if refused.asked_at != made.asked_at or made.asked_at == NEVER:
        return "{} was asked for by another message"
    if made.arguments is None:  # it is to come
        return None
    if not refused.failed or not refused.told_at < made.at:
        return "{} has not been refused before"
    pair = _naming(refused.spec, made.spec, made.arguments)
    if pair is None:
        return "{} is about something of another kind, or the call does not change it"
    one, other = pair
    is_same = other in (refused.arguments or {}) and same((refused.arguments or {})[other], made.arguments[one])
    if not is_same:
        return "{} is about another one"
    return (
        None if [*_ended(refused, made.spec, made.arguments)] else "{} was not refused for a state that this call ends"
    )


def _naming(refused: ToolSpec, spec: ToolSpec, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """Return the argument of a step and that of the refused call which name the same thing; None if there are none."""
    before, effect = refused.effect, spec.effect
    if (
        before is None
        or effect is None
        or refused.domain != spec.domain
        or before.entity != effect.entity
        or effect.kind not in _CHANGING
    ):
        return None
    named = [(name, field) for name, field in effect.by.items() if name in arguments]
    if len(named) != 1:
        return None
    ((one, field),) = named
    others = [
        name for name, other in before.by.items() if other == field and before.names.get(name) == effect.names.get(one)
    ]
    return (one, others[0]) if len(others) == 1 else None


def _choosing(refused: ClaimedCall, made: ClaimedCall, arguments: dict[str, Any]) -> set[str]:
    """Return the arguments of a step that choose the state to which it leads."""
    written = fields_written(made.spec)
    return {
        name
        for name in arguments
        for field in _ended(refused, made.spec, arguments)
        if written[field] == f"args.{name}"
    }


def _ended(refused: ClaimedCall, spec: ToolSpec, arguments: dict[str, Any]) -> Iterator[str]:
    """Yield the fields that a step changes so that the error with which a call was refused need not come again."""
    before, after = refused.spec.effect, _changes(spec, arguments)
    title, _, why = str(refused.result).removeprefix("Error: ").partition(" - ")
    for need in () if before is None else before.needs:
        if need.error.replace("_", " ").capitalize() == title and _could_say(need, why):
            yield from [field for field, value in after.items() if _may_fulfil(need, field, value)]
    entity = None if before is None else refused.spec.declared.entities.get(before.entity)
    if entity is not None and title == "Wrong state":  # no need, but the order of the states forbids the call
        wanted = _changes(refused.spec, refused.arguments or {})
        for field in entity.states.keys() & after.keys() & wanted.keys():
            value, following = wanted[field], entity.states[field].get(str(after[field]))
            if _UNKNOWN in (value, after[field]) or is_among(value, following or ()):
                yield field


def _changes(spec: ToolSpec, arguments: dict[str, Any]) -> dict[str, Any]:
    """Return the fields that a call changes with their new values."""
    if spec.effect is None:
        return {}
    fields = spec.declared.entities[spec.effect.entity].fields if spec.effect.entity in spec.declared.entities else {}
    found = {}
    for field, value in fields_written(spec).items():
        name = value.removeprefix("args.") if isinstance(value, str) and value.startswith("args.") else None
        is_plain = not isinstance(value, str) or value in fields[field].get("enum", ())
        if name is None or name in arguments:
            found[field] = arguments[name] if name is not None else value if is_plain else _UNKNOWN
    return found


def _may_fulfil(need: Need, field: str, value: Any) -> bool:
    """Whether a new value of a field can fulfil what a call needs."""
    if field in need.values:
        return value is _UNKNOWN or is_among(value, need.values[field])
    return field in re.findall(r"(?<![\w.])[A-Za-z_]\w*", need.that)


def _could_say(need: Need, why: str) -> bool:
    """Whether an error can be told in these words where something is needed."""
    return (
        not need.say
        or re.fullmatch(".*".join(map(re.escape, re.split(r"\{[\w.]+\}", need.say))), why, re.DOTALL) is not None
    )


def check_unblocking(ledger: Ledger, proof: Proof, *, phrases: bool, prefix: bool) -> None:
    """Check that the user allows each such step, that it is said in words for just that step, and that the refused call follows."""
    for made in [made for made in ledger.calls.values() if made.unblocks is not None]:
        fault = _not_allowed(made, ledger) or (None if prefix or made.is_unmade else _not_followed(made, ledger))
        if fault is not None:
            ledger.found.append(Finding("PF135", ("argument", made.id, ""), fault, (made.unblocks,)))
    for index, segment in [(index, segment) for index, segments in ledger.segments.items() for segment in segments]:
        if segment.tell.how in ("unblocking", "if_need_be"):
            fault = _misplaced(index, segment, ledger) or (_otherwise(index, segment, ledger) if phrases else None)
            if fault is not None:
                ledger.found.append(Finding("PF135", ("message", index, segment.start, segment.end), fault))


def _not_allowed(made: ClaimedCall, ledger: Ledger) -> str | None:
    """Return why a step may not be made, or why a step that was refused must not be claimed; None if all is in order."""
    if made.arguments is None or ledger.tells(made.asked_at, made, "if_need_be"):
        return "the user allows it with the request" if made.is_unmade else None
    answer, last = "no" if made.is_unmade else "yes", min(made.at, len(ledger.contents))
    answered = [
        at
        for at in range(made.asked_at, last - 1)
        if ledger.tells(at, made, "unblocking") and ledger.tells(at + 1, made, answer)
    ]
    return None if answered else f"nobody says {answer} to it"


def _not_followed(made: ClaimedCall, ledger: Ledger) -> str | None:
    is_again = any(
        call.mends == made.unblocks and call.at > made.told_at for call in ledger.calls.values() if not call.is_unmade
    )
    return None if is_again and not made.failed else "{} is not made again after it"


def _misplaced(index: int, segment: TellSentence, ledger: Ledger) -> str | None:
    """Return why an offer or a leave cannot stand in this message, or None."""
    made = ledger.calls[segment.tell.call_id]
    refused = ledger.calls.get(made.unblocks or "")
    if refused is None:
        return "that call unblocks no other one"
    if segment.tell.how == "if_need_be":
        return None if index == made.asked_at else "it is not said with the request"
    if not refused.told_at < index < made.at:
        return "it is offered before there is a need, or when it is done"
    return None if ledger.tells(index, refused, "failed") else "nobody says there that a call was refused"


def _otherwise(index: int, segment: TellSentence, ledger: Ledger) -> str | None:
    """Return why the sentence is none for just this step, or None."""
    made = ledger.calls[segment.tell.call_id]
    if made.arguments is None:
        return None
    refused = ledger.calls[made.unblocks or ""]
    pair = _naming(refused.spec, made.spec, made.arguments)
    chosen = {name: value for name, value in made.arguments.items() if pair is None or name != pair[0]}
    frames = UNBLOCKING if segment.tell.how == "unblocking" else IF_NEED_BE
    said = ledger.contents[index][segment.start : segment.end]
    ways = [frame.format(words) for frame in frames for words in words_to_unblock(made.spec, chosen)]
    return None if said in ways else "nobody says it in these words, or it is another step"
