"""An edition: the same bytes for the same version, whatever is added; lines as its schema says; tests that others copy."""

import hashlib
import json
import os
import shutil
import subprocess
import sys
from itertools import accumulate
from pathlib import Path

import jsonschema_rs
import known_results
import msgspec
import pytest
import reference_parsers
import servers
from nightly import night, one_in

from generator.corpus import grid
from generator.corpus import release as making
from generator.corpus.check import judge
from generator.corpus.check.plain import Pieces, plain_stream
from generator.corpus.grid import grid_cases, hazards
from generator.corpus.release import editions, make_edition, release_lines, release_makers
from generator.formats.wire.format import wire_formats

ROOT = Path(__file__).parents[2]
EDITION = max((*editions(), *map(int, making.withdrawn_cases()))) + 1
"""The next one, which holds all formats and hazards."""
DRIVER = ROOT / "docs/drivers/driver.mjs"
REFERENCE = """
import reference_parsers

FORMAT = "{}"


def parse(text, tools):
    return reference_parsers.parse(FORMAT, text, tools)


def stream(pieces, tools):
    return reference_parsers.stream(FORMAT, pieces, tools)
"""
WHEEL = f"tool_call_cases-{EDITION}-py3-none-any.whl"
IN_NODE = """
export const parse = (text, tools) => {
  const sent = deltas([text], tools);
  return { content: sent.map((delta) => delta.content ?? "").join(""), tool_calls: sent.flatMap((d) => d.tool_calls ?? []) };
};
export function* stream(pieces, tools) {
  const machine = parser(tools);
  for (const piece of pieces) yield* machine.feed(piece);
  yield* machine.finish();
}
"""


@pytest.fixture(scope="module")
def edition(tmp_path_factory):
    """The next edition on disk."""
    folder = tmp_path_factory.mktemp("edition") / "cases-1"
    making.write_edition(EDITION, folder)
    return folder


def test_a_published_edition_keeps_its_bytes(edition):
    """Fails when a line of an old edition changes: a new hazard belongs to the next one."""
    for number, known in editions().items():
        made = make_edition(number).files
        for name, digest in known.sha256.items():
            assert hashlib.sha256(made[f"cases/{name}.jsonl"]).hexdigest() == digest, name
    told = json.loads((edition / "RELEASE.json").read_text())["sha256"]
    files = {path.relative_to(edition).as_posix(): path for path in edition.rglob("*") if path.is_file()}
    del files["RELEASE.json"], files[WHEEL]
    assert told == {name: hashlib.sha256(path.read_bytes()).hexdigest() for name, path in files.items()}


@pytest.mark.parametrize("name", ["hermes", "glm45", "llama_pythonic", "harmony"])
def test_a_new_hazard_changes_no_line_that_is_there(name, monkeypatch):
    maker = release_makers()[name]
    before = dict(release_lines(maker))
    added = grid.Hazard(name="added_today", about="A text holds a tilde.", text="~")
    known = hazards()
    monkeypatch.setattr(grid, "hazards", lambda: (added, *known))
    after = dict(release_lines(maker))
    assert {case for case in after if case not in before} == {case for case in after if case.startswith("grid-added")}
    assert {case: line for case, line in after.items() if case in before} == before
    assert dict(release_lines(maker, frozenset(hazard.name for hazard in known))) == before


def test_every_line_is_as_the_schema_says_and_can_be_read_strictly(edition):
    schema = json.loads((edition / "case.schema.json").read_text())
    check = jsonschema_rs.validator_for(schema)
    tools = {tool["function"]["name"] for tool in json.loads((edition / "tools.json").read_text())}
    told = json.loads((edition / "RELEASE.json").read_text())
    assert set(told["formats"]) == set(wire_formats())
    for name in told["formats"]:
        data = (edition / f"cases/{name}.jsonl").read_bytes()
        assert len(data) < 450_000
        lines = [json.loads(line) for line in data.decode().split("\n") if line]
        assert [line["id"] for line in lines] == sorted({line["id"] for line in lines})
        for line in lines:
            if not line["hazard"].startswith("depth_"):
                check.validate(line)
            json.dumps(line, ensure_ascii=False).encode()  # no half of a surrogate pair
            size = len(line.get("text", "").encode())
            assert all(sum(plan["sizes"]) == size for plan in line["plans"])
            assert line["verdict"] == "i" or {call["name"] for call in line["oracle"]["tool_calls"]} <= tools
            assert line["hazard"] in told["hazards"]


