"""IDs that phrases say bare: "for 7f3a…", which leaves open what is meant. People say what an ID is of."""

import re
from collections.abc import Iterator, Sequence
from typing import Any

from generator.core.overlays import Pieces
from generator.core.pointers import schema_at
from generator.core.toolbox import ToolSpec, name_as_words
from generator.run.authoring.elements import Element, all_elements
from generator.run.authoring.readers.items import is_identifier
from generator.run.trials import values_of

_REQUESTS = frozenset({"request", "question", "want", "found", "follow_up"})
_PARTS = frozenset({"again", "entry", "slots"})
_ANSWERS = frozenset({"answer"})
_SLOT = re.compile(r"\{([^{}:#?]+)(?::\w+)?\}")
_SHOWN = 3
_LEADS = frozenset(
    [
        "a",
        "about",
        "above",
        "across",
        "after",
        "against",
        "all",
        "along",
        "alongside",
        "also",
        "an",
        "and",
        "any",
        "are",
        "as",
        "at",
        "be",
        "before",
        "behind",
        "below",
        "beneath",
        "beside",
        "between",
        "but",
        "by",
        "each",
        "every",
        "exactly",
        "for",
        "from",
        "her",
        "his",
        "if",
        "in",
        "inside",
        "into",
        "instead",
        "is",
        "it",
        "its",
        "just",
        "like",
        "me",
        "my",
        "named",
        "near",
        "nor",
        "of",
        "off",
        "on",
        "only",
        "onto",
        "or",
        "other",
        "our",
        "out",
        "outside",
        "over",
        "per",
        "please",
        "same",
        "so",
        "than",
        "that",
        "the",
        "their",
        "them",
        "then",
        "there",
        "these",
        "this",
        "those",
        "to",
        "toward",
        "towards",
        "under",
        "until",
        "up",
        "upon",
        "us",
        "via",
        "was",
        "were",
        "what",
        "when",
        "where",
        "which",
        "while",
        "who",
        "whose",
        "with",
        "within",
        "without",
        "you",
        "your",
        "called",
        "over",
        "down",
        "back",
        "away",
        "does",
        "do",
        "did",
        "has",
        "have",
        "had",
        "can",
        "could",
    ]
)
"""Words that name nothing, after which an ID would stand by itself."""


def unnamed_ids(spec: ToolSpec, elements: Sequence[Element]) -> Iterator[tuple[Element, str]]:
    """Yield phrases that say an ID without the noun of what it is of, and why that cannot be used."""
    ids, blind = _opaque(spec)
    linked = {link.argument for link in spec.links}
    for element in elements:
        if element.piece[0] != "phrases" or len(element.piece) < 2:
            continue
        key, text = element.piece[1], element.text
        for match in _SLOT.finditer(text) if key in _REQUESTS | _PARTS | _ANSWERS else ():
            slot, before = match[1], text[: match.start()]
            is_said_as_it = key == "follow_up" and slot in linked
            is_blind = slot.removeprefix("args.") in blind or _is_id_field(spec, slot)
            is_id = is_blind if key in _ANSWERS else slot in ids
            is_beside = before.endswith("(") if key in _ANSWERS else key == "entry" and text == match[0]
            if is_id and not (is_said_as_it or is_beside) and not _is_named(before, key in _REQUESTS):
                yield element, _WHY.format(slot=slot, noun=_noun(slot))
                break


def without_nouns(spec: ToolSpec) -> list[str]:
    """Return the optional arguments that only derived frames say, which have no noun before an ID."""
    derived: Pieces = {
        ("phrases", "slots", slot): list(frames.frames)
        for slot, frames in spec.phrases.slots.items()
        if spec.origins.get(f"phrases.slots.{slot}") == "derived" and slot not in spec.required
    }
    return list(dict.fromkeys(element.piece[-1] for element, _ in unnamed_ids(spec, all_elements(derived))))


_WHY = '{{{slot}}} is an ID without a noun: "the {noun} {{{slot}}}" says what it is of'


