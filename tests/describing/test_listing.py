"""How one entity of a list is told: with what people need to go on with it."""

import pytest

from generator.describing.listing import one_by_one
from generator.describing.things import Key

VISIT = Key(field="visit_id", schema={"type": "string", "pattern": "^VIS-[1-9][0-9]{3}$"}, shown="visit_id")
UUID = Key(field="id", schema={"type": "string", "x-kind": "uuid"}, shown="id")
SHOWN = ("visit_id", "id", "title", "date", "time", "price", "status")


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("one on {date} at {time}", "{visit_id} on {date} at {time} ({status})"),
        ("one on {date} ({status})", "{visit_id} on {date} ({status})"),
        ("{title}", "{title} ({visit_id}, {status})"),
        ("{title} (due {date})", "{title} ({visit_id}, {status}, due {date})"),
        ("the {title} for ${price:amount}", "the {title} ({visit_id}, {status}) for ${price:amount}"),
        ("{title} on {date} at {time}", "{title} ({visit_id}) on {date} at {time}"),
    ],
)
def test_a_thing_of_a_list_is_told_with_its_identifier_and_state(text: str, told: str):
    assert one_by_one([text], VISIT, "status", SHOWN) == [told]


def test_what_nobody_says_and_what_the_list_does_not_show_is_not_told():
    assert one_by_one(["{title} (due {date})"], UUID, "status", ("id", "title", "date")) == ["{title} (due {date})"]
