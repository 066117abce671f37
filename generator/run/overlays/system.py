"""System messages of many forms, put together of a role, a persona, the date and a policy."""

from datetime import date
from functools import cache, lru_cache
from typing import Any

from generator.planning import Note
from generator.seeds import Draw
from generator.yaml_values import own_data

WEEKDAYS = ("Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday")


@cache
def parts() -> dict[str, Any]:
    """Return the lists of `system.yaml`."""
    loaded: dict[str, Any] = own_data(__file__)
    return loaded


def draw_system(draw: Draw, today: date) -> Note:
    """Return one system message for that day."""
    known = parts()
    while True:
        chosen = [draw.choice(known[part]) for part in draw.choice(known["order"])]
        said = [part for part in chosen if part]
        between = draw.choice(known["between"])
        if not all(part.endswith(".") for part in said[:-1]):
            between = "\n"
        if said:
            return on_that_day(between.join(said), today)


@lru_cache(maxsize=4096)
def on_that_day(template: str, today: date) -> Note:
    """Return a system message with the day filled in."""
    text = template.replace("{today}", today.isoformat()).replace("{weekday}", WEEKDAYS[today.weekday()])
    text = text.replace("{date}", f"{today.day} {today:%B} {today.year}")
    return Note(text=text, states_today="{today}" in template)
