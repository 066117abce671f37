"""Where tools come from and what answers their calls."""

import shlex
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from generator.core.documents import shown
from generator.core.forms import UNWRITTEN, Form, Key, one_or_many

SOURCES = ("file", "openapi", "python", "functions", "mcp")
"""The keys of which a source of tools has exactly one."""
OnIllegal = Literal["reject", "repair", "keep"]
"""What becomes of a tool whose schema is no legal JSON Schema."""

_ToolName = Annotated[str, Meta(pattern=r"^[^\x00-\x1f]{1,512}$")]
_Pattern = Annotated[str, Meta(min_length=1)]
_Kind = Literal["openai", "mcp", "anthropic", "openapi", "bfcl", "portable", "python", "functions"]


class Select(Struct, frozen=True, kw_only=True):
    """Which tools of a source are used: those that fit every key."""

    names: tuple[_Pattern, ...] = ()
    """Patterns of names, with * and ?."""
    operations: tuple[_Pattern, ...] = ()
    """The same, for the operations of an OpenAPI document."""
    tags: tuple[_Pattern, ...] = ()
    """Tags of an OpenAPI document's operations."""
    paths: tuple[_Pattern, ...] = ()
    """Patterns of an OpenAPI document's paths."""
    methods: tuple[_Pattern, ...] = ()
    """HTTP methods."""
    count: Annotated[int, Meta(ge=1)] | None = None
    """So many of them, chosen by the seed."""


class Mcp(Struct, frozen=True, kw_only=True):
    """An MCP server."""

    command: Annotated[tuple[_Pattern, ...], Meta(min_length=1)]
    """Program and arguments that start a server on stdin and stdout."""


_Command = Annotated[tuple[str, ...], Key("mcp"), Form(type=Mcp, made=lambda server: server.command)]


class ToolFile(Struct, frozen=True, kw_only=True):
    """A source of tools, and which of them are used. It is a file, a Python module by name, or an MCP server."""

    file: Path | None = None
    """Path of a file of tools; what it is is found out from its content."""
    module: Annotated[str, UNWRITTEN] = ""
    """Name of a Python module that can be imported."""
    command: _Command = ()
    """An MCP server, which is started and asked for its tools."""
    kind: Annotated[str | None, Key("from"), Form(type=_Kind | None)] = None
    """What the file is, instead of finding it out."""
    only: tuple[_ToolName, ...] = ()
    """Use only these tools of the file."""
    without: tuple[_ToolName, ...] = ()
    """Use all tools of the file but these."""
    select: Select = Select()
    """Use the tools that fit all of this."""
    on_illegal: OnIllegal = "reject"
    """What to do with a schema that is no legal JSON Schema."""
    overlays: Annotated[tuple[Path, ...], Key("overlay"), one_or_many(Path)] = ()
    """Overlays: files of what is known about these tools; later ones win piece by piece."""
    describe: Literal["derived", "bare"] = "derived"
    """Whether words, values and results are derived for tools that nobody wrote phrases for, or they stay bare."""
    undescribed: Literal["leave_out", "keep"] = "leave_out"
    """What becomes of tools of which nothing is known beyond the schema: a look-up that could only report that it went
    well, a required text that could be anything."""

    @property
    def holds_functions(self) -> bool:
        """Whether it may be a Python module whose functions are tools."""
        is_python = bool(self.module) or (self.file is not None and self.file.suffix == ".py")
        return is_python and self.kind in (None, "functions")

    @property
    def title(self) -> str:
        """The source as messages name it."""
        return str(self.file) if self.file is not None else self.module or shlex.join(self.command)


class WrittenSource(ToolFile, frozen=True, kw_only=True):
    """A source of tools, and which of them are used."""

    more_schema: ClassVar[dict[str, Any]] = {
        "not": {"required": ["only", "without"]},
        "oneOf": [{"required": [way]} for way in SOURCES],
    }

    openapi: Path | None = None
    """Path of an OpenAPI document."""
    python: Path | None = None
    """Path of a Python module with TOOLS."""
    functions: str = ""
    """Path or name of a Python module whose functions are tools."""
    functions_file: Annotated[Path | None, Key("functions")] = None

    def __post_init__(self) -> None:
        """Raise ValueError for keys that do not go together."""
        given = [way for way in SOURCES if getattr(self, "command" if way == "mcp" else way)]
        if len(given) != 1:
            found = f", not {' and '.join(given)}" if given else ""
            raise ValueError(f"one of {', '.join(SOURCES)} is expected{found}")
        if self.kind and given != ["file"]:
            raise ValueError(f"'from' is for 'file'; {given[0]!r} says what it is")
        if self.only and self.without:
            raise ValueError("either 'only' or 'without', not both")

    def tool_file(self) -> ToolFile:
        """Return the source with what its key says of it."""
        is_path = self.functions.endswith(".py")
        ways = {"openapi": self.openapi, "python": self.python, "functions": self.functions}
        held: dict[str, Any] = {name: getattr(self, name) for name in ToolFile.__struct_fields__} | {
            "file": self.file or self.openapi or self.python or (self.functions_file if is_path else None),
            "module": "" if is_path else self.functions,
            "kind": next((way for way, given in ways.items() if given), self.kind),
        }
        return ToolFile(**held)


