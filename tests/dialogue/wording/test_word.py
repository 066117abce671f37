"""Stories in words: every value is said where its claim is, in sentences as people write them."""

import json
import re
from collections import Counter
from collections.abc import Iterable
from datetime import timedelta
from itertools import pairwise
from pathlib import Path
from typing import Any

import msgspec
import pytest
from workbench import SHOP, TODAY, Taken, Told, filled, load, tell, tell_often

from generator.core.connectives import CONNECTIVES
from generator.core.conversation import ToolCall
from generator.core.entities import Effect
from generator.core.seeds import Draw
from generator.core.toolbox import Pick, Toolbox, ToolSpec
from generator.dialogue.values.voice import Voice
from generator.dialogue.wording.answers import ReportedCall, word_answer
from generator.dialogue.wording.phrases.tool_phrases import ToolPhrases


@pytest.fixture(scope="module")
def shop(tmp_path_factory) -> Toolbox:
    return load(tmp_path_factory.mktemp("shop"))


def tool(folder: Path, properties: str, phrases: str = "", returns: str = "{type: object, properties: {}}") -> ToolSpec:
    text = (
        "function:\n  name: do_it\n  parameters:\n    type: object\n    properties:\n"
        + "".join(f"      {line}\n" for line in properties.splitlines())
        + f"returns: {returns}\nphrases:\n"
        + "".join(
            f"  {line}\n" for line in ('request: ["do it"]\n' * ("request" not in phrases) + phrases).splitlines()
        )
    )
    (spec,) = load(folder, text).values()
    return spec


def users(spec: ToolSpec, arguments: dict[str, Any], times: int = 40, *, knows_today: bool = True) -> list[str]:
    """What people say for one call."""
    return [told.user for told in tell_often((filled(spec, arguments),), times=times, knows_today=knows_today)]


def answers(spec: ToolSpec, arguments: dict[str, Any], result: Any, times: int = 40) -> set[str]:
    """What the assistant says of one call's result, without offers to do more."""
    told = tell_often((filled(spec, arguments, result),), times=times)
    return {_END.sub("", one.answer) for one in told}


def _any_of(texts: Iterable[str]) -> str:
    return "|".join(map(re.escape, texts))


_END = re.compile(f" (?:{_any_of(CONNECTIVES.offers)})$")


class TestSpans:
    def test_cover_the_value_and_nothing_else(self, shop: Toolbox):
        arguments = {"restaurant": "Casa Nova", "date": "2027-05-01", "time": "19:30", "guests": 14}
        arguments |= {"contact": {"name": "Ada King", "phone": "5550123"}, "channel": "assistant"}
        result = {"code": "QWER", "deposit": 70}
        for told in tell_often((filled(shop["book_table"], arguments, result),), times=30):
            assert told.said("/restaurant") == ["Casa Nova"]
            assert told.said("/contact/name") == ["Ada King"]
            assert told.said("/contact/phone") == ["5550123"]
            assert told.said("/guests") in (["14"], ["fourteen"])
            assert told.said("/date")[0] in {
                *("1 May 2027", "May 1, 2027", "1st May 2027", "May 1st, 2027", "2027-05-01"),
            }
            assert told.said("/time")[0] in {"7:30 pm", "7:30pm", "19:30"}
            assert "assistant" not in told.user

    def test_do_not_overlap(self, shop: Toolbox):
        calls = [
            filled(
                shop["find_orders"], {"customer": name, "since": "2026-03-13", "gift": True, "status": "open"}, number=n
            )
            for n, name in enumerate(["Ada", "Ada King", "King"])
        ]
        for told in tell_often(tuple(calls)):
            spans = sorted({(c.start, c.end) for c in told.proof.arguments})
            assert all(end <= start for (_, end), (start, _) in pairwise(spans))

    def test_in_answers(self, shop: Toolbox):
        result = {"city": "Oslo", "sky": "clear", "degrees": -3}
        told = tell((filled(shop["get_weather"], {"city": "Oslo"}, result),))
        assert told.answer.startswith("In Oslo it is clear at -3 degrees.")
        stated = {c.pointer: told.answer[c.start : c.end] for c in told.proof.answers}
        assert stated == {"/city": "Oslo", "/sky": "clear", "/degrees": "-3"}

    def test_a_value_that_several_calls_share_is_claimed_for_each(self, shop: Toolbox):
        calls = [
            filled(shop["get_weather"], {"city": city, "day": "2026-03-13"}, number=n)
            for n, city in enumerate(["Oslo", "Rome", "Lima"])
        ]
        for told in tell_often(tuple(calls)):
            assert re.search(r"Oslo, Rome and Lima", told.user)
            assert told.said("/city") == ["Oslo", "Rome", "Lima"]
            days = [(c.start, c.end) for c in told.proof.arguments if c.pointer == "/day"]
            assert len(days) == 3
            assert len(set(days)) == 1


