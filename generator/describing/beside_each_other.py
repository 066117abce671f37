"""How the arguments of one tool are said beside each other: in one phrase, as a range, and each in words of its own."""

from collections.abc import Sequence

import msgspec

from generator.describing.frames import ArgumentFrames, argument_in_words
from generator.describing.lexicon import word_lists
from generator.describing.reading import ArgumentLeaf


def said_in_pairs(leaves: Sequence[ArgumentLeaf]) -> dict[str, str]:
    """Return the slots that are said together with another one, each with the phrase for both."""
    known = {"_".join(leaf.name): leaf.slot for leaf in leaves if "/" not in leaf.slot and leaf.required}
    found: dict[str, str] = {}
    for pair in word_lists()["pairs"]:
        if all(name in known for name in pair["slots"]) and not any(known[name] in found for name in pair["slots"]):
            say = pair["say"]
            for name in pair["slots"]:
                say = say.replace("{" + name + "}", "{" + known[name] + "}")
            found |= {known[name]: f"{pair.get('frame', 'in')} {say}" for name in pair["slots"]}
    return found


def told_apart(leaves: Sequence[ArgumentLeaf], said: dict[str, ArgumentFrames]) -> dict[str, ArgumentFrames]:
    """Return how the arguments are said, without one of any two that would be said in the same words."""
    seen: set[str] = set()
    found: dict[str, ArgumentFrames] = {}
    for leaf in leaves:
        how = said[leaf.slot]
        own = [frame for frame in how.frames if frame.count("{") == 1 or leaf.slot in frame]
        shapes = {frame.replace("{" + leaf.slot, "{") for frame in own}
        if shapes & seen and how.say != "never":
            plain = f"with the {argument_in_words((*(leaf.parents[0] if leaf.parents else ()), *leaf.name))} {{{leaf.slot}}}"
            is_new = plain.replace("{" + leaf.slot, "{") not in seen
            how = msgspec.structs.replace(how, frames=(plain,), say=how.say if is_new or leaf.needed else "never")
            shapes = {plain.replace("{" + leaf.slot, "{")}
        if how.say != "never":
            seen |= shapes
        found[leaf.slot] = how
    return found


def as_ranges(said: dict[str, ArgumentFrames]) -> dict[str, ArgumentFrames]:
    """Return how the arguments are said, with first and last day in one phrase where both are there: "from {since} to {until}"."""
    first = next((slot for slot, how in said.items() if f"since {{{slot}}}" in how.frames), None)
    last = next((slot for slot, how in said.items() if f"until {{{slot}}}" in how.frames), None)
    if first is None or last is None or "never" in (said[first].say, said[last].say):
        return said
    both = (f"from {{{first}}} to {{{last}}}", f"between {{{first}}} and {{{last}}}")
    on = f"from {{{first}}} on"
    return {
        **said,
        first: msgspec.structs.replace(said[first], frames=(on, *both)),
        last: msgspec.structs.replace(said[last], frames=(f"until {{{last}}}", *both)),
    }
