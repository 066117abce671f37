"""Leave: the assistant proposes a call, the user says yes or no to it, and after a no it is not made."""

from collections.abc import Iterator
from typing import Any

import orjson

from generator.core.claims import RetractedClaim
from generator.core.conversation import UserMessage
from generator.core.errors import CannotFillError
from generator.core.exact_json import same
from generator.core.planning import Ask, Say, Tell
from generator.core.pointers import escape, schema_at, set_at
from generator.core.yaml_values import own_data
from generator.dialogue.proof.ledger import Act, Ledger, Sentence, fault_unless
from generator.dialogue.proof.tongues import DOINGS
from generator.dialogue.wording.claiming import claim_change, claim_unmade, wanted_arguments
from generator.dialogue.wording.clauses import WordedWish, said_by_user
from generator.dialogue.wording.doing import framed
from generator.dialogue.wording.phrases.tool_phrases import ToolPhrases
from generator.dialogue.wording.referring import wanted_of
from generator.dialogue.wording.requests import word_change
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import joined

_FORMS: dict[str, Any] = own_data(__file__)
ASKS_LEAVE = ("proposed", "patient")
"""The acts that a yes or a no answers."""


# --- saying ---


def propose(talk: Transcript, event: Ask) -> None:
    """Add what would be done, and the question for leave: "I'd book a table at Hearth now. Shall I go ahead?"."""
    wish = talk.wish_at(event.wish)
    phrases, call_id = talk.phrases[wish.tool], talk.call_for(event.wish)
    assert event.call is not None
    arguments = wanted_arguments(talk, event.call)
    said = tuple(said_by_user(WordedWish(phrases, 0, arguments, {})))
    kind = "proposing_changed" if event.again else "proposing"
    named = frozenset([slot for slot in said if _is_named(talk, phrases, call_id, slot, arguments.get(slot))])
    phrase = framed(_FORMS[kind], phrases, arguments, call_id, said, talk.draw, talk.answering, named)
    pointers = [f"{pointer}/" for _, _, _, pointer, _ in phrase[1]]
    left_out = [slot for slot in said if not any(one.startswith(f"/{slot}/") for one in pointers)]
    if left_out:
        raise CannotFillError(f"{wish.tool}: nothing says {left_out[0]} within a sentence")
    talk.tell_apart(phrase, call_id, "proposed")


def _is_named(talk: Transcript, phrases: ToolPhrases, call_id: str, slot: str, value: Any) -> bool:
    """Whether the assistant has said of which thing it speaks, with its key: "That's the Roma on 3 May (RES-027995)."."""
    links = [link.argument.removeprefix("/") for link in phrases.spec.links]
    shown = [tell for tell in talk.tells if tell.how == "shown" and tell.call_id == call_id]
    return slot in links and any(str(value) in talk.text_at(tell.message)[tell.start : tell.end] for tell in shown)


def reply(talk: Transcript, event: Say) -> None:
    """Add the user's yes or no; a yes may change a value."""
    ask = talk.log.events[event.to or 0]
    assert isinstance(ask, Ask)
    call, kind = talk.call_for(ask.wish), "proposal"
    before = talk.log.events[event.id - 1]
    if isinstance(before, Tell) and before.how == "patient":
        kind = "decided"
    words = talk.draw.choice(_FORMS["yes"]["but" if event.wishes else kind] if event.yes else _FORMS["no"][kind])
    text = talk.say_further("", (words, [], []), call, "yes" if event.yes else "no")
    talk.said_at[event.id] = len(talk.messages)
    if event.wishes:
        changed = wanted_of(talk, event, 0)
        slot = escape(next(iter(changed.said)))
        claim_change(talk, event, slot)
        text = talk.note_spans(event, joined(text, " ", word_change(changed, slot, talk.draw, talk.voice)))
    talk.messages.append(UserMessage(text))


def tell_left(talk: Transcript, event: Tell) -> None:
    """Add that a proposed call is not made: "OK, I left it as it is."."""
    assert event.wish is not None
    talk.tell_apart((talk.draw.choice(_FORMS["left"]), [], []), claim_unmade(talk, event.wish), "not_done")


# --- checking ---


def either_stop(forms: list[str]) -> Iterator[str]:
    """Yield the forms, and those without the stop after `…`, which a quotation may have within it."""
    for form in forms:
        yield from (form, form.replace("….", "…", 1))


def _faults_of_proposal(sentence: Sentence) -> Iterator[str]:
    """Yield that the call is not open any more, or that a proposal leaves a value out."""
    call = sentence.made
    if not call.asked_at < sentence.index < call.at:
        yield "the call is made already, or nobody has asked for it"
    pointers_said = [f"{part.saying.pointer}/" for part in sentence.parts if part.call == call.id]
    arguments = call.arguments if call.proposed is None or sentence.index > call.changed_at else call.proposed
    for pointer in () if arguments is None else _pointers_in(arguments, call.spec.tool.parameters or {}, ""):
        if not any(pointer_said.startswith(f"{pointer}/") for pointer_said in pointers_said):
            yield f"it leaves out {pointer}"


