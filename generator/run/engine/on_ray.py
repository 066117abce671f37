"""An executor for many machines: every block is a task of Ray Core, which is made again when its worker or its node is lost.

Ray is imported when the first block is handed out. Nodes need this package and Ray in the same versions, and a place that all
of them write to. What stands in the environment is honoured (`RAY_AUTH_MODE`, `RAY_AUTH_TOKEN` and the like:
docs.ray.io, "Ray token authentication"); reports of usage and the dashboard are off.
"""

import os
import secrets
import signal
import stat
import tempfile
import threading
import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from itertools import chain, islice
from pathlib import Path
from typing import Any

import msgspec

from generator.arguments import dump_pools, load_pools
from generator.core.errors import GeneratorError, OutputError, installing
from generator.core.files import is_remote, read_regular
from generator.formats.sinks import write_whole
from generator.run.engine.blocks import Block, BlockRecord, Job, files_of, make_block, open_recipe
from generator.run.engine.executors import AGAIN
from generator.run.prepared import PreparedRecipe


class Bundle(msgspec.Struct, frozen=True, kw_only=True):
    """A job that another machine can run."""

    job: Job
    files: dict[str, bytes]
    """Path below the common folder of the recipe's files → content."""
    places: dict[str, str]
    """Path of a file or of its folder, as the recipe names it → path below the common folder."""
    pools: bytes
    """The values of pools, which have been drawn already."""


def bundle_of(job: Job) -> Bundle:
    """Return the job with the content of all files that its recipe names.

    A module that a Python file imports, and the program of an MCP server, are not among these: every machine must have them.
    """
    paths = [job.recipe.path, *files_of(job.recipe)]
    common = os.path.commonpath([os.path.abspath(path.parent) for path in paths])  # noqa: PTH100  # resolve() would follow links
    places = {str(path): os.path.relpath(path, common) for file in paths for path in (file, file.parent)}
    files = {places[str(path)]: read_regular(path) for path in paths if path.is_file()}
    return Bundle(job=job, files=files, places=places, pools=dump_pools())


def open_bundle(bundle: Bundle, folder: Path) -> Job:
    """Write the files to a folder, where other processes may be writing the same ones, and return the job that uses them there."""
    for relative_path, content in bundle.files.items():
        path = folder / relative_path
        path.parent.mkdir(parents=True, exist_ok=True)
        write_whole(path, [content])
    load_pools(bundle.pools)
    paths_in_folder = {Path(path): folder / relative_path for path, relative_path in bundle.places.items()}
    return msgspec.structs.replace(bundle.job, recipe=_with_paths(bundle.job.recipe, paths_in_folder))


def _with_paths(value: Any, places: dict[Path, Path]) -> Any:
    """Return a value of a recipe with its paths replaced."""
    if isinstance(value, Path):
        return places.get(value, value)
    if isinstance(value, msgspec.Struct):
        fields = {name: getattr(value, name) for name in value.__struct_fields__}
        changed = {name: new for name, old in fields.items() if (new := _with_paths(old, places)) is not old}
        return msgspec.structs.replace(value, **changed) if changed else value
    if isinstance(value, tuple | list):
        items = [_with_paths(item, places) for item in value]
        return type(value)(items) if any(new is not old for new, old in zip(items, value, strict=True)) else value
    if isinstance(value, dict):
        return {key: _with_paths(item, places) for key, item in value.items()}
    return value


_USUAL = {
    "RAY_USAGE_STATS_ENABLED": "0",
    "RAY_ENABLE_UV_RUN_RUNTIME_ENV": "0",
    "RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO": "0",
}
"""No usage reports; no upload of the working directory under `uv run`; no warning about accelerators on import."""
_AUTHENTICATION = ("RAY_AUTH_MODE", "RAY_AUTH_TOKEN", "RAY_AUTH_TOKEN_PATH")
_STORE_BYTES = 100 << 20
"""Shared memory, in bytes, of a cluster of our own: tasks return little."""
_LOOK = 5.0
"""Seconds after which the cores of the cluster are counted again, because nodes come and go."""


def check_ray(out: Path, address: str | None, *, shared: bool) -> None:
    """Raise OutputError when Ray is not installed, or when each node would write to a disk of its own."""
    if find_spec("ray") is None:
        raise OutputError(f"--executor ray needs the package ray: {installing('ray')}")
    if address is not None and not is_remote(out) and not shared:
        raise OutputError(
            f"{out}: every node of {address} would write to its own disk; name a place in an object store (--out s3://…), "
            "or say with --shared-fs that all nodes see this folder under this name"
        )


