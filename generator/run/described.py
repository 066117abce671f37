"""Everything that is known of the tools of a source: level, gaps and faults."""

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from typing import Any, Literal

import msgspec

from generator.arguments import KINDS
from generator.arguments.reading.patterns import read_pattern
from generator.core.documents import nearest, shown
from generator.core.exact_json import same
from generator.core.overlays import Piece, Pieces, name_of_piece
from generator.core.toolbox import LeftOut, Toolbox, ToolSpec
from generator.recipe import ToolFile
from generator.run.prepared import derive_all
from generator.run.usable import ENOUGH, ROWS, answer_alone, try_tool
from generator.tools.describing import Derivation, Derived
from generator.tools.describing.checks import ToolFault, check_words
from generator.tools.productions import is_said_by_name
from generator.tools.specs.load import bare_tools, namespaces, refused_tools, wants_derivation
from generator.tools.specs.overlay_files import overlays_that_fit
from generator.tools.specs.overlays import Layer, derived_layer, layers_for, overlaid_as_far_as_it_fits, still_unknown

Level = Literal["bare", "derived", "authored", "written"]


def shipped_for(source: ToolFile) -> dict[str, list[str]]:
    """Return the overlays that come with the program and fit tools of a source: package (or `bank`) → names of tools.

    Raises:
        SpecError: for a source that cannot be read.
    """
    specs = [spec for spec, _ in bare_tools(source, is_shipped=False).tools]
    return {overlay.package: sorted(overlay.layers) for overlay in overlays_that_fit(specs, source)}


class DescribedTool(msgspec.Struct, frozen=True, kw_only=True):
    """One tool with all that is known of it."""

    spec: ToolSpec
    bare: ToolSpec
    """As its own file says it."""
    level: Level
    """Who said how people ask for it."""
    derived: Pieces = {}
    """What was derived and fits."""
    missing: tuple[str, ...] = ()
    """What needs an author."""
    dropped: tuple[tuple[str, str], ...] = ()
    """Pieces that do not fit the function, and why."""
    unknown: tuple[str, ...] = ()
    """Why nothing is known of it beyond the schema, so that recipes leave it out."""


def describe_source(source: ToolFile, tell: Callable[[LeftOut], None] = lambda left_out: None) -> list[DescribedTool]:
    """Return the tools of a source under what can be derived of them and its overlays.

    A piece that does not fit is dropped and named, not the tool; `tell` is told of each tool that cannot be read or described.

    Raises:
        SpecError: for a source or overlay that cannot be read.
    """
    read = bare_tools(source)
    refused = refused_tools(
        [spec for spec, _ in read.tools], read.overlays, {spec.name: layers for spec, layers in read.tools}, source
    )
    kept = [(spec, layers) for spec, layers in read.tools if spec.name not in refused]
    is_derived = any(wants_derivation(spec, layers, source) for spec, layers in kept)
    for left_out in (*read.left_out, *(LeftOut("refused tool", name, why) for name, why in refused.items())):
        tell(left_out)
    described = dict[str, DescribedTool]()
    for space in namespaces([spec for spec, _ in kept], read.overlays):
        derived = derive_all(space.specs) if is_derived else Derivation(tools={})
        left = [spec for spec in space.specs if spec.name not in derived.failed]
        specs, overlays, unfit = msgspec.structs.replace(space, specs=left).declaring(derived.entities)
        for left_out in (*unfit, *(LeftOut("tool", name, why) for name, why in derived.failed.items())):
            tell(left_out)
        for spec in specs:
            described[spec.name] = _described_tool(
                spec, layers_for(spec, overlays), derived.tools.get(spec.name, _NOTHING_DERIVED), source
            )
    return [described[spec.name] for spec, _ in kept if spec.name in described]


def derived_entities(source: ToolFile) -> dict[str, Any]:
    """Return the entities that are derived of the tools of a source, as the `entities` of an overlay."""
    read = bare_tools(source)
    spaces = namespaces([spec for spec, _ in read.tools], read.overlays)
    return {name: entity for space in spaces for name, entity in derive_all(space.specs).entities.items()}


_NOTHING_DERIVED = Derived(pieces={})


