"""Call syntaxes of dialects: JSON, or elements with one value for each argument."""

import re
from collections.abc import Callable
from typing import Any

import msgspec

from generator.conversation import ToolCall
from generator.exact_json import loads
from generator.formats.dialect.dialect import Call, CallSyntax
from generator.formats.text import spaced_json
from generator.formats.text_reader import Scanner, read_call
from generator.pointers import parts_of_object


class OneCall(msgspec.Struct, frozen=True, kw_only=True):
    """How one call is written."""

    begins: str
    write: Callable[[ToolCall], str]
    read: Callable[[Scanner, dict[str, Any]], Call]
    check: Callable[[ToolCall, Any], str | None] = lambda call, schema: None


def list_of_calls(call: OneCall, *, before: str = "", between: str = "", after: str = "") -> CallSyntax:
    """Return calls that stand one after another."""

    def write(calls: tuple[ToolCall, ...]) -> str:
        return f"{before}{between.join([call.write(one) for one in calls])}{after}"

    def read(scanner: Scanner, schemas: dict[str, Any]) -> list[Call]:
        scanner.take(before)
        calls = [call.read(scanner, schemas)]
        while scanner.sees(between + call.begins):
            scanner.take(between)
            calls.append(call.read(scanner, schemas))
        scanner.take(after)
        return calls

    return CallSyntax(begins=before or call.begins, write=write, read=read, check=call.check)


def json_object(before: str, after: str, *, begins: str, arguments_key: str = "arguments") -> OneCall:
    """Return the syntax of calls written as `{"name": ..., "arguments": {...}}` between two texts."""

    def write(call: ToolCall) -> str:
        return f'{before}{{"name": "{call.name}", "{arguments_key}": {spaced_json(call.arguments)}}}{after}'

    def read(scanner: Scanner, _: dict[str, Any]) -> Call:
        scanner.take(before)
        call = read_call(scanner, arguments_key)
        scanner.take(after)
        return call

    return OneCall(begins=begins, write=write, read=read)


def name_and_json(before: str, between: str, after: str) -> OneCall:
    """Return the name, and the arguments as JSON behind it."""

    def write(call: ToolCall) -> str:
        return f"{before}{call.name}{between}{spaced_json(call.arguments)}{after}"

    def read(scanner: Scanner, _: dict[str, Any]) -> Call:
        scanner.take(before)
        name = scanner.until(between)
        start = scanner.at
        arguments = scanner.json()
        if not isinstance(arguments, dict):
            raise scanner.fault("arguments should be an object", start)
        scanner.take(after)
        return name, arguments

    return OneCall(begins=before, write=write, read=read)


# ------------------------------------------------------------------------------- values that stand without quotes


class ArgumentElements(msgspec.Struct, frozen=True, kw_only=True):
    """One element for each argument: strings as they are, other values as JSON, told apart by the tool's schema."""

    before_name: str
    after_name: str
    key: str
    after_key: str
    after_value: str
    """The value stands between `after_key` and this."""
    end: str
    keys: re.Pattern[str]
    """The names of arguments that can be written."""
    null_in_any_case: bool = False
    """Whether servers read `null`, in any case of letters, as null whatever the schema says."""

    def write(self, call: ToolCall) -> str:
        """Return the text of a call."""
        arguments = [
            f"{self.key}{name}{self.after_key}{_text_of(value)}{self.after_value}"
            for name, value in call.arguments.items()
        ]
        return f"{self.before_name}{call.name}{self.after_name}{''.join(arguments)}{self.end}"

    def read(self, scanner: Scanner, schemas: dict[str, Any]) -> Call:
        """Return the call that begins here."""
        scanner.take(self.before_name)
        tool = scanner.until(self.after_name)
        arguments: dict[str, Any] = {}
        while scanner.accept(self.key):
            start = scanner.at
            name = scanner.until(self.after_key)
            if name in arguments or not self.keys.fullmatch(name):
                reason = "has a value already" if name in arguments else "is no name of an argument"
                raise scanner.fault(f"{name[:80]!r} {reason}", start)
            text = scanner.until(self.after_value)
            arguments[name] = _value_of(text, string=_is_string(_declared(schemas.get(tool), name)))
        scanner.take(self.end)
        return tool, arguments

    def check(self, call: ToolCall, schema: Any) -> str | None:
        """Return why the arguments of a call are ambiguous in a text without quotes; None when they are not."""
        for name, value in call.arguments.items():
            if not self.keys.fullmatch(name):
                return f".arguments: an argument's name that cannot be written: {name[:80]!r}"
            declared = _declared(schema, name)
            reason = _ambiguity(value, declared)
            if self.null_in_any_case and isinstance(value, str) and value.lower() == "null":
                reason = "a string that servers read as null"
            if reason is not None:
                return f".arguments.{name[:80]}: {reason}"
        return None


def element_call(words: ArgumentElements) -> OneCall:
    """Return a call with one element for each argument, in `<tool_call>`."""
    return OneCall(begins="<tool_call>", write=words.write, read=words.read, check=words.check)


def _text_of(value: Any) -> str:
    return value if isinstance(value, str) else spaced_json(value)


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
