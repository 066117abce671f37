"""The expressions of `x-compute`: read with Python's own grammar, and never executed as they stand.

Only what docs/tool-specs.md lists is known; everything else is refused when the tool is loaded. What is known is written
anew, part by part, as the source of a function: no text of an expression gets there but as `repr` writes it.
"""

import ast
from collections.abc import Callable, Iterator, Mapping
from datetime import date, datetime, timedelta
from typing import Any, NamedTuple, Protocol

Names = Mapping[str, Any]
Expression = Callable[[Names], Any]
Computation = Callable[[Names, Mapping[str, Any], Any, Any], Any]
"""(properties made before, arguments, today, the value it would otherwise have) → value."""


class MissingError(LookupError):
    """A name the expression needs has no value (an argument that was not given)."""


FAULTS = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError)
"""What values that do not suit an expression can raise."""

_DEEPEST = 150
_LONGEST = 20_000
"""Characters of an expression."""
_MOST_DIGITS = 100
"""Digits that `round` takes: a power of ten of any size would take any time."""


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

_BINARY: dict[type[ast.AST], tuple[str, Callable[[Any, Any], Any] | None]] = {
    ast.Add: ("({} + {})", None),
    ast.Sub: ("({} - {})", None),
    ast.Mult: ("({} * {})", _times),
    ast.Div: ("({} / {})", None),
    ast.FloorDiv: ("({} // {})", None),
    ast.Mod: ("({} % {})", _modulo),
}
"""The operators, and what stands for them where text must be kept out."""
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
    scope = _Parameters()
    source = _Writer(scope).write(_parse(text))
    exec(compile(f"def compute(names, args, today, value): return {source}", "<x-compute>", "exec"), scope.namespace)
    compute: Computation = scope.namespace["compute"]
    return compute


class Scope(Protocol):
    """Where an expression stands, and how its names are written there."""

    def keep(self, stem: str, value: Any) -> str:
        """A name for a function or a number."""

    def variable(self, name: str) -> str:
        """The source of a property, `today`, `value` or `args`."""

    def argument(self, name: str) -> str:
        """The source of an argument of the call."""


class _Parameters:
    """The scope of an expression that is a function of its own."""

    def __init__(self) -> None:
        self.namespace: dict[str, Any] = {}

    def keep(self, stem: str, value: Any) -> str:
        name = f"{stem}{len(self.namespace)}"
        self.namespace[name] = value
        return name

    def variable(self, name: str) -> str:
        key = repr(name)
        return name if name in _OURS else f"(names[{key}] if {key} in names else {self.keep('missing', missing)}({key}))"

    def argument(self, name: str) -> str:
        key = repr(name)
        return f"(found if (found := args.get({key})) is not None else {self.keep('missing', missing)}({key}))"


def write_expression(text: str, scope: Scope) -> str:
    """The source of an expression that compiles, as it is written where it stands."""
    return _Writer(scope).write(_parse(text))


def always_read(text: str) -> frozenset[str]:
    """The arguments without which an expression has no value, whatever else there is."""
    return frozenset(_always_read(_parse(text)))


def _always_read(node: ast.AST) -> Iterator[str]:
    if isinstance(node, ast.Attribute):
        yield node.attr
        return
    for part in [node.test] if isinstance(node, ast.IfExp) else node.values[:1] if isinstance(node, ast.BoolOp) else ast.iter_child_nodes(node):
        yield from _always_read(part)


def is_number(text: str) -> bool:
    """Whether an expression gives numbers and nothing else."""
    return _is_number(_parse(text))


