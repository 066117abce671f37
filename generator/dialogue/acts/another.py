"""Another: a call is made in place of one that failed or found nothing, with one argument changed by the user's leave.

The assistant offers to take another element of a list, to search with another value or without an argument, and the user agrees;
or the user has said with the request which argument shall be left out if nothing is found, or which other value it shall have.
"""

from collections.abc import Iterator
from typing import Any

import msgspec

from generator.core.claims import Claim, WishClaim
from generator.core.connectives import argument_name
from generator.core.exact_json import same
from generator.core.planning import Ask, Call, Fixed, Ref, Say, Step
from generator.core.pointers import escape, resolve, split, unescape
from generator.core.toolbox import name_as_words
from generator.core.yaml_values import own_data
from generator.dialogue.acts.leave import tell_no_more
from generator.dialogue.proof.ledger import Act, ClaimedCall, Ledger, Sentence
from generator.dialogue.proof.tongues import ONE_VALUE
from generator.dialogue.wording.choosing import word_pick
from generator.dialogue.wording.claiming import claim_result, taken_back
from generator.dialogue.wording.clauses import WordedWish
from generator.dialogue.wording.one_value import word_tried
from generator.dialogue.wording.pieces import moved
from generator.dialogue.wording.referring import wanted_of
from generator.dialogue.wording.transcript import Transcript

_FORMS: dict[str, Any] = own_data(__file__)


def _name(slot: str) -> str:
    return argument_name(name_as_words(slot))


# --- saying ---


def offer(talk: Transcript, event: Ask, call: Call) -> None:
    """Add the offer to make a call with another element of a list or another value, or without an argument."""
    failed, ref, draw = talk.made_at(call.mends), call.args.get(event.slot), talk.draw
    if isinstance(ref, Fixed):
        _offer_value(talk, event, failed.id, failed.name, ref.value)
    elif not isinstance(ref, Ref) or ref.pick is None:
        text = draw.choice(_FORMS["without"]).format(_name(event.slot))
        talk.tell_apart((text, [], []), failed.id, "alternative")
    else:
        step = talk.step_at(ref.event)
        spec = talk.books[step.calls[ref.of].tool].spec
        words = word_pick(ref.pick, spec, step.outcomes[ref.of].value, ref.at, "", draw, talk.answering)
        before, _, after = draw.choice(_FORMS["element"]).partition("…")
        begin = talk.tell_apart((f"{before}{words}{after}", [], []), failed.id, "alternative") + len(before)
        talk.said_at[event.id] = len(talk.messages)
        talk.references[event.id, 0] = {"/" + event.slot: (begin, begin + len(words))}


def _offer_value(talk: Transcript, event: Ask, failed: str, tool: str, value: Any) -> None:
    """Add the offer to search with a value that the assistant proposes: "Shall I try Monday instead?"."""
    wanted = WordedWish(talk.books[tool], 0, {event.slot: value}, {})
    before, phrase, after = word_tried(wanted, event.slot, talk.draw, talk.answering, _FORMS["value"])
    later = (talk.made_in_place_of(event.wish), "arguments")
    told = [(start, end, way, pointer, later) for start, end, way, pointer, _ in moved(phrase[1], len(before))]
    begin = talk.tell_apart(
        (before + phrase[0] + after, told, [(len(before), phrase[2][0][1], later[:1])]), failed, "offered"
    )
    talk.said_at[event.id] = len(talk.messages)
    talk.spots[event.id, 0] = [(pointer, begin + start, begin + end, way) for start, end, way, pointer, _ in told]


def tell_left(talk: Transcript, ask: Ask, call: Call) -> None:
    """Add that what was offered in place of a failed call is not done, and note what it would have been."""
    failed, ref = talk.made_at(call.mends), call.args.get(ask.slot)
    name = f"{failed.id}:{ask.slot}"
    arguments = {key: value for key, value in failed.arguments.items() if escape(key) != ask.slot}
    before = len(talk.claims)
    if isinstance(ref, Ref):
        arguments[unescape(ask.slot)] = resolve(talk.step_at(ref.event).outcomes[ref.of].value, ref.at)
        claim_result(talk, call, ask.slot, msgspec.structs.replace(ref, because=(ask.id, 0, ask.slot)), name)
    said = taken_back(talk, before)
    talk.wishes.append(WishClaim(name, call.tool, talk.said_at[call.serves[0]], failed.id, arguments, said))
    tell_no_more(talk, name, "another" if isinstance(ref, Ref) else "proposal")


