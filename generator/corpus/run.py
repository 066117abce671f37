"""Make a corpus: every format of a recipe, into one folder."""

import hashlib
import shutil
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from itertools import accumulate, chain, pairwise, takewhile
from pathlib import Path
from typing import Any, Literal

import msgspec

from generator import __version__
from generator.core.errors import OutputError
from generator.core.files import sha256_of
from generator.core.seeds import Draw, stream_seed
from generator.corpus import layout
from generator.corpus.case import Case, ChunkPlan, Mutation, Oracle
from generator.corpus.chunks import is_torn
from generator.corpus.clients import CLIENT_FORMATS, client_cases
from generator.corpus.generation import CaseMaker, case_makers, make_case
from generator.corpus.grid import grid_cases
from generator.corpus.oracle import readings_of_prefix
from generator.corpus.rows import file_makers, make_file
from generator.corpus.toolbox import TODAY, Usable, usable_tools
from generator.formats.format import tool_object
from generator.formats.sinks import OutputFolder, writing
from generator.formats.wire.format import WireFormat
from generator.recipe.corpus import CorpusRecipe

SHORT = 320
"""Bytes of a text up to which every prefix is a case."""
LONG = 6000
"""Bytes of a text from which no prefix is taken."""
_CUTS = 48
"""Prefixes of a longer text."""


class PrefixMaker:
    """Adds the prefixes of chosen cases to a stream of cases."""

    def __init__(self, maker: CaseMaker, each: int) -> None:
        self._maker = maker
        self._left = {"short": each, "long": each}

    def after(self, cases: Iterable[Case]) -> Iterator[Case]:
        """Yield the cases, each chosen one followed by its prefixes."""
        for case in cases:
            yield case
            size = "short" if len(case.text) <= SHORT else "long"
            if case.verdict == "y" and len(case.text) <= LONG and self._left[size]:
                self._left[size] -= 1
                yield from self._prefixes(case)

    def _prefixes(self, case: Case) -> Iterator[Case]:
        """Return the beginnings of a case, one by one: all of a short text, some of a longer one."""
        length = len(case.text)
        places: Iterable[int] = range(1, length)
        if length > SHORT:
            draw = Draw(stream_seed("corpus", "prefixes", self._maker.seed, case.format, case.id), TODAY)
            places = sorted({draw.between(1, length - 1) for _ in range(_CUTS)})
        return (_prefix(case, at, self._maker.fmt) for at in places)


def _prefix(case: Case, at: int, fmt: WireFormat) -> Case:
    """Return the first bytes of a case."""
    assert case.oracle is not None
    assert case.emissions is not None
    text = case.text[:at]
    allowed = readings_of_prefix(fmt, case.oracle.tool_calls, case.text, case.emissions, at)
    splits = any(
        token in case.text[max(0, at - len(token) + 1) : at + len(token) - 1] for token in map(str.encode, fmt.special)
    )
    kept = [plan for plan in case.plans if plan.kind in ("whole", "tokens", "tokenizer")]
    return msgspec.structs.replace(
        case,
        id=f"prefix-{case.id.rpartition('-')[2]}-{at:04d}",
        verdict="i",
        text=text,
        mutations=(*case.mutations, Mutation("truncate", at)),
        plans=tuple([ChunkPlan(plan.kind, _sizes(plan, at), not is_torn(text), splits) for plan in kept]),
        allowed=tuple([Oracle(calls, case.oracle.content) for calls in allowed]),
        emissions=None,
        stretch=None,
        parent=case.id,
    )


def _sizes(plan: ChunkPlan, length: int) -> tuple[int, ...]:
    """Return the sizes of a plan's pieces up to a number of bytes."""
    ends = [*takewhile(lambda end: end < length, accumulate(plan.sizes)), length]
    return tuple([end - start for start, end in pairwise([0, *ends])])


ReportProgress = Callable[[str, int], None]
"""Called with each finished format and its number of cases."""


class FinishedCorpus(msgspec.Struct, frozen=True):
    """A finished corpus."""

    folder: Path
    counts: dict[str, dict[str, int]]
    """Cases by format and verdict."""
    again: bool = False
    """Whether it was there already."""


