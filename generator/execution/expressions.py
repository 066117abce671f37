"""The expressions of `x-compute`: read with Python's own grammar, and never executed as they stand.

Only what docs/tool-specs.md lists is known; everything else is refused when the tool is loaded. What is known is written
anew, part by part, as the source of a function: no text of an expression gets there but as `repr` writes it.
"""

import ast
from collections.abc import Callable, Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple

Names = Mapping[str, Any]
Expression = Callable[[Names], Any]
Computation = Callable[[Names, Mapping[str, Any], Any, Any], Any]
"""(properties made before, arguments, today, the value it would otherwise have) → value."""


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

_BINARY: dict[type[ast.AST], str] = {
    ast.Add: "({} + {})",
    ast.Sub: "({} - {})",
    ast.Mult: "times({}, {})",
    ast.Div: "({} / {})",
    ast.FloorDiv: "({} // {})",
    ast.Mod: "modulo({}, {})",
}
_COMPARE: dict[type[ast.AST], str] = {
    ast.Lt: "({} < {})",
    ast.LtE: "({} <= {})",
    ast.Gt: "({} > {})",
    ast.GtE: "({} >= {})",
    ast.Eq: "({} == {})",
    ast.NotEq: "({} != {})",
}


def compile_expression(text: str) -> Expression:
    """A function from names to the value; raises ValueError for what is not known."""
    compute = compile_computation(text)
    return lambda names: compute(names, names["args"], names["today"], names["value"])


def compile_computation(text: str) -> Computation:
    """A function from properties, arguments, today and the usual value to the value; raises ValueError likewise."""
    writer = _Writer()
    source = writer.write(_parse(text))
    exec(compile(f"def compute(names, args, today, value): return {source}", "<x-compute>", "exec"), writer.namespace)
    compute: Computation = writer.namespace["compute"]
    return compute


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


def _missing(name: str) -> Any:
    raise MissingError(name)


class _Writer:
    """The source of one expression while it is written: only known forms, names and texts as `repr` writes them."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {"times": _times, "modulo": _modulo, "missing": _missing}

    def write(self, node: ast.AST) -> str:
        """The source of a part, in brackets where it needs them."""
        write = _WRITERS.get(type(node))
        if write is None:
            raise ValueError(f"{type(node).__name__} is not known here")
        return write(self, node)

    def constant(self, node: Any) -> str:
        value = node.value
        if not isinstance(value, str | int | float | bool | None):
            raise ValueError(f"{value!r} is not known here")
        if not isinstance(value, int | float) or isinstance(value, bool):
            return repr(value)
        name = f"number{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def name(self, node: Any) -> str:
        if node.id in _OURS:
            return str(node.id)
        key = repr(node.id)
        return f"(names[{key}] if {key} in names else missing({key}))"

    def argument(self, node: Any) -> str:
        if not (isinstance(node.value, ast.Name) and node.value.id == "args"):
            raise ValueError("a dot is known only in args.NAME")
        key = repr(node.attr)
        return f"(found if (found := args.get({key})) is not None else missing({key}))"

    def binary(self, node: Any) -> str:
        if type(node.op) not in _BINARY:
            raise ValueError(f"{type(node.op).__name__} is not known here")
        return _BINARY[type(node.op)].format(self.write(node.left), self.write(node.right))

    def unary(self, node: Any) -> str:
        inner = self.write(node.operand)
        if isinstance(node.op, ast.Not):
            return f"(not {inner})"
        if isinstance(node.op, ast.USub):
            return f"(- {inner})"
        raise ValueError(f"{type(node.op).__name__} is not known here")

    def compare(self, node: Any) -> str:
        if len(node.ops) != 1 or type(node.ops[0]) not in _COMPARE:
            raise ValueError("one comparison at a time, with < <= > >= == !=")
        return _COMPARE[type(node.ops[0])].format(self.write(node.left), self.write(node.comparators[0]))

    def boolean(self, node: Any) -> str:
        parts = (" and " if isinstance(node.op, ast.And) else " or ").join([self.write(part) for part in node.values])
        return f"(True if {parts} else False)"

    def choice(self, node: Any) -> str:
        test, then, otherwise = self.write(node.test), self.write(node.body), self.write(node.orelse)
        return f"({then} if {test} else {otherwise})"

    def call(self, node: Any) -> str:
        if not isinstance(node.func, ast.Name) or node.func.id not in FUNCTIONS or node.keywords:
            known = ", ".join(sorted(FUNCTIONS))
            raise ValueError(f"only these functions are known: {known}")
        name = f"call_{node.func.id}"
        self.namespace[name] = FUNCTIONS[node.func.id]
        return f"{name}({', '.join([self.write(part) for part in node.args])})"


_OURS = ("args", "today", "value")
"""Names that are parameters of the function that is written."""

_WRITERS: dict[type[ast.AST], Callable[[_Writer, Any], str]] = {
    ast.Constant: _Writer.constant,
    ast.Name: _Writer.name,
    ast.Attribute: _Writer.argument,
    ast.BinOp: _Writer.binary,
    ast.UnaryOp: _Writer.unary,
    ast.Compare: _Writer.compare,
    ast.BoolOp: _Writer.boolean,
    ast.IfExp: _Writer.choice,
    ast.Call: _Writer.call,
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
