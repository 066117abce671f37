"""The expressions of `x-compute`: read with Python's own grammar, checked node by node, and only then compiled.

Only what docs/tool-specs.md lists is allowed; everything else is refused when the tool is loaded. What is compiled
holds constants, names, operators and calls of `FUNCTIONS`, and runs without builtins.
"""

import ast
import inspect
import keyword
import re
from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from generator.arguments.checks import value_error_if
from generator.core.documents import nearest
from generator.core.entities import Entity, Table
from generator.world.functions import FUNCTIONS, GLOBALS, LOOKED_UP, OVER_ENTITIES, MissingError


class ReadableNames(dict[str, Any]):
    """The values that an expression can read; MissingError for all others."""

    def __missing__(self, name: str) -> Any:
        raise MissingError(name)


class ReadableArguments(ReadableNames):
    """The arguments that a call gives; those that it leaves out can be read where they have a default, but are not in it."""

    __slots__ = ("left_out",)
    left_out: dict[str, Any]

    def __missing__(self, name: str) -> Any:
        """Return the default of an argument that the call leaves out; MissingError where there is none."""
        if name not in self.left_out:
            raise MissingError(name)
        return self.left_out[name]


def readable_arguments(arguments: Mapping[str, Any], defaults: Mapping[str, Any]) -> ReadableArguments:
    """Return the arguments of a call as expressions read them; null is not given, and not left out either."""
    given = ReadableArguments({name: value for name, value in arguments.items() if value is not None})
    given.left_out = {name: value for name, value in defaults.items() if name not in arguments}
    return given


def defaults_of(parameters: Any) -> dict[str, Any]:
    """Return the arguments of which a schema says what they are where a call leaves them out."""
    parts = (parameters or {}).get("properties", {})
    return {
        name: part["default"]
        for name, part in parts.items()
        if isinstance(part, dict) and part.get("default") is not None
    }


Expression = Callable[[ReadableNames], Any]
"""Takes the properties made before, `args` (ReadableArguments, or plain names where there are no defaults), `today`, and `value` (what is
drawn otherwise)."""
FAULTS = (LookupError, ValueError, TypeError, ArithmeticError, AttributeError)
"""What values that do not suit an expression can raise."""


def fault_of(expression: Expression, names: ReadableNames) -> str:
    """Return what an expression raises for some names; an empty text where it has a value."""
    try:
        expression(names)
    except FAULTS as fault:
        return f"{fault} ({type(fault).__name__})"
    return ""


_NO_TABLES: Mapping[str, Table] = {}
_NO_ENTITIES: Mapping[str, Entity] = {}
RELATED, EVERY = " related", " every"
"""The names of the functions that find one entity and all of a kind: no expression can hold them."""
_CLASH_FIELDS = ("a day", "a clock time", "minutes")
_TEXT_ARGUMENTS = 4
"""Arguments of `text_of` that choose among the texts of a place."""
_DEEPEST = 150
_LONGEST = 4_000
"""Characters of an expression."""


class Reads(NamedTuple):
    """The names that an expression reads."""

    properties: frozenset[str]
    """Among them `today` and `value`."""
    arguments: frozenset[str]
    parts: frozenset[tuple[str, str]] = frozenset()
    """What is read with a dot: (`args`, `city`)."""


OPERATORS = (ast.Add, ast.Sub, ast.Mult, ast.Div, ast.FloorDiv, ast.Mod, ast.Not, ast.USub)
COMPARISONS = (ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.Eq, ast.NotEq)


OF_CALL = frozenset({"args"})
"""The names whose parts can be read with a dot."""


