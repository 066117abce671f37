"""Read a recipe file; every fault is reported with file, line, path and the nearest valid name."""

from collections.abc import Iterable, Iterator
from itertools import chain
from pathlib import Path

import msgspec

from generator.core.declared import beside, read
from generator.core.documents import Document, Place, read_document, read_text
from generator.core.errors import RecipeError
from generator.recipe.combinations import combination_faults
from generator.recipe.faults import FormatOptions, RecipeFault, change, raise_faults, unknown_names, wrong_formats
from generator.recipe.files import is_there, missing_files, missing_tool_files, named_files
from generator.recipe.key_types import MOST_ROWS, FormatChoice, read_format
from generator.recipe.llm import Llm, LlmUse, of_writer, with_uses
from generator.recipe.recipe import Recipe
from generator.recipe.settings import Scripts, Writer

_NO_OPTIONS: FormatOptions = {}


def load_recipe(
    path: Path,
    *,
    scenarios: Iterable[str],
    formats: Iterable[str],
    format_options: FormatOptions = _NO_OPTIONS,
) -> Recipe:
    """Return the recipe in a YAML or JSON file, with paths relative to its folder.

    It may name these scenarios and formats, and choose these options of formats.

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
    written = document.value
    recipe, choices = _recipe(document, format_options)
    uses = list(places_of_models(recipe))
    found = chain(
        unknown_names(written, recipe, tuple(scenarios)),
        wrong_formats(choices, recipe, tuple(formats), format_options),
        missing_tool_files(written, recipe.tools),
        missing_files(named_files(recipe)),
        combination_faults(written, recipe, uses),
        _unusable_cache(recipe),
    )
    raise_faults(document, found)
    is_asked = bool(uses) or (recipe.scripts is not None and bool(recipe.scripts.asked))
    return recipe if is_asked else msgspec.structs.replace(recipe, llm=None)


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


def _recipe(document: Document, format_options: FormatOptions) -> tuple[Recipe, list[FormatChoice]]:
    """Return the recipe as it is held, and its formats as they are written."""
    recipe = read(Recipe, document, document.value, (), RecipeError)
    path = Path(document.path)
    choices = [read_format(written) for written in document.value.get("formats", recipe.formats)]
    formats = tuple(_format_name(name, dict(chosen), format_options) for name, chosen in choices)
    llm = recipe.llm
    scripts, writers = recipe.scripts, dict[str, Llm]()
    if scripts is not None:
        scripts, writers = _with_writers(scripts, llm, document)
    llm = llm or next(iter(writers.values()), None)
    if llm is not None:
        llm = with_uses(_beside_recipe(llm, path), recipe.solve, writers)
        uses = {use: _beside_recipe(one, path) for use, one in llm.uses.items()}
        llm = msgspec.structs.replace(llm, uses=uses, named={})
    solve = recipe.solve and msgspec.structs.replace(  # models are held with those of other uses
        recipe.solve, model=LlmUse(), reader=recipe.solve.reader and LlmUse()
    )
    held = {"solve": solve, "path": path, "text": document.text, "formats": formats, "llm": llm, "scripts": scripts}
    return msgspec.structs.replace(recipe, **held), choices


def _beside_recipe(llm: Llm, recipe: Path) -> Llm:
    """Return the model with the path of a GGUF file relative to the recipe."""
    file = llm.model.removeprefix("local:") if llm.model.startswith("local:") else ""
    return msgspec.structs.replace(llm, model=f"local:{beside(recipe, file)}") if file else llm


def _with_writers(scripts: Scripts, llm: Llm | None, document: Document) -> tuple[Scripts, dict[str, Llm]]:
    """Return the same with the weights of its writers and what stands in its files of topics and people, and the writers as they are asked.

    Raises:
        RecipeError: for a model without a name, and for a file that cannot be read.
    """
    named = scripts.writers if scripts.model is None else (Writer(model=scripts.model), *scripts.writers)
    place: Place = ("scripts", "model" if scripts.model is not None else "writers")
    try:
        asked = {f"scripts-{at}": of_writer(one.model, llm) for at, one in enumerate(named)}
        texts = {key: _texts_in(getattr(scripts, key)) for key in ("topics", "people")}
    except ValueError as fault:
        raise RecipeError(f"{document.at(place)}: {fault}") from None
    weights = tuple([one.weight for one in named])
    return msgspec.structs.replace(scripts, asked=weights, model=None, writers=(), **texts), asked


def _texts_in(texts: tuple[str, ...] | Path) -> tuple[str, ...]:
    """Return a list of texts, or the lines of a file that say something; raises RecipeError for one that cannot be read."""
    given = read_text(texts, RecipeError).splitlines() if isinstance(texts, Path) else texts
    return tuple([line.strip() for line in given if line.strip() and not line.startswith("#")])


def _format_name(name: str, chosen: dict[str, str], format_options: FormatOptions) -> str:
    """Return the format's full name: that of its family, and of options other than the defaults."""
    options = format_options.get(name, {})
    picked = [(option, chosen.get(option, values[0]), values[0]) for option, values in options.items()]
    return "-".join(
        [name, *[option if value == "true" else value for option, value, usual in picked if value != usual]]
    )


def places_of_models(recipe: Recipe) -> Iterator[Place]:
    """Yield the places of a recipe that ask a model."""
    arguments = recipe.arguments
    if any(name == "llm" for name, _ in arguments.source):
        yield ("arguments", "source")
    if any(other.source == "llm" for other in arguments.overrides.values()):
        yield ("arguments", "overrides")
    if recipe.backend == "llm":
        yield ("backend",)
    if recipe.solve is not None:
        yield ("solve",)
    if recipe.judge is not None:
        yield ("judge",)


def _unusable_cache(recipe: Recipe) -> Iterator[RecipeFault]:
    """Yield the fault of a file of answers that cannot be one."""
    file = recipe.llm.cache if recipe.llm is not None else None
    if file is not None and ("\0" in str(file) or (is_there(Path.exists, file) and not is_there(Path.is_file, file))):
        yield RecipeFault(("llm", "cache"), f"{file} is no file that answers can be kept in")
