"""How the arguments of one tool are said beside each other: in one phrase, as a range, and each in words of its own."""

from collections.abc import Sequence

import msgspec

from generator.arguments.kinds.places import axis_of
from generator.arguments.kinds.units import says_unit
from generator.core.toolbox import ToolSpec
from generator.tools.describing.frames import ArgumentFrames, argument_in_words, measured_in
from generator.tools.describing.lexicon import is_plural, singular_of, word_lists
from generator.tools.describing.reading import ArgumentLeaf
from generator.tools.productions import place_frames


def said_in_pairs(spec: ToolSpec, leaves: Sequence[ArgumentLeaf]) -> dict[str, str]:
    """Return the slots that are said together with another one, each with the phrase for both."""
    known = {"_".join(leaf.name): leaf.slot for leaf in leaves if "/" not in leaf.slot and leaf.required}
    found = {slot: frame.text for slot, frame in place_frames(spec).items() if slot in known.values()}
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


def bounds_of(leaves: Sequence[ArgumentLeaf]) -> list[tuple[ArgumentLeaf, ArgumentLeaf]]:
    """Return the pairs of numbers that are the least and the most of one thing: `min_price` and `max_price`, `area_from` and `area_to`."""
    numbers = {leaf.name: leaf for leaf in leaves if "/" not in leaf.slot and leaf.type == "number"}
    found = []
    for name, low in numbers.items():
        for least, most in word_lists()["bounds"] if axis_of("_".join(name)) is None else ():
            others = [tuple(most if word == least else word for word in name)] if name.count(least) == 1 else []
            found += [(low, numbers[other]) for other in others if other in numbers and len(name) > 1]
    return found


def in_bounds(leaves: Sequence[ArgumentLeaf], said: dict[str, ArgumentFrames]) -> dict[str, ArgumentFrames]:
    """Return how the arguments are said, with least and most in one phrase where both are there: "with a price between {…} and {…}"."""
    found = dict(said)
    for low, high in bounds_of(leaves):
        if "never" in (said[low.slot].say, said[high.slot].say):
            continue
        (at_least, at_most), both = _bounded(low, high)
        found[low.slot] = msgspec.structs.replace(said[low.slot], frames=(at_least, *both))
        found[high.slot] = msgspec.structs.replace(said[high.slot], frames=(at_most, *both))
    return found


def _bounded(low: ArgumentLeaf, high: ArgumentLeaf) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the frames for the least alone and the most alone, and those for both: "with two to four rooms"."""
    bounds = {word for pair in word_lists()["bounds"] for word in pair}
    unit = f":{measured}" if (measured := measured_in(low)) and measured == measured_in(high) else ""
    words = tuple(word for word in low.name if word not in bounds and not says_unit(word))
    name = argument_in_words(words) if words else "value"
    least, most = f"{{{low.slot}{unit}}}", f"{{{high.slot}{unit}}}"
    if is_plural(name.split(" ")[-1]):  # counts are all said in digits or all in words
        fewest, greatest = f"{{{low.slot}:count}}", f"{{{high.slot}:count}}"
        *before, last = name.split(" ")
        one = " ".join([*before, singular_of(last)])
        alone = tuple(
            f"with at {word} {{{slot}:count}} {{{slot}?{one}|{name}}}"
            for word, slot in (("least", low.slot), ("most", high.slot))
        )
        return alone, (f"with {fewest} to {greatest} {name}", f"with between {fewest} and {greatest} {name}")
    thing = f"with {'an' if name[:1] in 'aeiou' else 'a'} {name}"
    alone = (f"{thing} of at least {least}", f"{thing} of at most {most}")
    return alone, (f"{thing} between {least} and {most}", f"{thing} of {least} to {most}")


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
