"""The recipe language: which keys there are, what each may hold, and what it means.

The descriptions here are what an editor shows, through the JSON Schema made from these models.
"""

import re
from datetime import date
from typing import Annotated, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    model_validator,
)

from generator.defects import DEFECTS
from generator.recipe.backend_language import Backend
from generator.recipe.key_types import (
    SLUG,
    SPLIT,
    CoverageName,
    Days,
    FormatChoice,
    Mix,
    Rows,
    Share,
    SplitShare,
    SystemTexts,
    as_list,
    at_most_all,
    distinct,
    make_a_whole,
    names_schema,
    range_schema,
    read_range,
    weights_schema,
)
from generator.recipe.llm_language import JudgeModel, LlmModel, WordingModel
from generator.recipe.overrides import ONE_ARGUMENT, OVERRIDDEN, Argument, OverriddenKey, OverrideValue, ScriptText
from generator.recipe.strict import Strict as _Strict
from generator.recipe.tool_language import ToolFileModel, as_source

CUTS = ("character", "line", "syntax")
"""Names that `documents.cuts` may hold."""

ARGUMENT_SOURCES = ("realistic", "property_based", "llm")
"""Names that `arguments.source` may hold."""


class DedupModel(_Strict):
    """Rows that are removed for being like an earlier one."""

    rows: bool = Field(
        default=True,
        description="Remove rows of which all messages, calls, results and tools are equal; ids do not count.",
    )
    requests: bool = Field(
        default=True, description="Remove rows in which the user says the same, without regard to case and white space."
    )
    near: Annotated[float, Field(ge=0.5, le=1)] | None = Field(
        default=None,
        description=(
            "Remove rows whose request is nearly that of an earlier one: the least Jaccard similarity of their three-word shingles. "
            "Needs the package rensa; for 5,000,000 rows at most."
        ),
    )


class OfferModel(_Strict):
    """The tools that a row offers to the model."""

    distractors: Annotated[tuple[int, int], PlainValidator(read_range(0, 1000)), range_schema(0, 1000)] = Field(
        default=(0, 3),
        description="How many tools a row offers besides those it calls: a number, or [lowest, highest].",
    )
    hard: Share = Field(
        default=0.0, description="Share of rows whose other tools are those most like the called ones, at least four."
    )


Register = Literal["casual", "terse", "lower_case", "typos", "formal"]


class OverlaysModel(_Strict):
    """What is laid over rows of any scenario, each over a share of them."""

    system: Share = Field(
        default=0.0, description="Share of rows with a system message put together of role, persona, date and policy."
    )
    register_: Annotated[dict[Register, Share], AfterValidator(at_most_all)] = Field(
        default={},
        alias="register",
        description=(
            "How users write, with the share of rows of each: {casual: 0.1, terse: 0.05, lower_case: 0.05, typos: 0.05, "
            "formal: 0.05}. The others are written as people write with care."
        ),
    )
    beside: Share = Field(default=0.0, description="Share of rows in which the assistant says a word beside its calls.")
    scramble: Share = Field(
        default=0.0,
        description="Share of rows in which tools, parameters and enum values have other names; descriptions stay.",
    )


class ArgumentsModel(_Strict):
    """How argument values are made."""

    source: Annotated[Mix, weights_schema("sources")] = Field(
        default={"realistic": 1.0},
        description="Where argument values come from: a source, or a mix such as {realistic: 0.8, property_based: 0.2}.",
    )
    edge_cases: Share = Field(
        default=0.0,
        description="Probability that a value is a boundary case: smallest, largest, longest, unusual text.",
    )
    optional: Share = Field(default=0.4, description="Probability that an optional parameter is used.")
    overrides: dict[OverriddenKey, OverrideValue] = Field(
        default={},
        json_schema_extra={"propertyNames": {"pattern": OVERRIDDEN}},
        description=(
            "Other ways to make values, by 'tool' or 'tool#/argument': a source, or a mapping with one of "
            "value, choose, kind, file, faker, strategy, distribution."
        ),
    )


class DocumentsModel(_Strict):
    """What rows that are documents are made from."""

    files: list[Annotated[str, Field(min_length=1)]] = Field(
        min_length=1, description="Text or source files (UTF-8), relative to this recipe."
    )
    cuts: Annotated[Mix, weights_schema("cuts")] = Field(
        default={"line": 1.0},
        description="Where a gap begins and ends: character, line or syntax (one statement, expression or sentence), or a mix.",
    )
    together: Annotated[tuple[int, int], PlainValidator(read_range(2, 100)), range_schema(2, 100)] = Field(
        default=(2, 3), description="How many files a multi_file row joins: a number, or [lowest, highest]."
    )
    gaps: Share = Field(default=0.0, description="Probability that the last file of a multi_file row has a gap.")
    longest: int = Field(
        default=4000, ge=40, le=10**6, description="Most characters of one file; of a longer one, lines are taken."
    )


