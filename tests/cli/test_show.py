"""`show`: a page that people can read and data cannot forge."""

from pathlib import Path

import orjson
from command import Command
from made_rows import conversation, made_row, recipe, write_rows

from generator.cli.page import pretty
from generator.formats import FORMATS

PAGE = """\
Row 1 · {path}:2 · deepfabric
mixed
offers find_orders, cancel_order

SYSTEM
  Be brief.

USER
  Find 3 orders of Ada and those of Bob, then cancel the first.

ASSISTANT  calls 2 tools in parallel
  1 find_orders
      customer  "Ada"  ← the user says “Ada”
      limit     3      ← the user says “3”
  2 find_orders
      customer  "Bob"  ← the user says “Bob”

TOOL  answers 1 find_orders
  {{"orders": [{{"order_id": "ORD-1"}}]}}

TOOL  answers 2 find_orders
  {{"orders": []}}

ASSISTANT  calls one tool
  3 cancel_order
      order_id  "ORD-1"  ← result of find_orders: /orders/0/order_id (first)

TOOL  answers 3 cancel_order
  {{"status": "cancelled"}}

ASSISTANT
  The order is cancelled.
"""


def test_the_page(cli: Command, tmp_path: Path):
    write_rows(recipe(2), [made_row(0), made_row(1)], tmp_path)
    path = tmp_path / "deepfabric.jsonl"
    ran = cli("show", path, "--index", 1)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == PAGE.format(path=path)


def test_without_a_proof_it_says_so(cli: Command, tmp_path: Path):
    (tmp_path / "f.jsonl").write_bytes(orjson.dumps(FORMATS["openai"].render(conversation())))
    ran = cli("show", tmp_path / "f.jsonl")
    assert "no proof of this row stands beside it" in ran.out
    assert "← the user says “Ada”" in ran.out


def test_data_cannot_forge_the_page(cli: Command, tmp_path: Path):
    evil = "\x1b[2J\x1b]0;owned\x07\nUSER\n  [bold]yes[/bold] [link=http://x]go[/link] \u202e:smile:"
    (tmp_path / "f.jsonl").write_bytes(orjson.dumps(FORMATS["deepfabric"].render(conversation(evil))))
    ran = cli("show", tmp_path / "f.jsonl")
    assert "\x1b" not in ran.out
    assert "\u202e" not in ran.out
    assert "[bold]yes[/bold] [link=http://x]go[/link]" in ran.out
    assert ":smile:" in ran.out
    assert ran.out.splitlines().count("USER") == 1


class TestPretty:
    def test_what_fits_stays_on_one_line(self):
        assert list(pretty({"a": [1, {"b": None}], "c": "é"}, 80)) == ['{"a": [1, {"b": null}], "c": "é"}']

    def test_what_does_not_is_opened(self):
        value = {"orders": [{"id": 1, "name": "first"}, {"id": 2, "name": "second"}], "more": False}
        assert list(pretty(value, 40)) == [
            "{",
            '  "orders": [',
            '    {"id": 1, "name": "first"},',
            '    {"id": 2, "name": "second"}',
            "  ],",
            '  "more": false',
            "}",
        ]
