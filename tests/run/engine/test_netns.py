"""Three hosts in network namespaces, one of which dies: the bytes are those of one process.

It changes the network of this machine for a minute, and needs root and iproute2: GENERATOR_NETNS=1 asks for it.
"""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from object_store import files, told
from tiny_run import BLOCK, tiny_recipe

from generator.run.engine.run import RunOptions, run

ROOT = Path(__file__).parents[3]
ROWS = 2000
HOSTS = {f"gen{n}": f"10.213.77.{n}" for n in (1, 2, 3)}
RAY = {
    "RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": "7" * 64, "RAY_USAGE_STATS_ENABLED": "0", "PYTHONPATH": str(ROOT),
}  # fmt: skip

pytestmark = pytest.mark.skipif(
    os.environ.get("GENERATOR_NETNS") != "1", reason="GENERATOR_NETNS=1 lets this test make network namespaces"
)


def ip(*words: str) -> None:
    subprocess.run(["ip", *words], check=True, timeout=20)


def on(host: str, *words: str, **more: object) -> "subprocess.Popen[str]":
    return subprocess.Popen(["ip", "netns", "exec", host, *words], env={**os.environ, **RAY}, text=True, **more)  # type: ignore[call-overload, no-any-return]


def kill_host(host: str) -> None:
    pids = subprocess.run(["ip", "netns", "pids", host], capture_output=True, text=True, check=False).stdout.split()
    subprocess.run(["kill", "-9", *pids], capture_output=True, check=False)


@pytest.fixture
def hosts() -> Iterator[None]:
    """A bridge and three hosts at it."""
    ip("link", "add", "gen-br", "type", "bridge")
    ip("link", "set", "gen-br", "up")
    try:
        for host, address in HOSTS.items():
            ip("netns", "add", host)
            ip("link", "add", f"{host}-v", "type", "veth", "peer", "name", "eth0", "netns", host)
            ip("link", "set", f"{host}-v", "master", "gen-br", "up")
            ip("-n", host, "addr", "add", f"{address}/24", "dev", "eth0")
            ip("-n", host, "link", "set", "eth0", "up")
            ip("-n", host, "link", "set", "lo", "up")
        yield
    finally:
        for host in HOSTS:
            kill_host(host)
            subprocess.run(["ip", "netns", "del", host], check=False)
        ip("link", "del", "gen-br")


def test_a_host_that_dies_is_done_without(hosts: None, tmp_path: Path):
    pytest.importorskip("ray", reason="ray is not installed: pip install -r tests/clusters.txt")
    recipe = tiny_recipe(tmp_path, ROWS)
    run(recipe, tmp_path / "whole", how=RunOptions(block_rows=BLOCK))
    head = f"{HOSTS['gen1']}:6379"
    ray = [
        sys.executable,
        "-m",
        "ray.scripts.scripts",
        "start",
        "--num-cpus=1",
        "--object-store-memory=80000000",
        "--disable-usage-stats",
    ]
    usual = {"stdout": subprocess.DEVNULL, "stderr": subprocess.DEVNULL, "cwd": tmp_path}
    assert on("gen1", *ray, "--head", "--port=6379", f"--node-ip-address={HOSTS['gen1']}", **usual).wait(90) == 0
    for host in ("gen2", "gen3"):
        assert on(host, *ray, f"--address={head}", f"--node-ip-address={HOSTS[host]}", **usual).wait(90) == 0
    words = ["--out", tmp_path / "out", "--executor", "ray", "--ray-address", head, "--shared-fs"]
    command = [sys.executable, "-m", "generator", "run", recipe.path, *words]
    made = on("gen1", *map(str, command), cwd=tmp_path, stderr=subprocess.PIPE, stdout=subprocess.DEVNULL)
    end = time.monotonic() + 120
    while not list((tmp_path / "out").glob(".parts/*.part")) and made.poll() is None and time.monotonic() < end:
        time.sleep(0.01)
    assert made.poll() is None, made.communicate()
    kill_host("gen3")
    _, errors = made.communicate(timeout=200)
    assert made.returncode == 0, errors
    assert told(files(tmp_path / "out")) == told(files(tmp_path / "whole"))
