"""Expressions over what was said and found: a part of Python's grammar, checked node by node, then compiled.

A script writes an argument, a value in a text or a condition as an expression (`least(found.trains, "price").train_id`). It is
evaluated twice: when a row is made, with all that is so in its world, and when the row is proven, with nothing but what the
messages before it tell. Whatever is not told there is then simply a name, or a field, that does not exist.

What is compiled holds constants, names, operators, comprehensions and calls of `FUNCTIONS`, and runs without builtins.
docs/scripts.md lists the grammar.
"""

import ast
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from datetime import date
from functools import lru_cache
from typing import Any

from generator.core.documents import nearest
from generator.core.errors import CannotFillError
from generator.world.expressions import TreeCheck, parse_expression
from generator.world.functions import FUNCTIONS as OF_VALUES
from generator.world.functions import MissingError, holds_words, minutes_of, neat, times

Known = Mapping[str, Any]
"""What is known, by name. An object of which only some fields were told is a mapping with these fields."""
EVERY = " every"
"""The name of the function that returns all things of a kind; no expression can hold it, and no conversation tells it."""
FAULTS = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError)
"""What values that do not suit an expression can raise."""


class UnfitError(CannotFillError):
    """A selection that should find exactly one thing finds none, or several: another world is tried."""


class UntoldError(CannotFillError):
    """An expression reads what nothing tells, or that does not suit it."""


class Names(dict[str, Any]):
    """The names that an expression can read; MissingError for all others."""

    __slots__ = ("computed",)

    def __init__(self, *known: Mapping[str, Any], **more: Any) -> None:
        """Take what is known so far."""
        super().__init__(*known, **more)
        self.computed: dict[str, Expression] = {}
        """Names for what is computed of others, as soon as these are known."""

    def __missing__(self, name: str) -> Any:
        """Return the value of a name that is computed when it is first asked for."""
        if name not in self.computed:
            raise MissingError(name)
        value = self[name] = self.computed[name].value(self)
        return value


class Expression:
    """An expression, checked; it is compiled when it is first evaluated."""

    __slots__ = ("_holder", "_run", "_tree", "functions", "names", "node", "step", "text")

    def __init__(self, node: ast.expr) -> None:
        """Check a syntax tree; raises ValueError for what is not allowed in it."""
        checked = _Checked()
        self._tree: Any = checked.visit(node)  # first: what is nested too deeply cannot be written either
        self.node = node
        self.text = ast.unparse(node)
        """As Python writes it: the same for all ways to write the same."""
        self._run: Callable[[Known], Any] | None = None
        self._holder: Callable[[Known], Any] | None = None
        self.names = frozenset(checked.names)
        """What it reads, without the variables of its own loops."""
        self.functions = frozenset(checked.functions)
        self.step: str | int | None = None
        """The field, or place in a list, that it reads of something; None where it is not just that."""
        match node:
            case ast.Attribute(attr=step):
                self.step = step
            case ast.Subscript(slice=ast.Constant(value=int() | str() as step)):
                self.step = step

    def __reduce__(self) -> Any:
        """Return what is kept between starts: trees are built from the text when they are first needed."""
        return _restored, (self.text, self.names, self.functions, self.step)

    def __getattr__(self, name: str) -> Any:
        if name == "node":
            self.node = parse_expression(self.text)
        elif name == "_tree":
            self._tree = _Checked().visit(self.node)
        else:
            raise AttributeError(name)
        return getattr(self, name)

    @property
    def is_constant(self) -> bool:
        """Whether it is one text, number or truth value, or a list or object of such."""
        return not self.names and not self.functions

    def value(self, known: Known) -> Any:
        """Return its value.

        Raises:
            UntoldError: something that it reads is not known, or does not suit it; the message says which part.
            UnfitError: a selection does not find exactly one thing.
        """
        run = self._run
        if run is None:
            run = self._run = _compiled(self._tree)
        try:
            return run(known)
        except FAULTS as fault:
            what = f"nothing before this tells {fault}" if type(fault) is KeyError else str(fault)
            raise UntoldError(_explained(self.node, known) or f"{self.text}: {what}") from None

    def holder(self, known: Known) -> Any:
        """Return the object or list of which it reads `step`."""
        if self._holder is None:
            self._holder = _compiled(self._tree.value)
        return self._holder(known)


@lru_cache(maxsize=65_536)
def read_expression(text: str) -> Expression:
    """Return an expression; raises ValueError that says what is not allowed in it."""
    return _RESTORED.get(text) or Expression(parse_expression(text))


_RESTORED: dict[str, Expression] = {}


def _restored(text: str, names: frozenset[str], functions: frozenset[str], step: str | int | None) -> Expression:
    if text not in _RESTORED:
        expression = _RESTORED[text] = Expression.__new__(Expression)
        expression.text, expression.names, expression.functions, expression.step = text, names, functions, step
        expression._run = expression._holder = None
    return _RESTORED[text]


