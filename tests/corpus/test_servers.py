"""Parsers of real servers read what the table writes: else the table would be wrong.

What they lose is theirs: a value that holds the format's own markers or separators, a type that is not looked up. Those
losses are named here by what the lost cases have in common; docs/findings.md has an example of each.
"""

import re
import sys

import pytest
import servers

from generator.corpus.check.answer import answer_of, plain_answer
from generator.corpus.check.judge import judge_whole
from generator.corpus.making import CaseMaker, make_case
from generator.formats.format import tool_object

CASES = 30
LOSSES = {
    "functiongemma": "lists, objects, commas and braces in texts",
    "qwen3_coder": "100.0 for an integer, numbers of 39 digits",
    "command_r7b": "whole numbers beyond 64 bits",
    "step3": "'<' in texts, calls without arguments",
    "longcat2": "calls without arguments",
    "minicpm5": "calls without arguments; texts are stripped",
    "mimo": "types and texts are evaluated as Python",
    "dots": "numbers with a zero behind the point",
    "hunyuan_v3": "texts with quotes around them",
    "llama_pythonic": "negative numbers; deep nesting",
    "llama4_pythonic": "negative numbers; deep nesting",
    "llama3_json": "';' and brackets in texts",
    "glm47": "Python literals in texts",
    "minimax_m2": "null in an enum",
    "lfm2": "negative numbers",
}
"""Formats whose every parser here loses some valid cases, and with what."""
FEWEST = 0.3
"""Share of the valid cases of such a format that a parser reads."""


def reads(shop: CaseMaker, parser: str, case) -> bool:
    tools = [tool_object(shop.tools[name].tool) for name in case.tools]
    try:
        answer = answer_of(plain_answer(getattr(servers, parser)(case.chars, tools)))
    except Exception as fault:
        answer = answer_of({"error": str(fault)})
    return judge_whole(case, answer, strict_numbers=False, content=False) is None


def is_hard_on_markers(shop: CaseMaker, case) -> bool:
    """A marker of the format stands inside a value, which parsers that look for markers first cannot read."""
    text = case.chars
    marks = [marker for marker in (*shop.fmt.markers, *shop.fmt.special) if len(marker) > 1]
    once = {marker: len(case.oracle.tool_calls) * (shop.fmt.call + shop.fmt.argument).count(marker) for marker in marks}
    values = re.findall(r"\"(?:[^\"\\]|\\.)*\"", text)
    return any(marker in value for marker in once for value in values) or "deep" in case.tags or "long" in case.tags


@pytest.mark.parametrize("name", servers.READERS)
def test_a_server_reads_every_valid_case(shops, name, monkeypatch):
    monkeypatch.setattr(sys, "setrecursionlimit", lambda limit: None)
    shop = shops[name]
    cases = [case for index in range(CASES) if (case := make_case(shop, index)).verdict == "y"]
    cases = [case for case in cases if len(case.text) < 3000]
    unread = [case for case in cases if not any(reads(shop, parser, case) for parser in servers.READERS[name])]
    if name in LOSSES:
        assert len(unread) <= (1 - FEWEST) * len(cases)
    else:
        assert [case.id for case in unread if not is_hard_on_markers(shop, case)] == []


def test_most_formats_lose_nothing():
    assert len(LOSSES) < len(servers.READERS) / 2
