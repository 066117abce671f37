"""Fail: the assistant says that a call failed, and why; or the call is made again, as it was or put right."""

import re
from collections.abc import Iterator
from typing import Any

from generator.core.conversation import AssistantMessage
from generator.core.planning import Call, Outcome, Ref, Step
from generator.core.pointers import escape, resolve
from generator.core.profiles import failed_results
from generator.core.yaml_values import own_data
from generator.dialogue.acts.another import by_leave, changed_arguments
from generator.dialogue.acts.empty import finds_nothing
from generator.dialogue.acts.leave import ASKS_LEAVE
from generator.dialogue.acts.set_aside import NOTED
from generator.dialogue.proof.ledger import NEVER, Act, ClaimedCall, Ledger, Sentence
from generator.dialogue.proof.tongues import ANSWERS, DOINGS
from generator.dialogue.values.texts import IN_WORDS
from generator.dialogue.wording.answers import differing
from generator.dialogue.wording.doing import do_call
from generator.dialogue.wording.pieces import ResultOwner, closes, later, moved
from generator.dialogue.wording.transcript import Transcript
from generator.formats.rules import accepts

_FORMS: dict[str, Any] = own_data(__file__)
_ERROR_TEXTS = ("message", "error/message", "error", *failed_results().beside, *failed_results().wrappers, "")
"""Where the result of a failed call says what went wrong: the first of these that is a text."""


# --- saying ---


def tell(talk: Transcript, step: Step, place: int) -> None:
    """Add why a call failed: "I couldn't book a table at Hearth: the request timed out.".

    The reason stands alone ("That didn't work: the card is frozen.") where the user does not know what the call names, and now and
    then where one call was made, so that it is clear which one is meant.
    """
    made, call, outcome, draw = step.made[place], step.calls[place], step.outcomes[place], talk.draw
    is_again = call.mends is not None
    told: ResultOwner = (made.id, "result")
    pointer, text = _error_text(outcome)
    why = _in_words(_as_clause(text), talk)
    if _is_found(talk, call) or (len(step.made) == 1 and draw.chance(0.15)):
        before = draw.choice(_FORMS["alone_again" if is_again else "alone"])
        spans = [(len(before), len(before) + len(why), "message", pointer, told)]
        talk.tell_apart((f"{before}{why}.", spans, []), made.id, "failed")
        return
    naming = _what_tells_it_apart(step, place)
    doing, spans, uses = do_call(talk.books[made.name], made.arguments, made.id, naming, draw, talk.answering)
    if len(step.made) == 1 and draw.chance(0.2) and not _POINTING.search(why):
        before = why[:1].upper() + why[1:] + draw.choice(_FORMS["so"])
        spans = [(0, len(why), "message", pointer, told), *moved(spans, len(before))]
        text = f"{before}{doing}{'' if closes(doing) else '.'}"
    else:
        before = draw.choice(_FORMS["cannot_again" if is_again and draw.chance(0.7) else "cannot"])
        begun = f"{before}{doing}{draw.choice(_FORMS['reason'])}"
        spans = [*moved(spans, len(before)), (len(begun), len(begun) + len(why), "message", pointer, told)]
        text = f"{begun}{why}."
    talk.tell_apart((text, spans, later(uses, len(before), 0)), made.id, "failed")


def _what_tells_it_apart(step: Step, place: int) -> list[str]:
    """Return the slots of a call's arguments that other calls of its tool in the same step have otherwise: one, if that is enough."""
    made = step.made[place]
    several = [one.arguments for one in step.made if one.name == made.name]
    apart = [key for key in made.arguments if key in differing(several)] if len(several) > 1 else []
    enough = [key for key in apart if sum(one.get(key) == made.arguments[key] for one in several) == 1]
    return [escape(key) for key in enough[:1] or apart]


def _is_found(talk: Transcript, call: Call) -> bool:
    """Whether an argument comes from a result: a key that the user does not know."""
    return any(isinstance(ref, Ref) and isinstance(talk.log.events[ref.event], Step) for ref in call.args.values())


def _error_text(outcome: Outcome) -> tuple[str, str]:
    """Return the pointer and the text of what an error says."""
    for place in _ERROR_TEXTS if isinstance(outcome.value, dict) else ():
        try:
            text = resolve(outcome.value, place)
        except LookupError:
            continue
        if isinstance(text, str) and text:
            return "/" + place if place else "", text
    return "", outcome.content


_POINTING = re.compile(r"\b(?:it|this|that|there)\b")
"""Words in a reason that point at what has been spoken of."""
_TITLE = re.compile(r"\AError: (?:[A-Z][a-z ]* - )?")


def _as_clause(text: str) -> str:
    """Return the text of an error as a clause: without its title, its capital and its full stop."""
    text = _TITLE.sub("", text, count=1).strip().removesuffix(".")
    return text if text[1:2].isupper() else text[:1].lower() + text[1:]


def _in_words(clause: str, talk: Transcript) -> str:
    """Return what the assistant says of an error, in its own words where it has some."""
    ways = IN_WORDS.get(clause)
    return clause if ways is None else talk.draw.choice(ways)


# --- checking ---


