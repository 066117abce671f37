"""What of a recipe can be used: tools that others have written, and scenarios with them, are tried out before the run begins; scripts tried outside of a run."""

from collections import Counter
from collections.abc import Callable, Iterator
from datetime import date
from functools import partial
from pathlib import Path
from typing import Any

import msgspec

from generator.arguments import compile_source, compile_value
from generator.core.conversation import Row, ToolCall
from generator.core.documents import read_document
from generator.core.errors import GeneratorError, PlanError, RowError, SpecError
from generator.core.toolbox import LeftOut, Toolbox, ToolSpec
from generator.dialogue.wording import phrases_of_tools
from generator.llm.asking import Asker
from generator.recipe import ArgumentSettings, Recipe
from generator.recipe.settings import Offer
from generator.run.prepared import PreparedRecipe, load, naming, prepare, with_lines
from generator.run.row import make_row
from generator.scenarios import SCENARIOS, Toolkit
from generator.scenarios.scripts import SCRIPTED, Script, read_scripts, script_tools
from generator.scenarios.scripts.trial import Fault, Trial, try_script
from generator.tools.specs.load import LoadedTools, load_tools
from generator.world import compile_backend

ROWS = 40
ENOUGH = 0.9
"""The share of attempts that should be accepted."""
_SEED = 20260301


class ToolTrial(msgspec.Struct, frozen=True, kw_only=True):
    """The results of trial rows of one tool."""

    rows: tuple[Row, ...]
    attempts: int
    refusals: tuple[tuple[str, int], ...]
    """Why attempts were refused, and how often, the most usual first."""

    @property
    def share(self) -> float:
        """The share of attempts that were accepted."""
        return len(self.rows) / self.attempts if self.attempts else 0.0


def try_tool(spec: ToolSpec, rows: int = ROWS) -> ToolTrial:
    """Make rows of one tool."""
    rows_made: list[Row] = []
    refused: Counter[str] = Counter()
    attempts = 0
    try:
        prepared = prepare(recipe_of_trial(rows), {spec.name: spec})
    except GeneratorError as fault:
        return ToolTrial(rows=(), attempts=rows, refusals=((str(fault), rows),))
    for index in range(rows):
        try:
            made_row = make_row(prepared, index)
        except RowError as fault:
            attempts += 1
            refused[str(fault)] += 1
            continue
        attempts += 1 + len(made_row.rejected)
        rows_made.append(made_row.row)
        for row in made_row.rejected:
            refused[f"{row.violations[0].rule} {row.violations[0].message}"] += 1
    return ToolTrial(rows=tuple(rows_made), attempts=attempts, refusals=tuple(refused.most_common()))


def answer_alone(spec: ToolSpec, arguments: dict[str, Any]) -> Any:
    """Return the result of a call of one tool in a world of its own; None when it fails."""
    with prepare(recipe_of_trial(1), {spec.name: spec}).backend.open(_DAY, 0) as world:
        (outcome,) = world.step([ToolCall("worked", spec.name, arguments)])
    return outcome.value if outcome.ok else None


_DAY = date(2026, 3, 12)


def recipe_of_trial(rows: int) -> Recipe:
    """Return the recipe of trial rows: one request, one call, nothing else."""
    return Recipe(
        path=Path("trial.yaml"),
        name="trial",
        seed=_SEED,
        rows=rows,
        tools=(),
        offer=Offer(distractors=(0, 0)),
        scenarios=(("single", 1.0),),
        calls=(2, 3),
        today=(date(2026, 1, 1), date(2026, 12, 31)),
        formats=("openai",),
    )


def prepare_usable(recipe: Recipe, toolbox: Toolbox | None = None, asker: Asker | None = None) -> PreparedRecipe:
    """Load and compile all that the recipe names, without the tools and scenarios that cannot be used; `left_out` names them.

    Raises:
        GeneratorError: for a tool that somebody wrote for this program or that `only` names, for a scenario that the recipe
            requires, and when nothing is left.
    """
    loaded = load(recipe) if toolbox is None else LoadedTools(toolbox)
    toolbox, left_out = loaded.toolbox, list(loaded.left_out)
    with naming(left_out):
        try:
            prepared = prepare(recipe, toolbox, asker)
        except SpecError:
            left_out += _uncompiled(recipe, toolbox)
            toolbox = _without(toolbox, left_out)
            prepared = prepare(recipe, toolbox, asker)
        is_scripted = recipe.scripts is not None and recipe.scripts.share == 1  # then no row has the tools' phrases
        if not is_scripted and any(_can_be_left_out(recipe, spec) for spec in toolbox.values()):
            dead = [*_dead_tools(prepared)]
            if len(dead) == len(toolbox):
                raise PlanError(f"no tool can be used: {dead[0].name}: {dead[0].why}")
            if dead:
                left_out += dead
                prepared = prepare(recipe, _without(toolbox, dead), asker)
            dead = [*_dead_scenarios(prepared)]
            if dead:
                left_out += [*prepared.left_out, *dead]
                gone = {left_out_item.name for left_out_item in left_out if left_out_item.what == "scenario"}
                scenarios = tuple([(name, weight) for name, weight in recipe.scenarios if name not in gone])
                prepared = prepare(msgspec.structs.replace(recipe, scenarios=scenarios), prepared.toolbox, asker)
    return msgspec.structs.replace(prepared, left_out=(*left_out, *prepared.left_out))


