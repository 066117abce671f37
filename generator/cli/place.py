"""Arguments that name a path of this machine, a place in an object store by its URL, or what comes with the program."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click
from click.shell_completion import CompletionItem

from generator.core.files import here_or_shipped, shipped_recipes

if TYPE_CHECKING:
    from generator.formats import Format


class FolderOrStore(click.ParamType[Path]):
    """A path, or `s3://bucket/prefix` and the like."""

    name = "path"

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Path:
        """The place that is named; a URL is looked at by generator/files/stores.py."""
        if not isinstance(value, str):
            return Path(value)
        if "://" not in value:
            return Path(value)
        from generator.core.files import place

        return place(value)


PLACE = FolderOrStore()


def format_named(option: str, name: str) -> "Format":
    """The format that an option names; raises FormatError for one that is not known."""
    from generator.core.documents import nearest
    from generator.core.errors import FormatError
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
        from generator.core.errors import RecipeError

        known = nearest(str(value), shipped_recipes())
        raise RecipeError(f"{value}: there is no such file, and no such recipe comes with the program{known}")

    def shell_complete(self, ctx: click.Context, param: click.Parameter, incomplete: str) -> list[CompletionItem]:
        """Names of recipes, and files."""
        names = [CompletionItem(name) for name in shipped_recipes() if name.startswith(incomplete)]
        return [*names, CompletionItem(incomplete, type="file")]


RECIPE = RecipeFile()
