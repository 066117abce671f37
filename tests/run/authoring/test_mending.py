"""What a writer is told, what a second answer does to the first, and rules of the language that prompts state."""

import asyncio
import copy
import json
import re
from pathlib import Path
from typing import Any

import msgspec
import pytest
from authors import AS_MEANT, Oracle, Scripted, entry_as_meant, people
from hypothesis import given
from hypothesis import strategies as st

from generator.core.overlays import split_pieces
from generator.core.toolbox import AnswerPhrase, ToolSpec
from generator.recipe import ToolFile
from generator.run.authoring.author import author
from generator.run.authoring.bench import Bench, Judged, judge, open_bench
from generator.run.authoring.readers import read_back
from generator.run.authoring.readers.items import items_of
from generator.run.authoring.result import Authoring, told_once
from generator.run.authoring.tidying.sayable import said_as_json, told_as_json
from generator.run.authoring.writer.mending import mended, told_apart
from generator.run.authoring.writer.server import pieces_of_tool
from generator.run.authoring.writer.writing import fitting_kinds, load_author_prompts, server_request
from generator.run.trials import try_tool
from generator.tools.describing.checks import NEVER
from generator.world.expressions import compile_expression
from generator.world.functions import FUNCTIONS, OVER_ENTITIES
from generator.world.grammar import grammar

TEXT = {"type": "string"}
ROOM: dict[str, Any] = {"anyOf": [TEXT, {"type": "null"}], "default": None}
MODE = {"type": ["string", "null"], "enum": ["warm", "cold", None]}
DATA = {"type": "object", "properties": {"name": TEXT, "extra": {"type": "object"}}, "required": ["name"]}
WHEN = {"type": "string", "format": "date-time", "description": "RFC 3339 timestamp"}


def function(name: str, about: str, required: list[str], **properties: Any) -> dict[str, Any]:
    schema = {"type": "object", "properties": properties, "required": required}
    return {"name": name, "description": about, "inputSchema": schema}


TOOLS = [
    function("find_lamps", "Find lamps", [], room=ROOM, tone=MODE, since=WHEN, include_off={"type": "boolean"}, cursor=TEXT),
    function("switch_lamp", "Switch a lamp on or off", ["lamp_id", "action"], lamp_id=TEXT, action={"enum": ["on", "off"]}),
    function("add_lamp", "Add a lamp", ["title"], title=TEXT, note=TEXT, session_start=TEXT, session_end=TEXT),
    function("change_lamp", "Change a lamp", ["lamp_id", "data"], lamp_id=TEXT, data=DATA),
]  # fmt: skip
WHOLE = [{"title": f"Lamp {name}", "note": f"Stands by the {name}."} for name in ("door", "desk", "sofa", "bed")]
ENTITIES: dict[str, Any] = {
    "lamp": {
        "key": "lamp_id",
        "count": [4, 6],
        "fields": {
            "lamp_id": {"type": "string", "pattern": "^L-[0-9]{4}$"},
            "title": TEXT,
            "note": TEXT,
            "light": {"states": {"on": ["off"], "off": ["on"]}},
        },
        "examples": WHOLE,
        "called": ["title"],
    }
}
SERVER: dict[str, Any] = {
    "entities": ENTITIES,
    "tools": {
        "switch_lamp": {
            "effect": {"update": "lamp", "set": {"light": "'on' if args.action == 'on' else 'off'"}},
            "result": ["lamp_id", "title", "light"],
        },
        "add_lamp": {"effect": {"create": "lamp"}, "result": ["lamp_id", "title", "note"]},
    },
}
SWITCH = {
    "phrases": {
        "request": ["switch lamp {lamp_id} {action}", "turn lamp {lamp_id} {action}"],
        "answer": ["I've switched {title:quoted} {light}."],
    }
}
FIND: dict[str, Any] = {
    "returns": {"type": "object", "properties": {"number": {"type": "integer", "minimum": 1, "maximum": 9}}},
    "examples": {"room": ["hall", "study", "attic"]},
    "say": {"cursor": "never"},
    "phrases": {
        "request": ["find lamps", "list the lamps"],
        "slots": {
            "room": ["in the {room}"],
            "tone": {"warm": ["that are warm"], "cold": ["that are cold"]},
            "since": ["changed since {since:datetime}"],
            "include_off": {"true": ["including the dark ones"], "false": ["leaving out the dark ones"]},
        },
        "answer": ["I found {number}."],
    },
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory: pytest.TempPathFactory) -> Bench:
    path = tmp_path_factory.mktemp("lamps") / "lamps.json"
    path.write_text(json.dumps({"tools": TOOLS}))
    return open_bench(ToolFile(file=path))


