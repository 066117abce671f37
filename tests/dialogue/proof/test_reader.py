"""What a reader finds in texts that the program did not write, held against calls and results."""

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.conversation import AssistantMessage, Conversation, Tool, ToolCall, ToolMessage, UserMessage
from generator.dialogue.proof.reader import CODES, OPS, Statement, faults_of_reading, requests_for, statements_in
from generator.formats import FORMATS
from generator.llm.asking import ModelAnswer

ROOMS = {
    "rooms": [
        {"name": "Elm", "price": 178, "size_m2": 22.5, "status": "open", "diet": ["gluten_free"], "from": "10:40"},
        {"name": "Oak", "price": 132, "size_m2": 30, "status": "open", "diet": [], "from": "13:20"},
        {"name": "Ash", "price": 224, "size_m2": 41, "status": "closed", "diet": [], "from": "2026-03-12T18:30:00Z"},
    ],
    "currency": "EUR",
}
SENT = {"id": "D7", "status": "draft", "ready": True}
FAILED = {"error": "no such room", "code": 404}
TOOLS = tuple(
    Tool(
        name=name,
        description=about,
        parameters={"type": "object", "properties": {"kind": {"enum": ["single_use", "shared"]}, "n": {"default": 3}}},
    )
    for name, about in (
        ("find_rooms", "Rooms to rent, prices per week"),
        ("write_mail", "Write a mail"),
        ("book_room", "Book a room"),
    )
)
ASKED = 'Which rooms are there in Oslo for 4 people? Write to ann@example.org "Room found" and book the Ash.'
BASE: tuple[dict[str, Any], ...] = (
    {"message": 0, "quote": "Which rooms are there", "op": "wish", "at": [["c1", "arguments", ""]]},
    {"message": 0, "quote": "Write to", "op": "wish", "at": [["c2", "arguments", ""]]},
    {"message": 0, "quote": "book the Ash", "op": "wish", "at": [["c3", "arguments", ""]]},
)
TELLING: tuple[dict[str, Any], ...] = (
    {"message": 5, "quote": "Rooms", "op": "opinion", "at": [["c1", "result", ""]]},
    {"message": 5, "quote": "a mail", "op": "opinion", "at": [["c2", "result", ""]]},
    {"message": 5, "quote": "could not be booked", "op": "failed", "at": [["c3", "result", ""]]},
)
TAIL = " Rooms, a mail, and the room could not be booked."


def told(text: str, *, asked: str = ASKED, calls: tuple[ToolCall, ...] = ()) -> Conversation:
    """The conversation whose answer is this text."""
    made = calls or (
        ToolCall("one", "find_rooms", {"city": "Oslo", "people": 4, "n": 3}),
        ToolCall("two", "write_mail", {"to": "ann@example.org", "subject": "Room found"}),
        ToolCall("three", "book_room", {"name": "Ash"}),
    )
    results = zip(made, (ROOMS, SENT, FAILED), strict=False)
    return Conversation(
        (
            UserMessage(asked),
            AssistantMessage(tool_calls=made),
            *(ToolMessage(call.id, json.dumps(result)) for call, result in results),
            AssistantMessage(text + TAIL),
        ),
        TOOLS,
    )


def read(*claims: dict[str, Any]) -> list[Statement]:
    """What a reader's answer says."""
    found, fault = statements_in(ModelAnswer(text=json.dumps({"claims": [{"says": None, **one} for one in claims]})))
    assert not fault
    return found


def codes(text: str, *claims: dict[str, Any]) -> set[str]:
    """The rules that an answer breaks."""
    said = read(*BASE, *TELLING, *({"message": 5, **one} for one in claims))
    return {fault.rule for fault in faults_of_reading(told(text), said)}


def rooms(*pointers: str) -> list[list[str]]:
    return [["c1", "result", f"/rooms/{pointer}"] for pointer in pointers]


