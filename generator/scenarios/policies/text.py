"""The clauses that a row states, and the system message that states them."""

import re
from datetime import date
from typing import Any

from generator.core.seeds import Draw, stream_seed
from generator.core.yaml_values import own_data
from generator.scenarios.policies.clauses import Amount
from generator.scenarios.policies.stated import Policy, Rules, Stated, fill

_LAYOUTS: list[dict[str, str]] = own_data(__file__, "layouts.yaml")
_SECTIONS = {
    "about": "About us",
    "eligible": "What can be changed",
    "forbid": "What we do not do",
    "limit": "Limits",
    "confirm": "Before you act",
    "order": "Before you act",
    "identity": "Before you act",
    "ask": "What to ask",
    "one_by_one": "How you work",
    "instead": "When something is not possible",
    "transfer": "When to hand over",
    "tell": "What to tell",
    "hide": "What you say",
    "scope": "What you are for",
    "whose": "For whom you act",
    "amount": "What to fill in",
}


def draw_rules(policy: Policy, seed: int, today: date) -> Rules:
    """Return the clauses that a row states.

    Each clause has a random stream of its own, so that without one of them all others are as before, but for those that do not stand
    with it.
    """
    stated: list[Stated] = []
    unstated: list[Stated] = []
    for place, clause in enumerate(policy.clauses):
        draw = Draw(stream_seed(seed, policy.policy, place), today)
        numbers = {name: _plain(draw.choice(choices)) for name, choices in clause.numbers.items()}
        text = draw.choice(clause.text)
        one = Stated(clause=clause, place=place, text=fill(text, numbers), numbers=numbers)
        (stated if draw.chance(clause.share) else unstated).append(one)
    for one in tuple(stated):  # of two that do not stand with each other, the later one stays
        if not {other.clause.name for other in stated}.isdisjoint(one.clause.not_with):
            stated.remove(one)
            unstated.append(one)
    draw = Draw(stream_seed(seed, "layout"), today)
    return Rules(policy=policy, clauses=tuple(stated), text=_laid_out(policy, stated, draw), unstated=tuple(unstated))


def spans_of(rules: Rules, message: str) -> tuple[tuple[str, Any, int, int], ...]:
    """Return the numbers that calls may take from a message which states clauses: name (`PLACE:NUMBER`), value, start and end."""
    found: dict[str, tuple[str, Any, int, int]] = {}
    for one in rules.of(Amount):
        start = message.index(one.text)
        for number in _NUMBER.finditer(one.text):
            name = f"{one.place}:{number[0]}"
            found.setdefault(name, (name, int(number[0]), start + number.start(), start + number.end()))
    return tuple(found.values())


_NUMBER = re.compile(r"(?<![\d.,])\d+(?![.,]?\d)")


def _plain(number: Any) -> Any:
    return int(number) if float(number).is_integer() else number


def _laid_out(policy: Policy, stated: list[Stated], draw: Draw) -> str:
    """Return the text of a policy: its role, then its clauses by section, in one of several layouts."""
    layout, role = draw.choice(_LAYOUTS), draw.choice(policy.role)
    sections: dict[str, list[str]] = {}
    for one in stated:
        clause = one.clause
        name = clause.section or getattr(clause, "about", "") or _SECTIONS.get(clause.kind, "Rules")
        sections.setdefault(name, []).append(one.text)
    parts, number = [role], 0
    for name in draw.shuffled(list(sections)):
        lines = []
        for text in sections[name]:
            number += 1
            lines.append(layout["item"].replace("{number}", str(number)).replace("{text}", text))
        heading = layout["heading"].replace("{name}", name).replace("{NAME}", name.upper())
        parts.append(heading + layout["between"].join(lines))
    return f"{parts[0]}\n\n{layout['apart'].join(parts[1:])}" if len(parts) > 1 else role