class Ray:
    """Runs tasks on a Ray cluster, or on one of our own on this machine that ends with the run."""

    def __init__(self, address: str | None, workers: int) -> None:
        """Begin with nothing; `run` joins or starts the cluster.

        Args:
            address: `HOST:6379` of a running cluster that this machine belongs to; None: start one here.
            workers: Cores of that one.
        """
        self._address = address
        self._workers = workers
        self._ray: Any = None
        self._environment: dict[str, str] = {}
        """Environment variables that are set for the time of the run."""
        self._cores, self._looked = 0, 0.0

    def run(self, job: Job, blocks: Iterable[Block]) -> Iterator[BlockRecord]:
        """Make all blocks, at most two for each core at once, and yield their records."""
        rest, flying = iter(blocks), dict[Any, Block]()
        first = next(rest, None)
        if first is None:
            return
        rest = chain([first], rest)
        ray = self._join_cluster()
        with _telling_of_loss(self._address):
            bundle = ray.put(bundle_of(job))
        task = ray.remote(num_cpus=1, max_retries=AGAIN)(_make_on_node)
        while True:
            for block in islice(rest, max(0, 2 * self._count_cores(ray) - len(flying))):
                # in a list, so that it is fetched once for each process and not for each task
                flying[task.remote(job.digest, [bundle], block)] = block
            if not flying:
                return
            with _telling_of_loss(self._address):
                done, _ = ray.wait(list(flying), num_returns=1)
            for future in done:
                yield self._record(ray, future, flying.pop(future))

    def close(self) -> None:
        """Leave the cluster; blocks that are being made are abandoned."""
        if self._ray is not None:
            self._ray.shutdown()
        for name in self._environment:
            os.environ.pop(name, None)
        self._environment = {}

    def _join_cluster(self) -> Any:
        # without a token for a cluster of our own Ray writes one to the home folder, which affects later clusters
        """Join the cluster, or start one, and return the module `ray`."""
        token = {"RAY_AUTH_MODE": "token", "RAY_AUTH_TOKEN": secrets.token_hex(32)}
        local = {} if self._address or any(name in os.environ for name in _AUTHENTICATION) else token
        self._environment = {name: value for name, value in {**_USUAL, **local}.items() if name not in os.environ}
        os.environ.update(self._environment)
        import ray

        where: dict[str, Any] = {"address": self._address} if self._address else {
            "address": "local", "num_cpus": self._workers, "object_store_memory": _STORE_BYTES, "include_dashboard": False,
        }  # fmt: skip
        self._ray = ray
        with _own_signals(), _telling_why_not_joined(self._address):
            ray.init(**where, log_to_driver=False, configure_logging=False)
        return ray

    def _count_cores(self, ray: Any) -> int:
        """Return the number of cores of the cluster, at least one."""
        now = time.monotonic()
        if not self._cores or now - self._looked > _LOOK:
            with _telling_of_loss(self._address):
                self._cores, self._looked = max(1, int(ray.cluster_resources().get("CPU", 1))), now
        return self._cores

    def _record(self, ray: Any, future: Any, block: Block) -> BlockRecord:
        """Return what a task made; raises GeneratorError when the worker was lost too often, or the cluster."""
        errors = ray.exceptions
        with _telling_of_loss(self._address):
            try:
                record: BlockRecord = ray.get(future)
            except errors.RayTaskError as fault:
                raise fault.cause from None
            except (errors.WorkerCrashedError, errors.NodeDiedError, errors.OutOfMemoryError) as fault:
                rows = f"rows {block.start} to {block.stop - 1}"
                killed = "" if isinstance(fault, errors.OutOfMemoryError) else "killed from outside, or "
                raise GeneratorError(
                    f"a worker or its node was lost {AGAIN + 1} times while {rows} were made ({killed}short of memory)"
                ) from None
        return record


@contextmanager
def _own_signals() -> Iterator[None]:
    """Restore the handler of SIGTERM, which Ray replaces."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    usual = signal.getsignal(signal.SIGTERM)
    try:
        yield
    finally:
        signal.signal(signal.SIGTERM, usual)


@contextmanager
def _telling_why_not_joined(address: str | None) -> Iterator[None]:
    """Make of whatever is raised inside why the cluster cannot be started or joined."""
    try:
        yield
    except Exception as fault:  # Ray raises errors of many kinds here: of the network, of versions, of tokens
        first = str(fault).strip().partition("\n")[0]
        if address is None:
            raise GeneratorError(f"--executor ray: no cluster can be started here ({first})") from None
        raise GeneratorError(
            f"--ray-address {address}: this cluster cannot be joined ({first})\n"
            "Give the command on one of its nodes, with RAY_AUTH_MODE and RAY_AUTH_TOKEN as there, and the same versions of Python and Ray."
        ) from None


@contextmanager
def _telling_of_loss(address: str | None) -> Iterator[None]:
    """Make of what Ray raises inside that the cluster was lost."""
    import ray

    try:
        yield
    except ray.exceptions.RayError as fault:
        first = str(fault).strip().partition("\n")[0]
        raise GeneratorError(f"the cluster {address or 'on this machine'} was lost ({first})") from None


_ready: tuple[str, Job, PreparedRecipe] | None = None
"""In a worker process: the digest of the last job, the job with the files on this node, and its prepared recipe."""


def _make_on_node(digest: str, bundle: list[Any], block: Block) -> BlockRecord:
    """Make a block; this is the task that Ray runs on a node."""
    global _ready
    if _ready is None or _ready[0] != digest:
        import ray

        there: Bundle = ray.get(bundle[0])
        job = open_bundle(there, _folder_on_node(digest))
        _ready = digest, job, open_recipe(job)
    record = make_block(_ready[1], block, _ready[2])
    return msgspec.structs.replace(
        record, keys=(), facts=None
    )  # these are read from the block's own record when all are there


def _folder_on_node(digest: str) -> Path:
    """Return the folder in which a node keeps the files of a recipe; it is shared by all tasks, because Ray ends workers without cleaning up."""
    folder = Path(tempfile.gettempdir()) / f"generator-{os.getuid()}-{digest}"
    folder.mkdir(mode=0o700, exist_ok=True)
    folder_stat = folder.lstat()
    if folder_stat.st_uid == os.getuid() and stat.S_ISDIR(folder_stat.st_mode):
        return folder
    return Path(tempfile.mkdtemp(prefix="generator-"))  # the folder belongs to another user, or is a link
