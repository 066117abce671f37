"""A maker that is written into a longer function makes what it makes when it is called."""

from typing import Any

import pytest
from arguments.making import TODAY, tool_of
from arguments.schema_strategies import ANY
from hypothesis import given, settings
from hypothesis import strategies as st

from generator.arguments import Arguments, compile_source, compile_value
from generator.arguments.reading.patterns import read_pattern
from generator.arguments.reading.schema import read_schema
from generator.arguments.sampling.leaves import Hints, Place
from generator.arguments.sampling.pattern_values import texts_of
from generator.arguments.sampling.realistic import Odds, compile_realistic
from generator.arguments.sources import compile_parts
from generator.errors import SchemaError
from generator.execution.code import ResultFunction
from generator.seeds import Draw, TableDraw
from generator.written import Function, Verbatim, code_of, tell

SCHEMAS: list[dict[str, Any]] = [
    {"enum": ["a", "b", 3]},
    {"const": {"a": []}},
    {"type": "string", "format": "date"},
    {"type": "string", "format": "date-time"},
    {"type": "string", "format": "time"},
    *[{"type": "string", "pattern": f"^{prefix}[0-9]{{{count}}}$"} for prefix in ("", "A-", "a'\"\\\\x") for count in (1, 2, 3, 4, 5, 6, 7, 9, 12)],
    {"type": "string", "pattern": "^([A-F]{2}-){3}(x|yy|[0-9]{2})$"},
    {"type": "string", "pattern": "^[A-Z][a-z]+( [a-z]+)?$"},
    {"type": "integer", "minimum": -5, "maximum": 5},
    {"type": "integer", "minimum": 0, "maximum": 10**16},
    {"type": "number", "minimum": 0.5, "maximum": 9},
    {"type": "number", "minimum": 1, "maximum": 400, "multipleOf": 0.01},
    {"type": "number", "minimum": 1, "maximum": 4, "multipleOf": 0.25},
    {"type": ["integer", "null"], "minimum": 3},
    {"type": "array", "items": {"type": "string", "enum": ["Monday", "Friday", "Sunday"]}, "uniqueItems": True},
    {"type": "array", "items": {"type": ["boolean", "number"]}, "minItems": 4},
    {"type": "array", "items": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "string"}}, "required": ["b"]}},
]
NAMES = ("city", "price", "birth_date", "created_at", "month", "sku", "quantity", "email", "start_time", "thing")


def written(maker: Any, function: Function) -> Any:
    """The maker as a function that is all source."""
    code = code_of(maker, function)
    return function.write("draw", [*code.lines, f"return {code.value}"], "test")


def both_make_the_same(maker: Any, seed: int) -> None:
    made = written(maker, Function())
    called, asked = Draw(seed, TODAY), Draw(seed, TODAY)
    for _ in range(4):
        assert repr(made(asked)) == repr(maker(called))
        assert asked.rand() == called.rand()
    alone = written(maker, ResultFunction(is_alone=True))
    for step in range(4):
        called, asked = TableDraw(TODAY), TableDraw(TODAY)
        for draw in (called, asked):
            draw.start((seed + step * 2**61).to_bytes(10, "big")[-8:])
        assert repr(alone(asked)) == repr(maker(called))


@given(st.sampled_from(SCHEMAS), st.sampled_from(NAMES), st.sampled_from([None, "past"]), st.integers(0, 2**64 - 1))
@settings(deadline=None)
def test_written_makers_of_values(schema: dict[str, Any], name: str, when: str | None, seed: int) -> None:
    both_make_the_same(compile_value(schema, name, 1, when=when), seed)


@given(ANY, st.integers(0, 2**64 - 1))
@settings(deadline=None, max_examples=60)
def test_written_makers_of_any_schema(schema: Any, seed: int) -> None:
    try:
        maker, _ = compile_realistic(read_schema(schema), Place("thing"), Hints(seed=1), Odds(edge_cases=0.2))
    except SchemaError:
        return
    both_make_the_same(maker, seed)


@given(st.lists(st.tuples(st.sampled_from(SCHEMAS), st.booleans()), min_size=1, max_size=6), st.integers(0, 2**64 - 1))
@settings(deadline=None, max_examples=60)
def test_arguments_are_what_their_parts_make(fields: list[tuple[dict[str, Any], bool]], seed: int) -> None:
    properties = {f"{NAMES[at]}": schema for at, (schema, _) in enumerate(fields)}
    schema = {"type": "object", "properties": properties, "required": [NAMES[at] for at, (_, sure) in enumerate(fields) if sure]}
    spec = tool_of(schema)
    settings_ = Arguments(edge_cases=0.1)
    parts, source = compile_parts(spec, settings_, 1), compile_source(spec, settings_, 1)
    by_parts, whole = Draw(seed, TODAY), Draw(seed, TODAY)
    for _ in range(3):
        while True:
            wanted = parts.maker(by_parts)
            for relate in parts.relations:
                relate(by_parts, wanted)
            if parts.is_valid(wanted):
                break
        assert source(whole) == wanted
        assert whole.rand() == by_parts.rand()


@pytest.mark.parametrize("depth", [1, 5, 8, 20, 90])
@pytest.mark.parametrize("required", [[], ["p"]])
def test_deep_schemas_are_not_written_deeper_than_source_may_be(depth: int, required: list[str]) -> None:
    schema: dict[str, Any] = {"type": "string", "pattern": "^[a-f]{20}$"}
    for _ in range(depth):
        schema = {"type": "object", "properties": {"p": schema}, "required": required}
    maker, _ = compile_realistic(read_schema(schema), Place(""), Hints(seed=1), Odds())
    both_make_the_same(maker, depth)


@pytest.mark.parametrize(
    ("pattern", "texts"),
    [
        ("^(a|bc)[xy]$", ["ax", "ay", "bcx", "bcy"]),
        ("^(0|1[0-2]):00$", ["0:00", "10:00", "11:00", "12:00"]),
        ("^[ab]{2}$", ["aa", "ab", "ba", "bb"]),
        ("^a+$", None),
        ("^[0-9]{9}$", None),
    ],
)
def test_all_texts_of_a_pattern(pattern: str, texts: list[str] | None) -> None:
    assert texts_of(read_pattern(pattern), 100) == texts


@given(st.lists(st.text() | st.tuples(st.text()), max_size=5))
def test_a_text_is_put_together_from_any_texts(parts: list[Any]) -> None:
    """Texts in tuples stand for values that the function knows by a name."""
    function = Function()
    told = [Verbatim(part) if isinstance(part, str) else function.keep("value", part[0]) for part in parts]
    make = function.write("draw", [f"return {function.text(*told)}"], "test")
    assert make(Draw(1, TODAY)) == "".join([part if isinstance(part, str) else part[0] for part in parts])


def test_a_text_may_be_put_together_from_texts_that_are_put_together() -> None:
    function = Function()
    inner = function.text(Verbatim("a"), function.keep("value", "b"))
    chosen = f"({inner} if {function.rand} < 2 else '')"
    for part in (inner, chosen, function.text(Verbatim('"'), chosen)):
        make = function.write("draw", [f"return {function.text(Verbatim('<'), part, Verbatim('>'))}"], "test")
        assert make(Draw(1, TODAY)).strip('<>"') == "ab"


def test_what_has_not_told_how_it_is_written_is_called() -> None:
    assert code_of(len, Function()).value == "leaf1(draw)"
    assert code_of(tell(lambda draw: 1, lambda function: "x" * 5000), Function()).value == "leaf1(draw)"
