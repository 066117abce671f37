"""Everything a run needs, loaded and compiled once."""

import gc
import os
import re
from bisect import bisect_right
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache, partial
from itertools import accumulate
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec

from generator.arguments import AskedPools, check_locale, compile_source, compile_value
from generator.core.conversation import DocumentSettings, SourceText
from generator.core.documents import Document, Place, dotted, nearest
from generator.core.errors import GeneratorError, PlanError, RecipeError
from generator.core.files import MOST_BYTES, cached_result, read_regular
from generator.core.profiles import PROFILES
from generator.core.schema_walk import rewrite
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import LeftOut, Toolbox, ToolSpec, WhenUsed, files_of
from generator.dialogue.acts.reason import check_reasons
from generator.dialogue.wording import ToolPhrases, phrases_of_tools
from generator.formats import FORMATS
from generator.formats.files.lengths import measure_by
from generator.llm.asking import Asker
from generator.llm.prompts import Prompts, load_prompts
from generator.recipe import Override, Recipe
from generator.recipe.goals import read_goals
from generator.recipe.llm import Judge
from generator.report.files.contamination import split_of
from generator.run.coverage_targets import CoverageTargets, compile_targets
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS, DocumentScenario, Scenario, Toolkit
from generator.scenarios.defects import why_never
from generator.scenarios.policies import check_policies, read_policies, with_sentences
from generator.scenarios.scripts import (
    SCRIPTED,
    LoadedScripts,
    ScriptRows,
    ScriptTools,
    WrittenScripts,
    check_share,
    kinds_in_words,
    load_scripts,
    script_tools,
    scripts_of,
    served_by,
)
from generator.scenarios.scripts.script import Script
from generator.tools.invariants import Invariants, invariants_beside, read_invariants
from generator.tools.productions import is_said_by_name
from generator.tools.specs.load import LoadedTools, load_tools
from generator.tools.specs.overlays import Description
from generator.world import Backend, Worlds, compile_backend, with_model
from generator.world.state import find_dead_ends

if TYPE_CHECKING:
    from generator.run.worlds import OpenWorlds
    from generator.tools.describing import Derivation


class Uses(msgspec.Struct, frozen=True, kw_only=True):
    """A model in the making of a row."""

    asker: Asker
    prompts: Prompts
    judge: Judge | None


def derive_all(specs: Sequence[ToolSpec]) -> "Derivation":
    """Return what can be derived of the tools of one source, and what cannot.

    It never raises: a tool that cannot be described is named, and the others are described without it.
    """
    from generator.tools.describing import derive

    try:
        return derive(specs)
    except Exception:  # whatever it is, it must not cost the other tools
        return _without_failing(specs)


def _without_failing(specs: Sequence[ToolSpec]) -> "Derivation":
    """Describe the tools that can be described: together, or each by itself where they fail together only."""
    from generator.tools.describing import Derivation, derive

    alone: dict[str, Derivation] = {}
    failed: dict[str, str] = {}
    for spec in specs:
        try:
            alone[spec.name] = derive([spec])
        except Exception as fault:
            failed[spec.name] = f"it cannot be described ({type(fault).__name__}: {fault})"
    try:
        derivation = derive([spec for spec in specs if spec.name in alone])
    except Exception:  # without what they say of each other
        derivation = Derivation(tools={name: derived.tools[name] for name, derived in alone.items()})
    return msgspec.structs.replace(derivation, failed=failed)


def derive_pieces(specs: Sequence[ToolSpec], is_answered: Callable[[ToolSpec], bool] = lambda _: False) -> Description:
    """Return what `load_toolbox` wants of the tools of one source: entities and pieces; none of results that something real gives."""
    derived = derive_all(specs)
    tools = {name: tool.pieces for name, tool in derived.tools.items()}
    answered = {spec.name for spec in specs if is_answered(spec)}
    unknown = {
        name: {key: why for key, why in tool.unknown.items() if key != "returns" or name not in answered}
        for name, tool in derived.tools.items()
    }
    return Description(tools=tools, entities=derived.entities, failed=derived.failed, unknown=unknown)


