"""Every constraint of a style is held: planted faults are refused, and what is within it passes."""

from datetime import date

import msgspec
import pytest

from generator.core.conversation import AssistantMessage, Conversation, SystemMessage, ToolCall, UserMessage
from generator.core.planning import Note
from generator.core.seeds import Draw
from generator.dialogue.proof.styles import CODE, style_faults
from generator.dialogue.styles import ANY, Style, both, style_in, style_lines
from generator.run.overlays import draw_system

LIST = "There are two:\n- Oslo\n- Rome"
TABLE = "Here you go:\n\n| City | Rain |\n|---|---|\n| Oslo | 2 mm |"
PLANTED = {
    "words": ("It rains in Oslo.", "It rains. " * 45),
    "sentences": ("It rains in Oslo, at 4.5 degrees.", "It rains. It is cold. Take a coat. Go home."),
    "lists": ("It rains in Oslo - or so they say.", LIST),
    "tables": (LIST, TABLE),
    "bold": (LIST, "It **rains**."),
    "closers": ("Do you mean Oslo or Rome?", "It rains. Let me know if you need anything else."),
    "exclamations": ('You sent "Happy birthday!" to Ada.', "It rains!"),
    "date": {
        "day month": ('On 4 May there is "Review of March 3".', "On May 4 there is a review."),
        "month day": ("On May 4th there is a review.", "On 4 May there is a review."),
        "iso": ("On 2026-05-04 there is a review.", "On May 4 there is a review."),
    },
    "clock": {12: ("It is at 3:15 pm.", "It is at 15:15."), 24: ("It is at 15:15.", "It is at 3 pm.")},
    "money": ("It costs $12.50.", "It costs 12.50 dollars."),
}


def row(line: str, answer: str, beside: str | None = None) -> Conversation:
    call = ToolCall("a", "get_weather", {})
    calling = AssistantMessage(beside, (call,))
    return Conversation((SystemMessage(line), UserMessage("?"), calling, AssistantMessage(answer)))


@pytest.mark.parametrize("line", style_lines(), ids=lambda line: line.say)
def test_planted_faults_of_every_line_are_refused(line):
    constraints = {name: value for name, value in msgspec.structs.asdict(line.style).items() if value is not None}
    assert constraints
    for name, value in constraints.items():
        if name == "beside":
            assert [fault.rule for fault in style_faults(row(line.say, "Fine.", "One moment."))] == [CODE]
            continue
        planted = PLANTED[name]
        good, bad = planted[value] if isinstance(planted, dict) else planted
        assert not list(style_faults(row("You are helpful.", bad, "One moment.")))
        assert not list(style_faults(row("", good), Style(**{name: value})))
        assert CODE in {fault.rule for fault in style_faults(row(f"Hi. {line.say}\nBye.", bad))}


def test_every_constraint_is_asked_for_by_some_line():
    asked = {name for line in style_lines() for name, value in msgspec.structs.asdict(line.style).items() if value}
    assert asked == {*Style.__struct_fields__} == {*PLANTED, "beside"}


def test_two_styles_are_one_that_keeps_both():
    assert both(Style(words=60, lists="no"), Style(words=40, date="iso")) == Style(words=40, lists="no", date="iso")
    assert style_in("Be brief. No bullet points.") == Style(words=40, lists="no")
    assert style_in("You are helpful.") is ANY


def test_a_line_is_taken_out_of_its_message_with_the_places_of_values_moved():
    draw = Draw(5, date(2026, 3, 12))
    styled = [note for note in (draw_system(draw, draw.today) for _ in range(400)) if note.style]
    assert len(styled) > 100
    for note in styled:
        text = f"{note.text} The site is X7."
        place = len(text) - 3
        note = msgspec.structs.replace(note, text=text, spans=(("site", "X7", place, place + 2),))
        without: Note = note.without_style
        (_, value, start, end) = without.spans[0]
        assert without.text[start:end] == value
        assert style_in(without.text) is ANY
        assert without.text == without.text.strip()