def test_the_pages_of_an_edition_name_what_is_in_it(edition):
    page = (edition / "README.md").read_text()
    assert "$" not in page
    assert all(f"| `{name}` |" in page for name in [*wire_formats(), *(hazard.name for hazard in hazards())])
    holder = "Copyright 2026 The authors of tool-use-generator"
    assert holder in (edition / "LICENSE").read_text()
    text = (ROOT / "LICENSE").read_text().replace("Copyright [yyyy] [name of copyright owner]", holder)
    assert (edition / "LICENSE").read_text() == text


def run_pytest(folder, *more, path=""):
    env = {**os.environ, "PYTHONPATH": f"{ROOT}:{ROOT / 'tests'}:{path}", "PYTEST_ADDOPTS": ""}
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:cacheprovider",
        "-p",
        "no:xdist",
        "-p",
        "no:randomly",
        *(more if any(word.endswith(".py") for word in more) else (*more, ".")),
    ]
    return subprocess.run(command, cwd=folder, env=env, capture_output=True, text=True, timeout=120)


def copied(edition, folder, test, name):
    (folder / "cases").mkdir()
    for file in (test, "tools.json", "RELEASE.json", "withdrawn.json", "tool_call_judge.py", f"cases/{name}.jsonl"):
        shutil.copy(edition / file, folder / file)


@night
def test_the_pytest_file_passes_for_a_right_parser_and_names_the_hazard_of_a_wrong_one(edition, tmp_path):
    copied(edition, tmp_path, "test_tool_parser.py", "qwen3_coder")
    adapter = tmp_path / "tool_parser_adapter.py"
    adapter.write_text(REFERENCE.format("qwen3_coder"))
    ran = run_pytest(tmp_path)
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert "passed" in ran.stdout
    wrong = '    told = reference_parsers.parse(FORMAT, text.replace("&", ""), tools)\n    return told'
    adapter.write_text(
        adapter.read_text().replace("    return reference_parsers.parse(FORMAT, text, tools)", wrong)
        + '\nKNOWN = {"whole": {"grid-ampersand-first": "#1"}}\n'
    )
    ran = run_pytest(tmp_path, "-k", "test_whole")
    failed = {line.partition("[")[2].partition("]")[0] for line in ran.stdout.splitlines() if line.startswith("FAILED")}
    assert {case.partition("grid-")[2].rpartition("-")[0] for case in failed} == {"ampersand", "entity"}
    assert "grid-ampersand-first" not in failed
    assert "1 xfailed" in ran.stdout


