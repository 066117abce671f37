"""Run hostile cases through the command line, each in a child of its own, and tell what each did: a program of its own.

Usage: python tests/hostile/campaign.py FOLDER SEED COUNT [FAMILY...]. COUNT of `some` cases of each family are taken, and one in three of those
that are run `always`; from 60 on, all of these, and those that are run `at_night` too. One line of JSON is written for each case. The children are forked from one loaded process and stay in its process
group; they have limits of CPU time, time and memory, and an audit hook notes what they ask the system for.
"""

import contextlib
import gc
import importlib
import json
import os
import random
import resource
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

HERE = Path(__file__).parents[1]
sys.path[:0] = [str(HERE), str(HERE.parent)]

from hostile.cases import FAMILIES, Case  # noqa: E402

from generator.core.files import cache_folder  # noqa: E402

LOADED = (
    "generator.run.engine.run",
    "generator.formats.files.validate",
    "generator.report.files.convert",
    "generator.report",
    "generator.scenarios",
)
CPU = 10
"""Seconds; hangs take longer, and slow machines do not matter."""
TIME = 120
MANY = 60
"""As many cases as the nightly job draws."""
MEMORY = 1 << 30
"""Bytes more than what the loaded process has."""
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT | os.O_TRUNC
CHANGING = {
    "os.remove": 1,
    "os.rmdir": 1,
    "os.mkdir": 1,
    "os.truncate": 1,
    "os.chmod": 1,
    "os.rename": 2,
    "os.link": 2,
    "os.symlink": 2,
}
"""Events whose first arguments, so many, are paths that are changed."""
FORBIDDEN = (
    "socket.connect",
    "socket.bind",
    "socket.getaddrinfo",
    "socket.sendto",
    "os.system",
    "os.exec",
    "subprocess.Popen",
)
ROOM = ("subprocess.Popen", "os.exec")
"""What starts a room, where foreign code is meant to run."""
ITS_OWN = ("o", "o.jsonl")
"""What a case may write."""


def chosen(seed: str, count: int, families: Iterable[str]) -> Iterator[tuple[str, Case]]:
    """The cases of a campaign, with their families."""
    for family in families:
        module = importlib.import_module(f"hostile.{family}")
        some = list(module.some())
        always = list(module.always())[:: 1 if count >= MANY else 3]
        always += module.at_night() if count >= MANY and hasattr(module, "at_night") else ()
        for case in [*always, *random.Random(f"{seed} {family}").sample(some, min(count, len(some)))]:
            yield family, case


def watch(folder: Path, case: Case) -> list[str]:
    """A list to which is added whatever this process does that it may not."""
    arguments = case.arguments
    meant = ROOM if case.runs_code or arguments[:1] == ("corpus",) else ()
    shared = Path(tempfile.gettempdir()) if meant else None  # asked for before the hook is there
    noted: list[str] = []
    named = [arguments[at + 1] for at, word in enumerate(arguments) if word == "--out"]
    results = cache_folder()  # what is kept between starts is no file of the user's
    allowed = (*(str(folder / name) for name in (*ITS_OWN, *named)), "/dev/null", str(results), str(results.parent))
    below = (*(f"{path}{os.sep}" for path in allowed[:-1]), str(folder / ".o.jsonl."))

    def outside(path: Any) -> bool:
        if isinstance(path, int):
            return False
        full = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - links are not followed
        passing = shared in (Path(full).parent, Path(full).parent.parent)  # what a room's process is given
        return full not in allowed and not full.startswith(below) and not passing

    def hook(event: str, arguments: tuple[Any, ...]) -> None:
        if event in FORBIDDEN and event not in meant:
            noted.append(f"{event} {arguments!a:.200}")
        elif event == "open" and isinstance(arguments[2], int) and arguments[2] & WRITING and outside(arguments[0]):
            noted.append(f"open {arguments!a:.200}")
        elif event in ("os.remove", "os.rmdir") and meant and arguments[-1] != -1:
            return  # below a folder that was opened: what is shared with a room's process is removed
        elif event in CHANGING and any(outside(path) for path in arguments[: CHANGING[event]]):
            noted.append(f"{event} {arguments!a:.200}")

    sys.addaudithook(hook)
    return noted


def run_in_child(case: Case, folder: Path) -> None:
    """Run a case in this process, which ends with it."""
    code = 99
    for name, number in (("out", 1), ("err", 2)):
        os.dup2(os.open(folder.with_suffix(f".{name}"), os.O_WRONLY | os.O_CREAT | os.O_TRUNC), number)
    if case.typed is not None:
        folder.with_suffix(".in").write_bytes(case.typed)
        os.dup2(os.open(folder.with_suffix(".in"), os.O_RDONLY), 0)
    os.environ.update(case.environment)
    time.tzset()
    os.chdir(folder)
    sys.argv = ["generator", *case.arguments]
    used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
    resource.setrlimit(resource.RLIMIT_AS, (used + MEMORY, used + MEMORY))
    resource.setrlimit(resource.RLIMIT_CPU, (CPU, CPU))
    signal.alarm(TIME)
    with folder.with_suffix(".noted").open("w") as notes:
        noted = watch(folder, case)
        if case.descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, (case.descriptors, case.descriptors))
        try:
            importlib.import_module("generator.cli").main()
        except SystemExit as end:
            code = end.code if isinstance(end.code, int) else 0 if end.code is None else 98
        except BaseException:
            traceback.print_exc()
        finally:
            notes.write("\n".join(noted))
            notes.flush()
            for stream in (sys.stdout, sys.stderr):
                with contextlib.suppress(Exception):
                    stream.flush()
            os._exit(code)


def snapshot(folder: Path) -> dict[str, bytes]:
    """The files that a case may not touch."""
    files = [path for path in folder.rglob("*") if path.is_file() and path.relative_to(folder).parts[0] not in ITS_OWN]
    return {str(path.relative_to(folder)): path.read_bytes() for path in files}


def run(case: Case, folder: Path) -> dict[str, Any]:
    """What a case did."""
    for name, data in case.files.items():
        (folder / name).parent.mkdir(parents=True, exist_ok=True)
        (folder / name).write_bytes(data)
    before = snapshot(folder)
    begun = time.monotonic()
    child = os.fork()
    if child == 0:
        run_in_child(case, folder)
    _, status, used = os.wait4(child, 0)
    read = {name: folder.with_suffix(f".{name}").read_bytes().decode(errors="replace") for name in ("err", "noted")}
    result = {
        "name": case.name,
        "code": os.waitstatus_to_exitcode(status),
        "cpu": used.ru_utime + used.ru_stime,
        "seconds": time.monotonic() - begun,
        "told": read["err"][:3000],
        "length": len(read["err"]),
        "noted": read["noted"],
        "untouched": snapshot(folder) == before,
        "recipe": case.arguments[:2] == ("run", "r.yaml"),
    }
    shutil.rmtree(folder)
    return result


def main() -> None:
    """Run all cases, or those of the families that are named after the other arguments."""
    folder, seed, count = Path(sys.argv[1]), sys.argv[2], int(sys.argv[3])
    families = sys.argv[4:] or [*FAMILIES]
    sys.dont_write_bytecode = True
    for name in LOADED:
        importlib.import_module(name)
    importlib.import_module("generator.cli")
    cases = list(chosen(seed, count, families))
    gc.freeze()
    for number, (family, case) in enumerate(cases):
        place = folder / f"case{number}"
        place.mkdir()
        sys.stdout.write(json.dumps({"family": family, **run(case, place)}) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
