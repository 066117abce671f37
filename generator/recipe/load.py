"""Read a recipe file; every fault is reported with file, line, path and the nearest valid name."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from itertools import chain
from pathlib import Path
from typing import Any

import msgspec

from generator.defects import DEFECTS
from generator.documents import Document, Place, nearest, read_document, validated
from generator.errors import RecipeError
from generator.recipe.changes import change
from generator.recipe.faults import RecipeFault, raise_faults
from generator.recipe.files import (
    is_there,
    missing,
    missing_goals,
    missing_texts,
    missing_tool_files,
    relative_to_recipe,
)
from generator.recipe.key_types import MOST_ROWS, PREFERENCE_ROWS
from generator.recipe.language import ARGUMENT_SOURCES, CUTS, DocumentsModel, RecipeModel
from generator.recipe.llm import Budget, Judge, Llm, LlmWording, Price
from generator.recipe.llm_language import LlmModel
from generator.recipe.overrides import DISTRIBUTIONS, WAYS, OverrideModel
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

FormatOptions = Mapping[str, Mapping[str, tuple[str, ...]]]
"""Format -> option -> values, the usual one first."""
_NO_OPTIONS: FormatOptions = {}


def load_recipe(
    path: Path,
    *,
    scenarios: Iterable[str],
    formats: Iterable[str],
    format_options: FormatOptions = _NO_OPTIONS,
    sources: Iterable[str] = ARGUMENT_SOURCES,
) -> Recipe:
    """Return the recipe in a YAML or JSON file.

    Args:
        path: The file; paths in it are relative to its folder.
        scenarios: Names that `scenarios` may hold.
        formats: Names that `formats` may hold.
        format_options: What can be chosen of formats.
        sources: Names that `arguments.source` may hold.

    Raises:
        RecipeError: with one line `file:line: path: what is wrong` for every fault.
    """
    document = read_document(path, RecipeError)
    if not isinstance(document.value, dict):
        raise RecipeError(f"{document.where()}: a recipe is a mapping: 'name', 'rows', 'tools', 'scenarios', …")
    model = validated(RecipeModel, document, document.value, (), RecipeError)
    recipe = _recipe(model, document, format_options)
    uses = list(_uses(recipe))
    found = chain(
        _unknown_names(document.value, model, tuple(scenarios), tuple(sources)),
        _wrong_formats(model, recipe, tuple(formats), format_options),
        missing_tool_files(document.value, recipe.tools),
        missing_texts(recipe.documents),
        missing_goals(recipe.goals),
        _without_a_model(recipe, uses),
        _missing_beside(recipe),
        _unwritten_preferences(model, recipe),
        _impossible_twins(recipe),
        _unusable_cache(recipe),
        _without_coverage(recipe),
        _passes(recipe),
        _scrambled_thoughts(recipe),
        [] if recipe.rows or recipe.coverage else [RecipeFault(("rows",), "'rows: coverage' needs 'coverage: pairwise'")],
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
        overlays=Overlays(
            system=model.overlays.system,
            register=weights({str(name): share for name, share in model.overlays.register_.items()}),
            beside=model.overlays.beside,
            scramble=model.overlays.scramble,
        ),
        scenarios=weights(model.scenarios),
        calls=model.calls,
        steps=model.steps,
        arguments=ArgumentSettings(
            source=weights(model.arguments.source),
            edge_cases=model.arguments.edge_cases,
            optional=model.arguments.optional,
            overrides={name: _override(other, path) for name, other in model.arguments.overrides.items()},
            strategies={name: _script(text, path) for name, text in model.strategies.items()},
            locale=weights(model.locale),
        ),
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
        wording=_wording(model),
        backend=model.backend if isinstance(model.backend, str) else "schema",
        backends=backends(model.backend, partial(relative_to_recipe, path)),
        profile=model.profile,
        judge=Judge(threshold=model.judge.threshold, rubric=model.judge.rubric) if model.judge else None,
        llm=_llm(model.llm, path) if model.llm else None,
        thoughts=tuple(model.thoughts),
        documents=_documents(model.documents, path) if model.documents else Documents(),
    )


def _wording(model: RecipeModel) -> LlmWording | None:
    wording = model.wording
    if wording.source != "llm":
        return None
    return LlmWording(
        language=wording.language,
        styles=tuple(wording.style),
        personas=tuple(wording.persona),
        is_read_back=wording.check == "model",
    )


def _llm(model: LlmModel, recipe: Path) -> Llm:
    plain = model.model_dump(exclude={"model", "budget", "price", "cache", "prompts"})
    local, _, file = model.model.partition(":") if model.model.startswith("local") else ("", "", "")
    return Llm(
        **plain,
        model=f"local:{relative_to_recipe(recipe, file)}" if local and file else model.model,
        budget=Budget(**model.budget.model_dump()),
        price=Price(**model.price.model_dump()) if model.price else None,
        cache=relative_to_recipe(recipe, model.cache) if model.cache else None,
        prompts=relative_to_recipe(recipe, model.prompts) if model.prompts else None,
    )


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
        return Override(choose=tuple(value for value, _ in model.choose), weights=weights if len(set(weights)) > 1 else ())
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


def _unknown_names(
    value: dict[str, Any],
    model: RecipeModel,
    scenarios: tuple[str, ...],
    sources: tuple[str, ...],
) -> Iterator[RecipeFault]:
    yield from _unknown("scenario", value["scenarios"], ("scenarios",), model.scenarios, scenarios)
    yield from _unknown_parts(value, model)
    arguments = value.get("arguments", {})
    place: Place = ("arguments", "source")
    yield from _unknown("source", arguments.get("source"), place, model.arguments.source, sources)
    for name, other in model.arguments.overrides.items():
        if "source" in other.model_fields_set and other.source not in sources:
            near = partial(nearest, other.source, sources)
            yield RecipeFault(("arguments", "overrides", name), f"unknown source {other.source!r}", near)
        elif other.source == "llm" and "#" in name:
            tool = name.partition("#")[0]
            yield RecipeFault(("arguments", "overrides", name), f"llm makes all arguments of a tool at once: name the tool, {tool}")
        elif "#" not in name and "source" not in other.model_fields_set:
            way = next(iter(other.model_fields_set & set(WAYS)))
            yield RecipeFault(("arguments", "overrides", name), f"{way!r} is for one argument: {name}#/argument")
    for name in model.strategies:
        if name in model.arguments.overrides:
            yield RecipeFault(("strategies", name), "arguments.overrides changes this argument too; one of them is enough")


def _unknown_parts(value: dict[str, Any], model: RecipeModel) -> Iterator[RecipeFault]:
    if model.documents is not None:
        yield from _unknown("cut", value["documents"].get("cuts", []), ("documents", "cuts"), model.documents.cuts, CUTS)
    if model.preferences is not None:
        written = value["preferences"].get("defects", [])
        yield from _unknown("defect", written, ("preferences", "defects"), model.preferences.defects, tuple(DEFECTS))


def _format_name(name: str, chosen: dict[str, str], format_options: FormatOptions) -> str:
    """Return the format's full name: that of its family, and of options other than the defaults."""
    options = format_options.get(name, {})
    picked = [(option, chosen.get(option, values[0]), values[0]) for option, values in options.items()]
    return "-".join([name, *[option if value == "true" else value for option, value, usual in picked if value != usual]])


