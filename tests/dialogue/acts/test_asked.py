"""An answer tells what was asked for: what the user singles out, the field that a request names, and in the words of the user."""

from functools import cache

import pytest
from changed_rows import Proven, replace, with_claim
from planting import lists
from workbench import TOOL_SPECS, filled, recipe, rows, tell_often

from generator.core.templates import parse_template
from generator.dialogue.acts.asked import fields_asked_for
from generator.dialogue.acts.detail import asks_for_all
from generator.dialogue.wording.phrases.telling import speaks_of_several
from generator.run.row import prepare
from generator.tools.specs import load_toolbox


@cache
def _rows(scenario: str, file: str, count: int) -> tuple[Proven, ...]:
    shop = prepare(recipe([TOOL_SPECS / file], scenario))
    return tuple([Proven(one.row.conversation, one.row.proof, scenario, shop.toolbox) for one in rows(shop, count)])


@pytest.mark.parametrize("plant", [lists.leave_out_what_was_picked, lists.tell_of_another_element])
def test_what_the_user_singles_out_is_told_and_is_the_one(plant):
    own = [row for row in _rows("sequential", "travel.yaml", 30) if any(one.how == "picked" for one in row.proof.tells)]
    planted = [change for row in own for change in plant(row)]
    assert len(planted) > 3
    for change in planted:
        assert {"PF106", "PF111", "PF139", "PF143"} & {finding.code for finding in change.row.findings()}, change.what


def test_it_is_told_by_what_it_has():
    told = [
        row.text(one.message)[one.start : one.end]
        for row in _rows("sequential", "travel.yaml", 30)
        for one in row.proof.tells
        if one.how == "picked"
    ]
    assert any(" is " in text for text in told)
    assert any(text.startswith("That") for text in told) or all("(" in text for text in told)
    assert [text for text in told if "(€" in text]


class TestTheFieldThatARequestNames:
    WEATHER = load_toolbox([TOOL_SPECS / "weather.json"])

    def test_is_read_from_the_words_of_the_request(self):
        spec = self.WEATHER["get_sun_times"]
        assert fields_asked_for(spec, "question: when is sunset in {city} on {date}") == {"sunset"}
        assert fields_asked_for(spec, "add: on {date}") == set()

    def test_is_told(self):
        planted = [change for row in _rows("single", "weather.json", 60) for change in lists.tell_another_field(row)]
        assert len(planted) > 3
        for change in planted:
            assert {"PF106", "PF144"} & change.row.codes(), change.what
        assert any("PF144" in change.row.codes() for change in planted)

    def test_is_not_told_field_by_field(self):
        assert asks_for_all("want: the details of hotel offer {offer_id}")
        assert not asks_for_all("question: when is sunset in {city}")
        for row in _rows("single", "weather.json", 80):
            for tell in row.proof.tells:
                uses = [use for use in row.proof.uses if tell.how == "detailed" and tell.call_id in use.calls]
                for use in uses if len(uses) == 1 else ():
                    changed = with_claim(row, use, replace(use, key="question: when is it"))
                    assert any("all of it" in str(finding.facts) for finding in changed.findings())


def test_nobody_speaks_of_one_thing_as_of_several():
    assert speaks_of_several(parse_template("These files match {args.keyword}: {files}.", "result")) == "files"
    assert not speaks_of_several(parse_template("I found {files#} {files#?file|files}: {files}.", "result"))
    planted = [change for row in _rows("single", "files.yaml", 60) for change in lists.leave_one_of_several(row)]
    for change in planted:
        assert "PF145" in change.row.codes(), change.what
    spec = load_toolbox([TOOL_SPECS / "files.yaml"])["search_files"]
    one = {"name": "a.pdf", "folder": "Trips", "modified_on": "2026-01-02", "size_mb": 2, "file_id": "FIL-000001"}
    told = tell_often((filled(spec, {"keyword": "trip"}, {"files": [one]}),), times=30)
    assert not [one.answer for one in told if "These" in one.answer]


def test_a_choice_is_called_as_the_user_has_called_it():
    kept = 0
    for row in _rows("single", "smart_home.yaml", 80):
        for claim in row.proof.arguments:
            asked = (
                claim.verbalizer == "enum"
                and claim.source == "user"
                and row.text(claim.message)[claim.start : claim.end]
            )
            for told in row.proof.answers if asked else ():
                if told.call_id == claim.call_id and told.verbalizer == "enum" and told.pointer == claim.pointer:
                    words = row.text(told.message)[told.start : told.end]
                    assert words.casefold() == asked.casefold() or asked.startswith(("the ", "a ", "my "))
                    kept += 1
    assert kept > 5


def test_all_values_of_a_change_are_confirmed_if_a_sentence_says_them():
    spec = load_toolbox([TOOL_SPECS / "smart_home.yaml"])["create_light_scene"]
    lights = [{"room": "dining_room", "brightness": 60}]
    call = filled(
        spec,
        {"name": "Good breakfast", "lights": lights},
        {"scene_id": "SCN-9507", "name": "Good breakfast", "rooms": 1},
    )
    for told in tell_often((call,), times=20):
        assert "60%" in told.answer


def test_a_line_that_begins_as_the_others_does_not_leave_out_what_was_asked_for():
    spec = load_toolbox([TOOL_SPECS / "mail.yaml"])["reply_to_message"]
    calls = [
        filled(
            spec,
            {"message": subject, "body": "Thanks, that works for me.", **more},
            {
                "message_id": "MSG-000001",
                "subject": subject,
                "sender": "Ada King",
                "reply_id": "MSG-000002",
                "status": "sent",
            },
            number=number,
        )
        for number, (subject, more) in enumerate(
            [("The trip", {}), ("The tent", {}), ("The fees", {"reply_all": True})]
        )
    ]
    for told in tell_often(tuple(calls), times=20):
        assert "thread" in told.answer
