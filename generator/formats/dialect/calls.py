"""Calls of dialects, as the table of wire formats (`generator.formats.wire`) has them: how they are written, and read strictly."""

import re
from typing import Any

from generator.core.conversation import ToolCall
from generator.core.exact_json import loads
from generator.core.pointers import parts_of_object
from generator.formats.dialect.dialect import Call, CallSyntax
from generator.formats.text_reader import Scanner, read_call
from generator.formats.wire.calls import ExpectedCall
from generator.formats.wire.format import WireFormat, wire_format
from generator.formats.wire.style import Style
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
    first = first if kind == "text" else f'{{"{next(iter(fmt.object))}": "'

    def read(scanner: Scanner, schemas: dict[str, Any]) -> list[Call]:
        scanner.take(fmt.open)
        calls = [_read_call(fmt, scanner, schemas, keys)]
        while scanner.sees(fmt.between + first):
            scanner.take(fmt.between)
            calls.append(_read_call(fmt, scanner, schemas, keys))
        scanner.take(fmt.close)
        return calls

    def check(call: ToolCall, schema: Any) -> str | None:
        return _unclear(call, schema, keys, null_in_any_case) if keys else None

    return CallSyntax(
        begins=fmt.opening or first, gap=fmt.gap, write=lambda calls: write_calls(fmt, calls), read=read, check=check
    )


def write_calls(fmt: WireFormat, calls: tuple[ToolCall, ...]) -> str:
    """Return the text of all calls of an answer."""
    style = Style(json=fmt.json)
    texts = [write_call(fmt, ExpectedCall(call.name, call.arguments), at, style) for at, call in enumerate(calls)]
    return f"{fmt.open}{fmt.between.join(texts)}{fmt.close}"


def _read_call(fmt: WireFormat, scanner: Scanner, schemas: dict[str, Any], keys: re.Pattern[str] | None) -> Call:
    name: str = ""
    arguments: dict[str, Any] = {}
    pieces = iter(fmt.call_pieces)
    for kind, piece in pieces:
        if kind == "text":
            scanner.take(piece)
        elif piece == "object":
            name, arguments = read_call(scanner, next(key for key, slot in fmt.object.items() if slot == "$arguments"))
        elif piece == "name":
            name = scanner.until(next(pieces)[1])
        elif keys:
            arguments = _read_elements(fmt, scanner, schemas.get(name), keys)
        else:
            arguments = _read_json(scanner)
    return name, arguments


def _read_json(scanner: Scanner) -> dict[str, Any]:
    start = scanner.at
    arguments = scanner.json()
    if not isinstance(arguments, dict):
        raise scanner.fault("arguments should be an object", start)
    return arguments


# ------------------------------------------------------------------------------- values that stand without quotes


def _read_elements(fmt: WireFormat, scanner: Scanner, schema: Any, keys: re.Pattern[str]) -> dict[str, Any]:
    (_, opening), _, (_, after_key), _, (_, after_value) = fmt.argument_pieces
    arguments: dict[str, Any] = {}
    while scanner.accept(opening):
        start = scanner.at
        name = scanner.until(after_key)
        if name in arguments or not keys.fullmatch(name):
            reason = "has a value already" if name in arguments else "is no name of an argument"
            raise scanner.fault(f"{name[:80]!r} {reason}", start)
        arguments[name] = _value_of(scanner.until(after_value), string=_is_string(_declared(schema, name)))
    return arguments


def _unclear(call: ToolCall, schema: Any, keys: re.Pattern[str], null_in_any_case: bool) -> str | None:
    """Return why the arguments of a call are ambiguous in a text without quotes; None when they are not."""
    for name, value in call.arguments.items():
        if not keys.fullmatch(name):
            return f".arguments: an argument's name that cannot be written: {name[:80]!r}"
        reason = _ambiguity(value, _declared(schema, name))
        if null_in_any_case and isinstance(value, str) and value.lower() == "null":
            reason = "a string that servers read as null"
        if reason is not None:
            return f".arguments.{name[:80]}: {reason}"
    return None


def _value_of(text: str, *, string: bool) -> Any:
    """Return the value of a text: the text itself where a string is declared, else JSON if it is valid JSON."""
    if string:
        return text
    try:
        return loads(text)
    except ValueError:
        return text


def _ambiguity(value: Any, declared: Any) -> str | None:
    """Return why the text of a value may be read as another value; None when it may not."""
    if isinstance(value, str):
        again = _value_of(value, string=_is_string(declared))
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


def _declared(schema: Any, name: str) -> Any:
    """Return the schema of one argument in a tool's parameters."""
    return parts_of_object(schema)[0].get(name)


def _is_string(declared: Any) -> bool:
    return isinstance(declared, dict) and declared.get("type") == "string"
