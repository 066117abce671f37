"""The tools that are shipped: complete, of every kind, linked, with results that agree."""

import re
from collections import Counter
from typing import Any

import jsonschema_rs
import pytest
from nightly import night
from shipped_tools import FILES, TODAY, drawn, every_domain, make, nothing, schemas, shop, succeeds, toolbox, tools_of

from generator.core.conversation import ToolCall
from generator.core.pointers import resolve, variants
from generator.core.seeds import Draw
from generator.core.toolbox import Phrases, SlotFrames
from generator.tools.specs import load_toolbox

pytestmark = night  # they read the data alone: .ci/run runs them when tool_specs/ changed

KINDS: dict[str, Any] = {
    "enum": lambda s: len(s.get("enum", ())) > 1,
    "date": lambda s: s.get("format") == "date",
    "date-time": lambda s: s.get("format") == "date-time",
    "email": lambda s: s.get("format") == "email",
    "uri": lambda s: s.get("format") == "uri",
    "uuid": lambda s: s.get("format") == "uuid",
    "pattern": lambda s: "pattern" in s,
    "lengths": lambda s: {"minLength", "maxLength"} & s.keys(),
    "whole numbers in a range": lambda s: s.get("type") == "integer" and {"minimum", "maximum"} <= s.keys(),
    "numbers in a range": lambda s: s.get("type") == "number" and {"minimum", "maximum"} <= s.keys(),
    "multipleOf": lambda s: "multipleOf" in s,
    "boolean": lambda s: s.get("type") == "boolean",
    "nullable": lambda s: "null" in s.get("type", ()) or {"type": "null"} in s.get("anyOf", ()),
    "nested object": lambda s: s.get("type") == "object" and s.get("properties"),
    "array of text": lambda s: s.get("items", {}).get("type") == "string",
    "array of objects": lambda s: s.get("items", {}).get("type") == "object" or "$ref" in s.get("items", {}),
    "limited array": lambda s: {"minItems", "maxItems"} <= s.keys(),
    "unique items": lambda s: s.get("uniqueItems") is True,
    "anyOf": lambda s: "anyOf" in s,
    "oneOf": lambda s: "oneOf" in s,
    "$ref": lambda s: "$ref" in s,
    "closed object": lambda s: s.get("additionalProperties") is False,
}


class TestTheWhole:
    def test_loads_together_and_can_be_used(self):
        assert list(shop().names) == list(load_toolbox(FILES))

    def test_is_large_and_of_many_domains(self):
        sizes = Counter(spec.domain for spec in toolbox().values())
        assert sum(sizes.values()) >= 60
        assert len(sizes) >= 8
        # the two tools of a desk go with those of another domain: nobody asks for nothing else
        assert min(size for domain, size in sizes.items() if domain != "desk") >= 4

    def test_is_written_in_json_and_in_yaml(self):
        assert {path.suffix for path in FILES} >= {".json", ".yaml"}

    def test_has_descriptions_of_their_own(self):
        told = Counter(spec.tool.description for spec in toolbox().values())
        assert told.most_common(1)[0][1] == 1

    @pytest.mark.parametrize("kind", KINDS)
    def test_has_parameters_of_every_kind(self, kind: str):
        found = {
            name
            for name, spec in toolbox().items()
            for place, schema in schemas(spec.tool.parameters)
            if (place or kind in {"closed object"}) and KINDS[kind](schema)
        }
        assert found

    def test_has_required_and_optional_parameters(self):
        optional = [
            name
            for name, spec in toolbox().items()
            if set((spec.tool.parameters or {}).get("properties", ()))
            - set((spec.tool.parameters or {}).get("required", ()))
        ]
        assert len(optional) > len(toolbox()) / 2

    def test_no_answer_begins_with_a_value_of_something_unnamed(self):
        """In a conversation, "It's on 28 June" may follow an answer about something else."""
        unnamed = re.compile(r"(It's|It is|They're|They are) (on|at|in|for|from|until|by|due) \{")
        answers = [
            one.say for spec in load_toolbox(FILES).values() for one in spec.phrases.answer
        ]  # those of the bank, too
        nothing(say for say in answers if unnamed.match(say))

    def test_is_linked(self):
        ends = {name for spec in toolbox().values() for link in spec.links for name in (spec.name, link.tool)}
        assert len(ends) >= len(toolbox()) / 2

    def test_has_chains_of_three(self):
        to = {(link.tool, spec.name) for spec in toolbox().values() for link in spec.links}
        assert any(middle == start for _, middle in to for start, _ in to)

    def test_links_lead_to_tools_that_are_shipped(self):
        assert [
            (spec.name, link.tool) for spec in toolbox().values() for link in spec.links if link.tool not in toolbox()
        ] == []

    def test_every_list_that_is_linked_can_be_picked_from(self):
        without = {
            f"{link.tool}: {link.result}"
            for spec in toolbox().values()
            for link in spec.links
            if "/*" in link.result and not toolbox()[link.tool].phrases.pick.get(link.result.split("/*")[0])
        }
        assert without == set()


