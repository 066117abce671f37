"""The recipe language: which keys there are, what each may hold, and what it means.

The descriptions here are what an editor shows, through the JSON Schema made from these models.
"""

import json
import re
from collections import Counter
from collections.abc import Callable
from datetime import date
from typing import Annotated, Any, Literal

from pydantic import (
    AfterValidator,
    BeforeValidator,
    ConfigDict,
    Field,
    PlainValidator,
    WithJsonSchema,
    model_validator,
)

from generator.documents import nearest, shown
from generator.recipe.backend_language import Backend
from generator.recipe.llm_language import JudgeModel, LlmModel, WordingModel
from generator.recipe.overrides import ONE_ARGUMENT, OVERRIDDEN, Argument, OverriddenKey, OverrideValue, ScriptText
from generator.recipe.strict import Strict as _Strict
from generator.recipe.tool_language import ToolFileModel, as_source

CUTS = ("character", "line", "syntax")
"""Names that `documents.cuts` may hold."""

ARGUMENT_SOURCES = ("realistic", "property_based", "llm")
"""Names that `arguments.source` may hold."""


COVERAGES = ("pairwise",)
"""Names that `coverage` may hold."""

PLACEHOLDERS = ("today", "weekday")
"""What a system message may hold in braces."""

MOST_ROWS = 10**9
_ROUNDING = 1e-6
SLUG = r"^[a-z0-9][a-z0-9_-]{0,99}$"
_SPLIT = r"^[a-z0-9][a-z0-9_-]{0,31}$"
_DAY = r"^(19|20|21)[0-9]{2}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"


def _whole(value: Any, least: int, most: int) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and least <= value <= most


_ROWS_SCHEMA = {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MOST_ROWS}, {"const": "coverage"}]}


def _read_rows(value: Any) -> int:
    """The number of rows; 0 for `coverage`."""
    if value == "coverage":
        return 0
    if not isinstance(value, int) or isinstance(value, bool):
        raise ValueError(f"a whole number is expected, not {shown(value)}")
    if not 1 <= value <= MOST_ROWS:
        raise ValueError(f"{'at least 1' if value < 1 else f'at most {MOST_ROWS}'} is expected, not {shown(value)}")
    return value


def _range(least: int, most: int) -> Callable[[Any], tuple[int, int]]:
    """A reader of `3` or `[2, 4]`."""
    expected = f"a whole number from {least} to {most}, or a pair [lowest, highest] of such, is expected"

    def read(value: Any) -> tuple[int, int]:
        pair = value if isinstance(value, list) else [value, value]
        if len(pair) != 2 or not all(_whole(number, least, most) for number in pair):
            raise ValueError(f"{expected}, not {shown(value)}")
        low, high = pair
        if low > high:
            raise ValueError(f"the lowest stands first: [{high}, {low}], not [{low}, {high}]")
        return low, high

    return read


def _range_schema(least: int, most: int) -> WithJsonSchema:
    number = {"type": "integer", "minimum": least, "maximum": most}
    return WithJsonSchema({"anyOf": [number, {"type": "array", "items": number, "minItems": 2, "maxItems": 2}]})


def _first_repeated(names: list[str]) -> str | None:
    return next((name for name, times in Counter(names).items() if times > 1), None)


def _as_weights(value: Any) -> Any:
    """One name or a list of names is a mapping in which all weigh the same."""
    if isinstance(value, str):
        return {value: 1.0}
    if isinstance(value, list):
        if not all(isinstance(name, str) for name in value):
            raise ValueError("a list of names is expected; weights are written as a mapping, {name: weight}")
        twice = _first_repeated(value)
        if twice is not None:
            raise ValueError(f"{twice!r} stands here twice; weights are written as a mapping, {{name: weight}}")
        return dict.fromkeys(value, 1.0)
    if not isinstance(value, dict):
        raise ValueError(f"a name, a list of names or a mapping {{name: weight}} is expected, not {shown(value)}")
    return value


def _some_weight(weights: dict[str, float]) -> dict[str, float]:
    if not any(weights.values()):
        raise ValueError("at least one weight must be above 0")
    return weights


