"""The adversarial source: pools of values that Hypothesis draws from a schema's strategies.

Only Hypothesis' public interface is used: `@given` and `@seed`, no database. A pool is drawn once for each schema
and seed; rows only index it.
"""

import atexit
import os
import shutil
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from typing import Any

import orjson
from hypothesis import HealthCheck, Phase, Verbosity, given, settings
from hypothesis import seed as seeded
from hypothesis.errors import HypothesisWarning, Unsatisfiable

from generator.arguments.other_sources.strategies import Strategies, canonical_bytes
from generator.arguments.reading.nodes import Schema
from generator.core.errors import SchemaError
from generator.core.seeds import stream_seed

POOL_SIZE = 200
_HOME = "HYPOTHESIS_STORAGE_DIRECTORY"


def draw_pool(schema: Schema, slot: str, seed: int, is_valid: Callable[[Any], bool] | None) -> tuple[bytes, ...]:
    """Return different valid values as JSON texts; they depend on the schema, the slot and the seed only."""
    words = stream_seed("property_based", orjson.dumps(schema.source).hex(), slot, seed)
    return _draw(schema, is_root=slot == "", seed=words, is_valid=is_valid)


def _draw(schema: Schema, *, is_root: bool, seed: int, is_valid: Callable[[Any], bool] | None) -> tuple[bytes, ...]:
    found: dict[bytes, bytes] = {}

    @seeded(seed)
    @settings(
        database=None,
        phases=[Phase.generate],
        deadline=None,
        derandomize=False,
        suppress_health_check=list(HealthCheck),
        max_examples=POOL_SIZE,
        verbosity=Verbosity.quiet,
        print_blob=False,
    )
    @given(Strategies().of(schema.root, is_root))
    def keep(value: Any) -> None:
        if is_valid is None or is_valid(value):
            found.setdefault(canonical_bytes(value), orjson.dumps(value))

    try:
        with _no_traces():
            keep()
    except Unsatisfiable:
        found.clear()
    if not found:
        raise SchemaError(": Hypothesis found no valid value; use another source for this tool")
    return tuple(found.values())


@contextmanager
def _no_traces() -> Iterator[None]:
    """Keep Hypothesis from making a folder in the working directory, and from warning about large strategies."""
    before = os.environ.get(_HOME)
    os.environ[_HOME] = before or _scratch()
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", HypothesisWarning)
            yield
    finally:
        if before is None:
            del os.environ[_HOME]


@cache
def _scratch() -> str:
    folder = tempfile.mkdtemp(prefix="hypothesis-")
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    return folder
