"""A model describes tools: what it says is checked, mended once, then dropped piece by piece."""

import json
from pathlib import Path
from typing import Any

import pytest
from llm_server import fake_server

from generator.overlays import name_of_piece
from generator.recipe import ToolFile
from generator.recipe.llm import Budget, Llm
from generator.run.author import Authored, author
from generator.run.described import DescribedTool, describe_source

SERVER = Path(__file__).parents[2] / "tool_specs" / "mcp" / "fieldworks.json"
GOOD: dict[str, dict[str, Any]] = {
    "fieldworks_get_job": {
        "returns": {
            "type": "object",
            "properties": {
                "job_id": {"type": "string"},
                "title": {
                    "type": "string",
                    "examples": ["Boiler service", "Roof leak", "New fuse box", "Heat pump check"],
                },
                "status": {"type": "string", "enum": ["open", "scheduled", "done"]},
            },
            "required": ["job_id", "title", "status"],
        },
        "phrases": {
            "request": ["look up job {job_id}", "show me how job {job_id} is going", "pull up job {job_id}"],
            "question": ["what's the state of job {job_id}"],
            "slots": {"include_history": {"true": ["including its history"], "false": ["without its history"]}},
            "answer": ["Job {args.job_id} ({title}) is {status}.", "{title} is {status}: that is job {args.job_id}."],
        },
    },
    "fieldworks_search_parts": {
        "examples": {
            "query": ["circulation pump", "copper pipe", "thermostat valve", "door gasket", "fuse holder", "roof tile"]
        },
        "say": {"limit": "seldom"},
        "phrases": {
            "request": ["look for {query} in the parts catalog", "find parts such as {query}"],
            "question": ["do we have a {query}"],
            "slots": {"in_stock_only": {"true": ["as long as it is in stock"], "false": ["in stock or not"]}},
        },
    },
}
FAULTY: list[tuple[str, dict[str, Any]]] = [
    ("phrases.request", {"phrases": {"request": ["Look up job {job_id}", "pull up job {job_id}"]}}),
    ("phrases.request", {"phrases": {"request": ["look up job {job_id}.", "pull up job {job_id}"]}}),
    ("phrases.request", {"phrases": {"request": ["please look up job {job_id}", "pull up job {job_id}"]}}),
    ("phrases.request", {"phrases": {"request": ["look up job {id}", "pull up job {job_id}"]}}),
    ("phrases.request", {"phrases": {"request": ["look up job JOB-20417", "pull up job {job_id}"]}}),
    ("phrases.request", {"phrases": {"request": ["delete job {job_id}", "pull up job {job_id}"]}}),
    ("phrases.slots.include_history", {"phrases": {"slots": {"include_history": {"true": ["with its history"]}}}}),
    ("phrases.answer", {"phrases": {"answer": ["Job {job} is done."]}}),
    ("kinds.job_id", {"kinds": {"job_id": "job_code"}}),
    ("links.job_id", {"links": {"job_id": "fieldworks_search_customers#/customers/*/customer_id"}}),
    ("examples.job_id", {"examples": {"job_id": [17, 18, 19]}}),
]


@pytest.fixture(scope="module")
def tools() -> list[DescribedTool]:
    return describe_source(ToolFile(file=SERVER))


def asked_about(asked: dict[str, Any]) -> str:
    text = next(message["content"] for message in asked["messages"] if message["role"] == "user")
    return str(json.loads(text.partition("The function:\n")[2].partition("\n")[0])["name"])


def described(
    tools: list[DescribedTool], folder: Path, reply: Any, *names: str, reads: bool = False, **settings: Any
) -> list[Authored]:
    with fake_server(reply=reply) as server:
        llm = Llm(model="openai/x", api_base=server.base, **settings)
        reader = Llm(model="openai/reader", api_base=server.base, **settings) if reads else None
        wanted = [tool for tool in tools if tool.spec.name in names]
        return list(author(wanted, tools, llm, folder / "cache", reader).tools)


def test_good_answers_are_kept_whole(tools: list[DescribedTool], tmp_path: Path):
    done = described(tools, tmp_path, lambda asked: json.dumps(GOOD[asked_about(asked)]), *GOOD)
    assert [(one.asked, one.dropped, len(one.pieces) == one.given) for one in done] == [(1, (), True)] * 2
    assert done[0].spec.phrases.question == ("what's the state of job {job_id}",)
    assert set(done[0].spec.origins.values()) == {"derived", "model"}


