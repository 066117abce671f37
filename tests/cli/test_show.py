"""`show`: a page that people can read and data cannot forge."""

import os
import pty
import re
import subprocess
import sys
import termios
from contextlib import suppress
from pathlib import Path

import msgspec
import orjson
import pytest
from command import Command
from made_rows import conversation, made_row, recipe, write_rows

from generator.cli.screen.page import pretty
from generator.core.claims import UseClaim
from generator.core.conversation import AssistantMessage, Conversation, Thoughts
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


def test_a_folder_and_rows_that_are_looked_for(cli: Command, tmp_path: Path):
    write_rows(recipe(3, "openai", "qwen"), [made_row(index, f"Ada{index}") for index in range(3)], tmp_path)
    ran = cli("show", tmp_path, "--row", 2)
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.startswith(f"Row 2 · {tmp_path}/openai.jsonl:3 · openai\nmixed\n")
    assert 'customer  "Ada2"  ← the user says “Ada2”' in ran.out
    heads = [
        line for line in cli("show", tmp_path, "--scenario", "mixed", "--random", 9).out.splitlines() if " · " in line
    ]
    assert heads == [f"Row {row} · {tmp_path}/openai.jsonl:{row + 1} · openai" for row in range(3)]
    ran = cli("show", tmp_path, "--tag", "even")
    assert (ran.code, ran.out) == (2, "")
    assert "no row has the tag 'even'" in ran.err


def test_words_are_shown_with_their_reasons(cli: Command, tmp_path: Path):
    made = made_row(0)
    uses = (
        UseClaim(1, 0, "request: find {limit} orders of {customer}", ("a00000000",)),
        UseClaim(1, 21, "again: and those of {customer}", ("b00000000",)),
    )
    row = msgspec.structs.replace(made.row, proof=msgspec.structs.replace(made.row.proof, uses=uses))
    write_rows(recipe(1), [msgspec.structs.replace(made, row=row)], tmp_path)
    out = cli("show", tmp_path, "--words").out
    assert "“Find 3 orders of Ada” ← request: find {limit} orders of {customer} · 1 find_orders" in out
    assert "←" not in cli("show", tmp_path).out.partition("USER")[2].partition("ASSISTANT")[0]


def test_thoughts_and_flags_are_shown(cli: Command, tmp_path: Path):
    talk = conversation()
    messages = list(talk.messages)
    messages[2] = msgspec.structs.replace(messages[2], thoughts=Thoughts(reason="Two\ncustomers."))
    thinking = msgspec.structs.replace(talk, messages=tuple(messages))
    (tmp_path / "a.jsonl").write_bytes(orjson.dumps(FORMATS["openchatml"].render(thinking)))
    assert "parallel\n  reason: Two\n  customers.\n  1 find_orders" in cli("show", tmp_path / "a.jsonl").out
    messages[4] = msgspec.structs.replace(messages[4], is_error=True)
    messages[-1] = msgspec.structs.replace(messages[-1], train=False)
    flagged = msgspec.structs.replace(talk, messages=tuple(messages))
    (tmp_path / "b.jsonl").write_bytes(orjson.dumps(FORMATS["openai"].render(flagged)))
    assert "\nASSISTANT  not to be learnt\n" in cli("show", tmp_path / "b.jsonl").out
    (tmp_path / "c.jsonl").write_bytes(orjson.dumps(FORMATS["anthropic"].render(flagged)))
    assert "\nTOOL  answers 2 find_orders  failed\n" in cli("show", tmp_path / "c.jsonl").out


REJECTED = """
REJECTED  calls 2 tools in parallel  {defect}
  2 """


@pytest.mark.parametrize("name", ["trl-preference", "openai-preference", "sharegpt-ranking"])
def test_what_is_rejected_is_shown_with_its_defect(cli: Command, tmp_path: Path, name: str):
    made = FORMATS[name].render(_one_call())
    (tmp_path / "f.jsonl").write_bytes(orjson.dumps(made))
    out = cli("show", tmp_path / "f.jsonl").out
    assert "\nASSISTANT  calls one tool\n  1 find_orders\n" in out
    assert REJECTED.format(defect=made.get("defect", "in place of the last message")) in out


