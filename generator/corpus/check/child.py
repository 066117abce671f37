"""Runs a parser in a sandbox (generator/core/sandbox): it may crash, hang or eat memory, and only its process ends.

It is loaded by its path, and imports nothing of this package.
"""

import importlib
import importlib.util
import json
import os
import resource
import runpy
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

Run = Callable[[Any, list[dict[str, Any]]], Any]
_PLAIN = runpy.run_path(str(Path(__file__).with_name("plain.py")))


def load(name: str) -> Run:
    """Return the callable that `module:callable` or `file.py:callable` names."""
    where, _, attribute = name.rpartition(":")
    if where.endswith(".py"):
        path = Path(where)
        sys.path.insert(0, str(path.resolve().parent))
        spec = importlib.util.spec_from_file_location(path.stem, path)
        if spec is None or spec.loader is None:
            raise ImportError(f"{where} is no Python file")
        module = importlib.util.module_from_spec(spec)
        sys.modules[path.stem] = module
        spec.loader.exec_module(module)
    else:
        sys.path.insert(0, str(Path.cwd()))
        module = importlib.import_module(where)
    entry_point = module
    for part in attribute.split("."):
        entry_point = getattr(entry_point, part)
    if not callable(entry_point):
        raise TypeError(f"{name} is not callable")
    return entry_point


def limit_memory(megabytes: int) -> None:
    """Limit how much more memory this process may take; does nothing where the system has no such limit."""
    with suppress(ValueError, OSError):
        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


class _TooLongError(BaseException):
    """A parser exceeded its time limit; not an `Exception`, so that the parser does not catch it."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise _TooLongError


def run_one(run: Run, text_or_pieces: Any, tools: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Run once and return what is sent back; `seconds` is CPU time, so that a busy machine does not matter."""
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            pieces = _PLAIN["Pieces"](text_or_pieces if isinstance(text_or_pieces, list) else ())
            plain: dict[str, Any] = _PLAIN["plain_stream"](run(pieces if pieces else text_or_pieces, tools), pieces)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _TooLongError:
        return {"error": "hang", "seconds": seconds}
    except BaseException as fault:  # whatever it raises is a finding
        if isinstance(fault, KeyboardInterrupt):
            raise
        plain = {"error": f"{type(fault).__name__}: {fault}"[:300]}
    return plain | {"seconds": time.process_time() - began}


def main(wire: Any, settings: dict[str, Any]) -> None:
    """Load the parsers that the settings name, then answer requests until there are no more."""
    try:
        runs = {name: load(settings[name]) for name in ("whole", "stream") if settings[name]}
        tools = {tool["function"]["name"]: tool for tool in json.loads(Path(settings["tools"]).read_bytes())}
    except BaseException as fault:  # told by the process that started this one
        wire.send({"error": f"{type(fault).__name__}: {fault}"})
        return
    limit_memory(settings["memory"])
    signal.signal(signal.SIGPROF, _stop)
    wire.send({})
    while True:
        task = wire.receive()
        offered = [tools[name] for name in task["tools"] or tools if name in tools]
        plain = run_one(runs[task["run"]], task["given"], offered, task["seconds"])
        try:
            wire.send(plain)
        except (TypeError, ValueError, RecursionError) as fault:
            wire.send({"error": f"its answer is no JSON: {type(fault).__name__}: {fault}"[:300]})
