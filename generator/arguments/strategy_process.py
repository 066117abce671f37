"""Draws values from one strategy of a user's file, in a room (generator/core/sandbox).

It is loaded by its path and imports nothing of this package; see overrides.py.
"""

import json
import os
import sys
import traceback
from types import ModuleType
from typing import Any


def main(wire: Any, job: dict[str, Any]) -> None:
    """Answer one job: `values`, or `known` names, or a `fault`."""
    os.environ["HYPOTHESIS_STORAGE_DIRECTORY"] = os.path.join(os.environ["TMPDIR"], "hypothesis")  # noqa: PTH118
    wire.send(_run_job(job))


def _run_job(job: dict[str, Any]) -> dict[str, Any]:
    """Run the user's file and return the values of its strategy, its names if it has none of that name, or a fault."""
    module = ModuleType("user_strategies")  # without __file__, so that where it stands makes no difference
    sys.modules[module.__name__] = module
    try:
        exec(compile(job["source"], job["file"], "exec"), vars(module))
        names = [name for name in vars(module) if not name.startswith("_")]
        if job["name"] not in vars(module):
            return {"known": names}
        return _draw(vars(module)[job["name"]], job["seed"], job["size"])
    except BaseException as fault:
        return {"fault": _fault_text(fault, job["file"])}


def _draw(named: Any, seed: int, size: int) -> dict[str, Any]:
    """Return up to `size` different values of a strategy (or of the function `named` that gives one), or why there are none."""
    from hypothesis import HealthCheck, Phase, Verbosity, given, settings
    from hypothesis import seed as seeded
    from hypothesis.strategies import SearchStrategy

    strategy = named() if callable(named) and not isinstance(named, SearchStrategy) else named
    if not isinstance(strategy, SearchStrategy):
        return {
            "fault": f"a Hypothesis strategy, or a function without arguments that gives one, is expected, not {type(strategy).__name__}"
        }
    values: dict[str, Any] = {}

    @seeded(seed)
    @settings(
        database=None, phases=[Phase.generate], deadline=None, derandomize=False, max_examples=size,
        suppress_health_check=list(HealthCheck), verbosity=Verbosity.quiet, print_blob=False,
    )  # fmt: skip
    @given(strategy)
    def keep(value: Any) -> None:
        """Keep a value by its JSON text; the fault of one that is no JSON stands under ""."""
        try:
            text = json.dumps(value, allow_nan=False)
            text.encode("ascii")
        except (TypeError, ValueError) as fault:
            values.setdefault("", f"it drew {value!r}, which is no JSON value ({fault})")
        else:
            values.setdefault(text, value)

    keep()
    return {"fault": values[""]} if "" in values else {"values": list(values.values())}


def _fault_text(fault: BaseException, file: str) -> str:
    """Return the message for a fault, with the line of the user's file where it happened there."""
    lines = [frame.lineno for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == file]
    line = lines[-1] if lines else getattr(fault, "lineno", None) if getattr(fault, "filename", None) == file else None
    reason = str(fault) or "no reason given"
    return f"{type(fault).__name__}: {reason.splitlines()[0]}" + (f" (line {line})" if line else "")