_MOST_NAMED = 3
"""How many tools that were left out a message names."""


@contextmanager
def naming(left_out: Sequence[LeftOut]) -> Iterator[None]:
    """Add to an error the first of what was left out, which may be what is missing."""
    try:
        yield
    except GeneratorError as fault:
        for left_out_item in left_out[:_MOST_NAMED]:
            fault.add_note(str(left_out_item))
        raise


@contextmanager
def with_lines(recipe: Recipe, place: Place = ()) -> Iterator[None]:
    """Add the recipe's file and line to errors about it and about scenarios that its tools cannot serve; `place` is that of errors without one."""
    try:
        yield
    except (RecipeError, PlanError) as fault:
        place = getattr(fault, "place", ()) or place
        if not place:
            raise
        where = Document(str(recipe.path), recipe.text, None).where(place)
        raise type(fault)(f"{where}: {dotted(place)}: {fault}") from None


def load(recipe: Recipe) -> LoadedTools:
    """Load the tools of a recipe, and name those that cannot be used."""
    profile = PROFILES[recipe.profile] if recipe.profile else None
    with with_lines(recipe):
        derive = partial(derive_pieces, is_answered=partial(_is_answered, recipe))
        loaded = load_tools(recipe.tools, profile=profile, seed=recipe.seed, derive=derive)
        toolbox = loaded.toolbox
        if not toolbox:
            raise RecipeError("the recipe leaves out every tool it loads", ("tools",))
        check_locale(recipe.arguments.locale)
        _check_overrides(recipe, toolbox)
        _check_shares(recipe, toolbox)
    toolbox = {name: _without_fixed(_as_answered(spec, recipe), recipe) for name, spec in toolbox.items()}
    return LoadedTools(toolbox, loaded.left_out)


def _is_answered(recipe: Recipe, spec: ToolSpec) -> bool:
    """Whether something real answers calls of a tool."""
    return recipe.backend == "llm" or recipe.answered_by(spec) is not None


def _as_answered(spec: ToolSpec, recipe: Recipe) -> ToolSpec:
    """Return the tool without an effect that nobody wrote by hand where a real backend answers its calls, which knows better what they do."""
    if recipe.answered_by(spec) is not None and spec.origins.get("effect") in ("derived", "model"):
        shown = rewrite(spec.returns, lambda part, _: {key: one for key, one in part.items() if key != "x-field"})
        return msgspec.structs.replace(spec, effect=None, returns=shown)
    return spec


def _check_overrides(recipe: Recipe, toolbox: Toolbox) -> None:
    """Raise RecipeError for an override or a strategy of a tool that is not there."""
    places = [("arguments", "overrides", key) for key in recipe.arguments.overrides]
    for place in [*places, *[("strategies", key) for key in recipe.arguments.strategies]]:
        tool = place[-1].partition("#")[0]
        if tool not in toolbox:
            raise RecipeError(f"there is no tool {tool!r}{nearest(tool, toolbox)}", place)


_WITHOUT_CALLS = frozenset({"irrelevant", "near_miss", "direct_answer", *DOCUMENT_SCENARIOS})
"""Scenarios with rows that call nothing."""


def _check_shares(recipe: Recipe, toolbox: Toolbox) -> None:
    """Raise RecipeError for a largest share of a tool with which all tools together are in fewer than all rows."""
    largest = dict(recipe.max_share).get("tool", 1.0)
    if largest * len(toolbox) < 1 and _WITHOUT_CALLS.isdisjoint(name for name, _ in recipe.scenarios):
        what = (
            f"{len(toolbox)} tools in at most {largest:g} of the rows each are not in all rows, and each row calls one"
        )
        raise RecipeError(what, ("max_share", "tool"))


def _without_fixed(spec: ToolSpec, recipe: Recipe) -> ToolSpec:
    """Return the tool without asking for several values of an argument for which the recipe leaves one value only."""
    overrides = recipe.arguments.overrides
    fixed = {slot for slot in spec.phrases.vary if len(overrides.get(f"{spec.name}#/{slot}", Override()).choose) == 1}
    if not fixed:
        return spec
    vary = tuple(slot for slot in spec.phrases.vary if slot not in fixed)
    return msgspec.structs.replace(spec, phrases=msgspec.structs.replace(spec.phrases, vary=vary))


