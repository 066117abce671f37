"""Arguments and options that several commands share: places, recipes, formats, and how a model is asked."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

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
        if not isinstance(value, str):
            return Path(value)
        if "://" not in value:
            return Path(value)

        return place(value)


PLACE = FolderOrStore()


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


_Command = TypeVar("_Command", bound=Callable[..., Any])
_OPTIONS = (
    click.option("--api-base", metavar="URL", help="Address of an OpenAI-compatible server."),
    click.option("--api-key-env", metavar="NAME", help="Environment variable that holds the key."),
    click.option(
        "--price", nargs=2, type=click.FloatRange(min=0), metavar="IN OUT", help="US dollars for a million tokens."
    ),
    click.option(
        "--budget", type=click.FloatRange(min=0, min_open=True), metavar="USD", help="Stop asking at so many dollars."
    ),
    click.option("--requests", type=click.IntRange(min=1), metavar="N", help="Stop asking after so many requests."),
)


def model_options(command: _Command) -> _Command:
    """Give a command the options of how a model is asked, and what that may cost."""
    for option in reversed(_OPTIONS):
        command = option(command)
    return command


def llm_settings(
    model: str,
    api_base: str | None,
    api_key_env: str | None,
    budget: float | None,
    requests: int | None,
    price: tuple[float, float] | None = None,
) -> "Llm":
    """The model that a command line names, and how it is asked."""
    from msgspec.structs import replace

    from generator.core.declared import read
    from generator.core.documents import Document
    from generator.recipe.llm import Budget, Llm, Price

    given = {"model": model, "api_base": api_base, "api_key_env": api_key_env}
    written = {key: value for key, value in given.items() if value is not None}
    checked = read(Llm, Document("--model", "", written), written, (), RecipeError)
    return replace(
        checked,
        temperature=0.4,
        max_tokens=16_384,
        timeout=300.0,
        budget=Budget(usd=budget, requests=requests),
        price=Price(input=price[0], output=price[1]) if price else None,
    )
