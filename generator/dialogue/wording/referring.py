"""Words for what a user does not say again: "the cheapest one", "it", "that event", "the same day"."""

from typing import Any

import msgspec
import orjson

from generator.core.planning import Back, Meant, Ref, Say
from generator.core.pointers import resolve, schema_at
from generator.core.seeds import Draw
from generator.core.toolbox import Pick, ToolSpec
from generator.dialogue.from_results.choosing import (
    REFERENCES,
    Way,
    frames_of,
    noun_in_key,
    placed,
    way_of,
)
from generator.dialogue.values.choose import FAMILIES, verbalizers_for_result
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.clauses import WordedWish
from generator.dialogue.wording.phrases.value_wording import chain
from generator.dialogue.wording.transcript import Transcript
from generator.dialogue.wording.utterance import fit_words
from generator.tools.productions import name_of


def word_pick(pick: Pick, spec: ToolSpec, result: Any, pattern: str, draw: Draw, voice: Voice) -> str:
    """Return words for one element of a list: "the second one", "the one at 9:40".

    Args:
        pick: `nth …` or `is …`.
        spec: The tool that gave the list.
        result: What it gave.
        pattern: Pointer to the key in the element that is taken, with `*` for its place or with the place.
        draw: The row's stream.
        voice: The user's.
    """
    list_slot = slot_of_list(pattern)
    elements = resolve(result, list_slot)
    kind_of_pick, _, argument = pick.by.partition(" ")
    if kind_of_pick == "nth":
        return draw.choice(placed(int(argument) - 1, len(elements)))
    field, _, _ = argument.partition(" ")
    way = way_in(spec, list_slot, field, pattern.split("/", list_slot.count("/") + 2)[-1])
    element = next(
        candidate
        for candidate in elements
        if f"is {field} {orjson.dumps(resolve(candidate, field)).decode()}" == pick.by
    )
    voice_with_full_dates = msgspec.structs.replace(
        voice, relative=False
    )  # the assistant has said the full date, so the user says it too
    words, verbalizer = say_field(spec, list_slot, way, element, draw, voice_with_full_dates)
    before, after = draw.choice(frames_of(way))
    if before == "the " and words.casefold().startswith("the "):
        before = ""
    if not (before or after) and words[:1].islower() and " " in words:
        before = "the "  # "the small light" is no proper name
    before, words = fit_words(before, words, verbalizer)
    return f"{before}{words}{after}"


def slot_of_list(pattern: str) -> str:
    """Return the slot of the list whose elements a pattern or pointer leads into."""
    steps = pattern.split("/")
    first_index = next(index for index, step in enumerate(steps) if step == "*" or step.isdecimal())
    return "/".join(steps[:first_index])


def say_field(spec: ToolSpec, list_slot: str, way: Way, element: Any, draw: Draw, voice: Voice) -> tuple[str, str]:
    """Return an element's field in words, and the verbalizer that says it."""
    slot = f"{list_slot}/*/{way.field}"
    schema = schema_at(spec.returns, slot) or {}
    hinted = () if way.verbalizer is None else FAMILIES.get(way.verbalizer, (way.verbalizer,))
    names = tuple(dict.fromkeys((*hinted, *verbalizers_for_result(schema, name_of(slot)))))
    return chain(names, "")(resolve(element, way.field), draw, voice)


def way_in(spec: ToolSpec, list_slot: str, field: str, key: str) -> Way:
    """Return how elements are told apart by a field."""
    found = way_of(spec, list_slot, field, key)
    return found if found is not None else Way(field, "")


def wanted_of(talk: Transcript, event: Say, number: int) -> WordedWish:
    """Return a wish with the words for the values that are only described."""
    wish = event.wishes[number]
    phrases = talk.phrases[wish.tool]
    described = {slot: meant for slot, meant in wish.meant.items() if isinstance(meant, Meant)}
    repeated_values = {slot: meant.words for slot, meant in wish.meant.items() if isinstance(meant, Back)}
    if not described:
        return WordedWish(phrases, number, wish.spoken, {}, unnamed=wish.unnamed, same=repeated_values)
    taken_by_earlier_wish = _taken(talk, event, number - 1) if number else {}
    values_taken = {(ref.event, ref.of, ref.at) for ref in taken_by_earlier_wish.values()}
    references: dict[str, str] = {}
    for slot, ref in _taken(talk, event, number).items():
        if ref.pick is not None and not ref.pick.say:
            step = talk.step_at(ref.event)
            spec, result = talk.phrases[step.calls[ref.of].tool].spec, step.outcomes[ref.of].value
            references[slot] = word_pick(ref.pick, spec, result, ref.at, talk.draw, talk.voice)
        elif ref.pick is None or (ref.event, ref.of, ref.at) in values_taken:
            references[slot] = REFERENCES.pronoun_of(noun_in_key(ref.at))
        else:
            references[slot] = ref.pick.say
    picked = [slot for slot, meant in described.items() if meant.picks]
    sources = {(meant.source.event, meant.source.of) for meant in described.values()}
    return WordedWish(
        phrases, number, wish.spoken, references, frozenset(picked), says_all=len(sources) > 1, same=repeated_values
    )


def _taken(talk: Transcript, event: Say, number: int) -> dict[str, Ref]:
    """Return the values that the first call for a wish takes because the user described them, by slot: `{"hotel_id": Ref(…)}`."""
    wish = (event.id, number)
    calls = talk.calls.get(wish, ())
    call = calls[0][1] if calls else talk.unmade.get(wish)
    if call is None:
        return {}
    return {slot: ref for slot, ref in call.args.items() if isinstance(ref, Ref) and ref.because}