@pytest.mark.parametrize(("piece", "extra"), FAULTY)
def test_a_piece_that_stays_faulty_is_dropped_and_the_others_stay(
    tools: list[DescribedTool], tmp_path: Path, piece: str, extra: dict[str, Any]
):
    good = GOOD["fieldworks_get_job"]
    bad = {**good, **extra, "phrases": {**good["phrases"], **extra.get("phrases", {})}}

    def stubborn(asked: dict[str, Any]) -> str:
        return json.dumps(bad)

    (left,) = described(tools, tmp_path, stubborn, "fieldworks_get_job")
    assert left.asked == 2
    assert piece in dict(left.dropped)
    kept = {name_of_piece(one) for one in left.pieces}
    assert piece not in kept
    assert "phrases.question" in kept
    assert left.spec.phrases.request


def test_a_faulty_answer_is_mended_once(tools: list[DescribedTool], tmp_path: Path):
    good = GOOD["fieldworks_get_job"]
    bad = {**good, **FAULTY[0][1]}

    def willing(asked: dict[str, Any]) -> str:
        return json.dumps(bad if len(asked["messages"]) < 4 else good)

    (mended,) = described(tools, tmp_path, willing, "fieldworks_get_job")
    assert (mended.asked, mended.dropped, len(mended.pieces)) == (2, (), mended.given)


def test_an_answer_that_is_no_json_leaves_what_was_derived(tools: list[DescribedTool], tmp_path: Path):
    (one,) = described(tools, tmp_path, lambda asked: "I cannot do that.", "fieldworks_get_job")
    assert (one.pieces, one.asked) == ({}, 2)
    assert one.spec.phrases.request == next(
        tool.spec.phrases.request for tool in tools if tool.spec.name == "fieldworks_get_job"
    )


def read_as_meant(asked: dict[str, Any], tool: str, wrong: str = "") -> str:
    """The answer of a second model that reads all requests as meant, but for those that hold a text."""
    text = next(message["content"] for message in asked["messages"] if message["role"] == "user")
    requests = [line.partition(". ") for line in text.partition("The requests:\n")[2].splitlines()]
    return json.dumps(
        {
            "readings": [
                {
                    "request": int(number),
                    "tool": "fieldworks_list_jobs" if wrong and wrong in said else tool,
                    "gaps": {},
                }
                for number, _, said in requests
            ]
        }
    )


def test_a_second_model_reads_phrases_back_and_what_it_reads_otherwise_is_mended(
    tools: list[DescribedTool], tmp_path: Path
):
    name = "fieldworks_get_job"
    good = GOOD[name]
    misleading = {
        **good,
        "phrases": {**good["phrases"], "request": ["show me all jobs like {job_id}", "pull up job {job_id}"]},
    }
    seen: list[str] = []

    def reply(asked: dict[str, Any]) -> str:
        seen.append(asked["model"])
        if asked["model"] == "reader":
            return read_as_meant(asked, name, wrong="all jobs like")
        return json.dumps(misleading if len(asked["messages"]) < 4 else good)

    (mended,) = described(tools, tmp_path / "a", reply, name, reads=True)
    assert (mended.asked, mended.dropped) == (2, ())
    assert seen == ["x", "reader", "x", "reader"]
    (kept,) = described(tools, tmp_path / "b", reply, name)  # off unless asked for
    assert kept.spec.phrases.request[0] == "show me all jobs like {job_id}"


def test_a_phrase_that_stays_misread_is_dropped_with_how_it_was_read(tools: list[DescribedTool], tmp_path: Path):
    name = "fieldworks_search_parts"

    def reply(asked: dict[str, Any]) -> str:
        if asked["model"] == "reader":
            text = str(asked["messages"])
            count = text.partition("The requests:")[2].count("[A]")
            return json.dumps(
                {"readings": [{"request": 1, "tool": name, "gaps": {"A": "limit"}}] if count else {"readings": []}}
            )
        return json.dumps(GOOD[name])

    (left,) = described(tools, tmp_path, reply, name, reads=True)
    assert dict(left.dropped) == {
        "phrases.request": "'look for [A] in the parts catalog': [A] is read as limit, not as query"
    }


def test_reading_back_counts_in_the_budget(tools: list[DescribedTool], tmp_path: Path):
    with fake_server(
        reply=lambda asked: (
            json.dumps(GOOD[asked_about(asked)])
            if asked["model"] == "x"
            else read_as_meant(asked, "fieldworks_get_job")
        )
    ) as server:
        llm = Llm(model="openai/x", api_base=server.base, budget=Budget(requests=1))
        reader = Llm(model="openai/reader", api_base=server.base, budget=Budget(requests=1))
        done = author(
            [tool for tool in tools if tool.spec.name == "fieldworks_get_job"], tools, llm, tmp_path / "cache", reader
        )
    assert (done.requests, done.tools) == (1, ())
    assert "llm.budget.requests" in done.stopped
