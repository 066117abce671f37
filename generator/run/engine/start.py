"""How a run begins: from nothing, where an unfinished one ended, or where a finished one did."""

import hashlib
import json
import os
import platform
import zlib
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

import msgspec

from generator import __version__
from generator.core.errors import OutputError
from generator.core.exact_json import loads
from generator.core.files import is_remote, list_objects, read_regular, sha256_of
from generator.formats.run_folder.card import MARK
from generator.formats.run_folder.files import CARD, MANIFEST, PAGE, PARTS, REPORT, Layout, file_names, planned_files
from generator.formats.run_folder.manifest import Manifest, read_manifest
from generator.llm.prompts import load_prompts, prompt_files
from generator.recipe import LengthLimits, Recipe, ToolFile
from generator.recipe.llm import Llm
from generator.run.engine.blocks import Job
from generator.run.engine.ledger import RunPlan, plan_path, read_plan
from generator.run.engine.passes.facts import looks_across
from generator.scenarios.scripts import script_files
from generator.tools.invariants import invariants_beside
from generator.tools.specs import bank_of, digest_of_tools, table_files

_APART = ("path", "text", "schema", "name", "rows", "tools", "llm", "required_scenarios")
"""What does not change a row, and what is told by its content."""
_UNUSED = {
    "judge": None,
    "solve": None,
    "backend": "schema",
    "profile": None,
    "backends": (),
    "records": "whole",
    "split_by": "row",
    "unique": None,
    "dedup": None,
    "max_share": (),
    "lengths": LengthLimits(),
    "goals": (),
    "policies": (),
    "scripts": None,
}
"""Settings that are not told where they are not used."""
_ASKED = ("model", "temperature", "max_tokens", "json_mode", "pool")
_ASKED_TOO = ("top_p", "reasoning_effort", "reasoning", "extra_body")
"""What changes a model's answers (some of it is told only where it is set); where it stands, what it may cost and how fast it is asked does not."""
_PACKAGES = ("hypothesis", "faker", "jsonschema-rs", "jsonschema", "orjson", "msgspec")
"""Those that values, verdicts on them, or bytes come from."""
_LONGEST = 60

Identity = dict[str, Any]
"""JSON values by the words of the recipe, and `tools`, `compress` and `versions`."""


def identify(recipe: Recipe, layout: Layout) -> Identity:
    """Everything but the number of rows that must be the same for two runs to make the same bytes."""
    settings = {
        key: value
        for key, value in msgspec.structs.asdict(recipe).items()
        if key not in _APART and not (key in _UNUSED and value == _UNUSED[key])
    }
    identity: Identity = msgspec.to_builtins(settings, enc_hook=partial(_beside, recipe))
    if recipe.llm is not None:
        identity["llm"] = _asked(recipe.llm)
        uses = {use: _asked(model) for use, model in recipe.llm.uses.items()}
        if others := {use: one for use, one in uses.items() if one != identity["llm"]}:
            identity["llm"]["uses"] = others
        identity["llm"]["prompts"] = {"sha256": load_prompts(recipe.llm.prompts).digest}
    identity["files"] = {_beside(recipe, path): {"sha256": _digest_of(path)} for path in _files(recipe)}
    identity["tools"] = {
        f"{place}. {_beside(recipe, tool.file) if tool.file else tool.title}": _tool_source(tool)
        for place, tool in enumerate(recipe.tools, start=1)
    }
    identity["compress"] = layout.packing
    identity["sinks"] = layout.sinks
    identity["shard_rows"] = layout.shard_rows
    identity["versions"] = _versions(layout)
    plain: Identity = loads(json.dumps(identity))  # as it is read again: lists, not tuples
    return plain


def _asked(model: Llm) -> Identity:
    """Return what of a model's settings changes its answers."""
    plain = Llm(model="")
    set_too = [name for name in _ASKED_TOO if getattr(model, name) != getattr(plain, name)]
    return {name: getattr(model, name) for name in (*_ASKED, *set_too)}


def _beside(recipe: Recipe, file: Path) -> str:
    """Return the file as seen from the recipe, wherever both stand."""
    return Path(os.path.relpath(file, recipe.path.parent)).as_posix()


