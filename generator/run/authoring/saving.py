"""The file that authoring writes: an overlay of a server, or what is added to tools that were described by hand."""

from pathlib import Path

from generator.core.overlays import Pieces
from generator.run.authoring.bench import Bench
from generator.run.authoring.result import Authoring
from generator.tools.specs.overlays import name_at_source
from generator.tools.specs.write_overlay import overlay_text


def overlay_of(bench: Bench, done: Authoring, title: str) -> str:
    """Return the text of the overlay.

    Args:
        bench: The source.
        done: What came of it.
        title: Name of the source.
    """
    tools = [(tool.spec, tool.pieces) for tool in done.tools if tool.pieces]
    said = f"What a model says of the tools of {Path(title).name}, as far as readers and checks accept it."
    refused = {name_at_source(tool.spec): tool.refused for tool in done.tools if tool.refused}
    return overlay_text(
        tools,
        "model",
        said,
        _used(done, [pieces for _, pieces in tools]),
        adds=bench.adds,
        refused=None if bench.adds else refused,
    )


def _used(done: Authoring, pieces: list[Pieces]) -> dict[str, object] | None:
    """Return the entities that are kept, if any tool says what it does to one."""
    return dict(done.entities) if any(("effect",) in one for one in pieces) else None
