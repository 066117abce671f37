"""Wire formats: how models write tool calls, as rows of one table (formats.yaml).

A completion is `[thoughts][what is said][gap] open call between call ... close`. The token that ends the turn (`end`) is
not part of it: servers take it off before they parse. Nor is what the prompt already ends in (`prompt`).
"""

import json
import re
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any, Literal

import msgspec

from generator.core.documents import read_document
from generator.core.errors import FormatError, GeneratorError

Piece = tuple[Literal["text", "slot"], str]
"""A part of a template: text as it stands, or the name of what is put there."""

_SLOT = re.compile(r"\$([a-z]+)")
_TABLE = Path(__file__).with_name("formats.yaml")
_IDENTIFIER = r"[A-Za-z_]\w*"
_PLAIN_NAME = r"[A-Za-z0-9_.-]+"


class WireFormat(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True, dict=True):
    """One row of the table: how a model writes calls."""

    name: str
    source: str
    """The chat template or parser that the shape was taken from."""
    special: tuple[str, ...]
    """Markers that a tokenizer knows as one token, or that a parser looks for."""
    end: tuple[str, ...]
    """Tokens by which the model ends its turn."""
    call: str
    """Template of one call."""
    open: str = ""
    """What stands before the first call."""
    close: str = ""
    between: str = ""
    gap: str = ""
    """What stands between prose and the first call."""
    gap_always: bool = False
    """Whether that stands before the calls where nothing is said, too."""
    before: str = "$text"
    """Template of what is said before calls."""
    alone: str = "$text"
    """Template of what is said where nothing is called."""
    prompt: str = ""
    """What the prompt of a server ends in, of the format's own markers: a text that would begin so goes on behind it."""
    arguments: Literal["json", "tags", "nested", "python", "braces"] = "json"
    object: dict[str, str] = msgspec.field(default_factory=lambda: {"name": "$name", "arguments": "$arguments"})
    """Keys and values of `$object`, in order."""
    json: Literal["spaced", "minimal"] = "spaced"
    """How the model writes JSON, where nothing else is asked for."""
    argument: str = ""
    """Template of one argument, where `arguments` is `tags` or `nested`."""
    no_arguments: str = ""
    """What stands in the place of all arguments, where there are none."""
    words: Literal["json", "python", "repr"] | None = None
    """How booleans and null stand outside of texts: as JSON, as Python's `True` and `None` (lists and objects as JSON),
    or all values but an element's text as Python's `repr`. Python calls have Python's words, elements JSON's, unless said."""
    null_contested: bool = False
    """Whether readers and templates do not agree on how null is written."""
    cdata: bool = False
    """Whether a text with `<`, `&` or a line break stands in `<![CDATA[` and `]]>`."""
    quote: str = ""
    """What stands around texts, where `arguments` is `braces`."""
    thoughts: str | None = None
    """Template of a block of thoughts (`$text`) before all else."""
    thoughts_inside: bool = False
    """Whether thoughts stand in the same kind of markers as words and calls, so that one parser tells all three apart."""
    prose: bool = True
    """Whether the model may say something before it calls."""
    one: bool = False
    """Whether a completion holds at most one call."""
    project: str | None = None
    """The format of `generator.formats` that writes the same."""

    @cached_property
    def call_pieces(self) -> tuple[Piece, ...]:
        """The template of a call as literals and places."""
        return template_pieces(self.call)

    @cached_property
    def argument_pieces(self) -> tuple[Piece, ...]:
        """The template of an argument in pieces."""
        return template_pieces(self.argument)

    @cached_property
    def tells_types(self) -> bool:
        """Whether each argument says whether it is a text."""
        return any(piece in (("slot", "string"), ("slot", "type")) for piece in self.argument_pieces)

    @cached_property
    def json_words(self) -> bool:
        """Whether booleans and null are those of JSON."""
        return self.words == "json" or (self.words is None and self.arguments != "python")

    @property
    def name_pattern(self) -> str:
        """Regular expression that every name of a tool matches as a whole."""
        return _IDENTIFIER if self.arguments == "python" else _PLAIN_NAME

    @property
    def key_pattern(self) -> str:
        """Regular expression that every name of an argument matches as a whole."""
        return {"json": r"(?s:.*)", "tags": r"[^\s<>\"=&/]+"}.get(self.arguments, _IDENTIFIER)

    @cached_property
    def markers(self) -> tuple[str, ...]:
        """The special tokens, and every line of the templates' literal pieces that is more than punctuation."""
        literal = [text.strip() for kind, text in (*self.call_pieces, *self.argument_pieces) if kind == "text"]
        lines = [line.strip() for text in (self.open, self.close, *literal) for line in text.split("\n")]
        return tuple(dict.fromkeys((*self.special, *[line for line in lines if re.search(r"[\w<\[|]", line)])))

    @cached_property
    def around_thoughts(self) -> tuple[str, str]:
        """What stands before and behind thoughts; both are empty where the model has none."""
        before, _, behind = (self.thoughts or "").partition("$text")
        return before, behind

    @cached_property
    def opening(self) -> str:
        """The first marker of a completion with calls; empty for formats that begin with a bare bracket."""
        head = self.open or next(text for _, text in self.call_pieces)
        head = head.strip() if self.open or self.call_pieces[0][0] == "text" else ""
        special_at_start = [marker for marker in self.special if head.startswith(marker)]
        return special_at_start[0] if special_at_start else head if len(head) > 1 else ""


