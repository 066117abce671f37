"""Values from a Hypothesis strategy that a user wrote in a Python file beside the recipe.

They are drawn in a process of their own. Hypothesis also draws constants that it finds in the modules of the program
it runs in, so in this process the values would depend on what else is loaded. In their own process they depend on the
file, the name, the seed and the versions only. It is a room (generator/core/sandbox) with the limits of modules.
"""

import hashlib
import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec
import orjson

from generator.arguments.vocabulary.prepared import drawn_pool
from generator.core.documents import nearest
from generator.core.errors import RecipeError
from generator.core.files import read_regular
from generator.core.sandbox.sandbox import FEW_VARIABLES, MODULE_LIMITS, Room, said_by
from generator.core.sandbox.wire import GarbledError, GoneError, SilentError
from generator.core.seeds import stream_seed
from generator.recipe import Script

POOL_SIZE = 200
_SECONDS = 60.0
_DRIVER = Path(__file__).with_name("strategy_process.py")


class _Drawn(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    values: list[Any] = []
    known: list[str] | None = None
    """Names in the file, which has not the one that is asked for."""
    fault: str | None = None


def strategy_values(script: Script, key: str, seed: int, refuse: Callable[[str], RecipeError]) -> tuple[Any, ...]:
    """Return different values of a strategy for the argument `key`, in the order in which they were drawn.

    Raises:
        RecipeError: the file cannot be run, has no such strategy, or draws a value that is not JSON.
    """
    try:
        source = read_regular(script.file)
    except OSError as fault:
        raise refuse(f"{script.file}: cannot be read ({fault.strerror})") from None
    name = orjson.dumps(["strategy", hashlib.sha256(source).hexdigest(), script.name])
    return tuple(map(orjson.loads, drawn_pool((name, key, seed), lambda: _draw(script, source, key, seed, refuse))))


def _draw(
    script: Script, source: bytes, key: str, seed: int, refuse: Callable[[str], RecipeError]
) -> tuple[bytes, ...]:
    told = f"{script.file.name}:{script.name}"
    job = {
        "file": str(script.file.resolve()),
        "source": source.decode("utf-8-sig", "replace"),
        "name": script.name,
        "seed": stream_seed("strategy", key, script.name, seed),
        "size": POOL_SIZE,
    }
    room = Room(FEW_VARIABLES)
    try:
        room.start_code(_DRIVER, job, MODULE_LIMITS, [script.file.resolve().parent])
        answer = room.hear(_Drawn, _SECONDS)
    except SilentError:
        raise refuse(f"{told}: no {POOL_SIZE} values came in {_SECONDS:g} seconds") from None
    except GarbledError as fault:
        raise refuse(f"{told}: could not be run: it sent something else than values: {fault}") from None
    except GoneError:
        ended = room.end()
        raise refuse(f"{told}: could not be run: its process ended ({ended.reason}) {said_by(ended)}".strip()) from None
    finally:
        room.close()
    if answer.known is not None:
        raise refuse(f"{told}: {script.file.name} has no {script.name!r}{nearest(script.name, answer.known)}")
    if answer.fault is not None:
        raise refuse(f"{told}: {answer.fault}")
    try:
        return tuple([orjson.dumps(orjson.loads(json.dumps(value))) for value in answer.values])
    except ValueError as fault:
        raise refuse(f"{told}: it drew a value that is no JSON ({fault})") from None
