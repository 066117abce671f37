"""`tools review`: a page of what came of authoring."""

from pathlib import Path

import click

from generator.cli.screen.terminal import on_one_line


@click.command(short_help="Write a page of what a model said of tools: before, after, dropped, and why.")
@click.argument("spec", metavar="SPEC")
@click.option(
    "--write",
    "target",
    type=click.Path(path_type=Path),
    metavar="FILE",
    help="The page; SPEC's name with .review.html unless given.",
)
def review(spec: str, target: Path | None) -> int:
    """Write one HTML page about what the last `tools author SPEC` kept and dropped, with trial rows before and after.

    The page takes decisions (accept, reject, other words) and saves them as SPEC's name with .decisions.yaml, which the next
    `tools author SPEC` honours.
    """
    from generator.cli.tools.author import decisions_of, review_file
    from generator.formats.sinks.disk import write_whole
    from generator.run.authoring.review.page import page_of
    from generator.run.authoring.review.review import read_review

    target = target or Path(spec).with_suffix(".review.html")
    found = read_review(review_file(spec))
    write_whole(target, [page_of(found, decisions_of(spec).name).encode()])
    click.echo(on_one_line(f"written to {target}"))
    return 0
