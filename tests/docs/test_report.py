"""`docs/report.md` says what the metrics say."""

from pathlib import Path

from pages.report import report_page

PAGE = Path(__file__).parents[2] / "docs" / "report.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == report_page(), "python docs/pages/report.py > docs/report.md"
