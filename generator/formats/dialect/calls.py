"""Calls of dialects, as the table of wire formats (`generator.formats.wire`) has them: how they are written, and read strictly."""

import re
from typing import Any

from generator.core.conversation import ToolCall
from generator.core.pointers import parts_of_object
from generator.formats.dialect.dialect import UNQUOTED, CallSyntax, ReadCall
from generator.formats.text_reader import Scanner, read_call
from generator.formats.wire.arguments import read_arguments
from generator.formats.wire.encodings import element_value, is_keyword_name
from generator.formats.wire.format import ExpectedCall, NotReadError, Style, WireFormat, wire_format
from generator.formats.wire.writing import write_call


def calls_of(name: str, *, keys: re.Pattern[str] | None = None, null_in_any_case: bool = False) -> CallSyntax:
    """Return the syntax of calls of a row of the table.

    Args:
        name: The wire format.
        keys: The names of arguments that can be written, where each is an element.
        null_in_any_case: Whether servers read an element `null`, in any case of letters, as null whatever the schema says.
    """
    fmt = wire_format(name)
    kind, first = fmt.call_pieces[0]
    if kind == "slot":
        first = f'{{"{next(iter(fmt.object))}": "' if first == "object" else ""

    def read(scanner: Scanner, schemas: dict[str, Any]) -> list[ReadCall]:
        scanner.take(fmt.open)
        calls = [_read_call(fmt, scanner, schemas, keys)]
        while scanner.sees(fmt.between + first):
            scanner.take(fmt.between)
            calls.append(_read_call(fmt, scanner, schemas, keys))
        scanner.take(fmt.close)
        return calls

    def check(call: ToolCall, schema: Any) -> str | None:
        if fmt.arguments == "python":
            return _unnamed(call)
        return _unclear(fmt, call, schema, keys, null_in_any_case) if keys else None

    return CallSyntax(
        begins=fmt.opening or first or fmt.open,
        gap=fmt.gap,
        write=lambda calls, before: write_calls(fmt, calls, before),
        read=read,
        check=check,
        tool_names=None if fmt.arguments == "python" else UNQUOTED,
    )


def write_calls(fmt: WireFormat, calls: tuple[ToolCall, ...], before: int = 0) -> str:
    """Return the text of all calls of an answer, given how many were made before."""
    style = Style(json=fmt.json)
    texts = [
        write_call(fmt, ExpectedCall(call.name, call.arguments), at, style) for at, call in enumerate(calls, before)
    ]
    return f"{fmt.open}{fmt.between.join(texts)}{fmt.close}"


def _unnamed(call: ToolCall) -> str | None:
    if not is_keyword_name(call.name):
        return f".name: the tool's name {call.name[:80]!r} is not a Python identifier"
    if not all(is_keyword_name(name) for name in call.arguments):
        return ".arguments: an argument's name that is not a Python identifier"
    return None


def _read_call(fmt: WireFormat, scanner: Scanner, schemas: dict[str, Any], keys: re.Pattern[str] | None) -> ReadCall:
    slots = {"name": "", "index": ""}
    arguments: dict[str, Any] = {}
    pieces = iter(fmt.call_pieces)
    for kind, piece in pieces:
        if kind == "text":
            scanner.take(piece)
        elif piece == "object":
            key = next(key for key, slot in fmt.object.items() if slot == "$arguments")
            slots["name"], arguments = read_call(scanner, key)
        elif piece == "arguments":
            arguments = _read_arguments(fmt, scanner, schemas.get(slots["name"]), keys)
        else:
            slots[piece] = scanner.until(next(pieces)[1])
    return slots["name"], arguments, slots["index"]


def _read_arguments(fmt: WireFormat, scanner: Scanner, schema: Any, keys: re.Pattern[str] | None) -> dict[str, Any]:
    start = scanner.at
    try:
        found, scanner.at = read_arguments(fmt, scanner.text, start, schema, lenient=False)
    except NotReadError as fault:
        raise scanner.fault(f"no arguments: {fault}", start) from None
    texts = [value for value in found.values() if isinstance(value, str)] if keys else []
    if any(map(scanner.tokens.search, texts)) or not all(keys is None or keys.fullmatch(name) for name in found):
        raise scanner.fault("a control token in a value, or a name that no argument can have", start)
    return found


# ------------------------------------------------------------------------------- values that stand without quotes


def _unclear(fmt: WireFormat, call: ToolCall, schema: Any, keys: re.Pattern[str], null_in_any_case: bool) -> str | None:
    """Return why the arguments of a call are ambiguous in a text without quotes; None when they are not."""
    for name, value in call.arguments.items():
        if not keys.fullmatch(name):
            return f".arguments: an argument's name that cannot be written: {name[:80]!r}"
        reason = _ambiguity(fmt, value, parts_of_object(schema)[0].get(name))
        if null_in_any_case and isinstance(value, str) and value.lower() == "null":
            reason = "a string that servers read as null"
        if reason is not None:
            return f".arguments.{name[:80]}: {reason}"
    return None


def _ambiguity(fmt: WireFormat, value: Any, declared: Any) -> str | None:
    """Return why the text of a value may be read as another value; None when it may not."""
    if isinstance(value, str):
        again = element_value(fmt, value, declared)
        return None if again == value and isinstance(again, str) else "a string that reads as another JSON value"
    types = _types(declared)
    if types is None:
        refers = isinstance(declared, dict) and "$ref" in declared
        why = "declared by a reference, which servers do not follow (inline_refs: true)" if refers else "without a type"
        return f"a value {why}, so that its text may be read as a string"
    return "a value whose schema takes strings, too, so that its text may be read as one" if "string" in types else None


def _types(declared: Any) -> frozenset[str] | None:
    """Return the types that a schema allows, found as servers do; None when it names none."""
    if not isinstance(declared, dict):
        return None
    kind = declared.get("type")
    if isinstance(kind, str):
        return frozenset([kind])
    if isinstance(kind, list):
        return frozenset(str(name) for name in kind)
    for keyword in ("anyOf", "oneOf"):
        if isinstance(declared.get(keyword), list):
            found = [_types(branch) for branch in declared[keyword]]
            return None if None in found else frozenset().union(*[types for types in found if types is not None])
    return None
