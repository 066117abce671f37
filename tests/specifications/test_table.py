"""docs/specifications.md: the table of the four documents has no gap, and all that it names is there."""

import ast
import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "specifications.md"
FILES = {path.name for path in Path(__file__).parent.glob("test_*.py")} - {Path(__file__).name}


def rows() -> list[list[str]]:
    """The cells of each line of the table."""
    lines = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("| ")]
    return [[cell.strip() for cell in re.split(r"(?<!\\)\|", line)[1:-1]] for line in lines[1:]]


def names_in(file: str) -> set[str]:
    """The names of a file's test classes and tests: `TestFields`, `TestFields::test_avatar`."""
    found: set[str] = set()
    for part in ast.parse((Path(__file__).parent / file).read_text(encoding="utf-8")).body:
        if isinstance(part, ast.ClassDef):
            names = [f"{part.name}::{inner.name}" for inner in part.body if isinstance(inner, ast.FunctionDef)]
            found |= {part.name, *(name for name in names if "::test_" in name)}
    return found


def test_no_cell_is_empty() -> None:
    table = rows()
    assert len(table) > 40
    assert all(len(row) == 4 and all(row) for row in table)
    assert len({tuple(row[:2]) for row in table}) == len(table)
    assert len({row[0] for row in table}) == len(FILES) == 4


def test_every_test_that_is_named_is_there() -> None:
    for *_, test in rows():
        file, _, name = test.strip("`").partition("::")
        assert file in FILES
        assert name in names_in(file), test


def test_every_class_of_tests_is_named() -> None:
    named = {tuple(test.strip("`").split("::")[:2]) for *_, test in rows()}
    for file in FILES:
        assert {(file, name) for name in names_in(file) if "::" not in name} == {
            pair for pair in named if pair[0] == file
        }


def test_every_module_that_is_named_is_there() -> None:
    named = [path for _, _, what, _ in rows() for path in re.findall(r"`((?:generator|recipes)/[^`]+)`", what)]
    assert len(named) > 12
    assert all((ROOT / path).is_file() for path in named)
