"""Overlays: merged piece by piece, and every fault told where the piece stands."""

import json
from pathlib import Path
from typing import Any

import pytest

from generator.core.errors import SpecError
from generator.core.overlays import digest_of_function
from generator.core.toolbox import ToolSpec
from generator.recipe import ToolFile
from generator.run.prepared import derive_pieces
from generator.tools.specs import load_toolbox
from generator.tools.specs.load import load_tools

SERVER = {
    "tools": [
        {
            "name": "get_parcel",
            "description": "Get a parcel.",
            "inputSchema": {
                "type": "object",
                "properties": {"parcel_id": {"type": "string"}, "verbose": {"type": "boolean"}},
                "required": ["parcel_id"],
            },
        }
    ]
}


@pytest.fixture
def dump(tmp_path: Path) -> Path:
    path = tmp_path / "server.json"
    path.write_text(json.dumps(SERVER))
    return path


def write(folder: Path, name: str, text: str) -> Path:
    path = folder / name
    path.write_text(text)
    return path


def load(dump: Path, *overlays: Path, **source: Any) -> ToolSpec:
    return load_toolbox([ToolFile(file=dump, overlays=overlays, **source)], derive=derive_pieces)["get_parcel"]


def test_later_overlays_win_piece_by_piece(dump: Path, tmp_path: Path):
    first = write(
        tmp_path,
        "a.yaml",
        'origin: model\ntools: {get_parcel: {phrases: {request: ["fetch {parcel_id}"], want: ["a parcel"]}}}',
    )
    later = write(
        tmp_path, "b.yaml", 'tools: {get_parcel: {phrases: {request: ["find {parcel_id}", "look {parcel_id} up"]}}}'
    )
    spec = load(dump, first, later, describe="bare")
    assert spec.phrases.request == ("find {parcel_id}", "look {parcel_id} up")
    assert spec.phrases.want == ("a parcel",)
    assert spec.origins == {"phrases.request": "human", "phrases.want": "model"}


def test_null_takes_a_piece_away(dump: Path, tmp_path: Path):
    overlay = write(tmp_path, "a.yaml", "tools: {get_parcel: {phrases: {want: null, slots: {verbose: null}}}}")
    derived = load(dump)
    spec = load(dump, overlay)
    assert derived.phrases.request == spec.phrases.request
    assert spec.phrases.want == ()


def test_bare_sources_stay_as_they_are(dump: Path):
    spec = load(dump, describe="bare")
    assert (spec.phrases.request, spec.examples, spec.origins) == ((), {}, {})


def test_a_changed_function_refuses_its_overlay_by_name(dump: Path, tmp_path: Path):
    overlay = write(
        tmp_path, "a.yaml", f'tools:\n  get_parcel:\n    function: "{"0" * 16}"\n    phrases: {{want: [a parcel]}}\n'
    )
    with pytest.raises(SpecError, match=r"a\.yaml:3: tools\.get_parcel\.function: .*another function 'get_parcel' now"):
        load(dump, overlay)
    digest = digest_of_function(load(dump).tool)
    overlay.write_text(overlay.read_text().replace("0" * 16, digest))
    assert load(dump, overlay).phrases.want == ("a parcel",)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        (
            "tools: {get_parsel: {}}",
            r'a\.yaml:1: tools\.get_parsel: there is no such tool \(did you mean "get_parcel"\?\)',
        ),
        (
            "tools:\n  get_parcel:\n    phrasess: {}",
            r'a\.yaml:3: get_parcel\.phrasess: unknown key \(did you mean "phrases"\?\)',
        ),
        ('tools:\n  get_parcel:\n    phrases:\n      request: ["get {parcel}"]', r"a\.yaml:4: .*there is no 'parcel'"),
        ("tools:\n  get_parcel:\n    kinds: {parsel_id: city}", r"a\.yaml:3: .*has no parameter 'parsel_id'"),
        (
            "tools:\n  get_parcel:\n    say: {verbose: rarely}",
            r"a\.yaml:3: .*'seldom', 'never' or 'usually' is expected",
        ),
        ("origin: someone\ntools: {}", r"a\.yaml:1: origin: "),
        ("tools:\n  get_parcel:\n    origins: {kinds.city: model}", r"a\.yaml:3: .*there is no piece 'kinds.city'"),
    ],
)
def test_faults_are_told_where_the_piece_stands(dump: Path, tmp_path: Path, text: str, told: str):
    with pytest.raises(SpecError, match=told):
        load(dump, write(tmp_path, "a.yaml", text))


def test_an_overlay_may_name_tools_that_are_not_selected(dump: Path, tmp_path: Path):
    server = {"tools": [*SERVER["tools"], {**SERVER["tools"][0], "name": "get_letter"}]}
    dump.write_text(json.dumps(server))
    overlay = write(tmp_path, "a.yaml", "tools: {get_letter: {phrases: {want: [a letter]}}}")
    assert load(dump, overlay, only=("get_parcel",)).name == "get_parcel"


def test_two_phrases_with_the_same_words_cost_the_later_one(tmp_path: Path):
    text = {"type": "string"}
    schema = {"type": "object", "properties": {"host": text, "guest": text}, "required": ["host"]}
    server = {"tools": [{"name": "seat_guest", "description": "Seat a guest.", "inputSchema": schema}]}
    source = write(tmp_path, "server.json", json.dumps(server))
    said = "request: ['seat a guest of {host}', 'seat {host}', 'find a seat'], slots: {host: ['for {host}'], guest: ['for {guest}', 'named {guest}']}"
    overlay = write(tmp_path, "a.yaml", f"tools: {{seat_guest: {{phrases: {{{said}}}}}}}")
    for describe in ("derived", "bare"):
        tools = [ToolFile(file=source, overlays=(overlay,), describe=describe, undescribed="keep")]
        loaded = load_tools(tools, derive=derive_pieces)
        slots = loaded.toolbox["seat_guest"].phrases.slots
        assert (slots["host"].frames, slots["guest"].frames) == (("for {host}",), ("named {guest}",))
        (told,) = loaded.left_out
        assert str(told).startswith("the phrase 'for {guest}' is left out: ")
        assert "a.yaml:1: 'for {host}' has the same words" in told.why


def test_a_derived_link_that_no_follow_up_says_is_not_used(tmp_path: Path):
    server = Path(__file__).parents[3] / "tool_specs" / "mcp" / "fieldworks.json"

    def links(words: str) -> list[str]:
        phrases = f'request: ["fetch job {{job_id}}"]{words}'
        overlay = write(tmp_path, "a.yaml", f"origin: model\ntools: {{fieldworks_get_job: {{phrases: {{{phrases}}}}}}}")
        found = load_toolbox([ToolFile(file=server, overlays=(overlay,))], derive=derive_pieces)
        return [link.argument for link in found["fieldworks_get_job"].links]

    assert links("") == []
    assert links(', follow_up: ["open {job_id}"]') == ["job_id"]
    assert links(", follow_up: []") == []