@pytest.fixture(autouse=True)
def _readers_know_what_was_meant(monkeypatch: pytest.MonkeyPatch) -> None:
    def remembering(spec: ToolSpec, elements: Any) -> Any:
        found = items_of(spec, elements)
        AS_MEANT.update({item.text: entry_as_meant(item, spec.name) for item in found})
        return found

    monkeypatch.setattr(read_back, "items_of", remembering)


def judged(bench: Bench, name: str, said: dict[str, Any]) -> Judged:
    world = pieces_of_tool(SERVER["tools"].get(name, {}), ENTITIES)
    return judge(bench, bench.declaring(ENTITIES)[name], world | split_pieces(said), bench.bare)


def described(bench: Bench, only: str, *answers: dict[str, Any]) -> tuple[Authoring, list[tuple[str, str]]]:
    """What comes of a writer who says these things of one tool, one after the other, and what the writer was asked."""
    asked: list[tuple[str, str]] = []

    def reply(name: str, text: str) -> Any:
        asked.append((name, text))
        if name.startswith("1-"):
            return SERVER
        at = ("-again" in name) + name.endswith("-2")
        return {"tools": {only: answers[at]}}

    who = people(Scripted(reply), Oracle(), mends=True)
    done = asyncio.run(author(bench, who, load_author_prompts(None), {}, [only]))
    return done, [one for one in asked if one[0].startswith("2-")]


def with_phrases(said: dict[str, Any], **phrases: Any) -> dict[str, Any]:
    found = copy.deepcopy(said)
    found["phrases"] |= phrases
    return found


# what is refused


def test_words_for_values_of_a_text_that_may_be_null_are_kept_and_those_of_closed_lists_are_held_against_them(
    bench: Bench,
):
    forms = {"room": {"attic": ["the loft"], "null": ["any room"]}, "tone": {"warm": ["cosy"], "null": ["any"]}}
    assert judged(bench, "find_lamps", with_phrases(FIND, synonyms=forms)).dropped == ()
    found = judged(bench, "find_lamps", with_phrases(FIND, synonyms={"tone": {"hot": ["very warm"]}}))
    assert [one.name for one, _ in found.dropped] == ["phrases.synonyms.tone.hot"]


def test_several_faults_cost_their_own_pieces_and_are_told_once_from_their_beginning(bench: Bench):
    wrong = with_phrases(FIND, synonyms={"tone": {"hot": ["very warm", "boiling"]}}, vary=7)
    wrong["links"] = {"room": "somewhere"}
    told = told_once("find_lamps", judged(bench, "find_lamps", wrong).dropped)
    assert len(told) == 3
    assert {line.split(": ")[1] for line in told} == {"links.room", "phrases.synonyms.tone.hot", "phrases.vary"}
    (hot,) = [line for line in told if "synonyms" in line]
    assert hot.endswith("'very warm', 'boiling': 'hot' is not a value of tone (known: warm, cold, null)")
    (link,) = [line for line in told if "links" in line]
    assert link == "find_lamps: links.room: 'somewhere' is not of the form tool#/path/*/field (at most one *)"


def test_a_fault_of_an_effect_is_told_at_the_effect(bench: Bench):
    effect = {"find": "lamp", "by": {"room": "title in args.room"}, "at": "lights"}
    pieces = pieces_of_tool({"effect": effect, "result": {"lights": ["lamp_id", "title"]}}, ENTITIES)
    found = judge(bench, bench.declaring(ENTITIES)["find_lamps"], pieces, bench.bare)
    ((name, why),) = [(one.name, why) for one, why in found.dropped]
    assert name == "effect"
    assert "'title in args.room': one comparison at a time" in why


