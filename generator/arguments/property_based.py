"""The adversarial source: pools of values that the sampler makes of choices that Hypothesis draws.

Hypothesis drives the sampler's random function, so that it explores, repeats and shrinks the sampler's choices. Only its public
interface is used: `@composite`, `@given` and `@seed`, no database. A pool is drawn once for each schema and seed; rows only index it.

Hypothesis also draws constants that it finds in the source files of whatever program it runs in: wide integers, floats and
strings would depend on where this package is installed. Integers from 0 to 99 do not, so they are all that is drawn, and pools
are the same bytes everywhere.
"""

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import date
from functools import cache
from typing import Any

import orjson
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis import strategies as st
from hypothesis.errors import HypothesisWarning, Unsatisfiable

from generator.arguments.reading.nodes import Schema
from generator.arguments.sampling.leaves import ArgumentLocation, Hints
from generator.arguments.sampling.numbers import Maker
from generator.arguments.sampling.realistic import Odds, compile_realistic
from generator.core.errors import SchemaError
from generator.core.seeds import Draw, stream_seed

POOL_SIZE = 200
_HOME = "HYPOTHESIS_STORAGE_DIRECTORY"


def draw_pool(schema: Schema, slot: str, seed: int, is_valid: Callable[[Any], bool] | None) -> tuple[bytes, ...]:
    """Return different valid values as JSON texts; they depend on the schema, the slot and the seed only."""
    stream = stream_seed("property_based", orjson.dumps(schema.source).hex(), slot, seed)
    odds = Odds(edge_cases=0.3, optional=0.5, is_hostile=True)
    make, _ = compile_realistic(schema, ArgumentLocation("", slot=slot), Hints(seed=0, is_said=False), odds)
    return _draw_values(make, stream, is_valid)


_HUNDRED = st.integers(0, 99)
_MOST_CHOICES = 300
"""Random numbers of one value that Hypothesis draws; large values take the rest from the seed."""


@st.composite
def _value_from_choices(choose: st.DrawFn, make: Maker) -> Any:
    """Return a value whose choices Hypothesis draws: the first two digits of each random number, and the seed of the other digits."""
    draw = Draw(choose(_HUNDRED) * 100 + choose(_HUNDRED), _TODAY)
    usual_rand = draw.rand
    turns = iter(range(_MOST_CHOICES))
    draw.rand = lambda: usual_rand() if next(turns, None) is None else (choose(_HUNDRED) + usual_rand()) / 100
    return make(draw)


_TODAY = date(2026, 3, 1)


def _draw_values(make: Maker, seed: int, is_valid: Callable[[Any], bool] | None) -> tuple[bytes, ...]:
    """Return different valid values that the maker makes of choices that Hypothesis draws, each as JSON."""
    values_by_key: dict[bytes, bytes] = {}

    @seeded(seed)
    @settings(
        database=None,
        phases=[Phase.generate],
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        max_examples=POOL_SIZE * 3 // 2,  # a third of them differ in choices that no value shows
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    @given(_value_from_choices(make))
    def keep(value: Any) -> None:
        """Keep a valid value, unless an equal one is there."""
        if is_valid is None or is_valid(value):
            key = orjson.dumps(
                _with_whole_numbers(value), option=orjson.OPT_SORT_KEYS
            )  # of values that JSON Schema considers equal
            values_by_key.setdefault(key, orjson.dumps(value))

    try:
        with _without_traces():
            keep()
    except Unsatisfiable:
        values_by_key.clear()
    if not values_by_key:
        raise SchemaError(": Hypothesis found no valid value; use another source for this tool")
    return tuple(values_by_key.values())


def _with_whole_numbers(value: Any) -> Any:
    """Return a value with 2.0 as 2, which JSON Schema considers equal."""
    if isinstance(value, float) and value.is_integer() and abs(value) <= _FARTHEST:
        return int(value)
    if isinstance(value, list):
        return [_with_whole_numbers(part) for part in value]
    return {key: _with_whole_numbers(part) for key, part in value.items()} if isinstance(value, dict) else value


_FARTHEST = 2**53 - 1


@contextmanager
def _without_traces() -> Iterator[None]:
    """Keep Hypothesis from making a folder in the working directory, and from warning about large strategies."""
    before = os.environ.get(_HOME)
    os.environ[_HOME] = before or _temporary_folder()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)
            yield
    finally:
        if before is None:
            del os.environ[_HOME]


@cache
def _temporary_folder() -> str:
    """Return a temporary folder for Hypothesis, which is removed when the program ends."""
    folder = tempfile.mkdtemp(prefix="hypothesis-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
