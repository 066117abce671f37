"""What a recipe says instead: every way makes the values it promises, and only valid ones; faults are told by name."""

from collections import Counter
from pathlib import Path
from statistics import mean, median

import pytest
from arguments.making import arguments_of, draws, faults, tool, tool_of
from examples import examples
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from nightly import some_of

from generator.arguments import compile_source
from generator.arguments.reading.nodes import NumberNode
from generator.arguments.reading.schema import read_schema
from generator.arguments.sampling.numbers import make_distributed
from generator.core.errors import RecipeError, SchemaError
from generator.core.toolbox import Relation
from generator.recipe import ArgumentSettings, Override
from generator.recipe.overrides import Distribution, FakerProvider, Script, ValueFile

SPEC = tool(
    {
        "city": {"type": "string", "minLength": 2},
        "guests": {"type": "integer", "minimum": 1, "maximum": 20},
        "price": {"type": "number", "minimum": 0, "maximum": 500, "multipleOf": 0.5},
        "stops": {"type": "array", "items": {"type": "string"}, "minItems": 1, "maxItems": 3},
    }
)
ALL = 200


def values(slot, override, spec=SPEC, **settings):
    """The values at a slot of the tool's arguments with one override, each checked."""
    made = arguments_of(spec, ALL, overrides={f"do_it#/{slot}": override}, **settings)
    assert all(faults(spec.tool.parameters, row) == [] for row in made)
    return [row[slot] for row in made]


def refused(slot, override, spec=SPEC):
    with pytest.raises(RecipeError) as caught:
        compile_source(spec, ArgumentSettings(overrides={f"do_it#/{slot}": override}), 1)
    assert caught.value.place == ("arguments", "overrides", f"do_it#/{slot}") or ":" in str(caught.value)
    return str(caught.value)


@pytest.fixture
def file(tmp_path):
    def write(name, text):
        path = tmp_path / name
        path.write_text(text, encoding="utf-8")
        return path

    return write


@some_of(2, "source", ["realistic", "property_based"])
class TestValues:
    def test_fixed(self, source):
        assert set(values("city", Override(choose=("Bergen",)), source=((source, 1.0),))) == {"Bergen"}

    def test_chosen_by_weight(self, source):
        counts = Counter(values("guests", Override(choose=(2, "4"), weights=(9, 1)), source=((source, 1.0),)))
        assert set(counts) == {2, 4}  # a mapping's keys are text
        assert counts[2] > 4 * counts[4]

    def test_items_of_a_list(self, source):
        made = arguments_of(SPEC, overrides={"do_it#/stops/*": Override(choose=("Oslo",))}, source=((source, 1.0),))
        assert {stop for row in made for stop in row["stops"]} <= {"Oslo"}


@some_of(
    2,
    ("name", "text", "column", "expected"),
    [
        ("v.txt", "Oslo\n\n  Bergen \nOslo\n", None, {"Oslo", "Bergen"}),
        ("v.csv", 'name,n\nOslo,1\n"Ål, Norway",2\n', "name", {"Oslo", "Ål, Norway"}),
        ("v.csv", "name\nOslo\n", None, {"Oslo"}),
        ("v.jsonl", '"Oslo"\n"東京"\n', None, {"Oslo", "東京"}),
        ("v.jsonl", '{"name": "Oslo"}\n{"name": "Bergen"}\n', "name", {"Oslo", "Bergen"}),
    ],
)
def test_values_of_a_file(file, name, text, column, expected):
    assert set(values("city", Override(file=ValueFile(file=file(name, text), column=column)))) == expected


def test_numbers_of_a_text_file_are_numbers(file):
    assert set(values("guests", Override(file=ValueFile(file=file("v.txt", "3\n7\n"))))) == {3, 7}


@some_of(
    2,
    ("name", "text", "column", "words"),
    [
        (
            "v.csv",
            "n\n3\n21\n",
            None,
            "v.csv:3: 21 is not valid for do_it at /guests: 21 is greater than the maximum of 20 (maximum)",
        ),
        ("v.txt", "3\nmany\n", None, 'v.txt:2: "many" is not valid for do_it at /guests'),
        ("v.jsonl", '3\n{"n": 4}\n', None, "v.jsonl:2: "),
        ("v.jsonl", '{"n": 4}\n{"m": 5}\n', "n", "v.jsonl:2: no key 'n' here"),
        ("v.jsonl", "3\n4,\n", None, "v.jsonl:2: not valid JSON"),
        ("v.csv", "a,b\n1,2\n", None, "has several columns; say which"),
        ("v.csv", "a,b\n1,2\n", "c", "no column 'c'"),
        ("v.csv", "a,b\n1\n", "a", "v.csv:2: 1 cells, but 2 columns"),
        ("v.txt", "3\n", "n", "plain text, one value a line"),
        ("v.txt", "\n", None, "holds no values"),
        ("v.xml", "3", None, "does not end in .jsonl, .csv, .txt"),
    ],
)
def test_files_that_cannot_be_are_refused_with_their_line(file, name, text, column, words):
    assert words in refused("guests", Override(file=ValueFile(file=file(name, text), column=column)))


