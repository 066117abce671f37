"""Settings of a recipe that belong together: what a row offers, what is laid over it, how values are made, and so on."""

import re
from math import ceil
from pathlib import Path
from typing import Annotated, Literal

from msgspec import Meta, Struct

from generator.core.defects import DEFECTS
from generator.core.forms import ABOVE, REQUIRED, REST, UNWRITTEN, Form, one_or_many
from generator.recipe.key_types import SPLIT, Share, Weights, add_up, at_most_all, mix_of, range_from
from generator.recipe.llm import Use
from generator.recipe.overrides import (
    ONE_ARGUMENT,
    OVERRIDDEN,
    Argument,
    OverriddenKey,
    Override,
    Script,
    WrittenAsOverride,
    WrittenScript,
)

ARGUMENT_SOURCES = ("realistic", "property_based", "llm")
"""Names that `arguments.source` may hold."""
RESULT_SIZES = ("lean", "usual", "full")
"""Names that `results` may hold."""
CUTS = ("character", "line", "syntax")
"""Names that `documents.cuts` may hold."""


class Offer(Struct, frozen=True, kw_only=True):
    """The tools that a row offers to the model."""

    distractors: Annotated[tuple[int, int], range_from(0, 1000)] = (0, 3)
    """How many tools a row offers besides those it calls: a number, or [lowest, highest]."""
    hard: Share = 0.0
    """Share of rows whose other tools are those most like the called ones, at least four."""


PersonaName = Literal[
    "casual",
    "terse",
    "lower_case",
    "typos",
    "formal",
    "friendly",
    "blunt",
    "worried",
    "chatty",
    "courteous",
    "hurried",
    "on_the_phone",
    "insistent",
]


class Overlays(Struct, frozen=True, kw_only=True):
    """What is laid over rows of any scenario, each over a share of them."""

    system: Share = 0.0
    """Share of rows with a system message put together of role, persona, date and policy."""
    personas: Annotated[Weights, Form(type=dict[PersonaName, Share], made=at_most_all)] = ()
    """Who the users are, with the share of rows of each: {casual: 0.1, chatty: 0.05, hurried: 0.05, courteous: 0.05}. A
    persona is a register, how often they greet, thank and give reasons, or both; `insistent` insists on what
    has been refused. The others write with care."""
    beside: Share = 0.0
    """Share of rows in which the assistant says a word beside its calls."""
    scramble: Share = 0.0
    """Share of rows in which tools, parameters and enum values have other names; descriptions stay."""


class Writer(Struct, frozen=True, kw_only=True):
    """A model that writes scripts."""

    model: Use
    """A name, or what it is asked with if that is not as in `llm`."""
    weight: Annotated[float, Meta(gt=0)] = 1.0
    """Its share of the scripts, beside the weights of the others."""


class Scripts(Struct, frozen=True, kw_only=True):
    """Whole conversations with references instead of values, of which rows are made; see docs/scripts.md."""

    share: Share = 1.0
    """The share of rows that are made of scripts, as far as there are scripts of their scenario. The others are put together of
    the tools' phrases."""
    files: Annotated[tuple[Path, ...], one_or_many(Path)] = ()
    """Files of scripts. Without this key those in the folder `scripts` beside each spec file, as far as their tools are loaded."""
    per_script: Annotated[int, Meta(ge=1)] = 40
    """How many rows of the data set one script makes at most: with more they become alike. With 1 each row is a conversation of
    its own."""
    model: Use | None = None
    """A model that writes the scripts that are missing while rows are made: a name, or what it is asked with if that is not as in
    `llm`. Answers are kept, so that the same run asks for nothing twice."""
    writers: tuple[Writer, ...] = ()
    """Several such models, each with its weight: [{model: NAME, weight: 2}, …]."""
    topics: tuple[str, ...] | Path = ()
    """What the written scripts are about, in turn: a list, or a file with one a line."""
    people: tuple[str, ...] | Path = ()
    """Who speaks in them, in turn: a list, or a file with one a line."""
    asked: Annotated[tuple[float, ...], UNWRITTEN] = ()
    """The weights of the writers; how they are asked stands in `llm.uses`."""
    in_run: Annotated[bool, UNWRITTEN] = False
    """Whether they are asked while rows are made."""


class ArgumentSettings(Struct, frozen=True, kw_only=True):
    """How argument values are made."""

    source: Annotated[Weights, mix_of("sources")] = (("realistic", 1.0),)
    """Where argument values come from: a source, or a mix such as {realistic: 0.8, property_based: 0.2}."""
    edge_cases: Share = 0.0
    """Probability that a value is a boundary case: smallest, largest, longest, unusual text."""
    optional: Share = 0.4
    """Probability that an optional parameter is used."""
    otherwise: Share = 0.75
    """Share of values that users say in other words, of those that have some: "15%" for 0.15, "Norway" for NO, "750
    grams" for 0.75 (kilograms). Days and times are said as people write them; with 0 all values are said as calls have
    them."""
    overrides: Annotated[
        dict[str, Override],
        Form(type=dict[OverriddenKey, WrittenAsOverride]),
        Meta(extra_json_schema={"propertyNames": {"pattern": OVERRIDDEN}}),
    ] = {}
    """Other ways to make values, by 'tool' or 'tool#/argument': a source, or a mapping with one of value, choose, kind,
    file, faker, strategy, distribution."""
    strategies: Annotated[
        dict[str, Script],
        ABOVE,
        Form(type=dict[Argument, WrittenScript]),
        Meta(extra_json_schema={"propertyNames": {"pattern": ONE_ARGUMENT}}),
    ] = {}
    """Hypothesis strategies of your own by 'tool#/argument', as 'file.py:name', the file relative to this recipe:
    {"create_order#/quantity": my_strategies.py:quantities}."""
    locale: Annotated[Weights, ABOVE, mix_of("locales")] = ()
    """Locales (as Faker names them) of people, addresses, companies and the like: one, a list, or {de_DE: 3, ja_JP: 1}.
    Without this key it is a mix of English-speaking and European ones."""