def tell_left_out(talk: Transcript, step: Step, place: int) -> None:
    """Add without which argument a search was made again."""
    made = step.made[place]
    slot = next(name for name in talk.made_at(step.calls[place].mends).arguments if name not in made.arguments)
    talk.tell_apart((talk.draw.choice(_FORMS["left_out"]).format(_name(slot)), [], []), made.id, "left_out")


def wish_without(talk: Transcript, event: Say, number: int, text: str) -> str:
    """Return a message with one more sentence: without which value the search shall be made again if it finds nothing."""
    words = talk.draw.choice(_FORMS["wished"]["without"]).format(_name(event.wishes[number].fallback))
    return talk.say_further(text, (words, [], []), talk.call_for((event.id, number)), "fallback")


def wish_another(talk: Transcript, event: Say, number: int, text: str) -> str:
    """Return a message with one more sentence: with which value the search shall be made again if it finds nothing."""
    wanted, instead_of = wanted_of(talk, event, number), event.wishes[number].instead_of
    assert instead_of is not None
    before, phrase, after = word_tried(wanted, escape(next(iter(wanted.said))), talk.draw, talk.voice, _FORMS["wished"])
    at = len(text) + 1 + len(before)
    talk.spots[event.id, number] = [(pointer, start, end, way) for start, end, way, pointer, _ in moved(phrase[1], at)]
    call = talk.made_in_place_of((event.id, instead_of))
    return talk.say_further(
        text, (before + phrase[0] + after, [], [(len(before), phrase[2][0][1], (call,))]), call, "otherwise"
    )


# --- checking ---


def changed_arguments(before: ClaimedCall, made: ClaimedCall) -> set[str]:
    """Return the arguments in which two calls differ."""
    one, other = before.arguments or {}, made.arguments or {}
    return {key for key in {*one, *other} if key not in one or key not in other or not same(one[key], other[key])}


