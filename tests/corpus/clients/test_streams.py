"""Streams for clients: made, proven, served and judged."""

import http.client
import json
from pathlib import Path

import msgspec
import pytest
from corpora import recipe_of
from hypothesis import given
from hypothesis import strategies as st
from nightly import one_case_in

from generator.core.files import sha256_of
from generator.corpus import cases
from generator.corpus.case import Oracle
from generator.corpus.check.failures import ParserAnswer
from generator.corpus.check.judge import Call
from generator.corpus.check.run import CheckOptions, check_corpus
from generator.corpus.chunks import cut
from generator.corpus.clients import PROVIDERS
from generator.corpus.clients.checking import CaseServer, judge_reading
from generator.corpus.clients.making import bytes_of, concerns, stream_hazards, stream_of
from generator.corpus.clients.reading import arguments_of, events_of, hear
from generator.corpus.clients.turn import FRAMINGS, Event, frame
from generator.corpus.run import make_corpus

RECIPE = "kind: corpus\nname: streams\nseed: 3\ncases: 40\nformats: [clients]\n"
FAULTY = Path(__file__).parents[2] / "faulty_clients.py"


@pytest.fixture(scope="module")
def streams(tmp_path_factory):
    folder = tmp_path_factory.mktemp("streams")
    make_corpus(recipe_of(folder, RECIPE), folder / "out")
    return folder / "out"


def ids_of(corpus, form, *names):
    """Ids of the grid's cases with one of these hazards."""
    return tuple(case.id for case in cases(corpus, form) if case.hazard in names and "value" not in case.id)


def check(corpus, form, client, ids, **more):
    how = CheckOptions(parser=f"{client}", memory=4096, **more)
    return {finding.case: finding for finding in check_corpus(corpus, how, formats=(form,), ids=ids).findings}


@pytest.mark.parametrize("name", PROVIDERS)
def test_every_hazard_of_a_provider_is_made_and_every_variation_is_a_hazard(streams, name):
    provider = PROVIDERS[name]
    known = [hazard for hazard in stream_hazards() if concerns(hazard, provider)]
    assert set(provider.changes) <= {hazard.change or hazard.name for hazard in known}
    made = {case.hazard for case in cases(streams, name)}
    plain = bytes_of(provider, stream_of(next(hazard for hazard in known if hazard.name == "escaped_letters")))
    assert plain
    same = {"line_feeds", "carriage_returns", "name_after_data", "no_event_names"}
    assert {hazard.name for hazard in known} - made <= same


def test_every_hazard_concerns_a_provider_and_says_what_is_allowed():
    for hazard in stream_hazards():
        assert any(concerns(hazard, provider) for provider in PROVIDERS.values()), hazard.name
        assert bool(hazard.allowed) == (hazard.verdict == "i"), hazard.name
        assert hazard.about.endswith("."), hazard.name


@pytest.mark.parametrize("name", PROVIDERS)
def test_a_valid_stream_is_read_back(streams, name):
    for case in cases(streams, name):
        if case.verdict == "y":
            heard = hear(name, case.text)
            assert [call.name for call in heard.calls] == [call.name for call in case.oracle.tool_calls]
            assert [arguments_of(call) for call in heard.calls] == [call.arguments for call in case.oracle.tool_calls]
            assert (heard.content, heard.finish) == (case.oracle.content or "", case.oracle.finish_reason)


@pytest.mark.parametrize("name", PROVIDERS)
def test_plans_cut_all_bytes_and_say_whether_letters_are_whole(streams, name):
    for case in cases(streams, name):
        for plan in case.plans:
            pieces = cut(case.text, plan)
            assert b"".join(pieces) == case.text
            if plan.utf8_safe and case.hazard != "ends_inside_character":
                assert all(piece.decode() is not None for piece in pieces)


def test_the_same_recipe_makes_the_same_bytes(streams, tmp_path):
    make_corpus(recipe_of(tmp_path, RECIPE), tmp_path / "out")
    for path in streams.rglob("*.jsonl"):
        assert sha256_of(path) == sha256_of(tmp_path / "out" / path.relative_to(streams))


@given(
    st.lists(st.tuples(st.sampled_from(["", "a", "b.c"]), st.text(alphabet="a:\ud7ff\u2028é😀 \\n{}", max_size=8)), max_size=5),
    st.sampled_from(sorted(set(FRAMINGS) - {"no_final_blank_line", "no_event_names", "message_event_names"})),
)  # fmt: skip
def test_framed_events_are_read_as_the_standard_says(told, framing):
    events = [Event(name, {"x": text}) for name, text in told]
    found = [Event(event.name, json.loads(event.data)) for event in events_of(frame(events, FRAMINGS[framing]))]
    assert found == events