def _wrong_formats(
    model: RecipeModel, recipe: Recipe, formats: tuple[str, ...], format_options: FormatOptions
) -> Iterator[RecipeFault]:
    seen: set[str] = set()
    for index, ((name, chosen), full_name) in enumerate(zip(model.formats, recipe.formats, strict=True)):
        place: Place = ("formats", index)
        options = format_options.get(name, {})
        faults = [
            (option, _wrong_option(name, option, value, options))
            for option, value in chosen
            if value not in options.get(option, ())
        ]
        if name not in formats:
            yield RecipeFault(place, f"unknown format {name!r}", partial(nearest, name, formats))
        elif faults:
            yield from (RecipeFault((*place, option), what) for option, what in faults)
        elif full_name in seen:
            yield RecipeFault(("formats",), f"{full_name!r} stands here twice")
        seen.add(full_name)


def _wrong_option(name: str, option: str, value: str, options: Mapping[str, tuple[str, ...]]) -> str:
    if option not in options:
        return f"unknown option of {name}{nearest(option, options)}" if options else f"{name} has no options"
    return f"{' or '.join(options[option])} is expected, not {value!r}"


def _unknown(word: str, written: Any, place: Place, names: Iterable[str], known: tuple[str, ...]) -> Iterator[RecipeFault]:
    """Yield names that are not known, each at its place in what was written (one name, a list or a mapping)."""
    for index, name in enumerate(names):
        if name not in known:
            step: Place = (index,) if isinstance(written, list) else (name,) if isinstance(written, dict) else ()
            yield RecipeFault((*place, *step), f"unknown {word} {name!r}", partial(nearest, name, known))


