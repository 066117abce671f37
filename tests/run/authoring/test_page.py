"""The page of a review shows what stands in texts, and runs none of it."""

from html.parser import HTMLParser

from generator.run.authoring.review.page import page_of
from generator.run.authoring.review.review import Review, ReviewedRow, ReviewedText, ReviewedTool

EVIL = "\"><script>alert(1)</script>' {x} & <b>"


class Rows(HTMLParser):
    """Collects scripts, and the attributes of rows."""

    def __init__(self) -> None:
        super().__init__()
        self.scripts = 0
        self.rows: list[dict[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.scripts += tag == "script"
        if tag == "tr" and attrs:
            self.rows.append(dict(attrs))


def test_whatever_a_text_holds_is_shown_as_it_is():
    texts = tuple(
        ReviewedText(piece="phrases.request", text=f"{state} {EVIL}", state=state, why=EVIL)
        for state in ("kept", "dropped", "disputed")
    )
    row = ReviewedRow(lines=(f"User: {EVIL}",), faults=("natural",), why=EVIL)
    tool = ReviewedTool(
        name=EVIL, description=EVIL, texts=texts, gaps=(EVIL,), refused=EVIL, before=(row,), after=(row,)
    )
    page = page_of(Review(title=EVIL, tools=(tool,), entities_dropped={EVIL: EVIL}), EVIL)
    read = Rows()
    read.feed(page)
    assert read.scripts == 1  # its own
    assert [row["data-text"] for row in read.rows] == [f"{state} {EVIL}" for state in ("disputed", "dropped", "kept")]
    assert {row["data-tool"] for row in read.rows} == {EVIL}
    assert "1 texts kept, 1 disputed, 1 dropped" in page