def compile_expression(
    text: str,
    tables: Mapping[str, Table] = _NO_TABLES,
    entities: Mapping[str, Entity] = _NO_ENTITIES,
    dotted: frozenset[str] = OF_CALL,
) -> tuple[Expression, Reads]:
    """Return a function from names to the value of an expression, and what it reads.

    `tables` and `entities` are what `lookup(TABLE, key, COLUMN)` can look things up in; for the latter there must be the
    name RELATED for a function from title and key to an entity. `dotted` are the names whose parts can be read: `args.city`.

    The function raises MissingError for a name without a value, and any of `FAULTS` for values that do not fit.

    Raises:
        ValueError: the expression uses something that is not allowed.
    """
    checked = _Checked(tables, entities, dotted)
    names = ast.arguments([], [ast.arg("names")], None, [], [], None, [])
    tree = ast.fix_missing_locations(ast.Expression(ast.Lambda(names, checked.visit(parse_expression(text)))))
    expression: Expression = eval(compile(tree, "<x-compute>", "eval"), {**GLOBALS, "_tables": tables})
    return expression, Reads(
        frozenset(checked.properties - {"args"}), frozenset(checked.arguments), frozenset(checked.parts)
    )


def parse_expression(text: str) -> ast.expr:
    """Return the syntax tree of a text, in which fields and arguments may be called like words of Python (`args.from`, `f(from=x)`).

    Raises:
        ValueError: where it is no expression.
    """
    if len(text) > _LONGEST:
        raise ValueError(f"it has {len(text):,} characters; {_LONGEST:,} are the most")
    try:
        return ast.parse(text.strip(), mode="eval").body
    except (SyntaxError, RecursionError, MemoryError, ValueError) as fault:
        marked = _RESERVED.sub(rf"\g<0>{_MARK}", text)
        if marked == text:
            raise ValueError(f"not an expression: {getattr(fault, 'msg', fault)}") from None
    tree = parse_expression(marked)
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute):
            node.attr = node.attr.removesuffix(_MARK)
        elif isinstance(node, ast.keyword) and node.arg:
            node.arg = node.arg.removesuffix(_MARK)
    return tree


_WORDS = "|".join(keyword.kwlist)
_RESERVED = re.compile(rf"(?<=\.)(?:{_WORDS})\b|\b(?:{_WORDS})(?=\s*=(?!=))")
_MARK = "__name"


class TreeCheck(ast.NodeTransformer):
    """Copies a syntax tree into one that is safe to run; raises ValueError for every node that a class of it does not allow."""

    def __init__(self) -> None:
        self._depth = 0

    def visit(self, node: ast.AST) -> Any:
        """Return the copy of a node; ValueError for what is nested too deeply."""
        self._depth += 1
        if self._depth > _DEEPEST:
            raise ValueError("not an expression: it is nested too deeply")
        checked = super().visit(node)
        self._depth -= 1
        return checked

    def generic_visit(self, node: ast.AST) -> Any:
        """Raise ValueError: what no other method takes is not allowed."""
        raise ValueError(f"{type(node).__name__} is not known here")

    def visit_Constant(self, node: ast.Constant) -> Any:
        """Return texts, numbers, truth values and null as they are."""
        if not isinstance(node.value, str | int | float | bool | None):
            raise ValueError(f"{node.value!r} is not known here")
        if isinstance(node.value, str):
            node.value.encode()  # half a surrogate pair is no letter; UnicodeEncodeError is a ValueError
        return node

    def visit_IfExp(self, node: ast.IfExp) -> Any:
        """Return `a if b else c` with its parts checked."""
        return ast.IfExp(*map(self.visit, (node.test, node.body, node.orelse)))


