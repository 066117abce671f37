"""Which members of a family every change is tested with, and which only the nightly job.

`python -m pytest -q -n auto -m nightly` runs what is marked `nightly`; without `-m`, nothing of it runs (pyproject.toml).
A family that takes long keeps a member of every sort in each run. Which ones these are does not change from run to run.
"""

from collections.abc import Collection, Iterable
from typing import Any

import pytest
from _pytest.mark import ParameterSet

night = pytest.mark.nightly


def one_in(every: int, members: Iterable[Any], always: Collection[Any] = ()) -> list[Any]:
    """Parameters of a test: the first of `every` so many members and those of `always` in each run, the others at night."""
    return [
        member if not at % every or member in always else pytest.param(member, marks=night)
        for at, member in enumerate(members)
    ]


def one_case_in(every: int, cases: Iterable[Any]) -> list[Any]:
    """The same for cases of several parameters."""
    parted = [case if isinstance(case, ParameterSet) else pytest.param(*case) for case in cases]
    return [
        pytest.param(*case.values, marks=[*case.marks, *([night] if at % every else [])], id=case.id)
        for at, case in enumerate(parted)
    ]


def some_of(every: int, names: str | tuple[str, ...], members: Iterable[Any], **more: Any) -> pytest.MarkDecorator:
    """`pytest.mark.parametrize` with the first of `every` so many members in each run, and the others at night."""
    cases = one_in(every, members) if isinstance(names, str) else one_case_in(every, members)
    return pytest.mark.parametrize(names, cases, **more)
