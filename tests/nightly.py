"""Which members of a family every change is tested with, and which only the nightly job.

`python -m pytest -q -n auto -m nightly` runs what is marked `nightly`; without `-m`, nothing of it runs (pyproject.toml).
A family that takes long keeps a member of every sort in each run. Which ones these are does not change from run to run.
"""

from collections.abc import Collection, Iterable
from typing import Any

import pytest

night = pytest.mark.nightly


def one_in(every: int, members: Iterable[Any], always: Collection[Any] = ()) -> list[Any]:
    """Parameters of a test: the first of `every` so many members and those of `always` in each run, the others at night."""
    return [
        member if not at % every or member in always else pytest.param(member, marks=night)
        for at, member in enumerate(members)
    ]
