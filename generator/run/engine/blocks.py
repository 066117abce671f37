"""The unit of work: a block of neighbouring rows, made and written by whoever gets it.

A block is a pure function of a job and its bounds, so it may be made anywhere, in any order, and more than once.
Its rows go to one part file; the record beside it is written last and means that the block is whole.
"""

import gc
import hashlib
import json
import os
import platform
import time
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from generator import __version__
from generator.core.errors import OutputError
from generator.core.exact_json import loads
from generator.core.files import sha256_of
from generator.core.toolbox import Toolbox
from generator.formats.run_folder.files import PARTS, PROOFS, Layout, packed_name
from generator.formats.run_folder.manifest import FileEntry
from generator.formats.run_folder.tally import Tally
from generator.formats.sinks import pack, write_whole
from generator.llm.prompts import load_prompts, prompt_files
from generator.recipe import Recipe, ToolFile
from generator.recipe.files import named_files
from generator.recipe.llm import Llm
from generator.run.engine.checked_row import make_checked_row
from generator.run.engine.lines import BlockLines
from generator.run.engine.passes.facts import Removed, RowFacts
from generator.run.row import PreparedRecipe
from generator.run.usable import prepare_usable
from generator.scenarios.scripts import script_files
from generator.tools.invariants import invariants_beside
from generator.tools.specs import bank_of, digest_of_tools, table_files

BLOCK_ROWS = 1000
ASKED_BLOCK_ROWS = 10
"""Where a model is asked: rows are slow then, and whole blocks are what an interrupted run keeps."""


Identity = dict[str, Any]
"""JSON values by the words of the recipe, and `tools`, `compress` and `versions`."""


class Block(msgspec.Struct, frozen=True):
    """Rows [start, stop)."""

    start: int
    stop: int
    without: tuple[Removed, ...] = ()
    """Rows that are told as removed instead of being written."""
    again: tuple[tuple[int, int], ...] = ()
    """Rows that were like others, with how often they were made already."""


class Job(msgspec.Struct, frozen=True, kw_only=True):
    """What a worker must know to make blocks; small, and the same for all blocks."""

    recipe: Recipe
    out: Path
    layout: Layout
    made_from: Identity
    """All that the bytes depend on."""
    digest: str
    """Of that."""
    pools: Path | None = None
    """Pools of values that are ready already."""


class BlockRecord(msgspec.Struct, frozen=True, kw_only=True):
    """A finished block."""

    digest: str
    start: int
    stop: int
    parts: dict[str, FileEntry]
    """What the block adds to each file, in the order in which it stands in the part file."""
    tally: Tally
    cpu_seconds: float
    keys: tuple[int, ...] = ()
    """One for each row, where rows that are alike are made anew."""
    facts: RowFacts | None = None
    """Of all rows, where some may be removed because of others."""
    without: tuple[Removed, ...] = ()
    """Rows that are removed."""
    why_failed: str = ""
    """Why the first row could not be made, if one could not."""


def encode_record(record: BlockRecord) -> bytes:
    """Return a record as it is written: its JSON on one line, and the SHA-256 of that on the next."""
    data = msgspec.json.encode(record)
    return b"%s\n%s\n" % (data, hashlib.sha256(data).hexdigest().encode())


def decode_record(data: bytes) -> BlockRecord:
    """Return the record that was written.

    Raises:
        ValueError: when it was cut off, or a byte of it was changed.
    """
    text, _, seal = data.partition(b"\n")
    if seal != hashlib.sha256(text).hexdigest().encode() + b"\n":
        raise ValueError("it is not as it was written")
    return msgspec.json.decode(text, type=BlockRecord)


def part_path(out: Path, start: int) -> Path:
    """Return the rows of the block that begins at row `start`."""
    return out / PARTS / f"{start:012}.part"


def record_path(out: Path, start: int) -> Path:
    """Return the record of that block."""
    return out / PARTS / f"{start:012}.json"


def open_recipe(job: Job, toolbox: Toolbox | None = None) -> PreparedRecipe:
    """Load and compile what the job needs; of tools that another process has loaded, only compile them.

    Raises:
        GeneratorError: when that cannot be, or is not any more what the job was made for.
    """
    prepared = prepare_usable(job.recipe, toolbox)
    changed = list(differences(job.made_from, identify(job.recipe, job.layout)))
    if changed:
        raise OutputError("\n".join([f"{job.out}: changed while the run went on:", *changed]))
    return prepared