class TestLittleWords:
    """ "a" before a slot becomes "an" when the value needs it; "on" is not said before "tomorrow"."""

    @pytest.mark.parametrize(
        "value",
        [
            *("apple", "egg", "inch", "orange", "umbrella", "urgent", "unimportant", "hourly", "honest", "hour"),
            *("8 pm", "8-day", "11 o'clock", "11:30", "18-month", "80s", "8,000"),
        ],
    )
    def test_an(self, tmp_path: Path, value: str):
        spec = tool(tmp_path, "x: {type: string}", 'request: ["get a {x}"]')
        assert any(f"et an {value}" in said for said in users(spec, {"x": value}, 4))
        assert not any(f"et a {value}" in said for said in users(spec, {"x": value}, 4))

    @pytest.mark.parametrize(
        "value",
        [
            *("banana", "house", "one-way", "one", "unit", "uniform", "union", "university", "user", "used", "useful"),
            *("European", "euro", "UK", "utility", "PDF", "DVD"),
            *("1", "100", "7 pm", "110", "180", "1,100", "81"[1:]),
        ],
    )
    def test_a(self, tmp_path: Path, value: str):
        spec = tool(tmp_path, "x: {type: string}", 'request: ["get a {x}"]')
        assert any(f"et a {value}" in said for said in users(spec, {"x": value}, 4))

    @pytest.mark.parametrize(
        ("value", "word"), [("SMS", "an"), ("FAQ", "an"), ("X-ray", "an"), ("USB", "a"), ("UFO", "a")]
    )
    def test_before_letters_that_are_spelled(self, tmp_path: Path, value: str, word: str):
        spec = tool(tmp_path, "x: {type: string}", 'request: ["get a {x}"]')
        assert all(f"et {word} {value}" in said for said in users(spec, {"x": value}, 4))

    @pytest.mark.parametrize(
        ("number", "words"), [(8, "an"), (11, "an"), (18, "an"), (80, "an"), (3, "a"), (100, "a"), (1, "a")]
    )
    def test_before_numbers_in_digits_and_words(self, tmp_path: Path, number: int, words: str):
        spec = tool(tmp_path, "x: {type: integer}", 'request: ["start a {x} minute timer"]')
        assert all(re.search(rf"tart {words} [\w -]+ minute", said) for said in users(spec, {"x": number}))

    def test_also_at_the_start_and_in_answers(self, tmp_path: Path):
        spec = tool(tmp_path, "x: {type: string}", 'request: ["go"]\nanswer: ["A {x} was found, not a {y}."]',
                    "{type: object, properties: {x: {type: string}, y: {type: string}}}")  # fmt: skip
        assert answers(spec, {}, {"x": "apple", "y": "pear"}) == {"An apple was found, not a pear."}

    def test_not_inside_other_words(self, tmp_path: Path):
        spec = tool(tmp_path, "x: {type: string}", 'request: ["add to the agenda {x}", "get extra {x}"]')
        assert not any("an apples" in said for said in users(spec, {"x": "apples"}))

    @pytest.mark.parametrize("frame", ["on {x}", "On {x}, please", "for the evening on {x}"])
    def test_no_on_before_tomorrow(self, tmp_path: Path, frame: str):
        spec = tool(tmp_path, "x: {type: string, format: date}", f'slots: {{x: ["{frame}"]}}')
        said = set()
        for ahead in (-1, 0, 1, 2, 3, 5, 7, 9, 14, 30):
            for text in users(spec, {"x": (TODAY + timedelta(days=ahead)).isoformat()}):
                assert not re.search(
                    r"\bon (today|tomorrow|yesterday|the day after|a week|two weeks)", text, re.IGNORECASE
                )
                assert "  " not in text
                said.update(
                    re.findall(
                        r"today|tomorrow|yesterday|day after tomorrow|a week|two weeks|(?:on \w+day)", text.lower()
                    )
                )
        assert said >= {"today", "tomorrow", "yesterday", "day after tomorrow", "a week", "two weeks", "on sunday"}

    def test_a_sentence_that_loses_its_on_keeps_its_capital(self, tmp_path: Path):
        spec = tool(tmp_path, "x: {type: string, format: date}", 'slots: {x: ["On {x}, please."]}')
        for text in users(spec, {"x": (TODAY + timedelta(days=1)).isoformat()}, 60):
            assert "tomorrow, please" not in text

    def test_at_before_moments(self, tmp_path: Path):
        pattern = r"^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}$"
        spec = tool(tmp_path, f'x: {{type: string, pattern: "{pattern}"}}', 'slots: {x: ["at {x}", "on {x}"]}')
        for value in ("2026-03-13T15:30", "2026-03-15T12:00", "2026-11-02T08:05"):
            for text in users(spec, {"x": value}):
                assert not re.search(r"\bat (tomorrow|the day|\w+day|[a-z]+ \d|\d+ [a-z]{3})", text, re.IGNORECASE), (
                    text
                )
                assert not re.search(r"\bon tomorrow", text), text

    def test_without_the_date_nobody_says_tomorrow(self, shop: Toolbox):
        call = filled(shop["get_weather"], {"city": "Oslo", "day": (TODAY + timedelta(days=1)).isoformat()})
        for told in tell_often((call,), knows_today=False):
            assert "2026" in told.user
            assert "tomorrow" not in told.user


