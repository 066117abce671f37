"""A static share of a run: every N-th block, made by a command of its own, wherever it runs.

Shards write to one folder, each to a folder of its own in it, and know nothing of each other; `merge` joins them.
"""

import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Annotated

import msgspec

from generator.core.errors import OutputError
from generator.core.files import is_remote, names_in
from generator.recipe import Recipe

AUTO = "auto"
_FOLDER = re.compile(r"shard-[0-9]{5,}-of-[0-9]{5,}")
_MOST = 100_000


class Shard(msgspec.Struct, frozen=True):
    """Shard `index` of `of`, counted from 0: every block whose number leaves `index` when divided by `of`."""

    index: Annotated[int, msgspec.Meta(ge=0)]
    of: Annotated[int, msgspec.Meta(ge=1, le=_MOST)]

    @property
    def folder(self) -> str:
        """The name of its folder in that of the run."""
        return f"shard-{self.index:05}-of-{self.of:05}"


def shard_folders(out: Path) -> Iterator[Path]:
    """Yield the folders of shards that are there, in order; links are none."""
    named_like_shards = [out / name for name in names_in(out) if _FOLDER.fullmatch(name)]
    yield from (path for path in named_like_shards if is_remote(out) or (path.is_dir() and not path.is_symlink()))


def read_shard(text: str, environment: Mapping[str, str]) -> Shard:
    """Return the shard that a command line names.

    Args:
        text: `3/12`, or `auto/12` with the index that a scheduler gave, or `auto` with its number of tasks as well.
        environment: SLURM_ARRAY_TASK_ID, _COUNT, _MIN and _MAX as Slurm sets them in the tasks of an array (man page of
            sbatch, "Output environment variables"), or JOB_COMPLETION_INDEX as Kubernetes does in the pods of an
            indexed job (which does not tell them how many there are).

    Raises:
        OutputError: when that is none.
    """
    first, _, second = text.partition("/")
    index = _index_of_task(environment) if first == AUTO else _number(first, text)
    of = _count_of_tasks(environment) if text == AUTO else _number(second, text)
    if not 1 <= of <= _MOST:
        raise OutputError(f"--shard {text}: from 1 to {_MOST:,} shards can be made")
    if index >= of:
        counted = f" ({_SLURM_ID if _SLURM_ID in environment else _KUBERNETES} is {index})" if first == AUTO else ""
        raise OutputError(f"--shard {text}: shards are counted from 0 to {of - 1}{counted}")
    return Shard(index, of)


_SLURM_ID, _SLURM_COUNT = "SLURM_ARRAY_TASK_ID", "SLURM_ARRAY_TASK_COUNT"
_KUBERNETES = "JOB_COMPLETION_INDEX"


def _number(text: str, whole: str) -> int:
    """Return the number that a part of `--shard I/N` is."""
    if not re.fullmatch(r"[0-9]{1,9}", text):
        raise OutputError(
            f"--shard {whole}: I/N is expected, such as 0/12 for the first of 12, or {AUTO}/12, or {AUTO}"
        )
    return int(text)


def _index_of_task(environment: Mapping[str, str]) -> int:
    """Return the index that a scheduler gave this task."""
    for name in (_SLURM_ID, _KUBERNETES):
        if name in environment:
            return _number_in(environment, name)
    raise OutputError(f"--shard {AUTO}: neither {_SLURM_ID} nor {_KUBERNETES} is set; say --shard I/N")


def _count_of_tasks(environment: Mapping[str, str]) -> int:
    """Return how many tasks the scheduler started, where they are numbered from 0."""
    if _SLURM_ID not in environment:
        raise OutputError(f"--shard {AUTO}: how many shards there are is not known here; say --shard {AUTO}/N")
    if _SLURM_COUNT not in environment:
        raise OutputError(f"--shard {AUTO}: {_SLURM_COUNT} is not set; say --shard {AUTO}/N")
    count = _number_in(environment, _SLURM_COUNT)
    least, most = (
        _number_in(environment, f"SLURM_ARRAY_TASK_{end}", usual) for end, usual in (("MIN", 0), ("MAX", count - 1))
    )
    if (least, most) != (0, count - 1):
        raise OutputError(
            f"--shard {AUTO}: the array has {count} tasks, numbered from {least} to {most}; "
            f"number them from 0 (--array=0-{count - 1}), or say how many shards there are: --shard {AUTO}/N"
        )
    return count


def _number_in(environment: Mapping[str, str], name: str, usual: int | None = None) -> int:
    """Return the number that a variable of the environment holds."""
    text = environment.get(name, usual)
    if not re.fullmatch(r"[0-9]{1,9}", str(text)):
        raise OutputError(f"--shard {AUTO}: {name} is {text!r}; a whole number is expected")
    return int(str(text))


def check_divides(recipe: Recipe) -> None:
    """Raise OutputError for a recipe whose rows cannot be made apart from each other."""
    if not recipe.rows:
        raise OutputError(
            "--shard: with `rows: coverage` the number of rows is found by making them one after the other; "
            "say how many there are with --rows N"
        )
    if recipe.llm is not None:
        raise OutputError(
            "--shard: this recipe asks a model (`llm`): one process makes its rows, within one budget, "
            "with llm.concurrency requests in flight"
        )
