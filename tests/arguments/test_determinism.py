"""The same seed makes the same values in another process, folder and hash order; nothing is left behind or printed."""

import os
import subprocess
import sys
from pathlib import Path

from arguments.making import arguments_of, tool
from nightly import night

from generator.arguments import property_based

SCRIPT = """
import hashlib
import orjson
from arguments.making import draws, tool, tool_of
from arguments.whole_schemas import AT_ALL
from generator.arguments import ArgumentSettings, compile_source
from generator.arguments import property_based
from generator.core.toolbox import Relation

text = {"type": "string"}
spec = tool({
    "name": text, "email": text, "city": text, "note": {"type": ["string", "null"]}, "phone": text, "url": text,
    "start": {"type": "string", "format": "date"}, "end": {"type": "string", "format": "date"},
    "price": {"type": "number", "minimum": 0}, "tags": {"type": "array", "items": text, "uniqueItems": True},
    "wide": {"type": "integer"}, "meta": {"type": "object"}, "any": {},
}, required=["name"], relations=(Relation("start", "<", "end"),))
def made(spec, count, **settings):
    return draws(compile_source(spec, ArgumentSettings(**settings), 4321), count)  # a seed of which no other test has pools

property_based.POOL_SIZE = 40
for source in ("realistic", "property_based"):
    values = made(spec, 40, source=((source, 1.0),), edge_cases=0.1)
    print(hashlib.sha256(orjson.dumps(values)).hexdigest())
property_based.POOL_SIZE = 5
for source in ("realistic", "property_based"):
    values = [made(tool_of({"type": "object", **schema}), 5, source=((source, 1.0),)) for schema in AT_ALL.values()]
    print(hashlib.sha256(orjson.dumps(values)).hexdigest())
"""
ROOT = Path(__file__).resolve().parents[2]


def _run(folder, hash_seed):
    path = os.pathsep.join([str(ROOT), str(ROOT / "tests")])
    environment = {**os.environ, "PYTHONHASHSEED": hash_seed, "PYTHONPATH": path}
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", SCRIPT],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    return done.stdout


@night
def test_another_process_makes_the_same_values(tmp_path, capsys, monkeypatch):
    """This process has a hash order of its own, and has made other values before."""
    monkeypatch.setattr(property_based, "POOL_SIZE", property_based.POOL_SIZE)  # the script changes it
    other = _run(tmp_path, "0" if os.environ.get("PYTHONHASHSEED") == "1" else "1")
    exec(SCRIPT, {})
    assert capsys.readouterr().out == other
    assert len(other.split()) == 4
    assert list(tmp_path.iterdir()) == []


def test_another_seed_makes_other_values():
    spec = tool({"name": {"type": "string"}, "date": {"type": "string", "format": "date"}})
    assert arguments_of(spec, 20, seed=1) == arguments_of(spec, 20, seed=1)
    assert arguments_of(spec, 20, seed=1) != arguments_of(spec, 20, seed=2)