def test_the_phrase_that_is_at_fault_is_told(bench: Bench):
    found = judged(
        bench, "switch_lamp", {"phrases": {"request": [*SWITCH["phrases"]["request"], "Turn {lamp_id} {action}"]}}
    )
    (told,) = told_once("switch_lamp", found.dropped)
    assert told == "switch_lamp: phrases.request: 'Turn {lamp_id} {action}': it begins with a capital"


def test_a_group_of_arguments_that_rules_call_unsaid_is_no_contradiction(bench: Bench):
    derived = dict.fromkeys((("say", "session_start"), ("say", "session_end")), "never")
    bench.derivation.tools["add_lamp"].pieces.update(derived)
    found = judged(bench, "add_lamp", {"together": [["session_start", "session_end"]]})
    assert found.dropped == ()
    assert found.spec.groups.together == (("session_start", "session_end"),)


# one answer on top of another


def test_a_piece_that_is_given_again_takes_the_place_of_the_old_one_and_null_removes_it(bench: Bench):
    first = with_phrases(
        SWITCH, request=["Switch {lamp_id} {action}", "flip {lamp_id} {action}"], ask={"lamp_id": ["Which?"]}
    )
    again = {"phrases": {"request": ["put lamp {lamp_id} {action}", "set lamp {lamp_id} to {action}"], "ask": None}}
    done, asked = described(bench, "switch_lamp", first, again)
    (tool,) = done.tools
    assert [name for name, _ in asked] == ["2-tools-01-switch_lamp", "2-tools-01-switch_lamp-again"]
    assert "takes the place of the one before; null removes it" in asked[1][1]
    assert tool.spec.phrases.request == ("put lamp {lamp_id} {action}", "set lamp {lamp_id} to {action}")
    assert ("phrases", "ask", "lamp_id") not in tool.pieces
    assert tool.spec.phrases.answer[0].say == "I've switched {title:quoted} {light}."
    assert tool.refused == ""


@pytest.mark.parametrize(
    ("again", "rounds"),
    [
        (["turn {lamp_id} {action}.", "turn lamp {lamp_id} {action}"], 3),  # another fault than before
        (["Switch {lamp_id} {action}", "flip {lamp_id} {action}"], 2),  # the same
        (SWITCH["phrases"]["request"], 2),
    ],
)
def test_new_faults_are_told_once_more_and_the_same_ones_are_not(bench: Bench, again: list[str], rounds: int):
    first = with_phrases(SWITCH, request=["Switch {lamp_id} {action}", "flip {lamp_id} {action}"])
    _, asked = described(bench, "switch_lamp", first, {"phrases": {"request": again}}, SWITCH)
    assert len(asked) == rounds
    assert [name.rpartition("switch_lamp")[2] for name, _ in asked] == ["", "-again", "-again-2"][:rounds]


def test_a_tool_with_many_faults_hides_none_of_the_others():
    many = [f"loud: phrases.request: fault {number}" for number in range(90)]
    assert told_apart([*many, "quiet: effect: fault"])[-1] == "quiet: effect: fault"


VALUES = st.none() | st.text(max_size=3) | st.lists(st.text(max_size=3), max_size=2)
PIECES = st.dictionaries(st.sampled_from(["links", "effect", "say"]), VALUES | st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2), max_size=3)  # fmt: skip
SAID = st.fixed_dictionaries({}, optional={"phrases": VALUES | PIECES, "links": PIECES, "effect": VALUES, "examples": VALUES | st.dictionaries(st.sampled_from("ab"), VALUES, max_size=2)})  # fmt: skip


@given(SAID, SAID)
def test_whatever_is_said_again_is_said_and_the_rest_stays(before: dict[str, Any], after: dict[str, Any]):
    found = split_pieces(mended({"tools": {"one": before}}, {"tools": {"one": after}})["tools"]["one"])
    new, old = split_pieces(after), split_pieces(before)
    assert {piece: found.get(piece) for piece in new} == new
    heads = {piece[:size] for piece in new for size in range(1, len(piece) + 1)}
    apart = {piece for piece in old if not any(piece[: len(one)] == one for one in new) and piece not in heads}
    assert {piece: found.get(piece) for piece in apart} == {piece: old[piece] for piece in apart}


# rules that prompts state