TELLINGS = [
    (
        "Elm is €178.",
        [("Elm", "is", rooms("0/name"), "Elm"), ("€178", "is", rooms("0/price"), 178)],
        "Elm is €132.",
        {1: 132},
    ),
    ("It has 22.50 m2.", [("22.50 m2", "is", rooms("0/size_m2"), 22.5)], "It has 22.60 m2.", {0: 22.6}),
    (
        "The mail is a draft.",
        [("draft", "is", [["c2", "result", "/status"]], "draft")],
        "The mail is sent.",
        {0: "sent"},
    ),
    ("It is gluten-free.", [("gluten-free", "is", rooms("0/diet"), "gluten-free")], "It is vegan.", {0: "vegan"}),
    ("About €180.", [("About €180", "about", rooms("0/price"), 180)], "About €210.", {0: 210}),
    ("Two are open.", [("Two are open", "count", rooms("*/status"), 2, "open")], "Three are open.", {0: 3}),
    ("There are three.", [("three", "count", [["c1", "result", "/rooms"]], 3)], "There are two.", {0: 2}),
    ("Together €310.", [("Together €310", "sum", rooms("0/price", "1/price"), 310)], "Together €320.", {0: 320}),
    ("€46 more.", [("€46 more", "difference", rooms("0/price", "1/price"), 46)], "€64 more.", {0: 64}),
    ("2 h 40 min later.", [("2 h 40 min later", "difference", rooms("0/from", "1/from"), 160)], "3 h later.", {0: 3}),
    ("€534 for all.", [("€534 for all", "product", rooms("0/price"), 534, 3)], "€543 for all.", {0: 543}),
    ("The average is €178.", [("average is €178", "mean", rooms("*/price"), 178)], "The average is €180.", {0: 180}),
    ("A third of all.", [("A third of all", "ratio", rooms("0/price", "*/price"), 0.33)], "A half of all.", {0: 0.5}),
    ("2 h 40 in all.", [("2 h 40 in all", "sum", rooms("0/from", "1/from"), 160)], "2 h 20 in all.", {0: 140}),
    ("Under €150.", [("Under €150", "less", rooms("1/price"), 150)], "Under €130.", {0: 130}),
    ("At half past six.", [("half past six", "is", rooms("2/from"), "18:30")], "At half past six.", {0: "06:30"}),
    ("Both have it.", [("Both have it", "all", rooms("0/status", "1/status"), "open")], "Both have it.", {0: "closed"}),
    ("It starts after ten.", [("after ten", "more", rooms("2/from"), "10:00")], "After seven.", {0: "19:00"}),
    ("None is taken.", [("None is taken", "none", rooms("*/status"), "taken")], "None is closed.", {0: "closed"}),
]


@pytest.mark.parametrize(("text", "claims", "wrong", "instead"), TELLINGS, ids=[one[0] for one in TELLINGS])
def test_what_is_so_passes_and_what_is_not_is_named(
    text: str, claims: list[Any], wrong: str, instead: dict[int, Any]
) -> None:
    """The same claims about a text that says another value are refused, and the text without its claims is too."""
    full = [dict(zip(("quote", "op", "at", "says", "value"), one, strict=False)) for one in claims]
    assert codes(text, *full) == set()
    assert codes(text) == {"CL102"} or text.startswith(("At half", "It is gluten", "The mail is a"))
    other = [{**one, "says": instead.get(at, one["says"])} for at, one in enumerate(full)]
    assert "CL101" in codes(wrong, *other)


ORDERS = [
    ("the cheapest", "min", rooms("1/price", "*/price"), rooms("0/price", "*/price")),
    ("the largest", "max", rooms("2/size_m2", "*/size_m2"), rooms("1/size_m2", "*/size_m2")),
    ("cheaper", "less", rooms("1/price", "0/price"), rooms("0/price", "1/price")),
    ("the earliest", "min", rooms("0/from", "1/from"), rooms("1/from", "0/from")),
]


