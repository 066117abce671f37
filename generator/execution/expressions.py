"""The expressions of `x-compute`: read with Python's own grammar, turned into closures, never executed as Python.

Only what docs/tool-specs.md lists is known; everything else is refused when the tool is loaded.
"""

import ast
import operator
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

Names = Mapping[str, Any]
Expression = Callable[[Names], Any]


class MissingError(LookupError):
    """A name the expression needs has no value (an argument that was not given)."""


FAULTS = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError)
"""What values that do not suit an expression can raise."""

_DEEPEST = 150


class Reads(NamedTuple):
    """The names that an expression reads."""

    properties: frozenset[str]
    """Among them `today` and `value`."""
    arguments: frozenset[str]


def _times(left: Any, right: Any) -> Any:
    if isinstance(left, _SEQUENCES) or isinstance(right, _SEQUENCES):
        raise TypeError("only numbers can be multiplied")  # text times a drawn number could be of any length
    return left * right


def _modulo(left: Any, right: Any) -> Any:
    if isinstance(left, str):
        raise TypeError("% is for numbers")
    return left % right


_SEQUENCES = (str, list)

_BINARY: dict[type[ast.AST], Callable[[Any, Any], Any]] = {
    ast.Add: operator.add,
    ast.Sub: operator.sub,
    ast.Mult: _times,
    ast.Div: operator.truediv,
    ast.FloorDiv: operator.floordiv,
    ast.Mod: _modulo,
}
_COMPARE: dict[type[ast.AST], Callable[[Any, Any], bool]] = {
    ast.Lt: operator.lt,
    ast.LtE: operator.le,
    ast.Gt: operator.gt,
    ast.GtE: operator.ge,
    ast.Eq: operator.eq,
    ast.NotEq: operator.ne,
}


def compile_expression(text: str) -> Expression:
    """A function from names to the value; raises ValueError for what is not known."""
    return _compile(_parse(text))


def names_in(text: str) -> Reads:
    """The names that an expression reads; `text` must be one that compiles."""
    tree = _parse(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
    arguments = frozenset(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return Reads(frozenset(names - {"args"}), arguments)


def _parse(text: str) -> ast.AST:
    try:
        tree = ast.parse(text, mode="eval").body
    except (SyntaxError, RecursionError, MemoryError) as fault:
        raise ValueError(f"not an expression: {fault}") from None
    level: list[ast.AST] = [tree]
    for _ in range(_DEEPEST):
        level = [child for node in level for child in ast.iter_child_nodes(node)]
        if not level:
            return tree
    raise ValueError("not an expression: it is nested too deeply")


def _compile(node: ast.AST) -> Expression:
    maker = _MAKERS.get(type(node))
    if maker is None:
        raise ValueError(f"{type(node).__name__} is not known here")
    return maker(node)


def _constant(node: Any) -> Expression:
    value = node.value
    if not isinstance(value, str | int | float | bool | None):
        raise ValueError(f"{value!r} is not known here")
    return lambda names: value


def _name(node: Any) -> Expression:
    key = node.id

    def read(names: Names) -> Any:
        try:
            return names[key]
        except KeyError:
            raise MissingError(key) from None

    return read


def _argument(node: Any) -> Expression:
    if not (isinstance(node.value, ast.Name) and node.value.id == "args"):
        raise ValueError("a dot is known only in args.NAME")
    key = node.attr

    def read(names: Names) -> Any:
        value = names["args"].get(key)
        if value is None:
            raise MissingError(key)
        return value

    return read


def _binary(node: Any) -> Expression:
    if type(node.op) not in _BINARY:
        raise ValueError(f"{type(node.op).__name__} is not known here")
    function, left, right = _BINARY[type(node.op)], _compile(node.left), _compile(node.right)
    return lambda names: function(left(names), right(names))


def _unary(node: Any) -> Expression:
    inner = _compile(node.operand)
    if isinstance(node.op, ast.Not):
        return lambda names: not inner(names)
    if isinstance(node.op, ast.USub):
        return lambda names: -inner(names)
    raise ValueError(f"{type(node.op).__name__} is not known here")


def _compare(node: Any) -> Expression:
    if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARE:
        raise ValueError("one comparison at a time, with < <= > >= == !=")
    function, left, right = _COMPARE[type(node.ops[0])], _compile(node.left), _compile(node.comparators[0])
    return lambda names: function(left(names), right(names))


def _boolean(node: Any) -> Expression:
    parts = [_compile(part) for part in node.values]
    if isinstance(node.op, ast.And):
        return lambda names: all(part(names) for part in parts)
    return lambda names: any(part(names) for part in parts)


def _choice(node: Any) -> Expression:
    test, then, otherwise = _compile(node.test), _compile(node.body), _compile(node.orelse)
    return lambda names: then(names) if test(names) else otherwise(names)


def _call(node: Any) -> Expression:
    if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
        known = ", ".join(sorted(FUNCTIONS))
        raise ValueError(f"only these functions are known: {known}")
    function, parts = FUNCTIONS[node.func.id], [_compile(part) for part in node.args]
    return lambda names: function(*[part(names) for part in parts])


_MAKERS: dict[type[ast.AST], Callable[[Any], Expression]] = {
    ast.Constant: _constant,
    ast.Name: _name,
    ast.Attribute: _argument,
    ast.BinOp: _binary,
    ast.UnaryOp: _unary,
    ast.Compare: _compare,
    ast.BoolOp: _boolean,
    ast.IfExp: _choice,
    ast.Call: _call,
}


def _sum_of(elements: list[dict[str, Any]], field: str, factor: str | None = None) -> Any:
    return sum(element[field] * (element.get(factor, 1) if factor else 1) for element in elements)


def _add_days(day: str, days: float) -> str:
    return (date.fromisoformat(day[:10]) + timedelta(days=int(days))).isoformat() + day[10:]


def _days_between(first: str, second: str) -> int:
    return (date.fromisoformat(second[:10]) - date.fromisoformat(first[:10])).days


def _add_minutes(moment: str, minutes: float) -> str:
    if len(moment) <= 8:  # a clock time goes round at midnight
        total = (_minutes_of(moment) + int(minutes)) % 1440
        return f"{total // 60:02}:{total % 60:02}" + moment[5:]
    shape = "T" if "T" in moment else " "
    start = datetime.fromisoformat(moment[:16])
    return (start + timedelta(minutes=int(minutes))).isoformat(shape, "minutes") + moment[16:]


def _minutes_between(first: str, second: str) -> int:
    if len(first) <= 8:
        return (_minutes_of(second) - _minutes_of(first)) % 1440
    return int((datetime.fromisoformat(second[:16]) - datetime.fromisoformat(first[:16])).total_seconds() // 60)


def _minutes_of(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "round": round,
    "min": min,
    "max": max,
    "abs": abs,
    "len": len,
    "str": str,
    "upper": str.upper,
    "lower": str.lower,
    "sum_of": _sum_of,
    "add_days": _add_days,
    "days_between": _days_between,
    "add_minutes": _add_minutes,
    "minutes_between": _minutes_between,
}
