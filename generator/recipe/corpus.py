"""The recipe language of corpora (`kind: corpus`): what a corpus for parsers is made from."""

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Annotated, Any, Literal

import msgspec
from pydantic import AfterValidator, BeforeValidator, Field

from generator.documents import nearest, read_document, validated
from generator.errors import RecipeError
from generator.recipe.changes import change
from generator.recipe.faults import RecipeFault, raise_faults
from generator.recipe.files import is_there, missing, missing_tool_files, relative_to_recipe
from generator.recipe.key_types import SLUG, Mix, distinct, weights_schema
from generator.recipe.recipe import ToolFile, Weights, weights
from generator.recipe.sources import tool_file
from generator.recipe.strict import Strict
from generator.recipe.tool_language import ToolFileModel, as_source

KINDS = ("valid", "broken", "no_call")
MOST_CASES = 10**6


class CorpusModel(Strict):
    """A recipe of a corpus: cases with a known outcome, for those who write parsers."""

    schema_: str = Field(default="", alias="$schema", description="For editors; has no effect.")
    kind: Literal["corpus"] = Field(description="Make a corpus for parsers instead of a data set.")
    name: str = Field(pattern=SLUG, description="Name of the corpus; its files go to outputs/<name>/.")
    seed: int = Field(default=0, ge=0, description="The same seed makes the same cases, another seed makes others.")
    cases: int = Field(ge=1, le=MOST_CASES, description="How many cases to make for each format.")
    tools: list[Annotated[ToolFileModel, BeforeValidator(as_source, json_schema_input_type=str | ToolFileModel)]] = (
        Field(default=[], description="Tool spec files, relative to this recipe, as in a recipe of a data set.")
    )
    corner_tools: bool = Field(
        default=True, description="Also offer the built-in tools whose parameters are declared in unusual ways."
    )
    formats: Annotated[
        list[Annotated[str, Field(json_schema_extra={"x-names": "corpus formats"})]], AfterValidator(distinct)
    ] = Field(
        min_length=1,
        description="Wire formats, row formats and formats of clients; `wire`, `rows` and `clients` stand for all of them.",
    )
    mix: Annotated[Mix, weights_schema("cases")] = Field(
        default={"valid": 6, "broken": 3, "no_call": 1}, description="How often cases of each kind are made."
    )
    mutations: dict[str, Annotated[float, Field(ge=0, allow_inf_nan=False)]] = Field(
        default={},
        json_schema_extra={"propertyNames": {"type": "string", "x-names": "mutations"}},
        description="How often each mutation is applied to broken cases; 1 where nothing is said.",
    )
    grid: bool = Field(
        default=True,
        description="Also one small case of each format, hazard and position; needs the built-in tools (corner_tools).",
    )
    prefixes: int = Field(
        default=1,
        ge=0,
        le=1000,
        description="Of how many short valid cases of each format every prefix is a case, and of how many long ones some are.",
    )
    tokenizer: str = Field(
        default="",
        description="A tokenizer's file, relative to this recipe: tokenizer.json, or a SentencePiece model (*.model). Cases"
        " are then also cut where its tokens end.",
    )


class CorpusRecipe(msgspec.Struct, frozen=True, kw_only=True):
    """A recipe of a corpus as plain data."""

    path: Path
    text: str
    name: str
    seed: int
    cases: int
    tools: tuple[ToolFile, ...]
    corner_tools: bool
    formats: tuple[str, ...]
    mix: Weights
    mutations: Mapping[str, float]
    prefixes: int = 1
    grid: bool = True
    tokenizer: Path | None = None


def is_corpus(path: Path) -> bool:
    """Whether a recipe file says `kind: corpus`; raises RecipeError when it cannot be read."""
    value = read_document(path, RecipeError).value
    return isinstance(value, dict) and "kind" in value


def load_corpus(
    path: Path, *, wire: Iterable[str], rows: Iterable[str], mutations: Iterable[str], clients: Iterable[str] = ()
) -> CorpusRecipe:
    """Return the recipe of a corpus in a YAML or JSON file.

    Args:
        path: The file; paths in it are relative to its folder.
        wire: Names of wire formats.
        rows: Names of row formats.
        mutations: Names that `mutations` may hold.
        clients: Names of formats that clients read.

    Raises:
        RecipeError: with one line `file:line: path: what is wrong` for every fault.
    """
    document = read_document(path, RecipeError)
    model = validated(CorpusModel, document, document.value, (), RecipeError)
    groups = {"wire": tuple(wire), "rows": tuple(rows), "clients": tuple(clients)}
    tools = tuple([tool_file(tool, partial(relative_to_recipe, path)) for tool in model.tools])
    tokenizer = relative_to_recipe(path, model.tokenizer) if model.tokenizer else None
    faults = [
        *_unknown(model, groups, tuple(mutations)),
        *(missing_tool_files(document.value, tools) if tools else ()),
        *_missing_tokenizer(tokenizer),
        *(
            []
            if tools or model.corner_tools
            else [RecipeFault(("corner_tools",), "without 'tools', these are the only ones")]
        ),
    ]
    raise_faults(document, faults)
    formats = [name for word in model.formats for name in groups.get(word, (word,))]
    return CorpusRecipe(
        path=path,
        text=document.text,
        name=model.name,
        seed=model.seed,
        cases=model.cases,
        tools=tools,
        corner_tools=model.corner_tools,
        formats=tuple(dict.fromkeys(formats)),
        mix=weights(model.mix),
        mutations=dict(model.mutations),
        prefixes=model.prefixes,
        grid=model.grid,
        tokenizer=tokenizer,
    )


def _unknown(
    model: CorpusModel, groups: dict[str, tuple[str, ...]], mutations: tuple[str, ...]
) -> Iterator[RecipeFault]:
    formats = [*groups, *[name for names in groups.values() for name in names]]
    for index, name in enumerate(model.formats):
        if name not in formats:
            yield RecipeFault(("formats", index), f"unknown format {name!r}", partial(nearest, name, formats))
    for name in model.mix:
        if name not in KINDS:
            yield RecipeFault(("mix", name), f"unknown kind of case {name!r}", partial(nearest, name, KINDS))
    for name in model.mutations:
        if name not in mutations:
            yield RecipeFault(("mutations", name), f"unknown mutation {name!r}", partial(nearest, name, mutations))


def _missing_tokenizer(file: Path | None) -> Iterator[RecipeFault]:
    if file is not None and not is_there(Path.is_file, file):
        yield missing(("tokenizer",), file)


def change_corpus(
    recipe: CorpusRecipe, *, cases: int | None, seed: int | None, formats: tuple[str, ...], known: Iterable[str]
) -> CorpusRecipe:
    """Return the recipe with what a command line says instead; what is not given stays."""
    return change(recipe, "cases", MOST_CASES, count=cases, seed=seed, formats=formats, known=known)


def corpus_content(recipe: CorpusRecipe) -> dict[str, Any]:
    """Return what of the recipe decides the bytes, for the index of the corpus."""
    return {"recipe": recipe.name, "seed": recipe.seed, "cases": recipe.cases, "formats": list(recipe.formats)}