def _tool_source(tool: ToolFile) -> Identity:
    """Return what the tools of a source depend on; a server's and a module's own are told by what is read from them."""
    content: Identity = {"sha256": _digest_of(tool.file) if tool.file else digest_of_tools(tool)}
    files = _files_of_tool(tool)
    if files["tables"]:
        content["tables"] = {table.name: {"sha256": _digest_of(table)} for table in files["tables"]}
    named = {"kind": tool.kind, "select": tool.select, "on_illegal": tool.on_illegal, "describe": tool.describe}
    named |= {"undescribed": tool.undescribed}
    usual = ToolFile(file=tool.file)
    chosen = {key: msgspec.to_builtins(value) for key, value in named.items() if value != getattr(usual, key)}
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
    """Return files of values, of strategies, of goals, of policies, of scripts, of invariants and of documents, each once."""
    overrides = recipe.arguments.overrides.values()
    found = [given.file for override in overrides for given in (override.file, override.strategy) if given is not None]
    found += [file for _, source in recipe.backends for file in (source.python, source.recorded) if file is not None]
    strategies = [script.file for script in recipe.arguments.strategies.values()]
    found += [recipe.lengths.tokenizer] if recipe.lengths.tokenizer is not None else []
    invariants = invariants_beside([tool.file for tool in recipe.tools])
    found += [*invariants, *(table for file in invariants for table in table_files(file))]
    return sorted(
        {*found, *strategies, *recipe.goals, *recipe.policies, *script_files(recipe), *recipe.documents.files}
    )


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
    """Yield a line for everything that is not as it was."""
    if isinstance(before, dict) and isinstance(now, dict):
        for key in {**before, **now}:
            yield from differences(before.get(key), now.get(key), f"{name}.{key}" if name else str(key))
    elif before != now:
        was, is_ = _short(before), _short(now)
        told_by_content = name.endswith(".sha256") and before and now
        yield f"{name.removesuffix('.sha256')}: its content" if told_by_content else f"{name}: {was} before, {is_} now"


def _versions(layout: Layout) -> dict[str, str]:
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
    try:
        return sha256_of(path)
    except OSError as fault:
        raise OutputError(f"{path}: cannot be read ({fault.strerror})") from None


def _short(value: Any) -> str:
    text = json.dumps(value, ensure_ascii=False)
    return text if len(text) <= _LONGEST else f"{text[: _LONGEST - 1]}…"


_MOST_TOLD = 12


def begin(job: Job, block_rows: int, overwrite: bool) -> RunPlan | Manifest:
    """Return the plan of the run; its manifest when it is finished already.

    Raises:
        OutputError: when something else is there, unless it may be overwritten.
    """
    _check_writes_over_nothing_read(job)
    unfinished = _unfinished(job, overwrite)
    if unfinished is not None:
        return unfinished
    manifest = _manifest(job, overwrite)
    new = RunPlan(made_from=job.made_from, rows=job.recipe.rows, block_rows=block_rows)
    if manifest is None:
        if overwrite:
            _check_card_is_ours(job)
        else:
            _check_nothing_is_there(job)
        return new
    if overwrite:
        _check_card_is_ours(job)
        return msgspec.structs.replace(new, replaces=manifest.files)
    return _after(job, manifest, new)


def _unfinished(job: Job, overwrite: bool) -> RunPlan | None:
    """Return the plan of the unfinished run that is there, for as many rows as are wanted now; None when it is given up."""
    plan = read_plan(job.out)
    if plan is None:
        return None
    changed = list(differences(plan.made_from, job.made_from))
    if not changed and job.recipe.rows >= plan.rows:
        _check_kept(job, plan)
        damaged = list(_damaged(job, plan.kept))
        if not damaged:
            return msgspec.structs.replace(plan, rows=job.recipe.rows)
        if not overwrite:
            _refuse_damaged(damaged)
    elif not overwrite:
        _refuse(job, "an unfinished run", changed, plan.rows)
    return None


def _after(job: Job, manifest: Manifest, new: RunPlan) -> RunPlan | Manifest:
    changed = list(differences(manifest.made_from, job.made_from))
    if changed or job.recipe.rows < manifest.asked_for:
        _refuse(job, "a finished run", changed, manifest.asked_for)
    _check_sizes(job, manifest)
    if manifest.asked_for == job.recipe.rows:
        return manifest
    if looks_across(job.recipe):
        raise OutputError(
            f"{job.out}: holds a finished run of {manifest.asked_for:,} rows; with `dedup` or `max_share` it cannot be made longer\n"
            "With --overwrite all rows are made anew."
        )
    damaged = list(_damaged(job, manifest))
    if damaged:
        _refuse_damaged(damaged)
    return msgspec.structs.replace(new, kept=manifest, replaces=manifest.files)


