"""Choose: several things fit, the assistant lists them and asks which one is meant, and the user says which."""

from collections.abc import Iterator
from typing import Any

from generator.core.claims import AskClaim, Claim
from generator.core.planning import Ask
from generator.core.pointers import resolve, split
from generator.core.yaml_values import own_data
from generator.dialogue.from_results.choosing import MOST_CHOICES, Way, noun_in_key, questions_which, the_thing, ways
from generator.dialogue.proof.choices import names_one
from generator.dialogue.proof.ledger import Act, Ledger, Sentence
from generator.dialogue.proof.picks import list_indexes, listed_result
from generator.dialogue.proof.walking import fitted_to
from generator.dialogue.wording.choosing import say_field, way_in
from generator.dialogue.wording.coordination import separators
from generator.dialogue.wording.pieces import ResultOwner, Spans, fit_words
from generator.dialogue.wording.transcript import Transcript

_FORMS: dict[str, Any] = own_data(__file__)


def _leads(number: int) -> tuple[str, ...]:
    """Return the texts that announce this number of things to choose from."""
    texts = [text.format(_FORMS["numbers"].get(number, "several")) for text in _FORMS["lists"]]
    return tuple([text[:1].upper() + text[1:] for text in texts])


# --- saying ---


def tell(talk: Transcript, event: Ask) -> str:
    """Add what there is to choose from ("There are two: one at 8:05 and one at 9:40."); return the question which is meant."""
    among = event.among
    assert among is not None
    step = talk.step_at(among.event)
    made, result = step.made[among.of], step.outcomes[among.of].value
    pattern_of_key = talk.wish_at(event.wish).meant[event.slot].source.at
    spec, (list_slot, _, field) = talk.books[made.name].spec, among.at.partition("/*/")
    elements = resolve(result, list_slot)
    way = way_in(spec, list_slot, field, pattern_of_key.partition("/*/")[2])
    text = talk.draw.choice(_leads(len(elements)))
    told: ResultOwner = (made.id, "result")
    spans: Spans = []
    for place, between in enumerate(("", *separators(len(elements)))):
        words, verbalizer = say_field(spec, list_slot, way, elements[place], talk.draw, talk.answering)
        before, words = fit_words(f"{text}{between}{way.listed}", words, verbalizer)
        spans.append((len(before), len(before) + len(words), verbalizer, f"/{list_slot}/{place}/{field}", told))
        text = before + words
    talk.tell_apart((f"{text}.", spans, []), made.id, "several")
    return talk.draw.choice(questions_which(noun_in_key(pattern_of_key)))


# --- checking ---


def _listing(sentence: Sentence) -> Iterator[str]:
    """Yield the lists of all elements; what stands before a value may be fitted to it, as "on" is left out before "tomorrow"."""
    parts = sentence.parts
    if not 0 < len(parts) <= MOST_CHOICES:
        return
    spec, (list_slot, _, field) = sentence.made.spec, parts[0].saying.leaf[1].partition("/*/")
    befores = {way.listed for key in ("", field) for way in ways(spec, list_slot, key) if way.field == field}
    befores |= {Way(field, "").listed}
    between = ("", *separators(len(parts)))
    for lead in _leads(len(parts)):
        for before in befores:
            texts = [fitted_to(part, mark + before) for mark, part in zip(between, parts, strict=True)]
            forms = [lead]
            for some in texts:
                forms = [f"{form}{text}{{{list_slot}/*/{field}}}" for form in forms for text in some]
            yield from [f"{form}." for form in forms]


