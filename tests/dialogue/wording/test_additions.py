"""What is added to a request: within its sentence as a rule, behind a comma last, and never so that it could mean more.

Covered: frames that are sentences, frames with a comma, coordination of calls of which only the last has more.
"""

import re
from pathlib import Path

import pytest
from workbench import load, rows, user_text, workshop

from generator.core.errors import SpecError

SPEC = """
tools:
  - function:
      name: find_books
      description: Find books.
      parameters:
        type: object
        properties:
          author: {type: string, description: Author}
          limit: {type: integer, minimum: 2, maximum: 9, description: Most books}
          year: {type: integer, minimum: 1900, maximum: 2020, description: Year}
        required: [author]
        additionalProperties: false
    returns: {type: object, properties: {count: {type: integer, minimum: 1, maximum: 9}}, required: [count]}
    examples: {author: [Ada Lind, Bo Katz, Cy Orr, Di Ruiz, Ed Stone, Flo Park]}
    phrases:
      request: ["find books by {author}"]
      again: ["by {author}"]
      slots:
        limit: [", {limit} at most", "No more than {limit}, please."]
        year: ["from {year}", "They should be from {year}."]
      answer: ["There are {count}."]
"""


def said(tmp_path: Path, scenario: str, count: int) -> list[str]:
    return [user_text(made) for made in rows(workshop(tmp_path, scenario, text=SPEC), count)]


def test_an_addition_behind_a_comma_stands_last(tmp_path: Path) -> None:
    texts = [text for text in said(tmp_path, "single", 90) if " at most" in text]
    assert len(texts) > 10
    assert all(re.search(r"\S, (?:\d|[a-z]+) at most(?:[.?,]|$)", text) for text in texts)
    assert not any(re.search(r"at most from", text) for text in texts)


def test_sentences_of_their_own_are_seldom_where_there_is_another_way(tmp_path: Path) -> None:
    texts = [text for text in said(tmp_path, "single", 160) if re.search(r"at most|No more|from", text)]
    apart = [text for text in texts if re.search(r"No more|They should", text)]
    assert 0 < len(apart) < 0.2 * len(texts)


def test_what_only_the_last_of_several_calls_has_is_not_said_behind_all_of_them(tmp_path: Path) -> None:
    shop = workshop(tmp_path, "parallel", text=SPEC)
    seen = 0
    for made in rows(shop, 100):
        calls = next(m.tool_calls for m in made.row.conversation.messages if getattr(m, "tool_calls", ()))
        wished = sorted(calls, key=lambda call: user_text(made).find(call.arguments["author"]))
        text = user_text(made)
        in_one = text.casefold().count("find books") == 1 and "\n" not in text
        if in_one:
            seen += 1
            assert all(wished[-1].arguments.keys() <= call.arguments.keys() for call in wished[:-1]), text
    assert seen > 5


def test_a_clause_may_not_begin_with_a_comma(tmp_path: Path) -> None:
    spec = SPEC.replace(
        "limit: {type: integer, minimum: 2, maximum: 9, description: Most books}", "new: {type: boolean}"
    )
    spec = spec.replace(
        'limit: [", {limit} at most", "No more than {limit}, please."]', 'new: {true: [", only new ones"]}'
    )
    with pytest.raises(SpecError, match="only a frame may begin with a comma"):
        load(tmp_path, spec)
