"""Overlay files: what is known about tools beside their untouched spec. docs/tool-specs.md describes the format."""

import re
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Annotated, Any

import msgspec
from msgspec import Meta

from generator.core.declared import read
from generator.core.documents import Document, Place, nearest, read_document
from generator.core.errors import SpecError
from generator.core.forms import REST
from generator.core.overlays import (
    Piece,
    PieceOrigin,
    Pieces,
    digest_of_function,
    join_pieces,
    joined,
    name_of_piece,
    piece_at,
    split_pieces,
)
from generator.core.toolbox import ToolSpec
from generator.tools.specs.check import SAME_WORDS, same_words
from generator.tools.specs.language import read_written
from generator.tools.specs.models import FoundTool
from generator.tools.specs.write import tool_value

_LONGEST_NAME = 64


class _WrittenLayer(msgspec.Struct, frozen=True, kw_only=True):
    """One tool of an overlay; what it says beside these keys is checked when it is merged."""

    function: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}$")] | None = None
    arguments: Annotated[str, Meta(pattern=r"^[0-9a-f]{16}$")] | None = None
    origin: PieceOrigin | None = None
    origins: dict[str, PieceOrigin] = {}
    pieces: Annotated[dict[str, Any], REST] = {}


class _WrittenOverlay(msgspec.Struct, frozen=True, kw_only=True):
    origin: PieceOrigin = "human"
    adds: bool = False
    refused: dict[str, str] = {}
    entities: dict[str, Any] = {}
    tools: dict[str, _WrittenLayer] = {}


class Layer(msgspec.Struct, frozen=True, kw_only=True):
    """What one source says of one tool, in pieces."""

    document: Document
    place: Place
    """Where the tool stands in the document."""
    pieces: Pieces
    origins: dict[Piece, PieceOrigin]
    digest: str | None = None
    """Of the function that it describes, if it says so."""
    arguments: str | None = None
    """Digest of the arguments of the tool that it was made for, by which overlays that come with the program are found."""
    is_shipped: bool = False
    """Whether it comes with the program, so that what does not fit beside a user's own overlay gives way."""
    adds: bool = False
    """Whether its phrases are added to those of the pieces below, instead of taking their place."""


class Overlay(msgspec.Struct, frozen=True, kw_only=True):
    """An overlay file."""

    document: Document
    """With the `entities` that it declares."""
    layers: dict[str, Layer]
    """By the names that the tools have at their source."""
    refused: Mapping[str, str] = {}
    """Tools whose descriptions were not fit for use, and why: nobody has described them."""
    package: str = ""
    """The server's, of an overlay that comes with the program."""

    @property
    def entities(self) -> dict[str, Any]:
        """What it declares that tools act on."""
        entities: dict[str, Any] = self.document.value.get("entities") or {}
        return entities


class Description(msgspec.Struct, frozen=True, kw_only=True):
    """What can be said of the tools of one source beside their functions."""

    tools: Mapping[str, Pieces]
    """By name."""
    entities: dict[str, Any] = {}
    """What they act on, as the `entities` of a spec file."""
    failed: Mapping[str, str] = {}
    """Tools that could not be described, by name, and why."""
    unknown: Mapping[str, Mapping[str, str]] = {}
    """Tools of which nothing is known beyond the schema, by name: argument or `returns` → why."""


Derive = Callable[[Sequence[ToolSpec]], Description]
"""From the tools of one source to what can be derived of them."""


def read_overlay(path: Path) -> Overlay:
    """Read an overlay file; raises SpecError with file, line and path of everything that is wrong with its shape."""
    return overlay_in(read_document(path, SpecError))


def overlay_in(document: Document) -> Overlay:
    """Return the overlay that a document holds: a layer of pieces for each tool, and the tools that it refuses."""
    model = read(_WrittenOverlay, document, document.value, (), SpecError)
    layers = {}
    for name, tool in model.tools.items():
        path: Place = ("tools", name)
        pieces = split_pieces(tool.pieces)
        usual = tool.origin or model.origin
        piece_names = {name_of_piece(piece) for piece in pieces}
        for piece in [piece for piece in tool.origins if piece not in piece_names]:
            where = document.where((*path, "origins", piece))
            raise SpecError(f"{where}: tools.{name}.origins: there is no piece {piece!r}{nearest(piece, piece_names)}")
        origins = {piece: tool.origins.get(name_of_piece(piece), usual) for piece in pieces}
        layers[name] = Layer(
            document=document,
            place=path,
            pieces=pieces,
            origins=origins,
            digest=tool.function,
            arguments=tool.arguments,
            adds=model.adds,
        )
    if both := next((name for name in model.refused if name in layers), ""):
        raise SpecError(f"{document.where(('refused', both))}: refused.{both}: it is described under `tools`, too")
    return Overlay(document=document, layers=layers, refused=model.refused)


