"""Read the tools of a recipe into a toolbox: all of them, or one error that says what is wrong."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from functools import partial
from hashlib import sha256
from itertools import product
from pathlib import Path
from typing import Any

import msgspec

from generator.core.documents import Document
from generator.core.errors import RecipeError, SpecError
from generator.core.files import cached_result
from generator.core.overlays import Pieces, name_of_piece
from generator.core.profiles import Profile
from generator.core.toolbox import LeftOut, Toolbox, ToolSpec
from generator.recipe import ToolFile
from generator.recipe.tools import Select
from generator.tools.productions import is_bare
from generator.tools.specs.check import with_links_that_hold
from generator.tools.specs.entities import read_declared
from generator.tools.specs.models import ToolVerdict
from generator.tools.specs.overlay_files import bank_of, overlays_that_fit
from generator.tools.specs.overlays import (
    Derive,
    Description,
    Layer,
    Overlay,
    check_overlay_names,
    derived_layer,
    layers_for,
    name_at_source,
    overlaid,
    overlaid_as_far_as_it_fits,
    read_overlay,
    still_unknown,
    without_pieces,
    without_same_words,
)
from generator.tools.specs.read import read_tools

_MOST_TOLD = 20


class LoadedTools(msgspec.Struct, frozen=True):
    """The tools of all sources, and those that cannot be used."""

    toolbox: Toolbox
    left_out: tuple[LeftOut, ...] = ()


def load_toolbox(sources: Iterable[Path | ToolFile], *, seed: int = 0, derive: Derive | None = None) -> Toolbox:
    """Return all tools of the sources that can be used, as `load_tools` does."""
    return load_tools(sources, seed=seed, derive=derive).toolbox


def load_tools(
    sources: Iterable[Path | ToolFile], *, profile: Profile | None = None, seed: int = 0, derive: Derive | None = None
) -> LoadedTools:
    """Return all tools of the sources under their overlays, in order.

    A tool that others have written is left out when it cannot be used, unless `only` names it. `seed` decides which tools `select.count`
    takes; `derive` describes the tools that nobody wrote phrases for, where a source does not want them bare.

    Raises:
        SpecError: with `file:line: path: what, expected what` for the first source that has faults.
        RecipeError: for a name under `only` or `without` that no tool has.
    """
    toolbox: Toolbox = {}
    left_out: list[LeftOut] = []
    for at, source in enumerate(sources):
        source = ToolFile(file=source) if isinstance(source, Path) else source
        domains = _domains(toolbox.values())
        counted = seed if source.select.count else 0
        key = ("tools", source, bank_of(source.file), profile and profile.name, counted, derive is None)
        try:
            specs, failed = cached_result(
                key,
                partial(_read_source, source, profile, seed, derive, domains),
                # whether files alone decide: nothing was derived, taken from a server, or depends on other sources
                lambda read: all(spec.written and "derived" not in spec.origins.values() for spec in read[0]),
            )
        except RecipeError as fault:
            raise RecipeError(str(fault), ("tools", at)) from None
        left_out += failed
        for spec in specs:
            if spec.name in toolbox:
                raise SpecError(f"{spec.where}: the tool {spec.name!r} is also in {toolbox[spec.name].where}")
            toolbox[spec.name] = spec
    for name, spec in toolbox.items():
        toolbox[name], broken = with_links_that_hold(spec, toolbox)
        left_out += broken
    return LoadedTools(toolbox, tuple(left_out))


def _read_source(
    source: ToolFile, profile: Profile | None, seed: int, derive: Derive | None, domains: Collection[str]
) -> tuple[list[ToolSpec], list[LeftOut]]:
    """Return the tools of one source under its overlays, and those of it that cannot be used."""
    verdicts = read_tools(source, profile, seed)
    left_out = _unusable_tools(verdicts, source)
    specs = [verdict.spec for verdict in verdicts if verdict.spec is not None]
    described, failed = with_descriptions_derived(specs, source, derive, domains)
    return described, [*left_out, *failed]


def _unusable_tools(verdicts: Sequence[ToolVerdict], source: ToolFile) -> list[LeftOut]:
    """Return the refused tools that can be left out.

    Raises:
        SpecError: when others are refused, too, or there is no tool beside them.
    """
    refused = [verdict for verdict in verdicts if verdict.spec is None]
    not_to_leave_out = [verdict for verdict in refused if not verdict.is_foreign or verdict.name in source.only]
    if not_to_leave_out or len(refused) == len(verdicts):
        raise (not_to_leave_out or refused)[0].error(_refusal_text(not_to_leave_out or refused))
    return [LeftOut("tool", verdict.name, "; ".join(verdict.reasons)) for verdict in refused]


def with_descriptions_derived(
    specs: Sequence[ToolSpec], source: ToolFile, derive: Derive | None, domains: Collection[str] = ()
) -> tuple[list[ToolSpec], list[LeftOut]]:
    """Return the tools of a source under its overlays, and under what is derived of those that nobody wrote phrases for.

    Tools that cannot be described are returned apart.

    Args:
        specs: The tools as their own file says them.
        source: With the overlays.
        derive: Describes tools.
        domains: Those of entities of other sources, which those of this one must not share.

    Raises:
        SpecError: for an overlay that does not fit.
    """
    overlays, layers = _overlays(specs, source)
    refused = refused_tools(specs, overlays, layers, source)
    kept = [spec for spec in specs if spec.name not in refused]
    names_to_derive = {spec.name for spec in kept if wants_derivation(spec, layers[spec.name], source)}
    namespaces_and_derived = [
        (space, derive(space.specs) if derive is not None and names_to_derive & space.names else Description(tools={}))
        for space in namespaces(kept, overlays)
    ]
    failed, undescribed = dict[str, str](), dict[str, str]()
    for space, derived in namespaces_and_derived:
        failed |= {name: why for name, why in derived.failed.items() if name in names_to_derive}
        undescribed |= _undescribed_tools(derived, layers, source, names_to_derive, space.entities)
    failed |= undescribed if len(failed | undescribed) < len(kept) else {}
    failed |= {name: _NEEDS_AN_AUTHOR.format(why=why) for name, why in refused.items()}
    if failed and (len(failed) == len(specs) or any(name in failed for name in source.only)):
        raise SpecError("\n".join(f"{source.title}: {name}: {why}" for name, why in failed.items()))
    described, left_out = dict[int, ToolSpec](), [LeftOut("tool", name, why) for name, why in failed.items()]
    for space, derived in namespaces_and_derived:
        space = msgspec.structs.replace(space, specs=[spec for spec in space.specs if spec.name not in failed])
        declared, overlays, left_out_of_space = space.declaring(
            derived.entities, {*domains, *_domains(described.values())}
        )
        for bare, spec in zip(space.specs, declared, strict=True):
            derived_pieces = derived.tools.get(spec.name) if spec.name in names_to_derive else None
            described[id(bare)], same_words = _overlaid_tool(spec, layers_for(spec, overlays), derived_pieces)
            left_out_of_space += same_words
        left_out += left_out_of_space
    return [described[id(spec)] for spec in specs if id(spec) in described], left_out


def _domains(specs: Iterable[ToolSpec]) -> set[str]:
    """Return the domains of all entities that some tools act on."""
    return {entity.domain for spec in specs for entity in spec.declared.entities.values()}


def _overlaid_tool(spec: ToolSpec, given_layers: list[Layer], derived: Pieces | None) -> tuple[ToolSpec, list[LeftOut]]:
    """Return a tool under its overlays and under what is derived of it, and what is left out of them.

    That are phrases that nobody could tell from others, and pieces that come with the program and do not fit.

    Raises:
        SpecError: for a piece of a user's overlay that does not fit.
    """
    if not given_layers and not derived:
        return spec, []
    given_layers, reasons_by_phrase = without_same_words(spec, given_layers)
    left_out = [LeftOut("phrase", text, why) for text, why in reasons_by_phrase.items()]
    layers = [*([derived_layer(spec, derived)] if derived else []), *given_layers]
    fitting, dropped = overlaid_as_far_as_it_fits(spec, layers)
    pieces_of_users = {piece for layer in given_layers if not layer.is_shipped for piece in layer.pieces}
    if not pieces_of_users.isdisjoint(dropped):  # this raises what is wrong
        return overlaid(spec, [without_pieces(layer, dropped.keys() - pieces_of_users) for layer in layers]), left_out
    shipped = {piece for layer in given_layers if layer.is_shipped and not pieces_of_users for piece in layer.pieces}
    left_out += [
        LeftOut("piece", f"{spec.name}: {name_of_piece(piece)}", dropped[piece])
        for piece in dropped
        if piece in shipped
    ]
    return fitting, left_out


def _undescribed_tools(
    derived: Description,
    layers: Mapping[str, list[Layer]],
    source: ToolFile,
    names_to_derive: Collection[str],
    entities: Mapping[str, Any],
) -> dict[str, str]:
    """Return the tools of which nothing is known beyond the schema, with what an author must say; none where they are kept.

    Of a source of which nothing is known at all, all are kept: leaving them out would leave nothing.
    """
    if source.undescribed == "keep":
        return {}
    reasons_by_tool = {
        name: still_unknown(unknown, layers[name], entities)
        for name, unknown in derived.unknown.items()
        if name in names_to_derive and name not in source.only
    }
    return {name: _NEEDS_AN_AUTHOR.format(why="; ".join(why)) for name, why in reasons_by_tool.items() if why}


_NEEDS_AN_AUTHOR = "it needs an author ({why}); `{{file: …, undescribed: keep}}` keeps it"


def refused_tools(
    specs: Sequence[ToolSpec], overlays: Iterable[Overlay], layers: Mapping[str, list[Layer]], source: ToolFile
) -> dict[str, str]:
    """Return the tools that an overlay refuses and none describes, with the reason; none where they are kept, or nothing would be left.

    Nothing is derived of them: what would be does not fit the entities of the overlay that refuses them.
    """
    reasons_at_source = {name: why for overlay in overlays for name, why in overlay.refused.items()}
    refused = {
        spec.name: f"what was said of it was refused: {reasons_at_source[name_at_source(spec)]}"
        for spec in specs
        if name_at_source(spec) in reasons_at_source and not layers[spec.name] and spec.name not in source.only
    }
    return {} if source.undescribed == "keep" or len(refused) == len(specs) else refused


def wants_derivation(spec: ToolSpec, layers: Iterable[Layer], source: ToolFile) -> bool:
    """Whether a tool has neither phrases of its own file nor a derivation among its overlays."""
    return (
        source.describe == "derived"
        and is_bare(spec)
        and not any("derived" in layer.origins.values() for layer in layers)
    )


class Namespace(msgspec.Struct, frozen=True):
    """Tools of a source that act on the same entities: those that an overlay of the program describes, or all the others."""

    specs: list[ToolSpec]
    overlays: list[Overlay]
    """Those that hold for them."""

    @property
    def names(self) -> set[str]:
        """Of the tools."""
        return {spec.name for spec in self.specs}

    @property
    def entities(self) -> dict[str, Any]:
        """What overlays declare."""
        return {name: entity for overlay in self.overlays for name, entity in overlay.entities.items()}

    def declaring(
        self, derived: dict[str, Any], domains: Collection[str] = ()
    ) -> tuple[list[ToolSpec], list[Overlay], list[LeftOut]]:
        """Return the tools with their entities, the overlays that hold, and those that come with the program and do not fit.

        Where not all entities fit beside each other, those that are derived go first, then those of the program.

        Raises:
            SpecError: with file, line and path of an entity of a user's overlay that cannot be.
        """
        not_shipped = [overlay for overlay in self.overlays if not (overlay.package and overlay.entities)]
        faults = []
        for overlays, entities in product((self.overlays, not_shipped), (derived, {})):
            try:
                specs = declaring(self.specs, entities, overlays, domains)
            except SpecError as fault:
                faults.append(str(fault))
            else:
                packages_left_out = [overlay.package for overlay in self.overlays if overlay not in overlays]
                return specs, overlays, [LeftOut("overlay", package, faults[0]) for package in packages_left_out]
        raise SpecError(faults[-1])


def namespaces(specs: Sequence[ToolSpec], overlays: Iterable[Overlay]) -> list[Namespace]:
    """Return the tools of a source by the entities that they act on: two servers may both have a `comment`."""
    package_by_tool = {
        name: overlay.package for overlay in overlays if overlay.package and overlay.entities for name in overlay.layers
    }
    specs_by_package: dict[str, list[ToolSpec]] = {}
    for spec in specs:
        specs_by_package.setdefault(package_by_tool.get(name_at_source(spec), ""), []).append(spec)
    return [
        Namespace(part, [overlay for overlay in overlays if overlay.package in ("", package) or not overlay.entities])
        for package, part in specs_by_package.items()
    ]


def declaring(
    specs: Sequence[ToolSpec], derived: dict[str, Any], overlays: Iterable[Overlay], domains: Collection[str] = ()
) -> list[ToolSpec]:
    """Return the tools with the entities that are derived of them, and with those that overlays declare on top.

    Raises:
        SpecError: with file, line and path of an entity that cannot be.
    """
    overlays = [overlay for overlay in overlays if overlay.entities]
    if not specs or not (derived or overlays):
        return list(specs)
    domain, number = specs[0].domain, 1
    while domain in domains:
        number += 1
        domain = f"{specs[0].domain}_{number}"
    new_entities = {name: entity for name, entity in derived.items() if name not in specs[0].declared.entities}
    source = specs[0].where.rpartition(":")[0]
    declared = read_declared(Document(source, "", {"entities": new_entities}), domain, specs[0].declared)
    for overlay in overlays:
        document = msgspec.structs.replace(overlay.document, value={"entities": overlay.entities})
        declared = read_declared(document, domain, declared)
    return [msgspec.structs.replace(spec, declared=declared) for spec in specs]


def _overlays(
    specs: Sequence[ToolSpec], source: ToolFile, *, is_shipped: bool = True
) -> tuple[list[Overlay], dict[str, list[Layer]]]:
    """Return the overlays of a source, those that come with the program first, and what they say of each of its tools, by name."""
    users_overlays = [read_overlay(path) for path in source.overlays]
    if not (source.only or source.without or source.select != Select()):
        check_overlay_names(users_overlays, [name_at_source(spec) for spec in specs])
    overlays = [*(overlays_that_fit(specs, source) if is_shipped else ()), *users_overlays]
    return overlays, {spec.name: layers_for(spec, overlays) for spec in specs}


class SourceTools(msgspec.Struct, frozen=True):
    """The tools of a source as their own file says them."""

    tools: list[tuple[ToolSpec, list[Layer]]]
    """Each with what overlays say of it."""
    overlays: list[Overlay]
    left_out: list[LeftOut]
    """Those that are refused."""


def bare_tools(source: ToolFile, *, is_shipped: bool = True) -> SourceTools:
    """Return the tools of a source as their own file says them; `is_shipped`: overlays that come with the program are among those of the source.

    Raises:
        SpecError: for a source or overlay that cannot be read, and for a refused tool that cannot be left out.
    """
    verdicts = read_tools(source)
    left_out = _unusable_tools(verdicts, source)
    specs = [verdict.spec for verdict in verdicts if verdict.spec is not None]
    overlays, layers = _overlays(specs, source, is_shipped=is_shipped)
    return SourceTools([(spec, layers[spec.name]) for spec in specs], overlays, left_out)


def digest_of_tools(source: ToolFile) -> str:
    """Return a name for what a source holds that is no file: the tools as they are read from it."""
    specs = [verdict.spec for verdict in read_tools(source)]
    return sha256(msgspec.json.encode(specs)).hexdigest()


def _refusal_text(refused: list[ToolVerdict]) -> str:
    """Return why tools are refused, a line for each reason with its place, the first few."""
    lines = [_reason_with_place(verdict, reason) for verdict in refused for reason in verdict.reasons]
    more = [f"… and {len(lines) - _MOST_TOLD} more"] if len(lines) > _MOST_TOLD else []
    return "\n".join([*lines[:_MOST_TOLD], *more])


def _reason_with_place(verdict: ToolVerdict, reason: str) -> str:
    """Return the reason with its place, which faults in our own language tell themselves."""
    file = verdict.where.rpartition(":")[0]
    return reason if reason.startswith(f"{file}:") else f"{verdict.where}: {verdict.name}: {reason}"
