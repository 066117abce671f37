"""The tools of a corpus, and pools of arguments for them: usual ones, and values that parsers get wrong (hard_values.json)."""

import re
from collections.abc import Callable
from datetime import date
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from generator.arguments import compile_source
from generator.core.conversation import Tool
from generator.core.exact_json import loads
from generator.core.files import read_regular
from generator.core.offline_schemas import validator
from generator.core.seeds import Draw, stream_seed
from generator.core.toolbox import Toolbox, ToolSpec
from generator.core.yaml_values import own_data
from generator.formats.wire.arguments import representable
from generator.formats.wire.encodings import declared_types, is_keyword_name
from generator.formats.wire.format import WireFormat, properties_of, wire_formats
from generator.recipe import ArgumentSettings
from generator.recipe.corpus import CorpusRecipe
from generator.tools.specs import load_toolbox

_FILE = Path(__file__).with_name("hard_values.json")


class Hard(msgspec.Struct, frozen=True):
    """A value and what is hard about it."""

    place: int
    """Among all of them."""
    value: Any
    tag: str


@cache
def hard_values() -> tuple[Hard, ...]:
    """Return all of the file, and the markers of every wire format alone and inside a text."""
    table = loads(read_regular(_FILE))
    tagged_values: list[tuple[Any, str]] = [(text, tag) for tag, texts in table["strings"].items() for text in texts]
    markers = dict.fromkeys(marker for fmt in wire_formats().values() for marker in (*fmt.special, *fmt.end))
    tagged_values += [(text, "marker") for marker in markers for text in (marker, f"see {marker} here")]
    for key, tag in (("integers", "integer"), ("numbers", "number"), ("arrays", "array"), ("objects", "object")):
        tagged_values += [(value, tag) for value in table[key]]
    tagged_values += [(True, "boolean"), (False, "boolean"), (None, "null")]
    return tuple([Hard(index, value, tag) for index, (value, tag) in enumerate(tagged_values)])


