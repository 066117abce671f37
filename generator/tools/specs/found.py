"""Tools as readers find them, and the verdict on each, as plain data."""

from typing import Any, Literal

import msgspec

from generator.core.documents import Document, Place
from generator.core.entities import NOTHING, WorldDeclarations
from generator.core.errors import SpecError
from generator.core.toolbox import ToolOrigin, ToolSpec


class FoundTool(msgspec.Struct, frozen=True, kw_only=True):
    """A tool as a reader found it, not checked yet."""

    name: str
    where: str
    origin: ToolOrigin
    description: str | None = None
    parameters: dict[str, Any] | None = None
    returns: dict[str, Any] | None = None
    strict: bool | None = None
    is_closed: bool = False
    """Whether the reader itself made the `$defs`: all that are referred to, each the same object in every tool."""
    domain: str = ""
    """The tool's domain: tools of one domain are similar."""
    refused: str = ""
    """Why this is no tool that can be called."""
    remarks: tuple[str, ...] = ()
    """What of its source is not used."""
    written: tuple[Document, Place] | None = None
    """Its place in a file of our own language, which says more than these fields; None for other files."""
    declared: WorldDeclarations = NOTHING
    """What that file declares beside its tools."""


class ToolVerdict(msgspec.Struct, frozen=True, kw_only=True):
    """The verdict on one tool: its spec, or why it is refused."""

    name: str
    where: str
    kind: str
    verdict: Literal["loaded", "renamed", "repaired", "kept", "refused"]
    reasons: tuple[str, ...] = ()
    spec: ToolSpec | None = None
    """None when it is refused."""
    is_foreign: bool = False
    """Whether its file says nothing of it but the function: others have written it, and it can be left out."""
    error: type[SpecError] = SpecError
    """SchemaError for a schema that is not legal."""


def text_or_none(value: Any) -> str | None:
    """Return the text, if it is one and says something."""
    return value if isinstance(value, str) and value.strip() else None
