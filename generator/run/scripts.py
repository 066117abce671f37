"""Scripts tried outside of a run, by `tools check` and while a model writes some; and rows of scripts that are written while they are made."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import msgspec

from generator.arguments import compile_source, compile_value
from generator.core.documents import read_document
from generator.core.errors import SpecError
from generator.core.toolbox import Toolbox
from generator.recipe import ArgumentSettings, Recipe
from generator.scenarios.scripts import ChosenScripts, Script, ScriptRows, read_scripts, script_tools
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


_NO_SHARE = 1e-9


class WrittenScripts(ScriptRows):
    """Which rows are made of scripts that a model writes meanwhile, a request after the other.

    Those of a request make rows from where the scripts before them are used up. So the scripts of a row follow from its index and the answers
    to the requests up to its own, in whatever order these came.
    """

    def __init__(
        self,
        scripts: Sequence[Script],
        recipe: Recipe,
        seed: int,
        scenario_of: Callable[[int], str],
        split_of: Callable[[int], str | None],
    ) -> None:
        assert recipe.scripts is not None
        self.settings = msgspec.structs.replace(recipe.scripts, asked=())
        self._made_with = msgspec.structs.replace(recipe, scripts=self.settings), seed, scenario_of, split_of
        self.scripts = tuple(scripts)
        self._first_rows: dict[str, int] = {}
        self.requests = 0
        """So many have been added."""
        super().__init__(self.scripts, *self._made_with)

    @property
    def rows(self) -> int:
        """For how many rows there are scripts."""
        return int(len(self.scripts) * self.settings.per_script / (self.settings.share or _NO_SHARE))

    def add(self, scripts: Sequence[Script]) -> None:
        """Add the scripts of the next request, as far as they hold."""
        first = self.rows
        self._rows += [self._next(index) for index in range(len(self._rows), first)]
        rows, decks, left, splits = self._rows, self._decks, self._left, self._splits
        self.scripts += tuple(scripts)
        self._first_rows |= {script.name: first for script in scripts}
        super().__init__(self.scripts, *self._made_with)
        self._rows, self._decks, self._left, self._splits = rows, decks, self._left | left, self._splits | splits
        self.requests += 1

    def at(self, index: int, attempt: int) -> ChosenScripts | None:
        """Return the scripts of a row at an attempt; none for one that comes after all for which there are some."""
        return super().at(index, attempt) if index < self.rows else None

    def _of_split(self, scripts: Sequence[Script], index: int) -> list[Script]:
        return [one for one in super()._of_split(scripts, index) if self._first_rows.get(one.name, 0) <= index]
