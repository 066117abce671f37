"""Two numbers of a call that are the coordinates of a place are said as that place, and nothing else is."""

from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace
from workbench import TODAY, Told, filled, load, rows, tell, tell_often, workshop

from generator.arguments.kinds.places import PLACES, axis_of, coordinates_among, is_in_degrees
from generator.core.conversation import AssistantMessage, Proof, UserMessage
from generator.core.templates import parse_template
from generator.core.toolbox import ToolSpec
from generator.dialogue.acts.check import check_row
from generator.dialogue.values import VERBALIZERS
from generator.dialogue.values.names import say_point
from generator.dialogue.values.voice import SpanContext, Voice
from generator.tools.productions import place_frames

LISBON, LOUVRE = PLACES["Lisbon"][1], PLACES["the Louvre"][1]
TOOLS = """
tools:
  - name: get_forecast
    description: Get the forecast.
    parameters: {type: object, properties: {latitude: {type: number}, longitude: {type: number}, days: {type: integer}}}
  - name: find_routes
    description: Find routes.
    parameters:
      type: object
      properties: {from_lat: {type: number}, from_lng: {type: number}, to: {type: object, properties: {lat: {type: number}, lng: {type: number}}}}
  - name: list_sights
    description: List sights.
    parameters: {type: object, properties: {lat: {type: number}, lon: {type: number}}}
    phrases:
      request: ["list what there is to see in and around {lat, lon:place}"]
      answer: ["These are the sights at {args.lat, lon:place}."]
"""


@pytest.fixture(scope="module")
def toolbox(tmp_path_factory: pytest.TempPathFactory) -> dict[str, ToolSpec]:
    return dict(load(tmp_path_factory.mktemp("tools"), TOOLS))


def said(spec: ToolSpec, arguments: dict[str, Any]) -> set[str]:
    """What users say, in any of their words; all of it is proven."""
    return {one.user for one in tell_often((filled(spec, arguments),))}


def test_two_numbers_are_one_place(toolbox: dict[str, ToolSpec]) -> None:
    here = {"latitude": LISBON[0], "longitude": LISBON[1], "days": 3}
    texts = said(toolbox["get_forecast"], here)
    assert any("in Lisbon" in text for text in texts)
    assert any("at 38.7223, -9.1393" in text for text in texts)
    assert not any("latitude" in text for text in texts)
    there = {"latitude": LOUVRE[0], "longitude": LOUVRE[1]}
    assert any("near the Louvre" in text for text in said(toolbox["get_forecast"], there))


def test_a_way_has_two_places_one_of_them_in_an_object(toolbox: dict[str, ToolSpec]) -> None:
    way = {
        "from_lat": LISBON[0],
        "from_lng": LISBON[1],
        "to": {"lat": LOUVRE[0], "lng": LOUVRE[1]},
    }
    texts = said(toolbox["find_routes"], way)
    assert any("from Lisbon" in text and "near the Louvre" in text for text in texts)


def test_an_author_may_put_a_place_anywhere(toolbox: dict[str, ToolSpec]) -> None:
    told = tell_often((filled(toolbox["list_sights"], {"lat": LISBON[0], "lon": LISBON[1]}),))
    assert any("see in and around Lisbon" in one.user for one in told)
    assert {"at 38.7223, -9.1393" in one.answer for one in told} == {True}


@pytest.mark.parametrize(
    "arguments",
    [
        {"latitude": LISBON[0]},
        {"longitude": LISBON[1], "days": 3},
        {"latitude": LISBON[1], "longitude": LISBON[0]},
        {"latitude": LISBON[0], "longitude": LOUVRE[1]},
        {"latitude": 38.72, "longitude": -9.14},
        {"latitude": 39, "longitude": 0},
    ],
)
def test_what_is_no_place_is_said_in_digits(toolbox: dict[str, ToolSpec], arguments: dict[str, Any]) -> None:
    for text in said(toolbox["get_forecast"], arguments):
        assert not any(name in text for name in PLACES)


def in_a_place(spec: ToolSpec, arguments: dict[str, Any]) -> Told:
    told = (tell((filled(spec, arguments),), seed=seed) for seed in range(40))
    return next(one for one in told if "Lisbon" in one.user)


def codes(told: Told, spec: ToolSpec, **changes: Any) -> list[set[str]]:
    """The codes of the faults, where texts must be made of phrases and where they are only read."""
    talk, proof = replace(told.talk, **{k: v for k, v in changes.items() if k == "messages"}), told.proof
    proof = changes.get("proof", proof)
    return [{one.code for one in check_row(talk, proof, {spec.name: spec}, phrases=way)} for way in (True, False)]


@pytest.mark.parametrize(
    ("old", "new"),
    [("Lisbon", "London"), ("Lisbon", "Lisbom"), ("in Lisbon", "at Lisbon"), ("in Lisbon", "near Lisbon")],
)
def test_other_words_are_refused(toolbox: dict[str, ToolSpec], old: str, new: str) -> None:
    spec = toolbox["get_forecast"]
    told = in_a_place(spec, {"latitude": LISBON[0], "longitude": LISBON[1]})
    by = len(new) - len(old)
    messages = tuple(
        replace(one, content=(one.content or "").replace(old, new)) if isinstance(one, UserMessage) else one
        for one in told.talk.messages
    )
    claims = tuple([replace(one, end=(one.end or 0) + by) for one in told.proof.arguments])
    for found in codes(told, spec, messages=messages, proof=replace(told.proof, arguments=claims)):
        assert "PF102" in found


