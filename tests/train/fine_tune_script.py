"""benchmarks/fine_tune/fine_tune.py as a module."""

import importlib.util
from functools import cache
from types import ModuleType

from consumers import ROOT


@cache
def script() -> ModuleType:
    """The script, imported from its file."""
    spec = importlib.util.spec_from_file_location("fine_tune", ROOT / "benchmarks/fine_tune/fine_tune.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
