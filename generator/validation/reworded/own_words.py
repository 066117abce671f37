"""Words of the tools themselves: those that may be said of their calls, and those that would be another value."""

from collections.abc import Sequence
from functools import lru_cache

from generator.toolbox import ToolSpec, name_as_words


def other_values(tools: Sequence[ToolSpec]) -> list[str]:
    """Return the spoken forms of all values of the tools' closed choices, in small letters; those that calls take stand in spans."""
    return [form for tool in tools for form in _forms(ToolKey(tool))]


class ToolKey:
    """A tool as the key of a cache, compared by identity because its schemas cannot be hashed."""

    def __init__(self, spec: ToolSpec) -> None:
        self.spec = spec

    def __hash__(self) -> int:
        return id(self.spec)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, ToolKey) and other.spec is self.spec


_SHORTEST_FORM = 4


@lru_cache(maxsize=1024)
def _forms(held: ToolKey) -> tuple[str, ...]:
    phrases = held.spec.phrases
    found = [form for pairs in phrases.synonyms.values() for _, forms in pairs for form in forms]
    found += [clause for frames in phrases.slots.values() for _, clauses in frames.clauses for clause in clauses]
    properties = (held.spec.tool.parameters or {}).get("properties", {})
    for schema in properties.values() if isinstance(properties, dict) else ():
        members = schema.get("enum", ()) if isinstance(schema, dict) else ()
        found += [member.replace("_", " ") for member in members if isinstance(member, str)]
    return tuple(dict.fromkeys(form.casefold() for form in found if len(form) >= _SHORTEST_FORM))


def own_words(tools: Sequence[ToolSpec]) -> frozenset[str]:
    """Return the words of the tools' own specs, which every rewording may use."""
    return frozenset().union(*[_words(ToolKey(tool)) for tool in tools])


@lru_cache(maxsize=1024)
def _words(held: ToolKey) -> frozenset[str]:
    words = [word.strip(".,;:()'\"") for word in _texts(held.spec).split()]
    return frozenset([*words, *[word.lower() for word in words]])


def asking_words(tools: Sequence[ToolSpec]) -> frozenset[str]:
    """Return the words of the phrases with which the tools are asked for."""
    return frozenset().union(*[_asking_words(ToolKey(tool)) for tool in tools])


@lru_cache(maxsize=1024)
def _asking_words(held: ToolKey) -> frozenset[str]:
    frames = [text for slot in held.spec.phrases.slots.values() for text in slot.frames]
    return frozenset(
        word.strip(".,;:()'\"").lower()
        for text in (name_as_words(held.spec.name), *asking_texts(held.spec), *frames)
        for word in text.split()
    )


def _texts(spec: ToolSpec) -> str:
    """Return all texts of a tool's spec."""
    properties = (spec.tool.parameters or {}).get("properties", {})
    described = [part.get("description", "") for part in properties.values() if isinstance(part, dict)]
    phrases = spec.phrases
    requests = [*phrases.request, *phrases.question, *phrases.want, *phrases.again]
    return " ".join([spec.tool.description or "", *properties, *described, *requests, *[a.say for a in phrases.answer]])


def asking_texts(spec: ToolSpec) -> tuple[str, ...]:
    """Return the phrases with which a tool is asked for."""
    phrases = spec.phrases
    return (*phrases.request, *phrases.question, *phrases.want, *phrases.again, *phrases.several, *phrases.can)
