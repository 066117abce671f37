"""The process that a parser runs in: it may crash, hang or eat memory, and only this process ends.

It keeps the original stdin and stdout to itself, one JSON text a line, so that parsers which print do no harm.
"""

import importlib
import importlib.util
import json
import os
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from types import FrameType
from typing import Any

from generator.corpus.check.answer import Pieces, plain_stream

Run = Callable[[Any, list[dict[str, Any]]], Any]


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
    found = module
    for part in attribute.split("."):
        found = getattr(found, part)
    if not callable(found):
        raise TypeError(f"{name} is not callable")
    return found


def limit_memory(megabytes: int) -> None:
    """Limit how much more memory this process may take; does nothing where the system has no such limit."""
    with suppress(ImportError, ValueError, OSError):
        import resource

        pages = int(Path("/proc/self/statm").read_text().split()[0])
        most = pages * os.sysconf("SC_PAGE_SIZE") + megabytes * 2**20
        resource.setrlimit(resource.RLIMIT_AS, (most, most))


class _TooLongError(BaseException):
    """A parser exceeded its time limit; not an `Exception`, so that the parser does not catch it."""


def _stop(_signal: int, _frame: FrameType | None) -> None:
    raise _TooLongError


def run_one(run: Run, given: Any, tools: list[dict[str, Any]], seconds: float) -> dict[str, Any]:
    """Run once and return what is sent back; `seconds` is CPU time, so that a busy machine does not matter."""
    began = time.process_time()
    try:
        signal.setitimer(signal.ITIMER_PROF, seconds)
        try:
            pieces = Pieces(given) if isinstance(given, list) else Pieces()
            plain = plain_stream(run(pieces if isinstance(given, list) else given, tools), pieces)
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
    except _TooLongError:
        return {"error": "hang", "seconds": seconds}
    except BaseException as fault:  # whatever it raises is a finding
        if isinstance(fault, KeyboardInterrupt):
            raise
        plain = {"error": f"{type(fault).__name__}: {fault}"[:300]}
    return plain | {"seconds": time.process_time() - began}


def main() -> None:
    """Load the parsers that the command line names, then answer requests until the input ends."""
    whole, stream, memory, folder = sys.argv[1:5]
    answers = os.fdopen(os.dup(1), "w", encoding="utf-8")
    quiet = os.open(os.devnull, os.O_RDWR)
    os.dup2(quiet, 1)
    try:
        runs = {"whole": load(whole) if whole else None, "stream": load(stream) if stream else None}
        tools = {tool["function"]["name"]: tool for tool in json.loads(Path(folder).read_bytes())}
    except BaseException as fault:  # told by the process that started this one
        answers.write(json.dumps({"error": f"{type(fault).__name__}: {fault}"}) + "\n")
        answers.flush()
        return
    os.dup2(quiet, 2)
    limit_memory(int(memory))
    signal.signal(signal.SIGPROF, _stop)
    answers.write('{"ready": true}\n')
    answers.flush()
    for line in sys.stdin:
        task = json.loads(line)
        run = runs[task["run"]]
        offered = [tools[name] for name in task["tools"] if name in tools]
        plain = (
            run_one(run, task["given"], offered, task["seconds"]) if run is not None else {"error": "nothing to run"}
        )
        answers.write(json.dumps(plain) + "\n")
        answers.flush()


if __name__ == "__main__":
    main()