class LengthsModel(_Strict):
    """How long records are, in tokens."""

    tokenizer: str = Field(
        default="",
        description="A `tokenizer.json` of Hugging Face's, relative to this recipe; without it a token is four bytes.",
    )
    max_tokens: int | None = Field(
        default=None,
        ge=64,
        le=10**7,
        description=(
            "Most tokens of a record, in every format. A longer row offers fewer tools that are not called; where that is "
            "not enough, it is made anew with shorter results, and left out of formats in which it never fits."
        ),
    )


class PreferencesModel(_Strict):
    """What is rejected in preference data."""

    defects: Annotated[Mix, weights_schema("defects")] = Field(
        default={},
        description=(
            "What is wrong with what is rejected: a name, a list of names, or names with weights, {wrong_tool: 2, wrong_value: 1}; "
            f"without it all of {', '.join(DEFECTS)}."
        ),
    )
    per_row: int = Field(
        default=1, ge=1, le=len(DEFECTS), description="Most rejected continuations of a row, each with another defect."
    )


class SplitsModel(_Strict):
    """Names of parts with their shares, and what divides them."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"propertyNames": {"pattern": SPLIT}})
    __pydantic_extra__: dict[str, SplitShare]

    by: Literal["row", "tool", "domain"] = Field(
        default="row",
        description=(
            "What is divided: rows; tools, so that no row of a part sees a tool of another; or domains, the tools of a "
            "file together."
        ),
    )

    @model_validator(mode="after")
    def _check(self) -> "SplitsModel":
        for name in self.shares:
            if not re.fullmatch(SPLIT, name):
                raise ValueError(f"{name!r} is no name of a part: lower-case letters, digits, '-' and '_' are")
        make_a_whole(self.shares)
        if self.by != "row" and not self.shares:
            raise ValueError("shares are expected beside `by`, such as {by: tool, train: 0.9, test: 0.1}")
        return self

    @property
    def shares(self) -> dict[str, float]:
        """Name of each part and its share."""
        return dict(self.__pydantic_extra__ or {})


class RecipeModel(_Strict):
    """A recipe: what data set to make."""

    model_config = ConfigDict(
        json_schema_extra={
            "if": {"properties": {"rows": {"const": "coverage"}}, "required": ["rows"]},
            "then": {"required": ["coverage"]},
        }
    )

    schema_: str = Field(default="", alias="$schema", description="For editors; has no effect.")
    name: str = Field(pattern=SLUG, description="Name of the data set; its files go to outputs/<name>/.")
    seed: int = Field(default=0, ge=0, description="The same seed makes the same rows, another seed makes others.")
    rows: Rows = Field(
        description="How many rows to make; or `coverage`, with that key: until all that can be covered is."
    )
    tools: list[Annotated[ToolFileModel, BeforeValidator(as_source, json_schema_input_type=str | ToolFileModel)]] = (
        Field(
            min_length=1,
            description=(
                "Where the tools are from, relative to this recipe: a path, or {file, only, without, select, from}; "
                "or {openapi: path}, {python: path}, {functions: module}, {mcp: {command: [...]}}."
            ),
        )
    )
    offer: OfferModel = Field(default_factory=OfferModel, description="What a row offers besides the tools it calls.")
    overlays: OverlaysModel = Field(
        default_factory=OverlaysModel,
        description="How rows of any scenario vary: registers, system messages, text beside calls, other names; each by share.",
    )
    scenarios: Annotated[Mix, weights_schema("scenarios")] = Field(
        description="Shapes of conversations: one name, a list of names, or names with weights, {parallel: 2, sequential: 1}."
    )
    required_scenarios: Annotated[
        list[str], BeforeValidator(as_list), AfterValidator(distinct), names_schema("scenarios")
    ] = Field(
        default=[],
        description=(
            "Scenarios, one name or a list, without which there is no run. Others are left out with a warning when the tools "
            "cannot serve them."
        ),
    )
    calls: Annotated[tuple[int, int], PlainValidator(read_range(2, 100)), range_schema(2, 100)] = Field(
        default=(2, 4), description="How many calls one parallel step makes: a number, or [lowest, highest]."
    )
    steps: Annotated[tuple[int, int], PlainValidator(read_range(2, 100)), range_schema(2, 100)] = Field(
        default=(2, 3), description="How many steps a chain of dependent calls has: a number, or [lowest, highest]."
    )
    goals: list[Annotated[str, Field(min_length=1)]] = Field(
        default=[],
        description="Files of goals: which tools people use together, and which values their calls then have in common.",
    )
    arguments: ArgumentsModel = Field(default_factory=ArgumentsModel, description="Where argument values come from.")
    wording: WordingModel | None = Field(
        default=None,
        description="Have a model say requests and answers in other words, and another one read them back.",
    )
    backend: Backend = Field(
        default="schema",
        description=(
            "What answers calls: `schema` (the tools' `returns`), `llm` (a model held to them), or something that really "
            "runs: {python: module.py}, {recorded: calls.jsonl}, {http: url}, {tools: {name: backend}, usual: backend}."
        ),
    )
    profile: Literal["character", "openai", "mistral", "anthropic", "gemini"] | None = Field(
        default=None, description="A target whose limits the tools keep; names are changed until they fit."
    )
    judge: JudgeModel | None = Field(default=None, description="Have a model score each row; see `threshold`.")
    llm: LlmModel | None = Field(
        default=None, description="The model for all of the above that say llm, and the judge."
    )
    locale: Annotated[Mix, weights_schema("locales")] = Field(
        default={},
        description=(
            "Locales (as Faker names them) of people, addresses, companies and the like: one, a list, or "
            "{de_DE: 3, ja_JP: 1}. Without this key it is a mix of English-speaking and European ones."
        ),
    )
    strategies: dict[Argument, ScriptText] = Field(
        default={},
        json_schema_extra={"propertyNames": {"pattern": ONE_ARGUMENT}},
        description=(
            "Hypothesis strategies of your own by 'tool#/argument', as 'file.py:name', the file relative to this "
            'recipe: {"create_order#/quantity": my_strategies.py:quantities}.'
        ),
    )
    coverage: CoverageName = Field(
        default="",
        description=(
            "`pairwise`: rows aim at every enum value, both states of every optional parameter, and every pair of "
            "such states of each tool, and the run tells how many were reached."
        ),
    )
    system: SystemTexts = Field(
        default=[],
        description=(
            "System message, or a list from which each row takes one. {today} and {weekday} are filled in. "
            "Without this key rows have no system message."
        ),
    )
    today: Days = Field(
        default=(date(2025, 1, 1), date(2026, 12, 31)),
        description="The day on which a row takes place: a date, or [first, last] from which each row takes one.",
    )
    formats: list[FormatChoice] = Field(
        default=[("deepfabric", ())],
        min_length=1,
        json_schema_extra={"uniqueItems": True, "default": ["deepfabric"]},
        description="Formats to write, one file for each: a name, or {name: deepfabric, arguments: string} with options.",
    )
    train: Literal["all", "last", "calls", "answers"] = Field(
        default="all",
        description=(
            "Which assistant messages a model is to learn: all, the last one, those that make calls, or those that do not. "
            "Formats that have a place for it say so (weight, training, prompt and completion)."
        ),
    )
    records: Literal["whole", "unrolled"] = Field(
        default="whole",
        description=(
            "What a format writes of a conversation: one record of all of it, or `unrolled`, one for each assistant "
            "message that is to be learnt, ending there. Trainers that learn the last message only need the latter."
        ),
    )
    twins: bool = Field(
        default=False,
        description=(
            "Make rows in families of five from one request: with easy and with hard tools beside the right one, without a needed "
            "value, without the tool, and with a wrong value that is put right. Splits never part a family."
        ),
    )
    preferences: PreferencesModel | None = Field(
        default=None,
        description=(
            "What is rejected, for formats of preferences such as {name: trl, rows: preference}: a continuation with exactly one "
            "named defect in place of a message that is to be learnt."
        ),
    )
    splits: SplitsModel = Field(
        default_factory=lambda: SplitsModel.model_validate({}),
        description=(
            "Parts of the data set, each in files of its own, by share: {train: 0.9, test: 0.1}. "
            "A row stays in its part when more rows are made. With `by: tool` (or `domain`) each part has tools of its own."
        ),
    )
    lengths: LengthsModel = Field(
        default_factory=LengthsModel,
        description="How records are measured, and how long they may be: {tokenizer: tokenizer.json, max_tokens: 4096}.",
    )
    unique: Literal["requests", "calls"] | None = Field(
        default=None,
        description=(
            "What no two rows of the data set have alike, in all splits together: the words of their requests, or their "
            "calls. Rows that are alike are made anew; that takes about 100 bytes of memory for each row."
        ),
    )
    dedup: DedupModel | None = Field(
        default=None,
        description=(
            "Remove rows that are like an earlier one of the data set, in all splits together: {} for equal ones, {near: 0.7} for "
            "those with almost the same request, too. They are listed in rejected.jsonl; there are fewer rows then."
        ),
    )
    max_share: dict[Literal["tool", "scenario", "tag"], Annotated[float, Field(ge=0.0001, le=1)]] = Field(
        default_factory=dict,
        min_length=1,
        description=(
            "The largest share of the rows that call one tool, or are of one scenario or tag: {tool: 0.2}. Rows beyond it are removed, "
            "as by `dedup`. One row in 10,000 is the least."
        ),
    )
    replay: float | None = Field(
        default=None,
        ge=0,
        le=1,
        description=(
            "The share of rows whose calls are answered again by a new world, which must give the same results: 1 for all, 0 for none. "
            "Without this key all rows where handlers, servers, recordings or a model answer, else one row in twenty."
        ),
    )
    thoughts: Annotated[list[Literal["reflect", "introspect", "reason"]], AfterValidator(distinct)] = Field(
        default=[],
        json_schema_extra={"uniqueItems": True},
        description=(
            "What the assistant thinks before it calls or answers, for formats that carry thoughts: reason (why these "
            "tools, where each value comes from), reflect (what the user wants), introspect (what it means to do)."
        ),
    )
    documents: DocumentsModel | None = Field(
        default=None, description="Files for the scenarios fill_in_the_middle and multi_file, whose rows are documents."
    )
