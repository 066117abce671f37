"""Arguments and options that several commands share: places, recipes, formats, and how a model is asked."""

from collections.abc import Callable, Sequence
from functools import reduce
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from generator.core.errors import FormatError, RecipeError
from generator.core.files import here_or_shipped, place, shipped_recipes

if TYPE_CHECKING:
    from generator.formats import Format
    from generator.recipe.llm import Llm


class FolderOrStore(click.ParamType[Path]):
    """A path, or `s3://bucket/prefix` and the like."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The place that is named; a URL is looked at by generator/core/files.py."""
        return place(str(value))


PLACE = FolderOrStore()
FILE = click.Path(path_type=Path)
"""A path of this machine."""
COUNT = click.IntRange(min=1)


def format_named(option: str, name: str) -> "Format":
    """The format that an option names; raises FormatError for one that is not known."""
    from generator.core.documents import nearest
    from generator.formats import FORMATS

    if name not in FORMATS:
        raise FormatError(f"{option} {name}: unknown format{nearest(name, FORMATS)}")
    return FORMATS[name]


class RecipeFile(click.ParamType[Path]):
    """A path of a recipe, or the name of one that comes with the program."""

    name = "recipe"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The path, or that of the recipe of that name; raises RecipeError for a word that is neither."""
        path = here_or_shipped(Path(value))
        if path.suffix or len(path.parts) > 1 or path.exists():
            return path
        from generator.core.documents import nearest

        known = nearest(str(value), shipped_recipes())
        raise RecipeError(f"{value}: there is no such file, and no such recipe comes with the program{known}")

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names of recipes, and files."""
        names = [CompletionItem(name) for name in shipped_recipes() if name.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


RECIPE = RecipeFile()


Option = Callable[[Any], Any]
"""What `click.option` gives."""


def in_order(options: Sequence[Option]) -> Option:
    """Return a decorator that gives a command several options, in this order."""
    return lambda command: reduce(lambda made, option: option(made), reversed(options), command)


model_options = in_order(
    (
        click.option("--api-base", metavar="URL", help="Address of an OpenAI-compatible server."),
        click.option("--api-key-env", metavar="NAME", help="Environment variable that holds the key."),
        click.option(
            "--price", nargs=2, type=click.FloatRange(min=0), metavar="IN OUT", help="US dollars for a million tokens."
        ),
        click.option(
            "--budget",
            type=click.FloatRange(min=0, min_open=True),
            metavar="USD",
            help="Stop asking at so many dollars.",
        ),
        click.option("--requests", type=COUNT, metavar="N", help="Stop asking after so many requests."),
    )
)
"""How a model is asked, and what that may cost."""


def llm_settings(
    model: str, budget: float | None, requests: int | None, price: tuple[float, float] | None, **server: str | None
) -> "Llm":
    """The model that a command line names, and how it is asked; `server` is what `--api-base` and `--api-key-env` say."""
    from msgspec.structs import replace

    from generator.core.declared import read
    from generator.core.documents import Document
    from generator.recipe.llm import Budget, Llm, Price

    written = {"model": model, **{key: value for key, value in server.items() if value is not None}}
    checked = read(Llm, Document("--model", "", written), written, (), RecipeError)
    return replace(
        checked,
        temperature=0.4,
        max_tokens=16_384,
        timeout=300.0,
        budget=Budget(usd=budget, requests=requests),
        price=Price(input=price[0], output=price[1]) if price else None,
    )
