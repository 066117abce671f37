"""Read a recipe file; every fault is reported with file, line, path and the nearest valid name."""

from collections.abc import Iterable, Iterator
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from generator.documents import Document, Place, read_document, validated
from generator.errors import RecipeError
from generator.recipe.changes import change
from generator.recipe.combinations import (
    impossible_coverage,
    impossible_passes,
    impossible_twins,
    scrambled_thoughts,
    unwritten_preferences,
    without_a_model,
)
from generator.recipe.faults import RecipeFault, raise_faults
from generator.recipe.files import (
    is_there,
    missing,
    missing_goals,
    missing_texts,
    missing_tool_files,
    relative_to_recipe,
)
from generator.recipe.key_types import MOST_ROWS
from generator.recipe.language import DocumentsModel, RecipeModel
from generator.recipe.llm import Budget, Judge, Llm, LlmWording, Price, is_same_model
from generator.recipe.llm_language import LlmModel, UseModel, WordingModel
from generator.recipe.overrides import DISTRIBUTIONS, OverrideModel
from generator.recipe.recipe import (
    ArgumentSettings,
    Dedup,
    Distribution,
    Documents,
    FakerProvider,
    LengthLimits,
    Offer,
    Overlays,
    Override,
    Preferences,
    Recipe,
    Script,
    ValueFile,
    weights,
)
from generator.recipe.sources import backends, files_of_backends, tool_file
from generator.recipe.unknown_names import FormatOptions, unknown_names, wrong_formats

_NO_OPTIONS: FormatOptions = {}


def load_recipe(
    path: Path,
    *,
    scenarios: Iterable[str],
    formats: Iterable[str],
    format_options: FormatOptions = _NO_OPTIONS,
) -> Recipe:
    """Return the recipe in a YAML or JSON file.

    Args:
        path: The file; paths in it are relative to its folder.
        scenarios: Names that `scenarios` may hold.
        formats: Names that `formats` may hold.
        format_options: What can be chosen of formats.

    Raises:
        RecipeError: with one line `file:line: path: what is wrong` for every fault.
    """
    document = read_document(path, RecipeError)
    return load_recipe_document(document, scenarios=scenarios, formats=formats, format_options=format_options)


def load_recipe_document(
    document: Document,
    *,
    scenarios: Iterable[str],
    formats: Iterable[str],
    format_options: FormatOptions = _NO_OPTIONS,
) -> Recipe:
    """Return the recipe in a document that is read already; as `load_recipe`."""
    if not isinstance(document.value, dict):
        raise RecipeError(f"{document.where()}: a recipe is a mapping: 'name', 'rows', 'tools', 'scenarios', …")
    model = validated(RecipeModel, document, document.value, (), RecipeError)
    recipe = _recipe(model, document, format_options)
    uses = list(_uses(recipe))
    found = chain(
        unknown_names(document.value, model, tuple(scenarios)),
        wrong_formats(model, recipe, tuple(formats), format_options),
        missing_tool_files(document.value, recipe.tools),
        missing_texts(recipe.documents),
        missing_goals(recipe.goals),
        without_a_model(recipe, uses),
        _missing_beside(recipe),
        unwritten_preferences(model, recipe),
        impossible_twins(recipe),
        _unusable_cache(recipe),
        _same_reader(recipe),
        impossible_coverage(recipe),
        impossible_passes(recipe),
        scrambled_thoughts(recipe),
        []
        if recipe.rows or recipe.coverage
        else [RecipeFault(("rows",), "'rows: coverage' needs 'coverage: pairwise'")],
    )
    raise_faults(document, found)
    return recipe if uses else msgspec.structs.replace(recipe, llm=None)


def change_recipe(
    recipe: Recipe,
    *,
    rows: int | None = None,
    seed: int | None = None,
    formats: tuple[str, ...] = (),
    known_formats: Iterable[str] = (),
) -> Recipe:
    """Return the recipe with what a command line says instead; what is not given stays."""
    return change(recipe, "rows", MOST_ROWS, count=rows, seed=seed, formats=formats, known=known_formats)


