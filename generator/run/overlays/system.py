"""System messages of many forms, put together of a role, a persona, the date, a policy and the looks of answers."""

from datetime import date
from functools import lru_cache
from typing import Any

from generator.core.planning import Note
from generator.core.seeds import Draw
from generator.core.yaml_values import own_data
from generator.dialogue.styles import style_lines

PARTS: dict[str, Any] = own_data(__file__)


def draw_system(draw: Draw, today: date, *, styled: bool = True) -> Note:
    """Return one system message for that day; with `styled` it may have a line about the looks of answers."""
    while True:
        order = draw.choice(PARTS["order"])
        line = draw.choice(style_lines()) if styled and draw.chance(PARTS["style"]) else None
        chosen = [(part, draw.choice(PARTS[part])) for part in order if part != "style"]
        if line is not None:
            chosen.insert(order.index("style"), ("style", line.say))
        said = [on_that_day(text, today).text for _, text in chosen if text]
        between = draw.choice(PARTS["between"])
        if not all(part.endswith(".") for part in said[:-1]):
            between = "\n"
        if said:
            states = any("{today}" in text for _, text in chosen)
            return Note(text=between.join(said), states_today=states, style=line.say if line else "")


@lru_cache(maxsize=4096)
def on_that_day(template: str, today: date) -> Note:
    """Return a system message with the day filled in."""
    text = template.replace("{today}", today.isoformat()).replace("{weekday}", PARTS["weekdays"][today.weekday()])
    in_words = PARTS["day"].format(day=today.day, month=PARTS["months"][today.month - 1], year=today.year)
    text = text.replace("{date}", in_words)
    return Note(text=text, states_today="{today}" in template, style=_style_line(text))


def _style_line(text: str) -> str:
    """Return the line about the looks of answers that a message has; an empty one if it has none."""
    return next((line.say for line in style_lines() if line.say in text), "")