class PreparedRecipe(msgspec.Struct, kw_only=True):
    """A recipe, ready to make rows."""

    recipe: Recipe
    seed: int
    """What all random streams of its rows begin with: made of the recipe's seed and name, so that two recipes share none."""
    toolbox: Toolbox
    names: tuple[str, ...]
    """The names of the tools, in the toolbox's order."""
    toolkit: Toolkit
    """The tools with what scenarios ask of them: links, goals, what they find and refuse."""
    sources: dict[str, Callable[[Draw], dict[str, Any]]]
    """How each tool's arguments are drawn."""
    backend: Worlds
    """Opens the world of each row, which answers its calls."""
    phrases: dict[str, ToolPhrases]
    """The compiled phrases of each tool."""
    look_alikes: dict[str, tuple[str, ...]]
    """The other tools, most alike first."""
    scenarios: tuple[Scenario | DocumentScenario, ...]
    scenario_bounds: tuple[float, ...]
    """The weights of the scenarios, added up: the last one is their sum."""
    uses: Uses | None = None
    """A model that is asked; None: rows are made without one."""
    parts: "dict[str, PreparedRecipe]" = {}
    """By split, where splits hold out tools: the same with the tools of the split."""
    aims: CoverageTargets | None = None
    """What the rows should show together, if the recipe asks for coverage."""
    left_out: tuple[LeftOut, ...] = ()
    """Tools that cannot be used, and scenarios that the others cannot serve; the recipe is held without these scenarios."""
    worlds: "OpenWorlds | None" = None
    """Where a model plays the rows: opens their worlds for it."""
    invariants: Invariants
    """What the results of a conversation must agree in."""
    simulated: Worlds
    """What answers calls from their schemas alone; the backend itself where the recipe names no other."""
    scripts: ScriptRows | None = None
    """Which rows are made of scripts, where the recipe has any."""
    scripts_before: int = 0
    """Of how many scripts the row was made already and was like another one."""
    script_tools: ScriptTools | None = None
    """What scripts need of the tools."""
    said_by_name: frozenset[str] = frozenset()
    """Tools of which nobody has written how people ask for them."""
    defects: tuple[tuple[str, float], ...] | None = None
    """What is rejected in preference data, with the weight that decides which defect is tried first; None until it is weighed."""

    @property
    def writes_preferences(self) -> bool:
        """Whether a format of the recipe writes what is rejected."""
        return _writes_preferences(self.recipe.formats)

    def for_row(self, index: int) -> "PreparedRecipe":
        """Return the part of the recipe with the tools that row `index` may see."""
        return self.parts[split_of(self.recipe)(index) or ""] if self.parts else self

    def scenario_of(self, index: int) -> str:
        """Return the name of the scenario that row `index` is drawn with first."""
        draw = Draw(stream_seed(self.seed, "row", index), self.recipe.today[0])
        draw.rand()  # its day
        return self.scenario_at(draw.rand()).name

    def scenario_at(
        self, position: float, without: Collection[Scenario | DocumentScenario] = ()
    ) -> Scenario | DocumentScenario:
        """Return the scenario at a position in [0, 1), where each has a share by its weight.

        None of those `without` is returned if there are others.
        """
        bounds, scenarios = self.scenario_bounds, self.scenarios
        if without:
            left = [
                (scenario, weight)
                for scenario, (_, weight) in zip(scenarios, self.recipe.scenarios, strict=True)
                if scenario not in without and weight
            ]
            if left:
                scenarios = tuple([scenario for scenario, _ in left])
                bounds = tuple(accumulate(weight for _, weight in left))
        at = bisect_right(bounds, position * bounds[-1])
        return scenarios[at] if at < len(scenarios) else scenarios[-1]


