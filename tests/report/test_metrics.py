"""Every metric, on rows that a reader can count through."""

from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from measured import BOOK, WEATHER, counts, measured, talk, turn, weather

from generator.claims import AnswerClaim, Claim, ConditionClaim, TellClaim
from generator.conversation import AssistantMessage, Renamed, SystemMessage, Tool, UserMessage
from generator.data.quantiles import Quantiles
from generator.data.run_folder.proof_line import ProofLine
from generator.report import FIGURES, METRICS
from generator.report.mentions import SearchedText
from generator.report.metrics.near_duplicates import ALIKE, _Index
from generator.report.metrics.tools import ToolMeter
from generator.report.rows import see
from generator.report.schemas import Shapes
from generator.report.sketches import DistinctValues, FrequentValues

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
        assert counts(report, "calls", "Calls made at once") == {"1": 7, "2": 3}
        assert counts(report, "calls", "Steps of a turn") == {"1": 6, "2": 2}
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
        meter.add(see(0, row, proof, Shapes()))
        assert meter.result().charts[1].counts == (("where", 2), ("words", 1))


class TestArguments:
    def test_enums_optionals_and_distinct_values(self, tmp_path: Path):
        report = measured(
            tmp_path,
            weather("Oslo, celsius", "Oslo", unit="celsius"),
            weather("Oslo, celsius", "Oslo", unit="celsius"),
            weather("Rome", "Rome", days=3),
        )
        figures = report.figures
        assert figures["arguments.enum_values"] == 50
        assert figures["arguments.optional_both"] == 100
        assert figures["arguments.optional_used"] == 50
        assert figures["arguments.distinct_texts"] == 2

    def test_how_many_values_there_are_to_choose_from_is_told_from_repeats(self, tmp_path: Path):
        twice = [("get_weather", {"city": "Oslo"}, {}), ("get_weather", {"city": "Oslo", "days": 2}, {})]
        rows = [talk(*turn("a", twice))] * 4 + [weather(city, city) for city in "ABCD" * 4]
        report = measured(tmp_path, *rows)
        assert 5 <= report.figures["arguments.choices"] <= 5.2

    def test_a_tool_is_related_to_the_one_on_whose_result_its_call_depends(self):
        weather_and_table = [[("get_weather", {"city": "Oslo"}, {"high": 25})], [("book_table", {"guests": 2}, {})]]
        conversation = talk(*turn("If it's over 20° in Oslo, book a table for 2.", *weather_and_table))
        condition = ConditionClaim(0, 13, 15, "number", "call00002", "call00001", "/high", "over", 20)
        calls = ("call00001", "call00002")
        for conditions, related in (((), 0), ((condition,), 100)):
            proof = ProofLine(
                index=0, scenario="", tags=(), calls=calls, arguments=(), answers=(), conditions=conditions
            )
            meter = ToolMeter()
            meter.add(see(0, conversation, proof, Shapes()))
            assert meter.result().figures["related"] == related

    def test_related_tools(self, tmp_path: Path):
        apart = [("get_weather", {"city": "Oslo"}, {}), ("book_table", {"guests": 2}, {})]
        same = [("get_weather", {"city": "2026-06-03"}, {}), ("book_table", {"guests": 2, "day": "2026-06-03"}, {})]
        one_by_one = [*turn("c", apart[:1]), *turn("d", apart[1:], start=1)]
        report = measured(tmp_path, talk(*turn("a", apart)), talk(*turn("b", same)), talk(*one_by_one))
        assert report.figures["tools.related"] == pytest.approx(33.333)
        assert report.figures["tools.related_turns"] == 50


