"""Phrases for tools in another language: `locales/de/shop.yaml` has those in German for the tools of `shop.yaml` beside it.

Such a file is an overlay whose phrases take the place of all others; values of arguments may stand there, too.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import msgspec

from generator.documents import nearest
from generator.errors import SpecError
from generator.overlays import name_of_piece
from generator.pointers import schema_at, variants
from generator.recipe import Select, ToolFile
from generator.specs.check import with_links_that_hold
from generator.specs.overlays import Layer, name_at_source, overlaid, read_overlay
from generator.toolbox import Link, SlotFrames, Toolbox, ToolSpec

_MAY_STAND = ("phrases", "examples", "texts")
_VALUES = ("examples", "texts")


def spoken_in(language: str, sources: Iterable[ToolFile], toolbox: Toolbox) -> Toolbox:
    """Return the tools of a toolbox that have phrases in a language, with these.

    Raises:
        SpecError: for a file of phrases that does not fit its tools, or lacks some that conversations need.
    """
    layers: dict[tuple[str, str], Layer] = {}
    for source in sources:
        path = None if source.file is None else source.file.parent / "locales" / language / f"{source.file.stem}.yaml"
        if path is not None and source.file is not None and path.is_file():
            found = read_overlay(path).layers
            layers |= {(source.file.stem, name): layer for name, layer in found.items()}
            _check_names(found, [name_at_source(spec) for spec in toolbox.values()], source)
    spoken: Toolbox = {}
    for name, spec in toolbox.items():
        layer = layers.get((spec.domain, name_at_source(spec)))
        if layer is not None:
            spoken[name] = _in_language(spec, layer, language)
    linked = {name: msgspec.structs.replace(spec, links=_links(spec, spoken)) for name, spec in spoken.items()}
    for name, spec in linked.items():
        for fault in _missing(spec, linked):
            layer = layers[spec.domain, name_at_source(spec)]
            raise SpecError(f"{layer.document.where(layer.place)}: tools.{name}: {fault}")
    return linked


def _check_names(found: Iterable[str], names: Sequence[str], source: ToolFile) -> None:
    if not (source.only or source.without or source.select != Select()):
        for name in found:
            if name not in names:
                raise SpecError(f"locales of {source.title}: there is no tool {name!r}{nearest(name, names)}")


def _in_language(spec: ToolSpec, layer: Layer, language: str) -> ToolSpec:
    """Return a tool with the phrases of a layer in place of its own, and values of arguments where it has some."""
    for piece in layer.pieces:
        if piece[0] not in _MAY_STAND:
            place = layer.document.where((*layer.place, *piece))
            raise SpecError(
                f"{place}: tools.{spec.name}.{name_of_piece(piece)}: {', '.join(_MAY_STAND)} differ by language, nothing else"
            )
    named = {piece[1] for piece in layer.pieces if piece[0] in _VALUES and len(piece) > 1}
    written = {key: part for key, part in spec.written.items() if key != "phrases"}
    for key in _VALUES:
        if key in written:
            written[key] = {slot: values for slot, values in written[key].items() if slot not in named}
    read = overlaid(msgspec.structs.replace(spec, written=written, language=language), [layer])
    return msgspec.structs.replace(spec, phrases=read.phrases, examples=read.examples, language=language)


def _links(spec: ToolSpec, toolbox: Toolbox) -> tuple[Link, ...]:
    return tuple([link for link in with_links_that_hold(spec, toolbox)[0].links if link.tool in toolbox])


def _missing(spec: ToolSpec, toolbox: Toolbox) -> Iterator[str]:
    """Yield what cannot be said of a tool: in another language than that of its names, nothing is made of these."""
    for key in ("request", "can", "answer"):
        if not getattr(spec.phrases, key):
            yield f"phrases.{key} is missing"
    for slot in spec.properties:
        if spec.say.get(slot) != "never":
            yield from _unsaid(spec, slot)
    for link in spec.links:
        list_slot, star, _ = link.result.partition("/*")
        if star and not toolbox[link.tool].phrases.pick.get(list_slot):
            yield f"phrases.pick.{list_slot} of {link.tool} is missing: words for one of the things that it finds"
        if star and not spec.phrases.follow_up:
            yield f"phrases.follow_up is missing: requests with {{{link.argument}}} in place of which such words stand"


def _unsaid(spec: ToolSpec, slot: str) -> Iterator[str]:
    """Yield what is missing of the words for an argument."""
    phrases, own = spec.phrases, spec.phrases.slots.get(slot, SlotFrames())
    if not (own.frames or own.clauses):
        yield f"phrases.slots.{slot} is missing: words that add this argument to a request"
    if slot in spec.required and not phrases.ask.get(slot):
        yield f"phrases.ask.{slot} is missing: questions for an argument that a request may leave out"
    if slot in spec.required and _has_words(spec, slot) and not phrases.synonyms.get(slot):
        yield f"phrases.synonyms.{slot} is missing: words for its values alone, as they reply to a question"
    yield from _without_words(spec, slot, own)


def _has_words(spec: ToolSpec, slot: str) -> bool:
    """Whether values of an argument are English words."""
    branches = variants(spec.tool.parameters, schema_at(spec.tool.parameters, slot) or {})
    return any(isinstance(value, str) for branch in branches for value in branch.get("enum", ()))


def _without_words(spec: ToolSpec, slot: str, own: SlotFrames) -> Iterator[str]:
    """Yield the values of an argument that are English words and have none in the language."""
    said = {repr(value) for value, _ in (*own.clauses, *spec.phrases.synonyms.get(slot, ()))}
    for branch in variants(spec.tool.parameters, schema_at(spec.tool.parameters, slot) or {}):
        kinds = branch.get("type", ())
        kinds = {kinds} if isinstance(kinds, str) else {*kinds}
        values: list[Any] = [value for value in branch.get("enum", ()) if isinstance(value, str)]
        values += [True, False] if "boolean" in kinds else []
        values += [None] if "null" in kinds else []
        for value in values:
            if repr(value) not in said:
                yield f"{value!r} has no words: phrases.slots.{slot} or phrases.synonyms.{slot}"