NAMES = ("Lund Inc.", "Who?", "Yahoo!", "St. Mary's", "iPhone", "eBay", "Ltd.")
"""Values that end, begin or go on like sentences."""


@pytest.fixture(scope="module")
def told(shop: Toolbox) -> list[Told]:
    """Stories of every shape about such values."""
    found = []
    for number, name in enumerate(NAMES):
        table = {"restaurant": name, "date": "2026-03-13", "time": "12:00", "guests": 2, "channel": "assistant"}
        reason = {"order_id": "ORD-123456", "reason": "It came too late."}
        cancelled = {"order_id": "ORD-123456", "status": "cancelled", "total": 5, "refund_id": "RF-12345"}
        order = {"order_id": "ORD-123456", "total": 5, "placed": "2026-01-02", "status": "open"}
        orders = {"orders": [order, {**order, "order_id": "ORD-654321"}]}
        first = Pick("the first one", "first")
        bound = Taken(argument="order_id", call_id="call00000", pointer="/orders/0/order_id", pick=first)
        calls = (
            filled(shop["find_orders"], {"customer": name, "gift": True, "status": "open"}, orders),
            filled(shop["book_table"], table, {"code": "ABCD", "deposit": 10}, number=1),
            filled(shop["get_weather"], {"city": name}, {"city": name, "sky": "clear", "degrees": 3}, number=2),
        )
        alone = filled(shop["stop_order"], reason, cancelled)
        follow = filled(shop["stop_order"], reason, cancelled, (bound,), 3)
        same = [
            filled(shop["get_weather"], {"city": city}, {"city": city, "sky": "clear", "degrees": 3}, number=n)
            for n, city in enumerate((*NAMES[number:], *NAMES)[:3])
        ]
        for seed in range(12):
            shapes = [((call,),) for call in (*calls, alone)]
            shapes += [(tuple(calls),), (tuple(same),), (tuple(same),), ((calls[0],), (follow,))]
            found += [tell(*shape, seed=(number, seed)) for shape in shapes]
    return found


class TestSentences:
    """Capitals, stops, spaces: whatever is put together reads as if it had been written in one go."""

    def test_are_proven(self, told: list[Told]):
        assert [one.user for one in told if one.faults] == []

    @pytest.mark.parametrize(
        "ugly", ["  ", " ,", " .", " ?", " ;", ";.", ",.", ":.", ".,", "?,", "{", "}", "\n\n\n", "None"]
    )
    def test_have_no_ugly_joints(self, told: list[Told], ugly: str):
        for one in told:
            for text in (one.user, one.answer):
                assert ugly not in self.plain(text), text

    @pytest.mark.parametrize("twice", ["..", "?.", "!.", ".?", "!?", "??", '."."', '.".'])
    def test_have_one_stop_at_their_end(self, told: list[Told], twice: str):
        """A name or quotation that ends with a stop ends the sentence too; a question still gets its mark."""
        for one in told:
            for text in (one.user, one.answer):
                assert twice not in text or twice in {".?", "!?", "??"}, text

    def test_begin_with_a_capital(self, told: list[Told]):
        for one in told:
            for text in (one.user, one.answer):
                assert text[0].isupper() or text.startswith(("iPhone", "eBay", "- ")), text
                for first in re.findall(r"(?<!\d)[.!?] +(\w)", self.plain(text)):
                    assert first.isupper(), text

    def test_a_frame_that_begins_with_its_value_may_be_a_sentence(self, tmp_path: Path):
        """Its stop tells: it does not go on from the request."""
        spec = tool(tmp_path, "x: {type: string}", 'slots: {x: ["{x} is the one travelling."]}')
        for text in users(spec, {"x": "Ada"}):
            assert re.search(r"[.?!] Ada is the one travelling\.($| )", text), text

    def test_end_with_a_stop(self, told: list[Told]):
        for one in told:
            for text in (one.user, one.answer):
                assert text[-1] in '.?!"”' or "\n" in text, text

    def plain(self, text: str) -> str:
        """The text with harmless values in it."""
        for value in (*NAMES, "It came too late."):
            text = text.replace(value, "Value")
        return text