def replaced(node: ast.expr, name: str, by: ast.expr) -> ast.expr:
    """Return an expression with another one in place of a name."""
    found: ast.expr = _Replaced(name, by).visit(parse_expression(ast.unparse(node)))
    return found


class _Replaced(ast.NodeTransformer):
    def __init__(self, name: str, by: ast.expr) -> None:
        self.name, self.by = name, by

    def visit_Name(self, node: ast.Name) -> ast.expr:
        return self.by if node.id == self.name else node


def element(of: ast.expr, at: int) -> ast.expr:
    """Return the expression of one element of a list."""
    return ast.Subscript(of, ast.Constant(at), ast.Load())


# -- functions -----------------------------------------------------------------------------------------------------------


def _one(things: Sequence[Any]) -> Any:
    """Return the only element of a list; raises UnfitError where there is none, or several."""
    if len(things) != 1:
        raise UnfitError(f"one(): {len(things)} fit")
    return things[0]


def _extreme(things: Sequence[Mapping[str, Any]], field: str, *, most: bool) -> Any:
    """Return the thing with the least or most of a field; raises UnfitError where several have as much."""
    found = sorted(things, key=lambda thing: thing[field], reverse=most)
    if not found or (len(found) > 1 and found[0][field] == found[1][field]):
        raise UnfitError(f"{'most' if most else 'least'}(): no single one by {field}")
    return found[0]


def _end(things: Sequence[Any], at: int) -> Any:
    """Return the first or last element of a list; raises UnfitError where there is none."""
    if not things:
        raise UnfitError("a list is empty")
    return things[at]


def _sorted_by(things: Sequence[Mapping[str, Any]], field: str) -> list[Any]:
    return sorted(things, key=lambda thing: thing[field])


def _distinct(values: Iterable[Any]) -> list[Any]:
    """Return values without those that are equal to an earlier one, in order."""
    distinct: list[Any] = []
    for value in values:
        if value not in distinct:
            distinct.append(value)
    return distinct


def _has(text: Any, words: Any) -> bool:
    """Whether a text holds words as whole words, or a list holds a value."""
    return holds_words(text, words) if isinstance(text, str) else words in text


def _sum(values: Iterable[Any]) -> Any:
    """Return the sum of numbers, without errors of binary fractions."""
    numbers = list(values)
    if not all(isinstance(number, int | float) for number in numbers):
        raise TypeError("sum() adds numbers")
    return neat(sum(numbers))


def _weekday(day: str) -> int:
    """Return the weekday of a date: 0 for a Monday."""
    return date.fromisoformat(day[:10]).weekday()


FUNCTIONS: dict[str, Callable[..., Any]] = {
    **OF_VALUES,
    "one": _one,
    "least": lambda things, field: _extreme(things, field, most=False),
    "most": lambda things, field: _extreme(things, field, most=True),
    "first": lambda things: _end(things, 0),
    "last": lambda things: _end(things, -1),
    "by": _sorted_by,
    "sum": _sum,
    "any": any,
    "all": all,
    "set": _distinct,
    "has": _has,
    "days": OF_VALUES["add_days"],
    "between": OF_VALUES["days_between"],
    "weekday": _weekday,
    "minutes": minutes_of,
    "year": lambda day: int(day[:4]),
}
"""Functions by name. `one`, `least` and `most` want exactly one thing; `every`, which is no function of values, stands beside them."""
_OPERATORS = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*", ast.Div: "/", ast.FloorDiv: "//", ast.Mod: "%"}
_COMPARISONS = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn)
_GLOBALS: dict[str, Any] = {
    "__builtins__": {},
    **{f"_{name}": function for name, function in FUNCTIONS.items()},
    "_neat": neat,
    "_times": times,
}


def _compiled(node: ast.expr) -> Callable[[Known], Any]:
    """Return the function of a checked tree: `_names["lamp"]["power"]`."""
    names = ast.arguments([], [ast.arg("_names")], None, [], [], None, [])
    tree = ast.fix_missing_locations(ast.Expression(ast.Lambda(names, node)))
    function: Callable[[Known], Any] = eval(compile(tree, "<expression>", "eval"), _GLOBALS)
    return function