def _failure(sentence: Sentence) -> Iterator[str]:
    ways = ("", "_again") if sentence.made.mends is not None else ("",)
    for again in ways:
        yield from [f"{before}{{message}}." for before in _FORMS[f"alone{again}"]]
        for before in _FORMS[f"cannot{again}"]:
            yield from [f"{before}…{reason}{{message}}." for reason in _FORMS["reason"]]
    yield from [f"{{message}}{so}…{stop}" for so in _FORMS["so"] for stop in (".", "")]


def _faults_of_failure(sentence: Sentence) -> Iterator[str]:
    made, again = sentence.made, sentence.ledger.again(sentence.made)
    if not made.failed or not made.told_at < sentence.index:
        yield "the call has not failed"
    elif again is not None and again.at < sentence.index:
        yield "the call was made again"
    reasons = [part.saying.pointer for part in sentence.parts if part.saying.is_clause]
    if not any(pointer.removeprefix("/") in _ERROR_TEXTS for pointer in reasons):
        yield "it does not say why the call failed"


def note_again(ledger: Ledger) -> None:
    """Note calls that are made again: with the same arguments, or with right ones where the first were refused."""
    for made in ledger.calls.values():
        if made.mends is None:
            continue
        failed = ledger.calls.get(made.mends)
        faults = iter(("there is no call {}",)) if failed is None else _made_again(failed, made, ledger)
        for fault in faults:
            ledger.report("PF121", ("argument", made.id, ""), fault, made.mends)


def _made_again(failed: ClaimedCall, made: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why a call does not make a failed one again; note what need not be claimed of either of them."""
    is_learnt = _is_learnt(failed, ledger)
    if made.arguments is None:  # beyond the end of the prefix
        if not is_learnt:
            _note_wrong(failed)
    elif failed.spec.name != made.spec.name or failed.asked_at != made.asked_at or made.asked_at == NEVER:
        yield "{} is a call for something else"
    elif not (failed.failed or finds_nothing(failed)) or not failed.told_at < made.at:
        yield "{} has not failed before it is made again"
    else:
        changed = changed_arguments(failed, made)
        made.is_again = is_learnt or not failed.failed or not changed
        if made.is_again:
            made.keys.update(made.arguments.keys() - changed)
        if not made.is_again:
            _note_wrong(failed)
            yield from _not_put_right(failed, changed)
        elif changed or not failed.failed:
            yield from by_leave(failed, made, ledger)


def _note_wrong(failed: ClaimedCall) -> None:
    failed.is_wrong = True
    failed.keys.update(failed.arguments or ())


def _not_put_right(failed: ClaimedCall, changed: set[str]) -> Iterator[str]:
    """Yield why right arguments do not take the place of wrong ones."""
    if accepts(failed.spec.tool.parameters, failed.arguments):
        yield "the arguments of {} are not wrong, and it is made again with others"
    elif len(changed) != 1:
        yield "more than one argument differs from those of {}"


def _is_learnt(made: ClaimedCall, ledger: Ledger) -> bool:
    message = ledger.conversation.messages[made.at] if made.at < len(ledger.contents) else None
    return type(message) is AssistantMessage and message.train


def check(ledger: Ledger) -> None:
    """Check that every failed or unmade call is followed up, and that a failed one is reported as a failure only."""
    told: dict[str, set[str]] = {}
    for tell in ledger.proof.tells:
        told.setdefault(tell.call_id, set()).add(tell.how)
    failed = set()
    for made in ledger.calls.values():
        if made.failed:
            failed.add(made.id)
        if not ledger.prefix and (made.failed or made.is_unmade or made.id in told):
            for fault in _not_followed_up(made, told.get(made.id, set()), ledger):
                ledger.report("PF119", ("argument", made.id, ""), fault)
    for claim in ledger.proof.answers if failed else ():
        is_usual = ledger.tongues.get(claim.message) is ANSWERS
        if claim.call_id in failed and is_usual and ledger.sentence_at(claim.message, claim.start) is None:
            at = ("message", claim.message, claim.start, claim.end)
            ledger.report("PF120", at, "the call failed, and this tells what it came to")


def _not_followed_up(made: ClaimedCall, told: set[str], ledger: Ledger) -> Iterator[str]:
    """Yield why a failed, proposed or unmade call is not followed up, after the acts that are told of it."""
    if told.intersection(ASKS_LEAVE) and not told & {"yes", "no"}:
        yield "leave is asked for, and nobody gives or refuses it"
    if made.is_unmade and not (told & _NOT_MADE or _is_open(made, ledger)):
        yield "the call is not made, and nobody says so"
    again = ledger.again(made)
    if made.failed and (again is None or again.at >= len(ledger.contents)) and "failed" not in told:
        yield "the call failed, and nobody says so"


def _is_open(made: ClaimedCall, ledger: Ledger) -> bool:
    """Whether the conversation ends with the question for a value that the call needs."""
    return any(ask.call_id == made.id and ask.message == len(ledger.contents) - 1 for ask in ledger.proof.asks)


_NOT_MADE = {"not_done", "ruled_out", "put_off", *NOTED}
"""The acts that say why a call is not made."""
ACTS = (Act("failed", "assistant", "PF120", _failure, _faults_of_failure, DOINGS),)
