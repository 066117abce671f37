"""The tools of a source under what somebody says of them, read anew as often as needed, with each fault at its element."""

import copy
import re
from collections.abc import Collection, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from generator.arguments import compile_value
from generator.core.documents import Document, nearest
from generator.core.errors import SpecError
from generator.core.overlays import Piece, Pieces, name_of_piece
from generator.core.pointers import schema_at
from generator.core.toolbox import ToolSpec
from generator.recipe import ToolFile
from generator.run.authoring.elements import Element, Identity, all_elements, pieces_of, shape_faults
from generator.run.deriving import derive_all
from generator.run.described import check_words_and_values
from generator.run.trials import fault_of_trial
from generator.tools.describing import Derivation
from generator.tools.describing.checks import ToolFault
from generator.tools.specs.load import bare_tools, declaring, is_bare
from generator.tools.specs.overlays import (
    Layer,
    Overlay,
    derived_layer,
    layer_of,
    overlaid_as_far_as_it_fits,
    without_same_words,
)
from generator.world.making import CallDraw
from generator.world.state import compile_population

_SEED = 20260301
_EMPTY = (("phrases", "answer"), ("phrases", "each"))
_RESULT = frozenset({("returns",), ("effect",)})
ADDED = frozenset({"request", "question", "want", "follow_up", "slots", "ask", "answer", "each", "again", "found"})
"""Phrases that can be added to a tool that has been described by hand."""


class Bench(msgspec.Struct, frozen=True, kw_only=True):
    """The tools of one source as their own file says them, what is derived of them, and what stands above."""

    title: str
    bare: dict[str, ToolSpec]
    """By name."""
    derivation: Derivation
    overlays: tuple[Overlay, ...]
    above: dict[str, list[Layer]]
    """What overlays that were given say of each tool: it stands above what is asked for."""

    @property
    def adds(self) -> bool:
        """Whether the tools have been described by hand, so that phrases are added to theirs."""
        return not any(is_bare(spec) for spec in self.bare.values())

    def declaring(self, entities: Mapping[str, Any]) -> dict[str, ToolSpec]:
        """Return the tools with the entities that are derived, and these in place of those of the same names.

        Raises:
            SpecError: for an entity that cannot be.
        """
        own = Overlay(document=Document(self.title, "", {"entities": dict(entities)}), layers={})
        overlays = [*([own] if entities else []), *self.overlays]
        specs = declaring(list(self.bare.values()), self.derivation.entities, overlays)
        return {spec.name: spec for spec in specs}

    def try_entities(self, entities: Mapping[str, Any]) -> None:
        """Draw some things of each kind.

        Raises:
            SpecError: for an entity that cannot be, with the field that is at fault.
        """
        name, spec = next(iter(self.declaring(entities).items()))
        population = compile_population({name: spec}, compile_value, _SEED, CallDraw(0, date.min))
        for title in population.kinds:
            population.ready(title)

    def derived_of(self, name: str) -> Pieces:
        """Return what is derived of a tool."""
        found = self.derivation.tools.get(name)
        return found.pieces if found is not None else {}

    def read(self, declared: ToolSpec, pieces: Pieces) -> tuple[ToolSpec, dict[Piece, str]]:
        """Return a tool under some pieces, and those of them that do not fit with the reason.

        Args:
            declared: The tool with its entities.
            pieces: What the writer says; added to what is there where the tool was described by hand.
        """
        name = declared.name
        derived = self.derived_of(name)
        layers = [derived_layer(declared, derived)] if derived else []
        said = pieces if self.adds else _with_empty_answers(pieces, derived)
        layers += [layer_of(said, "model", declared, adds=self.adds), *self.above.get(name, ())]
        spec, dropped = overlaid_as_far_as_it_fits(declared, layers)
        return spec, {piece: why for piece, why in dropped.items() if piece in pieces}

    def tried(self, declared: ToolSpec, pieces: Pieces) -> tuple[ToolSpec, dict[Piece, str]]:
        """Return the same as `read`, with the result or effect that no call can be answered with, too."""
        spec, faulty = self.read(declared, pieces)
        said = [(piece,) for piece in (("returns",), ("effect",)) if piece in pieces]
        why = fault_of_trial(spec) if said and not faulty else ""
        said.sort(key=lambda one: not why.startswith(f"{one[0][0]}."))  # what the fault names is tried first
        for gone in (*said, _RESULT) if why else ():
            rest, _ = self.read(declared, {key: value for key, value in pieces.items() if key not in gone})
            if not fault_of_trial(rest):
                return spec, {piece: why.removeprefix(f"{piece[0]}.") for piece in gone if piece in pieces}
        return spec, faulty  # what is wrong with other pieces is found by their own checks


