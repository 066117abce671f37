"""The page with rows in it, as a person sees it in a browser, and its server."""

import json
import re
import threading
import urllib.error
import urllib.request
from pathlib import Path
from typing import Any

import msgspec
import pytest
from browser import FAULTS, Look, dom_of, needs_browser, told_by
from made_rows import TOKEN, made_row, recipe, write_rows
from measured import weather, write
from nightly import one_in

from generator.cli.show import browse_server
from generator.core.conversation import Violation
from generator.report.page import browse_page
from generator.run.row import MadeRow, RejectedRow

EVIL = "</script><script>document.body.dataset.evil=1</script><img src=x onerror=document.body.dataset.evil=1>\u202e"


def made(index: int) -> MadeRow:
    """A row; the third had an attempt that failed, the fourth says something evil, the fifth one format leaves out."""
    one = made_row(index, EVIL if index == 3 else f"Ada{index}{TOKEN if index == 4 else ''}")
    tagged = msgspec.structs.replace(one.row, tags=("odd" if index % 2 else "even",))
    wrong = RejectedRow(
        index=index,
        attempt=0,
        violations=(Violation("DF201", "$.messages[1]", "it is wrong"),),
        scenario="mixed",
        record=made_row(index, "Nobody").record,
    )
    return msgspec.structs.replace(one, row=tagged, rejected=(wrong,) if index == 2 else ())


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("run")
    write_rows(recipe(6, "openai", "openchatml"), [made(index) for index in range(6)], out)
    return out


def on_page(text: str) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    """What lists and filters need of each entry, and the rest of it."""
    data = re.search(r'<script type="application/json" id="data">(.*?)</script>', text)
    bodies = re.search(r'<script type="application/jsonl" id="bodies">(.*?)</script>', text, re.DOTALL)
    assert data is not None
    assert bodies is not None
    return json.loads(data[1])["rows"], [json.loads(line) for line in bodies[1].split("\n")]


def test_rejected_attempts_keep_their_text(folder: Path):
    told = [json.loads(line) for line in (folder / "rejected.jsonl").read_text().splitlines()]
    assert "Nobody" in told[0]["messages"][1]["content"]
    assert (told[0]["index"], told[0]["scenario"], told[0]["violations"][0]["rule"]) == (2, "mixed", "DF201")
    heads, bodies = on_page(browse_page([folder])[0])
    assert [head["kind"] for head in heads] == ["row"] * 6 + ["rejected", "left out"]
    assert bodies[2]["messages"][2]["calls"][0]["values"][0] == {
        "name": "customer", "value": '"Ada2"', "words": "the user says “Ada2”", "found": True, "span": [1, 17, 21],
    }  # fmt: skip
    assert "Nobody" in heads[6]["title"]