class _Checked(TreeCheck, ast.NodeTransformer):
    """Checks an expression over the fields of a result or an entity.

    What is a name in the expression is looked up in `names`; the only names left are those of our functions.
    """

    def __init__(self, tables: Mapping[str, Table], entities: Mapping[str, Entity], dotted: frozenset[str]) -> None:
        super().__init__()
        self.tables, self.entities, self.dotted = tables, entities, dotted
        self.properties: set[str] = set()
        self.arguments: set[str] = set()
        self.parts: set[tuple[str, str]] = set()
        self._is_part = False
        """Whether what is visited next is an operand of another operator, which is rid of the dust of binary fractions as a whole."""

    def visit_Name(self, node: ast.Name) -> Any:
        """Return `names["cost"]` for `cost`."""
        self.properties.add(node.id)
        return _item(ast.Name("names", ast.Load()), node.id)

    def visit_Attribute(self, node: ast.Attribute) -> Any:
        """Return `names["args"]["city"]` for `args.city`, and one step more for `args.address.city`."""
        if isinstance(node.value, ast.Attribute) and isinstance(node.value.value, ast.Name):  # an entry of an object
            return _item(self.visit(node.value), node.attr)
        if not (isinstance(node.value, ast.Name) and node.value.id in self.dotted):
            known = " and ".join([*[f"{name}.NAME" for name in sorted(self.dotted)], "args.NAME.NAME"])
            raise ValueError(f"a dot is known only in {known}")
        self.parts.add((node.value.id, node.attr))
        if node.value.id == "args":
            self.arguments.add(node.attr)
        return _item(self.visit(node.value), node.attr)

    def visit_BinOp(self, node: ast.BinOp) -> Any:
        """Return an operation with `*` and `%` as guarded calls; the outermost one of several rounds away the dust of binary fractions."""
        is_part, self._is_part = self._is_part, False
        self._check(node.op)
        left, right = [self._operand(one) for one in (node.left, node.right)]
        function = {ast.Mult: "times", ast.Mod: "_modulo"}.get(type(node.op))
        operation = ast.BinOp(left, node.op, right) if function is None else _call(function, [left, right])
        if is_part:
            return operation
        assigned = ast.NamedExpr(
            ast.Name("made", ast.Store()), operation
        )  # most are whole numbers, which cost no call of Python's
        is_float = ast.Compare(_call("type", [assigned]), [ast.Is()], [ast.Name("float", ast.Load())])
        result = ast.Name("made", ast.Load())
        return ast.IfExp(is_float, _call("neat", [result]), result)

    def _operand(self, node: ast.expr) -> Any:
        """Return the copy of an operand of an operation, which is not rounded itself."""
        self._is_part = isinstance(node, ast.BinOp)
        return self.visit(node)

    def visit_UnaryOp(self, node: ast.UnaryOp) -> Any:
        self._check(node.op)
        return ast.UnaryOp(node.op, self.visit(node.operand))

    def visit_Compare(self, node: ast.Compare) -> Any:
        """Return a comparison of two values with its parts checked."""
        value_error_if(
            len(node.ops) != 1 or not isinstance(node.ops[0], COMPARISONS),
            "one comparison at a time, with < <= > >= == !=",
        )
        return ast.Compare(self.visit(node.left), node.ops, [self.visit(node.comparators[0])])

    def visit_BoolOp(self, node: ast.BoolOp) -> Any:
        return _call("bool", [ast.BoolOp(node.op, [self.visit(part) for part in node.values])])

    def visit_Call(self, node: ast.Call) -> Any:
        """Return a call of one of our functions; those that take names instead of values (`lookup`, `count`) are resolved by methods of their own."""
        name = node.func.id if isinstance(node.func, ast.Name) and not node.keywords else ""
        special_form = {"lookup": self._lookup, "given": self._given, "text_of": self._text_of}.get(name)
        special_form = self._sum_looked_up if name == "sum_of" and len(node.args) == LOOKED_UP else special_form
        if special_form is not None:
            return special_form(node.args)
        if name in OVER_ENTITIES:
            return self._over_entities(name, node.args)
        value_error_if(
            name not in FUNCTIONS,
            f"only these functions are known: {', '.join(sorted([*FUNCTIONS, *OVER_ENTITIES, 'given', 'lookup', 'text_of']))}",
        )
        return _call(name, [self.visit(part) for part in node.args])

    def _given(self, parts: list[ast.expr]) -> Any:
        """Return the test of `given(NAME)`, `given(args.NAME)` or `given(args.NAME.NAME)`: whether the call has an argument, or a part of one."""
        path = ".".join(map(ast.unparse, parts)).removeprefix("args.").split(".")
        value_error_if(
            len(parts) != 1 or not all(step.isidentifier() for step in path),
            "given: the name of one argument is expected, as in given(limit)",
        )
        self.arguments.add(path[0])
        args = _item(ast.Name("names", ast.Load()), "args")
        if len(path) == 1:
            return ast.Compare(ast.Constant(path[0]), [ast.In()], [args])
        return _call("_has", [args, *map(ast.Constant, path)])

    def _text_of(self, parts: list[ast.expr]) -> Any:
        """Return the call for `text_of(TEXTS, number)`, or `text_of(TEXTS, number, key, place, places)`."""
        texts_name, *rest = parts or [ast.Constant("")]
        called_texts = ast.unparse(texts_name)
        texts = self.tables[called_texts].texts if called_texts in self.tables else {}
        if not texts:
            raise ValueError(f"text_of: there are no texts {called_texts!r}{nearest(called_texts, self.tables)}")
        value_error_if(
            len(rest) not in (1, _TEXT_ARGUMENTS) or (len(rest) == 1) is not ("" in texts),
            f"text_of({called_texts}, …): a number{'' if '' in texts else ', key, place and places'} is expected",
        )
        return _call("_text_of", [ast.Name("_tables", ast.Load()), ast.Constant(called_texts), *map(self.visit, rest)])

    def _lookup(self, parts: list[ast.expr]) -> Any:
        """Return the call for `lookup(TABLE, key, …, COLUMN)`; the column can be left out when there is only one."""
        table_name, *rest = parts or [ast.Constant("")]
        named = ast.unparse(table_name)
        if named in self.entities:
            return self._lookup_entity(self.entities[named], rest)
        if named not in self.tables:
            raise ValueError(f"lookup: there is no table {named!r}{nearest(named, self.tables)}")
        table = self.tables[named]
        if len(rest) == len(table.key) and len(table.columns) == 1:
            rest = [*rest, ast.Name(table.columns[0])]
        value_error_if(
            len(rest) != len(table.key) + 1, f"lookup({named}, …): {', '.join(table.key)} and a column are expected"
        )
        *keys, column = rest
        shown = ast.unparse(column)
        if shown not in table.columns:
            raise ValueError(f"lookup: {named} has no column {shown!r}{nearest(shown, table.columns)}")
        arguments = [ast.Constant(named), ast.Constant(shown), *[self.visit(key) for key in keys]]
        return _call("_lookup", [ast.Name("_tables", ast.Load()), *arguments])

    def _sum_looked_up(self, parts: list[ast.expr]) -> Any:
        """Return the call for `sum_of(list, "field", "factor", TABLE, COLUMN)`: what the table says of each field's value, times the factor."""
        *elements, table, column = parts
        table_name = ast.unparse(table)
        value_error_if(table_name in self.entities, f"sum_of(…): {table_name} is no table")
        looked_up = self._lookup([table, ast.Constant(""), column])
        return _call("_sum_looked_up", [*looked_up.args[:3], *[self.visit(part) for part in elements]])

    def _over_entities(self, function: str, parts: list[ast.expr]) -> Any:
        """Return the call for `count(ENTITY, FIELD, value, …)` and the like: some fields of an entity, then pairs of field and value."""
        names = [part.id if isinstance(part, ast.Name) else "" for part in parts] or [""]
        if names[0] not in self.entities:
            raise ValueError(f"{function}: there is no entity {names[0]!r}{nearest(names[0], self.entities)}")
        entity, fixed_count = self.entities[names[0]], 1 + len(OVER_ENTITIES[function])
        value_error_if(
            len(parts) < fixed_count or len(parts) % 2 != fixed_count % 2,
            f"{function}({entity.name}, …): fields, each with its value, are expected",
        )
        fields = [*names[1:fixed_count], *names[fixed_count::2]]
        value_error_if(
            function == "clashes" and len(fields) != len(_CLASH_FIELDS),
            f"clashes({entity.name}, …): {', '.join(_CLASH_FIELDS)}, each with its value, are expected",
        )
        for field in fields:
            if field not in entity.fields:
                raise ValueError(f"{function}: {entity.name} has no field {field!r}{nearest(field, entity.fields)}")
        values = ast.List([self.visit(part) for part in parts[fixed_count + 1 :: 2]], ast.Load())
        field_constants: list[ast.expr] = [ast.Constant(entity.title), *(ast.Constant(field) for field in fields)]
        every = _item(ast.Name("names", ast.Load()), EVERY)
        return _call(f"_{function}", [every, ast.List(field_constants, ast.Load()), values])

    def _lookup_entity(self, entity: Entity, parts: list[ast.expr]) -> Any:
        """Return the call for `lookup(ENTITY, key, FIELD)`, or `lookup(ENTITY, FIELD)` of the only one that there is."""
        is_only = entity.count == (1, 1) and len(parts) == 1
        field = parts[-1] if len(parts) == 2 or is_only else None
        if not isinstance(field, ast.Name) or field.id not in entity.fields:
            named = field.id if isinstance(field, ast.Name) else "…"
            raise ValueError(f"lookup({entity.name}, …): a key and a field are expected{nearest(named, entity.fields)}")
        if is_only:
            every = _item(ast.Name("names", ast.Load()), EVERY)
            return _call("_lookup_only", [every, ast.Constant(entity.title), ast.Constant(field.id)])
        related = _item(ast.Name("names", ast.Load()), RELATED)
        return _call(
            "_lookup_entity", [related, ast.Constant(entity.title), ast.Constant(field.id), self.visit(parts[0])]
        )

    def _check(self, operator: ast.AST) -> None:
        """Raise ValueError for an operator that is not allowed."""
        if not isinstance(operator, OPERATORS):
            raise ValueError(f"{type(operator).__name__} is not known here")


