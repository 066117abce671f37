"""Try every `x-compute` when tools are loaded, so that one that can never work is refused.

Values that come up only now and then (a day that does not exist, a number that is zero) are no fault of the
tool: the property then has the value it would have without the keyword.
"""

from collections.abc import Callable, Mapping, Sequence
from datetime import date
from typing import Any

import msgspec

from generator.core.documents import shown
from generator.core.errors import SpecError
from generator.core.offline_schemas import validator
from generator.core.pointers import escape, variants
from generator.core.seeds import Draw, stream_seed
from generator.world.functions import MissingError
from generator.world.keywords import fault
from generator.world.making import MOST, CallDraw, CompileValue, MakeResult
from generator.world.references import stand_alone

_TRIALS = 40
_LONGEST_REASON = 160
_TODAY = date(2026, 3, 2)


class ExpressionTrial(msgspec.Struct):
    """The results of trying one expression."""

    at: str
    text: str
    key: str
    types: tuple[str, ...]
    """The types that the schema names; empty when it names none."""
    works: bool = False
    failure: str = ""
    misfit: str = ""

    def note(self, found: Any) -> None:
        """Record a value of the expression, or the exception that it raised."""
        if isinstance(found, MissingError):
            return
        if isinstance(found, Exception):
            self.failure = self.failure or f"{type(found).__name__}: {found}"
        elif fits(python_types(self.types), found):
            self.works = True
        elif isinstance(found, int | float) and not -MOST <= found <= MOST:
            self.failure = self.failure or "the number is too great"
        else:
            self.misfit = self.misfit or shown(found)


def python_types(types: tuple[str, ...]) -> frozenset[type]:
    """Return the Python types for those of JSON Schema; all of them where the schema names none."""
    return frozenset([kind for name in types or _PYTHON_TYPES for kind in _PYTHON_TYPES[name]])


def fits(kinds: frozenset[type], found: Any) -> bool:
    """Whether the result of an expression (or its exception) has one of the types and is not too large for JSON."""
    kind = type(found)
    if kind is float:
        return (float in kinds or (int in kinds and found.is_integer())) and -MOST <= found <= MOST
    return kind in kinds and (kind is not int or -MOST <= found <= MOST)


def check_results(
    make: MakeResult, returns: dict[str, Any], shown: Sequence[dict[str, Any]], nothing: dict[str, Any]
) -> None:
    """Make results of a call with nothing for arguments, about some of the entities, and raise SpecError when none is valid."""
    draw = CallDraw(stream_seed("trial"), _TODAY)
    draw.start(stream_seed("trial"), _TODAY)
    checker = validator(_without_computed(returns))
    for number in range(_TRIALS):
        draw.take(nothing, shown[number % len(shown)] if shown else {}, shown[: number % 4])
        result = make(draw)
        if checker.is_valid(result):
            return
    error = next(checker.iter_errors(result))
    pointer = "".join(f"/{escape(str(step))}" for step in error.schema_path)
    raise fault(pointer, f"no valid value was found in {_TRIALS} draws ({error.message[:_LONGEST_REASON]})")


def _without_computed(schema: Any) -> Any:
    """Return the schema without what it says of computed values: that is about the values they are computed from."""
    if isinstance(schema, list):
        return [_without_computed(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    return {} if "x-compute" in schema else {key: _without_computed(part) for key, part in schema.items()}


def try_out(
    make: MakeResult,
    trials: dict[str, ExpressionTrial],
    sample: Callable[[Draw], dict[str, Any]],
    shown: Sequence[dict[str, Any]],
) -> None:
    """Make some results and raise SpecError for an expression that gives what its schema forbids, or nothing ever."""
    draw = CallDraw(stream_seed("trial"), _TODAY)
    draw.start(stream_seed("trial"), _TODAY)
    draw.watch = lambda at, found: trials[at].note(found)
    for number in range(_TRIALS):
        draw.take(sample(draw), shown[number % len(shown)] if shown else {}, shown[: 1 + number % 4])
        make(draw)
        if all(trial.works for trial in trials.values()):
            return
    for trial in trials.values():
        start = f"x-compute of {trial.key!r}: {trial.text!r}"
        if trial.misfit and not trial.works:
            raise fault(trial.at, f"{start} gives {trial.misfit}, which is not of type {' or '.join(trial.types)}")
        if trial.failure and not trial.works:
            raise fault(trial.at, f"{start} has no value whatever its names stand for ({trial.failure})")


def sampler(
    parameters: dict[str, Any],
    compile_value: CompileValue,
    seed: int,
    kinds: Mapping[str, str],
    examples: Mapping[str, tuple[Any, ...]],
) -> Callable[[Draw], dict[str, Any]]:
    """Return a function that draws arguments to try things with; those that cannot be drawn are left out."""
    makers: dict[str, Callable[[Draw], Any]] = {}
    for branch in variants(parameters, parameters):
        for name, schema in branch.get("properties", {}).items():
            slot = escape(name)
            if examples.get(slot):
                makers[name] = _chooser(examples[slot])
            elif isinstance(schema, dict):
                try:
                    makers[name] = compile_value(stand_alone(parameters, schema), name, seed, kind=kinds.get(slot))
                except SpecError:  # what is wrong with parameters is told elsewhere
                    continue
    return lambda draw: {name: _plain(make(draw), draw) for name, make in makers.items()}


def _plain(value: Any, draw: Draw) -> Any:
    """Replace a value by a small number now and then, for which most expressions work."""
    return draw.between(1, 2) if type(value) is int and draw.rand() < 0.25 else value


def _chooser(values: tuple[Any, ...]) -> Callable[[Draw], Any]:
    return lambda draw: draw.choice(values)


_PYTHON_TYPES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "integer": (int,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}
