"""A kind of value is one record in one data file: a copy of the package in which only that file differs knows it."""

import json
import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]
RECORD = """
tea:
  names: tea, tea sort
  descriptions: leaves to brew
  values: Assam, Darjeeling, Earl Grey, sencha, oolong, Ceylon, rooibos, matcha
"""
DRAW = """
import json, sys
from datetime import date
from generator.arguments import compile_value
from generator.core.seeds import Draw

schemas = [({}, "tea"), ({}, "favoriteTeaSort"), ({"description": "The leaves to brew."}, "pick"), ({}, "city")]
draw = Draw(1, date(2026, 3, 1))
makers = [compile_value({"type": "string", **more}, name, 1) for more, name in schemas]
makers.append(compile_value({"type": "string"}, "thing", 1, kind="tea"))
print(json.dumps([[make(draw) for _ in range(20)] for make in makers]))
"""


def test_a_record_is_all_that_a_new_kind_needs(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "generator", tmp_path / "generator", ignore=shutil.ignore_patterns("__pycache__"))
    with (tmp_path / "generator/arguments/kinds/kinds.yaml").open("a", encoding="utf-8") as file:
        file.write(RECORD)
    done = subprocess.run([sys.executable, "-c", DRAW], cwd=tmp_path, capture_output=True, text=True, check=True)
    named, worded, described, city, explicit = json.loads(done.stdout)
    teas = set(RECORD.rpartition("values: ")[2].strip().split(", "))
    for values in (named, worded, described, explicit):
        assert set(values) <= teas
        assert len(set(values)) > 3
    assert not teas & set(city)
