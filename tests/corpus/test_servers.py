"""Parsers of real servers read what the table writes, else the table would be wrong.

What a parser loses is its own: `parser_limits` names it, and docs/findings.md has an example of most.
"""

import sys
from functools import cache
from itertools import chain

import msgspec
import pytest
import servers
from nightly import night, one_case_in, one_in
from parser_limits import LIMITS, many_arguments, values_of

from generator.corpus.check.failures import ParserAnswer, PlainAnswer, answer_of
from generator.corpus.check.plain import plain_answer
from generator.corpus.check.run import CheckOptions, judge_answer
from generator.corpus.grid import grid_cases
from generator.corpus.making import CaseMaker, make_case
from generator.formats.format import tool_object

CASES = 60
MOST_CASES = 1000
"""A limit that is seldom shown is looked for in the grid and among so many."""
LONGEST = 3000
"""Longer texts are for measuring time."""


def reads(maker: CaseMaker, parser: str, case) -> bool:
    tools = [tool_object(maker.tools[name].tool) for name in case.tools or maker.tools]
    try:
        answer = answer_of(msgspec.convert(plain_answer(getattr(servers, parser)(case.chars, tools)), PlainAnswer))
    except Exception as fault:
        answer = ParserAnswer(error=str(fault))
    return judge_answer(case.plain(), answer, CheckOptions(content=False), streamed=False) is None


def never_ends(parser: str, case, values) -> bool:
    """Whether the parser's regular expression tries so many ways that nobody waits for its answer."""
    return many_arguments in LIMITS.get(parser, {}).values() and many_arguments(case, values)


PARSERS = sorted({parser for parsers in servers.READERS.values() for parser in parsers})


@pytest.fixture(scope="module")
def tried(shops):
    """A function of a parser: the valid cases of all its formats, whether each is read, and which limits it shows."""

    @cache
    def cases_of(name):
        made = (make_case(shops[name], index) for index in range(CASES))
        return [case for case in made if case.verdict == "y" and len(case.text) < LONGEST]

    @cache
    def tried_by(parser):
        found = []
        for name in (name for name, parsers in servers.READERS.items() if parser in parsers):
            for case in cases_of(name):
                values = values_of(case, shops[name].schemas)
                shown = [limit for limit, shows in LIMITS.get(parser, {}).items() if shows(case, values)]
                is_read = not never_ends(parser, case, values) and reads(shops[name], parser, case)
                found.append((case, is_read, shown))
        return found

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sys, "setrecursionlimit", lambda limit: None)
        yield tried_by


@pytest.mark.parametrize("parser", one_in(4, PARSERS))
def test_a_parser_reads_every_valid_case_that_shows_no_named_limit(tried, parser):
    assert len(tried(parser)) > 24
    assert [(case.format, case.id) for case, read, shown in tried(parser) if not read and not shown] == []


@pytest.mark.parametrize(
    ("parser", "limit"), one_case_in(4, [(parser, limit) for parser, limits in LIMITS.items() for limit in limits])
)
def test_a_named_limit_is_met(shops, tried, parser, limit):
    assert any(not read and limit in shown for _, read, shown in tried(parser)) or any(
        LIMITS[parser][limit](case, values)
        and not never_ends(parser, case, values)
        and not reads(shops[name], parser, case)
        for name in (name for name, parsers in servers.READERS.items() if parser in parsers)
        for case in chain(grid_cases(shops[name]), (make_case(shops[name], at) for at in range(CASES, MOST_CASES)))
        if case.verdict == "y" and len(case.text) < LONGEST
        for values in (values_of(case, shops[name].schemas),)
    )


@night
def test_most_cases_of_each_format_are_read_by_some_parser(tried):
    read: dict[str, dict[str, bool]] = {}
    for parser in PARSERS:
        for case, was_read, _ in tried(parser):
            by_id = read.setdefault(case.format, {})
            by_id[case.id] = by_id.get(case.id, False) or was_read
    shares = {name: sum(by_id.values()) / len(by_id) for name, by_id in read.items()}
    assert {name for name, share in shares.items() if share <= 0.5} == set()
    assert sum(share > 0.9 for share in shares.values()) > len(shares) * 2 / 3
