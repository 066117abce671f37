"""Right parsers have no findings, whole and in pieces; a parser that sends too early, too late or too much has some."""

from itertools import count

import msgspec
import pytest
import reference_parsers
from nightly import night, one_in

from generator.corpus.case import Case, Oracle
from generator.corpus.check.judge import judge_time
from generator.corpus.check.run import CheckOptions, check_case
from generator.corpus.emissions import emissions_of
from generator.corpus.making import make_case
from generator.formats.format import tool_object
from generator.formats.wire.calls import ExpectedCall
from generator.formats.wire.format import wire_format, wire_formats
from generator.formats.wire.writing import write_completion

HOW = CheckOptions(parser="whole", stream="pieces")
LONGEST = 3000
"""Bytes of a case that is read in each run: a reader letter by letter takes half a minute for the longest."""
SEEDS = (21, 22, 23)
ONE_OF_EACH = {row.arguments: name for name, row in wire_formats().items()}.values()
"""One format of each way to write arguments."""


def findings_of(shop, cases):
    tools = {name: msgspec.to_builtins(tool_object(known.tool)) for name, known in shop.tools.items()}
    runner = reference_parsers.InProcess(shop.fmt.name, tools)
    plain = [msgspec.structs.replace(case, stretch=None) for case in cases]
    return [finding for case in plain for finding in check_case(case, runner, HOW)[1]]


@pytest.mark.parametrize(("longest", "seeds"), [(LONGEST, SEEDS[:1]), pytest.param(10**9, SEEDS, marks=night)])
@pytest.mark.parametrize("name", one_in(3, wire_formats(), ONE_OF_EACH))
def test_a_right_parser_has_no_findings(shops, name, longest, seeds):
    shop = shops[name]
    cases = []
    for shop.seed in seeds:
        cases += [make_case(shop, index) for index in range(5)]
    for verdict in "yin":
        made = (make_case(shop, index) for index in count())
        cases.append(next(case for case in made if case.verdict == verdict and len(case.text) <= longest))
    shop.seed = 11
    cases = [case for case in cases if len(case.text) <= longest]
    assert {case.verdict for case in cases} == set("yin")
    assert [(found.case, found.label, found.detail) for found in findings_of(shop, cases)] == []


CALLS = (ExpectedCall("ping", {"host": "a"}), ExpectedCall("refresh", {"force": True}))
SAID = "Let me look that up for you, one moment please, and then I will tell you what I have found out about all of it."
WRITTEN = write_completion(wire_format("hermes"), CALLS, SAID)
FIRST = WRITTEN.calls[0][0][0]
"""Where the first name begins."""
END = len(WRITTEN.text)
WORDS = [(place + 1, letter) for place, letter in enumerate(SAID)]
"""What is said, sent as it is read."""


def judged(*deltas):
    """What is found of a stream of one hermes answer, which sends `deltas` (bytes that were read, what is sent)."""
    text = WRITTEN.text.encode()
    case = Case(
        id="y", format="hermes", verdict="y", text=text, oracle=Oracle(CALLS, SAID), emissions=emissions_of(WRITTEN)
    )
    sent = [
        {"after": read, **({"content": what} if isinstance(what, str) else {"tool_calls": [what]})}
        for read, what in deltas
    ]
    return judge_time(case.plain(), (1,) * len(text), sent)


def call(index, name=None, arguments=None):
    given = {"name": name, "arguments": arguments}
    return {"index": index, "function": {key: value for key, value in given.items() if value}}


class TestTime:
    def test_words_as_they_come_and_calls_when_they_are_known_are_right(self):
        first = [(FIRST + 6, call(0, "ping")), (FIRST + 20, call(0, arguments='{"host": "a"}'))]
        assert judged(*WORDS, *first, (END, call(1, "refresh", '{"force": true}'))) is None

    def test_all_at_the_end_is_late(self):
        assert judged((END, SAID), (END, call(0, "ping", "{}")))[0] == "late delta"

    def test_a_call_that_waits_for_the_next_one_is_late(self):
        label, detail = judged(*WORDS, (END, call(0, "ping", "{}")))
        assert (label, detail.partition(" is")[0]) == ("late delta", "call 0")

    def test_a_call_before_its_name_was_read_is_early(self):
        assert judged(*WORDS, (FIRST - 3, call(0, "ping")))[0] == "early delta"

    def test_a_marker_in_the_words_has_leaked(self):
        assert judged(*WORDS, (len(SAID) + 6, "\n<tool"))[0] == "leaked text"