class TestNumberAndLists:
    def test_singular_and_plural(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "n: {type: integer}",
            'request: ["stay {n} {n?night|nights}"]\nanswer: ["{n?One night|Many nights} and {list#} {list#?thing|things}: {list}."]',
            "{type: object, properties: {n: {type: integer}, list: {type: array, items: {type: string}}}}",
        )
        for number, words in (
            (1, r"(1|one) night\b"),
            (2, "(2|two) nights"),
            (0, "0 nights"),
            (14, "(14|fourteen) nights"),
        ):
            assert all(re.search(words, said) for said in users(spec, {"n": number}))
        assert answers(spec, {"n": 1}, {"n": 1, "list": ["a"]}) == {"One night and 1 thing: a."}
        assert answers(spec, {"n": 1}, {"n": 3, "list": ["a", "b"]}) == {"Many nights and 2 things: a and b."}

    @pytest.mark.parametrize(
        ("values", "words"),
        [(["red"], "red"), (["red", "blue"], "red and blue"), (["a", "b", "c"], "a, b and c"), ([7, 12], "7 and 12")],
    )
    def test_lists(self, tmp_path: Path, values: list, words: str):
        kind = "integer" if type(values[0]) is int else "string"
        spec = tool(tmp_path, f"x: {{type: array, items: {{type: {kind}}}}}", 'slots: {x: ["in {x}"]}')
        for told in tell_often((filled(spec, {"x": values}),)):
            assert words in told.user
            assert [claim.pointer for claim in told.proof.arguments] == [f"/x/{index}" for index in range(len(values))]

    @pytest.mark.parametrize("value", [[], [[1], [2]], [{"a": 1}], ["a", 1], [None], [True, False]])
    def test_other_lists_are_said_too(self, tmp_path: Path, value: list):
        assert users(tool(tmp_path, "x: {type: array}", 'slots: {x: ["in {x}"]}'), {"x": value})

    @pytest.mark.parametrize("schema", ["string", "integer", "boolean", "[string, 'null']"])
    def test_an_empty_list_is_said_too(self, tmp_path: Path, schema: str):
        assert users(
            tool(tmp_path, f"x: {{type: array, items: {{type: {schema}}}}}", 'slots: {x: ["in {x}"]}'), {"x": []}
        )

    def test_lists_of_objects_are_said_with_their_frame(self, shop: Toolbox):
        items = [
            {"part": "oil filter", "quantity": 2},
            {"part": "van", "quantity": 12},
            {"part": "plug", "quantity": 1},
        ]
        for told in tell_often((filled(shop["order_parts"], {"items": items}, {"number": 1000, "ready": "09:00"}),)):
            user = told.user.lower().replace("two", "2").replace("twelve", "12")
            assert re.search(r"2 x oil filter, 12 x van and 1 x plug|oil filter \(2\), van \(12\) and plug \(1\)", user)
            assert {claim.pointer for claim in told.proof.arguments} == {
                f"/items/{n}/{key}" for n in range(3) for key in items[0]
            }

    @pytest.mark.parametrize("element", [{"part": "plug"}, {"part": "plug", "quantity": 2, "more": 1}, {}])
    def test_elements_that_no_frame_covers_are_said_whole(self, shop: Toolbox, element: dict):
        result = {"number": 1000, "ready": "09:00"}
        items = [{"part": "oil filter", "quantity": 2}, element]
        assert tell_often((filled(shop["order_parts"], {"items": items}, result),))

    def test_elements_with_an_empty_object_are_said_whole(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "x: {type: array, items: {type: object, properties: {a: {type: string}, b: {type: object}}}}",
            'slots: {x: ["with {x}"], "x/*": ["{x/*/a}"]}',
        )
        assert users(spec, {"x": [{"a": "plug", "b": {}}]})

    def test_nested_objects_are_said_leaf_by_leaf_or_whole(self, shop: Toolbox):
        table = {"restaurant": "Lantern", "date": "2026-07-01", "time": "08:00", "guests": 3, "channel": "assistant"}
        for contact, count in (
            ({"name": "Ada"}, 1),
            ({"name": "Ada", "phone": None}, 2),
            ({"name": "Ada", "mail": "a@b.example"}, 1),
            ({}, 1),
        ):
            for told in tell_often(
                (filled(shop["book_table"], {**table, "contact": contact}, {"code": "A", "deposit": 1}),)
            ):
                assert len([claim for claim in told.proof.arguments if claim.pointer.startswith("/contact")]) == count