def _noun(slot: str) -> str:
    name = slot.removeprefix("args.").rpartition("/")[2]
    words = name_as_words(name).split()
    return " ".join(words[:-1] if is_identifier(name) else words) or "thing"


def _is_named(before: str, begins_with_verb: bool) -> bool:
    """Whether the words before an ID end with a noun, as far as closed classes of words tell."""
    words = re.findall(r"[\w'-]+|[,;]", re.sub(r"\{[^{}]*\}", " , ", before).lower())
    if words[-1:] == ["#"] or before.rstrip().endswith("#"):
        return True
    if {"id", "ids", "number", "key"} & {*words[-_NEAR:]}:
        return True
    if not words or words[-1] in _LEADS or words[-1] in (",", ";"):
        return False
    return not (begins_with_verb and len(words) == 1)


_NEAR = 3


def _is_id_field(spec: ToolSpec, slot: str) -> bool:
    """Whether a field of the result holds IDs that say nothing."""
    schema: Any = schema_at(spec.returns, slot)
    pattern = str(schema.get("pattern", "")) if isinstance(schema, dict) else ""
    return is_identifier(slot) and _has_figures(pattern) and not _TELLING.match(pattern.removeprefix("^"))


_TELLING = re.compile(r"[A-Z]{2,}|[A-Z]+-")
"""How IDs begin that tell what they are of, so that an answer may say them alone: `JOB-2041`."""


def _opaque(spec: ToolSpec) -> tuple[frozenset[str], frozenset[str]]:
    """Return the arguments whose values are IDs of letters and figures, and those of them that do not even tell what they are of."""
    slots = [slot for slot in spec.properties if is_identifier(slot)]
    keys = {entity.key for entity in spec.declared.entities.values()}
    texts_or_numbers = [slot for slot, schema in spec.properties.items() if _is_plain(schema)]
    slots += [slot for slot in (*keys & {*spec.properties}, *texts_or_numbers) if slot not in slots]
    drawn = values_of(spec, slots, _SHOWN) if slots else {}
    texts = {slot: [str(value) for value in values] for slot, values in drawn.items() if values}
    named = {slot for slot in texts if is_identifier(slot) or slot in keys}
    ids = frozenset(
        slot for slot, values in texts.items() if all(map(_is_opaque if slot in named else _is_long, values))
    )
    return ids, frozenset(slot for slot in ids if not _is_telling(spec, slot, texts[slot]))


def _is_telling(spec: ToolSpec, slot: str, values: Sequence[str]) -> bool:
    """Whether the values of an ID tell what they are of: those of the thing that it names, or else its own."""
    effect, entities = spec.effect, spec.declared.entities
    name = effect.refers.get(slot, effect.entity if effect.by.get(slot) else "") if effect is not None else ""
    if name in entities:
        values = [str(entities[name].fields[entities[name].key].get("pattern", "")).removeprefix("^")]
    return any(map(_TELLING.match, values))


def _is_opaque(value: str) -> bool:
    """Whether a value is a string of letters and figures that nobody reads as words."""
    return _has_figures(value) and not re.search(r"\s|/|\.|@|[a-z]{4}", value) and not _SPOKEN.match(value)


_SPOKEN = re.compile(r"\+[1-9][\d-]{6,}$|\d{4}-\d{2}-\d{2}(?:T|$)|\d{1,2}:\d{2}(?:$|:)|[$€£]\d")
"""How values begin that are no IDs and that people say alone: telephone numbers, days, times, amounts."""


def _is_plain(schema: Any) -> bool:
    return isinstance(schema, dict) and schema.get("type") == "string" and not schema.keys() & {"enum", "format"}


def _is_long(value: str) -> bool:
    """Whether a value can only be an ID, whatever its argument is called."""
    return len(value) >= _LONG and _is_opaque(value)


_LONG = 8


def _has_figures(text: str) -> bool:
    return any(letter.isdigit() for letter in text)