def by_leave(before: ClaimedCall, made: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why a call may not be made in place of another one with one argument changed."""
    changed = changed_arguments(before, made)
    if len(changed) != 1:
        yield "more than one argument differs from those of {}"
        return
    (name,) = changed
    is_left_out, answer = name not in (made.arguments or {}), "no" if made.is_unmade else "yes"
    if not (before.failed or is_left_out) and name in (before.arguments or {}):
        if not ledger.tells(before.asked_at, made, "otherwise") and not _answered(before, made, ledger, "offered"):
            yield "nobody has agreed to another value than that of {}"
    elif before.failed == is_left_out:
        yield "another element is for a call that failed, and a search is widened where it found nothing"
    elif not _answered(before, made, ledger, "alternative", answer) and not (
        is_left_out and ledger.tells(before.asked_at, before, "fallback")
    ):
        yield "nobody has agreed to anything else than {}"


def _answered(before: ClaimedCall, made: ClaimedCall, ledger: Ledger, how: str, answer: str = "yes") -> bool:
    """Whether something was offered in place of a call, and answered, before another one was made."""
    between = range(before.told_at + 1, min(made.at, len(ledger.contents)))
    return any(ledger.tells(at, before, how) and ledger.tells(at + 1, before, answer) for at in between)


def check(ledger: Ledger) -> None:
    """Check every argument that is said to have been proposed by the assistant."""
    for claim in ledger.proof.arguments:
        made = ledger.calls.get(claim.call_id)
        if claim.source == "offered" and made is not None and made.arguments is not None:
            for fault in _not_agreed(claim, made, ledger):
                ledger.report("PF130", ("argument", claim.call_id, claim.pointer), fault)


def _not_agreed(claim: Claim, made: ClaimedCall, ledger: Ledger) -> Iterator[str]:
    """Yield why an argument is not one that the assistant has proposed and the user agreed to."""
    index, before = claim.message, ledger.calls.get(made.mends or "")
    if index is None or claim.start is None or claim.end is None or before is None:
        yield "nobody proposes the value"
        return
    sentence, place = ledger.sentence_at(index, claim.start), (made.id, claim.start, claim.end)
    is_there = sentence is not None and sentence.act.how == "offered" and sentence.made is before
    parts = [part for part in sentence.parts if (part.call, part.start, part.end) == place] if sentence else []
    slot = ("arguments", claim.pointer.removeprefix("/"))
    if not is_there or not any(part.saying.leaf == slot for part in parts):
        yield "the assistant does not propose the value there"
    elif not ledger.tells(index + 1, before, "yes"):
        yield "nobody agrees to the value"


def _offer(sentence: Sentence) -> Iterator[str]:
    claim, content = _taken(sentence), sentence.ledger.contents[sentence.index]
    if claim is None or claim.referred is None:
        return _named(_FORMS["without"], sentence.made, sentence.ledger.again(sentence.made))
    words = content[claim.referred[1] : claim.referred[2]]
    return iter([form.replace("…", words) for form in _FORMS["element"]])


def _named(forms: list[str], before: ClaimedCall | None, after: ClaimedCall | None) -> Iterator[str]:
    """Yield the forms with the names of the arguments that may be meant."""
    if before is None:
        return
    is_known = after is not None and after.arguments is not None
    changed = changed_arguments(before, after) if after is not None and is_known else {*(before.arguments or ())}
    names = {_name(escape(one)) for one in changed}
    yield from [form.format(name) for form in forms for name in names if name]


def _taken(sentence: Sentence) -> Claim | None:
    """Return the claim about the element that is taken by the call which is offered."""
    proof, after = sentence.ledger.proof, sentence.ledger.again(sentence.made)
    claims = [*proof.arguments, *[claim for wish in proof.wishes for claim in wish.said]]
    found = [one for one in claims if after is not None and one.call_id == after.id and one.referred is not None]
    return found[-1] if found else None


def _faults_of_offer(sentence: Sentence) -> Iterator[str]:
    """Yield why a sentence does not offer what is done when the user agrees."""
    about, after, claim = sentence.made, sentence.ledger.again(sentence.made), _taken(sentence)
    if not about.told_at < sentence.index or not (sentence.beside("failed") or sentence.beside("empty")):
        yield "nobody says there that the first call failed or found nothing"
    is_made = after is not None and after.arguments is not None
    if claim is None or claim.referred is None:
        if about.failed and is_made:
            yield "it does not say what is taken instead"
        return
    if after is not None and is_made and changed_arguments(about, after) != {split(claim.pointer)[0]}:
        yield "another argument differs than the one that is offered"
    at, start, end = claim.referred
    if at != sentence.index or not sentence.start <= start < end <= sentence.end:
        yield "it does not say what is taken instead"


def _faults_of_wish(sentence: Sentence) -> Iterator[str]:
    if sentence.index != sentence.made.asked_at:
        yield "it is not said with the request"
    elif sentence.ledger.again(sentence.made) is None and not sentence.ledger.prefix:
        yield "the search is not made again without it"


def _faults_of_left_out(sentence: Sentence) -> Iterator[str]:
    if sentence.before is None or not sentence.made.told_at < sentence.index:
        yield "nothing was left out before"


def _faults_of_value(sentence: Sentence) -> Iterator[str]:
    """Yield why a sentence does not say the value with which a search that has found nothing is to be made again."""
    ledger, about, index = sentence.ledger, sentence.made, sentence.index
    before, made, source = sentence.before, about, "user"
    if sentence.act.how == "offered":
        before, made, source = about, ledger.again(about) or about, "offered"
        if not about.told_at < index or not sentence.beside("empty"):
            yield "nobody says there that the first call found nothing"
    elif before is None or before.failed or index != about.asked_at:
        yield "it is not said with the request for a search that has found nothing"
    if before is None or made is before or made.arguments is None:  # it is to come
        return
    said = {
        claim.pointer.removeprefix("/")
        for claim in ledger.proof.arguments
        if (claim.call_id, claim.source, claim.message) == (made.id, source, index)
        and sentence.start <= (claim.start or 0) < (claim.end or 0) <= sentence.end
    }
    if not changed_arguments(before, made) <= said:
        yield "the value said there is not the one that differs"


ACTS = (
    Act("alternative", "assistant", "PF130", _offer, _faults_of_offer),
    Act(
        "offered",
        "assistant",
        "PF130",
        lambda sentence: (*_FORMS["value"]["alone"], *_FORMS["value"]["framed"]),
        _faults_of_value,
        ONE_VALUE,
        may_state=lambda sentence, made, of: of == "arguments" and made.mends == sentence.made.id,
    ),
    Act(
        "left_out",
        "assistant",
        "PF130",
        lambda sentence: _named(_FORMS["left_out"], sentence.before, sentence.made),
        _faults_of_left_out,
    ),
    Act(
        "fallback",
        "user",
        "PF130",
        lambda sentence: _named(_FORMS["wished"]["without"], sentence.made, sentence.ledger.again(sentence.made)),
        _faults_of_wish,
    ),
    Act(
        "otherwise",
        "user",
        "PF130",
        lambda sentence: (*_FORMS["wished"]["alone"], *_FORMS["wished"]["framed"]),
        _faults_of_value,
        ONE_VALUE,
    ),
)
