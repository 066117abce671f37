"""What the bytes of a run depend on, so that a run is never gone on with under other conditions."""

import hashlib
import json
import os
import platform
import zlib
from collections.abc import Iterator
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import Any

import msgspec

from generator import __version__
from generator.core.errors import OutputError
from generator.core.exact_json import loads
from generator.core.files import sha256_of
from generator.formats.run_folder.files import Layout
from generator.llm.prompts import load_prompts, prompt_files
from generator.recipe import LengthLimits, Recipe, ToolFile
from generator.recipe.llm import Llm
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
        if recipe.llm.uses:
            identity["llm"]["uses"] = {use: _asked(model) for use, model in recipe.llm.uses.items()}
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
