"""Overlays that come with the program apply by themselves where they fit, and nowhere else."""

import json
import re
import sys
from pathlib import Path
from typing import Any

import author_answers
import pytest
import yaml
from nightly import night, one_in

from generator.core.conversation import Tool
from generator.core.overlays import digest_of_arguments
from generator.recipe import ToolFile
from generator.run.described import describe_source, shipped_for
from generator.run.prepared import derive_pieces
from generator.tools.specs import overlay_files
from generator.tools.specs.check import check_spec
from generator.tools.specs.load import load_toolbox, load_tools

SERVER = Path(__file__).parents[3] / "tool_specs" / "mcp" / "fieldworks.json"
NAMES = ("fieldworks_get_job", "fieldworks_list_jobs", "fieldworks_cancel_job")


@pytest.fixture
def servers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder of servers' overlays with one for fieldworks, in place of those that come with the program."""
    bare = load_toolbox([ToolFile(file=SERVER)])
    tools: dict[str, Any] = {}
    for name in NAMES:
        tools[name] = {"arguments": digest_of_arguments(bare[name].tool), **author_answers.TOOLS[name]}
    folder = tmp_path / "servers" / "fieldworks-server"
    folder.mkdir(parents=True)
    (folder / "overlay.yaml").write_text(yaml.safe_dump({"origin": "model", "tools": tools}))
    monkeypatch.setattr(overlay_files, "SERVERS", folder.parent)
    overlay_files._server_overlays.cache_clear()
    yield folder.parent
    overlay_files._server_overlays.cache_clear()


def changed(folder: Path, change: Any) -> Path:
    """The server's tools after a change of each."""
    value = json.loads(SERVER.read_text())
    for tool in value["tools"]:
        change(tool)
    path = folder / "server.json"
    path.write_text(json.dumps(value))
    return path


def authored(path: Path, **source: Any) -> set[str]:
    """The tools that have a model's phrases."""
    toolbox = load_toolbox([ToolFile(file=path, **source)], derive=derive_pieces)
    return {name for name, spec in toolbox.items() if spec.origins.get("phrases.request") == "model"}


@pytest.mark.usefixtures("servers")
def test_it_applies_where_names_and_arguments_fit(tmp_path: Path):
    assert authored(SERVER) == {*NAMES}
    assert authored(SERVER, describe="bare") == set()

    def other_words(tool: dict[str, Any]) -> None:
        tool["description"] = "Does something."
        for schema in tool["inputSchema"]["properties"].values():
            schema.pop("description", None)

    assert authored(changed(tmp_path, other_words)) == {*NAMES}
    assert shipped_for(ToolFile(file=SERVER)) == {"fieldworks-server": sorted(NAMES)}


@pytest.mark.usefixtures("servers")
def test_it_leaves_other_tools_of_the_same_names_alone(tmp_path: Path):
    def more(tool: dict[str, Any]) -> None:
        tool["inputSchema"]["properties"]["colour"] = {"type": "string"}

    assert authored(changed(tmp_path, more)) == set()

    def one_left(tool: dict[str, Any]) -> None:
        if tool["name"] != NAMES[0]:
            more(tool)

    assert authored(changed(tmp_path, one_left)) == set()  # one name alone may be chance


@pytest.mark.usefixtures("servers")
def test_an_overlay_of_ones_own_stands_above_it(tmp_path: Path):
    mine = tmp_path / "mine.yaml"
    mine.write_text('tools: {fieldworks_get_job: {phrases: {request: ["see to job {job_id}", "get job {job_id}"]}}}')
    spec = load_toolbox([ToolFile(file=SERVER, overlays=(mine,))], derive=derive_pieces)["fieldworks_get_job"]
    assert spec.phrases.request == ("see to job {job_id}", "get job {job_id}")
    assert spec.origins["phrases.question"] == "model"