@night
def test_the_vitest_file_passes_for_a_right_parser_and_fails_for_a_wrong_one(edition, tmp_path):
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("npm is not installed: the file for vitest was not run")
    install = [npm, "install", "--no-audit", "--no-fund", "--ignore-scripts", "--prefer-offline", "vitest@2"]
    if subprocess.run(install, cwd=tmp_path, capture_output=True, timeout=240).returncode:
        pytest.skip("vitest cannot be installed here: the file for vitest was not run")
    copied(edition, tmp_path, "tool_parser.test.mjs", "hermes")
    parser = DRIVER.read_text().partition("for await")[0].partition("// An example")[2].partition("\n")[2]
    adapter = tmp_path / "tool_parser_adapter.mjs"
    adapter.write_text(f'export const FORMAT = "hermes";\n{parser}{IN_NODE}')
    run = [tmp_path / "node_modules/.bin/vitest", "run"]
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 0, ran.stdout[-2000:]
    adapter.write_text(adapter.read_text().replace("JSON.stringify(call.arguments)", '"{}"'))
    ran = subprocess.run(run, cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert ran.returncode == 1
    assert "grid-zero" in ran.stdout


SPOILED = (
    lambda deltas, last: deltas,
    lambda deltas, last: deltas[:-1],
    lambda deltas, last: [{**delta, "after": last} for delta in deltas],
    lambda deltas, last: deltas[:1] + deltas,
    lambda deltas, last: [
        {**d, "tool_calls": [{**c, "index": c["index"] + 1} for c in d.get("tool_calls", ())]} for d in deltas
    ],
    lambda deltas, last: [{**d, "tool_calls": [{**c, "id": "a"} for c in d.get("tool_calls", ())]} for d in deltas],
    lambda deltas, last: [*deltas, {"after": last, "tool_calls": [{"index": 0, "name": "ping", "arguments": "{"}]}],
    lambda deltas, last: [{**d, "content": d.get("content", "").replace(" ", "_")} for d in deltas],
)
"""Ways to send what a right parser sends wrongly."""


@pytest.mark.parametrize("name", one_in(3, ("hermes", "kimi_k2", "qwen35", "harmony", "gemma4")))
def test_the_file_for_vitest_judges_as_the_one_in_python_does(edition, tmp_path, name):
    if shutil.which("node") is None:
        pytest.skip("node is not installed: the file for vitest was not run")
    tools = json.loads((edition / "tools.json").read_text())
    lines = (edition / f"cases/{name}.jsonl").read_text().splitlines()
    rows = []
    for number, case in enumerate(json.loads(line) for line in lines if '"depth_' not in line and '"plans":[{' in line):
        for plan in case["plans"][:2]:
            pieces = Pieces([piece.decode() for piece in cut_bytes(judge.text_of(case), plan["sizes"])])
            deltas = plain_stream(reference_parsers.stream(name, pieces, tools), pieces)["deltas"]
            deltas = SPOILED[number % len(SPOILED)](deltas, len(pieces))
            end = judge.end_of(deltas)
            wrong = end.fault or judge.judge(case, end.content, end.calls, streamed=True)
            wrong = wrong or judge.judge_time(case, plan["sizes"], deltas)
            rows.append({"case": case, "sizes": plan["sizes"], "deltas": deltas, "wrong": bool(wrong)})
    script = (edition / "tool_parser.test.mjs").read_text()
    head, functions = script.partition("const FOLDER")[0], "const PATIENCE" + script.partition("const PATIENCE")[2]
    kept = [line for line in head.splitlines() if "vitest" not in line and "adapter" not in line]
    (tmp_path / "rows.json").write_text(json.dumps(rows))
    (tmp_path / "judge.mjs").write_text(
        "\n".join([*kept, "const adapter = {};", functions.partition("function* streamed")[0], COMPARE])
    )
    ran = subprocess.run(["node", "judge.mjs"], cwd=tmp_path, capture_output=True, text=True, timeout=120)
    assert (ran.stdout, ran.stderr) == ("", "")
    assert len(rows) / 4 < sum(row["wrong"] for row in rows) < len(rows)


COMPARE = """
for (const { case: one, sizes, deltas, wrong } of JSON.parse(readFileSync("rows.json", "utf8"))) {
  const end = endOf(deltas);
  const found = end.fault ?? judge(one, end.content, end.calls, true) ?? judgeTime(one, sizes, deltas);
  if (Boolean(found) !== wrong) console.log(one.id, found);
}
"""


def cut_bytes(data, sizes):
    ends = list(accumulate(sizes))
    return [data[end - size : end] for end, size in zip(ends, sizes, strict=True)]


KNOWN = [msgspec.json.decode(line) for line in known_results.FILE.read_bytes().splitlines()]


@night
@pytest.mark.parametrize("parser", one_in(8, sorted({known["parser"] for known in KNOWN})))
def test_every_known_result_is_reproduced(parser):
    assert parser in {one for parsers in servers.READERS.values() for one in parsers}
    for known in [known for known in KNOWN if known["parser"] == parser]:
        maker = release_makers()[known["format"]]
        cases = {case.id: case for case in grid_cases(maker) if case.id in known["cases"]}
        assert set(cases) == set(known["cases"])
        for case in cases.values():
            assert known_results.labels_of(maker, parser, case)[known["streamed"]] == known["label"], case.id


class TestCommand:
    def test_it_tells_what_it_wrote_and_replaces_nothing_else(self, cli, tmp_path, monkeypatch):
        monkeypatch.setattr(making, "release_makers", lambda: {"hermes": release_makers()["hermes"]})
        monkeypatch.setattr(making, "wire_formats", lambda: {"hermes": wire_formats()["hermes"]})
        monkeypatch.setattr(making, "editions", dict)
        out = tmp_path / "one"
        ran = cli("corpus", "release", "--version", str(EDITION), "--out", out)
        assert (ran.code, f"edition {EDITION} (not published yet" in ran.out) == (0, True)
        again = cli("corpus", "release", "--version", str(EDITION), "--out", out)
        assert (again.code, "--overwrite replaces it" in again.err) == (2, True)
        first = {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        (out / "tool_parser_adapter.py").write_text("mine")  # what the edition has not written stays
        (out / "cases" / "of_old.jsonl").write_text("")
        assert cli("corpus", "release", "--version", str(EDITION), "--out", out, "--overwrite").code == 0
        now = {path.name: path.read_bytes() for path in out.rglob("*") if path.is_file()}
        assert now == {**first, "tool_parser_adapter.py": b"mine"}
        (out / "RELEASE.json").unlink()
        kept = cli("corpus", "release", "--version", str(EDITION), "--out", out, "--overwrite")
        assert (kept.code, "which is no edition" in kept.err) == (2, True)

    def test_an_edition_that_is_not_the_next_one_or_is_withdrawn_is_refused(self):
        with pytest.raises(making.OutputError, match=f"the next one is {EDITION}"):
            make_edition(EDITION + 5)
        with pytest.raises(making.OutputError, match="this edition is withdrawn: ids held the verdict"):
            make_edition(1)

    def test_lines_that_are_no_longer_made_are_refused(self, monkeypatch):
        known = making.Edition(("ampersand",), {"hermes": "0" * 64})
        monkeypatch.setattr(making, "editions", lambda: {EDITION: known})
        with pytest.raises(making.OutputError, match="published with other lines"):
            make_edition(EDITION)
        lines = b"".join(line for _, line in release_lines(release_makers()["hermes"], frozenset(["ampersand"])))
        known = making.Edition(("ampersand",), {"hermes": hashlib.sha256(lines).hexdigest()})
        assert make_edition(EDITION).counts["hermes"] == {"y": 5}


def test_the_package_is_installed_and_its_tests_run_from_one_line(edition, tmp_path):
    """What somebody does who writes `tool-call-cases` into the requirements of their tests."""
    pip = [sys.executable, "-m", "pip", "install", "-q", "--no-index", "--no-deps", "--target", tmp_path / "site"]
    subprocess.run([*pip, edition / WHEEL], check=True, capture_output=True)
    (tmp_path / "test_calls.py").write_text("from tool_call_cases.test_tool_parser import *\n")
    (tmp_path / "tool_parser_adapter.py").write_text(REFERENCE.format("lfm25"))
    ran = run_pytest(tmp_path, "test_calls.py", "-k", "ampersand", path=tmp_path / "site")
    assert ran.returncode == 0, ran.stdout[-2000:]
    assert (tmp_path / "site" / f"tool_call_cases-{EDITION}.dist-info/licenses/LICENSE").is_file()


def test_a_withdrawn_case_is_left_out(edition, tmp_path):
    copied(edition, tmp_path, "test_tool_parser.py", "lfm25")
    wrong = REFERENCE.format("lfm25").replace(
        "parse(FORMAT, text, tools)", 'parse(FORMAT, text.replace("&", "+"), tools)'
    )
    (tmp_path / "tool_parser_adapter.py").write_text(wrong)
    places = ("first", "middle", "last", "alone", "key")
    ids = [f"lfm25/grid-{hazard}-{place}" for hazard in ("ampersand", "entity") for place in places]
    (tmp_path / "withdrawn.json").write_text(json.dumps({EDITION: dict.fromkeys(ids, "it was wrong")}))
    assert run_pytest(tmp_path, "-k", "test_whole and (amp or ent)").returncode == 0
    (tmp_path / "withdrawn.json").write_text(json.dumps({1: dict.fromkeys(ids, "it was wrong")}))
    assert run_pytest(tmp_path, "-k", "test_whole and (amp or ent)").returncode == 1