def _recipe(model: RecipeModel, document: Document, format_options: FormatOptions) -> Recipe:
    path = Path(document.path)
    return Recipe(
        path=path,
        text=document.text,
        name=model.name,
        seed=model.seed,
        rows=model.rows,
        tools=tuple(tool_file(tool, partial(relative_to_recipe, path)) for tool in model.tools),
        offer=Offer(distractors=model.offer.distractors, hard=model.offer.hard),
        overlays=_overlays(model),
        scenarios=weights(model.scenarios),
        required_scenarios=tuple(model.required_scenarios),
        calls=model.calls,
        steps=model.steps,
        arguments=_arguments(model, path),
        system=tuple(model.system),
        today=model.today,
        formats=tuple(_format_name(name, dict(chosen), format_options) for name, chosen in model.formats),
        train=model.train,
        records=model.records,
        preferences=_preferences(model),
        twins=model.twins,
        coverage=model.coverage or None,
        goals=tuple(relative_to_recipe(path, file) for file in model.goals),
        splits=weights(model.splits.shares),
        split_by=model.splits.by,
        unique=model.unique,
        dedup=None if model.dedup is None else Dedup(**model.dedup.model_dump()),
        max_share=tuple(model.max_share.items()),
        lengths=_lengths(model, path),
        wording=_wording(model.wording),
        backend=model.backend if isinstance(model.backend, str) else "schema",
        backends=backends(model.backend, partial(relative_to_recipe, path)),
        profile=model.profile,
        judge=Judge(threshold=model.judge.threshold, rubric=model.judge.rubric) if model.judge else None,
        llm=_llm(model.llm, model.wording, path) if model.llm else None,
        thoughts=tuple(model.thoughts),
        replay=model.replay,
        documents=_documents(model.documents, path) if model.documents else Documents(),
    )


def _overlays(model: RecipeModel) -> Overlays:
    return Overlays(
        system=model.overlays.system,
        register=weights({str(name): share for name, share in model.overlays.register_.items()}),
        beside=model.overlays.beside,
        scramble=model.overlays.scramble,
    )


def _arguments(model: RecipeModel, path: Path) -> ArgumentSettings:
    return ArgumentSettings(
        source=weights(model.arguments.source),
        edge_cases=model.arguments.edge_cases,
        optional=model.arguments.optional,
        overrides={name: _override(other, path) for name, other in model.arguments.overrides.items()},
        strategies={name: _script(text, path) for name, text in model.strategies.items()},
        locale=weights(model.locale),
    )


def _wording(wording: WordingModel | None) -> LlmWording | None:
    if wording is None:
        return None
    return LlmWording(language=wording.language, styles=tuple(wording.style), personas=tuple(wording.persona))


def _llm(model: LlmModel, wording: WordingModel | None, recipe: Path) -> Llm:
    plain = model.model_dump(exclude={"model", "budget", "price", "cache", "prompts", "uses"})
    usual = Llm(
        **plain,
        model=_model_name(model.model, recipe),
        budget=Budget(**model.budget.model_dump()),
        price=Price(**model.price.model_dump()) if model.price else None,
        cache=relative_to_recipe(recipe, model.cache) if model.cache else None,
        prompts=relative_to_recipe(recipe, model.prompts) if model.prompts else None,
    )
    named: dict[str, UseModel] = {str(use): one for use, one in model.uses.items()}
    if wording is not None:
        named |= {"wording": wording.llm, "reader": wording.reader}
    return msgspec.structs.replace(usual, uses={use: _of_use(use, one, usual, recipe) for use, one in named.items()})


def _of_use(use: str, model: UseModel, usual: Llm, recipe: Path) -> Llm:
    """Return the model of a use: what it leaves out is as usual, but for what belongs to another model or provider."""
    given = model.model_dump(include=model.model_fields_set - {"model", "price"})
    given["model"] = usual.model if model.model is None else _model_name(model.model, recipe)
    if "price" in model.model_fields_set:
        given["price"] = Price(**model.price.model_dump()) if model.price else None
    foreign: dict[str, Any] = {}
    if given["model"] != usual.model:
        foreign |= {"price": None, "reasoning_effort": None}
    if given["model"].partition("/")[0] != usual.model.partition("/")[0]:
        foreign |= {"api_base": None, "api_key_env": None, "extra_body": {}}
    if use == "reader":
        foreign["temperature"] = 0.0
    return msgspec.structs.replace(usual, **{**foreign, **given})


def _model_name(name: str, recipe: Path) -> str:
    """Return the model's name; the path of a GGUF file is relative to the recipe."""
    file = name.removeprefix("local:") if name.startswith("local:") else ""
    return f"local:{relative_to_recipe(recipe, file)}" if file else name


