"""`show` and `browse`: look at rows; `llm show`: what models were asked, and what they answered."""

from collections.abc import Callable
from itertools import islice
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.options import COUNT, FILE, PLACE
from generator.cli.screen.terminal import printable
from generator.core.errors import FormatError, GeneratorError, OutputError

if TYPE_CHECKING:
    from http.server import ThreadingHTTPServer


@click.command(short_help="Print conversations of a file or a run.")
@click.argument("path", type=PLACE)
@click.option("--index", type=click.IntRange(min=0), default=0, show_default=True, help="Which record; the first is 0.")
@click.option("--row", type=click.IntRange(min=0), help="The row of the run with this index.")
@click.option("--scenario", help="Only rows of this scenario.")
@click.option("--tag", help="Only rows with this tag.")
@click.option(
    "--words", is_flag=True, help="Say of all words why they stand there: the phrase of which tool, or which act."
)
@click.option("--random", "sample", type=COUNT, help="So many by chance, instead of one by its index.")
def show(
    path: Path, index: int, row: int | None, scenario: str | None, tag: str | None, sample: int | None, words: bool
) -> None:
    """Print a conversation of PATH: who says what, calls, results, and where each value comes from.

    PATH is a file in any format that `run` writes (as for `validate`), or the folder of a run. Origins are those of the proofs.jsonl beside
    it, when it is there; it also tells which records --row, --scenario and --tag choose. --index counts among these.
    """
    from generator.cli.screen.page import print_row
    from generator.report.files.show import Wanted, derived_words, find_rows, show_row

    found, _ = find_rows(path, Wanted(row=row, scenario=scenario, tag=tag), index, sample)
    for number, record in enumerate(found):
        if number:
            click.echo()
        proof = record.proof if record.document is None else record.proof_line
        of_run = f"Row {proof.index} · " if proof else ""
        where = f"{record.file.path}:{record.line}"
        try:
            conversation = record.parsed.conversation if record.parsed else None
            derived = derived_words(conversation, proof) if words and proof and conversation else {}
            whole = conversation or record.document
            assert whole is not None
            print_row(f"{of_run}{where} · {record.format}", show_row(whole, proof), derived)
        except RecursionError:
            raise FormatError(f"{where}: nested too deep to be shown") from None


@click.command(short_help="Write a page with the rows of a run in it.")
@click.argument("paths", type=PLACE, nargs=-1, required=True, metavar="PATH...")
@click.option(
    "--out", type=click.Path(path_type=Path, dir_okay=False), metavar="FILE", help="The page to write [rows.html]."
)
@click.option("--overwrite", is_flag=True, help="Replace the page when it is there.")
@click.option("--serve", is_flag=True, help="Serve pages on this machine instead, for runs of any size.")
@click.option("--port", type=click.IntRange(0, 65535), default=8765, show_default=True, help="With --serve: the port.")
def browse(paths: tuple[Path, ...], out: Path | None, overwrite: bool, serve: bool, port: int) -> None:
    """Write one page with the rows of PATH: conversations, where each value comes from, rejected attempts, and figures.

    PATH is a file in any format that `run` writes, or the folder of a run. Of several, rows with one index stand side by
    side: two runs, or two formats. The page needs nothing else and asks nothing of any network.
    """
    from generator.formats.sinks import write_whole
    from generator.report.page import browse_page

    if serve:
        with browse_server(paths, port) as server:
            click.echo(f"http://127.0.0.1:{server.server_port}/ (Ctrl-C ends it)")
            server.serve_forever()
    page = out or Path("rows.html")
    if page.exists() and not overwrite:
        raise OutputError(f"{page}: is there already; give --overwrite, or another name by --out")
    text, rows = browse_page(paths)
    write_whole(page, [text.encode("utf-8", "replace")])
    click.echo(f"{page}: {rows:,} records; open it in a browser")


def browse_server(paths: tuple[Path, ...], port: int) -> "ThreadingHTTPServer":
    """A server of pages on the loopback interface, which answers only who asks for it by that name."""
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    from generator.report.page import browse_page

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            """A page, from the record that the address names."""
            host = (self.headers.get("Host") or "").rpartition(":")[0]
            path, _, query = self.path.partition("?")
            if path != "/" or host not in ("127.0.0.1", "localhost"):
                self.send_error(404)
                return
            number = query.removeprefix("from=")
            start = int(number) if number.isascii() and number.isdigit() and len(number) < 12 else 0
            try:
                body = browse_page(paths, start, served=True)[0].encode("utf-8", "replace")
            except GeneratorError as fault:
                self.send_error(500, explain=str(fault))
                return
            self.send_response(200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        log_message: Callable[..., None] = lambda *_: None

    try:
        return ThreadingHTTPServer(("127.0.0.1", port), Handler)
    except OSError as fault:
        raise OutputError(f"--port {port}: cannot be served on ({fault.strerror})") from None


@click.group(short_help="Look at what models were asked.")
def llm() -> None:
    """Look at what models were asked."""


@llm.command("show", short_help="Print prompts and answers that a run has kept.")
@click.argument("cache", type=FILE, metavar="FOLDER")
@click.option("--use", metavar="NAME", default="", help="Of this use alone: arguments, results, solve, read, judge.")
@click.option("--refused", is_flag=True, help="Only answers that could not be used, with the reason.")
@click.option("--count", type=COUNT, default=5, show_default=True, help="How many at most.")
def show_asked(cache: Path, use: str, refused: bool, count: int) -> int:
    """Print what was asked for the run in FOLDER (or for a cache of answers, a file), and what came back."""
    from generator.llm.cache import Cache
    from generator.run.authoring.author import CACHE

    file = cache / CACHE if cache.is_dir() else cache
    if not file.is_file():
        raise OutputError(f"{file}: there are no answers of a model")
    kept = Cache(file, "")
    try:
        found = list(islice(kept.shown(use=use, refused=refused), count))
    finally:
        kept.close()
    for place, (prompt, fault, answer) in enumerate(found):
        click.echo(f"{'' if place == 0 else chr(10)}== {prompt.use or 'a request'}, {printable(prompt.model)}")
        for role, text in prompt.messages:
            click.echo(f"[{role}]\n{_lines(text)}")
        if answer.reasoning:
            click.echo(f"[reasoning]\n{_lines(answer.reasoning)}")
        said = [answer.text] if answer.text else []
        said += [f"{call.name} {call.arguments}" for call in answer.calls]
        click.echo(f"[answer]\n{_lines(chr(10).join(said))}" if said else f"[no answer: {answer.fault}]")
        if fault:
            click.echo(f"[refused: {printable(fault)}]")
    if not found:
        click.echo("no such answers")
    return 0


def _lines(text: str) -> str:
    return "\n".join(map(printable, text.split("\n")))
