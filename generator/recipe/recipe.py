"""The recipe language: which keys there are, what each may hold, what it means, and what is held of it.

A recipe that was read is plain data: every shorthand is expanded, every path resolved. The descriptions are what an editor
shows, through the JSON Schema made from the same declarations: they are the texts below the fields.
"""

from datetime import date
from math import ceil
from pathlib import Path
from typing import Annotated, Any, ClassVar, Literal

from msgspec import Meta, Struct

from generator.core.forms import UNWRITTEN, Form, Key, one_or_many
from generator.core.toolbox import ToolSpec
from generator.recipe.key_types import (
    COVERAGES,
    SLUG,
    Days,
    FormatName,
    Rows,
    Share,
    SystemText,
    Weights,
    check_coverage,
    distinct,
    mix_of,
    names_of,
    range_from,
    weights,
)
from generator.recipe.llm import Judge, Llm, Solve, check_address
from generator.recipe.settings import (
    ArgumentSettings,
    Dedup,
    Documents,
    LengthLimits,
    NoCall,
    Offer,
    Overlays,
    Preferences,
    Scripts,
    Splits,
)
from generator.recipe.tools import EVERY_TOOL, ArgumentSource, Real, Simulated, Source, ToolFile

_REPLAYED = 0.05
"""The share of rows that are replayed where answers follow from the seed: it tests the generator, not the row."""


