"""`tools author`: let a language model describe the tools of a server."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.model_options import estimate_in_words, llm_settings, model_options
from generator.cli.screen.terminal import count, on_one_line
from generator.core.errors import RecipeError, SpecError

if TYPE_CHECKING:
    from contextlib import AsyncExitStack

    from generator.llm.account import Account
    from generator.recipe import OnIllegal
    from generator.recipe.llm import Llm
    from generator.run.authoring.asking import Answering
    from generator.run.authoring.bench import Bench
    from generator.run.authoring.result import Authoring
    from generator.run.authoring.work import People
    from generator.run.authoring.writer.writing import Prompts


@click.command(short_help="Let a language model describe a server's tools; readers check every phrase.")
@click.argument("spec", metavar="SPEC")
@click.option(
    "--model", metavar="NAME", help="The writer, as litellm names it, or `local`, or `local:` and a GGUF file."
)
@click.option(
    "--reader",
    "readers",
    multiple=True,
    metavar="NAME",
    help="A model that reads every phrase; give two. Without one the writer's model reads, asked in other words.",
)
@click.option("--judge", metavar="NAME", help="The model that judges trial rows; the last reader unless given.")
@click.option("--no-judge", is_flag=True, help="Make trial rows, but let nobody judge them.")
@click.option("--no-mend", is_flag=True, help="Ask nothing a second time: what cannot be used is dropped at once.")
@click.option(
    "--folder",
    type=click.Path(path_type=Path),
    metavar="DIR",
    help="Ask no model: write the prompts to DIR, and take the answers from files beside them.",
)
@model_options
@click.option("--only", multiple=True, metavar="NAME", help="Describe this tool alone; may be given several times.")
@click.option(
    "--write",
    "target",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The overlay; SPEC's name with .model.yaml unless given.",
)
@click.option("--prompts", type=click.Path(path_type=Path), metavar="DIR", help="Folder with prompts of your own.")
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
    model: str | None,
    readers: tuple[str, ...],
    judge: str | None,
    no_judge: bool,
    no_mend: bool,
    folder: Path | None,
    api_base: str | None,
    api_key_env: str | None,
    price: tuple[float, float] | None,
    budget: float | None,
    requests: int | None,
    only: tuple[str, ...],
    target: Path | None,
    prompts: Path | None,
    overlays: tuple[Path, ...],
    kind: str | None,
    on_illegal: "OnIllegal",
    dry_run: bool,
) -> int:
    """Ask what the tools of SPEC act on, then how people ask for each; two readers read every phrase, a judge trial rows.

    Of a file that was described by hand it asks for further phrases, which are added to those that are there. What is not
    read as it was written is dropped, text by text; `tools review SPEC` shows it, and takes decisions. Answers are kept, so
    that the same command goes on where it stopped and never pays twice.

    Exits 0 when all tools are described, 3 when the budget stopped it or answers are not in the folder yet.
    """
    import asyncio

    from generator.cli.tools.describe import source_of
    from generator.core.documents import nearest
    from generator.run.authoring.author import estimate
    from generator.run.authoring.bench import open_bench
    from generator.run.authoring.writer.writing import load_author_prompts
    from generator.tools.specs.write_overlay import check_overlay_ending

    if (model is None) == (folder is None):
        raise RecipeError(
            "--model names who writes; or --folder where prompts and answers are: one of them is expected"
        )
    target = target or Path(spec).with_suffix(".model.yaml")
    check_overlay_ending(target)
    bench = open_bench(source_of(spec, kind, on_illegal, overlays))
    for name in only:
        if name not in bench.bare:
            raise SpecError(f"{spec}: there is no tool {name!r}{nearest(name, bench.bare)}")
    texts = load_author_prompts(prompts)
    settings = None
    if model is not None:
        settings = llm_settings(model, api_base, api_key_env, budget, requests, prompts, price)
        click.echo(estimate_in_words(estimate(bench, only, texts, not no_judge), settings))
        if not readers:
            click.echo(
                f"warning: {model} also reads what it wrote, asked in other words; --reader names another model",
                err=True,
            )
    if dry_run:
        return 0
    asked = _Asked(
        settings=settings,
        readers=tuple(llm_settings(name, api_base, api_key_env, budget, requests, prompts, price) for name in readers),
        judge=llm_settings(judge, api_base, api_key_env, budget, requests, prompts, price) if judge else None,
        folder=folder,
        is_judged=not no_judge,
        mends=not no_mend,
        cache=target.with_suffix(".llm-cache"),
    )
    done, account = asyncio.run(_author(bench, asked, texts, only, decisions_of(spec)))
    return _finish(spec, bench, done, account, target)


def decisions_of(spec: str) -> Path:
    """Return the file with what people decided about the texts of a source."""
    return Path(spec).with_suffix(".decisions.yaml")


def review_file(spec: str) -> Path:
    """Return the file with what came of authoring a source."""
    return Path(spec).with_suffix(".review.json")


class _Asked:
    """Who is asked, before anything is opened."""

    def __init__(
        self,
        *,
        settings: "Llm | None",
        readers: "tuple[Llm, ...]",
        judge: "Llm | None",
        folder: Path | None,
        is_judged: bool,
        mends: bool,
        cache: Path,
    ) -> None:
        self.settings, self.readers, self.judge, self.folder = settings, readers, judge, folder
        self.is_judged, self.mends, self.cache = is_judged, mends, cache

    async def open(self, stack: "AsyncExitStack") -> "People":
        """Open the sessions, all on one account, or the folder."""
        import msgspec

        from generator.llm.open import open_session
        from generator.run.authoring.asking import ByFolder, ByModel
        from generator.run.authoring.work import People

        if self.settings is None:
            assert self.folder is not None
            everybody = ByFolder(folder=self.folder)
            return People(
                writer=everybody,
                readers=(everybody, everybody),
                judge=everybody if self.is_judged else None,
                mends=self.mends,
            )
        writer = await stack.enter_async_context(open_session(self.settings, self.cache, "author"))

        async def opened(settings: "Llm", use: str, temperature: float) -> "Answering":
            cool = msgspec.structs.replace(settings, temperature=temperature)
            cache = self.cache.with_suffix(f".{use}")
            session = await stack.enter_async_context(open_session(cool, cache, use))
            session.account = writer.account
            return ByModel(session)

        first = self.readers[0] if self.readers else self.settings
        second = self.readers[-1] if self.readers else self.settings
        readers = (
            await opened(first, "reader-1", 0.0),
            await opened(second, "reader-2", 0.0 if len(self.readers) > 1 else 0.7),
        )
        judge = await opened(self.judge or second, "judge", 0.0) if self.is_judged else None
        return People(writer=ByModel(writer), readers=readers, judge=judge, mends=self.mends)


async def _author(
    bench: "Bench", asked: _Asked, texts: "Prompts", only: tuple[str, ...], decisions: Path
) -> "tuple[Authoring, Account]":
    from contextlib import AsyncExitStack

    from generator.run.authoring.author import author as describe
    from generator.run.authoring.decisions import read_decisions

    known = read_decisions(decisions)
    async with AsyncExitStack() as stack:
        people = await asked.open(stack)

        def tell(step: str, done: int, number: int) -> None:
            from generator.llm.account import cost_in_words

            cost = "" if asked.settings is None else f", {cost_in_words(people.writer.account)}"
            click.echo(f"{step}: {done} of {number}{cost}", err=True)

        done = await describe(bench, people, texts, known, only, tell)
        return done, people.writer.account


def _finish(spec: str, bench: "Bench", done: "Authoring", account: "Account", target: Path) -> int:
    """Write what came of it, or say what is still waited for."""
    from generator.formats.sinks.disk import write_whole
    from generator.llm.account import cost_in_words
    from generator.run.authoring.review.review import review_of, write_review
    from generator.run.authoring.saving import overlay_of

    if done.waiting:
        for path in done.waiting:
            click.echo(on_one_line(f"no answer yet: {path}"))
        click.echo(
            f"{done.waits_for}: {count(len(done.waiting), 'answer is', 'answers are')} not there yet; then the same command goes on"
        )
        return 3
    if done.stopped:
        click.echo(on_one_line(f"stopped: {done.stopped}"), err=True)
        click.echo(
            f"{cost_in_words(account)} so far; nothing is written before all steps are done: the same command goes on",
            err=True,
        )
        return 3
    before = {name: bench.read(declared, {})[0] for name, declared in bench.declaring({}).items()}
    write_review(review_file(spec), review_of(spec, done, before))
    write_whole(target, [overlay_of(bench, done, Path(spec).name).encode()])
    _print_result(done)
    click.echo(f"{cost_in_words(account)}; `tools review {spec}` shows what was dropped and why")
    click.echo(on_one_line(f"written to {target}"))
    return 0


def _print_result(done: "Authoring") -> None:

    for name, why in done.entities_dropped.items():
        click.echo(on_one_line(f"entity {name} dropped: {why}"))
    kept = given = 0
    for tool in done.tools:
        number = 0 if tool.refused else len(tool.texts)
        kept, given = kept + number, given + len(tool.texts) + len(tool.dropped)
        click.echo(
            on_one_line(
                f"{tool.spec.name}  {number} of {len(tool.texts) + len(tool.dropped)} texts kept{', refused: ' + tool.refused if tool.refused else ''}"
            )
        )
        for one in tool.dropped:
            state = "disputed" if one.is_disputed else "dropped"
            click.echo(on_one_line(f"  {one.element.name} {state}: {one.element.text!r}: {one.why}"))
        for gap in tool.gaps:
            click.echo(on_one_line(f"  missing: {gap}"))
    if done.conversations:
        fit = sum(not verdict.faults for verdict in done.conversations)
        blamed = sum(bool(verdict.faults and verdict.blamed) for verdict in done.conversations)
        click.echo(
            f"whole conversations: {fit} of {len(done.conversations)} passed the judge; phrases were blamed for {blamed} of the others"
        )
    click.echo(
        f"{count(len(done.tools), 'tool', 'tools')}: {kept:,} of {given:,} texts kept"
        if given
        else "nothing was described"
    )
