"""Where wording has a quick way for the usual case, it gives what the general way gives."""

from datetime import date
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from generator.conversation import Tool, ToolCall
from generator.planning import FilledCall
from generator.pointers import resolve
from generator.seeds import Draw
from generator.templates import parse_template
from generator.toolbox import ToolSpec
from generator.wording.answers import _what_differs
from generator.wording.clauses import _collect, said_by_user
from generator.wording.lines import _any_element, _flat_element, compile_line
from generator.wording.phrasebook import _answer, answer_values, compile_book
from generator.wording.pieces import Pieces
from generator.wording.sayers import Speech
from generator.wording.voice import draw_voice

KEYS = ("name", "price", "id", ".", "a/b", "a~b", "0", "args.x", "*")
values = st.none() | st.booleans() | st.integers(-3, 300) | st.sampled_from(["", "Ana", "in_progress"]) | st.just([])
flat = st.dictionaries(st.sampled_from(KEYS), values, max_size=5)
nested = st.dictionaries(st.sampled_from(KEYS), values | flat, max_size=5)
TODAY = date(2026, 3, 14)
PARAMETERS = {
    "type": "object",
    "properties": {
        **{key: {} for key in KEYS},
        "id": {"const": 1},
        "name": {"type": "object", "properties": {"price": {"type": "integer"}, "id": {"const": "Ana"}}},
    },
}


def _spec(name: str = "find_things") -> ToolSpec:
    return ToolSpec(tool=Tool(name=name, parameters=PARAMETERS), domain="things", where="things.yaml:1")


def _call(arguments: dict[str, Any], name: str = "find_things", number: int = 0) -> FilledCall:
    call = ToolCall(id=f"call{number:05}", name=name, arguments=arguments)
    return FilledCall(spec=_spec(name), call=call, result={}, content="{}")


@given(st.lists(flat | nested | values, max_size=4), st.sampled_from(["", "things/*/"]), st.floats(0, 0.999))
def test_elements_without_objects_in_them_are_said_as_any_element_is(
    elements: list[Any], prefix: str, which: float
) -> None:
    texts = ("{name} for {price}", "{name}", "{price} {price?one|many} of {id}", "{.}")
    texts = tuple(text.replace("{", "{" + prefix) for text in texts) if prefix else texts
    lines = [compile_line(parse_template(text, "arguments" if prefix else "result"), {}) for text in texts]
    general = _any_element(lines, prefix)
    quick = _flat_element(lines, prefix, general)
    draw = Draw(1, TODAY)
    speech = Speech(draw, draw_voice(draw, TODAY, False), ("call00000",))
    for element in elements * 2:  # the second time from what is known
        expected: Pieces = []
        found: Pieces = []
        assert quick("/0", element, speech, which, found) == general("/0", element, speech, which, expected)
        assert found == expected


@given(nested)
def test_what_the_user_says_of_a_call_is_what_is_not_fixed(arguments: dict[str, Any]) -> None:
    book = compile_book(_spec())
    expected: dict[str, tuple[str, Any]] = {}
    _collect(book.slots, arguments, "", "", expected)
    for slot in book.constants:
        expected.pop(slot, None)
    found = said_by_user(book, _call(arguments))
    assert list(found.items()) == list(expected.items())


@given(st.lists(st.tuples(st.sampled_from(["find_things", "count_things"]), flat), min_size=1, max_size=4))
def test_an_argument_differs_when_another_call_of_the_tool_has_another_value(told: list[tuple[str, Any]]) -> None:
    calls = [_call(arguments, name, number) for number, (name, arguments) in enumerate(told)]
    for call, found in zip(calls, _what_differs(calls), strict=True):
        arguments = call.call.arguments
        others = [one.call.arguments for one in calls if one is not call and one.call.name == call.call.name]
        expected = {key for key, value in arguments.items() if any(other.get(key) != value for other in others)}
        assert found == expected


def _found(source: Any, slot: str) -> Any:
    try:
        return resolve(source, "" if slot == "." else slot)
    except LookupError:
        return None


@given(nested | values, flat)
def test_an_answer_has_the_values_at_the_places_it_names(result: Any, arguments: dict[str, Any]) -> None:
    template = parse_template("{name} {price} {a/b} {a~0b} {name/id} {args.id}", "result")
    for text in (template.text, "{price}", "{.}", "{name/id} {args.price}"):
        template = parse_template(text, "result")
        answer = _answer(template, (("id", 1),), {}, {})
        sources = [(slot, slot, result) for slot in template.needs]
        sources += [(f"args.{slot}", slot, arguments) for slot in template.arguments]
        expected: Any = {
            key: ("" if slot == "." else "/" + slot, _found(source, slot)) for key, slot, source in sources
        }
        if _found(result, "id") != 1 or any(value is None or value == [] for _, value in expected.values()):
            expected = None
        assert answer_values(answer, arguments, result) == expected
