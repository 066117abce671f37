"""Correct: the user takes back a value, or changes one with a reply, or wants undone what was done."""

from collections.abc import Iterator
from typing import Any

import orjson

from generator.core.claims import RetractedClaim, TellClaim
from generator.core.connectives import CONNECTIVES
from generator.core.planning import Say
from generator.core.pointers import escape, set_at, split
from generator.core.toolbox import ToolSpec, is_same_kind, overwrites, restores, rewrites
from generator.core.values import same
from generator.core.yaml_values import own_data
from generator.dialogue.acts.leave import begins_a_change
from generator.dialogue.acts.refuse import calls_after
from generator.dialogue.proof.ledger import NEVER, Act, ClaimedCall, Ledger, Sentence
from generator.dialogue.proof.tongues import FURTHER_REQUESTS, ONE_VALUE
from generator.dialogue.proof.verbalizations import verbalization
from generator.dialogue.wording.claiming import claim_change
from generator.dialogue.wording.one_value import word_corrected, word_reply
from generator.dialogue.wording.pieces import Pieces, text_of
from generator.dialogue.wording.referring import said_before, wanted_of
from generator.dialogue.wording.requests import word_further_request
from generator.dialogue.wording.transcript import Transcript

_FORMS: dict[str, Any] = own_data(__file__)


# --- saying ---


def regret(talk: Transcript, event: Say) -> Pieces:
    """Return the wish to have something undone: "Sorry, I've changed my mind. Cancel it."; with what is wanted in its place."""
    wanted = [wanted_of(talk, event, number) for number in range(len(event.wishes))]
    kind = "regretting" if len(wanted) == 1 and not event.corrects else "mistaken"
    text = talk.say_further("", (talk.draw.choice(_FORMS[kind]), [], []), talk.call_for((event.id, 0)), "regretted")
    pieces = [f"{text} ", *word_further_request((), wanted[:1], talk.draw, talk.voice, ())]
    if len(wanted) > 1:
        pieces += [" ", *word_further_request(wanted[1:], (), talk.draw, talk.voice, ())]
    return pieces


def reply_and_correct(talk: Transcript, event: Say) -> Pieces:
    """Return the answer to a question, with another value for what was said before: "7 pm. Sorry, I meant on Friday."."""
    first, changed = [wanted_of(talk, event, number) for number in range(len(event.wishes))]
    slot = escape(next(iter(changed.said)))
    reply = word_reply(first, escape(next(iter(first.said))), talk.draw, talk.voice)
    correction = word_corrected(changed, slot, talk.draw, talk.voice)
    start = len("".join(map(text_of, reply))) + 1
    call, end = claim_change(talk, event, slot), start + len("".join(map(text_of, correction)))
    talk.tells.append(TellClaim(len(talk.messages), start, end, call, "corrected"))
    return [*reply, " ", *correction]


def take_back(talk: Transcript, event: Say, slot: str) -> None:
    """Note where the value was said that the user takes back."""
    before = said_before(talk, event)
    for pointer, start, end, way in talk.spots[before]:
        if pointer == "/" + slot:
            call = talk.call_for((event.id, 0))
            talk.retracted.append(RetractedClaim(talk.said_at[before[0]], start, end, way, call, pointer))


# --- checking ---


def _faults_of_regret(sentence: Sentence) -> Iterator[str]:
    """Yield why what is wanted undone was not made before, or the call for it does not delete or cancel just that."""
    made, ledger = sentence.made, sentence.ledger
    claims = ledger.proof.arguments
    taken = {claim.message for claim in claims if claim.source == "result" and claim.call_id == made.id}
    undone = any(call.told_at in taken and undoes(made.spec, call.spec) for call in ledger.calls.values())
    if made.asked_at != sentence.index or sentence.start or not undone:
        yield "nothing that was made before is undone"


def undoes(spec: ToolSpec, other: ToolSpec) -> bool:
    """Whether a tool deletes, moves to another state or changes what another one creates, or leads back to the state before it."""
    one, two = spec.effect, other.effect
    if one is None or two is None or not is_same_kind(spec, other):
        return False
    if two.kind == "create":
        return one.kind in ("delete", "move") or bool(rewrites(spec, other))
    return two.kind in ("update", "move") and restores(spec, other)


def _correction(sentence: Sentence) -> Iterator[str]:
    for before, after in CONNECTIVES.correcting:
        yield from (f"{before}…{after}", *([f"{before}…"] if after == "." else ()))


def _faults_of_correction(sentence: Sentence) -> Iterator[str]:
    if not _is_change(sentence):
        yield "nothing is changed there"


def _is_change(sentence: Sentence) -> bool:
    """Whether a claim says that the reply of which this is a part changes a value of the call."""
    changed = {claim.by: claim.call_id for claim in sentence.ledger.proof.retracted if claim.by is not None}
    return changed.get(sentence.index) == sentence.made.id


