"""`tools author`: let a language model describe tools."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

if TYPE_CHECKING:
    from generator.recipe import OnIllegal
    from generator.recipe.llm import Llm
    from generator.run.author import Authoring, Estimated


@click.command(short_help="Let a language model say how people ask for tools; its words are checked.")
@click.argument("spec", metavar="SPEC")
@click.option(
    "--model", required=True, metavar="NAME", help="As litellm names it, or `local`, or `local:` and a GGUF file."
)
@click.option("--api-base", metavar="URL", help="Address of an OpenAI-compatible server.")
@click.option("--api-key-env", metavar="NAME", help="Environment variable that holds the key.")
@click.option(
    "--budget", type=click.FloatRange(min=0, min_open=True), metavar="USD", help="Stop asking at so many dollars."
)
@click.option("--requests", type=click.IntRange(min=1), metavar="N", help="Stop asking after so many requests.")
@click.option(
    "--read-back",
    "reader",
    metavar="NAME",
    help="A second model at the same address, which must read each phrase as the first one meant it.",
)
@click.option("--only", multiple=True, metavar="NAME", help="Describe this tool alone; may be given several times.")
@click.option(
    "--write",
    "target",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The overlay; SPEC's name with .model.yaml unless given.",
)
@click.option(
    "--prompts",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Folder with a describe.portable.json of your own.",
)
@click.option(
    "--overlay",
    "overlays",
    multiple=True,
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="What is known already.",
)
@click.option("--from", "kind", metavar="KIND", help="What SPEC is, instead of finding it out from its content.")
@click.option("--on-illegal", type=click.Choice(["reject", "repair", "keep"]), default="reject", show_default=True)
@click.option("--dry-run", is_flag=True, help="Say what would be asked and what it costs.")
def author(
    spec: str,
    model: str,
    api_base: str | None,
    api_key_env: str | None,
    budget: float | None,
    requests: int | None,
    reader: str | None,
    only: tuple[str, ...],
    target: Path | None,
    prompts: Path | None,
    overlays: tuple[Path, ...],
    kind: str | None,
    on_illegal: "OnIllegal",
    dry_run: bool,
) -> int:
    """Ask a model about each tool of SPEC once, and once more where the checks refuse what it says.

    What is refused twice is dropped piece by piece. Answers are kept beside the overlay, so that the same command goes
    on where it stopped and never pays twice.

    Exits 0 when all tools are described, 3 when the budget stopped it.
    """
    from generator.cli.describe import source_of
    from generator.documents import nearest
    from generator.errors import SpecError
    from generator.run.author import author as ask_model
    from generator.run.author import estimate
    from generator.run.described import describe_source
    from generator.specs.write_overlay import check_overlay_ending

    target = target or Path(spec).with_suffix(".model.yaml")
    check_overlay_ending(target)
    settings = llm_settings(model, api_base, api_key_env, budget, requests, prompts)
    second = llm_settings(reader, api_base, api_key_env, budget, requests, prompts) if reader else None
    tools = describe_source(source_of(spec, kind, on_illegal, overlays))
    names = [tool.spec.name for tool in tools]
    for name in only:
        if name not in names:
            raise SpecError(f"{spec}: there is no tool {name!r}{nearest(name, names)}")
    chosen = [tool for tool in tools if not only or tool.spec.name in only]
    _print_estimate(estimate(chosen, tools, settings), settings)
    if dry_run:
        return 0
    done = ask_model(chosen, tools, settings, target.with_suffix(".llm-cache"), second)
    _write(target, done, spec)
    _print_result(done, len(chosen), target)
    return 3 if done.stopped else 0


def llm_settings(
    model: str,
    api_base: str | None,
    api_key_env: str | None,
    budget: float | None,
    requests: int | None,
    prompts: Path | None = None,
) -> "Llm":
    """The model that a command line names, and how it is asked."""
    from msgspec.structs import replace

    from generator.declared import read
    from generator.documents import Document
    from generator.errors import RecipeError
    from generator.recipe.llm import Budget, Llm

    given = {"model": model, "api_base": api_base, "api_key_env": api_key_env}
    written = {key: value for key, value in given.items() if value is not None}
    checked = read(Llm, Document("--model", "", written), written, (), RecipeError)
    asked = Budget(usd=budget, requests=requests)
    return replace(checked, temperature=0.4, max_tokens=4096, budget=asked, prompts=prompts)


def _print_estimate(asked: "Estimated", settings: "Llm") -> None:
    from generator.llm.providers import price_of

    price = price_of(settings)
    usd = None if price is None else (asked.sent * price[0] + asked.received * price[1]) / 1e6
    cost = "its cost is not known" if usd is None else f"about ${usd:,.4f}"
    click.echo(
        f"{asked.requests:,} requests, about {asked.sent:,} tokens in and {asked.received:,} out, {cost}; answers that are mended come on top"
    )


def _write(target: Path, done: "Authoring", spec: str) -> None:
    from generator.sinks.disk import write_whole
    from generator.specs.write_overlay import overlay_text

    tools = [(tool.spec, tool.pieces) for tool in done.tools if tool.pieces]
    text = overlay_text(
        tools, "model", f"What a model said of the tools of {Path(spec).name}, as far as the checks accept it."
    )
    write_whole(target, [text.encode()])


def _print_result(done: "Authoring", wanted: int, target: Path) -> None:
    from generator.cli.screen.terminal import count, on_one_line

    for tool in done.tools:
        kept = len(tool.pieces)
        click.echo(
            on_one_line(
                f"{tool.spec.name}  {kept} of {count(tool.given, 'piece', 'pieces')} kept, {count(tool.asked, 'request', 'requests')}"
            )
        )
        for piece, why in tool.dropped:
            click.echo(on_one_line(f"  {piece} dropped: {why}"))
    given, kept = sum(tool.given for tool in done.tools), sum(len(tool.pieces) for tool in done.tools)
    cost = "cost not known" if done.usd is None else f"${done.usd:,.4f}"
    click.echo(
        f"{len(done.tools)} of {count(wanted, 'tool', 'tools')}: {kept:,} of {given:,} pieces kept ({kept / given:.0%}), {cost}"
        if given
        else "nothing was described"
    )
    click.echo(on_one_line(f"written to {target}"))
    if done.stopped:
        click.echo(on_one_line(f"stopped: {done.stopped}"), err=True)