def _without(toolbox: Toolbox, left_out: list[LeftOut]) -> Toolbox:
    gone = {one.name for one in left_out}
    return {name: spec for name, spec in toolbox.items() if name not in gone}


def _can_be_left_out(recipe: Recipe, spec: ToolSpec) -> bool:
    """Whether others have written a tool, and the recipe does not ask for it by name."""
    is_foreign = not spec.written or bool(spec.origins)  # what is said of it stands above its own file
    return is_foreign and all(spec.name not in source.only for source in recipe.tools)


def _uncompiled(recipe: Recipe, toolbox: Toolbox) -> list[LeftOut]:
    """Return the tools that cannot be compiled; raises what is wrong with one that cannot be left out."""
    arguments = msgspec.structs.replace(recipe.arguments, source=ArgumentSettings().source)
    value = partial(compile_value, locale=recipe.arguments.locale)
    unusable = []
    for name, spec in toolbox.items():
        try:
            compile_source(spec, arguments, recipe.seed)
            compile_backend({name: spec}, value, recipe.seed)
            phrases_of_tools({name: spec})
        except GeneratorError as fault:
            if not _can_be_left_out(recipe, spec):
                raise
            unusable.append(LeftOut("tool", name, str(fault)))
    return unusable


def _dead_tools(prepared: PreparedRecipe) -> Iterator[LeftOut]:
    """Yield the tools of which no row can be made."""
    for name, spec in prepared.toolbox.items():
        if (
            _can_be_left_out(prepared.recipe, spec) and prepared.recipe.answered_by(spec) is None
        ):  # else not for a trial
            toolkit = Toolkit({name: spec}, prepared.recipe.calls, prepared.recipe.steps)
            alone = msgspec.structs.replace(prepared, toolbox={name: spec}, names=(name,), toolkit=toolkit)
            why = _refusal(alone, "single")
            if why:
                yield LeftOut("tool", name, why)


def _dead_scenarios(prepared: PreparedRecipe) -> Iterator[LeftOut]:
    """Yield the scenarios of which no row can be made, although there are tools for them.

    Raises:
        PlanError: when the recipe requires one of them, or there is no other.
    """
    recipe = prepared.recipe
    names = [name for name, weight in recipe.scenarios if weight and name in SCENARIOS and name not in SCRIPTED]
    if recipe.twins or any(recipe.answered_by(spec) for spec in prepared.toolbox.values()):
        return
    dead = {name: why for name in names if (why := _refusal(prepared, name))}
    for name, why in dead.items():
        if name in recipe.required_scenarios or len(dead) == len(recipe.scenarios):
            with with_lines(recipe, ("scenarios", name)):
                raise PlanError(why)
        yield LeftOut("scenario", name, why)


def _refusal(prepared: PreparedRecipe, scenario: str) -> str:
    """Return why no row of a scenario can be made that is answered from the tools' schemas; empty when one can be made."""
    recipe = prepared.recipe
    trial = msgspec.structs.replace(
        recipe_of_trial(1),
        seed=recipe.seed,
        today=recipe.today,
        calls=recipe.calls,
        steps=recipe.steps,
        scenarios=((scenario, 1.0),),
    )
    sources = prepared.sources
    if prepared.uses is not None:
        sources = {name: compile_source(spec, trial.arguments, trial.seed) for name, spec in prepared.toolbox.items()}
    tried = msgspec.structs.replace(
        prepared,
        recipe=trial,
        sources=sources,
        backend=prepared.simulated,
        scenarios=(SCENARIOS[scenario],),
        scenario_bounds=(1.0,),
        uses=None,
        scripts=None,
        parts={},
        aims=None,
    )
    try:
        make_row(tried, 0)
    except RowError as fault:
        return str(fault).removeprefix("row 0: ")
    return ""


_TRIAL_SEED = 1
"""With which scripts are tried outside of a run."""


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
    tried = trial_of(load_tools(file.tools, seed=_TRIAL_SEED).toolbox)
    for fault in file.faults:
        yield Trial(name="", script=None, faults=(Fault(fault),))
    yield from map(tried, file.scripts)


def trial_of(toolbox: Toolbox) -> Callable[[Script], Trial]:
    """Return what tries scripts with some tools."""
    settings = ArgumentSettings()
    backend = compile_backend(toolbox, partial(compile_value, locale=settings.locale), _TRIAL_SEED)
    sources = {name: compile_source(spec, settings, _TRIAL_SEED, None) for name, spec in toolbox.items()}
    tools = script_tools(toolbox, sources)
    return lambda script: try_script(script, tools, backend.open)