def test_a_record_that_is_rejected_is_shown_as_such(cli: Command, tmp_path: Path):
    preferred = FORMATS["trl-preference"].render(_one_call())
    record = {key: preferred[key] for key in ("prompt", "tools", "defect")} | {
        "completion": preferred["rejected"],
        "label": False,
    }
    (tmp_path / "f.jsonl").write_bytes(orjson.dumps(record))
    out = cli("show", tmp_path / "f.jsonl").out
    assert f"\nREJECTED  calls 2 tools in parallel  {preferred['defect']}\n  1 " in out
    assert "\nASSISTANT" not in out


def _one_call() -> Conversation:
    talk = conversation()
    system, user, first, *_ = talk.messages
    assert isinstance(first, AssistantMessage)
    one = msgspec.structs.replace(first, tool_calls=first.tool_calls[:1])
    return msgspec.structs.replace(talk, messages=(system, user, one))


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


def test_no_line_is_longer_than_people_read(cli: Command, tmp_path: Path):
    row = FORMATS["deepfabric"].render(conversation("y" * 300_000))
    row["messages"][3]["content"] = orjson.dumps({"orders": ["z" * 300_000]}).decode()
    (tmp_path / "f.jsonl").write_bytes(orjson.dumps(row))
    ran = cli("show", tmp_path / "f.jsonl")
    assert ran.code == 0
    assert max(map(len, ran.out.splitlines())) < 2_200
    assert "y… (300,002 characters)" in ran.out
    assert "z… (" in ran.out


@pytest.mark.parametrize("width", [50, 160])
def test_it_is_as_wide_as_the_terminal(tmp_path: Path, width: int):
    long = "Find the orders of all who have ever " + "asked for a refund or an exchange, " * 5 + "please."
    row = FORMATS["openai"].render(conversation())
    row["messages"][1]["content"] = long + " 3 of Ada and Bob"
    row["messages"][3]["content"] = orjson.dumps({"orders": [{"order_id": "ORD-1", "note": "word " * 40}]}).decode()
    (tmp_path / "f.jsonl").write_bytes(orjson.dumps(row))
    seen = on_terminal(["show", str(tmp_path / "f.jsonl")], width)
    lines = [line for line in seen.splitlines() if str(tmp_path) not in line and "no proof" not in line]
    assert width - 12 < max(map(len, lines)) <= width
    assert " ".join(long.split()) in " ".join(seen.split())
    assert '"ORD-1"' in seen


def on_terminal(arguments: list[str], width: int) -> str:
    """What a command writes on a terminal of this width, without colours."""
    main, end = pty.openpty()
    termios.tcsetwinsize(end, (50, width))
    environment = {key: value for key, value in os.environ.items() if key not in ("COLUMNS", "LINES")}
    command = [sys.executable, "-m", "generator", *arguments]
    with subprocess.Popen(command, stdout=end, stdin=end, env=environment | {"TERM": "xterm"}) as running:
        os.close(end)
        told = b""
        with suppress(OSError):  # the terminal is gone when the command is
            while part := os.read(main, 4096):
                told += part
    os.close(main)
    assert running.returncode == 0
    return re.sub(r"\x1b\[[\d;]*m", "", told.decode()).replace("\r\n", "\n")


@pytest.mark.parametrize("depth", [200, 500, 900, 1020, 100_000])
@pytest.mark.parametrize("place", ["arguments", "result"])
def test_what_is_nested_deep_is_shown_or_refused(cli: Command, tmp_path: Path, depth: int, place: str):
    deep = '{"a":' * depth + "1" + "}" * depth
    row = FORMATS["deepfabric"].render(conversation())
    if place == "result":
        row["messages"][3]["content"] = deep
    text = orjson.dumps(row).decode()
    if place == "arguments":
        text = text.replace('{"customer":"Bob"}', deep)
    (tmp_path / "f.jsonl").write_text(text)
    ran = cli("show", tmp_path / "f.jsonl")
    assert "Traceback" not in ran.out + ran.err
    assert ran.code == 0 or (ran.code, len(ran.err.splitlines())) == (2, 1)
    assert ran.code == 0 or depth > 200


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
