"""Unblock: a call changes the state because of which another one was refused: "It's closed. Shall I reopen it first?".

Such a step is about the same thing as the refused call, and as the tools' effects are declared it ends a state that gives just the
error with which that call was refused. The user allows it (with the request, or after the assistant has asked), and the refused
call is made again after it. When the user says no, no call is made.
"""

import re
from collections.abc import Iterator
from typing import Any

from generator.core.claims import WishClaim
from generator.core.connectives import argument_name
from generator.core.entities import Need
from generator.core.exact_json import is_among, same
from generator.core.planning import Call, Fixed, Ref, Say, Step
from generator.core.pointers import unescape
from generator.core.toolbox import ToolSpec, fields_written, is_same_kind, name_as_words
from generator.core.yaml_values import own_data
from generator.dialogue.acts.leave import tell_no_more
from generator.dialogue.proof.ledger import NEVER, Act, ClaimedCall, Ledger, Sentence
from generator.dialogue.wording.transcript import Transcript

_FORMS: dict[str, Any] = own_data(__file__)


def _by_name(spec: ToolSpec) -> str:
    """Return what a tool does in the words of its name, with an article before the thing: `recall_book` as "recall the book"."""
    verb, _, noun = name_as_words(spec.name).partition(" ")
    is_thing = spec.effect is not None and noun == name_as_words(spec.effect.entity)
    return f"{verb} {f'the {noun}' if noun else 'it'}" if is_thing or not noun else f"{verb} {noun}"


def words_to_unblock(spec: ToolSpec, chosen: dict[str, Any]) -> tuple[str, ...]:
    """Return verb phrases for a call that changes the state of "it": "reopen it"; none where nobody would know what it does.

    Args:
        spec: The tool. Without phrases of its own for that (`phrases.unblock`) its name is said, or the state that it leads to.
        chosen: Its arguments beside the one that names the thing.
    """
    if spec.phrases.unblock:
        return tuple([one.say for one in spec.phrases.unblock if dict(one.when) == chosen])
    if not chosen:
        return (_by_name(spec),)
    if len(chosen) > 1:
        return ()
    ((slot, state),) = chosen.items()
    name = argument_name(name_as_words(slot))
    return (f"set the {name} to {name_as_words(str(state))}",) if name else ()


# --- saying ---


def offer(talk: Transcript, call: Call) -> None:
    """Add the question for leave to make a call first: "Shall I reopen it first?"."""
    assert call.unblocks is not None
    doing = talk.draw.choice(words_to_unblock(talk.books[call.tool].spec, _chosen(call)))
    text = talk.draw.choice(_FORMS["offers"]).format(doing)
    talk.tell_apart((text, [], []), talk.unblocking_call(call.unblocks, call.tool), "unblocking")


def allow(talk: Transcript, event: Say, number: int, text: str) -> str:
    """Return a message with one more sentence: what may be done first if the call is refused because of a state."""
    allows = event.wishes[number].allows
    assert allows is not None
    doing = talk.draw.choice(words_to_unblock(talk.books[allows.tool].spec, allows.chosen))
    words = talk.draw.choice(_FORMS["allowed"]).format(doing)
    refused = next(
        (step.id, place)
        for step in talk.log.events
        if isinstance(step, Step)
        for place, call in enumerate(step.calls)
        if call.serves == (event.id, number)
    )
    return talk.say_further(text, (words, [], []), talk.unblocking_call(refused, allows.tool), "if_need_be")


def tell_left(talk: Transcript, call: Call) -> None:
    """Add that a state is left as it is, and note what would have changed it."""
    assert call.unblocks is not None
    refused, planned = talk.made_at(call.unblocks), talk.call_at(call.unblocks)
    slots = {origin: slot for slot, origin in planned.args.items() if isinstance(origin, Ref)}
    named = {
        slot: refused.arguments[unescape(slots[origin])]
        for slot, origin in call.args.items()
        if isinstance(origin, Ref)
    }
    name, asked_at = talk.unblocking_call(call.unblocks, call.tool), talk.said_at[call.serves[0]]
    unmade = {**named, **_chosen(call)}
    talk.wishes.append(WishClaim(name, call.tool, asked_at, unmade=unmade, unblocks=refused.id))
    tell_no_more(talk, name, "unblocking")


def _chosen(call: Call) -> dict[str, Any]:
    """Return the arguments of a call that the plan has fixed."""
    return {unescape(slot): origin.value for slot, origin in call.args.items() if isinstance(origin, Fixed)}