def test_never_is_for_what_the_prompt_says(bench: Bench):
    assert judged(bench, "find_lamps", FIND).dropped == ()
    for name in ("tone", "since"):
        found = judged(bench, "find_lamps", with_phrases(FIND, slots={}) | {"say": {name: "never"}})
        assert (f"say.{name}", NEVER) in [(one.name, why) for one, why in found.dropped]
    for name in ("room", "include_off"):
        found = judged(bench, "find_lamps", with_phrases(FIND, slots={}) | {"say": {name: "never"}})
        assert f"say.{name}" not in [one.name for one, _ in found.dropped]


def test_a_part_of_an_object_that_nobody_can_say_is_left_out(bench: Bench):
    said: dict[str, Any] = {
        "phrases": {"request": ["rename lamp {lamp_id} to {data/name}", "call lamp {lamp_id} {data/name}"]}
    }
    assert [slot for slot, _ in said_as_json(judged(bench, "change_lamp", said).spec)] == ["data/extra"]
    (hint,) = [how for _, how in said_as_json(judged(bench, "change_lamp", said).spec)]
    assert "{data/extra:pairs}" in hint
    kept = judged(bench, "change_lamp", {**said, "say": {"data/extra": "never"}})
    assert kept.dropped == ()
    assert list(said_as_json(kept.spec)) == []
    done, _ = described(bench, "change_lamp", said, {}, {})
    (tool,) = done.tools
    assert (tool.refused, tool.spec.say["data/extra"]) == ("", "never")


def results(spec: ToolSpec) -> list[tuple[dict[str, Any], Any]]:
    found = []
    for row in try_tool(spec, 20).rows:
        messages = row.conversation.messages
        call = next(one for message in messages for one in getattr(message, "tool_calls", ()))
        result = next(json.loads(message.content) for message in messages if hasattr(message, "tool_call_id"))
        found.append((call.arguments, result))
    return found


def test_own_values_come_before_those_of_things_and_example_calls_before_both(bench: Bench):
    said = {"phrases": {"request": ["add the lamp {title:quoted}", "note the lamp {title:quoted}"], "slots": {"note": ["with the note {note:quoted}"]}}}  # fmt: skip
    plain = [one["title"] for one, _ in results(judged(bench, "add_lamp", said).spec)]
    assert {*plain} <= {one["title"] for one in WHOLE}
    own = {**said, "examples": {"title": ["Blue lamp", "Red lamp", "Tall lamp"]}}
    assert {one["title"] for one, _ in results(judged(bench, "add_lamp", own).spec)} <= {*own["examples"]["title"]}
    calls = [
        {"arguments": {"title": "Old lamp", "note": "Flickers."}},
        {"arguments": {"title": "New lamp", "note": "Bright."}},
    ]
    both = [one["title"] for one, _ in results(judged(bench, "add_lamp", {**own, "example_calls": calls}).spec)]
    assert {*both} == {"Old lamp", "New lamp"}


def test_what_a_call_does_may_depend_on_an_argument(bench: Bench):
    made = results(judged(bench, "switch_lamp", SWITCH).spec)
    assert {arguments["action"] for arguments, _ in made} == {"on", "off"}
    assert all(result["light"] == arguments["action"] for arguments, result in made)


def test_a_time_of_day_is_not_offered_for_moments(bench: Bench):
    offered = fitting_kinds(list(bench.bare.values()))
    assert "rfc3339_time" not in offered
    assert "date_time" in offered


def test_the_grammar_holds_every_function_as_it_can_be_called(bench: Bench):
    told = grammar()
    assert told in "\n".join(text for _, text in server_request(bench, load_author_prompts(None)).request.messages)
    calls = dict(re.findall(r"(\w+)\(([^()]*)\)", told))
    assert calls.keys() == {*FUNCTIONS, *OVER_ENTITIES, "lookup", "given"}
    entities = bench.declaring(ENTITIES)["add_lamp"].declared.entities
    for name, arguments in calls.items():
        if name == "clashes":  # of three fields
            continue
        named = {
            "ENTITY": "lamp",
            "FIELD": "title",
            "SHOWN": "note",
            "BY": "title",
            "SUMMED": "title",
            "ARGUMENT": "title",
        }
        parts = [named.get(one, "title") for one in re.sub(r"[\[\]]", "", arguments).split(", ") if one != "…"]
        compile_expression(f"{name}({', '.join(parts)})", entities=entities)
    for operator in ["+", "-", "*", "/", "//", "%"]:
        assert f" {operator}" in told


