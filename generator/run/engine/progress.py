"""What a run tells while it goes on: plain events, and the counts it ends with.

The engine prints nothing; a progress bar, a log or a test listens.
"""

from collections.abc import Callable
from pathlib import Path

import msgspec

from generator.core.toolbox import LeftOut
from generator.formats.run_folder.files import held_by
from generator.formats.run_folder.tally import Tally
from generator.llm.asking import Account
from generator.recipe import Recipe
from generator.run.engine.shard import Shard


class Written(msgspec.Struct, frozen=True):
    """A finished file."""

    path: Path
    rows: int
    bytes: int


class RunStarted(msgspec.Struct, frozen=True):
    """The recipe and its tools are good; rows come next."""

    recipe: Recipe
    out: Path
    there: int = 0
    """Rows that an earlier run made."""
    rows: int | None = None
    """Rows of a shard; None: all of the recipe."""
    left_out: tuple[LeftOut, ...] = ()
    """Tools that cannot be used, and scenarios that the others cannot serve."""


class RowsMade(msgspec.Struct, frozen=True):
    """So many rows are made by now."""

    made: int
    of: int
    account: Account | None = None
    """What asking a model has cost so far."""


class RunStopped(msgspec.Struct, frozen=True):
    """The run ends too early; what is finished is kept, and the same command goes on from there."""

    out: Path
    made: int
    of: int
    asked: bool = False
    """Whether there are answers of a model, which are kept too."""


class RunFinished(msgspec.Struct, frozen=True):
    """All files have their final names."""

    out: Path
    tally: Tally
    files: tuple[Written, ...]
    made: int
    """Rows that were made just now; 0 when the run was finished already."""
    account: Account | None = None
    """What asking a model has cost."""
    confined: bool | None = None
    """As in the manifest."""

    def rows_in(self, format_name: str) -> int:
        """Return how many rows the files of a format hold."""
        return sum(file.rows for file in self.files if held_by(file.path.name).format == format_name)


class ShardFinished(msgspec.Struct, frozen=True):
    """All blocks of a shard are there."""

    out: Path
    """Of the whole run."""
    shard: Shard
    rows: int
    made: int
    """Rows that were made just now."""


class Writing(msgspec.Struct, frozen=True):
    """A model writes what the rows need: so many of the requests of a step are answered."""

    step: str
    done: int
    of: int
    account: Account
    """What asking has cost so far."""


Event = Writing | RunStarted | RowsMade | RunStopped | RunFinished | ShardFinished
Listener = Callable[[Event], None]


def ignore(event: Event) -> None:
    """Listen to nothing."""