def _with_empty_answers(pieces: Pieces, derived: Pieces) -> Pieces:
    """Return the pieces with what is derived of how an empty list is told, where the writer does not say it."""
    answers = pieces.get(("phrases", "answer"))
    if not isinstance(answers, list) or ("returns",) in pieces:
        return pieces
    whens = [one["when"] for one in answers if isinstance(one, dict) and isinstance(one.get("when"), dict)]
    known = {name for when in whens for name, value in when.items() if value == []}
    more = [
        one
        for one in derived.get(("phrases", "answer")) or ()
        if isinstance(one, dict) and any(value == [] and name not in known for name, value in one["when"].items())
    ]
    return {**pieces, ("phrases", "answer"): [*answers, *more]}


def open_bench(source: ToolFile) -> Bench:
    """Read the tools of a source, and derive what can be derived of those that nobody described.

    Raises:
        SpecError: for a source or an overlay that cannot be read.
    """
    read = bare_tools(source, is_shipped=False)
    specs = [spec for spec, _ in read.tools]
    derivation = derive_all([spec for spec in specs if is_bare(spec)]) if any(map(is_bare, specs)) else None
    return Bench(
        title=source.title,
        bare={spec.name: spec for spec in specs},
        derivation=derivation or Derivation(tools={}),
        overlays=tuple(read.overlays),
        above={spec.name: layers for spec, layers in read.tools},
    )


class Judged(msgspec.Struct, frozen=True, kw_only=True):
    """What is usable of what a writer says of one tool."""

    spec: ToolSpec
    """The tool under it."""
    kept: tuple[Element, ...]
    dropped: tuple[tuple[Element, str], ...] = ()
    """With the reason."""
    gaps: tuple[str, ...] = ()
    """What is missing in the whole; it costs no element."""


def judge(
    bench: Bench, declared: ToolSpec, pieces: Pieces, tools: Mapping[str, ToolSpec], accepted: Collection[Identity] = ()
) -> Judged:
    """Hold what is said of one tool against its function, the language and how people speak, element by element.

    Args:
        bench: The source.
        declared: The tool, with its entities.
        pieces: What is said.
        tools: All tools of the source, for links.
        accepted: Elements that a person has accepted: they only have to fit the function.
    """
    elements = all_elements({piece: value for piece, value in pieces.items() if value is not None})
    dropped: list[tuple[Element, str]] = []
    kept: list[Element] = []
    for element in elements:
        why = next(shape_faults(element), "") or ("" if not bench.adds or _is_added(element.piece) else _NOT_ADDED)
        (dropped.append((element, why)) if why else kept.append(element))
    kept = _fitting(bench, declared, _told_apart(bench, declared, kept, dropped), dropped)
    spec, _ = bench.read(declared, pieces_of(kept))
    for _ in range(_ROUNDS):
        faults = check_words_and_values(spec, {**tools, spec.name: spec})
        wrong, gaps = _sorted_out([fault for fault in faults if not fault.is_told], kept, accepted)
        if not wrong:
            break
        dropped += wrong.items()
        kept = _fitting(bench, declared, [one for one in kept if one not in wrong], dropped)
        spec, _ = bench.read(declared, pieces_of(kept))
    return Judged(spec=spec, kept=tuple(kept), dropped=tuple(dropped), gaps=tuple(gaps))


def _sorted_out(
    faults: Sequence[ToolFault], kept: Sequence[Element], accepted: Collection[Identity]
) -> tuple[dict[Element, str], list[str]]:
    """Return the elements that faults name, and what is missing in the whole."""
    wrong: dict[Element, str] = {}
    gaps: list[str] = []
    for fault in faults:
        named = [one for one in kept if one.identity not in accepted and _is_named(one, fault.piece, fault.text)]
        if named and (fault.text or fault.check in _OF_PIECES or fault.piece.startswith("say.")):
            wrong |= dict.fromkeys(named, fault.message.removeprefix(f"{fault.text!r}: "))
        elif not fault.text:
            gaps.append(f"{fault.piece}: {fault.message}")
    return wrong, gaps


_OF_PIECES = ("loading", "links")
_ROUNDS = 4
_NOT_ADDED = "only phrases are added to a tool that was described by hand"


def _is_added(piece: Piece) -> bool:
    return len(piece) > 1 and piece[0] == "phrases" and piece[1] in ADDED


def _is_named(element: Element, piece: str, text: str) -> bool:
    """Whether a fault of a piece is about an element: its text, or without one the whole piece."""
    name = name_of_piece(element.piece)
    if text:
        return element.text == text and (name == piece or name.startswith(f"{piece}."))
    return name == piece