def test_only_so_many_are_on_a_page(folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    most = 1200
    monkeypatch.setattr("generator.report.page.MOST", most)
    line = (folder / "openai.jsonl").read_text().splitlines()[0]
    (tmp_path / "many.jsonl").write_text(f"{line}\n" * (most + 2))
    text, rows = browse_page([tmp_path / "many.jsonl"])
    assert rows == most
    assert f"records 1 to {most:,} of each; <code>browse --serve</code>" in text
    text, rows = browse_page([tmp_path / "many.jsonl"], most, served=True)
    assert rows == 2
    assert '<a href="?from=0">earlier</a>' in text


def test_a_run_has_the_same_page_of_a_sample(folder: Path):
    heads, bodies = on_page((folder / "index.html").read_text())
    browsed, said = on_page(browse_page([folder])[0])
    assert {head.pop("file") for head in heads} == {"openai.jsonl", "rejected.jsonl"}
    assert {head.pop("file") for head in browsed} == {str(folder / name) for name in ("openai.jsonl", "rejected.jsonl")}
    assert (heads, bodies) == (browsed, said)


def test_a_file_of_any_shape_is_shown(tmp_path: Path):
    rows = [weather(f"What's the weather in {city}?", city) for city in ("Oslo", "Rome")]
    lines = write(tmp_path / "rows.jsonl", rows).read_bytes().splitlines()
    (tmp_path / "rows.json").write_bytes(b"[" + b",\n".join([*lines, b'{"messages": 3}', b"[]"]) + b"]")
    heads, bodies = on_page(browse_page([tmp_path / "rows.json"])[0])
    assert [head["title"] for head in heads[:2]] == ["What's the weather in Oslo?", "What's the weather in Rome?"]
    assert [head["rules"] for head in heads] == [[], [], ["unreadable"], ["unreadable"]]
    assert bodies[3]["faults"][0]["message"] == heads[3]["title"]


@pytest.mark.parametrize("depth", [50, 1000, 3000])
def test_what_is_nested_too_deep_is_shown_as_such(tmp_path: Path, depth: int):
    deep = '{"a":' * depth + "1" + "}" * depth
    call = {"id": "a", "type": "function", "function": {"name": "f", "arguments": deep}}
    said = [{"role": "user", "content": "Go."}, {"role": "assistant", "content": None, "tool_calls": [call]}]
    lines = [json.dumps({"messages": said}), f'{{"messages":[{{"role":"user","content":{deep}}}]}}']
    (tmp_path / "openai.jsonl").write_text("\n".join(lines))
    wrong = f'{{"index":0,"scenario":"x","violations":[],"messages":[{{"role":"user","content":{deep}}}]}}'
    (tmp_path / "rejected.jsonl").write_text(wrong)
    heads, bodies = on_page(browse_page([tmp_path / "openai.jsonl"] * 2)[0])
    assert [head["kind"] for head in heads] == ["row", "row", "rejected"] * 2
    assert all(body["faults"] or body["messages"] for body in bodies)


def test_it_is_served_to_this_machine_alone(folder: Path):
    with browse_server((folder,), 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        with urllib.request.urlopen(f"{address}?from=4") as answer:
            assert b'"row":5' in answer.read()
        for path, host in (("other", ""), ("", "evil.example:80")):
            with pytest.raises(urllib.error.HTTPError, match="404"):
                urllib.request.urlopen(urllib.request.Request(address + path, headers={"Host": host} if host else {}))
        server.shutdown()


@needs_browser
class TestInABrowser:
    def seen(self, tmp_path: Path, text: str, link: str = "") -> str:
        """What stands on the page, with its policy."""
        (tmp_path / "rows.html").write_text(text, encoding="utf-8")
        return re.sub(
            r"<script.*?</script>", "", dom_of(f"file://{tmp_path}/rows.html{link}", tmp_path), flags=re.DOTALL
        )

    def test_a_link_to_a_row_and_nothing_of_the_data_is_obeyed(self, tmp_path: Path, folder: Path):
        dom = self.seen(tmp_path, browse_page([folder])[0], link="#0/4")
        assert '<h2><a href="#0/4" title="a link to it">Row 3</a></h2>' in dom
        assert "data-evil" not in dom
        assert "<img" not in dom
        assert "\\u202e" in dom
        assert "← the user says" in dom

    def test_filters_search_keys_and_marks(self, tmp_path: Path, folder: Path):
        script = """
        const told = {}, press = (k) => document.dispatchEvent(new KeyboardEvent("keydown", {key: k}));
        document.onkeydown = ((old) => (e) => old({key: e.key, preventDefault() {}, target: document.body}))(document.onkeydown);
        const heading = () => document.querySelector("h2").textContent;
        const choose = (name, value) => { const s = document.getElementById(name); s.value = value; s.onchange(); };
        press("j"); press("j"); told.after = heading(); press("g");
        told.marks = lines(); press("k"); told.back = heading();
        choose("tag", "odd"); told.odd = shown.map((row) => row.row);
        choose("tag", ""); choose("rule", "DF201"); told.rule = shown.map((row) => row.kind); told.text = document.querySelector("#row").textContent;
        choose("rule", ""); choose("mark", "good"); told.good = shown.map((row) => row.row);
        choose("mark", ""); document.getElementById("search").value = "ada5"; filter(); told.found = shown.map((row) => row.row);
        document.querySelector(".argument").onmouseenter(); told.lit = document.querySelector("mark").textContent;
        return told;
        """
        (told,) = told_by(tmp_path, [Look(browse_page([folder])[0])], script)
        assert (told["after"], told["back"]) == ("Row 2", "Row 1")
        assert json.loads(told["marks"]) == {
            "file": str(folder / "openai.jsonl"), "line": 3, "row": 2, "kind": "row", "mark": "good",
        }  # fmt: skip
        assert told["odd"] == [1, 3, 5]
        assert told["rule"] == ["rejected"]
        assert "DF201 $.messages[1] it is wrong" in told["text"]
        assert "Nobody" in told["text"]
        assert (told["good"], told["found"], told["lit"]) == ([2], [5], "Ada5")

    def test_figures_stand_behind_the_rows_and_lead_to_them(self, tmp_path: Path):
        rows = [weather(f"What's the weather in {city}?", city) for city in ("Oslo", "Rome")]
        wrong = weather("How is it there?", "Paris", days="three")
        text = browse_page([write(tmp_path / "rows.jsonl", [*rows, wrong])])[0]
        script = """
        const seen = (name) => document.getElementById(name).checkVisibility(), told = {first: [seen("row"), seen("behind")]};
        const choose = (name, value) => { const s = document.getElementById(name); s.value = value; s.onchange(); };
        const go = (hash) => { history.replaceState(null, "", hash); onhashchange(); };
        go("#figures"); told.then = [seen("row"), seen("behind")];
        const before = at; document.body.dispatchEvent(new KeyboardEvent("keydown", { key: "j", bubbles: true })); told.moved = at - before;
        const named = [...document.querySelectorAll("#behind p")].find((p) => p.textContent.startsWith("DF202"));
        told.leads = named.textContent; choose("rule", ""); search.value = "Oslo"; filter();
        go(named.querySelector("a").getAttribute("href")); told.last = [seen("row"), seen("behind")];
        told.heading = document.querySelector("h2").textContent; told.listed = shown.length;
        return told;
        """
        (told,) = told_by(tmp_path, [Look(text)], script)
        assert (told["first"], told["then"], told["last"]) == ([True, False], [False, True], [True, False])
        assert (told["leads"], told["heading"]) == ("DF202: for example row 2", "Line 3")
        assert told["moved"] == 0  # the keys are those of the list
        assert told["listed"] == 3  # what was searched for would have hidden the row

    def test_two_formats_side_by_side(self, tmp_path: Path, folder: Path):
        dom = self.seen(tmp_path, browse_page([folder / "openai.jsonl", folder / "openchatml.jsonl"])[0])
        assert dom.count("<article>") == 2
        assert "[INST]" not in dom.partition("the record")[0]
        assert dom.count("the record</summary>") == 2

    @pytest.mark.parametrize("dark", one_in(2, [False, True]))
    def test_nothing_is_cut_or_hard_to_read(self, tmp_path: Path, folder: Path, dark: bool):
        one, two = browse_page([folder])[0], browse_page([folder / "openai.jsonl", folder / "openchatml.jsonl"])[0]
        pages = ((one, "#0/4"), (one, "#0/rejected-1"), (two, "#0/2"))
        looks = [Look(text, width, link) for text, link in pages for width in (390, 1280)]
        assert told_by(tmp_path, looks, FAULTS, dark=dark) == [[]] * 6