@lru_cache(maxsize=64)
def _writes_preferences(formats: tuple[str, ...]) -> bool:
    return any(FORMATS[name].policy.records in ("preferences", "unpaired") for name in formats)


def prepare(recipe: Recipe, toolbox: Toolbox | None = None, asker: Asker | None = None) -> PreparedRecipe:
    """Compile all that the recipe names; what its tools cannot serve is left out. Without an asker, one says what it wants to know.

    Raises:
        GeneratorError: for tools that cannot be used, and when they can serve none of the scenarios, or not one that the
            recipe requires.
    """
    with without_collections():
        loaded = load(recipe) if toolbox is None else LoadedTools(toolbox)
        with naming(loaded.left_out):
            prepared = _with_parts(_compile(recipe, loaded.toolbox, asker))
    return msgspec.structs.replace(prepared, left_out=(*loaded.left_out, *prepared.left_out))


def _compile(recipe: Recipe, toolbox: Toolbox, asker: Asker | None) -> PreparedRecipe:
    """Return the recipe with all that its rows need: policies, scripts, scenarios, makers of arguments, backend."""
    seed = stream_seed(recipe.seed, "recipe", recipe.name)
    compiled = partial(compile_value, locale=recipe.arguments.locale)
    check_reasons(toolbox)
    schema = compile_backend(
        toolbox, compiled, seed, guided=recipe.backend == "llm", sizes=recipe.results, locale=recipe.arguments.locale
    )
    with with_lines(recipe, ("policies",)):
        policies = read_policies(recipe.policies)
        check_policies(policies, toolbox)
        toolbox = with_sentences(toolbox, policies) if policies else toolbox
    with with_lines(recipe):
        measure_by(recipe.lengths.tokenizer)  # refuses a file that is none
        toolkit = Toolkit(
            toolbox,
            recipe.calls,
            recipe.steps,
            _read_sources(recipe),
            _dead_ends(toolbox, schema, (seed, recipe.arguments.locale)),
            read_goals(recipe.goals),
            policies,
        )
    with with_lines(recipe, ("scripts",)):
        scripts = load_scripts(recipe, script_tools(toolbox, {}))
    scenarios, left_out = _scenarios(recipe, toolkit, scripts.scripts)
    recipe = msgspec.structs.replace(
        recipe, scenarios=tuple([(name, weight) for name, weight in recipe.scenarios if name in scenarios])
    )
    _check_defects(recipe)
    if recipe.twins and recipe.split_by in _OF_ROWS:
        with with_lines(recipe, ("twins",)):
            _check_twins(toolkit)
    uses = _uses(recipe, asker)
    pools = None if uses is None else _pools(recipe, uses, toolbox)
    with with_lines(recipe):
        sources = WhenUsed(
            lambda name: compile_source(toolbox[name], recipe.arguments, seed, pools),
            [name for name, spec in toolbox.items() if recipe.arguments.overrides or not spec.is_tested],
        )
    backend: Worlds = schema
    if uses is not None and recipe.backend == "llm":
        backend = with_model(schema, uses.asker, uses.prompts, toolbox)
    if recipe.has_real_backend:
        from generator.run.worlds import real_backend, recorded_arguments  # handlers only where they answer

        with with_lines(recipe):
            backend = real_backend(recipe, toolbox, schema)
        sources |= {name: draws for name, spec in toolbox.items() if (draws := recorded_arguments(backend, spec))}
    worlds = None
    if recipe.solve is not None:
        from generator.run.worlds import OpenWorlds  # episodes only where rows are played

        worlds = OpenWorlds(recipe, toolbox, seed, backend)
    prepared = PreparedRecipe(
        recipe=recipe,
        seed=seed,
        toolbox=toolbox,
        names=tuple(toolbox),
        said_by_name=frozenset([name for name, spec in toolbox.items() if is_said_by_name(spec)]),
        toolkit=toolkit,
        sources=sources,
        backend=backend,
        phrases=phrases_of_tools(toolbox),
        look_alikes=LookAlikes(toolbox),
        scenarios=tuple(scenarios.values()),
        scenario_bounds=tuple(accumulate(weight for _, weight in recipe.scenarios)),
        aims=compile_targets(recipe, seed, tuple(scenarios.values()), toolkit, sources),
        left_out=(*left_out, *scripts.left_out),
        invariants=read_invariants(invariants_beside([tool.file for tool in recipe.tools])),
        simulated=schema,
        uses=uses,
        worlds=worlds,
    )
    return prepared if scripts_of(recipe) is None else _with_scripts(prepared, scripts)