def _read_format(value: Any) -> tuple[str, tuple[tuple[str, str], ...]]:
    """A name, or a mapping of a name and options, as (name, options)."""
    if isinstance(value, str):
        return value, ()
    names = isinstance(value, dict) and isinstance(value.get("name"), str)
    if not names or not all(isinstance(part, str | bool) for part in value.values()):
        raise ValueError(f"a format, or a mapping {{name: format, option: value}}, is expected, not {shown(value)}")
    options = [(key, json.dumps(part) if isinstance(part, bool) else part) for key, part in value.items() if key != "name"]
    return value["name"], tuple(options)


def _as_list(value: Any) -> Any:
    if not isinstance(value, str | list):
        raise ValueError(f"text, or a list of texts, is expected, not {shown(value)}")
    return [value] if isinstance(value, str) else value


def _read_day(value: Any) -> date:
    if isinstance(value, str) and re.fullmatch(_DAY, value):
        try:
            return date.fromisoformat(value)
        except ValueError:
            raise ValueError(f"there is no day {value}") from None
    raise ValueError(f"a date such as 2026-03-14 (from 1900 to 2199) is expected, not {shown(value)}")


def _read_days(value: Any) -> tuple[date, date]:
    days = value if isinstance(value, list) else [value, value]
    if len(days) != 2:
        raise ValueError(f"one date or a pair [first, last] is expected, not {shown(value)}")
    first, last = _read_day(days[0]), _read_day(days[1])
    if first > last:
        raise ValueError(f"the earlier day stands first: [{last}, {first}]")
    return first, last


def _check_system(text: str) -> str:
    if not text.strip():
        raise ValueError("a system message must hold some text; leave the key out for rows without one")
    for name in re.findall(r"\{([^{}]*)\}", text):
        if name not in PLACEHOLDERS:
            known = " and ".join(f"{{{known}}}" for known in PLACEHOLDERS)
            raise ValueError(f"unknown placeholder {{{name}}}: only {known} are filled in")
    if re.search(r"[{}]", re.sub(r"\{[^{}]*\}", "", text)):
        raise ValueError("a brace stands alone in this text; braces hold only {today} or {weekday}")
    return text


def _check_coverage(name: str) -> str:
    if name not in COVERAGES:
        raise ValueError(f"unknown coverage {name!r}{nearest(name, COVERAGES)}")
    return name


def distinct(names: list[str]) -> list[str]:
    """The names; raises ValueError when one stands there twice."""
    twice = _first_repeated(names)
    if twice is not None:
        raise ValueError(f"{twice!r} stands here twice")
    return names


def _make_a_whole(shares: dict[str, float]) -> dict[str, float]:
    total = sum(shares.values())
    if shares and abs(total - 1) > _ROUNDING:
        raise ValueError(f"the shares must add up to 1, not {total:g}")
    return shares


Weight = Annotated[float, Field(ge=0, allow_inf_nan=False)]
Share = Annotated[float, Field(ge=0, le=1)]
SplitShare = Annotated[float, Field(gt=0, le=1)]
FormatChoice = Annotated[
    tuple[str, tuple[tuple[str, str], ...]],
    PlainValidator(_read_format),
    WithJsonSchema(
        {
            "anyOf": [
                {"type": "string", "x-names": "formats"},
                {
                    "type": "object",
                    "properties": {"name": {"type": "string", "x-names": "formats"}},
                    "required": ["name"],
                    "additionalProperties": {"type": ["string", "boolean"]},
                },
            ]
        }
    ),
]
"""A format and the (option, value) pairs that are chosen of it."""
SourceName = Annotated[str, Field(json_schema_extra={"x-names": "sources"})]
CoverageName = Annotated[str, AfterValidator(_check_coverage), Field(json_schema_extra={"enum": list(COVERAGES)})]
SystemText = Annotated[
    str,
    AfterValidator(_check_system),
    Field(json_schema_extra={"pattern": r"^[^{}]*((\{today\}|\{weekday\})[^{}]*)*$"}),
]


def weights_schema(names: str) -> WithJsonSchema:
    """What a mix may be written as; `recipe_schema` puts the known names of that kind in."""
    name = {"type": "string", "x-names": names}
    weighted = {
        "type": "object",
        "propertyNames": name,
        "additionalProperties": {"type": "number", "minimum": 0},
        "minProperties": 1,
    }
    several = {"type": "array", "items": name, "minItems": 1, "uniqueItems": True}
    return WithJsonSchema({"anyOf": [name, several, weighted]})


