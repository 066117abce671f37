"""`tools author`: have a model, or whoever answers its prompts, write the world of a server and scripts for its tools."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from generator.cli.options import COUNT, FILE, llm_settings, model_options
from generator.cli.screen.terminal import count, on_one_line
from generator.cli.tools import kind_option, on_illegal_option
from generator.cli.tools.describe import source_of
from generator.core.errors import RecipeError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from generator.core.toolbox import Toolbox
    from generator.llm.asking import Account
    from generator.recipe import OnIllegal, ToolFile
    from generator.recipe.llm import Llm
    from generator.run.authoring.asking import Answering
    from generator.run.authoring.author import Authored
    from generator.run.authoring.world import World

_FOLDER = "folder"
_ROWS_A_SCRIPT = 40
_MOST_ROWS = 1_000


@click.command(short_help="Have a language model write a server's world and scripts for its tools.")
@click.argument("spec", metavar="SPEC")
@click.option(
    "--model", metavar="NAME", help="Who writes, as litellm names it, or `local`, or `local:` and a GGUF file."
)
@click.option(
    "--judge", metavar="NAME", help="A model that reads two rows of each script, or `folder`; nobody does unless given."
)
@click.option(
    "--folder",
    type=FILE,
    metavar="DIR",
    help="Ask no model: write the prompts to DIR, and take the answers from files beside them.",
)
@model_options
@click.option("--scripts", type=COUNT, metavar="N", help="How many scripts; two a tool unless given.")
@click.option(
    "--out",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="DIR",
    help="Folder for what comes out; that of SPEC unless given.",
)
@click.option(
    "--overlay",
    "overlays",
    multiple=True,
    type=FILE,
    metavar="FILE",
    help="What is known already; with effects of tools no world is written.",
)
@kind_option
@on_illegal_option
@click.option("--batch", is_flag=True, help="Have --model asked in batches: half the price, within a day.")
@click.option("--dry-run", is_flag=True, help="Say what would be asked and what it costs.")
def author(
    spec: str,
    model: str | None,
    judge: str | None,
    folder: Path | None,
    scripts: int | None,
    out: Path | None,
    overlays: tuple[Path, ...],
    kind: str | None,
    on_illegal: "OnIllegal",
    batch: bool,
    dry_run: bool,
    **asked: Any,
) -> int:
    """Ask for the world of the tools of SPEC, then for scripts; each is tried, and its faults go back.

    Out come SPEC's name with .world.yaml, .scripts.yaml and .recipe.yaml. What does not hold is dropped script by script. Answers are kept, so
    that the same command goes on where it stopped and never pays twice.

    Exits 0 when there are scripts, 1 when there are none, 3 when the budget stopped it or answers are not in the folder yet.
    """
    import asyncio

    from msgspec.structs import replace

    from generator.formats.sinks import writing
    from generator.run.authoring.author import estimate, scripts_for
    from generator.run.authoring.world import known_world
    from generator.tools.specs.load import load_toolbox

    if (model is None) == (folder is None) or (folder is None and judge == _FOLDER):
        raise RecipeError(
            "--model names who writes; or --folder where prompts and answers are: one of them is expected"
        )
    source = replace(source_of(spec, kind, on_illegal, overlays), describe="bare")
    if source.file is None:
        raise RecipeError(f"{spec}: a file is expected; `tools read --from {kind} … --write tools.yaml` makes one")
    tools = load_toolbox([source])
    known = known_world(tools) if any(one.effect is not None for one in tools.values()) else None
    number = scripts or scripts_for(tools)
    if out is not None:
        with writing(out):  # before anything is asked
            out.mkdir(parents=True, exist_ok=True)
    place = (out or source.file.parent) / source.file.stem
    settings = replace(llm_settings(model, **asked), batch=batch) if model else None
    judging = llm_settings(judge, **asked) if judge and judge != _FOLDER else None
    if settings is not None:
        from generator.llm.asking import estimate_in_words

        estimated = estimate(tools, number, is_known=known is not None, is_judged=judge is not None)
        click.echo(estimate_in_words(estimated, settings))
    if dry_run:
        return 0
    done, account = asyncio.run(_author(tools, known, number, settings, judging, judge is not None, folder, place))
    return _finish(source, done, account, place)


async def _author(
    tools: "Toolbox",
    known: "World | None",
    number: int,
    settings: "Llm | None",
    judging: "Llm | None",
    is_judged: bool,
    folder: Path | None,
    place: Path,
) -> "tuple[Authored, Account]":
    """Open the sessions, on one account, or the folder, and have everything written."""
    from contextlib import AsyncExitStack

    from generator.llm.asking import cost_in_words
    from generator.llm.session import open_session
    from generator.run.authoring.asking import ByFolder, ByModel
    from generator.run.authoring.author import People
    from generator.run.authoring.author import author as write

    async with AsyncExitStack() as stack:

        async def opened(use: str, settings: "Llm | None") -> "Answering":
            if settings is None:
                assert folder is not None
                return ByFolder(folder=folder)
            path = place.with_name(f"{place.name}.{use}.llm-cache")
            return ByModel(await stack.enter_async_context(open_session(settings, path, use)))

        writer = await opened("author", settings)
        judge = await opened("judge", judging) if is_judged else None
        if isinstance(writer, ByModel) and isinstance(judge, ByModel):
            judge.session.account = writer.account
        people = People(writer=writer, judge=judge)

        def tell(step: str, done: int, number: int) -> None:
            cost = "" if settings is None else f", {cost_in_words(people.writer.account)}"
            click.echo(f"{step}: {done} of {number}{cost}", err=True)

        return await write(tools, known, people, number, tell), people.writer.account


def _finish(source: "ToolFile", done: "Authored", account: "Account", place: Path) -> int:
    """Write what came of it, and say what is missing."""
    from generator.llm.asking import cost_in_words
    from generator.llm.providers import in_words

    if done.waiting:
        for path in done.waiting:
            click.echo(on_one_line(f"no answer yet: {path}"))
        click.echo(
            f"{count(len(done.waiting), 'answer is', 'answers are')} not there yet; then the same command goes on"
        )
        return 3
    for line in (*[f"note: {in_words(one)}" for one in account.learnt], *_summary_lines(done)):
        click.echo(on_one_line(line))
    tokens = f"{account.prompt_tokens:,} tokens in, {account.completion_tokens:,} out"
    click.echo(f"{count(account.requests, 'request', 'requests')}, {tokens}, {cost_in_words(account)}")
    if done.scripts:
        recipe = _write(source, done, place)
        click.echo(on_one_line(f"next: python -m generator run {recipe} --rows 20"))
        if done.without_script and not done.stopped:
            click.echo("more scripts: the same command with a larger --scripts")
    elif not done.stopped:
        click.echo("next: look at what was dropped above, and ask another model, or describe the tools in an --overlay")
    if done.stopped:
        click.echo(on_one_line(f"stopped: {done.stopped}; the same command goes on"), err=True)
        return 3
    return 0 if done.scripts else 1


def _summary_lines(done: "Authored") -> "Iterator[str]":
    """Yield what came of it, in lines for people."""
    from collections import Counter

    from generator.run.authoring.author import why_without

    world = done.world
    if world is not None:
        yield f"world: what {len(world.callable)} of {len(world.tools) + len(world.refused)} tools return is known"
        yield from (f"  {fault}" for fault in world.faults)
        yield from (f"  {name}: refused: {why}" for name, why in world.refused.items())
        yield from (f"  the judge: {one}" for one in done.of_world)
    dropped = [*done.dropped]
    shapes = Counter(one.trial.script.shape for one in done.scripts if one.trial.script)
    told = ", ".join(f"{number} {shape}" for shape, number in shapes.most_common())
    yield f"{count(len(done.scripts), 'script', 'scripts')} kept{f': {told}' if told else ''}; {len(dropped)} dropped"
    yield from (f"  {why}" for why in dropped)
    tools = [] if world is None else [name for name in world.tools if name not in done.called]
    yield from (f"  no script calls {name}: {why_without(done, name)}" for name in tools)


def _write(source: "ToolFile", done: "Authored", place: Path) -> Path:
    """Write the world, the scripts and a recipe beside each other, and return the recipe."""
    import json

    from msgspec.structs import replace

    from generator.core.portable import fill
    from generator.formats.sinks import write_whole
    from generator.run.authoring.asking import words
    from generator.run.authoring.scripts import scripts_text, source_text

    assert source.file is not None
    assert done.world is not None
    title = source.file.name
    files = {name: place.with_name(f"{place.name}.{name}.yaml") for name in ("world", "scripts", "recipe")}
    overlays = [*source.overlays, *([files["world"]] if done.world.pieces else [])]
    told = source_text(replace(source, overlays=tuple(overlays)), place.parent)
    if done.world.pieces:
        write_whole(files["world"], [done.world.text(f"What a model says of the tools of {title}.").encode()])
    scripts = scripts_text(done.scripts, [told], f"Scripts that a model wrote for the tools of {title}.")
    write_whole(files["scripts"], [scripts.encode()])
    recipe = fill(
        words()["recipe"],
        {
            "title": title,
            "name": "".join(letter if letter.isalnum() else "_" for letter in place.name.lower()),
            "rows": str(min(_MOST_ROWS, _ROWS_A_SCRIPT * len(done.scripts))),
            "source": json.dumps(told, ensure_ascii=False),
            "scripts": files["scripts"].name,
            "recipe": str(files["recipe"]),
        },
    )
    write_whole(files["recipe"], [recipe.encode()])
    for path in files.values():
        if path.exists():
            click.echo(f"written to {path}")
    return files["recipe"]