class TestClauses:
    def test_a_value_is_said_by_its_clause(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "gift: {type: [boolean, 'null']}\nsize: {enum: [s, l, 3, 'yes']}",
            "slots: {gift: {true: [as a gift], false: [not as a gift], null: [either way]}, "
            'size: {s: [in small], l: [in large], 3: [in the third size], "yes": [in any size]}}',
        )
        for gift, words in ((True, "as a gift"), (False, "not as a gift"), (None, "either way")):
            assert all(words in said for said in users(spec, {"gift": gift}))
        for size, words in (("s", "in small"), ("l", "in large"), (3, "in the third size"), ("yes", "in any size")):
            assert all(words in said for said in users(spec, {"size": size}))

    def test_a_star_stands_for_all_other_values(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "room: {type: [string, 'null']}\nsize: {enum: [s, l, xl]}",
            'slots: {room: {null: [wherever], "*": ["in the {room} room"]}, size: {s: [in small], "*": ["in size {size}"]}}',
        )
        assert all("in the blue room" in said for said in users(spec, {"room": "blue"}))
        assert all("wherever" in said and "room" not in said for said in users(spec, {"room": None}))
        assert all("in small" in said for said in users(spec, {"size": "s"}))
        assert all(re.search("in size (xl|extra large)", said) for said in users(spec, {"size": "xl"}))

    def test_values_without_clause_or_frame_are_said_too(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "gift: {type: [boolean, 'null']}\nsize: {type: [string, 'null']}",
            "slots: {gift: {true: [as a gift]}}",
        )
        for value in (True, False, None):
            assert users(spec, {"gift": value})
        for value in ("s", None):
            assert users(spec, {"size": value})

    def test_a_head_never_says_null_or_a_boolean(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "x: {type: [string, boolean, 'null']}",
            'request: ["do it", "find {x} now"]\nslots: {x: ["with {x}"]}',
        )
        for value in (True, False, None):
            assert not any("find" in said.lower() for said in users(spec, {"x": value}))

    def test_enum_values_are_said_in_words(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "state: {enum: [in_progress, onHold, DONE, done_twice]}",
            'request: ["list what is {state}"]\nsynonyms: {state: {DONE: [finished, over]}}',
        )
        in_other_words = ("in progress|under way|being worked on", "on hold|paused|parked", "finished|over|done")
        for value, words in zip(("in_progress", "onHold", "DONE"), in_other_words, strict=True):
            assert all(re.search(f"is ({words})", said) for said in users(spec, {"state": value}))

    def test_synonyms_of_one_value_that_are_members_of_another_are_not_said(self, tmp_path: Path):
        spec = tool(
            tmp_path, "x: {enum: [open, closed]}", 'request: ["list {x}"]\nsynonyms: {x: {open: [closed, fresh]}}'
        )
        assert all("fresh" in said or "open" in said for said in users(spec, {"x": "open"}))


class TestChains:
    def chain(self, shop: Toolbox, pick: Pick | None, **more: Any):
        orders = [
            {"order_id": f"ORD-{n}11111", "total": n, "placed": "2026-01-02", "status": "open"} for n in (3, 1, 2)
        ]
        first = filled(shop["find_orders"], {"customer": "Ada"}, {"orders": orders})
        bound = Taken(argument="order_id", call_id=first.call.id, pointer="/orders/1/order_id", pick=pick)
        result = {"order_id": "ORD-111111", "status": "cancelled", "total": 1, "refund_id": "RF-12345"}
        second = filled(shop["stop_order"], {"order_id": "ORD-111111", **more}, result, (bound,), 1)
        return first, second

    def test_the_user_names_the_element_and_not_its_identifier(self, shop: Toolbox):
        first, second = self.chain(shop, Pick("the cheapest one", "min total"), reason="Wrong size", notify=True)
        for told in tell_often((first,), (second,)):
            assert re.search(r"cancel the cheapest one|call the cheapest one off", told.user, re.IGNORECASE)
            assert "ORD-" not in told.user
            (claim,) = [claim for claim in told.proof.arguments if claim.source == "result"]
            assert (claim.result_pointer, claim.pick) == ("/orders/1/order_id", "min total")

    def test_what_is_not_in_a_list_is_it(self, shop: Toolbox):
        _, second = self.chain(shop, Pick("the cheapest one", "min total"))
        alone = filled(shop["stop_order"], {"order_id": "ORD-111111"}, second.result)
        bound = Taken(argument="refund_id", call_id=alone.call.id, pointer="/refund_id")
        third = filled(
            shop["track_refund"],
            {"refund_id": "RF-12345"},
            {"refund_id": "RF-12345", "state": "paid", "paid_on": "2026-05-01"},
            (bound,),
            2,
        )
        for told in tell_often((alone,), (third,)):
            assert re.search(r"track the refund of it\b", told.user, re.IGNORECASE)
            assert "RF-" not in told.user

    def test_each_of_them(self, shop: Toolbox):
        first, _ = self.chain(shop, None)
        calls = []
        for n, order in enumerate(first.result["orders"]):
            bound = Taken(
                argument="order_id",
                call_id=first.call.id,
                pointer=f"/orders/{n}/order_id",
                pick=Pick("each of them", "each"),
            )
            result = {"order_id": order["order_id"], "status": "cancelled", "total": 1, "refund_id": f"RF-1234{n}"}
            arguments = {"order_id": order["order_id"], "reason": "Wrong size"}
            calls.append(filled(shop["stop_order"], arguments, result, (bound,), n + 1))
        for told in tell_often((first,), tuple(calls), for_each=True):
            assert told.user.count("each of them") == 1
            assert told.said("/reason") == ['"Wrong size"'] * 3 or told.said("/reason") == ["“Wrong size”"] * 3

    def test_tools_without_follow_ups_are_asked_for_by_name(self, tmp_path: Path, shop: Toolbox):
        text = SHOP.replace('follow_up: ["cancel {order_id}", "call {order_id} off"]', "follow_up: []")
        first, second = self.chain(load(tmp_path, text), Pick("the cheapest one", "min total"))
        for told in tell_often((first,), (second,)):
            assert "the cheapest one" in told.user
            assert "ORD-" not in told.user


