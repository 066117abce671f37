"""What calls have to do with each other: links that no phrase follows, and arguments that cannot be said as a list."""

import re
from collections.abc import Iterator, Mapping, Sequence

from generator.core.templates import parse_template
from generator.core.toolbox import ToolSpec
from generator.run.authoring.elements import Element
from generator.run.authoring.readers.items import is_identifier

_BEFORE_A_LIST = frozenset(
    [
        "about",
        "and",
        "are",
        "as",
        "at",
        "between",
        "by",
        "called",
        "containing",
        "for",
        "from",
        "in",
        "is",
        "like",
        "mention",
        "mentioning",
        "mentions",
        "named",
        "of",
        "on",
        "or",
        "over",
        "than",
        "that",
        "to",
        "tagged",
        "under",
        "with",
    ]
)
"""Words after which a list may stand: a noun before it would have to be one of many ("message A, B and C")."""


def unfollowed(spec: ToolSpec) -> list[str]:
    """Return the linked arguments that no `follow_up` says, so that a call after another one would have no words of its own."""
    follow_ups = spec.phrases.follow_up if spec.origins.get("phrases.follow_up") != "derived" else ()
    said = {slot for text in follow_ups for slot in parse_template(text).says}
    return list(dict.fromkeys(link.argument for link in spec.links if link.argument not in said))


def without_links(arguments: Sequence[str]) -> list[Element]:
    """Return the elements by which these arguments have no links, not even derived ones."""
    return [Element(("links", argument), (), []) for argument in arguments]


def without_derived_ways(spec: ToolSpec, elements: Sequence[Element]) -> list[Element]:
    """Return the elements by which a tool has no derived ways of asking beside those that somebody wrote and that are kept.

    Args:
        spec: The tool as it was before some elements went.
        elements: Those that are kept.
    """
    said = {one.piece for one in elements}
    return [
        Element(("phrases", key), (), [])
        for key in _WAYS
        if getattr(spec.phrases, key) and ("phrases", key) not in said
    ]


_WAYS = ("question", "want", "found", "follow_up", "again", "several", "entry", "vary")


def kept_along_chains(specs: Mapping[str, ToolSpec]) -> tuple[dict[str, list[str]], dict[str, list[str]]]:
    """Return tool → arguments that stay the same along its chains, and tool → those of them that come with the call before.

    A message found in a channel is answered in that channel: IDs that a tool and the one whose result it goes on from both have,
    and what the earlier one chooses things by, such as the sort of thing that an ID is of; beside the linked one, and beside
    others with links of their own unless the later one only looks for its thing by them ("move it to the list …" is another list).
    """
    kept: dict[str, list[str]] = {name: [] for name in specs}
    along: dict[str, list[str]] = {name: [] for name in specs}
    for name, spec in specs.items():
        sources = {link.tool: link.argument for link in spec.links if link.tool in specs and link.tool != name}
        for source, argument in sources.items():
            other = specs[source]
            chosen = spec.effect.by if spec.effect is not None else {}
            linked = {link.argument for link in spec.links} - {*chosen} | {argument}
            shared = [one for one in spec.properties if one in other.properties and one not in linked]
            for one in [one for one in shared if is_identifier(one) or _chooses(other, one)]:
                kept[name].append(one)
                kept[source].append(one)
                along[name].append(one)
    return _once_each(kept), _once_each(along)


def _once_each(found: dict[str, list[str]]) -> dict[str, list[str]]:
    return {name: list(dict.fromkeys(some)) for name, some in found.items()}


def _chooses(spec: ToolSpec, argument: str) -> bool:
    """Whether a look-up always chooses things by an argument that must equal a field."""
    effect, entities = spec.effect, spec.declared.entities
    if effect is None or effect.entity not in entities or argument not in spec.required:
        return False
    return effect.kind == "find" and effect.by.get(argument) in entities[effect.entity].fields


def read_back_at_once(spec: ToolSpec, elements: Sequence[Element], tools: Mapping[str, ToolSpec]) -> list[Element]:
    """Return the links by which a thing would be looked up, changed or deleted right after it was made: nobody asks for that."""
    effect = spec.effect
    if effect is None or effect.kind not in ("get", "update", "delete"):
        return []
    made = {
        name
        for name, other in tools.items()
        if other.effect is not None and other.effect.kind == "create" and other.effect.entity == effect.entity
    }
    return [one for one in elements if one.piece[0] == "links" and one.text.partition("#")[0] in made]


def not_as_a_list(spec: ToolSpec, elements: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    """Yield the elements of `vary` that stand behind the name of one thing."""
    texts = [*spec.phrases.request, *spec.phrases.question, *spec.phrases.want]
    for element in elements:
        if element.piece != ("phrases", "vary") or not isinstance(element.value, str):
            continue
        schema = spec.properties.get(element.value)
        is_list = isinstance(schema, dict) and schema.get("type") == "array"
        words = [
            match[1] for text in texts for match in re.finditer(rf"([a-z]+) \{{{re.escape(element.value)}[:}}]", text)
        ]
        if wrong := next((word for word in words if word not in _BEFORE_A_LIST), "") if not is_list else "":
            yield element, f"“{wrong}” before it is one: several cannot be said as a list"


def no_ellipsis(elements: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    """Yield the elements of `again` where some way to ask goes on behind its last value.

    "What does task A say, task B and task C" cannot be said; without `again` each wish has a sentence of its own.
    """
    heads = [one.text for one in elements if one.piece[1:] in (("request",), ("question",), ("want",))]
    going_on = next((text for text in heads if "{" in text and not text.endswith("}")), None)
    for element in elements if going_on is not None else ():
        if element.piece == ("phrases", "again") and element.value:
            yield element, f"{going_on!r} goes on behind its last value, so nothing can be added to it"


UNFOLLOWED = "no follow_up says it"
AT_ONCE = (
    "nobody looks up, changes or deletes what was made just now: say what is done next with it, or leave the link out"
)
