"""Overlays: what is known about a tool beside its untouched spec, in pieces that later overlays replace one by one.

A piece is one key of a tool in a spec file, such as `returns` or `phrases.request`, or one entry where the key holds a
mapping from arguments or result fields, such as `kinds.city` or `phrases.slots.city`.
"""

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any, Literal

from generator.core.conversation import Tool

Piece = tuple[str, ...]
Pieces = dict[Piece, Any]
"""Piece → its value as a spec file writes it; None takes the piece of an earlier overlay away."""
PieceOrigin = Literal["derived", "model", "human"]
"""Who made a piece: the deriving code, a language model, a person."""

_PHRASES = "phrases"
_BY_ENTRY = frozenset({"links", "examples", "texts", "kinds", "patterns", "say", "context"})
_PHRASES_BY_ENTRY = frozenset({"slots", "synonyms", "pick", "tally", "each", "ask"})
_DIGITS = 16


def split_pieces(value: Mapping[str, Any]) -> Pieces:
    """Return the pieces of what a spec file or an overlay says of one tool beside its function."""
    pieces: Pieces = {}
    for key, part in value.items():
        if key == _PHRASES and isinstance(part, Mapping):
            for name, phrases in part.items():
                pieces |= _pieces_of((key, name), phrases, name in _PHRASES_BY_ENTRY)
        else:
            pieces |= _pieces_of((key,), part, key in _BY_ENTRY)
    return pieces


def _pieces_of(piece: Piece, value: Any, by_entry: bool) -> Pieces:
    """Return a value as pieces of an overlay: one for each entry of a mapping where entries are replaced one by one."""
    if by_entry and isinstance(value, Mapping):
        return {(*piece, str(name)): part for name, part in value.items()}
    return {piece: value}


def join_pieces(pieces: Pieces) -> dict[str, Any]:
    """Return what the pieces say, as a spec file writes it."""
    spec: dict[str, Any] = {}
    for piece, value in pieces.items():
        if value is not None:
            parent = spec
            for step in piece[:-1]:
                parent = parent.setdefault(step, {})
            parent[piece[-1]] = value
    return spec


def joined(piece: Any, added: Any) -> Any:
    """Return a piece with what is added to it, each text once: `["a"]` and `["b"]` → `["a", "b"]`. Frames added to clauses hold for all other values (`*`)."""
    if piece is None:
        return added
    if isinstance(piece, dict):
        new = added if isinstance(added, dict) else {"*": added}
        keys = {str(key).lower(): key for key in piece}  # of JSON, all keys are text
        matched = {keys.get(str(key).lower(), key): part for key, part in new.items()}
        return {**piece, **{key: joined(piece.get(key), part) for key, part in matched.items()}}
    new = added.get("*", []) if isinstance(added, dict) else added
    texts = piece if isinstance(piece, list) else [piece]
    return [*texts, *[text for text in (new if isinstance(new, list) else [new]) if text not in texts]]


def piece_at(place: Iterable[str | int]) -> Piece:
    """Return the piece that a place below a tool (`("phrases", "slots", "city", 0)`) lies in."""
    steps = tuple(str(step) for step in place)
    first = steps[:1]
    if first == (_PHRASES,):
        return steps[: 3 if steps[1:2] and steps[1] in _PHRASES_BY_ENTRY else 2]
    return steps[: 2 if first and first[0] in _BY_ENTRY else 1]


def name_of_piece(piece: Piece) -> str:
    """Return the piece as overlays and tables name it: `phrases.slots.city`."""
    return ".".join(piece)


def digest_of_function(tool: Tool, name: str = "") -> str:
    """Return a short digest of the function that an overlay describes: name (that at its source, where it had to be changed), description and parameters."""
    text = json.dumps([name or tool.name, tool.description, tool.parameters], sort_keys=True, ensure_ascii=False)
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


def digest_of_arguments(tool: Tool, name: str = "") -> str:
    """Return a short digest of what a call of a tool may hold: its name (that at its source) and parameters, whatever texts describe them."""
    text = json.dumps(
        [name or tool.name, _without_annotations(tool.parameters or {})], sort_keys=True, ensure_ascii=False
    )
    return sha256(text.encode("utf-8", "surrogatepass")).hexdigest()[:_DIGITS]


_DESCRIBING = frozenset({"description", "title", "examples", "default", "$schema", "additionalProperties", "$comment"})


def _without_annotations(schema: Any) -> Any:
    """Return a schema without what only describes it, such as `description`; names of properties stay, whatever they are."""
    if isinstance(schema, list):
        return [_without_annotations(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {
        key: {name: _without_annotations(part) for name, part in value.items()}
        if key in ("properties", "$defs", "definitions") and isinstance(value, dict)
        else _without_annotations(value)
        for key, value in schema.items()
        if key not in _DESCRIBING
    }