class TestAnswers:
    def test_are_about_the_results_they_are_for(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "x: {type: string}",
            'request: ["go {x}"]\nanswer:\n  - {when: {state: paid}, say: "It is paid."}\n'
            '  - {when: {state: open, total: 3}, say: "It is open over {total}."}',
            "{type: object, properties: {state: {enum: [paid, open, lost]}, total: {type: integer}}}",
        )
        assert answers(spec, {"x": "a"}, {"state": "paid", "total": 3}) == {"It is paid."}
        assert answers(spec, {"x": "a"}, {"state": "open", "total": 3}) == {"It is open over 3."}
        (plain,) = answers(spec, {"x": "a"}, {"state": "lost", "total": 3})
        assert "lost" in plain

    def test_a_list_that_may_be_cut_short_is_not_counted(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "most: {type: integer}",
            'request: ["list {most}"]\nanswer: ["You have {c#}: {c}.", "These are some: {c}."]',
            "{type: object, properties: {c: {type: array, items: {type: string}}}}",
        )
        cut = msgspec.structs.replace(spec, effect=Effect(kind="find", entity="thing", at="c", limit="most"))
        whole, part = {"c": ["p", "q"]}, {"c": ["p", "q", "r"]}
        assert {"These are some: p and q."} < answers(cut, {"most": 3}, whole)
        assert answers(cut, {"most": 3}, part) == {"These are some: p, q and r."}

    def test_a_yes_or_no_with_words_stands_within_a_request(self, tmp_path: Path):
        words = 'synonyms: {on: {true: [archived], false: [active again]}}\nrequest: ["set it to {on}"]'
        spec = tool(tmp_path, "on: {type: boolean}", words)
        assert all("set it to archived" in said.lower() for said in users(spec, {"on": True}))
        assert all("set it to active again" in said.lower() for said in users(spec, {"on": False}))

    def test_a_template_is_not_used_when_something_is_missing(self, tmp_path: Path):
        spec = tool(
            tmp_path,
            "x: {type: string}\ny: {type: string}",
            'request: ["go {x}"]\nanswer: ["{a} for {args.y}.", "{b} it is.", "There are {c#}: {c}."]',
            "{type: object, properties: {a: {type: string}, b: {type: string}, c: {type: array, items: {type: string}}}}",
        )
        plain = answers(spec, {"x": "X"}, {"a": "A", "b": "B", "c": []})
        assert {re.sub(r" [^.]+ – a: A\.$", "", one) for one in plain} == {"B it is."}  # a may follow by its name
        assert answers(spec, {"x": "X", "y": "Y"}, {"a": "A", "b": None, "c": ["d"]}) == {
            "A for Y."
        }  # it says the y that was asked for

    @pytest.mark.parametrize(
        "result",
        [
            {},
            {"a": {}},
            [],
            [1, 2],
            "Done, 3 of 4.",
            "",
            5,
            True,
            {"n": 1.5, "deep": {"er": [1, {"x": "y"}]}},
            {"9lives": 9},
        ],
    )
    def test_of_any_result_without_phrases(self, tmp_path: Path, result: Any):
        assert tell_often((filled(tool(tmp_path, "x: {type: string}"), {}, result),), times=10)

    def test_elements_are_said_with_each(self, shop: Toolbox):
        orders = [
            {"order_id": f"ORD-{n}11111", "total": n, "placed": "2026-01-02", "status": "in_transit"}
            for n in (300, 100)
        ]
        found = answers(shop["find_orders"], {"customer": "Ada"}, {"orders": orders})
        assert "Ada has 2 orders: one over $300, on their way and one over $100, on their way." in found

    def test_all_results_are_told_when_calls_are_made_at_once(self, shop: Toolbox):
        calls = [
            filled(shop["get_weather"], {"city": city}, {"city": city, "sky": "clear", "degrees": n}, number=n)
            for n, city in enumerate(["Oslo", "Rome", "Lima"])
        ]
        for told in tell_often(tuple(calls)):
            assert [told.answer.index(city) for city in ("Oslo", "Rome", "Lima")] == sorted(
                told.answer.index(city) for city in ("Oslo", "Rome", "Lima")
            )


def test_not_all_is_done_when_a_failure_is_told_next(tmp_path: Path):
    spec = tool(
        tmp_path, "x: {type: string}", 'answer: ["It is {a}."]', "{type: object, properties: {a: {type: string}}}"
    )
    book = ToolPhrases(spec)
    told = [ReportedCall(book, ToolCall(f"call{n:05}", "do_it", {"x": "X"}), {"a": "on"}) for n in range(4)]
    voice = Voice(TODAY)
    begun = {
        is_last: {word_answer(told, Draw(n, TODAY), voice, is_last=is_last)[0] for n in range(60)}
        for is_last in (True, False)
    }
    claims = {is_last: any(re.match("All|Done|That's all", text) for text in texts) for is_last, texts in begun.items()}
    assert claims == {True: True, False: False}


