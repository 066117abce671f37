"""Rows that are documents, made from the files that a recipe names.

fill_in_the_middle: a text with a gap, and what belongs into it.
multi_file: several files in one sequence, now and then with a gap in the last.
A text is cut at characters, at lines, or around one element of its syntax.
"""

import ast
import re
from bisect import bisect_left
from collections.abc import Callable
from functools import lru_cache

from generator.core.conversation import FileSequence, FillIn, PlannedDocument, SourceText
from generator.core.errors import PlanError
from generator.core.seeds import Draw
from generator.scenarios.affordances import Toolkit
from generator.scenarios.scenario import DocumentScenario

Span = tuple[int, int]
"""[start, end) in characters."""
_SHARE = 4
"""A gap is at most this fraction (one in so many) of the text that is shown."""
_TRIES = 20
_MOST_LINES = 12
_MOST_KEPT = 256
_PARAGRAPH = re.compile(r"(?:[^\n]*\S[^\n]*(?:\n|\Z))+")
_SENTENCE = re.compile(r"[A-Z`*][^.!?\n]*(?:\n[^.!?\n]+)*[.!?](?=\s|\Z)")
_BRACKETS = re.compile(r"\([^()\n]+\)|\[[^\[\]\n]+\]|\{[^{}\n]+\}|\"[^\"\n]+\"")


