"""`merge`: the files of a run whose shards were made by several commands."""

from pathlib import Path

import click

from generator.cli.place import PLACE, RECIPE


@click.command(short_help="Join the shards of a run.")
@click.argument("folder", type=PLACE, metavar="DIR")
@click.option(
    "--recipe",
    type=RECIPE,
    metavar="FILE",
    help="The recipe, where it stands elsewhere than it did for the shards.",
)
@click.option(
    "--against",
    multiple=True,
    type=click.Path(path_type=Path, exists=True, dir_okay=False),
    metavar="FILE",
    help="Count rows that share words, tools or arguments with FILE, such as a benchmark (again for several).",
)
@click.option(
    "--workers",
    type=click.IntRange(min=1, max=4096),
    metavar="N",
    help="Processes for blocks from which `dedup` or `max_share` remove rows [all cores].",
)
@click.option("--overwrite", is_flag=True, help="Replace another run that is in DIR.")
@click.option("--no-report", is_flag=True, help="Write no report.json and index.html beside the rows.")
@click.option("--quiet", is_flag=True, help="Say nothing unless something is wrong.")
def merge(
    folder: Path,
    recipe: Path | None,
    against: tuple[Path, ...],
    workers: int | None,
    overwrite: bool,
    no_report: bool,
    quiet: bool,
) -> int:
    """Write the files of the run whose shards (`run RECIPE --out DIR --shard I/N`) are in DIR, the same bytes as of one process.

    Every block's size and digest is looked at before. Missing shards, missing rows and changed files are named, and nothing
    is written then (exit code 2). The shards go away when all is written.
    """
    import msgspec

    from generator.cli.run import read_recipe, tell_finished
    from generator.cli.screen.terminal import printable
    from generator.core.errors import OutputError
    from generator.run.engine.run import all_cores
    from generator.run.engine.shards.merge import is_merged, plan_of_shards, settings_of
    from generator.run.engine.shards.merge import merge as merge_shards

    plan = plan_of_shards(folder)
    if plan is None:
        if not is_merged(folder):
            raise OutputError(f"{folder}: holds no shards; `run RECIPE --out {folder} --shard I/N` makes one")
        if not quiet:
            click.echo(printable(f"{folder}: the shards are merged already; nothing was made"))
        return 0
    settings = settings_of(folder, plan)
    wanted = read_recipe(recipe or Path(plan.recipe or ""), plan.rows, settings.seed, settings.formats)
    layout = msgspec.structs.replace(settings.layout, against=against, report=not no_report)
    finished = merge_shards(wanted, plan, folder, layout, overwrite=overwrite, workers=workers or all_cores())
    return tell_finished(wanted, finished, layout, quiet)