def test_answers_that_say_as_much_are_told_as_often(tmp_path: Path):
    """Those that say less of what was asked for, or that the result does not have, stand between them."""
    says = [
        "{args.x}: {a}.",
        "It is {a}.",
        "{a} now.",
        "{b}.",
        "{b} now.",
        "For {args.x} it is {a}.",
        "{a} for {args.x}.",
    ]
    spec = tool(
        tmp_path,
        "x: {type: string}",
        f"answer: {json.dumps(says)}",
        "{type: object, properties: {a: {type: string}, b: {type: string}}}",
    )
    call = ReportedCall(ToolPhrases(spec), ToolCall("call00001", "do_it", {"x": "X"}), {"a": "on"})
    draw, voice = Draw(3, TODAY), Voice(TODAY)
    told = Counter(word_answer([call], draw, voice)[2][0][1].key for _ in range(600))
    assert sorted(told) == sorted(f"answer: {says[at]}" for at in (0, 5, 6))
    assert max(told.values()) < 1.5 * min(told.values())


@pytest.mark.parametrize("with_a_note", [(), (0,), (1, 2), (0, 1, 2)])
def test_calls_of_one_tool_are_told_in_one_pattern_that_leaves_out_nothing(
    tmp_path: Path, with_a_note: tuple[int, ...]
):
    forms = [
        "On {on} it is {x}.",
        "On {on} it is {x}, as {args.note} said.",
        "{x} for {on}.",
        "It is {x}, {args.note} said.",
    ]
    returns = "{type: object, properties: {x: {type: string}, on: {type: string}}}"
    properties = "on: {type: string}\nnote: {type: string}"
    spec = tool(tmp_path, properties, f"answer: {forms}", returns)
    told = [
        ReportedCall(
            ToolPhrases(spec),
            ToolCall(f"call{n:05}", "do_it", {"on": f"day {n}", **({"note": f"Ann{n}"} if n in with_a_note else {})}),
            {"x": f"X{n}", "on": f"day {n}"},
        )
        for n in range(3)
    ]
    for number in range(30):
        text, _, uses = word_answer(told, Draw(number, TODAY), Voice(TODAY))
        starts = [start for start, *_ in uses]
        said = [text[start:end] for start, end in zip(starts, [*starts[1:], None], strict=True)]
        lines = [re.sub(r"day \d|X\d", "_", line) for line in said]
        assert len({line[:8] for line in lines}) == 1, said
        assert all((f"Ann{n}" in line) == (n in with_a_note) for n, line in enumerate(said))
        assert all(f"day {n}" in line for n, line in enumerate(said))


def test_a_sentence_ends_once(tmp_path: Path):
    returns = "{type: object, properties: {text: {type: string}}}"
    spec = tool(tmp_path, "x: {type: string}", '{answer: ["It says {text:quoted}."]}'[1:-1], returns)
    for text, end in (("Wait for me.", '"Wait for me."'), ("Who is it?", '"Who is it?"'), ("no stop", '"no stop".')):
        (told,) = tell_often((filled(spec, {"x": "a"}, {"text": text}),), times=1)
        assert told.answer.endswith(end)


def test_the_same_story_in_the_same_words(shop: Toolbox):
    call = filled(
        shop["get_weather"], {"city": "Oslo", "day": "2026-04-01"}, {"city": "Oslo", "sky": "clear", "degrees": 3}
    )
    assert tell((call,), seed=1) == tell((call,), seed=1)
    assert len({told.user for told in tell_often((call,), times=30)}) > 15


class TestWhatWasAskedFor:
    """Answers say the optional values that the user gave, once."""

    RETURNS = """
  type: object
  properties:
    mails: {type: array, items: {type: object, properties: {subject: {type: string}, sender: {type: string}, day: {type: string}}}}
    size: {type: object, properties: {width: {type: integer}, height: {type: integer}}}"""

    def test_by_the_phrase_of_an_element_that_names_it(self, tmp_path: Path):
        each = 'answer: ["There is {mails}."]\neach: {mails: ["{subject} on {day}", "{subject} from {sender}", "{subject}"]}'
        spec = tool(tmp_path, "sender: {type: string}", each, self.RETURNS)
        result = {"mails": [{"subject": "Menu", "sender": "Ada King", "day": "Friday"}]}
        assert answers(spec, {"sender": "Ada King"}, result) == {'There is "Menu" from Ada King.'}
        assert answers(spec, {}, result) == {'There is "Menu" from Ada King.'}

    def test_only_once(self, tmp_path: Path):
        each = (
            'answer: ["From {args.sender} there is {mails}."]\neach: {mails: ["{subject} from {sender}", "{subject}"]}'
        )
        spec = tool(tmp_path, "sender: {type: string}", each, self.RETURNS)
        result = {"mails": [{"subject": "Menu", "sender": "Ada King", "day": "Friday"}]}
        assert answers(spec, {"sender": "Ada King"}, result) == {'From Ada King there is "Menu".'}

    def test_also_within_an_object(self, tmp_path: Path):
        phrases = 'answer: ["It is {size/width} wide.", "It is {size/width} wide, {size/height} high."]'
        size = "size: {type: object, properties: {width: {type: integer}, height: {type: integer}}, required: [width]}"
        spec = tool(tmp_path, size, phrases, self.RETURNS)
        told = answers(spec, {"size": {"width": 2, "height": 3}}, {"size": {"width": 2, "height": 3}})
        assert told == {"It is 2 wide, 3 high."}


