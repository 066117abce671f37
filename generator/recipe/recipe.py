"""A recipe as plain data: every shorthand expanded, every path resolved."""

import shlex
from collections.abc import Mapping
from datetime import date
from math import ceil
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec

from generator.recipe.llm import Judge, Llm, LlmWording

_Name = TypeVar("_Name", bound=str)
Weights = tuple[tuple[str, float], ...]
"""(name, weight) pairs in the recipe's order; no weight is zero."""


def weights(mix: Mapping[_Name, float]) -> Weights:
    """Return the weights of a mix as it is written; what has none is left out."""
    return tuple((name, float(weight)) for name, weight in mix.items() if weight)


class Select(msgspec.Struct, frozen=True, kw_only=True):
    """Which tools of a source are used: those that fit every key that is given; patterns have `*` and `?`."""

    names: tuple[str, ...] = ()
    tags: tuple[str, ...] = ()
    """Tags of OpenAPI operations."""
    paths: tuple[str, ...] = ()
    methods: tuple[str, ...] = ()
    count: int | None = None
    """How many of them are used; the recipe's seed decides which."""


OnIllegal = Literal["reject", "repair", "keep"]
"""What becomes of a tool whose schema is no legal JSON Schema."""


class ToolFile(msgspec.Struct, frozen=True, kw_only=True):
    """A source of tools, and which of them are used. It is a file, a Python module by name, or an MCP server."""

    file: Path | None = None
    module: str = ""
    """Name of a Python module that can be imported."""
    command: tuple[str, ...] = ()
    """Starts an MCP server that talks over stdin and stdout."""
    kind: str | None = None
    """The reader; None: found out from the content."""
    only: tuple[str, ...] = ()
    """Use these tools alone; empty: all."""
    without: tuple[str, ...] = ()
    """Leave these tools out."""
    select: Select = Select()
    on_illegal: OnIllegal = "reject"
    """What to do with a schema that is no legal JSON Schema."""
    overlays: tuple[Path, ...] = ()
    """Files of what is known about these tools; later ones win piece by piece."""
    describe: Literal["derived", "bare"] = "derived"
    """Whether phrases and values are derived for tools without phrases."""
    undescribed: Literal["leave_out", "keep"] = "leave_out"
    """What becomes of tools of which nothing is known beyond the schema."""

    @property
    def title(self) -> str:
        """The source as messages name it."""
        return str(self.file) if self.file is not None else self.module or shlex.join(self.command)


class Offer(msgspec.Struct, frozen=True, kw_only=True):
    """The tools that a row offers besides those it calls."""

    distractors: tuple[int, int] = (0, 3)
    hard: float = 0.0
    """Share of rows whose distractors are the tools most like the called ones."""


class Overlays(msgspec.Struct, frozen=True, kw_only=True):
    """Overlays of rows: changes to a share of the rows of any scenario."""

    system: float = 0.0
    """System messages of many forms."""
    register: Weights = ()
    """(register, share) pairs: how users write."""
    beside: float = 0.0
    """Text beside calls."""
    scramble: float = 0.0
    """Other names of tools, parameters and enum values."""


class ValueFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of values, by its ending JSONL, CSV or text."""

    file: Path
    column: str | None = None
    """The column of a CSV file, or the key of JSONL objects."""


class FakerProvider(msgspec.Struct, frozen=True, kw_only=True):
    """A provider of Faker and what it is called with."""

    name: str
    arguments: dict[str, Any] = {}


class Script(msgspec.Struct, frozen=True, kw_only=True):
    """A Hypothesis strategy in a Python file."""

    file: Path
    name: str


class Distribution(msgspec.Struct, frozen=True, kw_only=True):
    """A probability distribution of numbers."""

    name: str
    parameters: dict[str, float] = {}


class Override(msgspec.Struct, frozen=True, kw_only=True):
    """Another way to make the arguments of one tool, or one argument; exactly one is set (weights go with choose)."""

    source: str | None = None
    choose: tuple[Any, ...] = ()
    weights: tuple[float, ...] = ()
    """One for each of `choose`; empty: all weigh the same."""
    kind: str | None = None
    file: ValueFile | None = None
    faker: FakerProvider | None = None
    strategy: Script | None = None
    distribution: Distribution | None = None


class ArgumentSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How argument values are made."""

    source: Weights = (("realistic", 1.0),)
    edge_cases: float = 0.0
    optional: float = 0.4
    overrides: dict[str, Override] = {}
    """By `tool` or `tool#/pointer`."""
    strategies: dict[str, Script] = {}
    """By `tool#/pointer`; the same as overrides that name a strategy."""
    locale: Weights = ()
    """Locales of Faker; empty: the usual mix."""


class Documents(msgspec.Struct, frozen=True, kw_only=True):
    """The files that documents are made from, and how."""

    files: tuple[Path, ...] = ()
    cuts: Weights = (("line", 1.0),)
    together: tuple[int, int] = (2, 3)
    gaps: float = 0.0
    longest: int = 4000