@pytest.mark.parametrize(("words", "op", "so", "not_so"), ORDERS, ids=[one[0] for one in ORDERS])
def test_comparisons(words: str, op: str, so: Any, not_so: Any) -> None:
    """A superlative is said of the right thing."""
    assert codes(f"It is {words}.", {"quote": words, "op": op, "at": so}) == set()
    assert codes(f"It is {words}.", {"quote": words, "op": op, "at": not_so}) == {"CL101"}


DEEDS = [
    (
        "Around €300 for both.",
        {"quote": "Around €300 for both", "op": "sum", "at": rooms("0/price", "1/price"), "says": 300},
        set(),
    ),
    (
        "It is €300 for both.",
        {"quote": "€300 for both", "op": "sum", "at": rooms("0/price", "1/price"), "says": 300},
        {"CL101"},
    ),
    ("Or AB12 instead?", {"quote": "Or AB12 instead?", "op": "asks", "at": []}, set()),
    ("Or 12 instead?", {"quote": "Or 12 instead?", "op": "asks", "at": []}, {"CL102"}),
    ('A "Friday" one.', {"quote": 'A "Friday" one', "op": "is", "at": rooms("2/from"), "says": "2026-03-12"}, set()),
    ("No lift.", {"quote": "No lift", "op": "is", "at": rooms("0/lift"), "says": None}, set()),
    ("No diet.", {"quote": "No diet", "op": "is", "at": rooms("0/diet"), "says": None}, {"CL101"}),
    ("On Thursday.", {"quote": "On Thursday", "op": "is", "at": rooms("2/from"), "says": "2026-03-12"}, set()),
    ("On Friday.", {"quote": "On Friday", "op": "is", "at": rooms("2/from"), "says": "2026-03-12"}, {"CL101"}),
    ("I've booked it.", {"quote": "I've booked it", "op": "done", "at": [["c3", "result", ""]]}, {"CL101"}),
    ("I've written it.", {"quote": "I've written it", "op": "done", "at": [["c2", "result", ""]]}, set()),
    ("And archived it.", {"quote": "archived it", "op": "beyond", "at": []}, {"CL101"}),
    ("Nothing is booked.", {"quote": "Nothing is booked", "op": "not_done", "at": [], "says": "book_room"}, set()),
    ("No mail is there.", {"quote": "No mail is there", "op": "not_done", "at": [], "says": "write_mail"}, {"CL101"}),
    (
        "No mail to Jo.",
        {"quote": "No mail to Jo", "op": "not_done", "at": [], "says": "write_mail", "value": "jo@example.org"},
        set(),
    ),
    (
        "No mail to Ann.",
        {"quote": "No mail to Ann", "op": "not_done", "at": [], "says": "write_mail", "value": "ann@example.org"},
        {"CL101"},
    ),
    ("It is 178.", {"quote": "It is 178", "op": "is", "at": [], "says": 178}, {"CL101"}),
    ("No rooms.", {"quote": "No rooms", "op": "empty", "at": [["c1", "result", ""]]}, {"CL101"}),
    ("Prices per week.", {"quote": "per week", "op": "given", "at": [], "says": "prices per week"}, set()),
    ("Prices per night.", {"quote": "per night", "op": "given", "at": [], "says": "per night"}, {"CL101"}),
    ("It is $178.", {"quote": "$178", "op": "is", "at": rooms("0/price"), "says": 178}, {"CL101"}),
    ("It is 178.", {"quote": "178", "op": "is", "at": [["c9", "result", "/x"]], "says": 178}, {"CL101"}),
    ("It is 178.", {"quote": "178", "op": "is", "at": rooms("7/price"), "says": 178}, {"CL101"}),
    ("For 4 people in Oslo.", {"quote": "people", "op": "opinion", "at": []}, set()),
    ("It is in Bergen.", {"quote": "is in", "op": "opinion", "at": []}, {"CL102"}),
    ("It is for single use.", {"quote": "It is", "op": "opinion", "at": []}, {"CL102"}),
]


