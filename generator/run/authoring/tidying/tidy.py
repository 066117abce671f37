"""What is put right of tools before rows are made: links that lead nowhere, what can only be said as JSON, IDs along chains."""

import re
from collections.abc import Iterator
from typing import Any

from generator.core.pointers import escape, variants
from generator.core.toolbox import ToolSpec, name_as_words
from generator.run.authoring.bench import broken_links
from generator.run.authoring.elements import Element, pieces_of
from generator.run.authoring.result import Unusable
from generator.run.authoring.tidying.chains import (
    AT_ONCE,
    UNFOLLOWED,
    kept_along_chains,
    no_ellipsis,
    not_as_a_list,
    read_back_at_once,
    unfollowed,
    without_derived_ways,
    without_links,
)
from generator.run.authoring.tidying.ids import without_nouns
from generator.run.authoring.tidying.sayable import said_as_json, to_leave_out, unsaid_by_all
from generator.run.authoring.work import Work

_SHORT = {
    "gid": "id",
    "uid": "id",
    "uuid": "id",
    "desc": "description",
    "num": "number",
    "qty": "quantity",
    "url": "link",
}

_PEOPLE = frozenset(
    {"assignee", "author", "contact", "creator", "customer", "organizer", "owner", "reporter", "requester", "sender"}
)
"""Who is called by a name, which the heading of a column need not say."""


def words_for_fields(spec: ToolSpec) -> dict[str, str]:
    """Return field → its words, for those fields of a result, or of the elements of its lists, that people call otherwise."""
    found: dict[str, str] = {}
    for place in dict.fromkeys(_places(spec.returns)):
        name = place.rpartition("/")[2]
        words = " ".join(_SHORT.get(word, word) for word in name_as_words(name).split())
        words = words.removesuffix(" name") if words.removesuffix(" name") in _PEOPLE else words
        if words != name.replace("_", " ") and re.fullmatch(r"[a-z]+(?: [a-z]+)*", words):
            found[place] = words
    return found


def _places(schema: Any, around: str = "") -> Iterator[str]:
    """Yield the places of plain fields: `title`, `tasks/*/title`."""
    for branch in variants(schema, schema) if isinstance(schema, dict) else ():
        for name, part in branch.get("properties", {}).items():
            if isinstance(part, dict) and isinstance(part.get("items"), dict):
                yield from _places(part["items"], f"{around}{escape(name)}/*/")
            else:
                yield f"{around}{escape(name)}"


def drop_broken_links(work: Work) -> None:
    """Drop links to what no result holds, now that all results are known."""
    for name in work.names:
        broken = broken_links(work.said[name], work.specs)
        if broken:
            work.said[name] = [one for one in work.said[name] if one not in broken]
            work.dropped[name] += [Unusable(element=one, why=why) for one, why in broken.items()]
            work.specs[name] = work.read(name, pieces_of(work.said[name]))


def leave_out_unsayable(work: Work, name: str) -> None:
    """Leave out arguments that could only be said as JSON; a tool that needs one is not used."""
    if work.bench.adds:
        return
    spec = work.specs[name]
    ways = [spec.origins.get(f"phrases.{key}") for key in ("request", "question", "want") if getattr(spec.phrases, key)]
    if name in work.described and {*ways} <= {"derived"}:
        work.refuse(name, "no way to ask for it was kept")
        return
    parts = {slot: to_leave_out(spec, slot) for slot, _ in said_as_json(spec)}
    unsaid = list(dict.fromkeys(filter(None, parts.values())))
    if needed := list(dict.fromkeys(slot.split("/")[0] for slot, part in parts.items() if not part)):
        work.refuse(name, f"{', '.join(needed)}: nobody has said how people put it into words")
    unsaid += [] if needed or name not in work.described else [*unsaid_by_all(spec), *without_nouns(spec)]
    if unsaid and not needed and name in work.described:
        gone = [one for one in work.said[name] if one.piece[1:2] and one.piece[-1] in unsaid]
        kept = [one for one in work.said[name] if one not in gone]
        work.said[name] = [*kept, *(Element(("say", slot), (), "never") for slot in unsaid)]
        work.dropped[name] += [Unusable(element=one, why="its argument can only be said as JSON") for one in gone]
        work.specs[name] = work.read(name, pieces_of(work.said[name]))


def tidy_chains(work: Work, name: str) -> None:
    """Take away links that no phrase follows, and lists of what is said as one thing."""
    if work.bench.adds or name not in work.described or name in work.refused:
        return
    alone = unfollowed(work.specs[name])
    gone = dict(not_as_a_list(work.specs[name], work.said[name])) | dict(no_ellipsis(work.said[name]))
    gone |= dict.fromkeys(read_back_at_once(work.specs[name], work.said[name], work.specs), AT_ONCE)
    gone |= {one: UNFOLLOWED for one in work.said[name] if one.piece[0] == "links" and one.piece[-1] in alone}
    rest = [one for one in work.said[name] if one not in gone]
    more = [*without_links(alone), *without_derived_ways(work.specs[name], rest)]
    known = next((one.value for one in rest if one.piece == _FIELDS and isinstance(one.value, dict)), {})
    if words := {key: text for key, text in words_for_fields(work.specs[name]).items() if key not in known}:
        rest = [one for one in rest if one.piece != _FIELDS]
        more.append(Element(_FIELDS, (), {**words, **known}))
    if gone or more:
        work.said[name] = [*rest, *more]
        work.dropped[name] += [Unusable(element=one, why=why) for one, why in gone.items()]
        work.specs[name] = work.read(name, pieces_of(work.said[name]))


def keep_along_chains(work: Work) -> None:
    """Say which IDs stay the same along chains of calls."""
    alive = {name: work.specs[name] for name in work.names if name in work.described and name not in work.refused}
    kept, along = kept_along_chains(alive)
    for name, arguments in kept.items():
        more = [Element(("context", one), (), "same") for one in arguments if one not in alive[name].context]
        more += without_links([link.argument for link in alive[name].links if link.argument in along[name]])
        gone = [one for one in work.said[name] if one.piece[0] == "links" and one.piece[-1] in along[name]]
        work.said[name] = [one for one in work.said[name] if one not in gone]
        work.dropped[name] += [Unusable(element=one, why=_KEPT) for one in gone]
        if more:
            work.said[name] += more
            work.specs[name] = work.read(name, pieces_of(work.said[name]))


_FIELDS = ("phrases", "fields")
_KEPT = "what goes on from here has the same one, so a request begins with it"