class ArgumentSource(msgspec.Struct, frozen=True, kw_only=True):
    """A real backend: a Python module, recorded answers, a web server or an MCP server; exactly one is set."""

    python: Path | None = None
    recorded: Path | None = None
    http: str = ""
    command: tuple[str, ...] = ()
    """Program and arguments of an MCP server."""
    session: Literal["conversation", "run"] = "conversation"
    """How long a process of an MCP server lives."""
    schema: bool = False
    """The tool's `returns`, where the rest is answered by something else."""
    seconds: float | None = None
    """Time limit of one call."""
    memory: int | None = None
    """Megabytes a module may take."""
    attempts: int | None = None
    """How often a web server is asked."""


class LengthLimits(msgspec.Struct, frozen=True, kw_only=True):
    """How records are measured, and how long they may be."""

    tokenizer: Path | None = None
    """A `tokenizer.json`; None: a token is four bytes."""
    max_tokens: int | None = None
    """Of a record in every format of the recipe."""


class Preferences(msgspec.Struct, frozen=True, kw_only=True):
    """What is rejected in preference data."""

    defects: Weights = ()
    """(name, weight) pairs; empty: all of them, alike."""
    per_row: int = 1
    """Most rejected continuations of a row, each with another defect."""


class Dedup(msgspec.Struct, frozen=True, kw_only=True):
    """Which rows are removed for being like an earlier one."""

    rows: bool = True
    """The same conversation with the same tools."""
    requests: bool = True
    """The same words of the user."""
    near: float | None = None
    """Least Jaccard similarity of the shingles of two requests that are alike; None: only equal ones are."""


class TwinKind(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a family of twins."""

    scenario: str
    hard: float = 0.0
    """Share of such rows whose other tools are those most like the called one."""


TWINS = {
    "easy": TwinKind(scenario="single"),
    "hard": TwinKind(scenario="single", hard=1.0),
    "without_value": TwinKind(scenario="clarify"),
    "without_tool": TwinKind(scenario="irrelevant"),
    "wrong_value": TwinKind(scenario="error_recover"),
}
"""The rows of a family in their order, by what sets them apart."""


class Recipe(msgspec.Struct, frozen=True, kw_only=True):
    """What to make. Every key changes the rows; where and how fast they are made is not said here."""

    path: Path
    text: str
    """The file as it was read."""
    name: str
    seed: int
    rows: int
    """0: as many as it takes to reach all coverage goals."""
    tools: tuple[ToolFile, ...]
    offer: Offer
    overlays: Overlays = Overlays()
    scenarios: Weights
    required_scenarios: tuple[str, ...] = ()
    """Scenarios without which there is no run; others are left out when the tools cannot serve them."""
    calls: tuple[int, int]
    steps: tuple[int, int]
    arguments: ArgumentSettings
    system: tuple[str, ...]
    """Templates, one of which is drawn for each row; empty: rows have no system message."""
    today: tuple[date, date]
    """First and last day on which a row may take place."""
    formats: tuple[str, ...]
    """Names, what is chosen of a format included: `deepfabric-string`."""
    train: str = "all"
    """Which assistant messages are learnt: `all`, the `last`, those with `calls`, or the `answers` without."""
    records: str = "whole"
    """What a format writes of a row: the `whole` conversation, or `unrolled`, a record for each message to be learnt."""
    preferences: Preferences = Preferences()
    """What is rejected, for formats of preferences."""
    twins: bool = False
    """Whether rows come in families that are made from one plan."""
    coverage: str | None = None
    """`pairwise`, or None."""
    goals: tuple[Path, ...] = ()
    """Files that say which tools people use together."""
    splits: Weights = ()
    """(name, share) pairs; empty: the data set is one part."""
    lengths: LengthLimits = LengthLimits()
    split_by: str = "row"
    """What a split holds out: `row`, `tool` or `domain` (all tools of a file)."""
    unique: str | None = None
    """What no two rows may share: their `requests` or their `calls`; None: duplicates are possible."""
    dedup: Dedup | None = None
    """None: no row is removed for being like another."""
    max_share: Weights = ()
    """(`tool`, `scenario` or `tag`, largest share of the rows that one of them may have) pairs."""
    wording: LlmWording | None = None
    """None: the templates' words stay."""
    backend: str = "schema"
    """`schema` or `llm`."""
    judge: Judge | None = None
    llm: Llm | None = None
    """The model that is asked; None: rows are made without one."""
    thoughts: tuple[str, ...] = ()
    """Thought blocks that assistant messages have: `reflect`, `introspect`, `reason`."""
    documents: Documents = Documents()
    """For scenarios whose rows are documents."""
    backends: tuple[tuple[str, ArgumentSource], ...] = ()
    """Tool and what answers its calls; the tool `*` stands for all that are not named. Others are answered by `backend`."""
    profile: str | None = None
    """A target whose limits the tools keep."""
    replay: float | None = None
    """The share of rows whose calls a new world answers again; None: what the backend needs."""

    def replays(self, index: int) -> bool:
        """Whether the calls of row `index` are answered again: all, unless the answers follow from the seed alone."""
        share = self.replay
        if share is None:
            share = _REPLAYED if self.backend == "schema" and not self.backends else 1.0
        return ceil((index + 1) * share) > ceil(index * share)


_REPLAYED = 0.05
"""The share of rows that are replayed where answers follow from the seed: it tests the generator, not the row."""
