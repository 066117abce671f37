"""Lists of objects in requests: what each of them must hold, said field by field: "budget.csv with the text 'Draft'"."""

from collections.abc import Mapping
from typing import Any

import msgspec

from generator.tools.describing.frames import said_of
from generator.tools.describing.lexicon import singular, word_lists
from generator.tools.describing.reading import ArgumentLeaf, ToolSubject
from generator.tools.describing.things import TITLES, Thing
from generator.tools.describing.values import KnownKinds, ValueSource, title_source, value_source


class Elements(msgspec.Struct, frozen=True, kw_only=True):
    """How the things in one list are said."""

    leaves: tuple[ArgumentLeaf, ...]
    """What is said of each."""
    unsaid: tuple[str, ...]
    """What each may hold, and nobody says."""
    values: Mapping[str, ValueSource]
    """Where the values of what is said come from, by slot."""
    phrase: str
    """One of them."""


def elements_of(
    leaf: ArgumentLeaf,
    about: ToolSubject,
    shapes: dict[str, ValueSource],
    vocabulary: KnownKinds,
    usual: Mapping[str, Thing],
) -> Elements | None:
    """Return how the things in a list are said; None for an argument that is no such list. `usual` are the known things."""
    if leaf.type != "things":
        return None
    needed = sorted([one for one in leaf.elements if one.required], key=_rank)
    values = {one.slot: value_source(one, about, shapes, vocabulary) for one in needed}
    thing = usual.get(" ".join(singular(leaf.name)))
    if thing is not None and (title := title_source(thing.fields)) is not None:
        values |= {
            one.slot: title
            for one in needed
            if one.type == "text" and one.name[-1] in TITLES and not one.schema.keys() & {"enum", "pattern", "format"}
        }
    said: dict[str, Any] = {one.slot: said_of(one, about, values[one.slot]) for one in needed}
    first, *others = needed
    is_text = any(":quoted" in frame for frame in said[first.slot].frames)
    parts = ["{" + first.slot + (":quoted}" if is_text else "}")]
    parts += [next(frame for frame in said[one.slot].frames if not frame[:1].isupper()) for one in others]
    text = " ".join(parts)
    return Elements(
        leaves=tuple(needed),
        unsaid=tuple(dict.fromkeys("/".join(one.slot.split("/")[:3]) for one in leaf.elements if not one.required)),
        values=values,
        phrase=text.replace(" with ", " and ").replace(" and ", " with ", 1) if text.count(" with ") > 1 else text,
    )


def _rank(leaf: ArgumentLeaf) -> int:
    """Return a sort key: what the thing is called, or what names it, comes first."""
    if leaf.name[-1] in TITLES:
        return 0
    return 1 if leaf.name[-1] in word_lists()["ids"] else 2
