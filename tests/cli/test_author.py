"""`tools author`: what it costs, what it writes, that it goes on where it stopped, and that files may take a model's place."""

import json
import re
from pathlib import Path
from typing import Any

import author_answers
from authors import numbered
from command import Command
from llm_server import fake_server
from nightly import night

SERVER = Path(__file__).parents[2] / "tool_specs" / "mcp" / "fieldworks.json"
TOOL = "fieldworks_get_job"


def answer_to(text: str) -> dict[str, Any]:
    """What an obliging author, reader or judge says of one tool."""
    if "Describe what they act on." in text:
        return author_answers.SERVER
    if "Describe these:" in text:
        return {"tools": {TOOL: author_answers.TOOLS[TOOL]}}
    if "The conversations:" in text:
        numbers = re.findall(r"^(\d+)\.$", text.partition("The conversations:")[2], re.MULTILINE)
        fine = dict.fromkeys(("natural", "plausible", "useful", "told"), True)
        return {"rows": [{"number": int(number), **fine} for number in numbers]}
    return {"readings": [entry(number, said) for number, said in numbered(text)]}


FIELDS = {
    "Job [A: ID] ([B: text]) is [C: choice].": ("job_id", "title", "status"),
    "[A: text], job [B: ID], is due on [C: date] and its status is [D: choice].": (
        "title",
        "job_id",
        "due_date",
        "status",
    ),
    "The status of [A: ID] is [B: choice]; it's “[C: text]” with [D: choice] priority.": (
        "job_id",
        "status",
        "title",
        "priority",
    ),
}


def entry(number: int, said: str) -> dict[str, Any]:
    """How texts about a job are read."""
    fields = FIELDS.get(said, ("job_id",))
    found: dict[str, Any] = {
        "number": number,
        "tool": TOOL,
        "beyond": "",
        "slots": dict(zip("ABCD", fields, strict=False)),
    }
    if "history" in said:
        found["values"] = {"include_history": "including" in said}
    return found | ({"asks": "job_id"} if said.startswith("Which") else {})


def source(folder: Path) -> Path:
    """A copy of the server's tools, beside which files may be written."""
    spec = folder / "server.json"
    spec.write_bytes(SERVER.read_bytes())
    return spec


@night
def test_a_budget_stops_and_the_cache_goes_on(cli: Command, tmp_path: Path):
    overlay, spec = tmp_path / "mine.yaml", source(tmp_path)
    with fake_server(
        reply=lambda asked: json.dumps(answer_to("\n".join(m["content"] for m in asked["messages"])))
    ) as server:
        command = (
            "tools",
            "author",
            str(spec),
            "--model",
            "openai/x",
            "--api-base",
            server.base,
            "--write",
            str(overlay),
        )
        command += ("--only", TOOL, "--price", "2", "8")
        stopped = cli(*command, "--requests", "2")
        assert stopped.code == 3
        assert not overlay.exists()
        assert "the same command goes on" in stopped.err
        done = cli(*command)
        assert done.code == 0, done.err
        assert len(server.asked) == 6  # the server, the tool, two readings, the judge twice: each once
    assert "about $" in done.out
    assert "also reads what it wrote" in done.err
    assert f"{TOOL}  15 of 15 texts kept" in done.out
    assert cli("tools", "check", str(spec), "--overlay", str(overlay), "--rows", "2").code == 0


def test_the_cost_is_told_before_anybody_is_asked_and_sixty_tools_take_eighty_requests(cli: Command, tmp_path: Path):
    done = cli("tools", "author", str(SERVER), "--model", "openai/gpt-4o-mini", "--dry-run")
    assert done.code == 0
    assert "$" in done.out
    number = int(re.match(r"about (\d+) requests", done.out)[1])  # type: ignore[index]
    tools = json.loads(SERVER.read_text())["tools"]
    more = [{**tool, "name": f"{tool['name']}_{turn}"} for turn in range(3) for tool in tools][:60]
    many = tmp_path / "many.json"
    many.write_text(json.dumps({"tools": more}))
    sixty = cli("tools", "author", str(many), "--model", "openai/gpt-4o-mini", "--dry-run")
    assert number < int(re.match(r"about (\d+) requests", sixty.out)[1]) <= 80  # type: ignore[index]


def test_answers_may_come_from_files(cli: Command, tmp_path: Path):
    overlay, spec, folder = tmp_path / "mine.yaml", source(tmp_path), tmp_path / "prompts"
    command = ("tools", "author", str(spec), "--folder", str(folder), "--write", str(overlay), "--only", TOOL)
    steps = []
    for _ in range(7):
        done = cli(*command)
        if done.code == 0:
            break
        assert done.code == 3
        steps.append(done.out.splitlines()[-1].partition(":")[0])
        for prompt in folder.glob("*.prompt.md"):
            answer = prompt.with_name(prompt.name.replace(".prompt.md", ".answer.json"))
            answer.write_text(f"```json\n{json.dumps(answer_to(prompt.read_text()))}\n```\n")
    assert steps == ["server", "tools", "readers", "judge", "conversations"]
    assert done.code == 0, done.err
    assert "origin: model" in overlay.read_text()
    shown = cli("tools", "show", str(spec), TOOL, "--overlay", str(overlay))
    assert "level: authored" in shown.out
    reviewed = cli("tools", "review", str(spec))
    assert reviewed.code == 0, reviewed.err
    page = (tmp_path / "server.review.html").read_text()
    assert page.count('"state":') == 15
    assert "pull up job {job_id}" in page
    assert '"decisions":"server.decisions.yaml"' in page
    assert not re.search(r"(?:src|href)=|@import|url\(", page)  # nothing from elsewhere


def test_there_is_nothing_to_review_before_anything_is_authored(cli: Command, tmp_path: Path):
    done = cli("tools", "review", str(source(tmp_path)))
    assert (done.code, "tools author" in done.err) == (2, True)


def test_who_writes_must_be_said(cli: Command):
    done = cli("tools", "author", str(SERVER))
    assert (done.code, "--folder" in done.err) == (2, True)
