"""The grammar of expressions in one line for people, made from the tables that expressions are checked against."""

import ast
import inspect
from collections.abc import Callable
from typing import Any

from generator.world.expressions import COMPARISONS, OPERATORS
from generator.world.functions import FUNCTIONS, OVER_ENTITIES

_OF_PYTHON = {
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
    operators = [operator for one in OPERATORS if isinstance(operator := one(), ast.operator)]
    binary = [ast.unparse(ast.BinOp(left, one, right))[2:-2] for one in operators]
    compared = [ast.unparse(ast.Compare(left, [one()], [right]))[2:-2] for one in COMPARISONS]
    functions = [f"{name}({_arguments(name, function)})" for name, function in FUNCTIONS.items()]
    functions += [
        f"{name}({', '.join(['ENTITY', *own, 'FIELD', 'value', '…'])})" for name, own in OVER_ENTITIES.items()
    ]
    functions += ["lookup(ENTITY, key, FIELD)", "given(ARGUMENT)"]
    return (
        "numbers, 'text', True, False, None, fields of the thing, args.NAME, today; "
        f"{' '.join(binary)}; one of {' '.join(compared)} at a time; and, or, not; A if TEST else B; "
        f"{', '.join(functions)}"
    )


def _arguments(name: str, function: Callable[..., Any]) -> str:
    if name in _OF_PYTHON:
        return _OF_PYTHON[name]
    told = inspect.signature(function).parameters.values()
    return ", ".join(one.name if one.default is one.empty else f"[{one.name}]" for one in told)