def _manifest(job: Job, overwrite: bool) -> Manifest | None:
    try:
        return read_manifest(job.out)
    except OutputError as fault:
        if overwrite:
            return None
        raise OutputError(f"{fault}\nWith --overwrite the run is made anew.") from None


def _refuse(job: Job, what: str, changed: list[str], rows: int) -> NoReturn:
    """Say what is there instead: a run of something else, or only a longer one."""
    wanted = job.recipe.rows
    if not changed:
        raise OutputError(
            f"{job.out}: holds {what} of {rows:,} rows, {wanted:,} are asked for (a run can only be made longer)\n"
            f"Its first {wanted:,} rows are the same: use them, or another --out, or --overwrite to replace it."
        )
    told = changed[:_MOST_TOLD]
    if len(changed) > len(told):
        told.append(f"… and {len(changed) - len(told)} more")
    raise OutputError(
        "\n  ".join([f"{job.out}: holds {what} made from something else:", *told])
        + "\nUse another --out, or --overwrite to replace it."
    )


def _check_sizes(job: Job, manifest: Manifest) -> None:
    """A quick look; `verify` looks closely."""
    faults = []
    if not _are_its_files(job, manifest):
        faults.append("it does not name the files of this run")
    for name, entry in manifest.files.items():
        path = job.out / name
        if not path.is_file():
            faults.append(f"{name} is missing")
        elif path.stat().st_size != entry.bytes:
            faults.append(f"{name} has {path.stat().st_size} bytes instead of {entry.bytes}")
    if faults:
        raise OutputError(
            f"{job.out / MANIFEST}: does not fit the files: {'; '.join(faults)}\nWith --overwrite the run is made anew."
        )


def _damaged(job: Job, kept: Manifest | None) -> Iterator[str]:
    """Yield what is wrong with the rows that a longer run would begin with; the files beside them are written anew."""
    files = kept.files if kept else {}
    for planned in planned_files(job.recipe, job.layout):
        entry = files.get(planned.name)
        if entry is None or not entry.rows:
            continue
        path = job.out / planned.name
        try:
            sha256 = sha256_of(path)
        except OSError as fault:
            yield (
                f"{path}: is missing"
                if isinstance(fault, FileNotFoundError)
                else f"{path}: cannot be read ({fault.strerror or fault})"
            )
            continue
        if sha256 != entry.sha256:
            yield f"{path}: is not what its manifest says"


def _refuse_damaged(damaged: list[str]) -> NoReturn:
    told = "\n".join(damaged)
    raise OutputError(f"{told}\nSo the run cannot be made longer. With --overwrite it is made anew.")


def _check_kept(job: Job, unfinished: RunPlan) -> None:
    kept = unfinished.kept
    if kept and not _are_its_files(job, kept):
        raise OutputError(f"{plan_path(job.out)}: the run it extends has other files; remove {job.out / PARTS}")


def _are_its_files(job: Job, manifest: Manifest) -> bool:
    """Whether a manifest names the files of the same run with so many rows; the report may be there or not."""
    names = file_names(msgspec.structs.replace(job.recipe, rows=manifest.asked_for), job.layout)
    return {REPORT, PAGE}.issuperset(set(manifest.files) ^ set(names))


def _check_card_is_ours(job: Job) -> None:
    """Never replace a README that somebody wrote."""
    path = job.out / CARD
    if path.is_file() and MARK.encode() not in read_regular(path):
        raise OutputError(
            f"{path}: was not written by a run, so it is not replaced; use another --out, or move it away"
        )


def _check_writes_over_nothing_read(job: Job) -> None:
    """Raise OutputError when the recipe, or a file that it names or that the run is compared with, has a name that the run writes."""
    if is_remote(job.out):
        return
    folder = job.out.resolve()
    written = {folder / name for name in (*file_names(job.recipe, job.layout), MANIFEST)}
    for path in (job.recipe.path, *files_of(job.recipe), *job.layout.against):
        if not written.isdisjoint((path.parent.resolve() / path.name, path.resolve())):
            raise OutputError(f"{path}: is read by this run, which would write over it; use another --out")


def _names_in(folder: Path) -> set[str]:
    if is_remote(folder):
        return set(list_objects(folder))
    return {path.name for path in folder.iterdir()} if folder.is_dir() else set()


def _check_nothing_is_there(job: Job) -> None:
    names = _names_in(job.out)
    there = [name for name in file_names(job.recipe, job.layout) if name in names]
    if there:
        raise OutputError(
            f"{job.out}: holds {', '.join(there)}, but no {MANIFEST} that tells where they come from\n"
            "Use another --out, or --overwrite to replace them."
        )
