"""A real run of two small tools, as a program that tests start, stop and kill.

    python tiny_run.py make FOLDER OUT ROWS EXECUTOR WORKERS    make the rows
    python tiny_run.py crash FOLDER OUT ROWS [I/N]              die before the first, second, … step on disk, going on
                                                                after each; prints how many there were; of a shard only
    python tiny_run.py crash FOLDER OUT ROWS merge              the same of a merge

The recipe and its tools are written to FOLDER. Blocks have 20 rows.
"""

import os
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

import generator.run.engine.run as engine
from generator.formats import FORMATS
from generator.recipe import Recipe, load_recipe
from generator.run.engine.merge import is_merged, make_shard, merge, plan_of_shards, settings_of
from generator.run.engine.run import RunOptions, run
from generator.run.engine.shard import read_shard
from generator.run.usable import prepare_usable
from generator.scenarios import SCENARIOS

BLOCK = 20
TOOLS = """
tools:
  - type: function
    function:
      name: water_plant
      description: Water a plant.
      parameters:
        type: object
        properties:
          plant: {type: string, enum: [fern, cactus, ivy, orchid], description: Plant}
          litres: {type: integer, minimum: 1, maximum: 90, description: Litres of water}
        required: [plant, litres]
        additionalProperties: false
    returns: {type: object, properties: {level: {type: integer, minimum: 1, maximum: 99}}, required: [level]}
  - type: function
    function:
      name: ring_bell
      description: Ring a bell.
      parameters:
        type: object
        properties: {times: {type: integer, minimum: 1, maximum: 500, description: How many times}}
        required: [times]
        additionalProperties: false
    returns: {type: object, properties: {loudness: {type: integer, minimum: 1, maximum: 99}}, required: [loudness]}
"""
RECIPE = """
name: tiny
seed: 3
rows: {rows}
tools: [tools.yaml]
offer: {{distractors: [0, 1]}}
scenarios: [single, parallel, parallel_multiple]
calls: 2
formats: [deepfabric, openai]
splits: {{train: 0.8, test: 0.2}}
"""


def tiny_recipe(folder: Path, rows: int) -> Recipe:
    """The recipe, in files."""
    folder.mkdir(exist_ok=True)
    (folder / "tools.yaml").write_text(TOOLS)
    (folder / "recipe.yaml").write_text(RECIPE.format(rows=rows))
    return load_recipe(folder / "recipe.yaml", scenarios=SCENARIOS, formats=FORMATS)


def make(recipe: Recipe, out: Path, what: str = "") -> None:
    """Make all rows, or those of a shard, or merge."""
    if what == "merge":
        plan = plan_of_shards(out)
        if plan is None:
            is_merged(out)
        else:
            merge(recipe, plan, out, settings_of(out, plan).layout)
    elif what:
        make_shard(recipe, out, read_shard(what, {}), how=RunOptions(block_rows=BLOCK))
    else:
        run(recipe, out, how=RunOptions(block_rows=BLOCK))


def crash(recipe: Recipe, out: Path, what: str = "") -> int:
    """How many times the run died before it was through."""
    with TemporaryDirectory() as folder:  # children inherit what one run loads
        run(recipe, Path(folder, "out"), how=RunOptions(block_rows=BLOCK))
    prepared = prepare_usable(recipe)
    engine.open_recipe = lambda job: prepared
    step = 0
    while True:
        child = os.fork()
        if child == 0:
            _die_before(step)
            make(recipe, out, what)
            os._exit(0)
        _, status = os.waitpid(child, 0)
        if os.WEXITSTATUS(status) != 9:
            return step if status == 0 else -1
        step += 1


def _die_before(step: int) -> None:
    """End the process, without any clean-up, before that many renamings, removals and flushes more."""
    left = step

    def dying(call):
        def instead(*arguments, **named):
            nonlocal left
            if not left:
                os._exit(9)
            left -= 1
            return call(*arguments, **named)

        return instead

    for name in ("replace", "unlink", "fsync", "rmdir"):
        setattr(os, name, dying(getattr(os, name)))


def main() -> None:
    """Do what the command line says."""
    what, folder, out, rows, *more = sys.argv[1:]
    recipe = tiny_recipe(Path(folder), int(rows))
    if what == "crash":
        sys.stdout.write(str(crash(recipe, Path(out), *more)))
        return
    executor, workers = more
    run(recipe, Path(out), how=RunOptions(block_rows=BLOCK, executor=executor, workers=int(workers)))


if __name__ == "__main__":
    main()