def _uses(recipe: Recipe) -> Iterator[Place]:
    """Yield the places of a recipe that ask a model."""
    arguments = recipe.arguments
    if any(name == "llm" for name, _ in arguments.source):
        yield ("arguments", "source")
    if any(other.source == "llm" for other in arguments.overrides.values()):
        yield ("arguments", "overrides")
    if recipe.wording is not None:
        yield ("wording", "source")
    if recipe.backend == "llm":
        yield ("backend",)
    if recipe.judge is not None:
        yield ("judge",)


def _without_a_model(recipe: Recipe, uses: list[Place]) -> Iterator[RecipeFault]:
    """Yield faults for uses of a model in a recipe that names none."""
    if uses and recipe.llm is not None and not recipe.rows:
        what = "a recipe that asks a model has a number of rows: to find out how many reach all, they would be made"
        yield RecipeFault(("rows",), what)
    for place in uses if recipe.llm is None else ():
        yield RecipeFault(place, "this needs a model: add a key 'llm', for example llm: {model: local}")


def _without_coverage(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield faults for keys that cannot be combined with `rows: coverage`."""
    if recipe.coverage and recipe.split_by != "row":
        yield RecipeFault(("splits", "by"), "coverage is of all tools together: splits by row go with it")
    if recipe.coverage and recipe.unique:
        yield RecipeFault(("unique",), "rows aim at what coverage asks for, and cannot be made anew: one of the two keys")
    if recipe.unique and recipe.llm is not None:
        yield RecipeFault(("unique",), "rows that a model is asked about cannot be made anew")


def _passes(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield faults for keys that cannot be combined with those that remove rows, and for shares that no data set has."""
    largest = dict(recipe.max_share).get("scenario", 1.0)
    if largest * len(recipe.scenarios) < 1:
        what = f"{len(recipe.scenarios)} scenarios of at most {largest:g} of the rows each are not all rows"
        yield RecipeFault(("max_share", "scenario"), what)
    if recipe.dedup == Dedup(rows=False, requests=False):
        yield RecipeFault(("dedup",), "removes nothing: leave out `rows: false` or `requests: false`, give `near`, or leave out the key")
    for key, given in (("dedup", recipe.dedup is not None), ("max_share", bool(recipe.max_share))):
        if given and recipe.unique:
            yield RecipeFault((key,), "rows that are alike are made anew (`unique`), so none can be removed: one of the two keys")
        if given and recipe.coverage:
            yield RecipeFault((key,), "rows aim at what coverage asks for, and cannot be removed: one of the two keys")
        if given and recipe.twins:
            yield RecipeFault((key,), "the rows of a family of twins belong together, and have their request in common: one of the two keys")
        if given and recipe.llm is not None:
            yield RecipeFault((key,), "blocks with rows to remove are made again, which rows that a model is asked about cannot be")


def _unwritten_preferences(model: RecipeModel, recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield a fault where a recipe says what is rejected, and writes nothing of it."""
    if model.preferences is not None and not any(name.partition("-")[2] in PREFERENCE_ROWS for name in recipe.formats):
        yield RecipeFault(("preferences",), "no format of the recipe writes what is rejected: add, for example, {name: trl, rows: preference}")


def _impossible_twins(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield faults for keys that cannot be combined with `twins`."""
    if not recipe.twins:
        return
    if [name for name, _ in recipe.scenarios] != ["single"]:
        yield RecipeFault(("scenarios",), "twins are made of requests for one tool: 'scenarios: single' is expected beside them")
    if recipe.unique or recipe.coverage:
        what = "unique" if recipe.unique else "coverage"
        yield RecipeFault((what,), "the rows of a family of twins have their request and calls in common: one of the two keys")
    if recipe.llm is not None:
        yield RecipeFault(("twins",), "rows that a model is asked about have no twins")


def _missing_beside(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield files of values and of strategies that are not there."""
    wanted: list[tuple[Place, Path]] = [(("strategies", key), script.file) for key, script in recipe.arguments.strategies.items()]
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


def _scrambled_thoughts(recipe: Recipe) -> Iterator[RecipeFault]:
    if recipe.overlays.scramble and recipe.thoughts:
        yield RecipeFault(("overlays", "scramble"), "thoughts speak of tools by their names: leave out 'thoughts', or this")


def _unusable_cache(recipe: Recipe) -> Iterator[RecipeFault]:
    file = recipe.llm.cache if recipe.llm is not None else None
    if file is not None and ("\0" in str(file) or (is_there(Path.exists, file) and not is_there(Path.is_file, file))):
        yield RecipeFault(("llm", "cache"), f"{file} is no file that answers can be kept in")
