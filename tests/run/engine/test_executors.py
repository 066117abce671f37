"""Every executor makes the same bytes, tells what went wrong, and comes to an end."""

import os
import pickle
import signal
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future
from pathlib import Path

import pytest
from nightly import one_in, some_of
from tiny_run import BLOCK, tiny_recipe

from generator.core.errors import GeneratorError
from generator.formats.run_folder.files import Layout
from generator.run.engine import executors
from generator.run.engine.blocks import Block, BlockRecord, Job
from generator.run.engine.executors import Processes
from generator.run.engine.run import RunOptions, run
from generator.run.row import make_row, prepare

ROWS = 130


def data(folder: Path) -> dict[str, bytes]:
    return {
        path.name: path.read_bytes() for path in folder.iterdir() if path.is_file() and path.name != "manifest.json"
    }


@pytest.fixture(scope="module")
def serial(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("serial")
    run(tiny_recipe(folder, ROWS), folder / "out", how=RunOptions(block_rows=BLOCK))
    return data(folder / "out")


@pytest.mark.parametrize("workers", one_in(3, [2, 1, 3]))
def test_any_number_of_processes_makes_the_same_bytes(tmp_path: Path, serial: dict[str, bytes], workers: int):
    run(
        tiny_recipe(tmp_path, ROWS),
        tmp_path / "out",
        how=RunOptions(block_rows=BLOCK, executor="processes", workers=workers),
    )
    assert data(tmp_path / "out") == serial


@some_of(2, "workers", [2, 3])
def test_processes_that_load_for_themselves_make_the_same_bytes(
    tmp_path: Path, serial: dict[str, bytes], monkeypatch: pytest.MonkeyPatch, workers: int
):
    monkeypatch.setattr(executors, "can_fork", lambda: False)
    run(
        tiny_recipe(tmp_path, ROWS),
        tmp_path / "out",
        how=RunOptions(block_rows=BLOCK, executor="processes", workers=workers),
    )
    assert data(tmp_path / "out") == serial


def test_a_process_with_threads_is_not_copied():
    ended = threading.Event()
    thread = threading.Thread(target=ended.wait)
    thread.start()
    try:
        assert not executors.can_fork()
    finally:
        ended.set()
        thread.join()


def test_little_work_starts_no_process(tmp_path: Path, serial: dict[str, bytes], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(Processes, "run", lambda *_: pytest.fail("a process was started"))
    monkeypatch.setattr("generator.run.engine.run._WORTH_IT", 60.0)  # little work takes long on a loaded machine
    run(tiny_recipe(tmp_path, ROWS), tmp_path / "out", how=RunOptions(block_rows=BLOCK, workers=8))
    assert data(tmp_path / "out") == serial


def test_much_work_does(tmp_path: Path, serial: dict[str, bytes], monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr("generator.run.engine.run._WORTH_IT", -1e9)
    seen: list[int] = []
    through = Processes.run

    def noted(self: Processes, job: Job, blocks: Iterator[Block]) -> Iterator[BlockRecord]:
        for record in through(self, job, blocks):
            seen.append(record.start)
            yield record

    monkeypatch.setattr(Processes, "run", noted)
    run(tiny_recipe(tmp_path, ROWS), tmp_path / "out", how=RunOptions(block_rows=BLOCK, workers=2))
    assert sorted(seen) == [40, 60, 80, 100, 120]
    assert data(tmp_path / "out") == serial


def test_what_is_wrong_in_a_worker_is_told_here(tmp_path: Path):
    recipe = tiny_recipe(tmp_path, ROWS)
    processes = Processes(1)
    job = Job(recipe=recipe, out=tmp_path / "missing", layout=Layout(), made_from={}, digest="x")
    with pytest.raises(GeneratorError, match="changed while the run went on"):
        list(processes.run(job, [Block(0, 1)]))
    processes.close()


class _Pool:
    """Workers that die of some blocks, without the time that real ones take."""

    deadly: Callable[[Block], bool]
    _processes: dict[int, object]

    def __init__(self, *_: object, **__: object) -> None:
        self._processes = {}

    def submit(self, _: object, __: Job, block: Block) -> "Future[BlockRecord]":
        future: Future[BlockRecord] = Future()
        if type(self).deadly(block):
            future.set_exception(executors.BrokenProcessPool())
        else:
            future.set_result(block)  # type: ignore[arg-type]
        return future

    def shutdown(self, **_: object) -> None:
        pass


class TestDeath:
    def blocks(self) -> Iterator[Block]:
        return (Block(start, start + 1) for start in range(9))

    def test_blocks_that_were_lost_are_made_again(self, monkeypatch: pytest.MonkeyPatch):
        left = {3: 2, 4: 1, 8: 3}

        def deadly(block: Block) -> bool:
            left[block.start] = left.get(block.start, 0) - 1
            return left[block.start] >= 0

        monkeypatch.setattr(_Pool, "deadly", staticmethod(deadly), raising=False)
        monkeypatch.setattr(executors, "ProcessPoolExecutor", _Pool)
        made = {block.start for block in Processes(2).run(None, self.blocks())}  # type: ignore[arg-type]
        assert made == set(range(9))

    def test_a_block_that_always_kills_its_worker_ends_the_run(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(_Pool, "deadly", staticmethod(lambda block: block.start == 5), raising=False)
        monkeypatch.setattr(executors, "ProcessPoolExecutor", _Pool)
        with pytest.raises(
            GeneratorError, match=r"a worker process died 4 times while rows 5 to 5 were made .*fewer --workers"
        ):
            list(Processes(1).run(None, self.blocks()))  # type: ignore[arg-type]

    def test_blocks_are_taken_as_they_are_made(self, monkeypatch: pytest.MonkeyPatch):
        monkeypatch.setattr(_Pool, "deadly", staticmethod(lambda block: False), raising=False)
        monkeypatch.setattr(executors, "ProcessPoolExecutor", _Pool)
        taken: list[int] = []

        def blocks() -> Iterator[Block]:
            for start in range(1000):
                taken.append(start)
                yield Block(start, start + 1)

        next(iter(Processes(3).run(None, blocks())))  # type: ignore[arg-type]
        assert len(taken) <= 6


def test_a_worker_leaves_interruptions_to_its_parent(monkeypatch: pytest.MonkeyPatch):
    before = signal.getsignal(signal.SIGINT)
    monkeypatch.setattr(executors, "_end_with_parent", lambda: None)
    try:
        executors.begin_worker()
        os.kill(os.getpid(), signal.SIGINT)
    finally:
        signal.signal(signal.SIGINT, before)


def test_the_parent_makes_blocks_beside_its_workers(
    tmp_path: Path, serial: dict[str, bytes], monkeypatch: pytest.MonkeyPatch
):
    here: list[int] = []
    through = executors.make_block

    def noted(job: Job, block: Block, workshop: executors.PreparedRecipe) -> BlockRecord:
        here.append(block.start)
        return through(job, block, workshop)

    monkeypatch.setattr(executors, "make_block", noted)
    run(
        tiny_recipe(tmp_path, ROWS), tmp_path / "out", how=RunOptions(block_rows=BLOCK, executor="processes", workers=2)
    )
    assert here
    assert not {0, 20} & set(here)  # the first two are the worker's
    assert data(tmp_path / "out") == serial


def test_tools_that_the_parent_has_loaded_make_the_same_rows(tmp_path: Path):
    recipe = tiny_recipe(tmp_path, ROWS)
    loaded = prepare(recipe)
    taken_over = prepare(recipe, pickle.loads(pickle.dumps(loaded.toolbox)))
    for index in range(30):
        assert make_row(taken_over, index) == make_row(loaded, index)