class TestFaker:
    def test_a_provider_with_arguments(self):
        made = values("city", Override(faker=FakerProvider(name="bothify", arguments={"text": "AB-##"})))
        assert all(text[:3] == "AB-" and text[3:].isdigit() for text in made)
        assert len(set(made)) > 20

    def test_in_the_locale(self):
        made = values("city", Override(faker=FakerProvider(name="last_name")), locale=(("ja_JP", 1.0),))
        assert not any(text.isascii() for text in made)

    def test_only_valid_values(self):
        made = values("guests", Override(faker=FakerProvider(name="random_int", arguments={"min": 10, "max": 30})))
        assert set(made) <= set(range(10, 21))

    @some_of(
        2,
        ("provider", "words"),
        [
            (FakerProvider(name="bothfy"), "there is no provider 'bothfy' (did you mean \"bothify\"?)"),
            (FakerProvider(name="date_this_year"), "reads the clock"),
            (FakerProvider(name="binary"), "makes bytes"),
            (FakerProvider(name="bothify", arguments={"txt": 1}), "TypeError"),
            (FakerProvider(name="job"), "is not valid for do_it at /guests"),
            (FakerProvider(name="random_int", arguments={"min": 50, "max": 60}), "(maximum)"),
        ],
    )
    def test_refused(self, provider, words):
        assert words in refused("guests", Override(faker=provider))


class TestDistribution:
    def of(self, name, slot="price", **parameters):
        return values(slot, Override(distribution=Distribution(name=name, parameters=parameters)))

    def test_normal(self):
        made = self.of("normal", mean=100, deviation=20)
        assert 90 < mean(made) < 110
        assert 60 < sum(80 <= value <= 120 for value in made) / 2 < 77

    def test_log_normal(self):
        made = self.of("log_normal", median=50, sigma=1)
        assert 40 < median(made) < 62
        assert mean(made) > median(made) * 1.2

    def test_zipf(self):
        counts = Counter(self.of("zipf", "guests", exponent=1.5))
        assert counts[1] > counts[2] > counts[6]

    def test_narrower_than_the_schema(self):
        assert {*self.of("normal", "guests", mean=5, deviation=9, min=3, max=6)} == {3, 4, 5, 6}

    @some_of(
        2,
        ("slot", "law", "words"),
        [
            ("city", Distribution(name="zipf", parameters={"exponent": 1}), "takes no number"),
            (
                "guests",
                Distribution(name="normal", parameters={"mean": 50, "deviation": 1}),
                "the middle of this normal, 50, lies outside",
            ),
            (
                "guests",
                Distribution(name="normal", parameters={"mean": 5, "deviation": 1, "min": 30}),
                "nothing lies between 30 and 20",
            ),
        ],
    )
    def test_refused_where_the_schema_cannot_hold_it(self, slot, law, words):
        assert words in refused(slot, Override(distribution=law))

    @settings(max_examples=examples(80), deadline=None)
    @given(
        low=st.integers(-1000, 1000),
        width=st.integers(0, 500),
        kind=st.sampled_from(["integer", "number"]),
        step=st.sampled_from([None, 0.01, 0.5, 1, 7]),
        is_open=st.booleans(),
        law=st.sampled_from([
            Distribution(name="normal", parameters={"mean": 0, "deviation": 300}),
            Distribution(name="log_normal", parameters={"median": 20, "sigma": 2}),
            Distribution(name="zipf", parameters={"exponent": 1.1}),
        ]),
    )  # fmt: skip
    def test_every_number_is_valid_or_the_schema_refused(self, low, width, kind, step, is_open, law):
        schema = {"type": kind, ("exclusiveMinimum" if is_open else "minimum"): low, "maximum": low + width}
        schema |= {} if step is None else {"multipleOf": step}
        try:
            node = read_schema(schema).root
            assume(isinstance(node, NumberNode))
            make = make_distributed(node, law)
        except SchemaError:
            return
        assert [value for value in draws(make, 60) if faults(schema, value)] == []