def _call(name: str, parts: list[Any]) -> ast.Call:
    return ast.Call(ast.Name(name, ast.Load()), parts, [])


def _item(mapping: ast.expr, key: str) -> ast.Subscript:
    return ast.Subscript(mapping, ast.Constant(key), ast.Load())


_BUILTIN_ARGUMENTS = {
    "min": "a, b",
    "max": "a, b",
    "abs": "number",
    "len": "list",
    "str": "value",
    "upper": "text",
    "lower": "text",
}
"""The arguments of functions that are Python's own, which tell no names worth showing."""


def grammar() -> str:
    """Return what an expression about a thing may hold: values, operators, functions with their arguments."""
    left, right = ast.Name("a"), ast.Name("b")
    operators = [operator for node in OPERATORS if isinstance(operator := node(), ast.operator)]
    binary = [ast.unparse(ast.BinOp(left, operator, right))[2:-2] for operator in operators]
    comparisons = [ast.unparse(ast.Compare(left, [operator()], [right]))[2:-2] for operator in COMPARISONS]
    functions = [f"{name}({_arguments(name, function)})" for name, function in FUNCTIONS.items()]
    functions += [
        f"{name}({', '.join(['ENTITY', *fields, 'FIELD', 'value', '…'])})" for name, fields in OVER_ENTITIES.items()
    ]
    functions += ["lookup(ENTITY, key, FIELD)", "given(ARGUMENT)"]
    return (
        "numbers, 'text', True, False, None, fields of the thing, args.NAME, today; "
        f"{' '.join(binary)}; one of {' '.join(comparisons)} at a time; and, or, not; A if TEST else B; "
        f"{', '.join(functions)}"
    )


def _arguments(name: str, function: Callable[..., Any]) -> str:
    """Return the arguments of a function as the grammar shows them: `day, days`, optional ones in brackets."""
    if name in _BUILTIN_ARGUMENTS:
        return _BUILTIN_ARGUMENTS[name]
    parameters = inspect.signature(function).parameters.values()
    return ", ".join(one.name if one.default is one.empty else f"[{one.name}]" for one in parameters)