def layer_of(pieces: Pieces, origin: PieceOrigin, spec: ToolSpec) -> Layer:
    """Return pieces that stand in no file as a layer; faults in them are told with the tool's own place."""
    path, _, line = spec.where.rpartition(":")
    document = Document(path, "", join_pieces(pieces), first_line=int(line) if line.isdecimal() else 1)
    return Layer(document=document, place=(), pieces=pieces, origins=dict.fromkeys(pieces, origin))


def derived_layer(spec: ToolSpec, pieces: Pieces) -> Layer:
    """Return what was derived of a tool, without what its own file says."""
    own_pieces = {*split_pieces(spec.written), *([("returns",)] if spec.returns is not None and spec.written else [])}
    return layer_of({piece: value for piece, value in pieces.items() if piece not in own_pieces}, "derived", spec)


def still_unknown(unknown: Mapping[str, str], layers: Iterable[Layer], entities: Mapping[str, Any]) -> list[str]:
    """Return why an author is needed for a tool, as far as no overlay says it.

    Args:
        unknown: What could not be derived: argument or `returns` → why.
        layers: What overlays say of the tool.
        entities: What overlays say of entities: an argument that names or sets a field has the values of that field.
    """
    layers = [*layers]
    said_pieces = {piece for layer in layers for piece in layer.pieces}
    effects = [layer.pieces[_EFFECT] for layer in layers if isinstance(layer.pieces.get(_EFFECT), dict)]
    entities_acted_on = [
        entities.get(str(name), {}) for effect in effects for name in effect.values() if type(name) is str
    ]
    values = {piece[1] for piece in said_pieces if piece[0] in _VALUES and len(piece) > 1}
    values |= {name for effect in effects for name in effect.get("by") or ()}
    values |= {
        field for entity in entities_acted_on if isinstance(entity, dict) for field in entity.get("fields") or ()
    }
    known_names = values | ({"returns"} if {_RETURNS, _EFFECT} & said_pieces else set())
    return [why for key, why in unknown.items() if key not in known_names]


def without_pieces(layer: Layer, dropped: Collection[Piece]) -> Layer:
    """Return the layer without some pieces."""
    return msgspec.structs.replace(
        layer, pieces={piece: value for piece, value in layer.pieces.items() if piece not in dropped}
    )


def name_at_source(spec: ToolSpec) -> str:
    """Return the tool's name as overlays call it: the one it has where it comes from."""
    return spec.origin.name or spec.name


def layers_for(spec: ToolSpec, overlays: Iterable[Overlay]) -> list[Layer]:
    """Return what overlays say of a tool, the earliest first; raises SpecError for one that describes another function."""
    layers = []
    name = name_at_source(spec)
    for overlay in overlays:
        layer = overlay.layers.get(name)
        if layer is None:
            continue
        digest = digest_of_function(spec.tool, name)
        if layer.digest is not None and layer.digest != digest:
            raise SpecError(
                f"{layer.document.where((*layer.place, 'function'))}: tools.{name}.function: {spec.where} has another "
                f"function {name!r} now ({digest}): describe it anew, or look through what stands here and change the digest"
            )
        layers.append(layer)
    return layers


def check_overlay_names(overlays: Iterable[Overlay], names: Sequence[str]) -> None:
    """Raise SpecError for an overlay of a tool that is not there."""
    for overlay in overlays:
        for key, names_in_overlay in (("tools", overlay.layers), ("refused", overlay.refused)):
            for name in names_in_overlay:
                if name not in names:
                    where = overlay.document.where((key, name))
                    raise SpecError(f"{where}: {key}.{name}: there is no such tool{nearest(name, names)}")


class _Overlaid(Document, frozen=True, kw_only=True):
    """One tool under its layers, as a document whose faults are reported where the piece stands."""

    owners: dict[Piece, Layer]

    def where(self, place: Place = ()) -> str:
        """Return `file:line` of what stands at a place, in the file that says it."""
        below = place[1:]
        layer = self.owners.get(piece_at(below))
        return self.path if layer is None else layer.document.where((*layer.place, *below))


