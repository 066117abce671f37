"""How values are written, read and told apart: as JSON, as elements, as Python literals."""

import ast
import json
import keyword
import math
import re
from collections.abc import Iterator
from functools import partial
from typing import Any

from generator.core.exact_json import loads, no_constant, unique_keys
from generator.formats.wire.format import (
    NotReadError,
    Style,
    WireFormat,
    end_of,
    find,
    properties_of,
    styled_json,
    take,
)

Alternatives = tuple[Any, ...] | None


# ---------------------------------------------------------------------------------------------------------- JSON


def write_json(fmt: WireFormat, arguments: dict[str, Any], style: Style) -> str:
    """Return arguments as a JSON object."""
    return styled_json(arguments, style)


def read_json(fmt: WireFormat, text: str, at: int, schema: Any, lenient: bool) -> tuple[dict[str, Any], int]:
    """Return the JSON object that stands there, and where it ends."""
    value, end = read_json_at(text, at)
    if not isinstance(value, dict):
        raise NotReadError("an object is expected")
    return value, end


def json_alternatives(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that its text may be read as; None: any."""
    return (value,) if is_json(value) else None


def is_json(value: Any) -> bool:
    """Whether strict JSON can hold the value: no NaN, infinity or lone surrogate, not too deep for most readers."""
    if not isinstance(value, dict | list):
        return _is_json_leaf(value)
    return all(_is_json_leaf(leaf) for leaf in plain_values(value)) and depth(value) <= 900


_HALF_LETTER = re.compile("[\ud800-\udfff]")


def _is_json_leaf(leaf: Any) -> bool:
    """Whether a text, number, boolean or null can stand in JSON: no half of a surrogate pair, no NaN, no infinity."""
    if isinstance(leaf, str):
        return leaf.isascii() or not _HALF_LETTER.search(leaf)
    return not isinstance(leaf, float) or math.isfinite(leaf)


def plain_values(value: Any) -> Iterator[Any]:
    """Yield all texts, numbers, booleans, nulls and keys in a value."""
    stack = [value]
    while stack:
        part = stack.pop()
        if isinstance(part, dict):
            stack += [*part, *part.values()]
        elif isinstance(part, list):
            stack += part
        else:
            yield part


def holds(text: str, parts: tuple[str, ...]) -> bool:
    """Whether one of the parts stands in a text."""
    for part in parts:  # noqa: SIM110 - a generator would take three times as long, and this is asked of every value
        if part in text:
            return True
    return False


def depth(value: Any) -> int:
    """Return how deep lists and objects are nested."""
    deepest, layer = 0, [value]
    while layer := [part for part in layer if isinstance(part, dict | list)]:
        deepest += 1
        layer = [inner for part in layer for inner in (part.values() if isinstance(part, dict) else part)]
    return deepest


_DECODER = json.JSONDecoder(object_pairs_hook=unique_keys, parse_constant=no_constant)


def read_json_at(text: str, at: int) -> tuple[Any, int]:
    """Return the JSON value at a place, and where it ends; raises NotReadError."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except (ValueError, RecursionError) as fault:
        raise NotReadError(str(fault)) from None
    return value, end


# ---------------------------------------------------------------------------------------------------------- tags


def write_tags(fmt: WireFormat, arguments: dict[str, Any], style: Style) -> str:
    """Return an element for each argument."""
    return (
        "".join([_argument_element(fmt, name, value, style) for name, value in arguments.items()]) or fmt.no_arguments
    )


def _argument_element(fmt: WireFormat, name: str, value: Any, style: Style) -> str:
    """Return an argument as an element, by the template of the format."""
    string = isinstance(value, str)
    slots = {
        "key": name,
        "value": _element_text(fmt, value, style),
        "string": "true" if string else "false",
        "type": json_type(value),
    }
    return "".join([text if kind == "text" else slots[text] for kind, text in fmt.argument_pieces])


def _element_text(fmt: WireFormat, value: Any, style: Style) -> str:
    """Return the text of an element for a value."""
    if isinstance(value, str):
        return f"<![CDATA[{value}]]>" if fmt.cdata and _MARKUP.search(value) else value
    if fmt.words == "repr" or (fmt.words == "python" and (value is None or isinstance(value, bool))):
        return repr(value)
    return styled_json(value, style)


_MARKUP = re.compile("[<&\n]")


def json_type(value: Any) -> str:
    """Return the name that JSON Schema has for the type of a value."""
    if value is None:
        return "null"
    names = {bool: "boolean", int: "number", float: "number", str: "string", list: "array", dict: "object"}
    return names[type(value)]


def tag_alternatives(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that its text may be read as; None: any."""
    if not is_json(value):
        return None
    text = _element_text(fmt, value, Style()) if not isinstance(value, str) else value
    if holds(text, fmt.markers) or (fmt.cdata and ("]]>" in text or (text is not value and _MARKUP.search(text)))):
        return None
    return leaf_readings(fmt, value, schema)


def leaf_readings(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that the text of an element, which holds no marker, may be read as: `5` → `(5, "5")`.

    None where a reader may take it for anything, as it does with control characters.
    """
    text = value if isinstance(value, str) else _element_text(fmt, value, Style())
    if isinstance(value, str):
        if text != text.strip():
            return (value, text.strip())
        if _CONTROL.search(text):
            return None
    if fmt.tells_types:
        return (value,)
    types = declared_types(schema)
    if (types == _STRING and text.strip().lower() in ("null", "none")) or (value is None and not fmt.json_words):
        return tuple(_distinct_values([value, text, None]))  # servers take these words for null, whatever the type
    return _readings_by_types(value, text, types)


_STRING = frozenset(["string"])
_CONTROL = re.compile("[\x00-\x08\x0b-\x0d\x0e-\x1f\x7f\x85\u2028\u2029\ufeff]")


def _readings_by_types(value: Any, text: str, types: frozenset[str] | None) -> Alternatives:
    """Return the values that a text may be read as by the declared types: a string where they say so, else JSON (or Python) where possible.

    None where it may be anything: a string where no string is declared.
    """
    if types == _STRING:
        return (value,) if isinstance(value, str) else (value, text)
    if types is not None and "string" not in types:
        return (value,) if not isinstance(value, str) else None
    other_readings = _other_meanings(text)
    return (
        (value,)
        if isinstance(value, str) and not other_readings
        else tuple(_distinct_values([value, text, *other_readings]))
    )


def _other_meanings(text: str) -> list[Any]:
    """Return what a text could also be read as: JSON, a Python literal, a word for null or a boolean.

    `5` → `[5, 5]`, `None` → `[None, None]`.
    """
    values_of_words: dict[str, Any] = {"true": True, "false": False, "null": None, "none": None, "nil": None}
    readings = [values_of_words[text.strip().lower()]] if text.strip().lower() in values_of_words else []
    for read in (partial(loads, nan=True), ast.literal_eval):
        try:
            value = read(text)
        except (ValueError, SyntaxError, RecursionError, MemoryError, TypeError):
            continue
        if value != text:
            readings.append(value)
    return readings


def _distinct_values(values: list[Any]) -> Iterator[Any]:
    """Yield values without repetitions."""
    written: set[str] = set()
    for value in values:
        key = repr(value)
        if key not in written:
            written.add(key)
            yield value


def declared_types(schema: Any) -> frozenset[str] | None:
    """Return the types that a schema names with `type`; None where it does not (`$ref`, `oneOf`, nothing)."""
    types = schema.get("type") if isinstance(schema, dict) else None
    if isinstance(types, str):
        return frozenset([types])
    return frozenset(types) if isinstance(types, list) else None


def read_tags(fmt: WireFormat, text: str, at: int, schema: Any, lenient: bool) -> tuple[dict[str, Any], int]:
    """Return the arguments that stand there as elements, and where they end."""
    pieces = fmt.argument_pieces
    arguments: dict[str, Any] = {}
    if fmt.no_arguments and end_of(pieces[0][1], text, at, lenient) is None:
        empty = end_of(fmt.no_arguments, text, at, lenient)
        return arguments, at if empty is None else empty
    while end_of(pieces[0][1], text, at, lenient) is not None:
        slots: dict[str, str] = {}
        for index, (kind, piece) in enumerate(pieces):
            if kind == "text":
                at = take(piece, text, at, lenient)
            else:
                search_from = text.find("]]>", at) if fmt.cdata and text.startswith("<![CDATA[", at) else at
                end = find(pieces[index + 1][1], text, search_from, lenient)
                if end is None or search_from < at:
                    raise NotReadError(f"{pieces[index + 1][1]!r} is expected")
                slots[piece], at = text[at : end[0]], end[0]
        if slots["key"] in arguments:
            raise NotReadError("a key stands twice")
        arguments[slots["key"]] = _tag_value(fmt, slots, properties_of(schema).get(slots["key"]))
    return arguments, at


def _tag_value(fmt: WireFormat, slots: dict[str, str], schema: Any) -> Any:
    """Return the value of an element from its slots: key, value, and its type where that stands there."""
    text = slots["value"]
    if fmt.cdata and text.startswith("<![CDATA[") and text.endswith("]]>"):
        return text[len("<![CDATA[") : -len("]]>")]
    if slots.get("string") == "true" or slots.get("type") == "string":
        return text
    return element_value(fmt, text, {} if "string" in slots or "type" in slots else schema)


def element_value(fmt: WireFormat, text: str, schema: Any) -> Any:
    """Return the value that the text of an element has by its schema: a text, or what it writes."""
    if declared_types(schema) == _STRING:
        return text
    try:
        return loads(text)
    except ValueError:
        return text if fmt.json_words else _python_value(text)


def _python_value(text: str) -> Any:
    """Return the boolean, null, list or object that a text writes in Python's words; else the text."""
    try:
        value = ast.literal_eval(text) if text[:1] in ("[", "{", "T", "F", "N") else text
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError):
        return text
    return value if value is None or isinstance(value, bool | list | dict) else text


# -------------------------------------------------------------------------------------------------------- Python


def write_python(fmt: WireFormat, arguments: dict[str, Any], style: Style) -> str:
    """Return keyword arguments."""
    return ", ".join([f"{name}={_python_text(fmt, value)}" for name, value in arguments.items()])


def _python_text(fmt: WireFormat, value: Any) -> str:
    return repr(value) if fmt.words == "repr" else python_literal(value, json_words=fmt.json_words)


def python_literal(value: Any, *, json_words: bool = False) -> str:
    """Return a value as a Python literal, texts in double quotes; `json_words` writes `true`, `false` and `null`."""
    if isinstance(value, str) or (json_words and (value is None or isinstance(value, bool))):
        return json.dumps(value, ensure_ascii=False)
    if isinstance(value, list):
        return f"[{', '.join([python_literal(part, json_words=json_words) for part in value])}]"
    if isinstance(value, dict):
        parts = [f"{python_literal(key)}: {python_literal(part, json_words=json_words)}" for key, part in value.items()]
        return f"{{{', '.join(parts)}}}"
    return repr(value)


def python_alternatives(fmt: WireFormat, value: Any, schema: Any) -> Alternatives:
    """Return the values that its text may be read as; None: any."""
    return (value,) if is_json(value) and depth(value) <= 60 else None


def is_keyword_name(name: str) -> bool:
    """Whether Python accepts it as the name of a keyword argument."""
    return name.isidentifier() and not keyword.iskeyword(name) and name.isascii()


def read_python(fmt: WireFormat, text: str, at: int, schema: Any, lenient: bool) -> tuple[dict[str, Any], int]:
    """Return the keyword arguments that stand there, up to the bracket that closes them."""
    end = _closing_bracket(text, at)
    try:
        call = _JsonWords().visit(ast.parse(f"f({text[at:end]})", mode="eval")).body
        if not isinstance(call, ast.Call) or call.args:
            raise NotReadError("only keyword arguments are expected")
        arguments = {keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg}
    except (SyntaxError, ValueError, RecursionError, MemoryError, TypeError) as fault:
        raise NotReadError(str(fault)) from None
    if len(arguments) < len(call.keywords):
        raise NotReadError("a key stands twice")
    return arguments, end


class _JsonWords(ast.NodeTransformer):
    """`true`, `false` and `null`, which some models write."""

    def visit_Name(self, node: ast.Name) -> ast.expr:
        words: dict[str, Any] = {"true": True, "false": False, "null": None}
        return ast.Constant(words[node.id]) if node.id in words else node


_PYTHON_TOKEN = re.compile(r"\"(?:[^\"\\]|\\.)*\"|'(?:[^'\\]|\\.)*'|[\[\](){}]", re.DOTALL)


def _closing_bracket(text: str, at: int) -> int:
    """Return where the bracket stands that closes the one before this place."""
    level = 0
    for match in _PYTHON_TOKEN.finditer(text, at):
        token = match[0]
        if token in "([{":
            level += 1
        elif token in ")]}":
            level -= 1
            if level < 0:
                return match.start()
    raise NotReadError("a closing bracket is expected")
