"""The table of kinds in docs/arguments.md is what the code makes; renew it with `python tests/arguments/test_kinds_table.py`."""

import re
import sys
from datetime import date
from pathlib import Path

ROOT = Path(__file__).parents[2]
DOCUMENT = ROOT / "docs" / "arguments.md"
TABLE = re.compile(r"(?<=<!-- kinds -->\n).*?(?=<!-- /kinds -->)", re.DOTALL)
REAL = {"amount", "distance", "fraction", "interest_rate", "latitude", "longitude", "megabytes", "rating", "weight"}


def table() -> str:
    sys.path.insert(0, str(ROOT))
    from generator.arguments import compile_value
    from generator.arguments.kinds.records import UsualNumbers
    from generator.arguments.vocabulary.kinds import KINDS
    from generator.core.seeds import Draw

    lines = ["```text"]
    for name in sorted(KINDS):
        is_number = isinstance(KINDS[name], UsualNumbers) or name in {"year", "birth_year"}
        kind = "string" if not is_number else "number" if name in REAL else "integer"
        draw = Draw(7, date(2026, 3, 1))
        make = compile_value({"type": kind}, name, 1, kind=name)
        values = list(dict.fromkeys(str(make(draw)) for _ in range(8)))[:2]
        shown = " · ".join(values) if len(" ".join(values)) < 30 else values[0]
        lines.append(f"{name:<24}{shown}")
    return "\n".join([*lines, "```"]) + "\n"


def test_the_table_is_what_the_code_makes():
    found = TABLE.search(DOCUMENT.read_text(encoding="utf-8"))
    assert found is not None
    assert found[0] == table()


def test_there_are_many():
    assert table().count("\n") >= 62


if __name__ == "__main__":
    DOCUMENT.write_text(TABLE.sub(lambda _: table(), DOCUMENT.read_text(encoding="utf-8")), encoding="utf-8")
