"""What texts tell, in the forms in which people and models say it; and how much work reading them is, whoever wrote them."""

import time
from typing import Any

import pytest
from examples import examples
from hypothesis import example, given, settings
from hypothesis import strategies as st

from generator.episodes.answer_text import (
    MOST_ASKED,
    AnswerText,
    is_json,
    read_question,
    reports_failure,
    reports_problem,
    stems_of,
)
from generator.llm.reading import without_reasoning


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.6, "It is rated **4.6/5** by its guests."),
        (78000, "Around 78k people follow it."),
        (78412, "Around 78k people follow it."),
        (1_200_000, "It sold for $1.2M."),
        (1116.7, "That comes to about 1,117 dollars."),
        (12500, "12,500 of them"),
        (0.78, "78% of the guests"),
        (-4, "It is -4°C."),
        (3, "There are three of them."),
        (21, "twenty-one tickets"),
        ("2026-11-07", "You are away from Friday 7 to Tuesday 11 November."),
        ("2026-11-11", "You are away from Friday 7 to Tuesday 11 November."),
        ("2026-08-06", "6 and 8 August"),
        ("2026-08-08", "Aug 6th, 8th"),
        ("2026-08-06", "on 06/08"),
        ("14:30", "at 2:30 pm"),
        ("18:00", "open 6–8 pm"),
        ("2026-11-07T14:30:00", "November 7 at 14:30"),
        ("in_progress", "It is in progress."),
        ("TCK-1", "(tck-1)"),
    ],
)
def test_a_value_is_told_in_any_of_its_forms(value: Any, text: str) -> None:
    assert AnswerText(text).states(value)


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (4.6, "It is rated 4.5/5."),
        (78412, "Around 79k people follow it."),
        (15, "It takes 150 minutes."),
        (5, "It is 1.5 MB."),
        (12, "12.5 km, 5,120 m and 112"),
        (True, "1"),
        ("2026-11-07", "Friday 8 November, seven of them"),
        ("2026-11-07", "7 December"),
        ("14:30", "at 2:30 am"),
        ("TCK-1", "TCK-12"),
    ],
)
def test_another_value_is_not(value: Any, text: str) -> None:
    assert not AnswerText(text).states(value)


@pytest.mark.parametrize(
    "text",
    [
        "Sorry, but this failed and nothing was changed.",
        "I couldn't do that.",
        "I’m unable to book it.",
        "An error occurred.",
        "Your booking has not been made.",
        "Something went wrong on the way.",
    ],
)
def test_that_it_failed_is_understood(text: str) -> None:
    assert reports_failure(text)
    assert reports_problem(text)


@pytest.mark.parametrize(
    ("text", "known"),
    [
        ("Done: your table is booked.", ""),
        ("Let me know if something went wrong.", ""),
        ("It went through without an error.", ""),
        ("Build 7 failed after two minutes.", '{"status": "failed"}'),
        ("Booked, after one failed attempt.", ""),
        ("Unfortunately it rains all day, so there is no sun.", ""),
    ],
)
def test_what_went_well_is_not_taken_for_a_failure(text: str, known: str) -> None:
    assert not reports_failure(text, known)


def test_what_failed_on_the_way_may_be_told() -> None:
    """Where it was done in the end, but not instead of that."""
    for told in (
        "I ran into an error, so I tried again and the table is booked.",
        "Booked. The first try failed, though.",
    ):
        assert not reports_failure(told, mended=True)
    assert reports_failure("Sorry, but this failed and nothing was changed.", mended=True)


def test_politeness_tells_nothing_bad() -> None:
    assert not reports_problem("All done, no problem at all. Don't worry!")


RESULT = '{"city":"Oslo","days":[{"high":12,"low":-3}],"ok":true}'


@pytest.mark.parametrize(
    "text",
    [
        RESULT,
        f"I think this is right, but it may not be, so please check it again before you rely on any of it: {RESULT}",
        '```json\n{\n  "city": "Oslo",\n  "ok": true\n}\n``` (not sure)',
        "{'city': 'Oslo', 'high': 12}",
    ],
)
def test_json_is_no_answer(text: str) -> None:
    assert is_json(text, [RESULT])


@pytest.mark.parametrize(
    "text", ["Oslo: 12 degrees, -3 at night.", 'The file "a": it is [here].', "", "Found [] twice."]
)
def test_words_are_no_json(text: str) -> None:
    assert not is_json(text, [RESULT, "[]"])


# -- work ----------------------------------------------------------------------------------------------------------------

PIECES = (
    *(
        "1:",
        "how can ",
        '"',
        '{"a":',
        "'a': ",
        "1,",
        "1.",
        "7 ",
        "nov ",
        "7 nov ",
        "12:30 pm ",
        "to ",
        "i was not ",
        "not ",
    ),
    *(
        "an error ",
        "please ",
        "what can ",
        ". ",
        "? ",
        "which ",
        "a",
        "(",
        "-",
        "1/",
        "twenty-",
        "if ",
        "\n",
        "<think>",
        "</think>",
    ),
)


def spent(text: str) -> float:
    """CPU seconds for everything that a user and the score ask of a text, but for readers: the least of three."""
    found = []
    for _ in range(3):
        began = time.process_time()
        telling = AnswerText(text)
        for value in (123456.5, "2031-01-30", "13:59", "no such words"):
            telling.states(value, "3.25 of them")
        reports_problem(text)
        reports_failure(text, mended=True)
        is_json(text, [RESULT])
        for asked in (text, f"{text}?"):
            read_question(asked, [])
        stems_of(text)
        without_reasoning(text)
        found.append(time.process_time() - began)
    return min(found)


@settings(max_examples=examples(30), deadline=None)
@given(pieces=st.lists(st.sampled_from(PIECES), min_size=1, max_size=3))
@example(pieces=["how can "])
@example(pieces=["1:"])
def test_work_grows_no_faster_than_a_text(pieces: list[str]) -> None:
    """Four times the text is far from sixteen times the work, which backtracking would make of it."""
    piece = "".join(pieces)
    once, more = (spent(piece * (length // len(piece))) for length in (8_000, 32_000))
    assert more <= 9 * once + 0.01


def test_readers_are_asked_a_bounded_number_of_times() -> None:
    asked = iter(range(MOST_ASKED))
    count = 0

    def read(words: str) -> Any:
        nonlocal count
        count += 1
        raise ValueError

    for _ in range(20):
        AnswerText("7 " * 30_000).reads(1, read, asked)
    assert count == MOST_ASKED
