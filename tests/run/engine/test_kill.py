"""Runs that are killed: whatever was lost is made again, and in the end the bytes are those of an undisturbed run.

Not covered: losing power (that what was flushed is on the disk is the file system's promise).
"""

import contextlib
import os
import random
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from nightly import night
from tiny_run import tiny_recipe

ROOT = Path(__file__).parents[3]
PROGRAM = ROOT / "tests" / "tiny_run.py"
ROWS = 300
LONGEST = 60
"""Seconds after which a run hangs."""


def start(
    folder: Path, out: Path, executor: str, workers: int = 2, before: str = "", rows: int = ROWS
) -> "subprocess.Popen[str]":
    command = [sys.executable, str(PROGRAM), "make", *map(str, (folder, out, rows, executor, workers))]
    return subprocess.Popen(
        ["bash", "-c", f'{before} exec "$@"', "bash", *command],
        cwd=ROOT,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )


def finish(process: "subprocess.Popen[str]") -> tuple[int, str]:
    _, told = process.communicate(timeout=LONGEST)
    return process.returncode, told


def data(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "manifest.json"
    }


def children(pid: int) -> list[int]:
    """Workers of a run (the process that tracks shared resources is none)."""
    found = []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        with contextlib.suppress(OSError):
            parent = int(stat.read_text().rpartition(")")[2].split()[1])
            if parent == pid and "resource_tracker" not in (stat.parent / "cmdline").read_text():
                found.append(int(stat.parent.name))
    return found


def until(condition, process: "subprocess.Popen[str]") -> None:
    """Wait until it holds or the process ends."""
    end = time.monotonic() + LONGEST
    while not condition() and process.poll() is None and time.monotonic() < end:
        time.sleep(0.005)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("undisturbed")
    assert finish(start(folder, folder / "out", "serial")) == (0, "")
    return data(folder / "out")


@pytest.fixture
def kill_later() -> Iterator[list["subprocess.Popen[str]"]]:
    """Processes that must not outlive the test."""
    processes: list[subprocess.Popen[str]] = []
    yield processes
    for process in processes:
        with contextlib.suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
        process.communicate()


@pytest.mark.parametrize(
    ("executor", "kills"),
    [("serial", 2), *[pytest.param(how, 20, marks=night) for how in ("serial", "processes")]],
)
def test_the_whole_group_killed_at_random_moments(
    tmp_path: Path, undisturbed: dict[str, bytes], executor: str, kills: int
):
    moments = random.Random(5)
    killed = 0
    for round_ in range(3 * kills):
        out = tmp_path / f"out{round_}"
        while killed < kills:
            process = start(tmp_path, out, executor)
            until((out / ".parts" / "run.json").exists, process)
            time.sleep(moments.uniform(0, 1.2 if executor == "processes" else 0.25))
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            code, told = finish(process)
            assert code in (0, -signal.SIGKILL), told
            killed += code != 0
            if code == 0:
                break
        assert finish(start(tmp_path, out, executor)) == (0, "")
        assert data(out) == undisturbed
        if killed == kills:
            return
    raise AssertionError("the runs ended before they could be killed")


def test_dying_before_any_step_on_disk(tmp_path: Path):
    command = [sys.executable, str(PROGRAM), "crash", str(tmp_path), str(tmp_path / "out"), "35"]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=LONGEST, check=False)
    assert done.stderr == ""
    assert int(done.stdout) > 10
    whole = subprocess.run(
        [sys.executable, str(PROGRAM), "make", str(tmp_path), str(tmp_path / "whole"), "35", "serial", "1"],
        env=environment,
        timeout=LONGEST,
        check=True,
    )
    assert whole.returncode == 0
    assert data(tmp_path / "out") == data(tmp_path / "whole")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == sorted(
        [*data(tmp_path / "whole"), "manifest.json"]
    )


def test_one_worker_killed(tmp_path: Path, undisturbed: dict[str, bytes], kill_later: list):
    process = start(tmp_path, tmp_path / "out", "processes", workers=3)
    kill_later.append(process)
    until(lambda: len(children(process.pid)) == 2 and len(list((tmp_path / "out").glob(".parts/0*.json"))) > 1, process)
    for worker in children(process.pid)[:1]:
        os.kill(worker, signal.SIGKILL)
    assert finish(process) == (0, "")
    assert data(tmp_path / "out") == undisturbed


@night
@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_stopped_with_workers(tmp_path: Path, kill_later: list, sent: signal.Signals):
    tiny_recipe(tmp_path, 9000)
    command = [sys.executable, "-m", "generator", "run", str(tmp_path / "recipe.yaml"), "--out", str(tmp_path / "out")]
    process = subprocess.Popen(
        [*command, "--executor", "processes", "--workers", "2", "--quiet"],
        cwd=ROOT,
        text=True,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        start_new_session=True,
    )
    kill_later.append(process)
    until(lambda: list((tmp_path / "out").glob(".parts/0*.json")), process)
    workers = children(process.pid)
    (os.killpg if sent == signal.SIGINT else os.kill)(process.pid, sent)
    code, told = finish(process)
    assert code == 128 + sent
    first, *others = told.split("\n")
    assert first.endswith("000 of 9,000 rows are kept; the same command goes on from there.")
    assert [line for line in others if line] == (["Interrupted."] if sent == signal.SIGINT else [])
    assert _all_end(workers)


@night
def test_an_interruption_while_workers_load_is_told_once(tmp_path: Path, kill_later: list):
    for moment in (0.0, 0.4):
        out = tmp_path / f"out{moment}"
        process = start(tmp_path, out, "processes", workers=3, rows=100 * ROWS)
        kill_later.append(process)
        until(lambda found=process.pid: len(children(found)) == 2, process)
        time.sleep(moment)
        os.killpg(process.pid, signal.SIGINT)
        code, told = finish(process)
        assert code == -signal.SIGINT
        assert told.count("KeyboardInterrupt") == 1, told  # the program's own
        assert "Process-" not in told  # as Python names workers that fail


def test_workers_end_with_their_parent(tmp_path: Path, kill_later: list):
    process = start(tmp_path, tmp_path / "out", "processes", workers=3)
    kill_later.append(process)
    until(lambda: len(children(process.pid)) == 2, process)
    workers = children(process.pid)
    os.kill(process.pid, signal.SIGKILL)
    assert _all_end(workers)


def _all_end(workers: list[int]) -> bool:
    """Whether all come to their end within the time that a loaded machine may take to run each once more."""
    end = time.monotonic() + LONGEST
    while time.monotonic() < end and any(_runs(worker) for worker in workers):
        time.sleep(0.02)
    return not any(_runs(worker) for worker in workers)


def _runs(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.mark.parametrize("executor", ["serial", pytest.param("processes", marks=night)])
def test_a_disk_that_is_full(tmp_path: Path, undisturbed: dict[str, bytes], executor: str):
    # no file may grow beyond 100 kB: blocks fit, the files of the data set do not
    code, told = finish(start(tmp_path, tmp_path / "out", executor, before="ulimit -f 100;"))
    assert code == 1
    assert told.splitlines()[-1].endswith("cannot be written: the disk is full, or the file may not grow further")
    assert not data(tmp_path / "out")
    assert len(list((tmp_path / "out").glob(".parts/0*.json"))) > 1
    assert finish(start(tmp_path, tmp_path / "out", executor)) == (0, "")
    assert data(tmp_path / "out") == undisturbed