class TestAlikeResults:
    """Calls that did the same to different things are told in one sentence, where it can be about several."""

    def told(self, folder: Path, say: str) -> set[str]:
        returns = "{type: object, properties: {name: {type: string}, place: {type: string}}}"
        spec = tool(folder, "file: {type: string}", f'request: ["move {{file}}"]\nanswer: ["{say}"]', returns)
        calls = [
            filled(spec, {"file": name}, {"name": name, "place": "Tax"}, number=number)
            for number, name in enumerate(("plan", "menu", "list"))
        ]
        return {
            re.sub(r"\s+(Let me|Anything|Is there|Just say|Happy to)[^.?!]*[.?!]$", "", one.answer)
            for one in tell_often(tuple(calls))
        }

    def test_are_listed(self, tmp_path: Path):
        assert "I've moved plan, menu and list to Tax." in self.told(tmp_path, "I've moved {name} to {place}.")

    def test_are_told_one_by_one_where_the_words_fit_one_thing(self, tmp_path: Path):
        told = self.told(tmp_path, "I've moved {name} to {place}; it's there now.")
        assert all(text.count("it's there now") == 3 for text in told)

    def test_are_told_one_by_one_after_the_noun_of_one_thing(self, tmp_path: Path):
        told = self.told(tmp_path, "I've moved name {name} to {place}.")
        assert all(text.count("I've moved name") == 3 for text in told)

    def test_are_told_all_in_one_or_all_one_by_one(self, tmp_path: Path):
        told = self.told(tmp_path, "I've moved {name} to {place}.")
        assert {text.count("I've moved") for text in told} == {1, 3}

    def test_by_an_answer_for_just_this_argument(self, tmp_path: Path):
        phrases = 'answer: ["Sent.", {when: {args.loud: true}, say: "Sent with a bell."}]'
        spec = tool(tmp_path, "loud: {type: boolean}", phrases, "{type: object, properties: {a: {type: string}}}")
        assert answers(spec, {"loud": True}, {"a": "x"}) == {"Sent with a bell."}
        assert answers(spec, {"loud": False}, {"a": "x"}) == answers(spec, {}, {"a": "x"}) == {"Sent."}

    def test_a_value_with_answers_of_its_own_is_not_told_by_the_others(self, tmp_path: Path):
        phrases = 'answer: ["It is {a}.", "Found, {a}.", {when: {a: unknown}, say: "Nobody knows."}]'
        spec = tool(tmp_path, "x: {type: string}", phrases, "{type: object, properties: {a: {type: string}}}")
        assert answers(spec, {}, {"a": "unknown"}) == {"Nobody knows."}
        assert answers(spec, {}, {"a": "red"}) == {"It is red.", "Found, red."}


def test_i_is_a_capital_behind_a_greeting_too(tmp_path: Path):
    spec = tool(
        tmp_path, "room: {type: string}", 'request: ["tidy {room}"]\nseveral: ["tidy these rooms"]\nentry: ["{room}"]'
    )
    calls = tuple(filled(spec, {"room": room}, number=number) for number, room in enumerate(("the hall", "the attic")))
    said = [told.user for told in tell_often(calls, times=400)]
    assert any(re.search(r"^\w+( there)?, I'd like you to", text) for text in said)
    assert not [text for text in said if re.search(r"\bi\b", text)]


def test_a_phrase_for_one_thing_is_not_said_of_several(tmp_path: Path):
    spec = tool(
        tmp_path,
        "room: {type: string}",
        'request: ["tidy {room}", "tidy the room {room}"]\nquestion: ["when is {room} tidied", "is it tidy in {room}"]\nvary: [room]',
    )
    calls = tuple(filled(spec, {"room": room}, number=number) for number, room in enumerate(("Oak", "Elm", "Ash")))
    said = " ".join(told.user for told in tell_often(calls, times=120)).lower()
    assert "tidy in oak, elm and ash" in said
    assert "tidy oak, elm and ash" in said
    assert "room oak" not in said
    assert "is oak" not in said
    assert "when is oak tidied" in " ".join(users(spec, {"room": "Oak"}, 120)).lower()


def test_few_answers_end_with_an_offer(shop: Toolbox):
    result = {"city": "Oslo", "sky": "clear", "degrees": 3}
    told = [one.answer for one in tell_often((filled(shop["get_weather"], {"city": "Oslo"}, result),), times=300)]
    assert 0 < sum(text.endswith(CONNECTIVES.offers) for text in told) < 0.15 * len(told)
