"""The same seed makes the same values in another process, folder and hash order; nothing is left behind or printed."""

import os
import subprocess
import sys
from pathlib import Path

from arguments.making import arguments_of, tool

SCRIPT = """
import hashlib
import orjson
from arguments.making import arguments_of, tool, tool_of
from arguments.whole_schemas import AT_ALL
from generator.arguments.other_sources import property_based
from generator.toolbox import Relation

text = {"type": "string"}
spec = tool({
    "name": text, "email": text, "city": text, "note": {"type": ["string", "null"]}, "phone": text, "url": text,
    "start": {"type": "string", "format": "date"}, "end": {"type": "string", "format": "date"},
    "price": {"type": "number", "minimum": 0}, "tags": {"type": "array", "items": text, "uniqueItems": True},
    "wide": {"type": "integer"}, "meta": {"type": "object"}, "any": {},
}, required=["name"], relations=(Relation("start", "<", "end"),))
property_based.POOL_SIZE = 40
for source in ("realistic", "property_based"):
    made = arguments_of(spec, 40, source=((source, 1.0),), edge_cases=0.1)
    print(hashlib.sha256(orjson.dumps(made)).hexdigest())
property_based.POOL_SIZE = 5
for source in ("realistic", "property_based"):
    made = [arguments_of(tool_of({"type": "object", **schema}), 5, source=((source, 1.0),)) for schema in AT_ALL.values()]
    print(hashlib.sha256(orjson.dumps(made)).hexdigest())
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


def test_other_processes_make_the_same_values(tmp_path):
    (tmp_path / "a").mkdir()
    (tmp_path / "b").mkdir()
    first, second = _run(tmp_path / "a", "1"), _run(tmp_path / "b", "2")
    assert first == second
    assert len(first.split()) == 4
    assert [path.name for path in tmp_path.rglob("*")] == ["a", "b"] or sorted(p.name for p in tmp_path.rglob("*")) == [
        "a",
        "b",
    ]


def test_another_seed_makes_other_values():
    spec = tool({"name": {"type": "string"}, "date": {"type": "string", "format": "date"}})
    assert arguments_of(spec, 20, seed=1) == arguments_of(spec, 20, seed=1)
    assert arguments_of(spec, 20, seed=1) != arguments_of(spec, 20, seed=2)