def overlaid(spec: ToolSpec, layers: Sequence[Layer]) -> ToolSpec:
    """Return the tool with its layers, the later of which win piece by piece.

    Raises:
        SpecError: with file, line and path of the first piece that does not fit the function.
    """
    pieces, layer_by_piece = _merge_layers(spec, layers)
    return _read_overlaid(spec, pieces, layer_by_piece)


def overlaid_as_far_as_it_fits(spec: ToolSpec, layers: Sequence[Layer]) -> tuple[ToolSpec, dict[Piece, str]]:
    """Return the tool with the pieces of its layers that fit, and why each of the others was dropped.

    Only pieces of layers are dropped, never what the tool's own file says.
    """
    pieces, layer_by_piece = _merge_layers(spec, layers)
    with suppress(SpecError):  # as a rule all pieces fit
        return _read_overlaid(spec, pieces, layer_by_piece), {}
    kept = {piece: value for piece, value in pieces.items() if piece not in layer_by_piece}
    dropped: dict[Piece, str] = {}
    for piece in sorted(layer_by_piece, key=lambda piece: _rank(piece, layer_by_piece)):
        try:
            _read_overlaid(spec, kept | {piece: pieces[piece]}, layer_by_piece)
        except SpecError as fault:
            dropped[piece] = _fault_within_piece(fault, spec, piece)
        else:
            kept[piece] = pieces[piece]
    return _read_overlaid(
        spec, {piece: value for piece, value in pieces.items() if piece in kept}, layer_by_piece
    ), dropped


def _rank(piece: Piece, owners: dict[Piece, Layer]) -> tuple[bool, ...]:
    """Return in which order pieces are tried: results and effects, on which others depend, then what people say, then all else."""
    return piece != _RETURNS, piece != _EFFECT, _is_derived(piece, owners), owners[piece].is_shipped


def without_same_words(spec: ToolSpec, layers: Sequence[Layer]) -> tuple[list[Layer], dict[str, str]]:
    """Return the layers without phrases that nobody could tell from earlier ones, and why each of these goes.

    Only phrases of layers go, never what the tool's own file says.
    """
    pieces, layer_by_piece = _merge_layers(spec, layers)
    try:
        overlaid_spec = _read_overlaid(spec, pieces, layer_by_piece, is_checked=False)
    except SpecError:  # told where the tool is read for good
        return [*layers], {}
    for at, text, earlier in same_words(overlaid_spec):
        piece = piece_at(at)
        layer_of_piece = layer_by_piece.get(piece)
        without_phrase = layer_of_piece if layer_of_piece is None else _without_text(layer_of_piece, piece, text)
        if layer_of_piece is not None and without_phrase is not None and without_phrase.pieces != layer_of_piece.pieces:
            layers_left, reasons_by_phrase = without_same_words(
                spec, [without_phrase if layer is layer_of_piece else layer for layer in layers]
            )
            where = layer_of_piece.document.where((*layer_of_piece.place, *at))
            return layers_left, {text: f"{where}: {SAME_WORDS.format(earlier=earlier)}", **reasons_by_phrase}
    return [*layers], {}


def _without_text(layer: Layer, piece: Piece, text: str) -> Layer:
    """Return the layer with a piece that does not hold a phrase; without the piece where it holds nothing else."""

    def rest(value: Any) -> Any:
        """Return a value without the phrase, at any depth, and without what holds nothing else."""
        if isinstance(value, dict):
            return {key: left for key, part in value.items() if (left := rest(part))}
        return [item for item in value if item != text] if isinstance(value, list) else None if value == text else value

    left = rest(layer.pieces[piece])
    if not left:
        return without_pieces(layer, (piece,))
    return msgspec.structs.replace(layer, pieces={**layer.pieces, piece: left})


def _fault_within_piece(fault: SpecError, spec: ToolSpec, piece: Piece) -> str:
    """Return a fault without the place of the piece, which stands beside it; places within the piece stay."""
    _, _, reason = str(fault).removeprefix(spec.where).partition(": ")
    for step in (spec.name, *piece):
        reason = re.sub(rf"^\.?{re.escape(step)}(?=[.:\[])", "", reason)
    return reason.removeprefix(": ").removeprefix(".")