def _pools(recipe: Recipe, uses: Uses, toolbox: Toolbox) -> AskedPools:
    """Return what makes pools by asking a model: for the people and occasions of the recipe's scripts, where it names some."""
    from generator.run.authoring.asking import words  # and with it all that asks a model

    people_and_topics = {key: getattr(recipe.scripts, key, ()) or words()[key] for key in ("people", "topics")}
    tools = tuple([f"{name}: {spec.tool.description or ''}".split("\n", 1)[0] for name, spec in toolbox.items()])
    return AskedPools(uses.asker, uses.prompts, recipe.today[0], **people_and_topics, tools=tools)


def _dead_ends(toolbox: Toolbox, backend: Backend, drawn_with: tuple[Any, ...]) -> frozenset[tuple[str, str]]:
    """Return which tools always fail after which; tried once for tools that come with the program, as long as their files stay the same."""
    return cached_result(
        ("dead_ends", drawn_with, *toolbox),
        lambda: find_dead_ends(backend.effects, backend.population),
        lambda _: all(spec.is_tested for spec in toolbox.values()),
        files_of(toolbox.values()),
    )


def _with_scripts(prepared: PreparedRecipe, loaded: LoadedScripts) -> PreparedRecipe:
    """Return the prepared recipe with the scripts that its tools can serve.

    Raises:
        RecipeError: when all rows are to be of scripts, and there are too few; and for calls that something else than a world answers.
    """
    recipe = prepared.recipe
    tools = script_tools(prepared.toolbox, prepared.sources)
    with with_lines(recipe, ("scripts",)):
        if recipe.has_real_backend and not isinstance(prepared.backend, Backend):
            raise RecipeError(
                "scripts are played in simulated worlds, and something else answers calls here: take out 'scripts', "
                "or have `backend: schema` answer all tools",
                ("scripts",),
            )
        is_written = recipe.scripts is not None and recipe.scripts.in_run
        kind = WrittenScripts if is_written else ScriptRows
        rows = kind(loaded.scripts, recipe, prepared.seed, prepared.scenario_of, split_of(recipe))
        if faults := [] if is_written else list(check_share(rows, recipe)):
            raise RecipeError("; ".join(faults), ("scripts",))
    return msgspec.structs.replace(prepared, scripts=rows, script_tools=tools)


_OF_ROWS = ("row", "script")
"""What divides rows, not tools."""
_MOST_ASSIGNMENTS = 200
"""How many ways to divide the tools are tried until the tools of every split can serve every scenario."""


def _with_parts(prepared: PreparedRecipe) -> PreparedRecipe:
    """Return the prepared recipe with a part for each split, where its splits hold out tools or domains."""
    recipe = prepared.recipe
    if recipe.split_by in _OF_ROWS:
        return prepared
    fault = PlanError("")
    with with_lines(recipe, ("splits",)):
        for attempt in range(_MOST_ASSIGNMENTS):
            dealt = _assign_to_splits(recipe, prepared.toolbox, attempt)
            try:
                parts = {split: _part(prepared, split, names) for split, names in dealt.items()}
            except PlanError as refused:
                fault = refused
            else:
                return msgspec.structs.replace(prepared, parts=parts)
        raise PlanError(f"the tools cannot be divided by {recipe.split_by}: {fault}")