class TestStrategy:
    def of(self, file, text, name="x", slot="guests"):
        return values(
            slot,
            Override(
                strategy=Script(file=file("s.py", f"from hypothesis import strategies as st\n{text}\n"), name=name)
            ),
        )

    @some_of(
        2,
        "text",
        [
            "x = st.integers(3, 9)",
            "def x():\n    return st.integers(3, 9)",
            "@st.composite\ndef x(draw):\n    print('noise')\n    return draw(st.integers(3, 9))",
        ],
    )
    def test_a_strategy_or_a_function_that_gives_one(self, file, text):
        assert set(self.of(file, text)) == set(range(3, 10))

    def test_the_same_values_everywhere(self, file, monkeypatch):
        from generator.arguments.vocabulary import prepared

        pools = []
        for hash_seed in ("1", "2"):
            monkeypatch.setenv("PYTHONHASHSEED", hash_seed)
            monkeypatch.setattr(prepared, "_drawn", {})
            pools.append(
                self.of(
                    file,
                    "x = st.sampled_from(sorted({'ab', 'cd', 'ef', 'gh'})) | st.text('xyz', min_size=2)",
                    slot="city",
                )
            )
        assert pools[0] == pools[1]

    @some_of(
        2,
        ("text", "words"),
        [
            (
                "x = st.integers(0, 9)",
                "s.py:x drew what is not allowed: 0 is not valid for do_it at /guests: 0 is less than the minimum of 1 (minimum)",
            ),
            ("y = st.integers(3, 9)", "s.py has no 'x'"),
            ("x = 3", "a Hypothesis strategy, or a function without arguments that gives one, is expected, not int"),
            ("x = st.binary()", "no JSON value"),
            ("x = st.just(float('nan'))", "no JSON value"),
            ("x = st.nothing()", "s.py:x: "),
            ("def x():\n    return 1 / 0", "ZeroDivisionError: division by zero (line 3)"),
            ("import nope", "ModuleNotFoundError: No module named 'nope' (line 2)"),
            ("x = (", "SyntaxError"),
            ("raise SystemExit(3)", "SystemExit: 3 (line 2)"),
        ],
    )
    def test_refused(self, file, text, words):
        script = Script(file=file("s.py", f"from hypothesis import strategies as st\n{text}\n"), name="x")
        assert words in refused("guests", Override(strategy=script))


@some_of(
    2,
    ("slot", "override", "words"),
    [
        ("town", Override(choose=("x",)), "do_it has no parameter 'town'"),
        (
            "guests",
            Override(choose=(3, 30)),
            "30 is not valid for do_it at /guests: 30 is greater than the maximum of 20 (maximum)",
        ),
        ("guests", Override(choose=(2**70,)), "not a JSON value, or a whole number beyond 64 bits"),
        ("stops/0", Override(choose=("x",)), "items of a list are named with *"),
    ],
)
def test_what_cannot_be_is_refused(slot, override, words):
    assert words in refused(slot, override)


def test_a_part_of_what_is_overridden_as_a_whole_is_refused():
    both = {"do_it#/stops": Override(choose=(["a"],)), "do_it#/stops/*": Override(choose=("a",))}
    with pytest.raises(RecipeError, match="do_it#/stops is overridden as a whole"):
        compile_source(SPEC, ArgumentSettings(overrides=both), 1)


def test_references_are_followed():
    schema = {
        "type": "object",
        "properties": {"size": {"$ref": "#/$defs/size"}},
        "required": ["size"],
        "$defs": {"size": {"anyOf": [{"type": "integer", "minimum": 1}, {"type": "null"}]}},
    }
    assert set(values("size", Override(choose=(3, None)), tool_of(schema))) == {3, None}
    assert {
        *values("size", Override(distribution=Distribution(name="zipf", parameters={"exponent": 3})), tool_of(schema))
    } >= {1, 2}


DATE = {"type": "string", "format": "date"}
CLOCK = {"type": "string", "pattern": "^([01][0-9]|2[0-3]):[0-5][0-9]$"}


class TestRelations:
    """What the recipe chose stays; the other side moves."""

    @some_of(
        2,
        ("schema", "chosen"),
        [(DATE, "2026-05-05"), (CLOCK, "12:00"), ({"type": "integer", "minimum": 1, "maximum": 9}, 5)],
    )
    @some_of(2, "side", ["start", "end"])
    def test_order(self, schema, chosen, side):
        spec = tool({"start": schema, "end": schema}, relations=(Relation("start", "<", "end"),))
        for row in arguments_of(spec, overrides={f"do_it#/{side}": Override(choose=(chosen,))}):
            assert row[side] == chosen
            assert row["start"] < row["end"]
            assert faults(spec.tool.parameters, row) == []

    @some_of(2, "side", ["a", "b"])
    def test_difference(self, side):
        place = {"type": "string", "enum": ["x", "y", "z"]}
        spec = tool({"a": place, "b": place}, relations=(Relation("a", "!=", "b"),))
        made = arguments_of(spec, overrides={f"do_it#/{side}": Override(choose=("y",))})
        assert all(row[side] == "y" and row["a"] != row["b"] for row in made)

    def test_two_chosen_sides_are_drawn_until_they_fit(self):
        spec = tool({"start": DATE, "end": DATE}, relations=(Relation("start", "<", "end"),))
        days = Override(choose=("2026-01-01", "2026-01-02", "2026-01-03"))
        made = arguments_of(spec, overrides={"do_it#/start": days, "do_it#/end": days})
        assert all(row["start"] < row["end"] for row in made)

    def test_the_recipe_has_the_last_word(self):
        spec = tool({"start": DATE, "end": DATE}, relations=(Relation("start", "<", "end"),))
        both = {"do_it#/start": Override(choose=("2026-02-02",)), "do_it#/end": Override(choose=("2026-01-01",))}
        assert arguments_of(spec, 3, overrides=both)[0] == {"start": "2026-02-02", "end": "2026-01-01"}


def test_a_file_is_read_as_utf8(file):
    path = file("v.txt", "")
    Path(path).write_bytes(b"\xff\n")
    assert "not UTF-8 text" in refused("city", Override(file=ValueFile(file=path)))
