"""Scenarios whose rows are documents: gaps in texts and source files, and several files in one sequence."""

import ast
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from workbench import TODAY, recipe, rows, workshop, write_tools

from generator.core.conversation import FileSequence, FillIn, SourceText
from generator.core.errors import PlanError, RecipeError
from generator.core.seeds import Draw
from generator.formats.rules import check_document
from generator.recipe.settings import CUTS, Documents
from generator.run.row import prepare
from generator.scenarios.documents import gap_in, line_starts, piece_of, units

CODE = '''\
"""A module with a föhn in it."""

import math


def area(radius: float) -> float:
    """Of a circle."""
    if radius < 0:
        raise ValueError(f"{radius} is below zero")
    return math.pi * radius**2


print(area(2.0), [n * n for n in range(10)])
'''
PROSE = """\
# Whales

Whales are mammals. They breathe air, and some of them
dive for an hour (most do not).

The largest weighs 150 tonnes!
"""
SHORT = "One line only"


def folder_with(folder: Path) -> tuple[Path, ...]:
    files = {"area.py": CODE, "whales.md": PROSE, "short.txt": SHORT}
    for name, text in files.items():
        (folder / name).write_text(text, encoding="utf-8")
    return tuple(folder / name for name in files)


def shop(folder: Path, scenario: str, **settings):
    documents = Documents(files=folder_with(folder), **settings)
    return workshop(folder, scenario, path=folder / "recipe.yaml", documents=documents)


TEXTS = st.text(st.sampled_from('ab .(\n\r\té\u2028{"')).filter(str.strip)