class Documents(Struct, frozen=True, kw_only=True):
    """What rows that are documents are made from."""

    files: Annotated[tuple[Path, ...], REQUIRED, Meta(min_length=1)] = ()
    """Text or source files (UTF-8), relative to this recipe."""
    cuts: Annotated[Weights, mix_of("cuts")] = (("line", 1.0),)
    """Where a gap begins and ends: character, line or syntax (one statement, expression or sentence), or a mix."""
    together: Annotated[tuple[int, int], range_from(2, 100)] = (2, 3)
    """How many files a multi_file row joins: a number, or [lowest, highest]."""
    gaps: Share = 0.0
    """Probability that the last file of a multi_file row has a gap."""
    longest: Annotated[int, Meta(ge=40, le=10**6)] = 4000
    """Most characters of one file; of a longer one, lines are taken."""


class LengthLimits(Struct, frozen=True, kw_only=True):
    """How long records are, in tokens."""

    tokenizer: Path | None = None
    """A `tokenizer.json` of Hugging Face's, relative to this recipe; without it a token is four bytes."""
    max_tokens: Annotated[int, Meta(ge=64, le=10**7)] | None = None
    """Most tokens of a record, in every format. A longer row offers fewer tools that are not called; where that is not
    enough, it is made anew with shorter results, and left out of formats in which it never fits."""
    cut_turns: bool = False
    """Whether whole early turns of a longer row are cut, with their calls and results, before it is made anew: as few as
    need be, and only where nothing that stays was said or found in them."""


class Preferences(Struct, frozen=True, kw_only=True):
    """What is rejected in preference data."""

    defects: Annotated[Weights, mix_of("defects")] = ()
    """What is wrong with what is rejected: a name, a list of names, or names with weights, {wrong_tool: 2, wrong_value:
    1}; without it all of them."""
    per_row: Annotated[int, Meta(ge=1, le=len(DEFECTS))] = 1
    """Most rejected continuations of a row, each with another defect."""


class NoCall(Struct, frozen=True, kw_only=True):
    """Rows in which nothing must be called, each the twin of one with a call."""

    share: Annotated[float, Meta(ge=0.1, le=0.4)] = 0.2
    """Share of rows that are such twins; as many are the rows that they belong to. `scenarios` makes the others."""
    twins: Literal["beside", "apart"] = "beside"
    """Where twins stand: `beside` each other, or `apart`, 32 rows from each other."""


class Dedup(Struct, frozen=True, kw_only=True):
    """Rows that are removed for being like an earlier one."""

    rows: bool = True
    """Remove rows of which all messages, calls, results and tools are equal; ids do not count."""
    requests: bool = True
    """Remove rows in which the user says the same, without regard to case and white space."""
    near: Annotated[float, Meta(ge=0.5, le=1)] | None = None
    """Remove rows whose request is nearly that of an earlier one: the least Jaccard similarity of their three-word
    shingles. Needs the package rensa; for 5,000,000 rows at most."""


class Splits(Struct, frozen=True, kw_only=True):
    """Names of parts with their shares, and what divides them."""

    by: Literal["row", "tool", "domain", "script"] = "row"
    """What is divided: rows; tools, so that no row of a part sees a tool of another; domains, the tools of a file
    together; or scripts, so that no script makes rows of two parts."""
    shares: Annotated[
        dict[str, Annotated[float, Meta(gt=0, le=1)]],
        REST,
        Meta(extra_json_schema={"propertyNames": {"pattern": SPLIT}}),
    ] = {}

    def __post_init__(self) -> None:
        """Raise ValueError for wrong names, and for shares that are not a whole."""
        for name in self.shares:
            if not re.fullmatch(SPLIT, name):
                raise ValueError(f"{name!r} is no name of a part: lower-case letters, digits, '-' and '_' are")
        total = add_up(self.shares.values())
        if self.shares and total != 1:
            raise ValueError(f"the shares must add up to 1, not {total:g}")
        if self.by != "row" and not self.shares:
            raise ValueError("shares are expected beside `by`, such as {by: tool, train: 0.9, test: 0.1}")


_APART = 32
"""How many rows lie between a row and its twin, where they shall not follow each other."""


class PairPlace(Struct, frozen=True):
    """Where a row stands in its pair."""

    pair: int
    first: int
    """The index of the pair's first row."""
    is_first: bool


def rows_together(settings: NoCall) -> int:
    """Return how many rows in a row are never parted by a split: those of a pair, or of pairs that lie in each other."""
    return 2 if settings.twins == "beside" else 2 * _APART


def pair_place(settings: NoCall, index: int) -> PairPlace | None:
    """Return a row's place in its pair; None for a row of the recipe's other scenarios."""
    if settings.twins == "beside":
        pair, member = divmod(index, 2)
        first = 2 * pair
    else:
        block, at = divmod(index, 2 * _APART)
        member, within = divmod(at, _APART)
        pair, first = block * _APART + within, block * 2 * _APART + within
    share = 2 * settings.share
    return PairPlace(pair, first, member == 0) if ceil((pair + 1) * share) > ceil(pair * share) else None
