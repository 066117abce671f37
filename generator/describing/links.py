"""Which results of other tools hold the arguments of a tool."""

from collections.abc import Mapping, Sequence

from generator.describing.lexicon import READING, word_lists
from generator.describing.results import Results
from generator.describing.things import DerivedTool, Key, named_by

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
        if not noun or (told.reading.effect == "create" and noun == about):
            continue
        around = {slot for slot in shared if slot != leaf.slot}
        places = [
            f"{other}#/{known.keys[noun]}"
            for other, known in results.items()
            if other != tool and noun in known.keys and around <= set(known.told) and not (known.is_new and _is_idle(told))
        ]
        if places:
            found[leaf.slot] = places[:_MOST_SOURCES]
    return found


def _is_idle(told: DerivedTool) -> bool:
    """Whether nobody asks for this right after they had the thing made: to see it, to change it, to take it away."""
    return told.reading.effect in (*READING, "delete") or told.verb in word_lists()["editing"]
