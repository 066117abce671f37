"""Which results of other tools hold the arguments of a tool."""

from collections.abc import Mapping, Sequence

from generator.core.toolbox import name_as_words
from generator.tools.describing.lexicon import READING, word_lists
from generator.tools.describing.reading import ArgumentLeaf, is_id
from generator.tools.describing.results.result import Results
from generator.tools.describing.things import DerivedTool, Key, named_by

_MOST_SOURCES = 6


def links_of(
    tool: str,
    told: DerivedTool,
    about: str,
    results: Mapping[str, Results],
    keys: Mapping[str, Key],
    shared: Sequence[str],
) -> dict[str, list[str]]:
    """Return the arguments of a tool that other tools' results hold: only where thing and identifier are the same.

    Where other arguments say where the thing is (`shared`), its source must have been told the same.
    """
    found: dict[str, list[str]] = {}
    for leaf in told.leaves:
        noun = named_by(leaf, keys)
        if not noun or (told.reading.effect == "create" and noun == about) or _holds_another(leaf, told, noun):
            continue
        around = {slot for slot in shared if slot != leaf.slot}
        places = [
            f"{other}#/{known.keys[noun]}"
            for other, known in results.items()
            if other != tool
            and noun in known.keys
            and around <= set(known.told)
            and not (known.is_new and _is_idle(tool, told))
        ]
        if places:
            found[leaf.slot] = places[:_MOST_SOURCES]
    return found


def _holds_another(leaf: ArgumentLeaf, told: DerivedTool, noun: str) -> bool:
    """Whether an argument only says where the thing is that another one names: nobody has a channel looked up for a thread of it."""
    frames = word_lists()["id_frames"]
    others = [
        other
        for other in told.leaves
        if other.required and other.slot != leaf.slot and is_id(other) and "/" not in other.slot
    ]
    return noun in (*frames["in"], *frames["on"]) and bool(others) and told.verb not in word_lists()["joining"]


def _is_idle(tool: str, told: DerivedTool) -> bool:
    """Whether nobody asks for this right after they had the thing made: to see it, to change it, to take it away."""
    verbs = {told.verb, *name_as_words(tool).split()[:2]}  # the name of a server may precede the verb
    return told.reading.effect in (*READING, "delete") or not verbs.isdisjoint(word_lists()["editing"])