class _Checked(TreeCheck, ast.NodeTransformer):
    """Checks an expression of a script."""

    def __init__(self) -> None:
        super().__init__()
        self.names: set[str] = set()
        self.functions: set[str] = set()
        self._bound: list[str] = []

    def visit_Name(self, node: ast.Name) -> Any:
        if node.id in self._bound:
            return ast.Name(f"of_{node.id}", ast.Load())
        self.names.add(node.id)
        return ast.Subscript(ast.Name("_names", ast.Load()), ast.Constant(node.id), ast.Load())

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        return ast.Subscript(self.visit(node.value), ast.Constant(node.attr), ast.Load())

    def visit_Subscript(self, node: ast.Subscript) -> Any:
        return ast.Subscript(self.visit(node.value), self.visit(node.slice), ast.Load())

    def visit_Slice(self, node: ast.Slice) -> Any:
        if node.step is not None:
            raise ValueError("a slice has a start and an end")
        return ast.Slice(*[None if part is None else self.visit(part) for part in (node.lower, node.upper)])

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Return a sum, difference, product or quotient, without errors of binary fractions (`0.1 + 0.2` → 0.3)."""
        if type(node.op) not in _OPERATORS:
            raise ValueError(f"{type(node.op).__name__} is not known here")
        left, right = self.visit(node.left), self.visit(node.right)
        result = _call("_times", [left, right]) if isinstance(node.op, ast.Mult) else ast.BinOp(left, node.op, right)
        return _call("_neat", [result])

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        if not isinstance(node.op, ast.Not | ast.USub):
            raise ValueError(f"{type(node.op).__name__} is not known here")
        return ast.UnaryOp(node.op, self.visit(node.operand))

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        return ast.BoolOp(node.op, [self.visit(part) for part in node.values])

    def visit_Compare(self, node: ast.Compare) -> Any:
        if not all(isinstance(operator, _COMPARISONS) for operator in node.ops):
            raise ValueError("comparisons are < <= > >= == != in, not in")
        return ast.Compare(self.visit(node.left), node.ops, list(map(self.visit, node.comparators)))

    def visit_List(self, node: ast.List) -> Any:
        return ast.List(list(map(self.visit, node.elts)), ast.Load())

    def visit_Dict(self, node: ast.Dict) -> Any:
        if not all(isinstance(key, ast.Constant) and isinstance(key.value, str) for key in node.keys):
            raise ValueError("the keys of an object are texts")
        return ast.Dict(node.keys, list(map(self.visit, node.values)))

    def visit_ListComp(self, node: ast.ListComp | ast.GeneratorExp) -> Any:
        """Return `[x for x in LIST if CONDITION]` with its variable renamed to `of_x`, so that it hides no name of the row."""
        generators, bound = [], len(self._bound)
        for generator in node.generators:
            if not isinstance(generator.target, ast.Name) or generator.is_async:
                raise ValueError("a loop has one variable: [x for x in LIST if CONDITION]")
            list_to_go_through = self.visit(generator.iter)
            self._bound.append(generator.target.id)
            target = ast.Name(f"of_{generator.target.id}", ast.Store())
            generators.append(ast.comprehension(target, list_to_go_through, list(map(self.visit, generator.ifs)), 0))
        list_node = ast.ListComp(self.visit(node.elt), generators)
        del self._bound[bound:]
        return list_node

    def visit_GeneratorExp(self, node: ast.GeneratorExp) -> Any:
        return self.visit_ListComp(node)

    def visit_Call(self, node: ast.Call) -> Any:
        """Return a call of one of `FUNCTIONS`, or of `every`, as a call of the function that stands for it."""
        name = node.func.id if isinstance(node.func, ast.Name) else ""
        if name == "every" and len(node.args) == 1 and not node.keywords:
            self.functions.add(name)
            every = ast.Subscript(ast.Name("_names", ast.Load()), ast.Constant(EVERY), ast.Load())
            return ast.Call(every, [self.visit(node.args[0])], [])
        if name not in FUNCTIONS or node.keywords:
            raise ValueError(f"there is no function {name or ast.unparse(node.func)!r}{nearest(name, FUNCTIONS)}")
        self.functions.add(name)
        return _call(f"_{name}", [self.visit(part) for part in node.args])


def _call(name: str, parts: list[ast.expr]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), parts, [])


def _explained(node: ast.AST, known: Known) -> str:
    """Return which part of an expression is not known, the innermost one; empty where each is."""
    for part in _parts(node):
        if found := _explained(part, known):
            return found
    if isinstance(node, ast.Name) and node.id not in known and node.id not in getattr(known, "computed", ()):
        return (
            f"nothing before this tells {node.id!r}{nearest(node.id, [name for name in known if name.isidentifier()])}"
        )
    if isinstance(node, ast.Attribute):
        try:
            of = Expression(node.value).value(known)
        except CannotFillError:
            return ""
        if not isinstance(of, Mapping):
            return f"{ast.unparse(node)}: {ast.unparse(node.value)} is no object"
        if node.attr not in of:
            return f"{ast.unparse(node)}: nothing before this tells {node.attr!r}{nearest(node.attr, map(str, of))}"
    return ""


def _parts(node: ast.AST) -> Iterator[ast.AST]:
    """Yield the parts of an expression, without those that variables of loops stand in."""
    if isinstance(node, ast.ListComp | ast.GeneratorExp):
        yield node.generators[0].iter
    elif isinstance(node, ast.Call):
        yield from node.args
    elif not isinstance(node, ast.operator | ast.cmpop | ast.expr_context):
        yield from ast.iter_child_nodes(node)
