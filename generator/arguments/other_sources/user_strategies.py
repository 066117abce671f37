"""Values from a Hypothesis strategy that a user wrote in a Python file beside the recipe.

They are drawn in a process of their own. Hypothesis also draws constants that it finds in the modules of the program
it runs in, so in this process the values would depend on what else is loaded. In their own process they depend on the
file, the name, the seed and the versions only, and a file that prints or never ends does no harm.
"""

import hashlib
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import orjson

from generator.arguments.other_sources import strategy_process
from generator.arguments.vocabulary.prepared import drawn_pool
from generator.documents import nearest
from generator.errors import RecipeError
from generator.recipe import Script
from generator.regular_files import read_regular
from generator.seeds import stream_seed

POOL_SIZE = 200
_SECONDS = 120


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
    code = read_regular(Path(strategy_process.__file__)).decode()
    try:
        done = subprocess.run(
            [sys.executable, "-P", "-c", code],
            input=orjson.dumps(job),
            capture_output=True,
            timeout=_SECONDS,
            check=False,
            env=os.environ | {"PYTHONHASHSEED": "0"},
        )
    except subprocess.TimeoutExpired:
        raise refuse(f"{told}: no {POOL_SIZE} values came in {_SECONDS} seconds") from None
    try:
        answer = orjson.loads(done.stdout)
    except orjson.JSONDecodeError:
        last = (done.stderr.decode("utf-8", "replace").strip() or "it ended").splitlines()[-1]
        raise refuse(f"{told}: could not be run: {last}") from None
    if "known" in answer:
        raise refuse(f"{told}: {script.file.name} has no {script.name!r}{nearest(script.name, answer['known'])}")
    if "fault" in answer:
        raise refuse(f"{told}: {answer['fault']}")
    return tuple(orjson.dumps(value) for value in answer["values"])
