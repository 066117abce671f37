"""Hypothesis strategies of completions, for property tests of parsers.

    @given(model_outputs("hermes", TOOLS))
    def test_my_parser(output):
        assert my_parser(output.text) == output.calls
        assert my_streaming_parser(output.pieces) == output.calls

Only values that the format can write exactly are drawn, so every output has one meaning. A failing one shrinks to few
calls, simple values, and few cuts.
"""

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import msgspec
from hypothesis import strategies as st

from generator.arguments import check_schema
from generator.core.conversation import Tool
from generator.core.errors import FormatError
from generator.core.toolbox import ToolSpec
from generator.corpus.oracle import has_one_meaning
from generator.corpus.toolbox import fits, for_format, usable
from generator.formats.wire.arguments import representable
from generator.formats.wire.completions import write
from generator.formats.wire.format import ExpectedCall, JsonStyle, Style, WireFormat, properties_of, wire_format

_MOST_CALLS = 6
_PROSE = st.text(st.characters(codec="utf-8", categories=["L", "N", "P", "Zs"]), max_size=60).map(str.strip)


class ModelOutput(msgspec.Struct, frozen=True):
    """A completion, what it means, and one way to stream it."""

    text: str
    calls: tuple[ExpectedCall, ...]
    content: str | None
    tools: tuple[dict[str, Any], ...]
    pieces: tuple[str, ...]
    """The text in pieces."""


def model_outputs(name: str, tools: Iterable[dict[str, Any]]) -> st.SearchStrategy[ModelOutput]:
    """Return valid completions in one wire format; tools have the OpenAI shape, `{"type": "function", "function": {…}}` or the function alone.

    Raises:
        FormatError: there is no such format, or none of the tools can be written in it.
        SchemaError: no arguments can be made for a tool.
    """
    fmt = wire_format(name)
    offered = tuple(tools)
    specs = [_spec(tool.get("function", tool)) for tool in offered]
    callable_ = {spec.name: _arguments(fmt, spec) for spec in specs if fits(fmt, spec.tool)}
    if not callable_:
        raise FormatError(f"{name}: none of the tools can be written in this format")
    schemas = {spec.name: spec.tool.parameters or {} for spec in specs}
    call = st.one_of(*[st.builds(ExpectedCall, st.just(tool), arguments) for tool, arguments in callable_.items()])
    calls = st.lists(call, min_size=1, max_size=1 if fmt.one else _MOST_CALLS).map(tuple)
    content = st.none() | _PROSE.filter(bool) if fmt.prose else st.none()
    return (
        st.tuples(calls, content, _styles(fmt))
        .map(lambda drawn: (*drawn, write(fmt, drawn[0], drawn[1], drawn[2])))
        .filter(lambda drawn: has_one_meaning(fmt, drawn[3], drawn[0], drawn[1], schemas))
        .flatmap(
            lambda drawn: _pieces(drawn[3]).map(
                lambda pieces: ModelOutput(drawn[3], drawn[0], drawn[1], offered, pieces)
            )
        )
    )


def _spec(function: dict[str, Any]) -> ToolSpec:
    """Return OpenAI's `function` of a tool as a spec."""
    parameters = function.get("parameters")
    check_schema(parameters or {"type": "object", "properties": {}})
    tool = Tool(name=function["name"], description=function.get("description"), parameters=parameters)
    return ToolSpec(tool=tool, domain="tools", where=function["name"])


def _arguments(fmt: WireFormat, spec: ToolSpec) -> st.SearchStrategy[dict[str, Any]]:
    """Return argument objects: a usual one, of which some values are hard ones or texts that Hypothesis draws."""
    usable_tool = usable(spec, 0)
    (part,) = for_format(fmt, [usable_tool])
    schemas = properties_of(spec.tool.parameters)
    usual = st.sampled_from(sorted(part.usual, key=lambda arguments: (len(arguments), len(str(arguments)))) or [{}])
    changes: dict[str, st.SearchStrategy[Any]] = {}
    for key, pool in part.clear.items():
        simplest_first = sorted((hard.value for hard in pool), key=lambda value: (len(str(value)), str(value)))
        values: st.SearchStrategy[Any] = st.sampled_from(simplest_first)
        if any(isinstance(value, str) for value in simplest_first):
            values = values | _texts(fmt, schemas.get(key, {}))
        changes[key] = values
    changed = st.fixed_dictionaries({}, optional=changes)
    arguments = st.builds(lambda base, extra: {**base, **extra}, usual, changed)
    return arguments.filter(usable_tool.is_valid)


def _texts(fmt: WireFormat, schema: Any) -> st.SearchStrategy[str]:
    return st.text(st.characters(codec="utf-8"), max_size=20).filter(lambda text: representable(fmt, text, schema))


def _styles(fmt: WireFormat) -> st.SearchStrategy[Style]:
    """Return the ways to write the JSON of calls; the usual one of the format first."""
    if fmt.arguments != "json":
        return st.just(Style())
    kinds: tuple[JsonStyle, ...] = ("spaced", "minimal", "pretty", "ascii")
    others = [kind for kind in kinds if kind != fmt.json]
    return st.sampled_from([Style(json=kind) for kind in (fmt.json, *others)])


def _pieces(text: str) -> st.SearchStrategy[tuple[str, ...]]:
    """Return the text in pieces; shrinks to one."""
    if len(text) < 2:
        return st.just((text,))
    cuts = st.sets(st.integers(1, len(text) - 1), max_size=24) | st.just(set(range(1, len(text))))
    return cuts.map(lambda chosen: tuple([text[a:b] for a, b in pairwise([0, *sorted(chosen), len(text)])]))