class TestServing:
    def test_pieces_are_chunks_of_the_body(self):
        server = CaseServer()
        try:
            url = server.offer([b"data: a", b"", "é".encode()[:1], "é".encode()[1:]])
            host, path = url.removeprefix("http://").split("/")
            connection = http.client.HTTPConnection(host, timeout=10)
            connection.request("POST", f"/{path}/v1/chat/completions", b"{}")
            answer = connection.getresponse()
            assert answer.getheader("Content-Type").startswith("text/event-stream")
            assert answer.read() == "data: aé".encode()
            server.withdraw(url)
            connection.request("POST", f"/{path}/v1/messages", b"{}")
            assert connection.getresponse().status == 404
        finally:
            server.close()

    def test_a_lost_connection_leaves_the_body_without_an_end(self):
        server = CaseServer()
        try:
            host, path = server.offer([b"data: a"], lost=True).removeprefix("http://").split("/")
            connection = http.client.HTTPConnection(host, timeout=10)
            connection.request("GET", f"/{path}")
            with pytest.raises(http.client.IncompleteRead):
                connection.getresponse().read()
        finally:
            server.close()


class TestJudging:
    """A right answer is right, and each way to be wrong has its label."""

    def judged(self, streams, hazard, how=None, **changes):
        (case,) = [case for case in cases(streams, "openai_chat") if case.hazard == hazard and "value" not in case.id]
        oracle = case.oracle if case.verdict == "y" else case.allowed[0] if case.allowed else Oracle(())
        calls = tuple(Call(call.name, call.arguments) for call in oracle.tool_calls)
        right = ParserAnswer(calls, oracle.content, finish_reason=oracle.finish_reason, usage=oracle.usage)
        found = judge_reading(case, msgspec.structs.replace(right, **changes), **(how or {}))
        return found[0] if found else None

    @pytest.mark.parametrize(
        ("hazard", "changes", "label"),
        [
            ("call_alone", {}, None),
            ("call_alone", {"calls": ()}, "lost call"),
            ("call_alone", {"finish_reason": "stop"}, "wrong finish"),
            ("call_alone", {"usage": {"input_tokens": 61, "output_tokens": 0}}, "wrong usage"),
            ("call_alone", {"content": "x"}, "wrong content"),
            ("call_alone", {"error": "KeyError: 'id'"}, "exception"),
            ("call_alone", {"error": "hang"}, "hang"),
            ("text_ends_in_line_break", {"content": "a"}, "wrong content"),
            ("error_midway", {}, "fault not noticed"),
            ("error_midway", {"error": "APIError: x"}, None),
            ("error_midway", {"error": "died: signal 9"}, "died"),
            ("ends_midway", {}, None),
            ("ends_midway", {"error": "EOFError"}, None),
            ("ends_midway", {"finish_reason": "stop"}, "not an allowed reading"),
            ("ends_midway", {"calls": (Call("refresh", {}),) * 2}, "not an allowed reading"),
            ("no_index", {"calls": ()}, "not an allowed reading"),
        ],
    )
    def test_labels(self, streams, hazard, changes, label):
        assert self.judged(streams, hazard, **changes) == label

    def test_words_are_not_compared_on_request(self, streams):
        assert self.judged(streams, "call_alone", how={"content": False}, content="x") is None
        assert self.judged(streams, "call_alone", how={"content": False}, calls=()) == "lost call"


# ------------------------------------------------------------------------------------------------------ planted faults


@pytest.mark.parametrize(
    ("client", "hazards"),
    one_case_in(
        3,
        [
            ("splits_lines_anywhere", {"separators_in_text"}),
            ("wants_a_space", {"no_space_after_colon"}),
            ("one_data_line", {"several_data_lines"}),
            ("chokes_on_comments", {"comment_lines", "comment_first", "empty_comment"}),
            ("decodes_each_piece", {"text_of_many_planes"}),
            ("first_choice_always", {"empty_choices"}),
            ("by_arrival", {"interleaved_calls"}),
            ("error_is_the_end", {"error_midway", "error_at_once"}),
        ],
    ),
)
def test_a_planted_fault_of_a_client_is_found(streams, client, hazards):
    right = ids_of(streams, "openai_chat", *hazards, "call_alone", "carriage_returns")
    found = check(streams, "openai_chat", f"{FAULTY}:{client}", right)
    assert {name.partition("grid-")[2] for name in found} >= hazards
    assert check(streams, "openai_chat", f"{FAULTY}:right", right) == {}


class TestCommandLine:
    def test_a_client_is_checked(self, streams, cli):
        flags = ("--format", "openai_chat", "--case", "grid-comment_first")
        ran = cli("corpus", "check", streams, *flags, "--parser", f"{FAULTY}:chokes_on_comments")
        assert (ran.code, ran.out.splitlines()[-1]) == (1, "1 case, 3 runs: 1 finding in 1 case")
        assert "1 of 1 cases with comment_first (openai_chat)" in ran.out
        ran = cli("corpus", "check", streams, *flags, "--parser", f"{FAULTY}:right")
        assert (ran.code, ran.out) == (0, "1 case, 3 runs: no findings\n")

    @pytest.mark.parametrize(
        ("flags", "told"),
        [
            (("check", "--parser", f"{FAULTY}:right"), "name a format with --format (known: openai_chat"),
            (("check", "--stream", f"{FAULTY}:right", "--format", "openai_chat"), "--stream is for wire formats"),
        ],
    )
    def test_what_cannot_be_done_is_told(self, streams, cli, flags, told):
        ran = cli("corpus", flags[0], streams, *flags[1:])
        assert (ran.code, told in ran.err, ran.err.count("\n")) == (2, True, 1)