def _part(prepared: PreparedRecipe, split: str, names: list[str]) -> PreparedRecipe:
    """Return what the rows of one split are made from; raises PlanError when its tools cannot serve a scenario."""
    recipe = prepared.recipe
    toolbox = {name: prepared.toolbox[name] for name in names}
    toolkit = Toolkit(toolbox, recipe.calls, recipe.steps, prepared.toolkit.sources)
    scripts = None if prepared.scripts is None else prepared.scripts.of_part(split, toolbox)
    for name, _ in recipe.scenarios:
        try:
            _scenario(name, toolkit, {} if scripts is None else scripts.served())
        except PlanError as fault:
            raise PlanError(f"the {len(names)} tools of {split!r} cannot serve {name}: {fault}") from None
    if recipe.twins:
        _check_twins(toolkit)
    return msgspec.structs.replace(
        prepared, toolbox=toolbox, names=tuple(names), toolkit=toolkit, look_alikes=LookAlikes(toolbox), scripts=scripts
    )


def _check_twins(toolkit: Toolkit) -> None:
    """Raise PlanError when no tool allows twins."""
    if not toolkit.twin_tools:
        raise PlanError(
            "twins need a tool with a required argument that a request can leave out, and others that have nothing to do with it"
        )


def _scenarios(
    recipe: Recipe, toolkit: Toolkit, scripts: Sequence[Script]
) -> tuple[dict[str, Scenario | DocumentScenario], tuple[LeftOut, ...]]:
    """Return the scenarios that the tools or scripts can serve, by name, and the others.

    Raises:
        PlanError: when they can serve none, or not one that the recipe requires.
    """
    scenarios: dict[str, Scenario | DocumentScenario] = {}
    left_out: list[LeftOut] = []
    fault = PlanError("")
    settings, served = scripts_of(recipe), served_by(scripts)
    if settings is not None and settings.asked:  # which are still to be written
        served = {**dict.fromkeys(SCRIPTED, 1), **served}
    for name, _ in recipe.scenarios:
        try:
            with with_lines(recipe, ("scenarios", name)):
                scenarios[name] = _scenario(name, toolkit, served)
        except PlanError as refused:
            fault = refused
            left_out.append(LeftOut("scenario", name, str(refused)))
            if name in recipe.required_scenarios:
                raise
    if recipe.scenarios and not any(weight for name, weight in recipe.scenarios if name in scenarios):
        raise fault
    return scenarios, tuple(left_out)


def _scenario(name: str, toolkit: Toolkit, served: Mapping[str, int]) -> Scenario | DocumentScenario:
    """Return a scenario by name; raises PlanError when the tools, files or scripts (`served`) cannot serve it."""
    if name in DOCUMENT_SCENARIOS:
        document = DOCUMENT_SCENARIOS[name]
        document.check(toolkit)
        return document
    scenario = SCENARIOS[name]
    if name not in served:
        try:
            scenario.tools(toolkit)
        except PlanError as fault:
            there = f"; those of its tools are: {kinds_in_words(served)}" if name in SCRIPTED else ""
            raise PlanError(f"{fault}{there}") from None
    return scenario


def _uses(recipe: Recipe, asker: Asker | None) -> Uses | None:
    """Return what asks the recipe's model, and with which prompts; None for a recipe without one."""
    if recipe.llm is None:
        return None
    return Uses(asker=asker or Asker(recipe.llm), prompts=load_prompts(recipe.llm.prompts), judge=recipe.judge)


@contextmanager
def without_collections() -> Iterator[None]:
    """Pause garbage collection while loading: nearly all objects stay, and it would take a third of the time."""
    was_on = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()  # and back: what is there now counts as old, so that it is not gone through at once
        gc.unfreeze()
        if was_on:
            gc.enable()


def _check_defects(recipe: Recipe) -> None:
    """Raise PlanError for a wanted defect that no row of the recipe can show."""
    for name, _ in recipe.preferences.defects:
        reason = why_never(name, recipe)
        if reason is not None:
            with with_lines(recipe, ("preferences", "defects", name)):
                raise PlanError(reason)


