"""The page of a report, as text and as a person sees it in a browser."""

import http.server
import re
import threading
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import FAULTS, Look, dom_of, needs_browser, told_by
from measured import WEATHER, talk, turn, weather, write

from generator.conversation import Tool
from generator.report import METRICS, Report, files_to_measure, measure_files
from generator.report.page import page

EVIL = '</title></style><script>document.body.dataset.evil="1"</script><img src="http://127.0.0.1:{port}/evil">\u202e\x00&amp;`<b>`'


def hostile(folder: Path, port: int) -> Report:
    """A report in which everything that comes from data is hostile."""
    evil = EVIL.format(port=port)
    tool = Tool(name=evil, description=evil, parameters={"type": "object", "properties": {evil: {"type": "string"}}})
    said = f"{evil} what is it? {evil}"
    rows = [talk(*turn(said, [(evil, {evil: evil}, {evil: [evil]})], answer=evil), tools=(tool, WEATHER))] * 12
    path = write(folder / "rows.jsonl", rows, "deepfabric")
    path.write_bytes(path.read_bytes() + b'{"messages":[{"role":"<script>"}]}\n')
    return measure_files(evil, files_to_measure(path))


class _Elements(HTMLParser):
    """What a page is made of."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: set[str] = set()
        self.attributes: set[str] = set()
        self.open: list[str] = []
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.attributes |= {name for name, _ in attrs}
        if tag not in ("meta",):
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


@pytest.fixture
def reports(tmp_path: Path) -> list[Report]:
    """Two files of one kind."""
    rows = [weather(f"What's the weather in {city}?", city) for city in ("Oslo", "Rome", "Paris")]
    return [
        measure_files(name, files_to_measure(write(tmp_path / f"{name}.jsonl", rows))) for name in ("first", "second")
    ]


def test_the_page_is_well_formed_and_shows_every_figure(reports: list[Report]):
    text = page(reports)
    elements = _Elements(text)
    assert elements.open == []
    assert elements.tags.isdisjoint({"script", "img", "link", "iframe", "object"})
    assert all(f"<code>{name}</code>" in text for name in reports[0].figures)


def test_nothing_of_the_data_is_obeyed(tmp_path: Path):
    text = page([hostile(tmp_path, 1)])
    elements = _Elements(text)
    assert elements.tags.isdisjoint({"script", "img"})
    assert not any(name.startswith("on") for name in elements.attributes)
    assert "\u202e" not in text
    assert "\x00" not in text


def test_a_sample_says_so(tmp_path: Path):
    path = write(tmp_path / "rows.jsonl", [weather(f"{n}?", str(n)) for n in range(9)])
    text = page([measure_files("it", files_to_measure(path), [1, 4])])
    assert "9 rows; 2 of them, spread evenly, were looked at" in text
    assert "near_duplicates.plain</code> †" in text


@needs_browser
class TestInABrowser:
    def test_a_person_sees_the_figures_and_nothing_is_asked_for(self, tmp_path: Path):
        asked: list[str] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                body = (tmp_path / "report.html").read_bytes() if self.path == "/report.html" else b""
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            report = hostile(tmp_path, server.server_port)
            (tmp_path / "report.html").write_text(page([report]), encoding="utf-8")
            dom = dom_of(f"http://127.0.0.1:{server.server_port}/report.html", tmp_path)
            server.shutdown()
        assert [path for path in asked if path != "/favicon.ico"] == ["/report.html"]
        assert "data-evil" not in dom
        assert dom.count("<svg") > 8
        for metric in METRICS.values():
            assert f">{metric.title}</h2>" in dom
        assert "13 rows" in dom
        assert "1 cannot be read" in dom
        assert re.search(r"<title>[^<]*&lt;/title&gt;", dom)

    @pytest.mark.parametrize("dark", [False, True])
    def test_nothing_is_cut_or_hard_to_read(self, tmp_path: Path, reports: list[Report], dark: bool):
        pages = page(reports[:1]), page([*reports, hostile(tmp_path, 1)])
        looks = [Look(text, width) for text in pages for width in (390, 1280)]
        assert told_by(tmp_path, looks, FAULTS, dark=dark) == [[]] * 4

    def test_such_faults_are_found(self, tmp_path: Path, reports: list[Report]):
        spoilt = page(reports).replace(
            "</style>", "td { white-space: nowrap; min-width: 40rem; } h2 { color: #bbb; }</style>"
        )
        (told,) = told_by(tmp_path, [Look(spoilt, 390)], FAULTS)
        assert {fault.partition(" ")[0] for fault in told} == {"cut", "contrast"}