# --- checking ---

_CHANGING = frozenset({"update", "move", "act"})
"""Kinds of effects that can lead out of a state."""
_UNKNOWN = object()
"""Stands for the new value of a field that an expression computes."""


def note(ledger: Ledger) -> None:
    """Check what such steps are about, and note which arguments need no claims: those that name it and the state that it shall have."""
    for made in ledger.calls.values():
        if made.unblocks is None:
            continue
        refused = ledger.calls.get(made.unblocks)
        faults = iter(("there is no call {}",)) if refused is None else _not_about_it(refused, made)
        for fault in faults:
            ledger.report("PF135", ("argument", made.id, ""), fault, made.unblocks)
        if refused is not None and made.arguments is not None:
            pair = _naming(refused.spec, made.spec, made.arguments)
            made.keys.update(_choosing(refused, made, made.arguments), () if pair is None else pair[:1])


def _not_about_it(refused: ClaimedCall, made: ClaimedCall) -> Iterator[str]:
    """Yield why a call cannot end the state because of which another one was refused."""
    if refused.asked_at != made.asked_at or made.asked_at == NEVER:
        yield "{} was asked for by another message"
    if made.arguments is None:  # it is to come
        return
    if not refused.failed or not refused.told_at < made.at:
        yield "{} has not been refused before"
        return
    pair, before = _naming(refused.spec, made.spec, made.arguments), refused.arguments or {}
    if pair is None:
        yield "{} is about something of another kind, or the call does not change it"
    elif pair[1] not in before or not same(before[pair[1]], made.arguments[pair[0]]):
        yield "{} is about another one"
    elif not [*_ended(refused, made.spec, made.arguments)]:
        yield "{} was not refused for a state that this call ends"


def _naming(refused: ToolSpec, spec: ToolSpec, arguments: dict[str, Any]) -> tuple[str, str] | None:
    """Return the argument of a step and that of the refused call which name the same thing; None if there are none."""
    before, effect = refused.effect, spec.effect
    if before is None or effect is None or not is_same_kind(refused, spec) or effect.kind not in _CHANGING:
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


def check(ledger: Ledger) -> None:
    """Check that the user allows each such step, and that the refused call follows."""
    for made in [made for made in ledger.calls.values() if made.unblocks is not None]:
        for fault in _not_allowed(made, ledger):
            ledger.report("PF135", ("argument", made.id, ""), fault, made.unblocks)


def _not_allowed(made: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why a step may not be made, why one that was refused must not be claimed, or that nothing follows it."""
    answer, last = "no" if made.is_unmade else "yes", min(made.at, len(ledger.contents)) - 1
    if made.arguments is None or ledger.tells(made.asked_at, made, "if_need_be"):
        if made.is_unmade:
            yield "the user allows it with the request"
    elif not any(
        ledger.tells(at, made, "unblocking") and ledger.tells(at + 1, made, answer) for at in range(made.asked_at, last)
    ):
        yield f"nobody says {answer} to it"
    if not ledger.prefix and not made.is_unmade:
        again = [one for one in ledger.calls.values() if one.mends == made.unblocks and not one.is_unmade]
        if made.failed or not any(one.at > made.told_at for one in again):
            yield "{} is not made again after it"


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield why an offer or a leave cannot stand in its message."""
    made, index = sentence.made, sentence.index
    refused = sentence.ledger.calls.get(made.unblocks or "")
    if refused is None:
        yield "that call unblocks no other one"
    elif sentence.act.how == "if_need_be":
        if index != made.asked_at:
            yield "it is not said with the request"
    elif not refused.told_at < index < made.at:
        yield "it is offered before there is a need, or when it is done"
    elif not sentence.beside("failed", refused):
        yield "nobody says there that a call was refused"


def _said(sentence: Sentence) -> Iterator[str]:
    made, refused = sentence.made, sentence.ledger.calls.get(sentence.made.unblocks or "")
    forms = _FORMS["offers" if sentence.act.how == "unblocking" else "allowed"]
    if made.arguments is None or refused is None:  # which step it is will be seen later
        yield sentence.text
        return
    pair = _naming(refused.spec, made.spec, made.arguments)
    chosen = {name: value for name, value in made.arguments.items() if pair is None or name != pair[0]}
    yield from [form.format(words) for form in forms for words in words_to_unblock(made.spec, chosen)]


ACTS = (
    Act("unblocking", "assistant", "PF135", _said, _faults),
    Act("if_need_be", "user", "PF135", _said, _faults),
)
