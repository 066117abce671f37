"""Right parsers have no findings, whole and in pieces; a parser that sends too early, too late or too much has some."""

import json
from itertools import count

import msgspec
import pytest
import reference_parsers
from corpora import SOME
from hypothesis import given
from hypothesis import strategies as st
from nightly import night

from generator.corpus.case import Case, Oracle
from generator.corpus.check import judge
from generator.corpus.check.judge import judge_time
from generator.corpus.check.run import CheckOptions, check_case
from generator.corpus.making import make_case
from generator.corpus.meaning import emissions_of
from generator.formats.format import tool_object
from generator.formats.wire.format import ExpectedCall, wire_format
from generator.formats.wire.writing import write_completion

HOW = CheckOptions(parser="whole", stream="pieces")
LONGEST = 3000
"""Bytes of a case that is read in each run: a reader letter by letter takes half a minute for the longest."""
SEEDS = (21, 22, 23)


def findings_of(shop, cases):
    tools = {name: msgspec.to_builtins(tool_object(known.tool)) for name, known in shop.tools.items()}
    runner = reference_parsers.InProcess(shop.fmt.name, tools)
    plain = [msgspec.structs.replace(case, stretch=None) for case in cases]
    return [finding for case in plain for finding in check_case(case, runner, HOW)[1]]


@pytest.mark.parametrize(("longest", "seeds"), [(LONGEST, SEEDS[:1]), pytest.param(10**9, SEEDS, marks=night)])
@pytest.mark.parametrize("name", SOME)
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


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
    max_leaves=6,
)


@given(st.dictionaries(st.text(max_size=4), JSON, max_size=3), st.booleans(), st.data())
def test_every_beginning_of_an_object_begins_json_and_what_has_another_letter_at_its_end_does_not(
    value, ascii_only, data
):
    text = json.dumps(value, ensure_ascii=ascii_only)
    at = data.draw(st.integers(0, len(text)))
    assert judge.begins_json(text[:at])
    assert not judge.begins_json(f"}}{text}")
    assert not judge.begins_json(f"{text}}}")
    assert not judge.begins_json(text.replace("{", "[", 1))


CUT_OFF = {"id": "x", "verdict": "i", "mutations": [{"op": "truncate"}], "text": 'f{"a": [1', "oracle": {"tool_calls": [{"name": "f", "arguments": {"a": [1, 2]}}]},
           "allowed": [{"tool_calls": []}]}  # fmt: skip
LISTED = {**CUT_OFF, "mutations": [{"op": "duplicate_key"}]}
FREE = {"id": "x", "verdict": "i", "mutations": [{"op": "odd_number"}], "text": 'f{"a": NaN}'}


@pytest.mark.parametrize(
    ("case", "streamed", "call", "label"),
    [
        (CUT_OFF, True, ("f", '{"a": [1'), None),
        (CUT_OFF, False, ("f", '{"a": [1'), None),
        (CUT_OFF, True, ("f", ""), None),
        (CUT_OFF, True, ("g", '{"a": [1'), "invalid JSON"),
        (CUT_OFF, True, ("f", "}}garbage{{"), "invalid JSON"),
        (CUT_OFF, True, ("delete_everything", "{}"), "not an allowed reading"),
        (LISTED, True, ("f", '{"a": [1'), "invalid JSON"),
        (FREE, True, ("f", '{"a": NaN}'), None),
        (FREE, False, ("f", '{"a": NaN}'), "invalid JSON"),
        (FREE, True, ("f", '{"a": Infinity}'), "invalid JSON"),
    ],
)
def test_what_is_excused(case, streamed, call, label):
    deltas = [{"after": 1, "tool_calls": [{"index": 0, "name": call[0], "arguments": call[1]}]}]
    found = judge.judge(case, "", judge.end_of(deltas).calls, streamed=streamed)
    assert (found and found[0]) == label


@pytest.mark.parametrize(
    ("pieces", "told"),
    [
        ([(0, "f", "a"), (1, "g", "b")], None),
        ([(0, "f", "a"), (0, None, "a"), (1, "g", None)], None),
        ([(1, "f", "a")], "call 0 has the index 1"),
        ([("0", "f", "a")], "a piece of a call has the index '0'"),
        ([(True, "f", "a")], "a piece of a call has the index True"),
        ([(0, None, "a")], "call 0 begins without a name"),
        ([(0, "f", "a"), (0, "oo", None)], "the name of call 0 is sent in two pieces: 'f' and 'oo'"),
        ([(0, "f", "a"), (0, None, "b")], "call 0 has the id 'b' and call 0 has 'a'"),
        ([(0, "f", "a"), (1, "g", "a")], "call 1 has the id 'a' and call 0 has 'a'"),
    ],
)
def test_deltas_that_clients_put_together_wrongly(pieces, told):
    calls = [{"index": index, "id": given, "function": {"name": name}} for index, name, given in pieces]
    assert judge.end_of([{"after": 1, "tool_calls": [call]} for call in calls]).fault == told
