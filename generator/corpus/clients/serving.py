"""Serve cases to clients on this machine: a base URL for each run, and the pieces of a plan as HTTP chunks."""

from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from typing import NamedTuple

_SILENT = 60.0
"""Seconds after which a client that takes nothing is left."""


class _Offer(NamedTuple):
    pieces: Sequence[bytes]
    lost: bool


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    offers: dict[str, _Offer]


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = _SILENT
    disable_nagle_algorithm = True
    server: _Server

    def do_POST(self) -> None:
        self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self._answer()

    def do_GET(self) -> None:
        self._answer()

    def _answer(self) -> None:
        offer = self.server.offers.get(self.path.split("/")[1])
        self.close_connection = True
        if offer is None:
            self.send_error(404)
            return
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream; charset=utf-8")
        self.send_header("Transfer-Encoding", "chunked")
        self.send_header("Connection", "close")
        self.end_headers()
        with suppress(OSError):  # the client may have left
            for piece in offer.pieces:
                self.wfile.write(b"%x\r\n%b\r\n" % (len(piece), piece) if piece else b"")
                self.wfile.flush()
            self.wfile.write(b"" if offer.lost else b"0\r\n\r\n")

    def log_message(self, *_: object, **__: object) -> None:
        """Say nothing."""


class CaseServer:
    """Serves streams on 127.0.0.1 until it is closed; for several threads."""

    def __init__(self) -> None:
        self._server = _Server(("127.0.0.1", 0), _Handler)
        self._server.offers = {}
        self._numbers = count()
        self._lock = Lock()
        Thread(target=self._server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()

    def offer(self, pieces: Sequence[bytes], *, lost: bool = False) -> str:
        """Return a base URL below which every request is answered with these pieces.

        Args:
            pieces: The body, each piece an HTTP chunk of its own.
            lost: Whether the connection ends without the chunk that ends the body.
        """
        with self._lock:
            name = f"r{next(self._numbers)}"
        self._server.offers[name] = _Offer(pieces, lost)
        return f"http://127.0.0.1:{self._server.server_address[1]}/{name}"

    def withdraw(self, url: str) -> None:
        """Answer no more requests below a URL."""
        self._server.offers.pop(url.rpartition("/")[2], None)

    def close(self) -> None:
        """End the server."""
        self._server.shutdown()
        self._server.server_close()
