"""Calls as a list of Python calls: `[get_weather(city="Oslo", days=2), get_time(city="Rome")]`."""

import ast
from typing import Any

from generator.core.conversation import ToolCall
from generator.formats.dialect.calls import write_calls
from generator.formats.dialect.dialect import Call, CallSyntax
from generator.formats.text_reader import Scanner
from generator.formats.wire.encodings import is_keyword_name
from generator.formats.wire.format import wire_format


def _check(call: ToolCall, _: Any) -> str | None:
    if not is_keyword_name(call.name):
        return f".name: the tool's name {call.name[:80]!r} is not a Python identifier"
    if not all(is_keyword_name(name) for name in call.arguments):
        return ".arguments: an argument's name that is not a Python identifier"
    return None


def _read(scanner: Scanner, _: dict[str, Any]) -> list[Call]:
    start = scanner.at
    written = scanner.plain()
    try:
        calls = ast.parse(written, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError) as fault:
        raise scanner.fault(f"not a list of Python calls: {fault.args[0] if fault.args else fault}", start) from None
    if not isinstance(calls, ast.List) or not calls.elts:
        raise scanner.fault("a list of Python calls is expected here", start)
    return [_read_call(call, scanner, start) for call in calls.elts]


def _read_call(call: ast.expr, scanner: Scanner, start: int) -> Call:
    if not isinstance(call, ast.Call) or not isinstance(call.func, ast.Name) or call.args:
        raise scanner.fault("each element should be a call of a name with keyword arguments", start)
    arguments = {}
    for argument in call.keywords:
        if argument.arg is None:
            raise scanner.fault("`**` is not an argument", start)
        try:
            arguments[argument.arg] = ast.literal_eval(argument.value)
        except (ValueError, RecursionError):
            raise scanner.fault(f"the value of {argument.arg} is not a literal", start) from None
    return call.func.id, arguments


_FORMAT = wire_format("llama_pythonic")
PYTHON_CALLS = CallSyntax(
    begins=_FORMAT.open,
    write=lambda calls: write_calls(_FORMAT, calls),
    read=_read,
    check=_check,
    tool_names=None,
)
