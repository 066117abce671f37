"""Hostile rows and files of rows, for validate, show, convert and report."""

import gzip
import json
from collections.abc import Iterator

import zstandard
from hostile.cases import Case

GOOD = b'{"messages": [{"role": "user", "content": "Hi"}, {"role": "assistant", "content": "Hello."}]}\n'
CALL = (
    b'{"messages":[{"role":"user","content":"Hi"},{"role":"assistant","content":null,"tool_calls":[{"id":"c","type":"function",'
    b'"function":{"name":"f","arguments":%s}}]}],"tools":[{"type":"function","function":{"name":"f","parameters":%s}}]}\n'
)
LINES: dict[str, bytes] = {
    "nothing": b"",
    "blank lines": b"\n" * 10_000,
    "no text": b"\xff\xfe\xfd\n",
    "half a letter": b'{"messages": "\\ud800"}\n',
    "NUL": b"\x00" * 1000 + b"\n",
    "byte order mark": b"\xef\xbb\xbf" + GOOD,
    "UTF-16": GOOD.decode().encode("utf-16"),
    "carriage returns": GOOD.replace(b"\n", b"\r"),
    "cut off": GOOD[:40],
    "no objects": b'1\nnull\n[]\n"x"\ntrue\n',
    "NaN": b'{"messages": [NaN]}\n',
    "a key twice": b'{"messages": [], "messages": []}\n',
    "5,000 digits": b'{"messages": %s}\n' % (b"9" * 5_000),
    "lists 100,000 deep": b'{"messages": ' + b"[" * 100_000 + b"\n",
    "lists 500 deep": b'{"messages": ' + b"[" * 500 + b"]" * 500 + b"}\n",
    "objects 100,000 deep": b'{"messages":' * 100_000 + b"\n",
    "20,000 bad rows": b'{"messages": 5}\n' * 20_000,
    "20,000 bad keys": json.dumps({f"k{n}": n for n in range(20_000)}).encode() + b"\n",
    "no ids": b'{"id": {}, "messages": []}\n{"id": [1], "messages": []}\n',
    "bad among good": GOOD + b"{\n" + GOOD,
    "a list of rows": b"[" + GOOD + b"," + GOOD + b"]",
    "arguments are no JSON": CALL % (b'"{"', b"{}"),
    "arguments 500 deep": CALL % (json.dumps('{"a":' * 500 + "1" + "}" * 500).encode(), b"{}"),
    "arguments of 5,000 digits": CALL % (json.dumps('{"a":%s}' % ("9" * 5_000)).encode(), b"{}"),
    "parameters hold themselves": CALL % (b'"{}"', b'{"$ref":"#"}'),
    "parameters that are fetched": CALL % (b'"{}"', b'{"$ref":"http://127.0.0.1:9/x"}'),
    "parameters from a file": CALL % (b'"{}"', b'{"$schema":"file:///etc/hostname"}'),
    "a slow pattern": CALL
    % (
        json.dumps(json.dumps({"a": "a" * 40 + "!"})).encode(),
        b'{"type":"object","properties":{"a":{"type":"string","pattern":"^(a+)+$"}}}',
    ),
    "parameters are a list": CALL % (b'"{}"', b"[]"),
    "terminal escapes": b'{"messages": [{"role": "\\u001b]0;x\\u0007", "content": "\\u001b[2J\\u202e"}]}\n',
}
PACKED: dict[str, bytes] = {
    "x.jsonl.gz": gzip.compress(bytes(70 << 20), 1, mtime=0),
    "y.jsonl.gz": b"\x1f\x8b\x08",
    "x.jsonl.zst": zstandard.compress(bytes(70 << 20), 1),
    "y.jsonl.zst": b"no zstd",
    "x.parquet": b"PAR1 no parquet PAR1",
    "y.parquet": b"",
    "x.json": b"[[[[",
}
COMMANDS: dict[str, tuple[str, ...]] = {
    "validate": ("validate", "FILE"),
    "show": ("show", "FILE"),
    "convert": ("convert", "FILE", "o.jsonl", "--from", "openai", "--to", "deepfabric"),
    "report": ("report", "FILE"),
}


def always() -> Iterator[Case]:
    """None: each file is for several commands."""
    yield from ()


def some() -> Iterator[Case]:
    """Every file with every command."""
    for name, data in {**{f"{word} x.jsonl": data for word, data in LINES.items()}, **PACKED}.items():
        file = name.rpartition(" ")[2]
        for command, words in COMMANDS.items():
            yield Case(f"{command} {name}", {file: data}, tuple(file if word == "FILE" else word for word in words))