def _assign_to_splits(recipe: Recipe, toolbox: Toolbox, attempt: int = 0) -> dict[str, list[str]]:
    """Return names of tools by split: tools, or whole domains, assigned at random by the recipe's seed.

    Each split gets about its share of the tools, and at least one. Other attempts divide them otherwise.

    Raises:
        RecipeError: when there are fewer tools (or domains) than splits.
    """
    units: dict[str, list[str]] = {}
    for name, spec in toolbox.items():
        units.setdefault(spec.domain if recipe.split_by == "domain" else name, []).append(name)
    splits = [name for name, _ in recipe.splits]
    if len(units) < len(splits):
        what = f"{len(units)} {recipe.split_by}{'s' if len(units) != 1 else ''}"
        raise RecipeError(f"{what} cannot be divided among {len(splits)} splits", ("splits",))
    order = sorted(units, key=lambda unit: stream_seed(recipe.seed, "_deal", attempt, unit))
    bounds = list(accumulate(share * len(toolbox) for _, share in recipe.splits))
    dealt: dict[str, list[str]] = {split: [] for split in splits}
    at, tools_dealt = 0, 0
    for left, unit in zip(range(len(order), 0, -1), order, strict=True):
        full = dealt[splits[at]] and tools_dealt + len(units[unit]) / 2 > bounds[at]
        if at < len(splits) - 1 and dealt[splits[at]] and (full or left < len(splits) - at):
            at += 1
        dealt[splits[at]] += units[unit]
        tools_dealt += len(units[unit])
    return {split: [name for name in toolbox if name in set(names)] for split, names in dealt.items()}


def _read_sources(recipe: Recipe) -> DocumentSettings:
    """Return the files that documents are made from."""
    documents = recipe.documents
    texts, letters = [], 0
    for at, file in enumerate(documents.files):
        texts.append(_read_text(file, recipe, place := ("documents", "files", at)))
        letters += len(texts[-1].text)
        if letters > MOST_BYTES:
            raise RecipeError(f"these files hold more than {MOST_BYTES:,} characters together", place)
    return DocumentSettings(
        texts=tuple(texts),
        cuts=documents.cuts,
        together=documents.together,
        gaps=documents.gaps,
        longest=documents.longest,
    )


def _read_text(file: Path, recipe: Recipe, place: Place) -> SourceText:
    """Return a source of documents, named by its path from the recipe; raises RecipeError with the place in the recipe."""
    try:
        text = read_regular(file).decode("utf-8")
    except OSError as fault:
        raise RecipeError(f"{file}: cannot be read ({fault.strerror})", place) from None
    except UnicodeDecodeError as fault:
        raise RecipeError(f"{file}: not UTF-8 text (byte {fault.start})", place) from None
    return SourceText(name=Path(os.path.relpath(file, recipe.path.parent)).as_posix(), text=text)


class LookAlikes(dict[str, tuple[str, ...]]):
    """The other tools of each tool, those that share most words of name, parameters and description first.

    They are looked for when a tool is first called: with a hundred tools, comparing all of them takes a while.
    """

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._words = {name: _weighed_words(spec) for name, spec in toolbox.items()}
        self._weights = {name: sum(words.values()) for name, words in self._words.items()}

    def __missing__(self, called: str) -> tuple[str, ...]:
        """Return the other tools, the most alike first: by the words they share, and by their domain."""
        domain, own_words, weight = self._toolbox[called].domain, self._words[called], self._weights[called]
        scores = {}
        for name, other in self._toolbox.items():
            words = self._words[name]
            shared = sum([min(own_words[word], words[word]) for word in own_words if word in words])
            either = weight + self._weights[name] - shared
            scores[name] = (shared / either if either else 0.0) + (0.3 if other.domain == domain else 0.0)
        del scores[called]
        nearest_names = self[called] = tuple(sorted(scores, key=lambda name: -scores[name]))
        return nearest_names


def _weighed_words(spec: ToolSpec) -> dict[str, float]:
    """Return the words about a tool with their weights: of its name 3, of its arguments 1, of its description 0.5."""
    weights: dict[str, float] = {}
    properties = " ".join(spec.properties)
    for text, weight in ((spec.name, 3.0), (properties, 1.0), (spec.tool.description or "", 0.5)):
        for word in re.findall(r"[a-z]{3,}", text.lower().replace("_", " ")):
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights
