"""Read the tools of a source, whatever its kind, and say of each what became of it."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from fnmatch import fnmatchcase
from hashlib import blake2b
from pathlib import Path
from typing import Any

import msgspec

from generator.core.conversation import Tool
from generator.core.documents import Document, nearest, parse_json, read_document, read_lines, read_text
from generator.core.errors import RecipeError, SchemaError, SpecError
from generator.core.profiles import Profile, check_tool, rewritten
from generator.core.seeds import stream_seed
from generator.core.toolbox import Link, ToolSpec
from generator.recipe import ToolFile
from generator.tools.specs.language import has_only_function, read_written
from generator.tools.specs.legality import CheckedDefinitions, make_legal
from generator.tools.specs.models import FoundTool, ToolVerdict
from generator.tools.specs.readers import KINDS, MODULES, READERS
from generator.tools.specs.readers.documents import left_out_of
from generator.tools.specs.readers.live import list_server_tools, read_module
from generator.tools.specs.readers.openapi import with_other_files

ANY_TARGET = (r"[a-zA-Z0-9_.-]+", 64)
"""The names that this program reads and every format writes: pattern and greatest length."""
_DIGEST = 6
"""Hexadecimal digits that tell two names apart."""


def accepted_names(names: Sequence[str], profile: Profile | None = None) -> list[str]:
    """Return one name for each, all different: the name itself where the target takes it.

    A name depends on the names before it only where two come to be the same. What was replaced cannot be read off the
    new name, so whoever calls this keeps the old one (`Origin.name`).
    """
    pattern, most = (profile.tool_name, profile.longest_name) if profile else ANY_TARGET
    reserved = profile.reserved if profile else frozenset()
    fits = re.compile(pattern).fullmatch
    kept = {name for name in names if fits(name) and len(name) <= most and name not in reserved}
    used_names: set[str] = set()
    accepted = []
    for name in names:
        new = (
            name
            if name in kept and name not in used_names
            else _accepted_name(name, fits, most, kept | used_names | reserved)
        )
        used_names.add(new)
        accepted.append(new)
    return accepted


def _accepted_name(name: str, fits: Callable[[str], Any], longest: int, used_names: set[str]) -> str:
    """Return a name that a target takes and no other tool has: letters replaced, cut, with a digest at its end where that is needed."""
    plain = "".join(letter if fits(f"a{letter}") else "_" for letter in name)
    if not fits(plain[:1] or "_"):
        plain = f"tool_{plain.lstrip('_')}"
    new = plain if len(plain) <= longest else ""
    attempt = 0
    while not new or new in used_names:
        digest = blake2b(f"{name}\x1f{attempt}".encode("utf-8", "surrogatepass"), digest_size=_DIGEST // 2).hexdigest()
        new = f"{plain[: longest - _DIGEST - 1]}_{digest}"
        attempt += 1
    return new


def read_tools(
    source: ToolFile, profile: Profile | None = None, seed: int = 0, *, all_at_once: bool = False, rewrite: bool = False
) -> list[ToolVerdict]:
    """Return what became of each tool of a source that its `select`, `only` and `without` leave.

    Args:
        source: What to read.
        profile: Limits of a target: names are changed until they fit, other excesses refuse the tool.
        seed: Decides which tools `select.count` takes.
        rewrite: Whether parameters are rewritten until they fit the profile, which is counted.
        all_at_once: Whether a request would hold all these tools, so that the profile's limit of their number counts.

    Raises:
        SpecError: for a source that cannot be read at all, or that holds no tool.
    """
    tools = _without_repeated(_found_tools(source))
    if not tools:
        expected = " (a list `TOOLS` or functions are expected)" if source.title.endswith(".py") else ""
        raise SpecError(f"{source.title}:1: there is no tool in this file{expected}")
    tools = select(tools, source, seed)
    are_written = [tool.written is not None for tool in tools]
    names = [tool.name for tool in tools]
    if profile is not None or not all(are_written):
        names = accepted_names(names, profile)
    checked = CheckedDefinitions()
    rewritten_for = profile if rewrite else None
    verdicts = [
        _verdict_on(tool, name, source, profile, checked, rewritten_for)
        for tool, name in zip(tools, names, strict=True)
    ]
    return _with_links(_without_excess(verdicts, profile) if profile and all_at_once else verdicts)


def kind_of(document: Document) -> str:
    """Return the kind of a document, by what is in it."""
    return str(next(kind for kind, reader in READERS.items() if reader.recognises(document.value)))


def _found_tools(source: ToolFile) -> Iterator[FoundTool]:
    """Yield the tools of a source: a server, a module, or the documents of a file, read as the kind that they are."""
    if source.kind is not None and source.kind not in KINDS:
        raise SpecError(f"{source.title}: unknown kind {source.kind!r}{nearest(source.kind, KINDS)}")
    if source.command:
        yield from list_server_tools(source.command)
    elif source.module:
        yield from read_module(source.module, source.kind, source.module)
    elif source.file is not None and (source.file.suffix == ".py" or source.kind in MODULES):
        read_text(source.file, SpecError)
        kind = source.kind if source.kind in MODULES else None
        yield from read_module(str(source.file), kind, source.file.stem)
    elif source.file is not None:
        documents = _documents(source.file)
        kinds = {source.kind} if source.kind else {kind_of(document) for document in documents}
        kind = next(kind for kind in READERS if kind in kinds) if kinds else next(reversed(READERS))
        domain = source.file.name.removesuffix(".portable.json") if kind == "portable" else source.file.stem
        for document in documents:
            whole = with_other_files(document, source.file) if kind == "openapi" else document
            yield from READERS[kind].read(whole, domain)
            yield from left_out_of(document) if kind != "openai" else ()


def _documents(path: Path) -> list[Document]:
    """Return the file's one document, or one for each line where it is JSONL, whatever it is called."""
    if path.suffix.lower() == ".jsonl":
        return list(read_lines(path, SpecError))
    try:
        return [read_document(path, SpecError)]
    except SpecError:
        lines = [line for line in read_text(path, SpecError).split("\n") if line.strip()]
        if path.suffix.lower() != ".json" or len(lines) < 2:
            raise
        try:
            parse_json(lines[0], str(path), SpecError)
        except SpecError:
            lines = []
        if not lines:
            raise
        return list(read_lines(path, SpecError))


def _without_repeated(tools: Iterable[FoundTool]) -> list[FoundTool]:
    """Return the tools without those that are there already: files of rows name the same tool again and again."""
    tools = list(tools)
    counts_by_name = Counter(tool.name for tool in tools)
    encoded_tools: set[bytes] = set()
    kept = []
    for tool in tools:
        if tool.written is None and counts_by_name[tool.name] > 1:
            text = msgspec.json.encode((tool.name, tool.description, tool.parameters, tool.returns, tool.refused))
            if text in encoded_tools:
                continue
            encoded_tools.add(text)
        kept.append(tool)
    return kept


def _verdict_on(
    found: FoundTool,
    name: str,
    source: ToolFile,
    profile: Profile | None,
    checked: CheckedDefinitions,
    rewritten_for: Profile | None = None,
) -> ToolVerdict:
    """Return the tool ready for use, or why it cannot be used."""
    refusal = ToolVerdict(
        name=found.name,
        where=found.where,
        kind=found.origin.kind,
        verdict="refused",
        is_foreign=found.written is None or has_only_function(found.written),
    )
    if found.refused:
        return msgspec.structs.replace(refusal, reasons=(found.refused,))
    try:
        spec = (
            read_written(found, source.on_illegal) if found.written else _spec_of_foreign_tool(found, source, checked)
        )
        spec = _rewritten_for_profile(spec, rewritten_for) if rewritten_for else spec
    except SpecError as fault:
        return msgspec.structs.replace(refusal, reasons=tuple(str(fault).split("\n")), error=type(fault))
    if name != spec.name:
        spec = msgspec.structs.replace(
            spec,
            tool=msgspec.structs.replace(spec.tool, name=name),
            origin=msgspec.structs.replace(spec.origin, name=found.origin.name or found.name),
        )
    excesses = tuple(str(excess) for excess in check_tool(spec.tool, profile)) if profile else ()
    if excesses:
        return msgspec.structs.replace(refusal, reasons=excesses)
    repairs = spec.origin.repairs
    renamed = (f"its name was {found.name!r}",) if name != found.name else ()
    kept = any(" kept although " in repair for repair in repairs)
    return ToolVerdict(
        name=name,
        where=found.where,
        kind=found.origin.kind,
        verdict="kept" if kept else "repaired" if repairs else "renamed" if renamed else "loaded",
        reasons=(*renamed, *repairs, *found.remarks),
        spec=spec,
    )


def _rewritten_for_profile(spec: ToolSpec, profile: Profile) -> ToolSpec:
    """Return the tool with parameters that the profile takes; what was changed is a repair."""
    parameters, counts_by_change = rewritten(spec.tool.parameters or {"type": "object", "properties": {}}, profile)
    repairs = tuple(f"rewritten: {what}, {times} times" for what, times in counts_by_change.items())
    tool = msgspec.structs.replace(spec.tool, parameters=parameters, strict=profile.closed or spec.tool.strict)
    origin = msgspec.structs.replace(spec.origin, repairs=(*spec.origin.repairs, *repairs))
    return msgspec.structs.replace(spec, tool=tool, origin=origin)


