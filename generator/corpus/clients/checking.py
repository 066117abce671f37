"""Serve cases to clients on this machine, and judge clients of streams and readers of JSON: what they return is one of the readings of a case."""

from collections.abc import Sequence
from contextlib import suppress
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Lock, Thread
from typing import NamedTuple

import msgspec

from generator.corpus.case import Case, Oracle
from generator.corpus.check.failures import ParserAnswer, no_answer
from generator.corpus.check.judge import compare_calls, same_value, short

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
        """Return a base URL below which every request is answered with these pieces, each an HTTP chunk of its own.

        A body that is `lost` ends without the chunk that ends it.
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


Wrong = tuple[str, str]
"""(label, detail)."""


def judge_reading(case: Case, answer: ParserAnswer, *, content: bool = True) -> Wrong | None:
    """Return what is wrong with an answer that is none of the readings a case has.

    Without `content`, texts beside calls are not compared.
    """
    readings = case.allowed if case.verdict == "i" else (case.oracle,) if case.oracle else ()
    may_raise = any(reading.error is not msgspec.UNSET for reading in readings)
    if answer.error is not None:
        stopped = answer.error == "hang" or answer.error.startswith("died")
        return no_answer(answer) if stopped or not may_raise else None
    reads_json = case.oracle is not None and case.oracle.value is not msgspec.UNSET
    if may_raise and reads_json and answer.value is msgspec.UNSET:
        return None
    wrongs = [_differs(case, reading, answer, content) for reading in readings if reading.error is msgspec.UNSET]
    if any(wrong is None for wrong in wrongs):
        return None
    first = next(iter(wrongs), None)
    if case.verdict == "n" or first is None:
        return "fault not noticed", f"{case.oracle.error if case.oracle else ''}: it tells {_in_words(answer)}"
    return ("not an allowed reading", f"{first[0]}: {first[1]}") if case.verdict == "i" else first


def _differs(case: Case, reading: Oracle, answer: ParserAnswer, content: bool) -> Wrong | None:
    """Return how an answer differs from one reading of a case."""
    if reading.value is not msgspec.UNSET:
        return _value_differs(reading, answer)
    faults = [f"{call.name}: {call.fault}" for call in answer.calls if call.fault]
    if faults and not any(change.op == "truncate" for change in case.mutations):
        return "invalid JSON", faults[0]
    whole = answer.calls[:-1] if answer.calls and answer.calls[-1].fault else answer.calls
    wrong = compare_calls(reading.tool_calls, whole)
    if wrong is None and content and (answer.content or "") != (reading.content or ""):
        return "wrong content", f"{short(answer.content)} instead of {short(reading.content)}"
    return wrong or _end_differs(reading, answer)


def _value_differs(reading: Oracle, answer: ParserAnswer) -> Wrong | None:
    """Return how the value that was read differs from that of a reading."""
    if answer.value is msgspec.UNSET:
        return "wrong value", f"none instead of {short(reading.value)}"
    same = same_value(reading.value, answer.value)
    return None if same else ("wrong value", f"{short(answer.value)} instead of {short(reading.value)}")


def _end_differs(reading: Oracle, answer: ParserAnswer) -> Wrong | None:
    """Return how the reason of the end or the usage differs from that of a reading."""
    for returned, expected, name in (
        (answer.finish_reason, reading.finish_reason, "finish_reason"),
        (answer.usage, reading.usage, "usage"),
    ):
        if msgspec.UNSET not in (returned, expected) and returned != expected:
            return f"wrong {name.partition('_')[0]}", f"{name} is {returned!r} instead of {expected!r}"
    return None


def _in_words(answer: ParserAnswer) -> str:
    """Return an answer in words for people."""
    if answer.value is not msgspec.UNSET:
        return short(answer.value)
    calls = ", ".join([str(call.name) for call in answer.calls]) or "no call"
    return f"{short(answer.content)} and {calls}"