@every_domain
class TestEachTool:
    def test_is_described_with_all_its_parameters(self, domain: str):
        faults = []
        for spec in tools_of(domain):
            description, root = spec.tool.description or "", spec.tool.parameters or {}
            if not (
                re.fullmatch(r"[a-z][a-z0-9]*(_[a-z0-9]+)+", spec.name)
                and description[-1:] == "."
                and len(description) > 15
            ):
                faults.append(f"{spec.name}: {description}")
            if root.get("type") != "object" or not set(root.get("required", ())) <= set(root.get("properties", ())):
                faults.append(f"{spec.name}: {list(root)}")
            for key, part in root.get("properties", {}).items():
                if not any(len(str(schema.get("description", ""))) >= 3 for schema in (part, *variants(root, part))):
                    faults.append(f"{spec.name}: {key} has no description")
        nothing(faults)

    def test_says_what_it_returns(self, domain: str):
        assert [spec.name for spec in tools_of(domain) if not (spec.returns or {}).get("properties")] == []

    def test_results_hold_what_they_are_asked_to_include(self, domain: str):
        """Who asks for a report with the risks is told of risks; what is asked to be in a list may not be there."""
        lost = []
        for spec in tools_of(domain):
            is_list = any(one.get("type") == "array" for one in (spec.returns or {}).get("properties", {}).values())
            for name in [one for one in spec.properties if one.startswith("include_") and not is_list]:
                results = [
                    [make(spec.name, {**call, name: is_so}).result for is_so in (True, False)]
                    for call in drawn(spec.name)
                    if all(succeeds(spec.name, {**call, name: is_so}, call) for is_so in (True, False))
                ]
                is_held = any(name.removeprefix("include_") in field for field in results[0][0])
                lost += [] if is_held or any(one != other for one, other in results) else [f"{spec.name}: {name}"]
        nothing(lost)

    def test_has_phrases(self, domain: str):
        faults = []
        for spec in tools_of(domain):
            phrases = spec.phrases
            ways = len(phrases.request) + len(phrases.question) + len(phrases.want)
            if (
                len(phrases.request) < 3
                or ways < 6
                or len(phrases.answer) < 3
                or (spec.links and not phrases.follow_up)
            ):
                faults.append(f"{spec.name}: too few phrases")
            if bool(phrases.several) != bool(phrases.entry):
                faults.append(f"{spec.name}: several and entry belong together")
            for texts in (
                phrases.request,
                phrases.question,
                phrases.want,
                phrases.follow_up,
                phrases.again,
                phrases.entry,
                phrases.found,
            ):
                faults += [f"{spec.name}: {text!r} stands there twice" for text, n in Counter(texts).items() if n > 1]
        nothing(faults)


@every_domain
def test_results_are_valid(domain: str):
    faults = []
    for spec in tools_of(domain):
        validator = jsonschema_rs.validator_for(loosened(spec.returns or {}), validate_formats=True)
        for arguments in drawn(spec.name):
            result = make(spec.name, arguments).result
            faults += [f"{spec.name} {arguments}: {error.message}" for error in validator.iter_errors(result)]
    nothing(faults)


def loosened(schema: Any) -> Any:
    """The schema without the ranges that a formula or an argument of the call may overrule."""
    if isinstance(schema, list):
        return [loosened(part) for part in schema]
    if not isinstance(schema, dict):
        return schema
    overruled = {"x-compute", "x-minimum", "x-maximum"} & schema.keys()
    ranges = {"minimum", "maximum", "multipleOf", "pattern", "minItems"} if overruled else set()
    return {key: loosened(part) for key, part in schema.items() if key not in ranges}


PLACES = {
    "search_flights": "flights/0/distance_km",
    "search_trains": "trains/0/duration_minutes",
    "get_driving_time": "distance_km",
    "geocode_address": "latitude",
}
"""Tools whose results depend on places, with a number that does."""


@pytest.mark.parametrize("name", PLACES)
def test_places_stay_where_they_are(name: str):
    """The same places are as far apart whoever asks, and others are not."""
    found: dict[str, list[float]] = {}
    key = "city" if name == "geocode_address" else "destination"
    for number, arguments in enumerate(drawn(name)):
        where = {k: v for k, v in arguments.items() if k in {"origin", "destination", "city", "street", "date", "time"}}
        where["time"] = f"{6 + number % 5:02}:00" if "time" in where else None
        for salt in range(3):
            asked, world = {k: v for k, v in where.items() if v is not None}, shop().backend.open(TODAY, salt)
            world.entities.finds(name, asked, Draw(salt, TODAY))
            result = world.step([ToolCall("call", name, asked)])[0].value
            about = f"{arguments.get('origin')} {arguments[key]}"
            found.setdefault(about, []).append(resolve(result, PLACES[name]))
    spread = max(max(numbers) - min(numbers) for numbers in found.values())
    middle = [sum(numbers) / len(numbers) for numbers in found.values()]
    assert max(middle) - min(middle) > 3 * spread


def test_stations_near_each_other_have_the_same_weather():
    readings = [
        shop().backend.open(TODAY).answer("get_station_readings", {"station_id": f"STN-{number}"})
        for number in range(1000, 1040)
    ]
    temperatures = [reading["temperature"] for reading in readings]
    assert 0 < max(temperatures) - min(temperatures) < 3


def test_phrases_have_no_keys_that_were_forgotten_here():
    assert set(Phrases.__struct_fields__) == {
        *("request", "question", "want", "again", "several", "entry", "vary", "follow_up", "found", "can"),
        *("slots", "synonyms", "pick", "best", "answer", "each", "ask", "fields", "tally"),
    }
    assert set(SlotFrames.__struct_fields__) == {"frames", "clauses"}


@every_domain
def test_no_result_contradicts_the_call(domain: str):
    """What a result shows under the name of an argument is the argument; what was null may have become the usual value."""
    nothing(
        f"{spec.name}: {name} is {arguments[name]!r}, and the result shows {value!r}"
        for spec in tools_of(domain)
        for arguments in drawn(spec.name)
        for name, value in result_of(spec.name, arguments).items()
        if isinstance(arguments.get(name), str | int | float) and arguments[name] != value
    )


def result_of(name: str, arguments: dict[str, Any]) -> dict[str, Any]:
    value = make(name, arguments).result
    return value if isinstance(value, dict) else {}