def _faults(sentence: Sentence) -> Iterator[str]:
    """Yield why a sentence does not tell all elements of a list apart, in order, before the question which one is meant."""
    ledger, made, parts = sentence.ledger, sentence.made, sentence.parts
    asks = {(ask.call_id, ask.pointer): ask for ask in ledger.proof.asks}
    about = [key for key, claim in _chosen(ledger).items() if claim.message == made.told_at and key in asks]
    if sentence.index not in {asks[key].message for key in about}:
        yield "nobody is asked which one is meant"
    if made.failed or not made.told_at < sentence.index or not parts:
        yield "there is nothing to choose from"
        return
    if len({(part.call, part.saying.leaf) for part in parts}) > 1 or parts[0].call != made.id:
        yield "it tells several fields, or of several results"
        return
    list_slot, _, field = parts[0].saying.leaf[1].partition("/*/")
    elements = resolve(made.result, list_slot)
    told = [f"/{list_slot}/{at}/{field}" for at in range(len(elements))]
    if len(elements) < 2 or [part.saying.pointer for part in parts] != told:
        yield "it does not tell every element of the list, in order"
    content = ledger.contents[sentence.index]
    if len({content[part.start : part.end].casefold() for part in parts}) < len(parts):
        yield "two of the elements are told in the same words"
    if not sentence.text.endswith("."):
        yield "the sentence does not end there"
    if not sentence.text.startswith(_leads(len(elements))):
        yield "it says another number than there are"


def _chosen(ledger: Ledger) -> dict[tuple[str, str], Claim]:
    """Return the claims about what the user chose when asked, by call and pointer; `another.py` checks what was offered."""
    again = {made.id for made in ledger.calls.values() if made.mends is not None}
    return {
        (claim.call_id, claim.pointer): claim
        for claim in ledger.proof.arguments
        if claim.referred is not None and claim.pick is not None and claim.call_id not in again
    }


def check(ledger: Ledger) -> None:
    """Check that who names one of several things was asked to, after all were listed, and that nobody names what was not told."""
    picked = [claim for claim in ledger.proof.arguments if claim.pick is not None]
    if not picked:
        return
    asks = {(ask.call_id, ask.pointer): ask for ask in ledger.proof.asks}
    for key, claim in _chosen(ledger).items():
        for fault in _not_asked(claim, asks.get(key), ledger):
            ledger.report("PF124", ("argument", *key), fault)
    told = {(claim.call_id, claim.pointer) for claim in ledger.proof.answers if claim.of == "result"}
    for claim in picked:
        if names_one(claim) and claim.referred is None and not _was_told(claim, told, ledger):
            ledger.report("PF124", ("argument", claim.call_id, claim.pointer), "nobody has told that before")


def _was_told(claim: Claim, told: set[tuple[str, str]], ledger: Ledger) -> bool:
    """Whether the user has been told the value by which they name an element, or can count its place."""
    source = next((call for call in ledger.calls.values() if call.told_at == claim.message), None)
    places = [] if source is None else list_indexes(source.result, claim.result_pointer or "")
    if source is None or not places:
        return False
    element = listed_result(split(claim.result_pointer or "")[: places[0] + 1])
    how, _, rest = (claim.pick or "").partition(" ")
    if how == "is":
        return (source.id, f"/{element}/{rest.partition(' ')[0]}") in told
    return any(call_id == source.id and pointer.startswith(f"/{element}/") for call_id, pointer in told)


def _not_asked(claim: Claim, ask: AskClaim | None, ledger: Ledger) -> Iterator[str]:
    """Yield why a user who names one of several things was not asked to."""
    assert claim.referred is not None
    made, index = ledger.calls.get(claim.call_id), claim.referred[0]
    if ledger.prefix and index >= len(ledger.contents):
        return
    if made is None or ask is None or ledger.replies.get(index) != ask.message:
        yield "nobody has asked which one is meant"
    elif not any(one.index == ask.message and one.made.told_at == claim.message for one in ledger.spoken("several")):
        yield "the assistant does not say what there is to choose from"
    elif claim.start is None or claim.end is None or not 0 <= made.asked_at < len(ledger.contents):
        yield "no request speaks of it"
    else:
        words = ledger.contents[made.asked_at][claim.start : claim.end].casefold()
        noun = noun_in_key(claim.result_pointer or "")
        if words not in (*the_thing(noun, is_name=True), *the_thing(noun, is_name=False)):
            yield "the request says something else than that it is one of them"


ACTS = (Act("several", "assistant", "PF124", _listing, _faults, claims=True),)