def _spec_of_foreign_tool(found: FoundTool, source: ToolFile, checked: CheckedDefinitions) -> ToolSpec:
    """Return a tool of which there is nothing but names, texts and schemas."""
    repairs: list[str] = []
    schemas: dict[str, dict[str, Any] | None] = {}
    for word, schema in (("parameters", found.parameters), ("returns", found.returns)):
        if schema is None:
            schemas[word] = None
            continue
        try:
            schemas[word], repairs_of_schema = make_legal(
                schema, source.on_illegal, checked if found.is_closed else None
            )
        except SchemaError as fault:
            if word == "parameters":
                raise SchemaError(f"{word}: {fault}") from None
            schemas[word], repairs_of_schema = None, [f"left out, because {fault}"]
        repairs += [f"{word}: {repair}" for repair in repairs_of_schema]
    parameters = schemas["parameters"]
    if parameters is not None and parameters.get("type", "object") != "object":
        raise SpecError(f"parameters: arguments are an object, not {parameters['type']!r}")
    return ToolSpec(
        tool=Tool(name=found.name, description=found.description, parameters=parameters, strict=found.strict),
        domain=found.domain,
        where=found.where,
        returns=schemas["returns"],
        origin=msgspec.structs.replace(found.origin, repairs=tuple(repairs)),
    )


def _without_excess(verdicts: list[ToolVerdict], profile: Profile) -> list[ToolVerdict]:
    """Return the verdicts with those tools refused that are beyond the profile's greatest number."""
    kept, verdicts_kept = 0, []
    for verdict in verdicts:
        kept += verdict.spec is not None
        if verdict.spec is not None and profile.most_tools is not None and kept > profile.most_tools:
            reason = f"ValueError: TOOLS: {profile.most_tools} tools are the most"
            verdict = msgspec.structs.replace(verdict, verdict="refused", reasons=(reason,), spec=None)
        verdicts_kept.append(verdict)
    return verdicts_kept


def _with_links(verdicts: list[ToolVerdict]) -> list[ToolVerdict]:
    """Return the verdicts with links that name tools by their new names."""
    now = {verdict.spec.origin.name: verdict.name for verdict in verdicts if verdict.spec and verdict.spec.origin.name}
    return verdicts if not now else [_relinked(verdict, now) for verdict in verdicts]


def _relinked(verdict: ToolVerdict, now: dict[str, str]) -> ToolVerdict:
    """Return the verdict with links to tools by the names that they have `now` (name at the source → new name)."""
    spec = verdict.spec
    if spec is None or not any(link.tool in now for link in spec.links):
        return verdict
    links = tuple([Link(link.argument, now.get(link.tool, link.tool), link.result) for link in spec.links])
    return msgspec.structs.replace(verdict, spec=msgspec.structs.replace(spec, links=links))


def select(tools: Sequence[FoundTool], source: ToolFile, seed: int) -> list[FoundTool]:
    """Return the tools that the source's `select`, `only` and `without` leave, in their order.

    `count` takes the tools whose names come first in an order that the seed gives, so that asking for one more keeps
    those there are.

    Raises:
        SpecError: for a pattern or tag that no tool fits, and when there are fewer tools than wanted.
        RecipeError: for a name under `only` or `without` that no tool has, and when nothing is left.
    """
    names = [tool.name for tool in tools]
    for name in (*source.only, *source.without):
        if name not in names:
            raise RecipeError(f"{source.title}: there is no tool {name!r} in this file{nearest(name, names)}")
    selection = source.select
    tests = (
        ("names", (*selection.names, *selection.operations), lambda tool: [tool.name]),
        ("tags", selection.tags, lambda tool: tool.origin.tags),
        ("paths", selection.paths, lambda tool: [tool.origin.http.get("path", "")]),
        ("methods", selection.methods, lambda tool: [tool.origin.http.get("method", "")]),
    )
    selected = [
        tool for tool in tools if (not source.only or tool.name in source.only) and tool.name not in source.without
    ]
    for key, patterns, read in tests:
        _check_patterns(key, patterns, [word for tool in tools for word in read(tool)], source)
        selected = [
            tool for tool in selected if not patterns or any(_matches_any(word, patterns) for word in read(tool))
        ]
    if not selected:
        raise RecipeError(f"{source.title}: only, without and select leave none of its tools")
    if selection.count is None:
        return selected
    if selection.count > len(selected):
        raise SpecError(
            f"{source.title}: select.count: {selection.count} tools are wanted, but there are {len(selected)}"
        )
    ranked = sorted(selected, key=lambda tool: stream_seed("select", seed, tool.name))
    chosen = {id(tool) for tool in ranked[: selection.count]}
    return [tool for tool in selected if id(tool) in chosen]


def _matches_any(word: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(word.lower(), pattern.lower()) for pattern in patterns)


def _check_patterns(key: str, patterns: Sequence[str], words: list[str], source: ToolFile) -> None:
    """Raise SpecError for a pattern of `select` that fits no tool."""
    for pattern in patterns:
        if not any(_matches_any(word, [pattern]) for word in words):
            distinct_words = dict.fromkeys(word for word in words if word)
            suggestion = nearest(pattern, distinct_words)
            suggestion = suggestion if len(suggestion) < 200 else ""
            raise SpecError(f"{source.title}: select.{key}: {pattern!r} fits no tool{suggestion}")
