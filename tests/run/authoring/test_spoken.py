"""What nobody would say is told by rules: IDs without nouns, yes or no, nothing, words twice; and what a description leaves open."""

from pathlib import Path
from typing import Any

import author_answers
import pytest

from generator.core.overlays import join_pieces, split_pieces
from generator.core.toolbox import ToolSpec
from generator.recipe import ToolFile
from generator.run.authoring.bench import Bench, judge, open_bench
from generator.run.authoring.elements import pieces_of
from generator.run.authoring.tidying.spoken import without_what_people_do_not_say
from generator.run.authoring.tidying.tidy import words_for_fields
from generator.run.authoring.writer.mending import shown_of
from generator.run.authoring.writer.server import pieces_of_tool
from generator.run.authoring.writer.unused import fields_without_values, ignored_arguments

SERVER = Path(__file__).parents[3] / "tool_specs" / "mcp" / "fieldworks.json"
ENTITIES: dict[str, Any] = {
    "job": {
        "key": "job_id",
        "called": ["title"],
        "fields": {
            "job_id": {"type": "string", "pattern": "^[0-9a-f]{24}$"},
            "title": {"type": "string", "examples": ["Boiler service", "New fuse box", "Gutter repair"]},
            "due": {"type": ["string", "null"], "format": "date"},
            "done": {"type": "boolean"},
            "zorb": {"type": "string"},
        },
    }
}


@pytest.fixture(scope="module")
def bench() -> Bench:
    return open_bench(ToolFile(file=SERVER))


def said(bench: Bench, name: str, world: dict[str, Any], **phrases: Any) -> tuple[ToolSpec, dict[str, str]]:
    """The tool under some phrases, and those that nobody would say with the reason."""
    declared = bench.declaring(ENTITIES)[name]
    pieces = pieces_of_tool(world, ENTITIES) | split_pieces({"phrases": phrases})
    found = without_what_people_do_not_say(bench, declared, judge(bench, declared, pieces, bench.bare))
    assert pieces_of(found.kept)
    return found.spec, {one.text: why for one, why in found.dropped}


GET = {"effect": {"get": "job"}, "result": ["job_id", "title", "done"]}


@pytest.mark.parametrize(
    ("key", "bare", "named"),
    [
        ("request", "look up {job_id}", "look up the job {job_id}"),
        ("request", "tell me about {job_id}", "tell me about job {job_id}"),
        ("question", "what is the state of {job_id}", "what is the state of the job with the ID {job_id}"),
        ("entry", "{job_id} with its history", "{job_id}"),
        ("answer", "{title} is {job_id}.", "{title} ({job_id}) is there."),
        ("answer", "In {args.job_id} it says {title}.", "Job {args.job_id} is called {title}."),
    ],
)
def test_an_id_has_a_noun(bench: Bench, key: str, bare: str, named: str):
    own = {"request": ["see job {job_id}", "check on job {job_id}"], "answer": ["{title} it is."]}
    _, wrong = said(bench, "fieldworks_get_job", GET, **own | {key: [*own.get(key, []), bare, named]})
    assert [*wrong] == [bare]
    assert "is an ID without a noun" in wrong[bare]


def test_an_id_that_tells_what_it_is_of_may_stand_alone_in_answers(bench: Bench):
    name = "fieldworks_get_job"
    declared = bench.declaring(author_answers.SERVER["entities"])[name]
    world = pieces_of_tool(author_answers.SERVER["tools"][name], author_answers.SERVER["entities"])
    judged = judge(bench, declared, world | split_pieces(author_answers.TOOLS[name]), bench.bare)
    assert without_what_people_do_not_say(bench, declared, judged) == judged


def test_yes_or_no_needs_words_and_nothing_is_not_said(bench: Bench):
    world = {"effect": {"find": "job", "at": "jobs"}, "result": {"jobs": ["job_id", "title", "due", "done"]}}
    each = {"jobs": ["{title} ({done})", "{title} (due {due})", "{title}"]}
    own = {"request": ["list the jobs"], "answer": ["I found {jobs}."], "each": each}
    spec, wrong = said(bench, "fieldworks_list_jobs", world, **own)
    assert {text: why.partition(":")[0] for text, why in wrong.items()} == {
        "{title} ({done})": "{done} is yes or no",
        "{title} (due {due})": "due may be null, which nobody says",
    }
    _, wrong = said(
        bench, "fieldworks_list_jobs", world, **own, synonyms={"done": {"true": ["done"], "false": ["open"]}}
    )
    assert "{title} ({done})" not in wrong
    assert words_for_fields(spec) == {}


def test_no_noun_is_named_twice(bench: Bench):
    own = {"request": ["show what is on the job", "show the plan"], "answer": ["Here are {jobs}."]}
    own["each"] = {"jobs": ["{title}"]}
    world = {"effect": {"find": "job", "at": "jobs"}, "result": {"jobs": ["job_id", "title"]}}
    _, wrong = said(bench, "fieldworks_list_jobs", world, **own, slots={"status": ["of the job {status}"]})
    assert [*wrong] == ["show what is on the job"]


def test_what_a_description_leaves_open(bench: Bench):
    assert [*fields_without_values(ENTITIES["job"])] == ["zorb"]
    assert "zorb" not in pieces_of_tool({**GET, "result": ["job_id", "zorb"]}, ENTITIES)["returns",]["properties"]
    spec, _ = said(bench, "fieldworks_list_jobs", {"effect": {"find": "job", "at": "jobs"}}, request=["list the jobs"])
    assert [*ignored_arguments(spec)] == ["technician_id"]


def test_the_writer_sees_what_is_at_fault_again():
    tools = {"a": {"effect": {"get": "job"}, "phrases": {"request": ["x"], "slots": {"city": ["y"], "day": ["z"]}}}}
    faults = ["a: phrases.slots.city.true: 'y': no", "entities.job: fields.zorb: no values", "b: nothing is said of it"]
    shown = shown_of({"entities": {"job": {"key": "k"}, "jobs": {}}, "tools": tools}, faults)
    assert shown == '{"entities": {"job": {"key": "k"}}, "tools": {"a": {"phrases": {"slots": {"city": ["y"]}}}}}'
    assert shown_of({"tools": tools}, ["not JSON"]) == ""
    assert join_pieces(split_pieces(tools["a"])) == tools["a"]
