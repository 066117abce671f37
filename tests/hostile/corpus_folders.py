"""Hostile corpora: an index, tools and a case that nobody wrote so, for `corpus check`."""

import hashlib
from collections.abc import Iterator
from typing import Any

from hostile.cases import TOOL, Case, as_json, changed, places
from hostile.recipes import VALUES

TEXT = b'<tool_call>\n{"name": "find", "arguments": {"title": "Dune"}}\n</tool_call>'
ID = "plain-000001"
LINE: dict[str, Any] = {
    "id": ID,
    "format": "hermes",
    "verdict": "y",
    "tools": ["find"],
    "tags": ["plain"],
    "parent": None,
    "oracle": {"tool_calls": [{"name": "find", "arguments": {"title": "Dune"}}], "content": None},
    "allowed": [],
    "mutations": [{"op": "plain"}],
    "plans": [{"kind": "whole", "sizes": [len(TEXT)], "utf8_safe": True, "splits_special_token": False}],
    "stretch": [0, 9],
    "text": TEXT.decode(),
}
TOOLS = [{"type": "function", "function": TOOL["function"]}]
CHECK = ("corpus", "check", "c", "--parser", "builtins:len")
INDEX: dict[str, Any] = {
    "made_from": {},
    "formats": {"hermes": {"kind": "wire", "cases": {"y": 1}, "sha256": hashlib.sha256(as_json(LINE)).hexdigest()}},
}
TEXTS: dict[str, bytes] = {
    "nothing": b"",
    "blank lines": b"\n" * 10_000,
    "no text": b"\xff\xfe\x00",
    "UTF-16": as_json(LINE).decode().encode("utf-16"),
    "cut off": as_json(LINE)[:40],
    "deep": b"[" * 100_000,
    "5,000 digits": b"9" * 5_000,
    "NaN": b"NaN",
    "no objects": b'1\nnull\n[]\n"x"\n',
    "twice": as_json(LINE) + b"\n" + as_json(LINE) + b"\n",
    "terminal escapes": as_json({**LINE, "verdict": "\x1b]0;x\x07\u202e"}),
}


def of_corpus(name: str, index: Any = INDEX, tools: Any = TOOLS, line: Any = LINE) -> Case:
    """A check of a corpus of one case; each file is a value or bytes."""
    texts = [part if isinstance(part, bytes) else as_json(part) for part in (index, tools, line)]
    names = ("c/INDEX.json", "c/tools.json", "c/hermes.jsonl")
    return Case(name, dict(zip(names, texts, strict=True)), CHECK)


def always() -> Iterator[Case]:
    """All of `TEXTS` as each of the three files, and a corpus that is whole."""
    yield of_corpus("whole")
    for what, text in TEXTS.items():
        yield of_corpus(f"index: {what}", index=text)
        yield of_corpus(f"tools: {what}", tools=text)
        yield of_corpus(f"lines: {what}", line=text)


def some() -> Iterator[Case]:
    """Every one of `VALUES` in every place of each file."""
    for number, value in enumerate(VALUES):
        for place in places(INDEX):
            yield of_corpus(f"index{place} value {number}", index=changed(INDEX, place, value))
        for place in places(TOOLS):
            yield of_corpus(f"tools{place} value {number}", tools=changed(TOOLS, place, value))
        for place in places(LINE):
            yield of_corpus(f"line{place} value {number}", line=changed(LINE, place, value))