def make_block(job: Job, block: Block, prepared: PreparedRecipe) -> BlockRecord:
    """Make the rows of a block and write its part file, then its record."""
    started = time.process_time()
    lines, again = BlockLines(job.layout, prepared, block.without), dict(block.again)
    with rare_collections():
        for index in range(block.start, block.stop):
            lines.add(make_checked_row(prepared, index, again.get(index, 0)))
    return write_block(job, block, lines, time.process_time() - started)


def write_block(job: Job, block: Block, lines: BlockLines, cpu_seconds: float) -> BlockRecord:
    """Write the part file of a block whose rows are made, then its record."""
    begun = time.process_time()
    packing, rows = job.layout.packing, lines.rows
    pieces = {
        name: pack(text, packing) if name.endswith(".jsonl") and name != PROOFS else text  # its lines are moved yet
        for name, text in lines.joined().items()
    }
    record = BlockRecord(
        digest=job.digest,
        start=block.start,
        stop=block.stop,
        parts={
            packed_name(name, job.layout): FileEntry(
                rows=rows[name], bytes=len(data), sha256=hashlib.sha256(data).hexdigest()
            )
            for name, data in pieces.items()
        },
        tally=lines.tally,
        cpu_seconds=cpu_seconds + time.process_time() - begun,
        keys=lines.keys,
        facts=lines.facts.all(),
        without=block.without,
        why_failed=lines.why_failed,
    )
    write_whole(part_path(job.out, block.start), pieces.values())
    write_whole(record_path(job.out, block.start), [encode_record(record)])
    return record


_ALLOCATIONS = 50_000
"""How many objects more than before make the collector look for cycles."""


@contextmanager
def rare_collections() -> Iterator[None]:
    """What is loaded stays, and rows hold hardly any cycles: the collector need not look through it again and again."""
    usual = gc.get_threshold()
    gc.freeze()
    gc.set_threshold(_ALLOCATIONS, *usual[1:])
    try:
        yield
    finally:
        gc.set_threshold(*usual)
        gc.unfreeze()


_APART = ("path", "text", "schema", "name", "rows", "tools", "llm", "required_scenarios")
"""What does not change a row, and what is told by its content."""
_UNUSED = "judge solve backend profile backends records split_by unique dedup max_share lengths goals policies scripts"
"""Settings that are not told where the recipe leaves them as they are."""
_ASKED = ("model", "temperature", "max_tokens", "json_mode", "pool")
_ASKED_TOO = ("top_p", "reasoning_effort", "reasoning", "extra_body")
"""What changes a model's answers (some of it is told only where it is set); where it stands, what it may cost and how fast it is asked does not."""
_PACKAGES = ("hypothesis", "faker", "jsonschema-rs", "jsonschema", "orjson", "msgspec")
"""Those that values, verdicts on them, or bytes come from."""
_LONGEST = 60


def identify(recipe: Recipe, layout: Layout) -> Identity:
    """Everything but the number of rows that must be the same for two runs to make the same bytes."""
    usual = {field.name: field.default for field in msgspec.structs.fields(Recipe)}
    settings = {
        key: value
        for key, value in msgspec.structs.asdict(recipe).items()
        if key not in _APART and not (key in _UNUSED.split() and value == usual[key])
    }
    identity: Identity = msgspec.to_builtins(settings, enc_hook=partial(_path_from_recipe, recipe))
    if recipe.llm is not None:
        identity["llm"] = _model_settings(recipe.llm)
        uses = {use: _model_settings(model) for use, model in recipe.llm.uses.items()}
        if others := {
            use: settings_of_use for use, settings_of_use in uses.items() if settings_of_use != identity["llm"]
        }:
            identity["llm"]["uses"] = others
        identity["llm"]["prompts"] = {"sha256": load_prompts(recipe.llm.prompts).digest}
    identity["files"] = {_path_from_recipe(recipe, path): {"sha256": _digest_of(path)} for path in _files(recipe)}
    identity["tools"] = {
        f"{number}. {_path_from_recipe(recipe, tool.file) if tool.file else tool.title}": _tool_source(tool)
        for number, tool in enumerate(recipe.tools, start=1)
    }
    identity["compress"] = layout.packing
    identity["sinks"] = layout.sinks
    identity["shard_rows"] = layout.shard_rows
    identity["versions"] = _versions(layout)
    plain: Identity = loads(json.dumps(identity))  # as it is read again: lists, not tuples
    return plain