def long_text(draw: Draw) -> str:
    """Return a text of 4,000 to 20,000 characters."""
    line = draw.choice(TEXTS["repeated"])
    return (line * (draw.between(4000, 20000) // len(line) + 1)).strip()


def deep_value(draw: Draw) -> Any:
    """Return a list or object with 20 to 400 levels."""
    value: Any = draw.choice(("x", -1, None, {}))
    kind = draw.below(3)
    for level in range(draw.choice((20, 60, 150, 400))):
        value = {"a": value} if kind == 0 or (kind == 2 and level % 2) else [value]
    return value


TEXTS: dict[str, list[str]] = own_data(__file__, "texts.yaml")


def hard_sentence(draw: Draw) -> str:
    """Return a short sentence as a model says it beside calls."""
    return draw.choice(TEXTS["sentences"])


def thought(draw: Draw) -> str:
    """Return what a model thinks before it calls."""
    return draw.choice(TEXTS["thoughts"])


TODAY = date(2026, 3, 2)
_CORNER_TOOLS = Path(__file__).with_name("corner_tools.yaml")
_USUAL = 48
"""Usual argument objects of each tool."""


class Usable(msgspec.Struct, frozen=True):
    """A tool and what it may be called with."""

    tool: Tool
    usual: tuple[dict[str, Any], ...]
    hard: dict[str, tuple[Hard, ...]]
    """Values that each parameter admits."""
    required: frozenset[str]
    order: dict[str, int]
    """The place of each parameter: required ones first, each as declared, which grammars of servers ask for."""
    takes_nothing: bool
    """Whether a call without arguments is valid."""
    is_valid: Callable[[Any], bool]

    @property
    def is_api_name(self) -> bool:
        """Whether all providers take the tool's name."""
        return re.fullmatch(r"[A-Za-z0-9_-]+", self.tool.name) is not None


def drawn_arguments(usable_tool: Usable, draw: Draw) -> dict[str, Any]:
    """Return usual arguments of a tool, a quarter of them with hard values."""
    arguments = dict(draw.choice(usable_tool.usual)) if usable_tool.usual else {}
    for key, pool in usable_tool.hard.items():
        if pool and draw.chance(0.25):
            arguments[key] = draw.choice(pool).value
    return arguments


class ForFormat(msgspec.Struct, frozen=True):
    """The arguments of a tool that one wire format can write."""

    usable: Usable
    usual: tuple[dict[str, Any], ...]
    clear: dict[str, tuple[Hard, ...]]
    """Hard values that a text in the format represents exactly."""
    unclear: dict[str, tuple[Hard, ...]]
    """Hard values that it does not."""


def usable_tools(recipe: CorpusRecipe) -> dict[str, Usable]:
    """Return the tools that a recipe names, and the built-in ones, each with what it may be called with.

    Raises:
        SpecError: a spec file has faults.
        RecipeError: a file does not hold a tool that is named, or none is left.
    """
    tools = load_toolbox(recipe.tools, seed=recipe.seed) | (corner_tools() if recipe.corner_tools else {})
    return {name: usable(spec, recipe.seed) for name, spec in tools.items()}


def corner_tools() -> Toolbox:
    """Return the built-in tools."""
    return load_toolbox([_CORNER_TOOLS])


def usable(spec: ToolSpec, seed: int) -> Usable:
    """Return pools of arguments for one tool."""
    schema = spec.tool.parameters or {"type": "object", "properties": {}}
    checker = validator(schema)
    make = compile_source(spec, ArgumentSettings(edge_cases=0.1, optional=0.5), seed)
    draw = Draw(stream_seed("corpus", seed, "usual", spec.name), TODAY)
    usual = tuple([make(draw) for _ in range(_USUAL)])
    base = max(usual, key=len)
    declared = properties_of(schema)
    required = frozenset(schema.get("required", ()))
    return Usable(
        tool=spec.tool,
        usual=usual,
        hard={
            name: tuple([hard for hard in hard_values() if checker.is_valid(base | {name: hard.value})])
            for name in declared
        },
        required=required,
        order={key: index for index, key in enumerate(sorted(declared, key=lambda key: key not in required))},
        takes_nothing=checker.is_valid({}),
        is_valid=checker.is_valid,
    )


def fits(fmt: WireFormat, tool: Tool) -> bool:
    """Whether the format can write the tool's name and the names of its parameters."""
    keys = properties_of(tool.parameters)
    python = fmt.arguments == "python"
    return bool(re.fullmatch(fmt.name_pattern, tool.name)) and all(
        re.fullmatch(fmt.key_pattern, key) and (not python or is_keyword_name(key)) for key in keys
    )


def for_format(fmt: WireFormat, tools: list[Usable]) -> list[ForFormat]:
    """Return for each tool the pooled arguments that the format can write, apart by whether their text has one meaning."""
    exact_by_types: dict[frozenset[str] | None, frozenset[int]] = {}
    """By declared types, which are all that the meaning depends on: the hard values that the format represents exactly."""
    return [_for_format(fmt, usable_tool, exact_by_types) for usable_tool in tools]


def _for_format(
    fmt: WireFormat, usable_tool: Usable, exact_by_types: dict[frozenset[str] | None, frozenset[int]]
) -> ForFormat:
    """Return the pooled arguments of one tool that the format can write.

    `exact_by_types` collects, by declared types, the indexes of hard values that the format writes with one meaning.
    """
    schemas = properties_of(usable_tool.tool.parameters)
    clear: dict[str, tuple[Hard, ...]] = {}
    unclear: dict[str, tuple[Hard, ...]] = {}
    for name, pool in usable_tool.hard.items():
        types = declared_types(schemas[name])
        if types not in exact_by_types:
            numbered_values = enumerate(hard_values())
            exact_by_types[types] = frozenset(
                [at for at, hard in numbered_values if representable(fmt, hard.value, schemas[name])]
            )
        clear[name] = tuple([hard for hard in pool if hard.place in exact_by_types[types]])
        unclear[name] = tuple([hard for hard in pool if hard.place not in exact_by_types[types]])
    usual = [
        arguments
        for arguments in usable_tool.usual
        if all(representable(fmt, value, schemas.get(name, {})) for name, value in arguments.items())
    ]
    clear, unclear = ({name: pool for name, pool in pools.items() if pool} for pools in (clear, unclear))
    return ForFormat(usable=usable_tool, usual=tuple(usual), clear=clear, unclear=unclear)
