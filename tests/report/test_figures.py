"""Figures on the page, as a person sees them in a browser."""

import http.server
import re
import threading
from html.parser import HTMLParser
from pathlib import Path

import pytest
from browser import FAULTS, Look, dom_of, needs_browser, told_by
from measured import WEATHER, talk, turn, weather, write
from nightly import one_in

from generator.core.conversation import Tool
from generator.report import METRICS
from generator.report.page import browse_page

EVIL = '</title></style></script><script>document.body.dataset.evil="1"</script><img src="http://127.0.0.1:{port}/evil">\u202e\x00&amp;`<b>`'


def hostile(folder: Path, port: int) -> Path:
    """A file in which everything is hostile."""
    evil = EVIL.format(port=port)
    tool = Tool(name=evil, description=evil, parameters={"type": "object", "properties": {evil: {"type": "string"}}})
    said = f"{evil} what is it? {evil}"
    rows = [talk(*turn(said, [(evil, {evil: evil}, {evil: [evil]})], answer=evil), tools=(tool, WEATHER))] * 12
    path = write(folder / "<img src=x onerror=document.body.dataset.evil=1>.jsonl", rows, "deepfabric")
    path.write_bytes(path.read_bytes() + b'{"messages":[{"role":"<script>"}]}\n')
    return path


@pytest.fixture
def files(tmp_path: Path) -> list[Path]:
    """Two files of one kind."""
    rows = [weather(f"What's the weather in {city}?", city) for city in ("Oslo", "Rome", "Paris")]
    return [write(tmp_path / f"{name}.jsonl", rows) for name in ("first", "second")]


def test_what_grows_is_marked_where_not_all_rows_are_on_the_page(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    path = write(tmp_path / "rows.jsonl", [weather(f"{n}?", str(n)) for n in range(9)])
    assert "\\u2020" not in browse_page([path])[0]
    monkeypatch.setattr("generator.report.page.MOST", 2)
    text = browse_page([path])[0]
    assert "2 rows, not all there are" in text
    assert "`near_duplicates.plain` \\u2020" in text


class _Elements(HTMLParser):
    """What a page is made of before any script runs."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[str] = []
        self.attributes: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)
        self.attributes |= {name for name, _ in attrs}


def test_nothing_of_the_data_is_markup(tmp_path: Path):
    text = browse_page([hostile(tmp_path, 1)])[0]
    elements = _Elements(text)
    assert elements.tags.count("script") == 3
    assert {"img", "link", "iframe", "object"}.isdisjoint(elements.tags)
    assert not any(name.startswith("on") or name in ("src", "href") for name in elements.attributes)
    assert "\u202e" not in text
    assert "\x00" not in text


@needs_browser
class TestInABrowser:
    def test_a_person_sees_the_figures_and_nothing_is_asked_for(self, tmp_path: Path):
        asked: list[str] = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                asked.append(self.path)
                body = (tmp_path / "index.html").read_bytes() if self.path == "/index.html" else b""
                self.send_response(200 if body else 404)
                self.send_header("Content-Type", "text/html; charset=utf-8")
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            text = browse_page([hostile(tmp_path, server.server_port)])[0]
            (tmp_path / "index.html").write_text(text, encoding="utf-8")
            dom = dom_of(f"http://127.0.0.1:{server.server_port}/index.html#figures", tmp_path)
            server.shutdown()
        assert [path for path in asked if path != "/favicon.ico"] == ["/index.html"]
        assert "data-evil" not in dom
        for metric in METRICS.values():
            assert f"<h2>{metric.title}</h2>" in dom
            assert all(f"<code>{metric.name}.{figure.name}</code>" in dom for figure in metric.figures)
        seen = re.sub(r"<script.*?</script>", "", dom, flags=re.DOTALL)
        assert "<img" not in seen
        assert ": 12 rows. 1 cannot be read" in re.sub(r"<.*?>", "", seen)
        assert seen.count('<div class="bar">') > 8
        assert re.search(r"<title>[^<]*&lt;img", seen)

    @pytest.mark.parametrize("dark", one_in(2, [False, True]))
    def test_nothing_is_cut_or_hard_to_read(self, tmp_path: Path, files: list[Path], dark: bool):
        pages = browse_page(files[:1])[0], browse_page([*files, hostile(tmp_path, 1)])[0]
        looks = [Look(text, width, link) for text in pages for width in (390, 1280) for link in ("#figures", "#0/1")]
        assert told_by(tmp_path, looks, FAULTS, dark=dark) == [[]] * 8

    def test_such_faults_are_found(self, tmp_path: Path, files: list[Path]):
        spoilt = browse_page(files)[0].replace(
            "</style>", "td { white-space: nowrap; min-width: 40rem; } h2 { color: #bbb; }</style>"
        )
        (told,) = told_by(tmp_path, [Look(spoilt, 390, "#figures")], FAULTS)
        assert {fault.partition(" ")[0] for fault in told} >= {"cut", "contrast"}
