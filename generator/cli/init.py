"""`init`: a folder with a first recipe; `schema`: the recipe language for editors."""

import json
import os
import re
import shlex
import tempfile
from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import FILE
from generator.cli.screen.terminal import count, printable
from generator.core.errors import GeneratorError, OutputError, SpecError
from generator.core.files import here_or_shipped

if TYPE_CHECKING:
    from generator.recipe import Recipe

_EXAMPLE = "tool_specs/mcp/fieldworks.json"


@click.command(short_help="Begin: a folder with a recipe for your tools.")
@click.argument("folder", type=click.Path(path_type=Path, file_okay=False), metavar="DIR")
@click.option("--tools", "file", type=FILE, metavar="FILE", help="A file with your tools.")
@click.option("--mcp", "command", metavar="CMD", help="The command that starts an MCP server with your tools.")
def init(folder: Path, file: Path | None, command: str | None) -> None:
    """Write a first recipe to DIR: for the tools of FILE, of an MCP server, or for an example that is copied there.

    FILE is any file that `tools read` takes. The world and the scripts that `tools author` wrote beside it are taken, too. Rows of every scenario are tried: the recipe names those that the tools can
    serve, and says why not the others. What a server answers is saved in DIR, so that runs do not need it.
    """
    from generator.formats.sinks import write_whole, writing
    from generator.run.first_recipe import recipe_text, served_scenarios, written_beside
    from generator.scenarios.scripts import read_scripts

    if file is not None and command is not None:
        raise click.UsageError("--tools and --mcp both say where the tools are: give one of them.")
    if (folder / "recipe.yaml").exists():
        raise OutputError(f"{folder / 'recipe.yaml'}: is there already; name another folder, or remove it")
    name = _name_of(folder)
    given = file or command
    source = str(given or "tools.json, an example: put your own in its place")
    saved, file = _saved(file, command)
    beside = written_beside(file)
    with tempfile.TemporaryDirectory() as trial:
        recipe = Path(trial).resolve() / "recipe.yaml"
        try:
            served, left_out = served_scenarios(_unfinished(recipe, file, saved, beside))
        except GeneratorError as fault:  # of the tools: nobody but this has seen the recipe
            raise type(fault)(str(fault).replace(f"{recipe}:1: tools[0]: ", "")) from None
    if all(served.values()):
        raise OutputError(f"{given}: no scenario can be served: {served['single']}")
    tools = "tools.json" if file is None else _source(file, beside, folder)
    number = len(read_scripts(beside["scripts"]).scripts) if "scripts" in beside else 0
    scripts = Path(os.path.relpath(beside["scripts"], folder)).as_posix() if number else ""
    files = {"tools.json": saved} if saved is not None else {}
    files |= {".gitignore": "outputs/\n", "recipe.schema.json": f"{schema_text()}\n"}
    files["recipe.yaml"] = recipe_text(name, tools, source, "recipe.schema.json", served, scripts, number)
    with writing(folder):
        folder.mkdir(parents=True, exist_ok=True)
    for path, text in files.items():
        write_whole(folder / path, [text.encode()])
    good = sum(not why for why in served.values())
    taken = f", with {' and '.join(path.name for path in beside.values())}" if beside else ""
    click.echo(printable(f"{folder / 'recipe.yaml'}: {good} of {count(len(served), 'scenario', 'scenarios')}{taken}"))
    for tool in left_out:
        click.echo(printable(f"warning: {tool}"), err=True)
    click.echo(f"\n  cd {shlex.quote(str(folder))}")
    click.echo("  python -m generator run recipe.yaml --rows 20")
    click.echo(f"  python -m generator browse outputs/{name}")


def _name_of(folder: Path) -> str:
    """The folder's name, as far as it can be that of a data set."""
    return re.sub(r"[^a-z0-9_-]+", "_", folder.resolve().name.lower()).strip("_-")[:100] or "mine"


def _saved(file: Path | None, command: str | None) -> tuple[str | None, Path | None]:
    """The text to save as tools.json, or the file to name instead. JSON that comes with the program is copied."""
    from generator.core.documents import read_text

    if file is None:
        return _tools_of(command), None
    found = here_or_shipped(file)
    if found == file or found.suffix != ".json":
        return None, found
    return read_text(found, SpecError), None


def _tools_of(command: str | None) -> str:
    """The text of a file of tools: what a server answers, or the example."""
    from generator.core.documents import read_text
    from generator.recipe import ToolFile
    from generator.tools.specs.read import read_tools
    from generator.tools.specs.write import file_text

    if command is None:
        return read_text(here_or_shipped(Path(_EXAMPLE)), SpecError)
    try:
        words = tuple(shlex.split(command))
    except ValueError as fault:
        raise SpecError(f"--mcp {command}: not a command ({fault})") from None
    return file_text(Path("tools.json"), read_tools(ToolFile(command=words)))


def _source(file: Path, beside: dict[str, Path], folder: Path) -> "str | dict[str, Any]":
    """What a recipe in a folder says of a file of tools: with the world beside it, nothing is derived of them."""
    if "world" not in beside:
        return Path(os.path.relpath(file, folder)).as_posix()
    seen = [Path(os.path.relpath(path, folder)).as_posix() for path in (file, beside["world"])]
    return {"file": seen[0], "describe": "bare", "overlay": [seen[1]]}


def _unfinished(recipe: Path, file: Path | None, saved: str | None, beside: dict[str, Path]) -> "Recipe":
    """Write and read a recipe in another folder, to try the tools before anything else is written."""
    from generator.cli.run import read_recipe

    if saved is not None:
        file = recipe.parent / "tools.json"
        file.write_text(saved, encoding="utf-8")
    tools = json.dumps([None if file is None else _source(file.resolve(), beside, recipe.parent)])
    recipe.write_text(f"{{name: trial, rows: 1, tools: {tools}, scenarios: [single]}}", "utf-8")
    return read_recipe(recipe)


@click.command(short_help="Print the JSON Schema of recipes.")
@click.option("--scripts", is_flag=True, help="The schema of files of scripts instead.")
def schema(scripts: bool) -> None:
    """Print the JSON Schema of recipes (of data sets, and of corpora for parsers), with which editors complete and check them."""
    click.echo(scripts_schema_text() if scripts else schema_text())


def scripts_schema_text() -> str:
    """Return the schema of files of scripts as it is printed."""
    from generator.scenarios.scripts import scripts_schema

    return json.dumps(scripts_schema(), indent=2, ensure_ascii=False)


def schema_text() -> str:
    """Return the schema as it is printed."""
    from generator.corpus.clients import CLIENT_FORMATS
    from generator.corpus.mutations import AMBIGUOUS, MUTATIONS
    from generator.corpus.rows import row_formats
    from generator.formats import FORMATS
    from generator.formats.wire.format import wire_formats
    from generator.recipe.schema import corpus_schema, either_schema, recipe_schema
    from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

    data_set = recipe_schema({**SCENARIOS, **DOCUMENT_SCENARIOS}, FORMATS)
    corpus = corpus_schema(wire_formats(), row_formats(), (*MUTATIONS, AMBIGUOUS), CLIENT_FORMATS)
    return json.dumps(either_schema(data_set, corpus), indent=2, ensure_ascii=False)