def _same_reader(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield a fault where the model that rewords would read its own words back."""
    llm = recipe.llm
    if recipe.wording is not None and llm is not None and is_same_model(llm.of("wording"), llm.of("reader")):
        what = f"{llm.of('reader').model} also rewords: another model is expected, since one that reads its own words passes its own mistakes"
        yield RecipeFault(("wording", "reader"), what)


def _documents(model: DocumentsModel, recipe: Path) -> Documents:
    return Documents(
        files=tuple(relative_to_recipe(recipe, file) for file in model.files),
        cuts=weights(model.cuts),
        together=model.together,
        gaps=model.gaps,
        longest=model.longest,
    )


def _override(model: OverrideModel, recipe: Path) -> Override:
    given = model.model_fields_set
    if "value" in given:
        return Override(choose=(model.value,))
    if "choose" in given:
        weights = tuple(weight for _, weight in model.choose)
        return Override(
            choose=tuple(value for value, _ in model.choose), weights=weights if len(set(weights)) > 1 else ()
        )
    if "file" in given:
        return Override(file=ValueFile(file=relative_to_recipe(recipe, model.file), column=model.column or None))
    if "faker" in given:
        return Override(faker=FakerProvider(name=model.faker, arguments=model.with_))
    if "strategy" in given:
        return Override(strategy=_script(model.strategy, recipe))
    if "distribution" in given:
        names = [name for names in DISTRIBUTIONS[model.distribution] for name in names if name in given]
        parameters = {name: float(getattr(model, name)) for name in names}
        return Override(distribution=Distribution(name=model.distribution, parameters=parameters))
    return Override(source=model.source or None, kind=model.kind or None)


def _preferences(model: RecipeModel) -> Preferences:
    wanted = model.preferences
    return Preferences() if wanted is None else Preferences(defects=weights(wanted.defects), per_row=wanted.per_row)


def _lengths(model: RecipeModel, recipe: Path) -> LengthLimits:
    tokenizer = model.lengths.tokenizer
    return LengthLimits(
        tokenizer=relative_to_recipe(recipe, tokenizer) if tokenizer else None, max_tokens=model.lengths.max_tokens
    )


def _script(text: str, recipe: Path) -> Script:
    """Return the strategy that `my_strategies.py:quantities` names; the ending may be left out."""
    file, _, name = text.rpartition(":")
    return Script(file=relative_to_recipe(recipe, file if file.endswith(".py") else f"{file}.py"), name=name)


def _format_name(name: str, chosen: dict[str, str], format_options: FormatOptions) -> str:
    """Return the format's full name: that of its family, and of options other than the defaults."""
    options = format_options.get(name, {})
    picked = [(option, chosen.get(option, values[0]), values[0]) for option, values in options.items()]
    return "-".join(
        [name, *[option if value == "true" else value for option, value, usual in picked if value != usual]]
    )


def _uses(recipe: Recipe) -> Iterator[Place]:
    """Yield the places of a recipe that ask a model."""
    arguments = recipe.arguments
    if any(name == "llm" for name, _ in arguments.source):
        yield ("arguments", "source")
    if any(other.source == "llm" for other in arguments.overrides.values()):
        yield ("arguments", "overrides")
    if recipe.wording is not None:
        yield ("wording",)
    if recipe.backend == "llm":
        yield ("backend",)
    if recipe.judge is not None:
        yield ("judge",)


def _missing_beside(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield files of values and of strategies that are not there."""
    wanted: list[tuple[Place, Path]] = [
        (("strategies", key), script.file) for key, script in recipe.arguments.strategies.items()
    ]
    for key, override in recipe.arguments.overrides.items():
        for word in ("file", "strategy"):
            given = getattr(override, word)
            if given is not None:
                wanted.append((("arguments", "overrides", key, word), given.file))
    if recipe.lengths.tokenizer is not None:
        wanted.append((("lengths", "tokenizer"), recipe.lengths.tokenizer))
    wanted += files_of_backends(recipe.backends)
    for place, file in wanted:
        if not is_there(Path.is_file, file):
            yield missing(place, file)


def _unusable_cache(recipe: Recipe) -> Iterator[RecipeFault]:
    file = recipe.llm.cache if recipe.llm is not None else None
    if file is not None and ("\0" in str(file) or (is_there(Path.exists, file) and not is_there(Path.is_file, file))):
        yield RecipeFault(("llm", "cache"), f"{file} is no file that answers can be kept in")