@pytest.mark.parametrize("text", re.findall(r'"(?:status|body)": "([^"]+ if [^"]+)"', (Path(__file__).parents[3] / "tool_specs/prompts/author_server.portable.json").read_text().replace('\\"', '"').replace("\\n       ", "")))  # fmt: skip
def test_conditions_in_the_prompt_are_expressions(text: str):
    compile_expression(re.sub(r"\s+", " ", text))


# what the judge says


def test_the_judge_is_heard_once_and_links_of_other_tools_live_on(bench: Bench):
    server = copy.deepcopy(SERVER)
    server["tools"]["find_lamps"] = {
        "effect": {"find": "lamp", "at": "lights"},
        "result": {"lights": ["lamp_id", "title"]},
    }
    server["tools"]["switch_lamp"]["links"] = {"lamp_id": "find_lamps#/lights/*/lamp_id"}
    find = with_phrases({"phrases": FIND["phrases"], "say": FIND["say"]}, answer=["I found {lights}."])
    find["phrases"] = {**find["phrases"], "each": {"lights": ["{title:quoted} ({lamp_id})"]}}
    find["examples"] = FIND["examples"]
    switch = with_phrases(SWITCH, follow_up=["switch {lamp_id} {action}", "turn {lamp_id} {action}"])
    tools = {"find_lamps": find, "switch_lamp": switch}
    asked: list[tuple[str, str]] = []

    def reply(name: str, text: str) -> Any:
        asked.append((name, text))
        if name.startswith("5-"):
            return {"tools": {"find_lamps": {"phrases": {"answer": ["These are the lamps: {lights}."]}}}}
        return server if name.startswith("1-") else {"tools": tools}

    def verdicts(is_heard: bool) -> Scripted:
        def judging(name: str, text: str) -> Any:
            rows = re.split(r"^(\d+)\.$", text, flags=re.MULTILINE)
            bad = "Assistant: I found" if is_heard else "Result of find_lamps"
            told = {int(number): bad not in row for number, row in zip(rows[1::2], rows[2::2], strict=True)}
            fine = dict.fromkeys(("natural", "plausible", "useful"), True)
            return {
                "rows": [
                    {"number": number, **fine, "told": is_told, "why": "too curt"} for number, is_told in told.items()
                ]
            }

        return Scripted(judging)

    for is_heard in (True, False):
        asked.clear()
        oracle = Oracle()
        who = people(Scripted(reply), oracle, verdicts(is_heard), mends=True)
        done = asyncio.run(author(bench, who, load_author_prompts(None), {}, ["find_lamps", "switch_lamp"]))
        of = {tool.spec.name: tool for tool in done.tools}
        assert [name for name, _ in asked if name.startswith("5-")] == ["5-judged-01-find_lamps-again"]
        assert "find_lamps: a row made of it is not told (too curt): " in asked[-1][1]
        assert bool(of["find_lamps"].refused) is not is_heard
        assert (("links", "lamp_id") in of["switch_lamp"].pieces) is is_heard
        assert oracle.seen.count("Please find lamps.") == 2  # once by each reader


def test_an_answer_that_would_tell_json_is_not_kept(bench: Bench):
    spec = judged(bench, "change_lamp", {}).spec
    returns = {
        "type": "object",
        "properties": {
            "lamp": {"type": "object", "additionalProperties": {"type": "string"}},
            "flat": {"type": "object", "examples": [{"room": "hall"}]},
            "deep": {"type": "object", "examples": [{"rooms": ["hall", "attic"]}]},
            "name": {"type": "string"},
        },
    }

    def answering(say: str) -> list[str]:
        phrases = msgspec.structs.replace(spec.phrases, answer=(AnswerPhrase(say),), each={})
        return [text for text, _ in told_as_json(msgspec.structs.replace(spec, returns=returns, phrases=phrases))]

    for wrong in ("I've changed {name}: {lamp}.", "I've changed {name}: {deep:pairs}."):
        assert answering(wrong) == [wrong]
    assert answering("I've changed {name}: {flat:pairs}.") == []
    assert answering("I've changed {name}.") == []
