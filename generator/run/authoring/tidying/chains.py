"""What calls have to do with each other: links that no phrase follows, and arguments that cannot be said as a list."""

import re
from collections.abc import Iterator, Mapping, Sequence

from generator.run.authoring.elements import Element
from generator.run.authoring.readers.items import is_identifier
from generator.templates import parse_template
from generator.toolbox import ToolSpec

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


def kept_along_chains(specs: Mapping[str, ToolSpec]) -> dict[str, list[str]]:
    """Return tool → arguments that stay the same along its chains: a message found in a channel is answered in that channel.

    These are IDs that a tool and the one whose result it goes on from both have, beside the linked ones.
    """
    found: dict[str, list[str]] = {name: [] for name in specs}
    for name, spec in specs.items():
        linked = {link.argument for link in spec.links}
        for source in {link.tool: specs[link.tool] for link in spec.links if link.tool in specs and link.tool != name}:
            for argument in spec.properties:
                is_shared = argument in specs[source].properties and argument not in linked
                if is_shared and is_identifier(argument):
                    found[name].append(argument)
                    found[source].append(argument)
    return {name: list(dict.fromkeys(arguments)) for name, arguments in found.items()}


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