@cache
def template_pieces(template: str) -> tuple[Piece, ...]:
    """Return a template in pieces, in order: `<$key>` → `(("text", "<"), ("slot", "key"), ("text", ">"))`."""
    pieces: list[Piece] = []
    at = 0
    for match in _SLOT.finditer(template):
        if match.start() > at:
            pieces.append(("text", template[at : match.start()]))
        pieces.append(("slot", match[1]))
        at = match.end()
    if at < len(template):
        pieces.append(("text", template[at:]))
    return tuple(pieces)


@cache
def wire_formats() -> dict[str, WireFormat]:
    """Return all wire formats by name."""
    rows = read_document(_TABLE, GeneratorError).value
    return {row.name: row for row in msgspec.convert(rows, list[WireFormat])}


def wire_format(name: str) -> WireFormat:
    """Return the wire format of that name; raises FormatError with the nearest one."""
    from generator.core.documents import nearest

    formats = wire_formats()
    if name not in formats:
        raise FormatError(f"{name}: unknown wire format{nearest(name, formats)}")
    return formats[name]


Schemas = dict[str, Any]
"""Parameters by name of the tool."""


def properties_of(schema: Any) -> dict[str, Any]:
    """Return the declared properties of a tool's parameters."""
    properties = schema.get("properties") if isinstance(schema, dict) else None
    return properties if isinstance(properties, dict) else {}


class ExpectedCall(msgspec.Struct, frozen=True):
    """A call that a parser must find."""

    name: str
    arguments: dict[str, Any]


JsonStyle = Literal["spaced", "minimal", "pretty", "pretty_crlf", "ascii", "slashes"]


class Style(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How a completion is written; every style means the same."""

    json: JsonStyle = "spaced"
    """`", "` and `": "`, no spaces, indented (with LF or CRLF), all that is not ASCII escaped, or slashes escaped."""
    arguments_first: bool = False
    """In a JSON object, the arguments stand before the name."""
    thoughts: str | None = None
    """What the model thinks before it speaks or calls."""
    prompted: bool = True
    """Whether the prompt ends in the beginning of such thoughts, where the model's does."""


def styled_json(value: Any, style: Style) -> str:
    """Return a value as JSON in that style."""
    text = _ENCODE.get(style.json, _SPACED)(value)
    if style.json == "pretty_crlf":
        return text.replace("\n", "\r\n")
    return text.replace("/", "\\/") if style.json == "slashes" else text


_SPACED = json.JSONEncoder(ensure_ascii=False).encode
_PRETTY = json.JSONEncoder(ensure_ascii=False, indent=2).encode
_ENCODE = {
    "minimal": json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode,
    "pretty": _PRETTY,
    "pretty_crlf": _PRETTY,
    "ascii": json.JSONEncoder().encode,
}


class NotReadError(ValueError):
    """A text is not in the format."""


@lru_cache(maxsize=4096)
def _loose(piece: str) -> re.Pattern[str]:
    return re.compile(r"\s*".join(["", *[re.escape(word) for word in piece.split()], ""]))


def end_of(piece: str, text: str, at: int, lenient: bool) -> int | None:
    """Return where the piece ends that stands at a place; None where another text does."""
    if not lenient:
        return at + len(piece) if text.startswith(piece, at) else None
    match = _loose(piece).match(text, at)
    return match.end() if match else None


def find(piece: str, text: str, at: int, lenient: bool) -> tuple[int, int] | None:
    """Return [start, end) of the next place of a piece; None where there is none."""
    if not lenient:
        start = text.find(piece, at)
        return (start, start + len(piece)) if start >= 0 else None
    match = _loose(piece).search(text, at) if at <= len(text) else None
    return match.span() if match else None


def take(piece: str, text: str, at: int, lenient: bool = False) -> int:
    """Return where the piece ends that stands at a place; raises NotReadError where another text does."""
    end = end_of(piece, text, at, lenient)
    if end is None:
        raise NotReadError(f"{piece!r} is expected")
    return end