def test_a_bank_is_added_to_the_phrases_of_the_file_beside_it(tmp_path: Path):
    own = tmp_path / "tool_specs"
    (own / "bank").mkdir(parents=True)
    path = own / "fields.yaml"
    function = {
        "name": "get_field",
        "parameters": {"type": "object", "properties": {"field": {"type": "string"}}, "required": ["field"]},
    }
    phrases = {"request": ["show me {field}", "get {field}"], "slots": {"field": ["of {field}"]}}
    path.write_text(yaml.safe_dump({"tools": [{"type": "function", "function": function, "phrases": phrases}]}))
    added = {
        "request": ["bring up {field}", "get {field}"],
        "slots": {"field": ["for {field}"]},
        "want": ["a look at {field}"],
    }
    bank = {"origin": "model", "adds": True, "tools": {"get_field": {"phrases": added}}}
    (own / "bank" / "fields.yaml").write_text(yaml.safe_dump(bank))
    spec = load_toolbox([ToolFile(file=path)])["get_field"]
    assert spec.phrases.request == ("show me {field}", "get {field}", "bring up {field}")
    assert spec.phrases.slots["field"].frames == ("of {field}", "for {field}")
    assert spec.phrases.want == ("a look at {field}",)
    assert (
        spec.origins == {}
    )  # it is ours all the same: not tried before a run, not left out, its arguments drawn as before
    elsewhere = tmp_path / "fields.yaml"
    elsewhere.write_bytes(path.read_bytes())
    assert load_toolbox([ToolFile(file=elsewhere)])["get_field"].phrases.want == ()


SHIPPED = sorted(overlay_files.SERVERS.glob("*/overlay.yaml"))
WITH_COMMENTS = [path for path in SHIPPED if "\n  comment:\n" in path.read_text(encoding="utf-8")]
"""Overlays of several servers that have an entity of the same name."""
_SLOT = re.compile(r"\{([A-Za-z_][A-Za-z0-9_]*)")
_OF_ARGUMENTS = ("kinds", "examples", "patterns", "say", "context", "links")


def tool_under(name: str, said: dict[str, Any]) -> dict[str, Any]:
    """A tool with the arguments that its description speaks of."""
    phrases, effect = said.get("phrases", {}), said.get("effect", {})
    heads = [text for key in ("request", "question", "want", "found") for text in as_list(phrases.get(key) or [])]
    slots = [*phrases.get("slots", {}), *phrases.get("ask", {}), *effect.get("by", {})]
    slots += [slot for key in _OF_ARGUMENTS for slot in said.get(key, {})]
    slots += [slot for text in heads for slot in _SLOT.findall(text)]
    slots += [slot for call in said.get("example_calls", ()) for slot in call["arguments"]]
    properties = {slot.partition("/")[0]: {"type": "string"} for slot in slots}
    for slot, values in said.get("examples", {}).items():
        if slot in properties and type(values[0]) is int:
            properties[slot] = {"type": "integer"}
    return {"name": name, "description": name, "inputSchema": {"type": "object", "properties": properties}}


def as_list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else [value]