class Recipe(Struct, frozen=True, kw_only=True):
    """A recipe: what data set to make. Where and how fast rows are made is not said here."""

    more_schema: ClassVar[dict[str, Any]] = {
        "if": {"properties": {"rows": {"const": "coverage"}}, "required": ["rows"]},
        "then": {"required": ["coverage"]},
    }

    path: Annotated[Path, UNWRITTEN] = Path()
    text: Annotated[str, UNWRITTEN] = ""
    """The file as it was read."""
    schema: Annotated[str, Key("$schema")] = ""
    """For editors; has no effect."""
    name: Annotated[str, Meta(pattern=SLUG)]
    """Name of the data set; its files go to outputs/<name>/."""
    seed: Annotated[int, Meta(ge=0)] = 0
    """The same seed makes the same rows, another seed makes others."""
    rows: Rows
    """How many rows to make; or `coverage`, with that key: until all that can be covered is."""
    tools: Annotated[tuple[ToolFile, ...], Form(type=Annotated[tuple[Source, ...], Meta(min_length=1)])]
    """Where the tools are from, relative to this recipe: a path, or {file, only, without, select, from}; or {openapi:
    path}, {python: path}, {functions: module}, {mcp: {command: [...]}}."""
    offer: Offer = Offer()
    """What a row offers besides the tools it calls."""
    overlays: Overlays = Overlays()
    """How rows of any scenario vary: registers, system messages, text beside calls, other names; each by share."""
    scenarios: Annotated[Weights, mix_of("scenarios")]
    """Shapes of conversations: one name, a list of names, or names with weights, {parallel: 2, sequential: 1}."""
    required_scenarios: Annotated[tuple[str, ...], names_of("scenarios")] = ()
    """Scenarios, one name or a list, without which there is no run. Others are left out with a warning when the tools
    cannot serve them."""
    calls: Annotated[tuple[int, int], range_from(2, 100)] = (2, 4)
    """How many calls one parallel step makes: a number, or [lowest, highest]."""
    steps: Annotated[tuple[int, int], range_from(2, 100)] = (2, 3)
    """How many steps a chain of dependent calls has: a number, or [lowest, highest]."""
    goals: tuple[Path, ...] = ()
    """Files of goals: which tools people use together, and which values their calls then have in common."""
    policies: tuple[Path, ...] = ()
    """Files of written policies, for the scenario `under_policy`: each of its rows states one of them; see docs/policies.md."""
    scripts: Annotated[
        Scripts | None,
        Form(given=lambda given: {"share": given} if isinstance(given, int | float) else given, short=Share),
    ] = None
    """Whole conversations, written once with references instead of values, of which rows of all scenarios are made: the share
    of such rows, or {share: 0.8, files: [my_scripts.yaml], per_script: 40}, or {model: NAME, per_script: 1}. Without this key no row is."""
    arguments: ArgumentSettings = ArgumentSettings()
    """Where argument values come from."""
    backend: Simulated = "schema"
    """What answers calls: `schema` (the tools' `returns`), `llm` (a model held to them), or something that really runs:
    {python: module.py}, {recorded: calls.jsonl}, {http: url}, {tools: {name: backend}, usual: backend}."""
    backends: Real = ()
    results: Annotated[Weights, mix_of("results")] = (("lean", 1.0),)
    """How large the results of simulated tools are, for whole conversations: `lean` (what `returns` says), `usual` (some
    more fields: links, sources, nulls), `full` (nested ones, an envelope, pages), or a mix: {lean: 0.3, usual: 0.5,
    full: 0.2}."""
    profile: Literal["character", "openai", "mistral", "anthropic", "gemini"] | None = None
    """A target whose limits the tools keep; names are changed until they fit."""
    judge: Judge | None = None
    """Have a model score each row; see `threshold`."""
    solve: Solve | None = None
    """Have a model play each row as the assistant; see docs/episodes.md."""
    llm: Annotated[Llm | None, Form(made=check_address)] = None
    """The model for all of the above that say llm, for `solve` and the judge."""
    coverage: Annotated[
        str | None, Form(type=str, made=check_coverage, schema={"type": "string", "enum": list(COVERAGES)})
    ] = None
    """`pairwise`: rows aim at every enum value, both states of every optional parameter, and every pair of such states
    of each tool, and the run tells how many were reached."""
    system: Annotated[tuple[str, ...], one_or_many(SystemText, fewest=1)] = ()
    """System message, or a list from which each row takes one. {today} and {weekday} are filled in. Without this key
    rows have no system message."""
    today: Days = (date(2025, 1, 1), date(2026, 12, 31))
    """The day on which a row takes place: a date, or [first, last] from which each row takes one."""
    formats: Annotated[
        tuple[str, ...],
        Form(type=Annotated[tuple[FormatName, ...], Meta(min_length=1)]),
        Meta(extra_json_schema={"uniqueItems": True, "default": ["deepfabric"]}),
    ] = ("deepfabric",)
    """Formats to write, one file for each: a name, or {name: deepfabric, arguments: string} with options."""
    # held with what is chosen of a format: `deepfabric-string`
    train: Literal["all", "last", "calls", "answers", "decisions"] = "all"
    """Which assistant messages a model is to learn: all, the last one, those that make calls, those that do not, or its
    decisions: all but reports of results, so calls, questions, and texts where nothing is to be called.
    Formats that have a place for it say so (weight, training, prompt and completion)."""
    records: Literal["whole", "unrolled"] = "whole"
    """What a format writes of a conversation: one record of all of it, or `unrolled`, one for each assistant message
    that is to be learnt, ending there. Trainers that learn the last message only need the latter."""
    twins: bool = False
    """Make rows in families of five from one request: with easy and with hard tools beside the right one, without a
    needed value, without the tool, and with a wrong value that is put right. Splits never part a family."""
    no_call: NoCall | None = None
    """Pairs of rows on the same offer, of which the second calls nothing: what is asked for is like what a tool does and
    is not, or something else, or only spoken of. {share: 0.2, twins: beside}; {} for that."""
    preferences: Annotated[Preferences, Form(type=Preferences | None, made=lambda given: given or Preferences())] = (
        Preferences()
    )
    """What is rejected, for formats of preferences such as {name: trl, rows: preference}: a continuation with exactly
    one named defect in place of a message that is to be learnt."""
    splits: Annotated[Weights, Form(type=Splits, made=lambda splits: weights(splits.shares))] = ()
    """Parts of the data set, each in files of its own, by share: {train: 0.9, test: 0.1}. A row stays in its part when
    more rows are made. With `by: tool` (or `domain`) each part has tools of its own."""
    split_by: Annotated[str, Key("splits"), Form(type=Splits, made=lambda splits: splits.by)] = "row"
    """What a split holds out: `row`, `tool` or `domain` (all tools of a file)."""
    lengths: LengthLimits = LengthLimits()
    """How records are measured, and how long they may be: {tokenizer: tokenizer.json, max_tokens: 4096}."""
    unique: Literal["requests", "calls"] | None = None
    """What no two rows of the data set have alike, in all splits together: the words of their requests, or their calls.
    Rows that are alike are made anew; that takes about 100 bytes of memory for each row."""
    dedup: Dedup | None = None
    """Remove rows that are like an earlier one of the data set, in all splits together: {} for equal ones, {near: 0.7}
    for those with almost the same request, too. They are listed in rejected.jsonl; there are fewer rows then."""
    max_share: Annotated[
        Weights,
        Form(
            type=Annotated[
                dict[Literal["tool", "scenario", "tag"], Annotated[float, Meta(ge=0.0001, le=1)]], Meta(min_length=1)
            ],
            made=weights,
        ),
    ] = ()
    """The largest share of the rows that call one tool, or are of one scenario or tag: {tool: 0.2}. Rows beyond it are
    removed, as by `dedup`. One row in 10,000 is the least."""
    replay: Share | None = None
    """The share of rows whose calls are answered again by a new world, which must give the same results: 1 for all, 0
    for none. Without this key all rows where handlers, servers, recordings or a model answer, else one row in
    twenty."""
    thoughts: Annotated[
        tuple[str, ...],
        Form(type=tuple[Literal["reflect", "introspect", "reason"], ...], made=distinct),
        Meta(extra_json_schema={"uniqueItems": True}),
    ] = ()
    """What the assistant thinks before it calls or answers, for formats that carry thoughts: reason (why these tools,
    where each value comes from), reflect (what the user wants), introspect (what it means to do)."""
    documents: Annotated[Documents, Form(type=Documents | None, made=lambda given: given or Documents())] = Documents()
    """Files for the scenarios fill_in_the_middle and multi_file, whose rows are documents."""

    @property
    def functions_answer(self) -> bool:
        """Whether functions that the recipe loads as tools may answer calls, since it names nothing else that does."""
        return EVERY_TOOL not in dict(self.backends) and any(tool.holds_functions for tool in self.tools)

    @property
    def has_real_backend(self) -> bool:
        """Whether something real may answer calls: a module, recorded calls or a server."""
        return self.functions_answer or any(not source.schema for _, source in self.backends)

    def answered_by(self, spec: ToolSpec) -> ArgumentSource | None:
        """Return what really answers the calls of a tool, a function itself unless the recipe names something else; None: nothing does."""
        module = spec.where.rpartition(":")[0]
        is_function = spec.origin.kind == "functions" and not spec.origin.without_body and self.functions_answer
        is_loaded = is_function and any(tool.holds_functions and tool.title == module for tool in self.tools)
        own = ArgumentSource(python=Path(module)) if is_loaded else None
        written = dict(self.backends)
        source = written.get(spec.name, written.get(EVERY_TOOL, own))
        return None if source is None or source.schema else source

    def replays(self, index: int, is_simulated: bool) -> bool:
        """Whether the calls of row `index` are answered again: all, unless the answers follow from the seed alone (`is_simulated`)."""
        share = self.replay
        if share is None:
            share = _REPLAYED if is_simulated else 1.0
        return ceil((index + 1) * share) > ceil(index * share)


class TwinKind(Struct, frozen=True, kw_only=True):
    """One row of a family of twins."""

    scenario: str
    hard: float = 0.0
    """Share of such rows whose other tools are those most like the called one."""


TWINS = {
    "easy": TwinKind(scenario="single"),
    "hard": TwinKind(scenario="single", hard=1.0),
    "without_value": TwinKind(scenario="held_back"),
    "without_tool": TwinKind(scenario="irrelevant"),
}