def _merge_layers(spec: ToolSpec, layers: Sequence[Layer]) -> tuple[Pieces, dict[Piece, Layer]]:
    """Return the pieces of a tool under its layers, and of each that is not its own file's the layer that it is from."""
    pieces = split_pieces(spec.written)
    if spec.returns is not None:
        pieces[("returns",)] = spec.returns
    layer_by_piece: dict[Piece, Layer] = {}
    for layer in layers:
        for piece in [piece for piece in pieces if _is_replaced(piece, layer_by_piece, layer)]:
            del pieces[piece], layer_by_piece[piece]
        for piece, value in layer.pieces.items():
            if value is None:
                for erased in [erased for erased in pieces if erased[: len(piece)] == piece]:
                    del pieces[erased]
                    layer_by_piece.pop(erased, None)
            else:
                pieces[piece] = joined(pieces.get(piece), value) if layer.adds else value
                layer_by_piece[piece] = layer
    for piece in _overruled_pieces(pieces, layer_by_piece):
        del pieces[piece], layer_by_piece[piece]
    return pieces, layer_by_piece


def _overruled_pieces(pieces: Pieces, layer_by_piece: dict[Piece, Layer]) -> list[Piece]:
    """Return what was derived but does not go with what somebody has said.

    That are the effect of another result, links that no `follow_up` says, and plain words beside requests that somebody wrote.
    """
    derived = [piece for piece in pieces if _is_derived(piece, layer_by_piece)]
    said_pieces = layer_by_piece.keys() - {*derived}
    overruled: list[Piece] = [_EFFECT] if _RETURNS in said_pieces and _EFFECT in derived else []
    if said_pieces.isdisjoint((*_REQUESTS, _FOLLOW_UP)):
        return overruled
    words = str(pieces[_FOLLOW_UP]) if _FOLLOW_UP in said_pieces else ""
    overruled += [piece for piece in derived if piece[0] == "links" and not _holds_slot(words, piece[1])]
    return [*overruled, *[piece for piece in derived if piece[0] == "phrases" and piece[1] not in ("answer", "each")]]


_EFFECT, _RETURNS, _FOLLOW_UP = ("effect",), ("returns",), ("phrases", "follow_up")
_REQUESTS = tuple([("phrases", key) for key in ("request", "question", "want")])
_VALUES = ("examples", "kinds", "patterns", "texts")


def _is_replaced(piece: Piece, layer_by_piece: dict[Piece, Layer], layer: Layer) -> bool:
    """Whether a later layer tells in another way what a derived piece does: the values of an argument, or that nobody says it."""
    if not _is_derived(piece, layer_by_piece) or "derived" in layer.origins.values():
        return False
    if piece[0] in _VALUES:
        return any((key, *piece[1:]) in layer.pieces for key in _VALUES)
    return piece[0] == "say" and _says_argument(layer, piece[1])


def _says_argument(layer: Layer, slot: str) -> bool:
    """Whether a layer has words for an argument, or puts it into a group."""
    is_grouped = any(f"'{slot}'" in str(layer.pieces.get((key,))) for key in ("together", "one_of"))
    heads = str([layer.pieces.get(piece) for piece in _REQUESTS])
    return is_grouped or ("phrases", "slots", slot) in layer.pieces or _holds_slot(heads, slot)


def _holds_slot(text: str, slot: str) -> bool:
    """Whether phrases say an argument: `{slot}` or `{slot:verbalizer}`."""
    return any("{" + slot + end in text for end in ("}", ":"))


def _is_derived(piece: Piece, owners: dict[Piece, Layer]) -> bool:
    return piece in owners and owners[piece].origins[piece] == "derived"


def _read_overlaid(
    spec: ToolSpec, pieces: Pieces, layer_by_piece: dict[Piece, Layer], *, is_checked: bool = True
) -> ToolSpec:
    """Return a tool as if its file said all these pieces; faults have the place of the layer that says the piece."""
    value = tool_value(msgspec.structs.replace(spec, written={}, returns=None, links=()))
    value.pop("origin", None)
    value["function"]["name"] = spec.name[:_LONGEST_NAME]
    value |= join_pieces(pieces)
    document = _Overlaid(spec.where, "", {spec.name: value}, owners=layer_by_piece)
    overlaid_tool = FoundTool(
        name=spec.name,
        where=spec.where,
        origin=spec.origin,
        domain=spec.domain,
        written=(document, (spec.name,)),
        declared=spec.declared,
    )
    read = read_written(overlaid_tool, "keep", is_checked=is_checked)
    overlaid_pieces = [
        piece for piece in pieces if piece in layer_by_piece and not (layer_by_piece[piece].adds and spec.written)
    ]
    # what is added leaves a tool its author's
    origins = {name_of_piece(piece): layer_by_piece[piece].origins[piece] for piece in overlaid_pieces}
    return msgspec.structs.replace(read, tool=spec.tool, origin=spec.origin, where=spec.where, origins=origins)
