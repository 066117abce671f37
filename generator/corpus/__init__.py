"""Corpora for those who write parsers of tool calls: cases with a known outcome, in every wire format.

    for case in cases("outputs/fuzz_parsers", "hermes"):
        assert my_parser(case.text.decode()) == ...

It may import the rooms from `report` down. Start reading at generation.py (one case) and `generator/formats/wire` (what a format is); docs/corpora.md tells what is made and why.
"""

from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

from generator.corpus.case import Case, ChunkPlan, Mutation, Oracle
from generator.formats.wire.format import ExpectedCall

if TYPE_CHECKING:
    from hypothesis.strategies import SearchStrategy

    from generator.corpus.strategies import ModelOutput


def cases(path: str | Path, format: str) -> Iterator[Case]:  # noqa: A002
    """Return the cases of one format of a corpus on disk, in order of their ids, for parametrised tests.

    Raises:
        OutputError: the folder is no corpus, or a file is not as it was written.
        FormatError: the format is not in it.
    """
    from generator.corpus.layout import read_cases

    return read_cases(Path(path), format)


def model_outputs(format: str, tools: Iterable[dict[str, Any]]) -> "SearchStrategy[ModelOutput]":  # noqa: A002
    """Return a Hypothesis strategy of valid completions and a way to cut each; see `generator.corpus.strategies`."""
    from generator.corpus.strategies import model_outputs as make

    return make(format, tools)


__all__ = ["Case", "ChunkPlan", "ExpectedCall", "Mutation", "Oracle", "cases", "model_outputs"]
