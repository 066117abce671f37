"""A job that travels: a machine without the recipe's files makes the same rows."""

import pickle
import shutil
from pathlib import Path
from typing import Any

import msgspec
import pytest
from nightly import one_in
from tiny_run import BLOCK

from generator.core.files import shipped, shipped_recipes
from generator.core.portable import MODEL_SUFFIX
from generator.formats import FORMATS, format_options
from generator.formats.run_folder.files import Layout
from generator.recipe import Recipe, load_recipe
from generator.recipe.corpus import is_corpus
from generator.run.engine.blocks import Block, Job, make_block, open_recipe
from generator.run.engine.identity import identify
from generator.run.engine.on_ray import bundle_of, open_bundle
from generator.run.engine.run import job_of
from generator.scenarios import DOCUMENT_SCENARIOS, SCENARIOS

TOOLS = """
tables: {towns: towns.csv}
tools:
  - type: function
    function:
      name: visit_town
      description: Visit a town.
      parameters:
        type: object
        properties: {town: {type: string, description: Town}, why: {type: string, description: Reason}}
        required: [town, why]
"""
RECIPE = """
name: far
rows: 20
tools: [{file: ../specs/tools.yaml}]
scenarios: [single]
formats: [openai]
arguments: {overrides: {"visit_town#/why": {file: ../specs/reasons.txt}}}
"""
SHIPPED = [name for name in shipped_recipes() if not is_corpus(shipped("recipes") / f"{name}.yaml")]


def loaded(path: Path) -> Recipe:
    return load_recipe(
        path, scenarios={**SCENARIOS, **DOCUMENT_SCENARIOS}, formats=FORMATS, format_options=format_options()
    )


def moved(job: Job, folder: Path) -> Job:
    """The job as another machine sees it."""
    return open_bundle(pickle.loads(pickle.dumps(bundle_of(job))), folder)


def paths_in(recipe: Recipe) -> list[Path]:
    """All paths that a recipe holds, but for that of a cache, which is used where models are asked."""
    found: list[Path] = []

    def note(value: Any) -> str:
        found.append(value)
        return ""

    msgspec.to_builtins(recipe, enc_hook=note)
    cache = recipe.llm.cache if recipe.llm is not None else None
    return [path for path in found if path != cache]


OFFLINE = [name for name in SHIPPED if name != "llm_scripts"]  # whose scripts are written before any job is


@pytest.mark.parametrize("name", one_in(2, OFFLINE))
def test_all_that_a_shipped_recipe_is_made_from_travels(name: str, tmp_path: Path):
    job = job_of(loaded(shipped("recipes") / f"{name}.yaml"), tmp_path / "out", Layout())
    there = moved(job, tmp_path / "node")
    assert identify(there.recipe, there.layout) == job.made_from
    assert [path for path in paths_in(there.recipe) if not path.is_relative_to(tmp_path)] == []


def test_prompts_of_ones_own_travel(tmp_path: Path):
    home = tmp_path / "home"
    home.mkdir()
    shutil.copytree(shipped("tool_specs") / "prompts", home / "prompts")
    judge = home / f"prompts/judge{MODEL_SUFFIX}"
    judge.write_text(judge.read_text().replace("You ", "You, too, "))
    (home / "specs").mkdir()
    (home / "specs/tools.yaml").write_text(TOOLS.replace("tables: {towns: towns.csv}", ""))
    (home / "far.yaml").write_text(
        "{name: far, rows: 2, tools: [{file: specs/tools.yaml}], scenarios: [single], formats: [openai], "
        "llm: {model: local, prompts: prompts}, judge: {}}"
    )
    job = job_of(loaded(home / "far.yaml"), tmp_path / "out", Layout())
    travelling = pickle.dumps(bundle_of(job))
    shutil.rmtree(home)
    there = open_bundle(pickle.loads(travelling), tmp_path / "node")
    assert identify(there.recipe, there.layout) == job.made_from


def test_files_in_several_folders_travel_as_text(tmp_path: Path):
    home = tmp_path / "home"
    (home / "specs").mkdir(parents=True)
    (home / "recipes").mkdir()
    (home / "specs/towns.csv").write_text("name\nOslo\nRome\nLima\n")
    (home / "specs/tools.yaml").write_text(TOOLS)
    (home / "specs/reasons.txt").write_text("a holiday\na wedding\nan exhibition\n")
    (home / "recipes/far.yaml").write_text(RECIPE)
    job = job_of(loaded(home / "recipes/far.yaml"), tmp_path / "out", Layout())
    (tmp_path / "out/.parts").mkdir(parents=True)
    here = make_block(job, Block(0, BLOCK), open_recipe(job))
    travelling = pickle.dumps(bundle_of(job))
    shutil.rmtree(home)
    there = open_bundle(pickle.loads(travelling), tmp_path / "node")
    assert make_block(there, Block(0, BLOCK), open_recipe(there)).parts == here.parts
