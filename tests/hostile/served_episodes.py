"""What a client of `episodes serve --mcp` may send, or not."""

import json
import random
from collections.abc import Iterator
from typing import Any

import mcp.server.stdio  # noqa: F401 - loaded before the cases, not in each of them
from hostile.cases import Case, as_json
from hostile.rows import HOSTILE
from hostile.transcripts import FILES

SERVE = ("episodes", "serve", "r.yaml", "--mcp", "--index", "0", "--transcript")
BEGIN: list[dict[str, Any]] = [
    {
        "id": 1,
        "method": "initialize",
        "params": {"protocolVersion": "2025-03-26", "capabilities": {}, "clientInfo": {"name": "c", "version": "1"}},
    },
    {"method": "notifications/initialized"},
]


def _line(message: dict[str, Any]) -> bytes:
    return json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n"


def _served(name: str, typed: bytes, *, begun: bool = True, transcript: str = "o.jsonl") -> Case:
    before = b"".join(map(_line, BEGIN)) if begun else b""
    return Case(name, FILES, (*SERVE, transcript), typed=before + typed)


def always() -> Iterator[Case]:
    """No word, no JSON, half a line, a transcript that cannot be written, and good calls."""
    yield _served("nothing", b"", begun=False)
    yield _served("begun and gone", b"")
    yield _served("no JSON", b"hello\n\xff\xfe\n{\n[]\nnull\n", begun=False)
    yield _served("half a line", b'{"jsonrpc": "2.0", "id": 2, "meth')
    yield _served("deep", b"[" * 100_000 + b"\n")
    for place in ("", "/", "o/no/such.jsonl"):
        yield _served(f"transcript {place!r}", b"", transcript=place)
    for name, arguments in (("find", {"title": "Dune"}), ("rm_rf", {}), ("talk_to_user", {"text": "1:" * 30_000})):
        yield _served(f"call {name}", _line(_call(name, arguments)))


def _call(name: Any, arguments: Any) -> dict[str, Any]:
    return {"id": 2, "method": "tools/call", "params": {"name": name, "arguments": arguments}}


def some() -> Iterator[Case]:
    """Hostile values in the places of a request."""
    for place, value in enumerate((*HOSTILE, *HOSTILE)):
        draw = random.Random(place)
        name, key = draw.choice(("find", "talk_to_user")), draw.choice(("title", "copies", "text"))
        for message in (
            _call(value, {}),
            _call(name, value),
            _call(name, {key: value}),
            {"id": value, "method": "ping"},
        ):
            yield _served(f"{place} {as_json(message)[:60]!r}", _line(message))