class TestAnswers:
    def test_look_ups_untold_told_and_told_in_part(self, tmp_path: Path):
        found = {"stops": [{"name": "Elm Street"}, {"name": "Mill Road"}]}

        def asked(answer: str):
            return talk(*turn("Show me the stops in Oslo.", [("get_stops", {"city": "Oslo"}, found)], answer=answer))

        report = measured(
            tmp_path,
            asked("Elm Street and Mill Road."),
            asked("Elm Street."),
            asked("Done!"),
            talk(*turn("Open the gate in Oslo.", [("open_gate", {"city": "Oslo"}, found)])),
        )
        assert report.figures["answers.look_ups"] == 3
        assert report.figures["answers.untold"] == pytest.approx(33.333)
        assert report.figures["answers.in_part"] == pytest.approx(33.333)
        assert report.metrics["answers"].examples["a look-up that was asked for is untold"] == [2]

    def test_a_number_that_an_argument_has_by_chance_is_told(self, tmp_path: Path):
        found = {"orders": [{"total": 25, "days_ago": 7}]}
        call = ("list_orders", {"days": 7, "limit": 25}, found)
        report = measured(tmp_path, talk(*turn("List my orders of 7 days.", [call], answer="You ordered for $25.")))
        assert (report.figures["answers.look_ups"], report.figures["answers.untold"]) == (1, 0)

    def test_what_is_only_named_or_played_is_not_asked_for(self, tmp_path: Path):
        found = {"orders": [{"total": 25}]}
        report = measured(
            tmp_path,
            talk(
                *turn(
                    "Of my orders in Oslo, give the latest one a star.",
                    [("list_orders", {"city": "Oslo"}, found)],
                    answer="Done.",
                )
            ),
            talk(
                *turn(
                    "Do we have Elm? Play it.",
                    [("play_track", {"title": "Elm"}, {"speaker": "den"})],
                    answer="It is on.",
                )
            ),
        )
        assert report.figures["answers.look_ups"] == 0

    def test_a_failed_call_that_is_made_again_leaves_nothing_untold(self, tmp_path: Path):
        city = {"city": "Oslo"}

        def again(failure: object):
            made_again = [("get_stops", city, {"stops": [{"name": "Elm Street"}]})]
            return talk(
                *turn("Show me the stops in Oslo.", [("get_stops", city, failure)], made_again, answer="Elm Street.")
            )

        errors = (
            {"error": "timeout", "message": "Try again."},
            {"status": "error", "message": "Busy."},
            "Error: No connection.",
        )
        report = measured(tmp_path, *map(again, errors))
        assert (report.figures["answers.look_ups"], report.figures["answers.untold"]) == (3, 0)
        assert report.figures["kinds.errors"] == 100

    def test_optional_values_that_the_answer_acknowledges(self, tmp_path: Path):
        def booked(answer: str):
            result = {"guests": 2, "day": "2026-06-03"}
            call = ("book_table", {"guests": 2, "day": "2026-06-03"}, result)
            return talk(*turn("Book for 2 on 2026-06-03.", [call], answer=answer))

        report = measured(tmp_path, booked("Booked for June 3."), booked("It is booked."))
        assert report.figures["answers.acknowledged"] == 50

    @pytest.mark.parametrize(
        ("result", "answer", "acknowledged"),
        [
            ({"wrapped": True}, "It comes gift-wrapped.", 100),
            ({"wrapped": True}, "It is on its way.", 0),
            ({"extras": ["gift wrap"]}, "It is on its way.", 0),
            ({"wrapped": False}, "It comes gift-wrapped.", None),
            ({"price": 3}, "It comes gift-wrapped.", None),
        ],
    )
    def test_a_flag_counts_by_whatever_name_the_result_has_for_it(
        self, result: object, answer: str, acknowledged: float | None
    ):
        schema = {"type": "object", "properties": {"gift_wrap": {"type": "boolean"}}}
        tool = Tool(name="send_order", description="Send an order.", parameters=schema)
        order = talk(
            *turn("Send it, as a gift.", [("send_order", {"gift_wrap": True}, result)], answer=answer), tools=(tool,)
        )
        claim = Claim("call00001", "/gift_wrap", "user", 0, 14, 18)
        proof = ProofLine(index=0, scenario="", tags=(), calls=("call00001",), arguments=(claim,), answers=())
        told = AnswerClaim(2, 0, 2, "", "call00001", "result", "/price")
        meter = METRICS["answers"].make()
        meter.add(see(0, order, msgspec.structs.replace(proof, answers=(told,)), Shapes()))
        assert meter.result().figures["acknowledged"] == acknowledged

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