def _as_source(value: Any) -> Any:
    """Return `file: PATH` for a path that stands alone."""
    if not isinstance(value, str | dict):
        raise ValueError(f"a path, or a mapping {{file: path}}, is expected, not {shown(value)}")
    return {"file": value} if isinstance(value, str) else value


Source = Annotated[ToolFile, Form(type=WrittenSource, given=_as_source, made=WrittenSource.tool_file, short=str)]

EVERY_TOOL = "*"
"""Stands for all tools that are not named."""
SIMULATED = ("schema", "llm")
"""Backends that are one word."""
_WAYS = ("python", "recorded", "http", "mcp")


class ArgumentSource(Struct, frozen=True, kw_only=True):
    """A module, a file of answers or a server that answers calls."""

    python: Path | None = None
    """A Python module with TOOLS and handle_tool_call, or with functions, run in a child process."""
    recorded: Path | None = None
    """JSONL of {tool, arguments, result} or {tool, arguments, error}."""
    http: Annotated[str, Meta(pattern="^(https?://[^\\s/]+\\S*)?$")] = ""
    """URL that is sent {name, arguments} and answers with the result."""
    command: _Command = ()
    """An MCP server that is started and called."""
    session: Literal["conversation", "run"] = "conversation"
    """How long a process of the server lives: for one conversation (the default), which begins each in the same state,
    or for all of a worker, which is faster and right for servers without a state."""
    schema: Annotated[bool, UNWRITTEN] = False
    """The tool's `returns`, where the rest is answered by something else."""
    seconds: Annotated[float, Meta(gt=0, le=3600)] | None = None
    """Time limit of one call: 0.1 for a module, 10 for servers."""
    memory: Annotated[int, Meta(ge=64, le=1 << 20)] | None = None
    """Megabytes of memory a module may take (1024)."""
    attempts: Annotated[int, Meta(ge=1, le=20)] | None = None
    """How often a server is asked when it fails (4)."""


def _check_one_way(source: ArgumentSource) -> ArgumentSource:
    """Return a backend; raises ValueError unless it names one thing that answers, with settings of that."""
    given = [way for way in _WAYS if getattr(source, "command" if way == "mcp" else way)]
    if len(given) != 1:
        raise ValueError(f"exactly one of {', '.join(_WAYS)} is expected, not {' and '.join(given) or 'none'}")
    settings = (("memory", "python", None), ("attempts", "http", None), ("session", "mcp", "conversation"))
    for setting, way, usual in settings:
        if getattr(source, setting) != usual and given != [way]:
            raise ValueError(f"{setting!r} is for {way}")
    if given == ["recorded"] and source.seconds is not None:
        raise ValueError("recorded answers take no time: 'seconds' is for python, http and mcp")
    return source


_Real = Annotated[ArgumentSource, Form(made=_check_one_way)]


class Mixed(Struct, frozen=True, kw_only=True):
    """A backend for each tool."""

    told_by: ClassVar[str] = "tools"

    usual: Literal["schema"] | _Real = "schema"
    """What answers the tools that are not named."""
    tools: Annotated[dict[str, Literal["schema"] | _Real], Meta(min_length=1)]
    """Tool and what answers its calls."""


def _as_backend(value: Any) -> Any:
    """Return a backend as it is written; raises ValueError for words that name none."""
    if isinstance(value, dict) or value in SIMULATED:
        return value
    expected = f"{' or '.join(SIMULATED)}, or a mapping such as {{python: module.py}}, is expected"
    raise ValueError(f"{expected}, not {shown(value)}")


def _real_backends(backend: Any) -> tuple[tuple[str, ArgumentSource], ...]:
    """Return tools and what answers them; `EVERY_TOOL` is any other one."""
    if isinstance(backend, str):
        return ((EVERY_TOOL, ArgumentSource(schema=True)),) if backend == "schema" else ()
    if isinstance(backend, ArgumentSource):
        return ((EVERY_TOOL, backend),)
    usual = [(EVERY_TOOL, backend.usual)] if backend.usual != "schema" else []
    named = [*usual, *backend.tools.items()]
    return tuple((tool, ArgumentSource(schema=True) if source == "schema" else source) for tool, source in named)


_Backend = Literal["schema", "llm"] | Mixed | _Real
Simulated = Annotated[
    str,
    Key("backend"),
    Form(type=_Backend, given=_as_backend, made=lambda backend: backend if isinstance(backend, str) else "schema"),
]
"""`schema` or `llm`: what answers calls that nothing real answers."""
Real = Annotated[
    tuple[tuple[str, ArgumentSource], ...],
    Key("backend"),
    Form(type=_Backend, given=_as_backend, made=_real_backends),
]
"""Tool and what answers its calls; `EVERY_TOOL` stands for all that are not named."""