def note(ledger: Ledger) -> None:
    """Check that a value changed before the call was said in the request, and that the call takes the new value."""
    for claim in {claim.by: claim for claim in ledger.proof.retracted if claim.by is not None}.values():
        for fault in _not_changed(claim, ledger):
            ledger.report("PF123", ("message", claim.message, claim.start, claim.end), fault)
    for sentence in ledger.spoken("yes"):
        if begins_a_change(sentence) != _is_change(sentence):
            ledger.report(
                "PF123", sentence.place, "a value is changed there and nobody says so, or the other way round"
            )


def _not_changed(claim: RetractedClaim, ledger: Ledger) -> Iterator[str]:
    """Yield why a reply does not change a value; note where the old value is said, and the proposed arguments."""
    made, by = ledger.calls.get(claim.call_id), claim.by or 0
    if made is None or claim.message != made.asked_at or not claim.message < by:
        yield "the request does not say it"
        return
    place = ledger.note_former(claim, made)
    if place is None:
        yield "there is no such text, or these words say something else"
        return
    made.said[claim.message, claim.start] = claim.pointer  # it was said, so nobody need ask for it
    if made.arguments is None or (ledger.prefix and by >= len(ledger.contents)):
        return
    said = [start for (index, start), pointer in made.said.items() if (index, pointer) == (by, claim.pointer)]
    begin = next((one.start if one.act.how == "corrected" else one.end for one in ledger.sentences.get(by, ())), 0)
    if by not in ledger.replies or by >= made.at or not any(start >= begin for start in said):
        yield "nothing else is said in its place"
        return
    try:
        old = place.read(ledger.contents[claim.message][claim.start : claim.end], ledger.today)
        if same(old, _argument(made, claim)):
            yield "the call takes this value all the same"
        made.proposed = orjson.loads(orjson.dumps(made.arguments))
        set_at(made.proposed, claim.pointer, old)
        made.changed_at = by
    except (LookupError, ValueError):
        yield "the words say no value"


def _argument(made: ClaimedCall, claim: RetractedClaim) -> Any:
    return verbalization(made.spec, ONE_VALUE, "arguments", claim.pointer, claim.verbalizer).find(made.arguments)


def check(ledger: Ledger) -> None:
    """Check that what is taken back was said of the same argument before, and is not what the call takes in the end."""
    taken_back, refused = set(), calls_after(ledger.proof)
    for claim in ledger.proof.retracted:
        made = ledger.calls.get(claim.call_id)
        if claim.call_id in refused or claim.by is not None or (ledger.prefix and made is None):
            continue  # the message that takes it back may be still to come
        for fault in _not_taken_back(claim, made, ledger):
            ledger.report("PF123", ("message", claim.message, claim.start, claim.end), fault)
        taken_back.add(NEVER if made is None else made.asked_at)
    for index, tongue in ledger.tongues.items():
        if tongue is FURTHER_REQUESTS and index not in taken_back and _takes_back(ledger.contents[index]):
            ledger.report("PF123", ("message", index), "nothing is taken back there")


def _not_taken_back(claim: RetractedClaim, made: ClaimedCall | None, ledger: Ledger) -> Iterator[str]:
    is_later = made is not None and NEVER != made.asked_at > claim.message
    if made is None or not is_later or claim.message not in ledger.tongues:
        yield "no later request takes it back"
        return
    if not _takes_back(ledger.contents[made.asked_at]):
        yield "the later request does not say that it takes something back"
    calls = [call for call in ledger.calls.values() if call.asked_at == claim.message and call.spec is made.spec]
    is_done = any(not call.failed for call in calls)
    if is_done and not made.spec.looks_up and not overwrites(made.spec, split(claim.pointer)[0]):
        yield "another call does not change what the first one has done"
    saying = verbalization(made.spec, ledger.tongues[claim.message], "arguments", claim.pointer, claim.verbalizer)
    parts = [
        part
        for part in ledger.parts.get(claim.message, ())
        if (part.start, part.end) == (claim.start, claim.end)
        and (part.saying.spec.name, part.saying.leaf) == (made.spec.name, saying.leaf)
    ]
    if not parts:
        yield "nothing is said of this argument there"
    elif made.arguments is not None:
        try:
            if same(_argument(made, claim), parts[0].value):
                yield "the call takes this value all the same"
        except LookupError:
            yield "the call takes no other value in its place"


def _takes_back(content: str) -> bool:
    """Whether a message begins like a correction; "Sorry, could you first …" does not."""
    return any(content.startswith(before) and content.endswith(after) for before, after in CONNECTIVES.correcting)


ACTS = (
    Act("corrected", "user", "PF123", _correction, _faults_of_correction, ONE_VALUE),
    Act("regretted", "user", "PF123", lambda sentence: (*_FORMS["regretting"], *_FORMS["mistaken"]), _faults_of_regret),
)
