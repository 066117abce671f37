"""The shipped scripts, and rows of them, made once in a process."""

from functools import cache, partial
from pathlib import Path

from generator.arguments import compile_source, compile_value
from generator.formats import FORMATS
from generator.recipe import ArgumentSettings, Recipe, ToolFile, load_recipe
from generator.run.row import MadeRow, PreparedRecipe, make_row, prepare
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS
from generator.scenarios.scripts import Script, ScriptTools, read_scripts, script_tools
from generator.tools.specs.load import load_tools
from generator.world import Backend, compile_backend

ROOT = Path(__file__).parents[1]
FILES = sorted((ROOT / "tool_specs" / "scripts").glob("*.yaml"))


@cache
def tools_of(files: tuple[Path | ToolFile, ...]) -> tuple[ScriptTools, Backend]:
    """Return what scripts need of the tools of some spec files, and what opens their worlds."""
    toolbox = load_tools(files, seed=1).toolbox
    settings = ArgumentSettings()
    backend = compile_backend(toolbox, partial(compile_value, locale=settings.locale), 1)
    sources = {name: compile_source(spec, settings, 1, None) for name, spec in toolbox.items()}
    return script_tools(toolbox, sources), backend


@cache
def scripts_of(file: Path) -> tuple[tuple[Script, ...], ScriptTools, Backend]:
    """Return the scripts of a file, with their tools and what opens worlds for them."""
    read = read_scripts(file)
    assert not read.faults, read.faults
    return (read.scripts, *tools_of(read.tools))


RECIPE = """
name: scripted
seed: 4
rows: 60
tools: [{tools}]
scripts: 1.0
scenarios: {{script: 1}}
system: ["You are a helpful assistant. Today is {{weekday}}, {{today}}.", "You are a helpful assistant."]
formats: [deepfabric, openai]
{more}
"""
SPECS = (
    "travel.yaml",
    "weather.json",
    "calendar.yaml",
    "shop.yaml",
    "smart_home.yaml",
    "restaurants.yaml",
    "mail.yaml",
)


def recipe_of(folder: Path, more: str = "", text: str = RECIPE) -> Recipe:
    """Return a recipe whose rows are of scripts, written to a folder."""
    tools = ", ".join(str(ROOT / "tool_specs" / name) for name in SPECS)
    file = folder / "scripted.yaml"
    file.write_text(text.format(tools=tools, more=more), encoding="utf-8")
    return load_recipe(file, scenarios={**SCENARIOS, **DOCUMENT_SCENARIOS}, formats=FORMATS)


@cache
def prepared() -> PreparedRecipe:
    """Return a recipe of scripts alone."""
    from tempfile import mkdtemp

    return prepare(recipe_of(Path(mkdtemp())))


@cache
def row_at(index: int) -> MadeRow:
    """Return a row of it."""
    return make_row(prepared(), index)
