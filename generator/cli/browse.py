"""`browse`: a page with the rows of files and runs."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

import click

from generator.cli.place import PLACE

if TYPE_CHECKING:
    from http.server import ThreadingHTTPServer


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
    from generator.core.errors import OutputError
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

    from generator.core.errors import GeneratorError, OutputError
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
