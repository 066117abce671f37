"""Scripts tried outside of a run: `tools check` of a file of scripts."""

from collections.abc import Iterator
from functools import partial
from pathlib import Path

from generator.arguments import compile_source, compile_value
from generator.core.documents import read_document
from generator.core.errors import SpecError
from generator.recipe import ArgumentSettings, ToolFile
from generator.scenarios.scripts import read_scripts, script_tools
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
    toolbox = load_tools(tuple([ToolFile(file=one) for one in file.tools]), seed=_SEED).toolbox
    settings = ArgumentSettings()
    backend = compile_backend(toolbox, partial(compile_value, locale=settings.locale), _SEED)
    sources = {name: compile_source(spec, settings, _SEED, None) for name, spec in toolbox.items()}
    tools = script_tools(toolbox, sources)
    for fault in file.faults:
        yield Trial(name="", script=None, faults=(Fault(fault),))
    for script in file.scripts:
        yield try_script(script, tools, backend.open)