@pytest.mark.parametrize("kind", CUTS)
@given(text=TEXTS | st.sampled_from([CODE, PROSE]), name=st.sampled_from(["a.py", "a.md"]), seed=st.integers(0, 99))
def test_a_gap_leaves_the_text_as_it_is(kind, text, name, seed):
    longest = 60
    gap = gap_in(SourceText(name, text), kind, longest, Draw(seed, TODAY))
    if gap is None:
        assert kind != "character"
        return
    shown = gap.prefix + gap.middle + gap.suffix
    assert shown in text
    assert gap.middle.strip()
    assert len(shown) <= longest
    assert len(gap.middle) <= max(1, longest // 4)
    assert check_document(FileSequence(files=(gap,)), [text]) == []


@given(text=TEXTS, seed=st.integers(0, 99))
def test_a_piece_is_lines_of_the_text(text, seed):
    piece = piece_of(SourceText("a.md", text), 40, Draw(seed, TODAY))
    assert piece in text
    assert len(piece) <= 40
    assert piece == text or text.startswith(piece) or f"\n{piece}" in text


def gaps(name: str, text: str, kind: str) -> list[FillIn]:
    found = [gap_in(SourceText(name, text), kind, 4000, Draw(seed, TODAY)) for seed in range(60)]
    return [gap for gap in found if gap is not None]


def test_line_gaps_are_whole_lines():
    for gap in gaps("area.py", CODE, "line"):
        assert gap.prefix == "" or gap.prefix.endswith("\n")
        assert gap.middle.endswith("\n")
    assert len(gaps("area.py", CODE, "line")) == 60


def test_syntax_gaps_in_python_are_statements_and_expressions():
    found = {gap.middle for gap in gaps("area.py", CODE, "syntax")}
    assert len(found) >= 8
    for middle in found:
        ast.parse(middle if not middle.startswith("return") else f"def f():\n    {middle}")
    assert {"import math", "math.pi * radius**2", "[n * n for n in range(10)]"} <= {
        CODE[start:end] for start, end in units(SourceText("area.py", CODE))
    }


def test_syntax_gaps_in_prose_are_sentences_and_paragraphs():
    known = {PROSE[start:end] for start, end in units(SourceText("whales.md", PROSE))}
    assert {"# Whales\n", "Whales are mammals.", "(most do not)", "The largest weighs 150 tonnes!"} <= known


def test_python_that_does_not_parse_is_read_as_prose():
    assert units(SourceText("broken.py", "def f(:\n  pass\n\nAnd so on. (really)\n"))


def test_lines_begin_where_lines_begin():
    assert line_starts("a\nb\n") == (0, 2)
    assert line_starts("a\nb") == (0, 2)
    assert line_starts("\n\n") == (0, 1)


def test_rows_with_a_gap(tmp_path: Path):
    made = rows(shop(tmp_path, "fill_in_the_middle", cuts=(("syntax", 1.0), ("line", 1.0), ("character", 1.0))), 60)
    assert {tag for one in made for tag in one.row.tags} == {
        *("file:area.py", "file:whales.md", "file:short.txt"),
        *(f"cut:{kind}" for kind in CUTS),
    }
    for one in made:
        (gap,) = one.row.document.files
        source = next(tag.removeprefix("file:") for tag in one.row.tags if tag.startswith("file:"))
        assert gap.prefix + gap.middle + gap.suffix == (tmp_path / source).read_text(encoding="utf-8")
        assert one.row.conversation.messages == ()
        assert one.record == {}
    assert len({one.row.document for one in made}) > 40


def test_rows_of_several_files(tmp_path: Path):
    made = rows(shop(tmp_path, "multi_file", gaps=0.5, together=(2, 3), longest=100), 60)
    assert {len(one.row.document.files) for one in made} == {2, 3}
    with_gap = [one for one in made if isinstance(one.row.document.files[-1], FillIn)]
    assert 15 <= len(with_gap) <= 45
    for one in made:
        assert all(isinstance(file, str) and len(file) <= 100 for file in one.row.document.files[:-1])
        assert len({tag for tag in one.row.tags if tag.startswith("file:")}) == len(one.row.document.files)


@pytest.mark.parametrize("scenario", ["fill_in_the_middle", "multi_file"])
def test_rows_are_the_same_again(tmp_path: Path, scenario: str):
    assert rows(shop(tmp_path, scenario), 10) == rows(shop(tmp_path, scenario), 10)


@pytest.mark.parametrize(
    ("scenario", "files", "reason"),
    [
        ("fill_in_the_middle", {}, "needs a file to make documents from"),
        ("multi_file", {"a.txt": "a"}, "needs 2 files to make documents from"),
        ("fill_in_the_middle", {"a.txt": " \n"}, r"a\.txt is empty"),
    ],
)
def test_a_recipe_without_texts_is_refused(tmp_path: Path, scenario: str, files: dict[str, str], reason: str):
    for name, text in files.items():
        (tmp_path / name).write_text(text)
    documents = Documents(files=tuple(tmp_path / name for name in files))
    with pytest.raises(PlanError, match=reason):
        prepare(recipe([write_tools(tmp_path)], scenario, path=tmp_path / "r.yaml", documents=documents))


def test_a_file_that_is_no_text_is_refused(tmp_path: Path):
    (tmp_path / "a.bin").write_bytes(b"ab\xff")
    documents = Documents(files=(tmp_path / "a.bin",))
    with pytest.raises(RecipeError, match=r"a\.bin: not UTF-8 text \(byte 2\)"):
        prepare(recipe([write_tools(tmp_path)], "single", documents=documents))


def test_a_document_that_is_not_of_its_sources_is_found_out():
    good = FileSequence(files=(FillIn(prefix="a", middle="b", suffix="c"), "abc"))
    assert check_document(good, ["xabcx"]) == []
    for files, place in (
        ((FillIn(prefix="a", middle="x", suffix="c"),), "$.files[0]"),
        ((FillIn(prefix="a", middle=None, suffix="bc"),), "$.files[0]"),
        (("abc", "cba"), "$.files[1]"),
    ):
        assert [fault.path for fault in check_document(FileSequence(files=files), ["xabcx"])] == [place]