def gap_in(source: SourceText, kind: str, longest: int, draw: Draw) -> FillIn | None:
    """Return the text with a gap, shortened at lines to `longest` characters; None when nothing in it can be cut out."""
    text = source.text
    most = max(1, min(len(text), longest) // _SHARE)
    span = _CUTS[kind](source, most, draw)
    if span is None:
        return None
    start, end = span
    first, last = _window(text, start, end, longest, draw)
    return FillIn(prefix=text[first:start], middle=text[start:end], suffix=text[end:last])


def piece_of(source: SourceText, longest: int, draw: Draw) -> str:
    """Return the whole text, or consecutive lines of it, at most `longest` characters."""
    text = source.text
    if len(text) <= longest:
        return text
    starts = line_starts(text)
    begin = starts[draw.below(bisect_left(starts, len(text) - longest + 1))]
    end = begin + longest
    return text[begin : _line_before(text, begin, end)]


def _window(text: str, start: int, end: int, longest: int, draw: Draw) -> Span:
    """Return what is shown around [start, end): the whole text, or lines around it."""
    if len(text) <= longest:
        return 0, len(text)
    spare = longest - (end - start)
    before = draw.below(spare + 1)
    first = 0 if start <= before else min(start, text.find("\n", start - before, start) + 1 or start)
    return first, _line_before(text, end, min(len(text), first + longest))


def _line_before(text: str, least: int, end: int) -> int:
    """Return the index after the last line break in [least, end), or `end` if there is none."""
    if end >= len(text):
        return len(text)
    found = text.rfind("\n", least, end)
    return end if found < 0 else found + 1


def _span_of_characters(source: SourceText, most: int, draw: Draw) -> Span | None:
    """Return any characters to cut out, at `most` so many."""
    text = source.text
    for _ in range(_TRIES):
        start = draw.below(len(text))
        end = min(len(text), start + draw.between(1, most))
        if text[start:end].strip():
            return start, end
    first = len(text) - len(text.lstrip())  # by chance there are hardly any letters in it
    return (first, first + 1) if first < len(text) else None


def _span_of_lines(source: SourceText, most: int, draw: Draw) -> Span | None:
    """Return whole lines to cut out, at `most` so many characters; None where none are short enough."""
    starts = line_starts(source.text)
    ends = [*starts[1:], len(source.text)]
    for _ in range(_TRIES):
        first = draw.below(len(starts))
        last = min(len(starts) - 1, first + draw.below(_MOST_LINES))
        while last > first and ends[last] - starts[first] > most:
            last -= 1
        start, end = starts[first], ends[last]
        if source.text[start:end].strip() and end - start <= most:
            return start, end
    return None


def _span_of_syntax(source: SourceText, most: int, draw: Draw) -> Span | None:
    """Return an element of the syntax to cut out, at `most` so many characters; None where none is short enough."""
    spans = [span for span in units(source) if span[1] - span[0] <= most]
    return draw.choice(spans) if spans else None


@lru_cache(maxsize=_MOST_KEPT)
def line_starts(text: str) -> tuple[int, ...]:
    """Return where lines begin; the text after the last line break is a line only if it is not empty."""
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    return tuple(starts[:-1] if len(starts) > 1 and starts[-1] == len(text) else starts)


@lru_cache(maxsize=_MOST_KEPT)
def units(source: SourceText) -> tuple[Span, ...]:
    """Return the spans of syntactic elements in a text.

    Of Python: statements, and expressions of more than a name. Of anything else: paragraphs, sentences, and what
    stands between brackets or quotes, with them.
    """
    if source.name.endswith(".py"):
        found = _python_units(source.text)
        if found:
            return found
    patterns = (_PARAGRAPH, _SENTENCE, _BRACKETS)
    spans = {match.span() for pattern in patterns for match in pattern.finditer(source.text)}
    return tuple(sorted(span for span in spans if source.text[slice(*span)].strip()))


def _python_units(text: str) -> tuple[Span, ...]:
    """Return the statements of a Python text, and its expressions of more than a name; none where it is no Python."""
    try:
        tree = ast.parse(text)
    except (SyntaxError, ValueError, RecursionError):
        return ()
    lines = re.findall(r"[^\r\n]*(?:\r\n|\r|\n|\Z)", text)  # lines as Python's parser counts them
    offsets = [0]
    for line in lines:
        offsets.append(offsets[-1] + len(line))
    kinds = (ast.stmt, ast.Call, ast.BinOp, ast.BoolOp, ast.Compare, ast.Dict, ast.List, ast.Tuple, ast.ListComp)

    def place(line: int, column: int) -> int:
        return offsets[line - 1] + len(lines[line - 1].encode()[:column].decode())

    spans = {
        (place(node.lineno, node.col_offset), place(node.end_lineno or 1, node.end_col_offset or 0))
        for node in ast.walk(tree)
        if isinstance(node, kinds)
    }
    return tuple(sorted(spans))


_CUTS: dict[str, Callable[[SourceText, int, Draw], Span | None]] = {
    "character": _span_of_characters,
    "line": _span_of_lines,
    "syntax": _span_of_syntax,
}


def _check_sources(toolkit: Toolkit, scenario: str, fewest: int) -> None:
    """Raise PlanError when the recipe names too few files, or files that nothing can be cut out of."""
    texts = toolkit.sources.texts
    if len(texts) < fewest:
        files = "a file" if fewest == 1 else f"{fewest} files"
        raise PlanError(
            f"scenario {scenario!r} needs {files} to make documents from: name them in 'documents: {{files: [...]}}'"
        )
    for source in texts:
        if not source.text.strip():
            raise PlanError(f"scenario {scenario!r}: {source.name} is empty")


def _with_gap(toolkit: Toolkit, source: SourceText, draw: Draw) -> tuple[FillIn, str]:
    """Return a text with a gap, and how it was cut: as the recipe's weights say, or else as the text allows."""
    kinds = [kind for kind, _ in toolkit.sources.cuts]
    weights = [weight for _, weight in toolkit.sources.cuts]
    place = draw.rand() * sum(weights)
    chosen = next((kind for i, kind in enumerate(kinds) if place < sum(weights[: i + 1])), kinds[-1])
    for kind in (chosen, *reversed(_CUTS)):
        gap = gap_in(source, kind, toolkit.sources.longest, draw)
        if gap is not None:
            return gap, kind
    raise PlanError(f"{source.name}: nothing can be cut out of it")


def _document_with_gap(toolkit: Toolkit, draw: Draw) -> PlannedDocument:
    """Return a row of one file with a gap."""
    source = draw.choice(toolkit.sources.texts)
    gap, kind = _with_gap(toolkit, source, draw)
    tags = (f"file:{source.name}", f"cut:{kind}")
    return PlannedDocument(scenario="fill_in_the_middle", document=FileSequence(files=(gap,)), tags=tags)


def _document_of_several_files(toolkit: Toolkit, draw: Draw) -> PlannedDocument:
    """Return a row of several files, now and then with a gap in the last one."""
    sources = toolkit.sources
    low, high = sources.together
    chosen = draw.shuffled(sources.texts)[: draw.between(low, min(high, len(sources.texts)))]
    files: list[str | FillIn] = [piece_of(source, sources.longest, draw) for source in chosen]
    tags = [f"file:{source.name}" for source in chosen]
    if draw.chance(sources.gaps):
        files[-1], kind = _with_gap(toolkit, chosen[-1], draw)
        tags.append(f"cut:{kind}")
    return PlannedDocument(scenario="multi_file", document=FileSequence(files=tuple(files)), tags=tuple(tags))


SCENARIOS = (
    DocumentScenario(
        "fill_in_the_middle",
        "a text or source file with a gap to fill",
        lambda toolkit: _check_sources(toolkit, "fill_in_the_middle", 1),
        _document_with_gap,
    ),
    DocumentScenario(
        "multi_file",
        "several text or source files in one sequence",
        lambda toolkit: _check_sources(toolkit, "multi_file", toolkit.sources.together[0]),
        _document_of_several_files,
    ),
)