def _model_settings(model: Llm) -> Identity:
    """Return what of a model's settings changes its answers."""
    plain = Llm(model="")
    set_too = [name for name in _ASKED_TOO if getattr(model, name) != getattr(plain, name)]
    return {name: getattr(model, name) for name in (*_ASKED, *set_too)}


def _path_from_recipe(recipe: Recipe, file: Path) -> str:
    """Return the file as seen from the recipe, wherever both stand."""
    return Path(os.path.relpath(file, recipe.path.parent)).as_posix()


def _tool_source(tool: ToolFile) -> Identity:
    """Return what the tools of a source depend on; a server's and a module's own are told by what is read from them."""
    content: Identity = {"sha256": _digest_of(tool.file) if tool.file else digest_of_tools(tool)}
    files = _files_of_tool(tool)
    if files["tables"]:
        content["tables"] = {table.name: {"sha256": _digest_of(table)} for table in files["tables"]}
    settings = {key: getattr(tool, key) for key in ("kind", "select", "on_illegal", "describe", "undescribed")}
    usual = ToolFile()
    chosen = {key: msgspec.to_builtins(value) for key, value in settings.items() if value != getattr(usual, key)}
    added = {name: [_digest_of(path) for path in files[name]] for name in ("overlays", "bank") if files[name]}
    return {**content, "only": list(tool.only), "without": list(tool.without), **added, **chosen}


def _files_of_tool(tool: ToolFile) -> dict[str, list[Path]]:
    """Return the files that the tools of a source are made from, by what they hold."""
    file = tool.file
    bank = bank_of(file) if tool.describe == "derived" else None
    return {
        "tools": [file] if file is not None else [],
        "tables": table_files(file) if file is not None and file.suffix != ".py" else [],
        "overlays": list(tool.overlays),
        "bank": [bank] if bank is not None else [],
    }


def _files(recipe: Recipe) -> list[Path]:
    """Return the files that rows are made from beside those of tools, each once."""
    invariants = invariants_beside([tool.file for tool in recipe.tools])
    tables = [table for file in invariants for table in table_files(file)]
    return sorted({*[file for _, file in named_files(recipe)], *script_files(recipe), *invariants, *tables})


def files_of(recipe: Recipe) -> list[Path]:
    """Return all files that rows are made from, but for the recipe itself, each once."""
    of_tools = [file for tool in recipe.tools for files in _files_of_tool(tool).values() for file in files]
    prompts = prompt_files(recipe.llm.prompts) if recipe.llm is not None else []
    return sorted({*_files(recipe), *of_tools, *prompts})


def runs_python(recipe: Recipe) -> bool:
    """Whether Python code is run that the recipe names: handlers, strategies, modules with tools."""
    return any(tool.module for tool in recipe.tools) or any(file.suffix == ".py" for file in files_of(recipe))


def digest(identity: Identity) -> str:
    """Return a short name for all of it."""
    return hashlib.sha256(json.dumps(identity, sort_keys=True).encode()).hexdigest()[:32]


def differences(before: Any, now: Any, name: str = "") -> Iterator[str]:
    """Yield a line for everything that is not as it was: `seed: 3 before, 4 now`, `files.tools.yaml: its content`."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in {**before, **now}:
            yield from differences(before.get(key), now.get(key), f"{name}.{key}" if name else str(key))
    elif before != now:
        was, is_ = _shortened(before), _shortened(now)
        told_by_content = name.endswith(".sha256") and before and now
        yield f"{name.removesuffix('.sha256')}: its content" if told_by_content else f"{name}: {was} before, {is_} now"


def _versions(layout: Layout) -> dict[str, str]:
    """Return the versions of the packages on which the bytes depend."""
    versions = {"generator": __version__, "python": ".".join(platform.python_version_tuple()[:2])}
    versions |= {name: version(name) for name in _PACKAGES}
    if layout.packing == "zstd":
        versions["zstandard"] = version("zstandard")
    if layout.packing == "gzip":
        versions["zlib"] = zlib.ZLIB_RUNTIME_VERSION
    if any(sink.startswith("parquet") for sink in layout.sinks):
        versions["pyarrow"] = version("pyarrow")
    return versions


def _digest_of(path: Path) -> str:
    """Return the SHA-256 of a file; raises OutputError when it cannot be read."""
    try:
        return sha256_of(path)
    except OSError as fault:
        raise OutputError(f"{path}: cannot be read ({fault.strerror})") from None


def _shortened(value: Any) -> str:
    """Return the JSON of a value, cut off where it is long."""
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"
