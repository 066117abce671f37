"""Calls in text formats: written as the table of wire formats has them, and read with the place of each fault."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from generator.core.conversation import ToolCall
from generator.core.pointers import parts_of_object
from generator.formats.text import Scanner, spaced_json
from generator.formats.wire.arguments import read_arguments
from generator.formats.wire.completions import write_call
from generator.formats.wire.encodings import element_value, is_keyword_name
from generator.formats.wire.format import NotReadError, Style, WireFormat, wire_format

ReadCall = tuple[str, dict[str, Any], str]
"""Name, arguments, and the id or number where that stands in the text."""
_BLANKS = re.compile(r"\s*")
UNQUOTED = r"[\w.-]+"
"""Regular expression of the names of tools that can be written without quotes."""


class CallText(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """How the calls of one assistant message are written: as a row of the table of wire formats says."""

    wire: str
    """The row's name."""
    call: str | None = None
    """The template of a call, where it is not the row's."""
    read_too: str | None = None
    """Another template, in which calls are read, too."""
    keys: str | None = None
    """Regular expression of the names of arguments that can be written, where each is an element."""
    null_in_any_case: bool = False
    """Whether servers read an element `null`, in any case of letters, as null whatever the schema says."""
    quoted_names: bool = False
    """Whether names of tools stand in quotes, so that any can be written."""


class CallSyntax(msgspec.Struct, frozen=True, kw_only=True):
    """How the calls of one assistant message are written and read."""

    begins: str
    """How the first call begins: where this stands, calls are read."""
    gap: str = ""
    """Between the text and the calls."""
    write: Callable[[tuple[ToolCall, ...], int], str]
    """Write all calls, given how many were made before."""
    read: Callable[[Scanner, dict[str, Any]], list[ReadCall]]
    """Read all calls, given the schemas of the declared tools' parameters by tool name; raises FormatError."""
    check: Callable[[ToolCall, Any], str | None]
    """Why a call cannot be written, as `.name: REASON` or `.arguments: REASON`."""
    tool_names: str | None
    """Regular expression of the tool names that can be written without quotes; None when others can be, too."""


def call_syntax_for(text: CallText, *, any_breaks: bool = False) -> CallSyntax:
    """Return the syntax of calls; with `any_breaks` white space beside markers is not looked at when they are read."""
    row = wire_format(text.wire)
    fmt = row if text.call is None else msgspec.structs.replace(row, call=text.call)
    other = None if text.read_too is None else msgspec.structs.replace(row, call=text.read_too)
    keys = None if text.keys is None else re.compile(text.keys)
    first = _first_text(fmt).strip() if any_breaks else _first_text(fmt)

    def read(scanner: Scanner, schemas: dict[str, Any]) -> list[ReadCall]:
        """Read the calls of an answer, the first perhaps in the second form that is read, too."""
        if fmt.object and fmt.open.endswith("["):
            scanner.take(fmt.open[:-1])
            if not scanner.sees("[") or scanner.sees("[]"):
                raise scanner.fault(f"a list of objects with {_keys_in_words(fmt)} is expected here")
            scanner.take("[")
        else:
            scanner.take(fmt.open)
        chosen = other if other is not None and scanner.sees(_first_text(other)) else fmt
        calls = [_read_call(chosen, scanner, schemas, keys, any_breaks)]
        while scanner.sees(fmt.between + first):
            scanner.take(fmt.between)
            calls.append(_read_call(fmt, scanner, schemas, keys, any_breaks))
        scanner.take(fmt.close)
        return calls

    def check(call: ToolCall, schema: Any) -> str | None:
        """Return why a call cannot be written in the format; None if it can."""
        if fmt.arguments == "python":
            return _python_name_fault(call)
        return _unquoted_value_fault(fmt, call, schema, keys, text.null_in_any_case) if keys else None

    return CallSyntax(
        begins=fmt.opening or first or fmt.open,
        gap=fmt.gap,
        write=lambda calls, before: _write_calls(fmt, calls, before),
        read=read,
        check=check,
        tool_names=None if fmt.arguments == "python" or text.quoted_names else UNQUOTED,
    )


def _first_text(fmt: WireFormat) -> str:
    """Return the text that every call begins with."""
    kind, first = fmt.call_pieces[0]
    if kind == "text":
        return first
    return f'{{"{next(iter(fmt.object))}": "' if first == "object" else ""


def _write_calls(fmt: WireFormat, calls: tuple[ToolCall, ...], before: int) -> str:
    """Return calls as the format writes them; `before` is the number of calls that the conversation has before these."""
    style = Style(json=fmt.json)
    texts = [write_call(fmt, call, at, style) for at, call in enumerate(calls, before)]
    return f"{fmt.open}{fmt.between.join(texts)}{fmt.close}"


