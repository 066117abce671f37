"""System messages of many forms, put together of a role, a persona, the date, a policy and the looks of answers."""

from datetime import date
from functools import lru_cache
from typing import Any

from generator.locales import ENGLISH, InLanguages
from generator.planning import Note
from generator.seeds import Draw
from generator.styles import style_lines

PARTS: InLanguages[dict[str, Any]] = InLanguages(__file__, dict)
"""The lists of `system.yaml`, by language."""


def draw_system(draw: Draw, today: date, *, styled: bool = True, language: str = ENGLISH) -> Note:
    """Return one system message for that day; with `styled` it may have a line about the looks of answers."""
    known = PARTS[language]
    while True:
        order = draw.choice(known["order"])
        line = draw.choice(style_lines()) if styled and draw.chance(known["style"]) else None
        chosen = [(part, draw.choice(known[part])) for part in order if part != "style"]
        if line is not None:
            chosen.insert(order.index("style"), ("style", line.say))
        said = [on_that_day(text, today, language).text for _, text in chosen if text]
        between = draw.choice(known["between"])
        if not all(part.endswith(".") for part in said[:-1]):
            between = "\n"
        if said:
            states = any("{today}" in text for _, text in chosen)
            return Note(text=between.join(said), states_today=states, style=line.say if line else "")


@lru_cache(maxsize=4096)
def on_that_day(template: str, today: date, language: str = ENGLISH) -> Note:
    """Return a system message with the day filled in."""
    known = PARTS[language]
    text = template.replace("{today}", today.isoformat()).replace("{weekday}", known["weekdays"][today.weekday()])
    in_words = known["day"].format(day=today.day, month=known["months"][today.month - 1], year=today.year)
    text = text.replace("{date}", in_words)
    return Note(text=text, states_today="{today}" in template, style=_style_line(text))


def _style_line(text: str) -> str:
    """Return the line about the looks of answers that a message has; an empty one if it has none."""
    return next((line.say for line in style_lines() if line.say in text), "")
