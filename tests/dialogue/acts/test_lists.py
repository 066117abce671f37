"""Results told in lines are right, vary, and look as a style says; what is wrong with one is refused."""

import re
from functools import cache
from importlib import import_module

import pytest
from changed_rows import Proven, replace, spliced, with_claim, with_proof
from planting import lists
from workbench import TOOL_SPECS, filled, recipe, rows, tell_often

from generator.core.claims import AnswerClaim
from generator.core.connectives import field_in_words
from generator.core.conversation import AssistantMessage, UserMessage
from generator.dialogue.acts import listing, tally
from generator.dialogue.acts.found_list import heading
from generator.recipe import ToolFile
from generator.run.row import prepare
from generator.tools.specs import load_toolbox

FILES = [TOOL_SPECS / name for name in ("travel.yaml", "hr.yaml", "restaurants.yaml", "weather.json")]


@cache
def _rows() -> tuple[Proven, ...]:
    with pytest.MonkeyPatch.context() as often:
        often.setattr(tally, "_TALLIED", 0.5)
        often.setattr(listing, "_SINGLED_OUT", 0.2)
        often.setattr(import_module("generator.dialogue.acts.word"), "_DETAILED", 1)
        found = _made()
    return tuple([row for row in found if any(tell.how in LINES for tell in row.proof.tells)])


def _made() -> list[Proven]:
    found: list[Proven] = []
    for system, count in (([], 420), (["Stay under 80 words."], 80)):
        shop = prepare(recipe(FILES, "single", system=system))
        found += [Proven(one.row.conversation, one.row.proof, "single", shop.toolbox) for one in rows(shop, count)]
    return found


CODES = {"PF106", "PF111", "PF117", "PF139", "PF141"}
LINES = ("listed", "singled_out", "detailed", "tallied")


@pytest.mark.parametrize(
    "plant",
    [
        lists.tell_of_another_element,
        lists.name_another_order,
        lists.leave_a_line_out,
        lists.miscount_what_is_left_out,
        lists.rename_a_field,
        lists.miscount_all_together,
    ],
    ids=lambda plant: plant.__name__,
)
def test_planted_faults_are_refused(plant):
    planted = [change for row in _rows() for change in list(plant(row))[:3]]
    assert planted
    for change in planted:
        assert CODES & {finding.code for finding in change.row.findings()}, change.what


def test_that_nothing_was_asked_for_is_no_field():
    """ "Size and care: not requested" is not said, and refused."""
    spec = load_toolbox([TOOL_SPECS / "shop.yaml"])["get_product_details"]
    result = {"name": "Tidemark Vista", "price": 26.95, "made_in": "Turkey", "warranty_months": 12, "delivery_days": 3}
    call = filled(spec, {"product_id": "PRD-10482"}, result | {"size_and_care": "not requested"})
    told = tell_often((call,), times=200)
    assert not any("requested" in one.answer for one in told)
    one = next(
        one for one in told if [claim.how for claim in one.proof.tells] == ["detailed"] and "\n- Name:" in one.answer
    )
    row = Proven(one.talk, one.proof, "single", {spec.name: spec})
    (before,) = [claim for claim in row.proof.tells if claim.how == "detailed"]
    line = "\n- Size and care: "
    end = before.end + len(line) + len("not requested")
    claim = AnswerClaim(
        before.message, before.end + len(line), end, "literal", before.call_id, "result", "/size_and_care"
    )
    row = spliced(row, before.message, before.end, 0, f"{line}not requested")
    row = with_claim(row, next(iter(row.proof.tells)), replace(before, end=end))
    row = with_proof(row, answers=[*row.proof.answers, claim])
    assert [finding.code for finding in row.findings()] == ["PF139"]


def test_lists_have_many_forms():
    assert {tell.how for row in _rows() for tell in row.proof.tells} >= {*LINES}
    texts = [row.text(at) for row in _rows() for at in row.at(AssistantMessage) if row.text(at)]
    for form in (r"^- ", r"^1\. ", r"^\|---", r"^- \*\*", r" first\)?:\n", r"\bmore\b"):
        assert any(re.search(form, text, re.MULTILINE) for text in texts), form


def test_what_the_user_did_with_the_one_they_single_out_is_told_of_them():
    """ "The one I was in touch with most recently" is told to be that: "the one you were in touch with most recently"."""
    shop = prepare(recipe([TOOL_SPECS / "contacts.json", TOOL_SPECS / "files.yaml"], "sequential"))
    made = [Proven(one.row.conversation, one.row.proof, "sequential", shop.toolbox) for one in rows(shop, 150)]
    own = [
        row for row in made if {one.pick for one in row.proof.arguments} & {"max last_contacted", "min last_contacted"}
    ]
    assert own
    for row in own:
        (tell,) = [tell for tell in row.proof.tells if tell.how == "picked"]
        assert re.search(r"\b[Yy]ou\b", row.text(tell.message)[tell.start : tell.end])
    planted = [change for row in own for change in lists.leave_out_what_was_picked(row)]
    assert planted
    assert all({"PF143"} <= change.row.codes() for change in planted)


