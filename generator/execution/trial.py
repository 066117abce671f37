"""Every `x-compute` is tried when the tools are loaded, so that one which can never work is refused there.

Values that come up only now and then (a day that does not exist, a number that is zero) are no fault of the
tool: the property then has the value it would have without the keyword.
"""

from collections.abc import Callable, Mapping
from datetime import date
from typing import Any

import msgspec

from generator.documents import shown
from generator.errors import SpecError
from generator.execution.expressions import FAULTS, Computation, MissingError, Names
from generator.execution.keywords import fault
from generator.execution.making import MOST, CompileValue, Make
from generator.execution.references import stand_alone
from generator.pointers import escape, variants
from generator.seeds import Draw, stream_seed

_TRIALS = 40
_TODAY = date(2026, 3, 2)


class Trial(msgspec.Struct):
    """What came of trying one expression."""

    at: str
    text: str
    key: str
    types: tuple[str, ...]
    """What the schema says that the value may be; empty when it does not say."""
    works: bool = False
    failure: str = ""
    misfit: str = ""
    strays: bool = False
    """Whether it gives now and then what the schema forbids, or a whole number as `3.0`."""


def watched(compute: Computation, trial: Trial) -> Computation:
    """The same expression, with a note of what comes of it."""

    def compute_and_note(names: Names, args: Mapping[str, Any], today: Any, usual: Any) -> Any:
        try:
            value = compute(names, args, today, usual)
        except MissingError:
            raise
        except FAULTS as wrong:
            trial.failure = trial.failure or str(wrong)
            raise
        trial.strays = trial.strays or not _is_of(trial.types, value) or _is_even(trial.types, value)
        if not can_be_carried(value):
            trial.failure = trial.failure or "the number is too great"
        elif not _is_of(trial.types, value):
            trial.misfit = trial.misfit or shown(value)
        else:
            trial.works = True
        return value

    return compute_and_note


def fitting(compute: Computation, types: tuple[str, ...]) -> Computation:
    """The same expression, without a value where it gives one that the schema forbids; whole numbers are whole."""

    def compute_and_check(names: Names, args: Mapping[str, Any], today: Any, usual: Any) -> Any:
        value = compute(names, args, today, usual)
        if not _is_of(types, value):
            raise MissingError
        return int(value) if _is_even(types, value) else value

    return compute_and_check


def can_be_carried(value: Any) -> bool:
    """Whether JSON has a way to write a computed value."""
    kind = type(value)
    return not (kind is float or kind is int) or -MOST <= value <= MOST


def try_out(make: Make, trials: list[Trial], sample: Callable[[Draw], dict[str, Any]]) -> None:
    """Make some results and raise SpecError for an expression that gives what its schema forbids, or nothing ever."""
    draw = Draw(stream_seed("trial"), _TODAY)
    for _ in range(_TRIALS):
        make(draw, sample(draw), {}, _TODAY.isoformat())
    for trial in trials:
        start = f"x-compute of {trial.key!r}: {shown(trial.text)}"
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
    """A function that draws arguments to try things with; those that cannot be drawn are left out."""
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
    """Now and then a small number, for which most things work."""
    return draw.between(1, 2) if type(value) is int and draw.rand() < 0.25 else value


def _chooser(values: tuple[Any, ...]) -> Callable[[Draw], Any]:
    return lambda draw: draw.choice(values)


_CLASSES: dict[str, tuple[type, ...]] = {
    "string": (str,),
    "number": (int, float),
    "boolean": (bool,),
    "null": (type(None),),
    "array": (list,),
    "object": (dict,),
}


def _is_even(types: tuple[str, ...], value: Any) -> bool:
    """Whether a whole number is not written as one although the schema wants it."""
    return type(value) is float and "integer" in types and "number" not in types and value.is_integer()


def _is_of(types: tuple[str, ...], value: Any) -> bool:
    kind = type(value)
    whole = kind is int or (kind is float and value.is_integer())
    return not types or any(whole if name == "integer" else kind in _CLASSES.get(name, ()) for name in types)