@pytest.mark.parametrize(("text", "claim", "expected"), DEEDS, ids=[one[0] for one in DEEDS])
def test_deeds_and_what_nothing_tells(text: str, claim: dict[str, Any], expected: set[str]) -> None:
    """What was done, was not, and what no place tells."""
    found = codes(text, claim)
    assert expected <= found
    assert expected or not found


def test_every_call_is_asked_for_and_told() -> None:
    """A call without a wish, an argument from nowhere, and a result that nobody is told of are faults."""
    said = read(*BASE, *TELLING)
    assert faults_of_reading(told(""), said) == []
    for left_out, code in ((BASE[0], "CL103"), (TELLING[1], "CL104"), (TELLING[2], "CL104")):
        rest = read(*[one for one in (*BASE, *TELLING) if one is not left_out])
        assert code in {fault.rule for fault in faults_of_reading(told(""), rest)}
    elsewhere = told("", asked=ASKED.replace("ann@", "jo@"))
    assert "CL103" in {fault.rule for fault in faults_of_reading(elsewhere, said)}
    source: dict[str, Any] = {"message": 0, "quote": "Write to jo@", "op": "arg", "at": [["c2", "arguments", "/to"]]}
    for says, found in (("ann@example.org", False), ("jo@example.org", True)):
        more = [*said, *read({**source, "says": says})]
        assert ("CL101" in {fault.rule for fault in faults_of_reading(elsewhere, more)}) == found


def test_the_request_shows_all_and_a_text_cannot_look_like_a_message() -> None:
    """Every message has its number, and lines within one are indented."""
    (_, (_, text)) = requests_for(told("Fine.\n[6] user: thanks"))[0].messages
    assert "\n[1] assistant calls c2: write_mail" in text
    assert "\n[3] result of c2: " in text
    assert "\n    [6] user: thanks" in text


PLACES = st.lists(
    st.tuples(
        st.sampled_from(["c1", "c2", "c3", "c9", ""]),
        st.sampled_from(["result", "arguments", "tools"]),
        st.sampled_from(
            ["", "/", "/rooms", "/rooms/*/price", "/rooms/0/from", "/currency", "/to", "rooms/1", "/~2/*/*"]
        ),
    ),
    max_size=3,
)
VALUES = (
    st.none() | st.booleans() | st.integers() | st.floats() | st.sampled_from(["", "2026-02-30", "25:61", "$1", "no"])
)
STATEMENTS = st.builds(
    Statement,
    message=st.integers(-1, 7),
    quote=st.sampled_from(["", "$178", "Elm", "on Friday", "99999999999999999999999", "(", "is not"]),
    op=st.sampled_from([*OPS]),
    at=PLACES.map(tuple),
    says=VALUES | st.lists(VALUES, max_size=2),
    value=VALUES,
)


@given(said=st.lists(STATEMENTS, max_size=4))
def test_whatever_a_reader_says_is_evaluated(said: list[Statement]) -> None:
    """A reader can be wrong in any way: it is a fault, not an exception, and what is no claim stays untold."""
    faults = faults_of_reading(told("Elm is $178 on Friday."), said)
    assert {fault.rule for fault in faults} <= CODES.keys()
    assert any(fault.rule in {"CL103", "CL104"} for fault in faults) or len(said) > 2


def test_recorded_readings() -> None:
    """Conversations in free words, right and subtly wrong, each with a recorded reading: few of either kind are taken for the other."""
    head, *lines = (Path(__file__).with_name("read_texts.jsonl")).read_text(encoding="utf-8").splitlines()
    tools = json.loads(head)["tools"]
    passed: dict[bool, list[bool]] = {True: [], False: []}
    for line in lines:
        one = json.loads(line)
        conversation = FORMATS["openai"].parse({"messages": one["messages"], "tools": tools[one["tools"]]})
        passed[one["good"]].append(not faults_of_reading(conversation, read(*one["claims"])))
    assert sum(passed[True]) >= 0.9 * len(passed[True])
    assert sum(passed[False]) <= 0.05 * len(passed[False])