def _is_number(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _COUNTING
    if isinstance(node, ast.BinOp):
        return not isinstance(node.op, ast.Add) or (_is_number(node.left) and _is_number(node.right))
    if isinstance(node, ast.IfExp):
        return _is_number(node.body) and _is_number(node.orelse)
    return isinstance(node, ast.Constant) and type(node.value) in {int, float}


def is_no_number(text: str) -> bool:
    """Whether an expression never gives a number."""
    return _is_no_number(_parse(text))


def _is_no_number(node: ast.AST) -> bool:
    if isinstance(node, ast.Call):
        return isinstance(node.func, ast.Name) and node.func.id in _WRITING
    if isinstance(node, ast.IfExp):
        return _is_no_number(node.body) and _is_no_number(node.orelse)
    return isinstance(node, ast.Compare | ast.BoolOp) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


_COUNTING = frozenset({"round", "abs", "len", "days_between", "minutes_between"})
_WRITING = frozenset({"str", "upper", "lower", "add_days", "add_minutes"})


def names_in(text: str) -> Reads:
    """The names that an expression reads; `text` must be one that compiles."""
    tree = _parse(text)
    called = {id(node.func) for node in ast.walk(tree) if isinstance(node, ast.Call)}
    names = {node.id for node in ast.walk(tree) if isinstance(node, ast.Name) and id(node) not in called}
    arguments = frozenset(node.attr for node in ast.walk(tree) if isinstance(node, ast.Attribute))
    return Reads(frozenset(names - {"args"}), arguments)


def _parse(text: str) -> ast.AST:
    if len(text) > _LONGEST:
        raise ValueError(f"it has {len(text):,} characters; {_LONGEST:,} are the most")
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


def missing(name: str) -> Any:
    """Raise MissingError, where an expression is expected."""
    raise MissingError(name)


class _Writer:
    """The source of one expression while it is written: only known forms, names and texts as `repr` writes them."""

    def __init__(self, scope: Scope) -> None:
        self.scope = scope

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
        if isinstance(value, str):
            value.encode()  # half a surrogate pair is no letter; UnicodeEncodeError is a ValueError
        if not isinstance(value, int | float) or isinstance(value, bool):
            return repr(value)
        return self.scope.keep("number", value)

    def name(self, node: Any) -> str:
        return self.scope.variable(node.id)

    def argument(self, node: Any) -> str:
        if not (isinstance(node.value, ast.Name) and node.value.id == "args"):
            raise ValueError("a dot is known only in args.NAME")
        return self.scope.argument(node.attr)

    def binary(self, node: Any) -> str:
        if type(node.op) not in _BINARY:
            raise ValueError(f"{type(node.op).__name__} is not known here")
        form, guard = _BINARY[type(node.op)]
        if guard is None or (_is_number(node.left) and _is_number(node.right)):
            return form.format(self.write(node.left), self.write(node.right))
        return f"{self.scope.keep('call', guard)}({self.write(node.left)}, {self.write(node.right)})"

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
        return f"{self.scope.keep('call', FUNCTIONS[node.func.id])}({', '.join([self.write(part) for part in node.args])})"


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
    return sum(_times(element[field], element.get(factor, 1) if factor else 1) for element in elements)


def _round(number: Any, digits: int | None = None) -> Any:
    if digits is not None and not -_MOST_DIGITS <= digits <= _MOST_DIGITS:
        raise ValueError(f"round takes at most {_MOST_DIGITS} digits")
    return round(number, digits)


def _add_days(day: str, days: float) -> str:
    return (date.fromisoformat(day[:10]) + timedelta(days=int(days))).isoformat() + day[10:]


def _days_between(first: str, second: str) -> int:
    return (date.fromisoformat(second[:10]) - date.fromisoformat(first[:10])).days


def _add_minutes(moment: str, minutes: float) -> str:
    if len(moment) <= 8:  # a clock time goes round at midnight
        total = (_minutes_of(moment) + int(minutes)) % 1440
        return _CLOCK[total] + moment[5:]
    shape = "T" if "T" in moment else " "
    start = datetime.fromisoformat(moment[:16])
    return (start + timedelta(minutes=int(minutes))).isoformat(shape, "minutes") + moment[16:]


def _minutes_between(first: str, second: str) -> int:
    if len(first) <= 8:
        return (_minutes_of(second) - _minutes_of(first)) % 1440
    return int((datetime.fromisoformat(second[:16]) - datetime.fromisoformat(first[:16])).total_seconds() // 60)


def _minutes_of(clock: str) -> int:
    return int(clock[:2]) * 60 + int(clock[3:5])


_CLOCK = tuple([f"{minutes // 60:02}:{minutes % 60:02}" for minutes in range(1440)])
"""The minutes of a day as clocks show them."""

FUNCTIONS: dict[str, Callable[..., Any]] = {
    "round": _round,
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