class TestResults:
    def test_variety(self, tmp_path: Path):
        def stop(n: int, name: str):
            return talk(*turn("?", [("get_stop", {}, {"stops": [{"stop_id": f"S-{n:04}", "name": name}]})]))

        report = measured(tmp_path, *[stop(n, ("Elm", "Oak")[n % 2]) for n in range(40)])
        assert report.figures["results.distinct"] == 5
        assert report.figures["results.most_frequent"] == 50
        assert report.figures["results.choices"] == pytest.approx(2, abs=0.05)
        assert counts(report, "results", "Elements") == {"1": 40}

    def test_contradictions(self, tmp_path: Path):
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
        assert (report.figures["results.compared"], report.figures["results.contradicting"]) == (2, 50)
        assert report.metrics["results"].examples == {"results that contradict each other": [1]}


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
        meter.add(see(number, row, proof, Shapes()))
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
        meter.add(see(number, row, proof, Shapes()))
    assert (meter.result().figures["called"], meter.result().figures["offered"]) == (1, 1)
    other = msgspec.structs.replace(WEATHER, name="fn_1")
    unproven = talk(*turn("Oslo?", [("fn_1", {"city": "Oslo"}, {})]), tools=(other, BOOK))
    assert measured(tmp_path, unproven, TALKS[0]).figures["tools.offered"] == 2


def test_calls_and_steps_as_distributions(tmp_path: Path):
    call = ("get_weather", {"city": "Oslo"}, {})
    report = measured(tmp_path, talk(*turn("?", [call], [call, call])), *TALKS)
    names = ("calls.calls_p95", "calls.calls_most", "calls.depth_p95", "calls.depth_most")
    assert [report.figures[name] for name in names] == [3, 3, 2, 2]


class TestOrder:
    def test_calls_in_another_order_than_they_are_mentioned(self, tmp_path: Path):
        oslo, rome = (("get_weather", {"city": city, "unit": "celsius"}, {}) for city in ("Oslo", "Rome"))
        text = "Oslo and Rome in celsius"
        report = measured(tmp_path, talk(*turn(text, [oslo, rome])), talk(*turn(text, [rome, oslo])), *TALKS)
        assert report.figures["order.unlike_mention"] == 50
        assert report.metrics["order"].examples["calls in another order than they are mentioned in"] == [1]


class TestTexts:
    def test_openers_and_clipped_additions(self, tmp_path: Path):
        report = measured(
            tmp_path,
            weather("What's the weather in Oslo?", "Oslo"),
            weather("What's the weather for today? Only in Rome.", "Rome"),
            weather("Tell me how it is. I'd like to know whether it rains in Rome.", "Rome"),
        )
        assert report.figures["openers.most_frequent"] == pytest.approx(66.667)
        assert report.figures["additions.rows"] == pytest.approx(33.333)

    def test_an_entry_of_a_list_is_no_clipped_addition(self, tmp_path: Path):
        report = measured(
            tmp_path,
            weather("Could you look up the weather there?\n- in Rome", "Rome"),
            weather("Could you look up the weather there?\n1. in Rome", "Rome"),
            weather("Could you look up the weather there?\n- Soon. Only in Rome.", "Rome"),
        )
        assert report.figures["additions.rows"] == pytest.approx(33.333)

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

    def test_every_request_of_a_conversation_counts_by_itself(self, tmp_path: Path):
        def two(first: str, second: str):
            return talk(UserMessage(content=first), AssistantMessage(content="?"), UserMessage(content=second))

        again = "Could you tell me about the weather there once more?"
        report = measured(tmp_path, two("Where is my parcel by now?", again), two("I'd like a table for four.", again))
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


class TestPickers:
    def test_a_tool_that_is_named_is_found_and_one_that_is_not_is_not(self, tmp_path: Path):
        named = [
            talk(*turn(f"Get the weather of city number {n}", [("get_weather", {"city": str(n)}, {})]))
            for n in range(40)
        ]
        report = measured(tmp_path, *named)
        assert report.figures["pickers.tf_idf"] == 100
        assert report.figures["pickers.chance"] == 50
        wrong = [talk(*turn("Get the weather of a city", [("book_table", {"guests": n}, {})])) for n in range(40)]
        report = measured(tmp_path, *wrong)
        assert report.figures["pickers.tf_idf"] == 0
        assert report.figures["pickers.bag_of_words"] == 100  # it has learnt what such words are answered with


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