def test_none_is_no_value_to_single_something_out_by():
    """ "That was the one with the fewest changes (no)" is not said."""
    trains = ToolFile(file=TOOL_SPECS / "travel.yaml", only=("search_trains", "book_train"))
    made = rows(prepare(recipe((), "sequential", tools=(trains,))), 120)
    texts = [message.content or "" for one in made for message in one.row.conversation.messages]
    assert any("the fewest changes" in text for text in texts)
    assert not [text for text in texts if re.search(r"\((no|0)\)", text)]


def test_a_number_that_something_is_singled_out_by_is_told_with_what_it_counts():
    """ "The one whose birthday comes first is Henrik Richter (8)" does not say of what there are eight."""
    people = ToolFile(file=TOOL_SPECS / "contacts.json", only=("list_birthdays", "send_birthday_greeting"))
    made = rows(prepare(recipe((), "sequential", tools=(people,))), 120)
    texts = [message.content or "" for one in made for message in one.row.conversation.messages]
    assert any(re.search(r"\(days left: \d+\)", text) for text in texts)
    assert not [text for text in texts if re.search(r"\(\d+\)\.", text)]


def test_what_users_may_refer_to_is_told_whole_and_in_the_order_of_the_result():
    shop = prepare(recipe(FILES, "follow_up"))
    for one in rows(shop, 40):
        messages = one.row.conversation.messages
        for tell in one.row.proof.tells:
            if tell.how == "listed" and any(isinstance(later, UserMessage) for later in messages[tell.message :]):
                text = messages[tell.message].content[tell.start : tell.end]
                assert not re.search(r"\bfirst\)?:\n|starting with", text)
                assert "more" not in text.partition(":\n")[2].lstrip("\n").partition("\n\n")[2]


def test_an_order_is_named_only_where_lines_say_what_it_goes_by():
    for row in _rows():
        for tell in row.proof.tells:
            text = row.text(tell.message)[tell.start : tell.end]
            if tell.how == "listed" and re.search(r", [^:\n]* first:\n|\([^)\n]* first\):\n|starting with", text):
                spans = [
                    one
                    for one in row.proof.answers
                    if one.message == tell.message and tell.start <= one.start < tell.end
                ]
                by = {one.pointer.rpartition("/")[2] for one in spans}
                spec = row.toolbox[row.calls[tell.call_id].name]
                picks = [pick for own in spec.phrases.pick.values() for pick in own if f"{pick.say}" in text]
                assert by & {pick.by.split()[-1] for pick in picks}, text


def test_lists_begin_paragraphs():
    texts = [row.text(at) for row in _rows() for at in row.at(AssistantMessage) if row.text(at)]
    for text in texts:
        for lead in re.findall(r"^(.*):\n(?:- |1\. |\n\|)", text, re.MULTILINE):
            assert not re.search(r"(?<!\bSt)(?<=[a-z)])[.] [A-Z]", lead), text


@pytest.mark.parametrize(
    ("field", "words"),
    [
        ("IdShort", "Short ID"),
        ("fullName", "Full name"),
        ("CreatedTime", "Created"),
        ("section_gid", "Section ID"),
        ("htmlUrl", "Html URL"),
        ("due_on", "Due on"),
        ("departure_time", "Departure time"),
        ("distance_km", "Distance"),
    ],
)
def test_headings_are_words(field: str, words: str):
    assert heading(field_in_words({}, (), field)[0]) == words
    assert heading(field_in_words({field: "day"}, (), field)[0]) == "Day"


def test_the_other_extreme_than_the_one_that_the_user_names_is_not_told(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(listing, "_SINGLED_OUT", 1)  # wherever it may be
    shop = prepare(recipe(FILES[:1], "sequential"))
    told, other = 0, {"min": "max", "max": "min"}
    for made in rows(shop, 40):
        row = Proven(made.row.conversation, made.row.proof, "sequential", shop.toolbox)
        said = [claim.pick.partition(" ") for claim in made.row.proof.arguments if claim.pick]
        unasked = {f"{other[how]} {field}" for how, _, field in said if how in other}
        every = [pick for spec in shop.toolbox.values() for own in spec.phrases.pick.values() for pick in own]
        for tell in made.row.proof.tells:
            if tell.how in ("singled_out", "picked"):
                told += 1
                text = row.text(tell.message)[tell.start : tell.end].casefold()
                assert not any(pick.by in unasked and pick.say.casefold() in text for pick in every)
    assert told