@pytest.fixture
def gateway(request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """One list with tools of several of the servers whose overlays come with the program, which fit them."""
    tools: dict[str, Any] = {}
    for path in request.param:
        value = yaml.safe_load(path.read_text())
        for name, said in value["tools"].items():
            tool = tools.setdefault(name, tool_under(name, said))
            said["arguments"] = digest_of_arguments(Tool(name=name, parameters=tool["inputSchema"]))
        copy = tmp_path / "servers" / path.parent.name / path.name
        copy.parent.mkdir(parents=True)
        copy.write_text(yaml.safe_dump(value, sort_keys=False))
    monkeypatch.setattr(overlay_files, "SERVERS", tmp_path / "servers")
    overlay_files._server_overlays.cache_clear()
    listed = tmp_path / "gateway.json"
    listed.write_text(json.dumps({"tools": [*tools.values()]}))
    yield listed
    overlay_files._server_overlays.cache_clear()


@pytest.mark.parametrize(
    "gateway", [WITH_COMMENTS, pytest.param(SHIPPED, marks=night)], indirect=True, ids=["some", "all"]
)
def test_those_of_all_servers_stand_beside_each_other(gateway: Path):
    loaded = load_tools([ToolFile(file=gateway)], derive=derive_pieces)
    described = {name for name, spec in loaded.toolbox.items() if "model" in spec.origins.values()}
    listed = {tool["name"] for tool in json.loads(gateway.read_text())["tools"]}
    assert described == listed
    comments = {spec.acts_on for spec in loaded.toolbox.values() if spec.acts_on.endswith(".comment")}
    assert len(comments) > 1  # those of several servers
    for spec in loaded.toolbox.values():
        assert spec.effect is None or not spec.effect.entity or spec.effect.entity in spec.declared.entities
    assert {one.spec.name for one in describe_source(ToolFile(file=gateway))} == listed


SPOILT: dict[str, tuple[Any, str]] = {
    "entities.task.key": ("nothing", "overlay"),
    "entities.task.fields.title": ({}, "overlay"),
    "entities.task.called": (["nothing"], "overlay"),
    "tools.update.effect": ({"update": "nothing"}, "piece"),
    "tools.update.effect.by": ({"nothing": "id"}, "piece"),
    "tools.search.returns": ("nothing", "piece"),
    "tools.search.phrases.request": (["find {nothing}"], "piece"),
    "tools.search.phrases.answer": ([{"say": 7}], "piece"),
}


TWO = [path for path in SHIPPED if path.parent.name in ("gtasks-mcp", "mcp-server-trello")]


@pytest.mark.parametrize("gateway", [TWO], indirect=True, ids=["two"])
@pytest.mark.parametrize("place", one_in(3, SPOILT))
def test_what_does_not_fit_is_left_out_and_named(gateway: Path, place: str):
    value, what = SPOILT[place]
    path = overlay_files.SERVERS / "gtasks-mcp" / "overlay.yaml"
    said = part = yaml.safe_load(path.read_text())
    *above, last = place.split(".")
    for step in above:
        part = part[step]
    part[last] = value
    path.write_text(yaml.safe_dump(said))
    overlay_files._read_once.cache_clear()
    loaded = load_tools([ToolFile(file=gateway)], derive=derive_pieces)
    assert loaded.toolbox.keys() == {tool["name"] for tool in json.loads(gateway.read_text())["tools"]}
    named = {"overlay": "gtasks-mcp", "piece": f"{above[1]}: {'.'.join([*above[2:], last]).removesuffix('.by')}"}[what]
    assert (what, named) in {(one.what, one.name) for one in loaded.left_out}


def test_the_shipped_ones_can_be_read():
    for path in sorted(overlay_files.SERVERS.glob("*/overlay.yaml")):
        overlay = overlay_files.read_overlay(path)
        assert all(layer.arguments is not None for layer in overlay.layers.values()), path
        assert all(layer.origins for layer in overlay.layers.values()), path


@pytest.mark.parametrize(
    ("package", "module"), [("mcp-server-git", "mcp_server_git"), ("mcp-server-time", "mcp_server_time")]
)
def test_one_fits_the_server_that_it_was_made_for(package: str, module: str):
    pytest.importorskip("mcp", reason="the package mcp is not installed")
    source = ToolFile(command=(sys.executable, "-m", module))
    toolbox = load_toolbox([source], derive=derive_pieces)
    shipped = shipped_for(source)
    assert [*shipped] == [package]
    assert len(shipped[package]) >= 0.9 * len(toolbox)  # arguments of single tools differ between versions
    assert {toolbox[name].origins.get("phrases.request") for name in shipped[package]} == {"model"}
    assert [fault for name in shipped[package] for fault in check_spec(toolbox[name])] == []