def _python_name_fault(call: ToolCall) -> str | None:
    """Return why a call cannot be written in Python's words: a name that is no identifier."""
    if not is_keyword_name(call.name):
        return f".name: the tool's name {call.name[:80]!r} is not a Python identifier"
    if not all(is_keyword_name(name) for name in call.arguments):
        return ".arguments: an argument's name that is not a Python identifier"
    return None


def _read_call(
    fmt: WireFormat, scanner: Scanner, schemas: dict[str, Any], keys: re.Pattern[str] | None, any_breaks: bool
) -> ReadCall:
    """Return the call that begins here, by the pieces of its template."""
    slots: dict[str, Any] = {"name": "", "index": "", "id": None}
    pieces = iter(fmt.call_pieces)
    for kind, piece in pieces:
        if kind == "text":
            scanner.take(piece.strip() if any_breaks else piece)
        elif piece == "object":
            slots |= _read_object(fmt, scanner)
        elif piece == "arguments" and fmt.arguments == "json":
            slots["arguments"] = scanner.json_arguments()
        elif piece == "arguments":
            slots["arguments"] = _read_arguments(fmt, scanner, schemas.get(slots["name"]), keys)
        else:
            start = scanner.at
            slots[piece] = scanner.until(next(pieces)[1])
            if piece == "name" and fmt.arguments != "python" and not re.fullmatch(UNQUOTED, slots["name"]):
                raise scanner.fault("the name of a tool is expected here", start)
        if any_breaks:
            scanner.match(_BLANKS)
    return slots["name"], slots["arguments"], slots["index"] if slots["id"] is None else slots["id"]


def _read_object(fmt: WireFormat, scanner: Scanner) -> dict[str, Any]:
    """Return what stands in the JSON object of a call, by slot: `{"name": "f", "parameters": {}}` → name and arguments."""
    start = scanner.at
    value = scanner.json()
    keys = {template.removeprefix("$"): key for key, template in fmt.object.items()}
    if not isinstance(value, dict) or value.keys() != fmt.object.keys():
        raise scanner.fault(f"a JSON object with {_keys_in_words(fmt)} and nothing else is expected", start)
    slots = {slot: value[key] for slot, key in keys.items()}
    if not isinstance(slots["name"], str) or not isinstance(slots["arguments"], dict):
        raise scanner.fault(f"`{keys['name']}` should be a string and `{keys['arguments']}` an object", start)
    return slots


def _keys_in_words(fmt: WireFormat) -> str:
    """Return the keys of the object of a call: `name`, `arguments` and `id`."""
    *others, last = [f"`{key}`" for key in fmt.object]
    return f"{', '.join(others)} and {last}"


def _read_arguments(fmt: WireFormat, scanner: Scanner, schema: Any, keys: re.Pattern[str] | None) -> dict[str, Any]:
    """Return the arguments that begin here, in the encoding of the format; values hold no control tokens."""
    start = scanner.at
    try:
        arguments, end = read_arguments(fmt, scanner.text, start, schema, lenient=False)
    except NotReadError as fault:
        raise scanner.fault(f"no arguments: {fault}", start) from None
    if keys is None:
        scanner.go_to(end)
        return arguments
    scanner.at = end  # past the tags around each value, which are control tokens themselves
    if any(map(scanner.tokens.search, map(spaced_json, arguments.values()))) or not all(map(keys.fullmatch, arguments)):
        raise scanner.fault("a control token in a value, or a name that no argument can have", start)
    return arguments


# ------------------------------------------------------------------------------- values that stand without quotes


def _unquoted_value_fault(
    fmt: WireFormat, call: ToolCall, schema: Any, keys: re.Pattern[str], null_in_any_case: bool
) -> str | None:
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
    types = _types_as_servers_find_them(declared)
    if types is None:
        refers = isinstance(declared, dict) and "$ref" in declared
        why = "declared by a reference, which servers do not follow (inline_refs: true)" if refers else "without a type"
        return f"a value {why}, so that its text may be read as a string"
    return "a value whose schema takes strings, too, so that its text may be read as one" if "string" in types else None


def _types_as_servers_find_them(declared: Any) -> frozenset[str] | None:
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
            branch_types = [_types_as_servers_find_them(branch) for branch in declared[keyword]]
            return (
                None
                if None in branch_types
                else frozenset().union(*[types for types in branch_types if types is not None])
            )
    return None
