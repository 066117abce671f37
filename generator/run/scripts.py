"""Scripts tried outside of a run: by `tools check` of a file of scripts, and while a model writes some."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from generator.arguments import compile_source, compile_value
from generator.core.documents import read_document
from generator.core.errors import SpecError
from generator.core.toolbox import Toolbox
from generator.recipe import ArgumentSettings
from generator.scenarios.scripts import Script, read_scripts, script_tools
from generator.scenarios.scripts.trial import Fault, Trial, try_script
from generator.tools.specs.load import load_tools
from generator.world import compile_backend

_SEED = 1


def holds_scripts(path: Path) -> bool:
    """Whether a file is one of scripts."""
    if path.suffix not in (".yaml", ".yml") or not path.is_file():
        return False
    value = read_document(path, SpecError).value
    return isinstance(value, dict) and "scripts" in value


def try_scripts(path: Path) -> Iterator[Trial]:
    """Yield the scripts of a file, each after its trial.

    Raises:
        SpecError: when the file, or one of its spec files, cannot be read.
    """
    file = read_scripts(path)
    tried = trial_of(load_tools(file.tools, seed=_SEED).toolbox)
    for fault in file.faults:
        yield Trial(name="", script=None, faults=(Fault(fault),))
    yield from map(tried, file.scripts)


def trial_of(toolbox: Toolbox) -> Callable[[Script], Trial]:
    """Return what tries scripts with some tools."""
    settings = ArgumentSettings()
    backend = compile_backend(toolbox, partial(compile_value, locale=settings.locale), _SEED)
    sources = {name: compile_source(spec, settings, _SEED, None) for name, spec in toolbox.items()}
    tools = script_tools(toolbox, sources)
    return lambda script: try_script(script, tools, backend.open)