def _described_tool(spec: ToolSpec, layers: list[Layer], derived: Derived, source: ToolFile) -> DescribedTool:
    """Return one tool under what is derived of it and the layers of its overlays, with what of that does not fit."""
    wants = wants_derivation(spec, layers, source)
    first = [derived_layer(spec, derived.pieces)] if wants else []
    described, dropped = overlaid_as_far_as_it_fits(spec, [*first, *layers])
    entities = {name: {"fields": entity.fields} for name, entity in spec.declared.entities.items()}
    kept = {piece: value for piece, value in first[0].pieces.items() if piece not in dropped} if first else {}
    return DescribedTool(
        spec=described,
        bare=spec,
        level=level_of(described),
        derived=kept,
        missing=derived.missing if wants and not layers else (),
        unknown=tuple(still_unknown(derived.unknown, layers, entities)) if wants else (),
        dropped=tuple(
            (name_of_piece(piece), message)
            for piece, message in dropped.items()
            if not _gives_way(piece, first, layers)
        ),
    )


def level_of(spec: ToolSpec) -> Level:
    """Return the level of a tool: who wrote its phrases."""
    origins = {
        spec.origins.get(f"phrases.{key}", "") for key in ("request", "question", "want") if getattr(spec.phrases, key)
    }
    if not origins:
        return "bare"
    if "human" in origins or "" in origins:
        return "written"
    return "authored" if "model" in origins else "derived"


def _gives_way(piece: Piece, derived: Sequence[Layer], layers: Sequence[Layer]) -> bool:
    """Whether a derived piece was dropped because it does not fit what somebody wrote."""
    return (
        bool(layers)
        and any(piece in layer.pieces for layer in derived)
        and all(piece not in layer.pieces for layer in layers)
    )


def check_words_and_values(spec: ToolSpec, toolbox: Toolbox) -> list[ToolFault]:
    """Return the faults of one tool that can be seen without making rows."""
    loading = partial(ToolFault, tool=spec.name, check="loading")
    faults = [
        loading(piece=f"kinds.{slot}", message=f"there is no kind of value {kind!r}{nearest(kind, KINDS)}"[:_LONGEST])
        for slot, kind in spec.kinds.items()
        if kind not in KINDS
    ]
    for slot, pattern in spec.patterns.items():
        try:
            read_pattern(pattern)
        except ValueError as fault:
            faults.append(loading(piece=f"patterns.{slot}", message=f"{pattern!r}: {fault}"))
    return faults + check_words(spec, toolbox)


_LONGEST = 160
PLAIN = "plain words (level 0): the tool and each argument by its name, for parsers and to learn arguments from"


def worked_faults(spec: ToolSpec) -> Iterator[ToolFault]:
    """Yield the faults of results that differ from those worked out by hand."""
    for number, (arguments, expected) in enumerate(spec.worked):
        result = answer_alone(spec, arguments)
        for name, value in expected.items():
            value_returned = result.get(name) if isinstance(result, dict) else None
            if not same(value_returned, value):
                message = f"{shown(arguments)} gives {name} {shown(value_returned)}, not {shown(value)}"
                yield ToolFault(tool=spec.name, check="worked", piece=f"worked.{number}", message=message)


def faults_of_tools(tools: Sequence[DescribedTool], rows: int = ROWS) -> list[ToolFault]:
    """Return all faults of tools: pieces that do not fit, words, links, and tools of which few rows are accepted."""
    toolbox: Toolbox = {tool.spec.name: tool.spec for tool in tools}
    faults: list[ToolFault] = []
    for tool in tools:
        spec = tool.spec
        fault = partial(ToolFault, tool=spec.name)
        faults += [fault(check="loading", piece=piece, message=message) for piece, message in tool.dropped]
        faults += [fault(check="author", piece=why.partition(":")[0], message=why) for why in tool.unknown]
        if is_said_by_name(spec):
            faults.append(fault(check="wording", piece="phrases.request", message=PLAIN, is_told=True))
        faults += check_words_and_values(spec, toolbox)
        faults += worked_faults(spec)
        trial = try_tool(spec, rows) if rows else None
        if trial is not None and trial.share < ENOUGH:
            why = f": {trial.refusals[0][0]}" if trial.refusals else ""
            message = f"{len(trial.rows)} of {trial.attempts} attempts were accepted{why}"
            faults.append(fault(check="yield", piece="", message=message))
    return faults