def identity(recipe: CorpusRecipe) -> dict[str, Any]:
    """Return all that the bytes of a corpus depend on, except its tools."""
    return {
        "generator": __version__,
        "recipe": recipe.name,
        "seed": recipe.seed,
        "cases": recipe.cases,
        "formats": list(recipe.formats),
        "recipe_sha256": hashlib.sha256(recipe.text.encode()).hexdigest(),
        "tokenizer_sha256": sha256_of(recipe.tokenizer) if recipe.tokenizer else None,
        "tools_sha256": [sha256_of(tool.file) for tool in recipe.tools if tool.file],
    }


def make_corpus(
    recipe: CorpusRecipe, out: Path, *, overwrite: bool = False, tell: ReportProgress = lambda name, cases: None
) -> FinishedCorpus:
    """Make the corpus that a recipe describes.

    Raises:
        OutputError: another corpus is there, or the folder cannot be written.
        SpecError, RecipeError: the recipe or a spec file has faults.
    """
    existing_index = layout.read_index(out) if (out / layout.INDEX).exists() else None
    made_from = identity(recipe)
    if existing_index is not None and not overwrite:
        if existing_index.made_from != made_from:
            raise OutputError(f"{out}: holds a corpus that was made from something else; --overwrite replaces it")
        return FinishedCorpus(out, {name: entry.cases for name, entry in existing_index.formats.items()}, again=True)
    is_free = existing_index is not None or overwrite or not out.is_dir()
    if not is_free and any(not path.name.startswith(".") for path in out.iterdir()):
        raise OutputError(f"{out}: holds something that is no corpus; --overwrite replaces it")
    _check_replaces_nothing_else(recipe, out, existing_index)
    with OutputFolder(out):
        staging = out / ".making"
        with writing(out):
            shutil.rmtree(staging, ignore_errors=True)
        try:
            entries, tools = _make_formats(recipe, staging, tell)
            with suppress(FileNotFoundError):
                (out / layout.INDEX).unlink()
            with writing(out):
                for name in entries:
                    (staging / f"{name}.jsonl").replace(out / f"{name}.jsonl")
            layout.write_json(out / layout.TOOLS, [tool_object(usable_tool.tool) for usable_tool in tools.values()])
            format_entries = {name: msgspec.to_builtins(entry) for name, entry in entries.items()}
            layout.write_json(out / layout.INDEX, {"made_from": made_from, "formats": format_entries})
        finally:
            shutil.rmtree(staging, ignore_errors=True)
    return FinishedCorpus(out, {name: entry.cases for name, entry in entries.items()})


def _check_replaces_nothing_else(recipe: CorpusRecipe, out: Path, existing_index: layout.Index | None) -> None:
    """Raise OutputError when a corpus would take the place of a file that its recipe reads, or that no corpus wrote."""
    files = [out / layout.TOOLS, out / layout.INDEX, *[out / f"{name}.jsonl" for name in recipe.formats]]
    for path in (recipe.path, recipe.tokenizer, *[tool.file for tool in recipe.tools]):
        if path is not None and path.resolve() in [file.resolve() for file in files]:
            raise OutputError(f"{path}: is read by this run, which would write over it; use another --out")
    for file in files[2:]:
        if file.exists() and (existing_index is None or file.stem not in existing_index.formats):
            raise OutputError(f"{file}: was not made by a corpus, so it is not replaced; use another --out")


def _make_formats(
    recipe: CorpusRecipe, folder: Path, tell: ReportProgress
) -> tuple[dict[str, layout.FormatEntry], dict[str, Usable]]:
    """Write all formats; gives what the index says of each, and the tools that are offered."""
    entries: dict[str, layout.FormatEntry] = {}

    def write(name: str, kind: Literal["wire", "rows", "client"], cases: Iterable[Case]) -> None:
        entries[name] = layout.write_format(folder, name, kind, cases)
        tell(name, sum(entries[name].cases.values()))

    makers = case_makers(recipe)
    for maker in makers:
        drawn = PrefixMaker(maker, recipe.prefixes).after(make_case(maker, index) for index in range(recipe.cases))
        write(maker.fmt.name, "wire", chain(grid_cases(maker) if recipe.grid else (), drawn))
    for rows in file_makers(recipe):
        write(rows.fmt.name, "rows", (make_file(rows, index) for index in range(recipe.cases)))
    offered = makers[0].tools if makers else {}
    clients = [name for name in recipe.formats if name in CLIENT_FORMATS]
    if clients and not offered:
        offered = usable_tools(recipe)
    for name in clients:
        write(name, "client", client_cases(recipe, name, offered))
    return entries, offered
