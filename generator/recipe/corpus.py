"""The recipe language of corpora (`kind: corpus`): what a corpus for parsers is made from."""

from collections.abc import Iterable
from itertools import chain
from pathlib import Path
from typing import Annotated, Literal

import msgspec
from msgspec import Meta, Struct

from generator.core.declared import read
from generator.core.documents import read_document
from generator.core.errors import RecipeError
from generator.core.forms import REQUIRED, UNWRITTEN, Form, Key
from generator.recipe.faults import RecipeFault, change, raise_faults, unknown
from generator.recipe.files import missing_files, missing_tool_files
from generator.recipe.key_types import SLUG, Weight, Weights, distinct, mix_of
from generator.recipe.tools import Source, ToolFile

KINDS = ("valid", "broken", "no_call")
MOST_CASES = 10**6


class CorpusRecipe(Struct, frozen=True, kw_only=True):
    """A recipe of a corpus: cases with a known outcome, for those who write parsers."""

    path: Annotated[Path, UNWRITTEN] = Path()
    text: Annotated[str, UNWRITTEN] = ""
    """The file as it was read."""
    schema: Annotated[str, Key("$schema")] = ""
    """For editors; has no effect."""
    kind: Annotated[Literal["corpus"], REQUIRED] = "corpus"
    """Make a corpus for parsers instead of a data set."""
    name: Annotated[str, Meta(pattern=SLUG)]
    """Name of the corpus; its files go to outputs/<name>/."""
    seed: Annotated[int, Meta(ge=0)] = 0
    """The same seed makes the same cases, another seed makes others."""
    cases: Annotated[int, Meta(ge=1, le=MOST_CASES)]
    """How many cases to make for each format."""
    tools: Annotated[tuple[ToolFile, ...], Form(type=tuple[Source, ...])] = ()
    """Tool spec files, relative to this recipe, as in a recipe of a data set."""
    corner_tools: bool = True
    """Also offer the built-in tools whose parameters are declared in unusual ways."""
    formats: Annotated[
        tuple[Annotated[str, Meta(extra_json_schema={"x-names": "corpus formats"})], ...],
        Form(made=distinct),
        Meta(min_length=1),
    ]
    """Wire formats, row formats and formats of clients; `wire`, `rows` and `clients` stand for all of them."""
    mix: Annotated[Weights, mix_of("cases")] = (("valid", 6.0), ("broken", 3.0), ("no_call", 1.0))
    """How often cases of each kind are made."""
    mutations: Annotated[
        dict[str, Weight], Meta(extra_json_schema={"propertyNames": {"type": "string", "x-names": "mutations"}})
    ] = {}
    """How often each mutation is applied to broken cases; 1 where nothing is said."""
    grid: bool = True
    """Also one small case of each format, hazard and position; needs the built-in tools (corner_tools)."""
    prefixes: Annotated[int, Meta(ge=0, le=1000)] = 1
    """Of how many short valid cases of each format every prefix is a case, and of how many long ones some are."""
    tokenizer: Path | None = None
    """A tokenizer's file, relative to this recipe: tokenizer.json, or a SentencePiece model (*.model). Cases are then
    also cut where its tokens end."""


def is_corpus(path: Path) -> bool:
    """Whether a recipe file says `kind: corpus`; raises RecipeError when it cannot be read."""
    value = read_document(path, RecipeError).value
    return isinstance(value, dict) and "kind" in value


def load_corpus(
    path: Path, *, wire: Iterable[str], rows: Iterable[str], mutations: Iterable[str], clients: Iterable[str] = ()
) -> CorpusRecipe:
    """Return the recipe of a corpus in a YAML or JSON file, with paths relative to its folder.

    It may name these wire formats, row formats, `mutations`, and formats that clients read.

    Raises:
        RecipeError: with one line `file:line: path: what is wrong` for every fault.
    """
    document = read_document(path, RecipeError)
    written = document.value
    recipe = read(CorpusRecipe, document, written, (), RecipeError)
    groups = {"wire": tuple(wire), "rows": tuple(rows), "clients": tuple(clients)}
    faults = [
        *unknown("format", written, ("formats",), (*groups, *chain(*groups.values()))),
        *unknown("kind of case", written, ("mix",), KINDS),
        *unknown("mutation", written, ("mutations",), tuple(mutations)),
        *missing_tool_files(written, recipe.tools),
        *missing_files([] if recipe.tokenizer is None else [(("tokenizer",), recipe.tokenizer)]),
        *(
            []
            if recipe.tools or recipe.corner_tools
            else [RecipeFault(("corner_tools",), "without 'tools', these are the only ones")]
        ),
    ]
    raise_faults(document, faults)
    formats = [name for word in recipe.formats for name in groups.get(word, (word,))]
    return msgspec.structs.replace(recipe, path=path, text=document.text, formats=tuple(dict.fromkeys(formats)))


def change_corpus(
    recipe: CorpusRecipe, *, cases: int | None, seed: int | None, formats: tuple[str, ...], known: Iterable[str]
) -> CorpusRecipe:
    """Return the recipe with what a command line says instead; what is not given stays."""
    return change(recipe, "cases", MOST_CASES, count=cases, seed=seed, formats=formats, known=known)
