"""A job that travels: a machine without the recipe's files makes the same rows."""

import pickle
import shutil
from pathlib import Path

from tiny_run import BLOCK

from generator.data.run_folder.files import Layout
from generator.formats import FORMATS
from generator.recipe import load_recipe
from generator.run.engine.blocks import Block, make_block, open_recipe
from generator.run.engine.bundle import bundle_of, open_bundle
from generator.run.engine.run import job_of
from generator.scenarios import SCENARIOS

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


def test_files_in_several_folders_travel_as_text(tmp_path: Path):
    home = tmp_path / "home"
    (home / "specs").mkdir(parents=True)
    (home / "recipes").mkdir()
    (home / "specs/towns.csv").write_text("name\nOslo\nRome\nLima\n")
    (home / "specs/tools.yaml").write_text(TOOLS)
    (home / "specs/reasons.txt").write_text("a holiday\na wedding\nan exhibition\n")
    (home / "recipes/far.yaml").write_text(RECIPE)
    recipe = load_recipe(home / "recipes/far.yaml", scenarios=SCENARIOS, formats=FORMATS)
    job = job_of(recipe, tmp_path / "out", Layout())
    (tmp_path / "out/.parts").mkdir(parents=True)
    here = make_block(job, Block(0, BLOCK), open_recipe(job))
    travelling = pickle.dumps(bundle_of(job))
    shutil.rmtree(home)
    there = open_bundle(pickle.loads(travelling), tmp_path / "node")
    assert make_block(there, Block(0, BLOCK), open_recipe(there)).parts == here.parts