def _pointers_in(arguments: dict[str, Any], schema: dict[str, Any], prefix: str) -> Iterator[str]:
    """Yield the pointers of the arguments whose values the schema does not fix."""
    for name, value in arguments.items():
        schema_of_value, pointer = schema_at(schema, escape(name)) or {}, f"{prefix}/{escape(name)}"
        if isinstance(value, dict) and value:
            yield from _pointers_in(value, schema_of_value, pointer)
        elif "const" not in schema_of_value and len(schema_of_value.get("enum", (1, 2))) > 1:
            yield pointer


def _any_of(key: str) -> frozenset[str]:
    """Return the words for a yes, or for a no, of all kinds."""
    return frozenset([text for texts in _FORMS[key].values() for text in texts])


_YES, _NO = _any_of("yes"), _any_of("no")


def _faults_of_answer(sentence: Sentence) -> Iterator[str]:
    """Yield why a yes or no does not answer a question for leave, or is not followed."""
    call, ledger, index, is_yes = sentence.made, sentence.ledger, sentence.index, sentence.act.how == "yes"
    calls, end = ledger.calls.values(), len(ledger.contents)
    if not is_yes and any(other_call.asked_at == call.asked_at and index < other_call.at < end for other_call in calls):
        yield "the user says no, and a call is made all the same"
    if not sentence.follows(*ASKS_LEAVE):
        yield "nobody has asked for leave"
    elif call.is_unmade == is_yes:
        yield "the call is made although the user says no, or not although yes"


def note(ledger: Ledger) -> None:
    """Check that a value changed before the call was said in the request, and that the call takes the new value."""
    for claim in {claim.by: claim for claim in ledger.proof.retracted if claim.by is not None}.values():
        for fault in _not_changed(claim, ledger):
            ledger.report("PF123", ("message", claim.message, claim.start, claim.end), fault)
    refused = {tell.call_id for tell in ledger.proof.tells if tell.how == "refused"}
    for claim in ledger.proof.retracted:
        if claim.by is None and claim.call_id not in refused:
            ledger.report("PF123", ("message", claim.message, claim.start, claim.end), "nobody takes it back")
    changed = {claim.by: claim.call_id for claim in ledger.proof.retracted}
    for sentence in ledger.spoken("yes"):
        if (sentence.text in _FORMS["yes"]["but"]) != (changed.get(sentence.index) == sentence.made.id):
            ledger.report("PF123", sentence.at, "a value is changed there and nobody says so, or the other way round")


def _not_changed(claim: RetractedClaim, ledger: Ledger) -> Iterator[str]:
    """Yield why a reply does not change a value; note where the old value is said, and the proposed arguments: "Book it for two." – "Shall I book it for two?" – "Yes, but for three."."""
    call, reply_index = ledger.calls.get(claim.call_id), claim.by or 0
    if call is None or claim.message != call.asked_at or not claim.message < reply_index:
        yield "the request does not say it"
        return
    saying = ledger.note_former(claim, call)
    if saying is None:
        yield "there is no such text, or these words say something else"
        return
    call.said[claim.message, claim.start] = claim.pointer  # it was said, so nobody need ask for it
    if call.arguments is None or (ledger.prefix and reply_index >= len(ledger.contents)):
        return
    starts_of_new_value = [
        start for (index, start), pointer in call.said.items() if (index, pointer) == (reply_index, claim.pointer)
    ]
    end_of_yes = next((sentence.end for sentence in ledger.sentences.get(reply_index, ())), 0)
    if (
        reply_index not in ledger.replies
        or reply_index >= call.at
        or not any(start >= end_of_yes for start in starts_of_new_value)
    ):
        yield "nothing else is said in its place"
        return
    try:
        old_value = saying.read(ledger.contents[claim.message][claim.start : claim.end], ledger.today)
        if same(old_value, saying.find(call.arguments)):
            yield "the call takes this value all the same"
        call.proposed = orjson.loads(orjson.dumps(call.arguments))
        set_at(call.proposed, claim.pointer, old_value)
        call.changed_at = reply_index
    except (LookupError, ValueError):
        yield "the words say no value"


_PROPOSALS = tuple(either_stop([*_FORMS["proposing"], *_FORMS["proposing_changed"]]))
ACTS = (
    Act("proposed", "assistant", "PF120", lambda sentence: _PROPOSALS, _faults_of_proposal, DOINGS),
    Act("yes", "user", "PF120", lambda sentence: _YES, _faults_of_answer),
    Act("no", "user", "PF120", lambda sentence: _NO, _faults_of_answer),
    Act(
        "not_done",
        "assistant",
        "PF120",
        lambda sentence: _FORMS["left"],
        fault_unless(
            lambda said: said.made.is_unmade and said.follows("no"), "there is no reason not to make the call"
        ),
    ),
)
