"""Overlay files, and all that is said of one tool, as text."""

from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import yaml

from generator.core.errors import OutputError
from generator.core.overlays import PieceOrigin, Pieces, digest_of_arguments, digest_of_function, join_pieces
from generator.core.toolbox import ToolSpec
from generator.tools.specs.overlays import name_at_source
from generator.tools.specs.write import Dumper, tool_value

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
    """Return the text of an overlay file.

    Args:
        tools: Tools and what is said of them.
        origin: Who says it.
        title: The first line, a comment.
        entities: What the tools act on.
        refused: Tools of which nothing that was said can be used, by their names at the source, and why.
    """
    said = {
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
    return f"# {title}\n" + _yaml({**head, "tools": said})


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