Mix = Annotated[dict[str, Weight], Field(min_length=1), BeforeValidator(_as_weights), AfterValidator(_some_weight)]
"""Names and their weights."""


class OfferModel(_Strict):
    """The tools that a row offers to the model."""

    distractors: Annotated[tuple[int, int], PlainValidator(_range(0, 1000)), _range_schema(0, 1000)] = Field(
        default=(0, 3),
        description="How many tools a row offers besides those it calls: a number, or [lowest, highest].",
    )
    hard: Share = Field(
        default=0.0, description="Share of rows whose other tools are those most like the called ones, at least four."
    )


REGISTERS = ("casual", "terse", "lower_case", "typos", "formal")
"""Names that `overlays.register` may hold."""
Register = Literal["casual", "terse", "lower_case", "typos", "formal"]


def _at_most_all(shares: dict[str, float]) -> dict[str, float]:
    total = sum(shares.values())
    if total > 1 + _ROUNDING:
        raise ValueError(f"the shares must not add up to more than 1, but are {total:g}")
    return shares


class OverlaysModel(_Strict):
    """What is laid over rows of any scenario, each over a share of them."""

    system: Share = Field(
        default=0.0, description="Share of rows with a system message put together of role, persona, date and policy."
    )
    register_: Annotated[dict[Register, Share], AfterValidator(_at_most_all)] = Field(
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
    together: Annotated[tuple[int, int], PlainValidator(_range(2, 100)), _range_schema(2, 100)] = Field(
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
            "not enough, it is made anew."
        ),
    )


class SplitsModel(_Strict):
    """Names of parts with their shares, and what divides them."""

    model_config = ConfigDict(extra="allow", json_schema_extra={"propertyNames": {"pattern": _SPLIT}})
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
            if not re.fullmatch(_SPLIT, name):
                raise ValueError(f"{name!r} is no name of a part: lower-case letters, digits, '-' and '_' are")
        _make_a_whole(self.shares)
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
    rows: Annotated[int, PlainValidator(_read_rows), WithJsonSchema(_ROWS_SCHEMA)] = Field(
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
        default_factory=OverlaysModel, description="What is laid over rows of any scenario, each over a share of them."
    )
    scenarios: Annotated[Mix, weights_schema("scenarios")] = Field(
        description="Shapes of conversations: one name, a list of names, or names with weights, {parallel: 2, sequential: 1}."
    )
    calls: Annotated[tuple[int, int], PlainValidator(_range(2, 100)), _range_schema(2, 100)] = Field(
        default=(2, 4), description="How many calls one parallel step makes: a number, or [lowest, highest]."
    )
    steps: Annotated[tuple[int, int], PlainValidator(_range(2, 100)), _range_schema(2, 100)] = Field(
        default=(2, 3), description="How many steps a chain of dependent calls has: a number, or [lowest, highest]."
    )
    goals: list[Annotated[str, Field(min_length=1)]] = Field(
        default=[],
        description="Files of goals: which tools people use together, and which values their calls then have in common.",
    )
    arguments: ArgumentsModel = Field(default_factory=ArgumentsModel, description="Where argument values come from.")
    wording: WordingModel = Field(
        default_factory=lambda: WordingModel(source="template"), description="Who words requests and answers."
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
    llm: LlmModel | None = Field(default=None, description="The model for all of the above that say llm, and the judge.")
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
            "recipe: {\"create_order#/quantity\": my_strategies.py:quantities}."
        ),
    )
    coverage: CoverageName = Field(
        default="",
        description=(
            "`pairwise`: rows aim at every enum value, both states of every optional parameter, and every pair of "
            "such states of each tool, and the run tells how many were reached."
        ),
    )
    system: Annotated[
        list[SystemText],
        Field(min_length=1),
        BeforeValidator(_as_list, json_schema_input_type=SystemText | Annotated[list[SystemText], Field(min_length=1)]),
    ] = Field(
        default=[],
        description=(
            "System message, or a list from which each row takes one. {today} and {weekday} are filled in. "
            "Without this key rows have no system message."
        ),
    )
    today: Annotated[
        tuple[date, date],
        PlainValidator(_read_days),
        WithJsonSchema(
            {
                "anyOf": [
                    {"type": "string", "pattern": _DAY},
                    {"type": "array", "items": {"type": "string", "pattern": _DAY}, "minItems": 2, "maxItems": 2},
                ]
            }
        ),
    ] = Field(
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
