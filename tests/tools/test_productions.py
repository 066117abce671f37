"""Forms are found by keys that are made of their kind and their text."""

import pytest

from generator.core.conversation import Tool
from generator.core.templates import Slot
from generator.core.toolbox import AnswerPhrase, Phrases, SlotFrames, ToolSpec
from generator.tools.productions import key_of, production_of

PROPERTIES = {"table": {"type": "string"}, "guest_note": {"type": "string"}, "late": {"type": "boolean"}}
SPEC = ToolSpec(
    tool=Tool(name="bookTable", parameters={"type": "object", "properties": PROPERTIES}),
    domain="x",
    where="x",
    phrases=Phrases(
        request=("book me {table}",),
        slots={"table": SlotFrames(("at {table}", "with the table {table}"))},
        answer=(AnswerPhrase("Booked for {args.table}."),),
    ),
)


@pytest.mark.parametrize(
    ("kind", "text", "said"),
    [
        ("request", "book me {table}", ("book me ", "/table")),
        ("your request", "book me {table}", ("book you ", "/table")),
        ("add", "at {table}", ("at ", "/table")),
        ("add", "with guest note {guest_note}", ("with guest note ", "/guest_note")),
        ("add", "with late set to {late}", ("with late set to ", "/late")),
        ("answer", "Booked for {args.table}.", ("Booked for ", "/table", ".")),
        ("bare", "call bookTable", ("call bookTable",)),
        ("found", "the table", ("the table",)),
        ("alone", "table", ("/table",)),
        ("nothing", "table", ("with ", "/table")),
    ],
)
def test_a_form_is_found_by_its_key(kind: str, text: str, said: tuple[str, ...]) -> None:
    form = production_of(SPEC, key_of(kind, text))
    assert form is not None
    assert said == tuple(
        [
            one if isinstance(one, str) else place
            for one, place in zip(form.template.segments, form.pointers, strict=True)
        ]
    )
    assert all(isinstance(one, str | Slot) for one in form.template.segments)


@pytest.mark.parametrize(
    "key",
    [
        "",
        "request",
        "request: at {table}",
        "add: book me {table}",
        "bare: call book",
        "nonsense: x",
    ],
)
def test_there_are_no_other_forms(key: str) -> None:
    assert production_of(SPEC, key) is None


def test_the_assistant_says_to_the_user_what_is_theirs() -> None:
    forms = [
        production_of(SPEC, key)
        for key in ("request: book me {table}", "your request: book me {table}", "add: at {table}")
    ]
    assert [form is not None and form.fits_assistant for form in forms] == [False, True, True]
    assert None not in forms
