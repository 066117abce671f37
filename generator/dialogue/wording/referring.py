"""Words for what a user does not say again: "the cheapest one", "it", "that event", "the same day"."""

from generator.core.planning import Back, Meant, Ref, Say, Step
from generator.core.toolbox import Pick
from generator.dialogue.from_results.choosing import REFERENCES, noun_in_key, that_thing
from generator.dialogue.wording.choosing import word_pick
from generator.dialogue.wording.clauses import WordedWish
from generator.dialogue.wording.transcript import Transcript


def wanted_of(talk: Transcript, event: Say, number: int) -> WordedWish:
    """Return a wish with the words for the values that are only described."""
    wish = event.wishes[number]
    book = talk.books[wish.tool]
    described = {slot: meant for slot, meant in wish.meant.items() if isinstance(meant, Meant)}
    same = {slot: meant.words for slot, meant in wish.meant.items() if isinstance(meant, Back)}
    if not described:
        return WordedWish(book, number, wish.spoken, {}, unnamed=wish.unnamed, same=same)
    before = _taken(talk, event, number - 1) if number else {}
    places = {(ref.event, ref.of, ref.at) for ref in before.values()}
    references: dict[str, str] = {}
    for slot, ref in _taken(talk, event, number).items():
        if ref.pick is not None and not ref.pick.say:
            references[slot] = _words_for(talk, ref, ref.pick, event)
            continue
        noun = noun_in_key(ref.at)
        is_it = ref.pick is not None and (ref.event, ref.of, ref.at) in places
        references[slot] = REFERENCES.pronoun_of(noun) if ref.pick is None or is_it else ref.pick.say
        if ref.pick is None and not _is_fresh(talk, ref, event):
            references[slot] = talk.draw.choice(that_thing(noun) or ("it",))
    picked = [slot for slot, meant in described.items() if meant.picks]
    sources = {(meant.source.event, meant.source.of) for meant in described.values()}
    return WordedWish(book, number, wish.spoken, references, frozenset(picked), says_all=len(sources) > 1, same=same)


def _taken(talk: Transcript, event: Say, number: int) -> dict[str, Ref]:
    """Return the values that the first call for a wish takes because the user described them, by slot."""
    wish = (event.id, number)
    served = talk.calls.get(wish, ())
    call = served[0][1] if served else talk.unmade.get(wish)
    if call is None:
        return {}
    return {slot: ref for slot, ref in call.args.items() if isinstance(ref, Ref) and ref.because}


def _is_fresh(talk: Transcript, ref: Ref, event: Say) -> bool:
    """Whether no call has been made since."""
    return not any(isinstance(one, Step) for one in talk.log.events[ref.event + 1 : event.id])


def _words_for(talk: Transcript, ref: Ref, pick: Pick, event: Say) -> str:
    """Return words for one element of a list, with its noun where another call has been made since."""
    step = talk.log.events[ref.event]
    assert isinstance(step, Step)
    noun = "" if _is_fresh(talk, ref, event) else noun_in_key(ref.at)
    spec = talk.books[step.calls[ref.of].tool].spec
    return word_pick(pick, spec, step.outcomes[ref.of].value, ref.at, noun, talk.draw, talk.voice)
