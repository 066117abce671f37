"""Ray Core: the bytes of one process on a cluster of two nodes, also when a worker or a node is killed."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest
from command import command
from object_store import files, object_store, objects, told
from tiny_run import BLOCK, tiny_recipe

from generator.core.errors import OutputError
from generator.core.files import place, shipped
from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.run.engine.progress import RowsMade
from generator.run.engine.run import RunOptions, run
from generator.scenarios import SCENARIOS

ROWS = 400
NODE = {"num_cpus": 1, "object_store_memory": 80 << 20, "include_dashboard": False}


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """A head and one more node, with a token; its store of objects is small."""
    with pytest.MonkeyPatch.context() as patch:
        for name, value in {
            "RAY_AUTH_MODE": "token",
            "RAY_AUTH_TOKEN": "7" * 64,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
            "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
            "PYTHONPATH": f"{Path(__file__).parents[3]}{os.pathsep}{os.environ.get('PYTHONPATH', '')}",
        }.items():
            patch.setenv(name, value)
        pytest.importorskip("ray", reason="ray is not installed: pip install -r tests/clusters.txt")
        from ray.cluster_utils import Cluster

        with object_store(patch) as client:
            made = Cluster(initialize_head=True, head_node_args=NODE)
            try:
                made.client = client
                yield made
            finally:
                made.shutdown()


@pytest.fixture(scope="module")
def tiny(tmp_path_factory: pytest.TempPathFactory) -> Recipe:
    return tiny_recipe(tmp_path_factory.mktemp("tiny"), ROWS)


@pytest.fixture(scope="module")
def undisturbed(tiny: Recipe) -> dict[str, object]:
    run(tiny, tiny.path.parent / "whole", how=RunOptions(block_rows=BLOCK))
    return told(files(tiny.path.parent / "whole"))


def how(cluster: Any, **more: Any) -> RunOptions:
    return RunOptions(executor="ray", ray_address=cluster.address, shared_fs=True, block_rows=50, **more)


def once(act: Callable[[], None]) -> Callable[[object], None]:
    """A listener that does something when the first rows are made."""
    waiting = [act]

    def listener(event: object) -> None:
        if isinstance(event, RowsMade) and waiting:
            waiting.pop()()

    return listener


def below(pid: int) -> list[int]:
    """A process and all processes that it has started."""
    found = subprocess.run(["pgrep", "-P", str(pid)], capture_output=True, text=True, check=False).stdout.split()
    return [pid, *(other for child in found for other in below(int(child)))]


def kill(pids: list[int]) -> None:
    for pid in pids:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)


def raylet(node: Any) -> int:
    return int(node.all_processes["raylet"][0].process.pid)


def kill_workers(node: Any) -> None:
    workers = below(raylet(node))[1:]
    busy = [pid for pid in workers if b"ray::_make" in Path(f"/proc/{pid}/cmdline").read_bytes()]
    assert busy
    kill(busy)


def test_two_nodes_make_the_bytes_of_one_process_and_so_does_one_when_the_other_dies(
    cluster, tiny: Recipe, undisturbed, tmp_path
):
    node = cluster.add_node(**NODE)
    run(tiny, tmp_path / "two", how=how(cluster))
    run(tiny, tmp_path / "one", once(lambda: kill(below(raylet(node)))), how(cluster))
    assert told(files(tmp_path / "two")) == told(files(tmp_path / "one")) == undisturbed


def test_a_shipped_recipe_is_made_on_a_cluster(cluster, tmp_path: Path):
    recipe = msgspec.structs.replace(
        load_recipe(shipped("recipes") / "parallel.yaml", scenarios=SCENARIOS, formats=FORMATS), rows=120
    )
    run(recipe, tmp_path / "cluster", how=how(cluster))
    run(recipe, tmp_path / "here", how=RunOptions(executor="serial", block_rows=50))
    assert told(files(tmp_path / "cluster")) == told(files(tmp_path / "here"))


def test_what_dies_with_a_worker_is_made_again_also_in_an_object_store(cluster, tiny: Recipe, undisturbed):
    run(tiny, place("s3://bucket/ray"), once(lambda: kill_workers(cluster.head_node)), how(cluster))
    assert told(objects(cluster.client, "ray")) == undisturbed


def test_a_run_that_ends_too_early_goes_on_in_another_way(cluster, tiny: Recipe, undisturbed, tmp_path):
    def stop() -> None:
        raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run(tiny, tmp_path, once(stop), how(cluster))
    assert 0 < run(tiny, tmp_path).made < ROWS
    assert told(files(tmp_path)) == undisturbed


def test_what_is_wrong_on_a_node_is_told(cluster, tiny: Recipe, tmp_path, monkeypatch):
    monkeypatch.setattr(
        "generator.run.engine.run.identify", lambda recipe, layout: {"versions": {"generator": "0.0.9"}}
    )
    monkeypatch.setattr("generator.run.engine.run.open_recipe", lambda job: SimpleNamespace(left_out=()))
    with pytest.raises(OutputError, match=r'changed while the run went on:\nversions\.generator: "0\.0\.9" before, '):
        run(tiny, tmp_path, how=how(cluster))


def test_a_folder_of_each_node_is_refused(tiny: Recipe, tmp_path: Path):
    pytest.importorskip("ray", reason="ray is not installed: pip install -r tests/clusters.txt")
    with pytest.raises(OutputError, match="every node of head:6379 would write to its own disk"):
        run(tiny, tmp_path / "out", how=RunOptions(executor="ray", ray_address="head:6379"))
    assert not (tmp_path / "out").exists()


def test_a_cluster_without_its_executor_is_told(tiny: Recipe, monkeypatch, capsys):
    ran = command(monkeypatch, capsys)("run", tiny.path, "--ray-address", "head:6379")
    assert (ran.code, "go with --executor ray" in ran.err) == (2, True)


def test_a_cluster_with_another_token_is_told(cluster, tiny: Recipe, tmp_path: Path):
    program = "import sys; from generator.cli import main; main()"
    words = ["run", tiny.path, "--out", tmp_path, "--executor", "ray", "--ray-address", cluster.address, "--shared-fs"]
    done = subprocess.run(
        [sys.executable, "-c", program, *map(str, words)],
        env={**os.environ, "RAY_AUTH_TOKEN": "8" * 64, "RAY_NUM_REDIS_GET_RETRIES": "2"}, capture_output=True, text=True, timeout=200, check=False,
    )  # fmt: skip
    assert done.returncode == 2, done.stderr
    assert f"--ray-address {cluster.address}: this cluster cannot be joined" in done.stderr
    assert "Traceback" not in done.stderr
    assert "8" * 64 not in done.stderr
