"""Overlay files: those that come with the program, and those that are written.

Those of servers stand in `generator/tools/servers/PACKAGE/overlay.yaml` and apply by themselves where names and argument schemas
fit. Phrases for the file `NAME.*` stand beside it in `bank/NAME.yaml`, so they travel with it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

import msgspec
import yaml

from generator.core.errors import OutputError
from generator.core.files import read_regular
from generator.core.overlays import PieceOrigin, Pieces, digest_of_arguments, digest_of_function, join_pieces
from generator.core.toolbox import ToolSpec
from generator.recipe import ToolFile
from generator.tools.specs.overlays import Overlay, name_at_source, read_overlay
from generator.tools.specs.write import Dumper, tool_value

SERVERS = Path(__file__).parents[1] / "servers"
_FEWEST = 2
_NAMED = re.compile(r"^  ([A-Za-z0-9_./-]+):", re.MULTILINE)


def bank_of(file: Path | None) -> Path | None:
    """Return the phrases that stand beside a tool file, in a folder `bank`, if there are any."""
    bank = file.parent / "bank" / f"{file.stem}.yaml" if file is not None else None
    return bank if bank is not None and bank.is_file() else None


def overlays_that_fit(specs: Sequence[ToolSpec], source: ToolFile) -> list[Overlay]:
    """Return what comes with the program about the tools of a source; nothing where they shall stay bare.

    An overlay of a server applies if at least two of its tools are there with the arguments that it was made for, or all.
    No tool is described by two of them.

    Raises:
        SpecError: for a file that is broken.
    """
    if source.describe != "derived":
        return []
    bank = bank_of(source.file)
    fitting = (
        [] if bank is None else [msgspec.structs.replace(_for_tools_there(read_overlay(bank), specs), package="bank")]
    )
    left = {name_at_source(spec): spec for spec in specs}
    for path, described_names in _server_overlays():
        overlay = _that_fits(_read_once(path), [*left.values()]) if left.keys() & described_names else None
        if overlay is not None:
            fitting.append(msgspec.structs.replace(overlay, package=path.parent.name))
            left = {name: spec for name, spec in left.items() if name not in overlay.layers}
    return fitting


@cache
def _server_overlays() -> tuple[tuple[Path, frozenset[str]], ...]:
    """Return the overlays of servers with the names that they may have tools of; only those are read that may fit."""
    paths = sorted(SERVERS.glob("*/overlay.yaml"))
    return tuple((path, frozenset(_NAMED.findall(read_regular(path).decode()))) for path in paths)


_read_once = cache(read_overlay)
"""An overlay that comes with the program is read once a process."""


def _that_fits(overlay: Overlay, specs: Sequence[ToolSpec]) -> Overlay | None:
    """Return the overlay with the tools that fit; None where that are too few."""
    digests = {name_at_source(spec): digest_of_arguments(spec.tool, name_at_source(spec)) for spec in specs}
    layers = {
        name: msgspec.structs.replace(layer, digest=None, is_shipped=True)
        for name, layer in overlay.layers.items()
        if layer.arguments is not None and digests.get(name) == layer.arguments
    }
    if len(layers) < min(_FEWEST, len(overlay.layers)) or not layers:
        return None
    return msgspec.structs.replace(overlay, layers=layers)


def _for_tools_there(overlay: Overlay, specs: Sequence[ToolSpec]) -> Overlay:
    """Return the overlay of the tools that are there."""
    names = {name_at_source(spec) for spec in specs}
    return msgspec.structs.replace(
        overlay, layers={name: layer for name, layer in overlay.layers.items() if name in names}
    )


_ENDINGS = (".yaml", ".yml")
_WIDTH = 110


def check_overlay_ending(path: Path) -> None:
    """Raise OutputError for a file that is not called like YAML."""
    if path.suffix.lower() not in _ENDINGS:
        raise OutputError(f"{path}: an overlay is a file that ends in {' or '.join(_ENDINGS)}")


def overlay_text(
    tools: Iterable[tuple[ToolSpec, Pieces]],
    origin: PieceOrigin,
    title: str,
    entities: Mapping[str, Any] | None = None,
    *,
    refused: Mapping[str, str] | None = None,
) -> str:
    """Return the text of an overlay file, under a title (a comment) and with who says it (`origin`).

    `refused` are tools of which nothing that was said can be used, by their names at the source, and why.
    """
    pieces_by_tool = {
        name_at_source(spec): {
            "function": digest_of_function(spec.tool, name_at_source(spec)),
            **({"arguments": digest_of_arguments(spec.tool, name_at_source(spec))} if origin == "model" else {}),
            **join_pieces(pieces),
        }
        for spec, pieces in tools
    }
    head = {
        "origin": origin,
        **({"refused": dict(refused)} if refused else {}),
        **({"entities": entities} if entities else {}),
    }
    return f"# {title}\n" + _yaml({**head, "tools": pieces_by_tool})


def pieces_text(spec: ToolSpec) -> str:
    """Return all that is said of a tool beside its function, with who says it where that is known."""
    value = {key: part for key, part in tool_value(spec).items() if key not in ("type", "function", "origin")}
    origins = dict.fromkeys(spec.origins.values())
    most = max(origins, key=list(spec.origins.values()).count, default="")
    rest = "" if len(origins) < _SEVERAL else "all but what is listed here"
    lines = [
        f"# {origin}: {rest or 'all of it'}"
        if origin == most
        else f"# {origin}: {', '.join(piece for piece, who in spec.origins.items() if who == origin)}"
        for origin in origins
    ]
    return "\n".join([*lines, _yaml(value)]) if value else "(nothing is known)"


_SEVERAL = 2


def _yaml(value: Any) -> str:
    return yaml.dump(value, Dumper=Dumper, sort_keys=False, allow_unicode=True, width=_WIDTH)
