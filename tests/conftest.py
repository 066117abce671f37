"""How tests run here: machines may be slow and shared, and shells start background jobs with SIGINT ignored.

The examples of property tests are the same for everybody, so that a change is judged by what it changes, and a third
as many as Hypothesis would draw. New ones are searched for by `python -m pytest --hypothesis-profile explore`
(docs/architecture.md); what that finds becomes an `@example`.
"""

import gc
import os
import signal
from collections.abc import Iterator

import pytest
from examples import USUAL
from hypothesis import HealthCheck, settings
from read_once import compiled_once, described_once, schemas_once, tools_once

from generator.arguments import sources
from generator.arguments.other_sources import overrides, property_based
from generator.core.toolbox import ToolSpec
from generator.run import prepared
from generator.tools.specs import load

POOL = 40

_ANYWHERE = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.register_profile("same", parent=_ANYWHERE, derandomize=True, max_examples=USUAL // 3)
settings.register_profile(
    "explore", parent=_ANYWHERE, derandomize=False, max_examples=30 * (USUAL // 3), print_blob=True
)
settings.load_profile("same")

# children inherit an ignored signal, but not a handler
signal.signal(signal.SIGINT, signal.default_int_handler)

# tests start this program hundreds of times: it is compiled once, wherever the environment would forbid to keep that
os.environ.pop("PYTHONDONTWRITEBYTECODE", None)


def pytest_xdist_auto_num_workers() -> int:
    """Three workers for two cores: a fifth of the time goes by in waiting for processes that are ended, and for time limits."""
    return (os.cpu_count() or 1) * 3 // 2 or 1


def pytest_collection_finish() -> None:
    """What is imported and collected stays: going through it again and again is a tenth of what tests cost."""
    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(autouse=True, scope="session")
def small_pools() -> Iterator[None]:
    """Pools that Hypothesis draws have few values in tests: 200 take a second, and what is asked of each is the same."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(property_based, "POOL_SIZE", POOL)
        patch.setattr(overrides, "POOL_SIZE", POOL)
        yield


@pytest.fixture(autouse=True, scope="session")
def read_once() -> Iterator[None]:
    """Shipped tools and equal schemas are read once in each process."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(load, "read_tools", tools_once(load.read_tools))
        patch.setattr(sources, "read_schema", schemas_once(sources.read_schema))
        kept: dict[int, ToolSpec] = {}
        patch.setattr(load, "with_descriptions_derived", described_once(load.with_descriptions_derived, kept))
        patch.setattr(prepared, "compile_backend", compiled_once(prepared.compile_backend, kept))
        yield


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config, log):
    """Each worker has a run of neighbouring tests, so that what a module makes for its tests is seldom made twice."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None