@pytest.mark.parametrize("change", [{"latitude": LISBON[0] + 1}, {"longitude": LOUVRE[1]}, {"latitude": LISBON[1], "longitude": LISBON[0]}])  # fmt: skip
def test_another_point_is_refused(toolbox: dict[str, ToolSpec], change: dict[str, float]) -> None:
    spec = toolbox["get_forecast"]
    told = in_a_place(spec, {"latitude": LISBON[0], "longitude": LISBON[1]})
    messages = tuple(
        replace(one, tool_calls=tuple([replace(call, arguments=call.arguments | change) for call in one.tool_calls]))
        if isinstance(one, AssistantMessage)
        else one
        for one in told.talk.messages
    )
    for found in codes(told, spec, messages=messages):
        assert "PF102" in found


def changed_claims(proof: Proof) -> dict[str, Proof]:
    """Proofs that claim something else of the words "in Lisbon", by what they claim."""
    first, second = proof.arguments
    return {
        "one of the values": replace(proof, arguments=(first,)),
        "without the word before it": replace(
            proof, arguments=tuple([replace(one, verbalizer="place", start=(one.start or 0) + 3) for one in (first, second)])
        ),
        "the other way round": replace(
            proof, arguments=(replace(first, pointer=second.pointer), replace(second, pointer=first.pointer, end=(second.end or 0) - 1))
        ),
        "as a number": replace(proof, arguments=(first, replace(second, verbalizer="number"))),
        "a name and a part of it": replace(proof, arguments=(first, replace(second, start=(second.start or 0) + 3))),
    }  # fmt: skip


@pytest.mark.parametrize("what", ["one of the values", "without the word before it", "the other way round", "as a number", "a name and a part of it"])  # fmt: skip
def test_other_claims_are_refused(toolbox: dict[str, ToolSpec], what: str) -> None:
    spec = toolbox["get_forecast"]
    told = in_a_place(spec, {"latitude": LISBON[0], "longitude": LISBON[1]})
    assert codes(told, spec) == [set(), set()]
    strict, read = codes(told, spec, proof=changed_claims(told.proof)[what])
    assert strict
    assert read or what == "without the word before it"


def test_words_for_two_values_say_no_third(tmp_path: Path) -> None:
    text = TOOLS.replace("days: {type: integer}", "home_latitude: {type: number}")
    spec = load(tmp_path, text)["get_forecast"]
    told = in_a_place(spec, {"latitude": LISBON[0], "longitude": LISBON[1], "home_latitude": LISBON[0]})
    claims = {one.pointer: one for one in told.proof.arguments}
    place = claims["/latitude"]
    claims["/home_latitude"] = replace(place, pointer="/home_latitude")
    for found in codes(told, spec, proof=replace(told.proof, arguments=tuple(claims.values()))):
        assert "PF102" in found


@pytest.mark.parametrize(
    ("names", "found"),
    [
        (("lat", "lng"), {(): ("lat", "lng")}),
        (("startLatitude", "startLongitude", "lon"), {("start",): ("startLatitude", "startLongitude")}),
        (("lat", "latitude", "lon"), {}),
        (("latitude", "lon", "long"), {}),
        (("lat_long", "lon"), {}),
        (("flat", "long"), {}),
        (("plateau", "along"), {}),
    ],
)
def test_names_tell_which_numbers_belong_together(names: tuple[str, ...], found: dict[Any, Any]) -> None:
    assert coordinates_among(names) == found


@pytest.mark.parametrize(
    ("schema", "is_so"),
    [
        ({"type": "number"}, True),
        ({"type": ["number", "null"], "minimum": -90, "maximum": 90}, True),
        ({"type": "number", "maximum": 180}, False),
        ({"type": "integer"}, False),
        ({"type": "string"}, False),
        ({"type": "number", "enum": [1.5]}, False),
        ({"type": "number", "description": "Latitude in radians"}, False),
        ({"type": "number", "description": "Microdegrees (E6)"}, False),
    ],
)
def test_only_numbers_in_degrees_are_coordinates(schema: dict[str, Any], is_so: bool) -> None:
    assert is_in_degrees(schema, "latitude") is is_so


def test_the_table_has_one_place_for_each_point_and_name() -> None:
    assert len({point for _, point in PLACES.values()}) == len({name.casefold() for name in PLACES}) == len(PLACES)
    assert {before for before, _ in PLACES.values()} == {"in", "near"}
    assert all(abs(lat) <= 90 and abs(lon) <= 180 for _, (lat, lon) in PLACES.values())
    assert axis_of("name") is None


@given(st.tuples(st.floats(-90, 90) | st.floats(-90, 90).map(lambda number: round(number, 4)), st.integers(-180, 180)))
def test_points_are_read_again(point: tuple[float, float]) -> None:
    text = say_point(point, Voice(TODAY))
    assert (
        VERBALIZERS["place"].read(text, SpanContext())
        == VERBALIZERS["where"].read(f"at {text}", SpanContext())
        == point
    )


@pytest.mark.parametrize("text", ["{lat:place}", "{lat, :where}", "{, lon:place}", "{lat, lon#:place}"])
def test_a_place_needs_two_arguments(text: str) -> None:
    with pytest.raises(ValueError, match="latitude and longitude"):
        parse_template(text)


def test_rows_of_tools_that_nobody_described(tmp_path: Path) -> None:
    text = TOOLS.partition("  - name: list_sights")[0].replace(
        "properties:", "required: [latitude, longitude], properties:", 1
    )
    shop = workshop(tmp_path, "single", text=text + "    returns: {type: object, properties: {km: {type: integer}}}\n")
    made = [row for row in rows(shop, 30) if row.row is not None]
    texts = [message.content or "" for row in made for message in row.row.conversation.messages]
    assert made
    assert any(
        f"{before} {name}" in text or f"for {name}" in text for text in texts for name, (before, _) in PLACES.items()
    )
    assert set(place_frames(shop.toolbox["get_forecast"])) == {"latitude", "longitude"}
