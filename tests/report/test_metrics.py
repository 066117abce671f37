"""Every metric, on rows that a reader can count through."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import BOOK, WEATHER, counts, measured, talk, turn, weather

from generator.core.claims import Claim, TellClaim
from generator.core.conversation import AssistantMessage, Renamed, SystemMessage, UserMessage
from generator.formats.files.lengths import Quantiles
from generator.formats.run_folder.proof_line import ProofLine
from generator.report import FIGURES, METRICS
from generator.report.metrics.base import DistinctValues, FrequentValues
from generator.report.metrics.calls import ToolMeter
from generator.report.metrics.texts import ALIKE, _Index
from generator.report.rows import SearchedText, parse_row

TALKS = (
    weather("What's the weather in Oslo?", "Oslo"),
    weather("What's the weather like in Rome, in celsius?", "Rome", unit="celsius"),
    talk(UserMessage(content="Thanks!"), AssistantMessage(content="You're welcome.")),
)


class TestAll:
    def test_every_metric_gives_the_figures_that_it_declares(self, tmp_path: Path):
        assert list(measured(tmp_path, *TALKS).figures) == list(FIGURES)

    def test_nothing_was_measured_where_there_are_no_rows(self, tmp_path: Path):
        report = measured(tmp_path)
        assert {value for value in report.figures.values() if value} == set()

    def test_the_same_rows_give_the_same_report(self, tmp_path: Path):
        assert measured(tmp_path, *TALKS) == measured(tmp_path, *TALKS)

    def test_shares_are_per_cent(self, tmp_path: Path):
        report = measured(tmp_path, *TALKS)
        shares = [value for name, value in report.figures.items() if FIGURES[name].unit == "%" and value is not None]
        assert shares
        assert all(0 <= value <= 100 for value in shares)

    def test_names_are_words_of_the_command_line(self):
        assert all(name.replace("_", "").replace(".", "").isalnum() for name in FIGURES)
        assert all(metric.about.endswith(".") for metric in METRICS.values())


class TestShapes:
    def test_kinds_of_conversations_and_turns(self, tmp_path: Path):
        two = [("get_weather", {"city": city}, {}) for city in ("Oslo", "Rome")]
        table = ("book_table", {"guests": 2}, {})
        report = measured(
            tmp_path,
            *TALKS,
            talk(*turn("Oslo and Rome?", two)),
            talk(*turn("Oslo, and a table for 2.", [two[0], table])),
            talk(*turn("Oslo, then a table for 2.", [two[0]], [table])),
            talk(*turn("Oslo, Rome, then a table for 2.", two, [table])),
            talk(*turn("Oslo?", [two[0]]), *turn("And Rome?", [two[1]], start=1), *turn("Which?", answer="Which day?")),
        )
        assert counts(report, "kinds", "Conversations by their calls") == {
            "single call": 2,
            "no call": 1,
            "parallel, one tool": 1,
            "parallel, several tools": 1,
            "one after the other": 2,
            "several steps, some parallel": 1,
        }
        turns = counts(report, "kinds", "Turns by what")
        assert turns == {"calls and answers": 8, "answers without a call": 1, "asks back": 1}
        assert report.figures["kinds.several_turns"] == 12.5
        assert report.figures["tools.called"] == 2


class TestSources:
    @pytest.mark.parametrize(
        ("text", "value", "origin"),
        [
            ("Weather in Oslo", "oslo", "as_is"),
            ("Weather in Oslofjord", "Oslo", "not_found"),
            ("a table for two", 2, "reworded"),
            ("send 1,250 euros", 1250, "as_is"),
            ("12.5 degrees", 2.5, "not_found"),
            ("on June 3rd", "2026-06-03", "reworded"),
            ("at half past 3 in the afternoon, 3 pm", "15:00", "reworded"),
            ("tasks in progress", "in_progress", "reworded"),
        ],
    )
    def test_by_search_in_what_the_user_says(self, tmp_path: Path, text: str, value: object, origin: str):
        report = measured(tmp_path, talk(*turn(text, [("get_weather", {"city": value}, {})])))
        assert report.figures[f"sources.{origin}"] == 100

    def test_by_search_elsewhere(self, tmp_path: Path):
        found = ("get_weather", {"city": "Oslo", "days": 1}, {"place": "P-17"})
        report = measured(
            tmp_path,
            talk(
                SystemMessage(content="The user lives in Bergen."),
                *turn("Weather in Oslo?", [found], [("get_weather", {"city": "P-17"}, {})]),
                *turn("And at home?", [("get_weather", {"city": "Bergen"}, {})], start=2),
                *turn("Once more.", [("get_weather", {"city": "Oslo", "flag": True}, {})], start=3),
            ),
        )
        names = {"as_is", "result", "context", "earlier_turn", "default"}
        assert {name for name in names if report.figures[f"sources.{name}"] == 20} == names

    def test_a_value_of_unknown_origin_is_counted_and_the_row_named(self, tmp_path: Path):
        report = measured(tmp_path, *TALKS, weather("How is it there?", "Paris"))
        assert report.figures["sources.rows_lacking"] == pytest.approx(33.333)
        assert report.metrics["sources"].examples == {"values that were not found": [3]}

    def test_values_in_other_words_are_told_by_how_they_are_said(self):
        there = {"latitude": 38.7223, "longitude": -9.1393, "days": 2, "city": "Rome"}
        row = talk(*turn("In Lisbon for two days, Rome", [("get_weather", there, {})]))
        spans = {"latitude": (0, 9), "longitude": (0, 9), "days": (14, 17), "city": (24, 28)}
        ways = ("where", "where", "words", "literal")
        claims = [
            Claim("call00001", f"/{name}", "user", 0, *span, way)
            for (name, span), way in zip(spans.items(), ways, strict=True)
        ]
        meter = METRICS["sources"].make()
        proof = ProofLine(index=0, scenario="", tags=(), calls=("call00001",), arguments=tuple(claims), answers=())
        meter.add(parse_row(0, row, proof))
        assert meter.result().charts[1].counts == (("where", 2), ("words", 1))


class TestTools:
    def test_related_tools(self, tmp_path: Path):
        apart = [("get_weather", {"city": "Oslo"}, {}), ("book_table", {"guests": 2}, {})]
        same = [("get_weather", {"city": "2026-06-03"}, {}), ("book_table", {"guests": 2, "day": "2026-06-03"}, {})]
        one_by_one = [*turn("c", apart[:1]), *turn("d", apart[1:], start=1)]
        report = measured(tmp_path, talk(*turn("a", apart)), talk(*turn("b", same)), talk(*one_by_one))
        assert report.figures["tools.related"] == pytest.approx(33.333)
        assert report.figures["tools.related_turns"] == 50


class TestAnswers:
    @pytest.mark.parametrize(
        "failure",
        [
            {"error": "timeout", "message": "Try again."},
            {"status": "error", "message": "Busy."},
            "Error: No connection.",
        ],
    )
    def test_a_failed_call_is_told_by_its_result(self, tmp_path: Path, failure: object):
        city = {"city": "Oslo"}
        again = [("get_stops", city, {"stops": [{"name": "Elm Street"}]})]
        row = talk(*turn("Show me the stops in Oslo.", [("get_stops", city, failure)], again, answer="Elm Street."))
        assert measured(tmp_path, row).figures["kinds.errors"] == 100

    def test_skeletons_are_without_values_and_lists_have_one_however_long(self, tmp_path: Path):
        def found(cities: list[str], count: str):
            result = {"places": [{"name": city, "high": 20 + n} for n, city in enumerate(cities)]}
            lines = "\n".join(f"- {city}: {20 + n}°" for n, city in enumerate(cities))
            call = ("get_weather", {"city": "x"}, result)
            return talk(*turn("Where?", [call], answer=f"I found {count}:\n{lines}"))

        rows = [found(["Oslo", "Rome"], "two"), found(["New York", "Bergen", "Turku"], "3"), weather("?", "Oslo")]
        report = measured(tmp_path, *rows)
        assert counts(report, "skeletons", "Commonest")["i found … / …"] == 2
        assert report.figures["skeletons.most_frequent"] == pytest.approx(66.667)
        assert (report.figures["skeletons.distinct"], report.figures["skeletons.top_100"]) == (2, 100)

    @pytest.mark.parametrize(
        ("line", "good", "bad"),
        [
            ("Keep your answers short.", "Done.", "word " * 61),
            ("Answer in one sentence.", "It rains in Oslo.", "It rains. Take a coat."),
            ("Use bullet points.", "- Oslo\n- Rome", "Oslo has rain. Rome has sun."),
            ("Don't use Markdown.", "It rains.", "It **rains**."),
            ("Never use any emojis.", "It rains.", "It rains \u2614."),
            ("Reply only with JSON.", '{"rain": true}', "It rains."),
            (
                "Always answer in German.",
                "Das Wetter ist gut und es regnet nicht.",
                "The weather is good and it is warm.",
            ),
            ("Never guess a missing value.", "", ""),
            ("Answer in at most 5 words.", "It rains.", "It rains, and it is cold."),
            ("No bullet points.", "It rains.", "Rain in:\n- Oslo\n- Rome"),
            ("Do not offer more help.", "It rains.", "It rains. Anything else I can help with?"),
            ("No exclamation marks.", "It rains.", "It rains!"),
        ],
    )
    def test_lines_of_the_system_message_that_are_followed(self, tmp_path: Path, line: str, good: str, bad: str):
        def under(answer: str, city: str):
            return talk(SystemMessage(content=line), *weather("How is it in Oslo?", city, answer or "Fine.").messages)

        report = measured(tmp_path, under(good, "Oslo"), under(bad, "Oslo" if bad else "Rome"))
        assert (report.figures["instructions.turns"], report.figures["instructions.followed"]) == (2, 50)
        assert [kind.partition(":")[0] for kind in report.metrics["instructions"].examples] == ["not followed"]
        none = measured(tmp_path, talk(SystemMessage(content="You are friendly."), *TALKS[0].messages))
        assert none.figures["instructions.followed"] is None


class TestContradictions:
    def test_results_break_an_invariant_of_the_tools(self, tmp_path: Path):
        def file(changed: str):
            found = {"file_id": "FIL-000001", "name": "plan.docx", "modified_on": "2026-02-01"}
            again = {"files": [{**found, "modified_on": changed}]}
            return talk(
                *turn(
                    "?", [("get_file_info", {"file": "plan.docx"}, found)], [("search_files", {"keyword": "a"}, again)]
                )
            )

        report = measured(tmp_path, file("2026-02-01"), file("2026-02-02"))
        assert report.figures["contradictions.rows"] == 50
        assert report.metrics["contradictions"].examples["results that break an invariant"] == [1]

    def test_two_results_disagree_on_one_thing(self, tmp_path: Path):
        def twice(one: dict[str, object], other: dict[str, object], *between: str):
            ids = {"order_id": "ORD-1"}
            steps = [[("get_order", ids, ids | one)], *[[(name, {}, {})] for name in between]]
            return talk(*turn("?", *steps, [("get_order", ids, ids | other)]))

        report = measured(
            tmp_path,
            twice({"total": 5}, {"total": 5, "status": "open"}),
            twice({"total": 5, "status": "open"}, {"total": 6}, "list_stops"),
            twice({"status": "open"}, {"status": "sent"}, "send_order"),
            twice({"status": "open"}, {"state": "sent"}),
        )
        assert (report.figures["contradictions.compared"], report.figures["contradictions.disagreeing"]) == (2, 50)
        assert report.metrics["contradictions"].examples["results that disagree"] == [1]


def test_refusals_and_what_users_say_to_them():
    meter = METRICS["kinds"].make()
    five = [("get_weather", {"city": str(number)}, {}) for number in range(5)]
    for number, hows in enumerate((("reason", "ruled_out", "insists"), ("kept_back",), ("reason",), ("insists",))):
        row = talk(*turn("Please.", five if number == 0 else five[1:]))
        proof = ProofLine(
            index=number,
            scenario="",
            tags=(),
            calls=tuple([call.id for message in row.messages for call in getattr(message, "tool_calls", ())]),
            arguments=(),
            answers=(),
            tells=tuple([TellClaim(0, 0, 1, "call00001", how) for how in hows]),
        )
        meter.add(parse_row(number, row, proof))
    figures = meter.result().figures
    names = ("refused", "insisted", "reasons", "many_calls")
    assert [figures[name] for name in names] == [50, 50, 50, 25]


def test_scrambled_names_are_the_tools_that_they_stand_for(tmp_path: Path):
    meter = ToolMeter()
    for number, (name, renamed) in enumerate(
        (("get_weather", {}), ("func_7", {"get_weather": Renamed(tool="func_7")}))
    ):
        tool = msgspec.structs.replace(WEATHER, name=name, description=f"No. {number}")
        row = talk(*turn("Oslo?", [(name, {"city": "Oslo"}, {})]), tools=(tool,))
        proof = ProofLine(
            index=number, scenario="", tags=(), calls=("call00001",), arguments=(), answers=(), renamed=renamed
        )
        meter.add(parse_row(number, row, proof))
    assert (meter.result().figures["called"], meter.result().figures["offered"]) == (1, 1)
    other = msgspec.structs.replace(WEATHER, name="fn_1")
    unproven = talk(*turn("Oslo?", [("fn_1", {"city": "Oslo"}, {})]), tools=(other, BOOK))
    assert measured(tmp_path, unproven, TALKS[0]).figures["tools.offered"] == 2


class TestTexts:
    def test_openers(self, tmp_path: Path):
        report = measured(
            tmp_path,
            weather("What's the weather in Oslo?", "Oslo"),
            weather("What's the weather for today? Only in Rome.", "Rome"),
            weather("Tell me how it is. I'd like to know whether it rains in Rome.", "Rome"),
        )
        assert report.figures["openers.most_frequent"] == pytest.approx(66.667)

    def test_lengths(self, tmp_path: Path):
        report = measured(tmp_path, weather("one two three", "three", answer="It's fine"))
        assert report.figures["lengths.request_median"] == 3
        assert report.figures["lengths.answer_median"] == 2


class TestNearDuplicates:
    def test_values_are_masked(self, tmp_path: Path):
        texts = {
            "Oslo": "Could you tell me about the weather in {}",
            "Rome": "Could you tell me about the weather in {}",
        }
        report = measured(
            tmp_path, *[weather(text.format(city) + " right now please", city) for city, text in texts.items()]
        )
        assert report.figures["near_duplicates.plain"] == 0
        assert report.figures["near_duplicates.masked"] == 50

    def test_the_requests_of_a_conversation_count_together(self, tmp_path: Path):
        def two(first: str, second: str):
            return talk(UserMessage(content=first), AssistantMessage(content="?"), UserMessage(content=second))

        again = "Yes, please."
        others = [two("Where is my parcel by now?", again), two("I'd like a table for four.", again)]
        report = measured(
            tmp_path, *others, others[0], two("Where is my parcel by now?", "No, leave it as it is then.")
        )
        assert (report.figures["near_duplicates.plain"], report.figures["near_duplicates.exact"]) == (25, 25)

    @given(st.lists(st.integers(0, 60), min_size=30, max_size=60), st.data())
    def test_nearly_all_pairs_that_are_alike_are_found_and_no_others(self, numbers: list[int], data: st.DataObject):
        words = [f"w{number}" for number in numbers]
        other = list(words)
        for _ in range(data.draw(st.integers(0, 3))):
            other[data.draw(st.integers(0, len(other) - 1))] = "x"
        index = _Index()
        assert index.add(words) is False
        one, two = ({tuple(text[at : at + 3]) for at in range(len(text) - 2)} for text in (words, other))
        similarity = len(one & two) / len(one | two)
        found = index.add(other)
        if similarity < ALIKE:
            assert not found
        elif similarity > 0.85:
            assert found


def test_a_broken_rule_is_counted_by_its_code(tmp_path: Path):
    short = talk(*turn("Weather?", [("get_weather", {"city": 3}, {})]))
    report = measured(tmp_path, *TALKS, short)
    assert report.figures["violations.rows"] == 25
    assert counts(report, "violations", "Violations")["DF202"] == 1


class TestSketches:
    @given(st.lists(st.text(max_size=3), max_size=200))
    def test_exact_while_there_is_room(self, texts: list[str]):
        frequent, distinct = FrequentValues(300), DistinctValues(300)
        for text in texts:
            frequent.add(text)
            distinct.add(text)
        assert dict(frequent.top(300)) == {text: texts.count(text) for text in texts}
        assert distinct.count == len(set(texts))

    def test_estimates_in_bounded_room(self):
        frequent, distinct, numbers = FrequentValues(50), DistinctValues(600), Quantiles()
        for number in range(20_000):
            text = "often" if number % 5 == 0 else str(number)
            frequent.add(text)
            distinct.add(text)
            numbers.add(number)
        assert frequent.top(1)[0][0] == "often"
        assert 3600 <= frequent.top(1)[0][1] <= 4000
        assert distinct.count == pytest.approx(16_001, rel=0.15)
        assert numbers.at(0.5) == pytest.approx(10_000, rel=0.02)
        assert numbers.highest == 19_999


@given(st.text(min_size=1, max_size=30), st.text(max_size=20), st.text(max_size=20))
def test_a_value_that_stands_alone_in_a_text_is_found(value: str, before: str, after: str):
    span = SearchedText(f"{before} {value} {after}").find(value)
    assert (span is not None) == bool(value.strip())