def _told_apart(
    bench: Bench, declared: ToolSpec, elements: Sequence[Element], dropped: list[tuple[Element, str]]
) -> list[Element]:
    """Return the elements without phrases in the words of earlier ones, and add those to `dropped`."""
    phrases = [one for one in elements if one.piece[0] == "phrases"]
    layer = layer_of(pieces_of(phrases), "model", declared, adds=bench.adds)
    _, told = without_same_words(declared, [layer])
    gone = [one for one in phrases if one.text in told]
    dropped += [(one, told[one.text].partition(": ")[2]) for one in gone]
    return [one for one in elements if one not in gone]


def _fitting(
    bench: Bench, declared: ToolSpec, elements: Sequence[Element], dropped: list[tuple[Element, str]]
) -> list[Element]:
    """Return the elements that fit the function, and add the others to `dropped`."""
    kept = list(elements)
    for _ in range(_ROUNDS):
        _, faulty = bench.tried(declared, pieces_of(kept))
        if not faulty:
            return kept
        for piece, why in faulty.items():
            own = [one for one in kept if one.piece == piece]
            rest = [one for one in kept if one.piece != piece]
            alone = {one: _fault_alone(bench, declared, rest, one) for one in own} if len(own) > 1 else {own[0]: why}
            wrong = {one: fault for one, fault in alone.items() if fault} or dict.fromkeys(own, why)
            dropped += wrong.items()
            kept = [one for one in kept if one not in wrong]
    _, faulty = bench.tried(declared, pieces_of(kept))
    dropped += [(one, faulty[one.piece]) for one in kept if one.piece in faulty]
    return [one for one in kept if one.piece not in faulty]


def _fault_alone(bench: Bench, declared: ToolSpec, rest: Sequence[Element], element: Element) -> str:
    """Return what is wrong with an element if it is the only one of its piece."""
    around = [one for one in rest if one.piece in _RESULT]
    _, faulty = bench.read(declared, pieces_of([*around, element]))
    return faulty.get(element.piece, "")


def entities_that_fit(bench: Bench, entities: Mapping[str, Any]) -> tuple[dict[str, Any], dict[str, str]]:
    """Return the entities that can be, and why each of the others, or a part of one (`issue.fields.url`), cannot."""
    kept: dict[str, Any] = copy.deepcopy(dict(entities))
    wrong: dict[str, str] = {}
    while kept:
        try:
            bench.try_entities(kept)
        except SpecError as fault:
            place, why = _blamed(str(fault), kept)
            wrong[".".join(map(str, place))] = why
            _take_out(kept, place)
        else:
            break
    return kept, wrong


_PLACE = re.compile(r"entities\.([\w.\[\]]+): (?:fields: (\w+))?")


def _blamed(message: str, entities: Mapping[str, Any]) -> tuple[tuple[Any, ...], str]:
    """Return the place that a fault names: an entity, a field or a whole example of one; the last entity if it names none."""
    told = _PLACE.search(message)
    name, *rest = re.findall(r"\w+", told[1]) if told else ("",)
    entity = entities.get(name)
    if told is None or not isinstance(entity, dict):
        return (list(entities)[-1],), message.partition(": ")[2]
    why = message[told.start() :].partition(": ")[2]
    fields, examples = entity.get("fields"), entity.get("examples")
    field = told[2] or (rest[1] if rest[:1] == ["fields"] and len(rest) > 1 else "")
    if field and isinstance(fields, dict) and field in fields and field != entity.get("key"):
        return (name, "fields", field), why
    if rest[:1] == ["examples"] and len(rest) > 1 and rest[1].isdecimal() and isinstance(examples, list):
        return (name, "examples", int(rest[1])), why
    if rest and rest[0] in entity and rest[0] not in ("key", "fields"):
        return (name, rest[0]), why
    return (name,), why


def _take_out(entities: dict[str, Any], place: tuple[Any, ...]) -> None:
    """Take a part out of entities, and what names it."""
    inside: Any = entities
    for step in place[:-1]:
        inside = inside[step]
    del inside[place[-1]]
    if place[1:2] == ("fields",):
        entity, field = entities[place[0]], place[2]
        if isinstance(entity.get("called"), list):
            entity["called"] = [one for one in entity["called"] if one != field]
        if isinstance(entity.get("examples"), list):
            rest = [{key: value for key, value in one.items() if key != field} for one in entity["examples"]]
            entity["examples"] = [one for one in rest if one]


def broken_links(elements: Sequence[Element], tools: Mapping[str, ToolSpec]) -> dict[Element, str]:
    """Return the links among some elements that lead nowhere: no such tool in the source, or nothing there in its result."""
    found: dict[Element, str] = {}
    for element in elements:
        tool, _, result = element.text.partition("#/")
        if element.piece[0] != "links" or element.value == []:
            continue
        if tool not in tools:
            found[element] = f"there is no tool {tool!r}{nearest(tool, tools)}"
        elif schema_at(tools[tool].returns, result) is None:
            found[element] = f"the result of {tool} has no {result!r}"
    return found
