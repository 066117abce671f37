"""`docs/rules.md` says what the rules say."""

from pathlib import Path

from generator.cli.rules_page import rules_page

PAGE = Path(__file__).parents[2] / "docs" / "rules.md"


def test_the_page_is_up_to_date():
    assert PAGE.read_text(encoding="utf-8") == rules_page(), "python -m generator.cli.rules_page > docs/rules.md"
