"""direct_answer: what the user asks is answered by the conversation, the system message or the tools' own descriptions."""

import re
from collections.abc import Callable, Collection
from datetime import date, timedelta
from typing import Any

from generator.core.planning import Chat, Say, Step
from generator.core.pointers import escape
from generator.scenarios.affordances import Toolkit
from generator.scenarios.affordances.explained import ToolSlot
from generator.scenarios.patterns import Pattern
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.serving import serve, tell
from generator.scenarios.shape import ConversationShape
from generator.scenarios.telling import exchange

_AFTER_A_CALL = 0.3
"""How often the question is about a call that was made before."""
_MONEY = ("usd", "eur", "gbp")


def _tools(toolkit: Toolkit) -> Collection[str]:
    return {tool for tool, _ in (*toolkit.result_texts, *toolkit.literals)}


def _events(scene: Scene) -> Events:
    """Yield a question or two that need no call; a call may have been made before them."""
    draw = scene.draw
    again, recall = scene.toolkit.result_texts, scene.toolkit.literals
    if (again or recall) and draw.chance(_AFTER_A_CALL):
        yield from _about_a_call(scene, again, recall)
    else:
        if draw.chance(0.1):
            yield from exchange(Chat(kind=draw.choice(("greeting", "greeting", "feelings"))))
        chat = _question(scene)
        yield from exchange(chat)
        if draw.chance(0.2):
            another = _question(scene)
            if another.kind != chat.kind:
                yield from exchange(another)
        if draw.chance(0.25):
            yield from exchange(Chat(kind="thanks"))


def _about_a_call(scene: Scene, again: list[ToolSlot], recall: list[ToolSlot]) -> Events:
    """Yield a call, its answer, and a question about what was said or found."""
    draw = scene.draw
    is_again = bool(again) and (not recall or draw.chance(0.6))
    tool, slot = scene.decide(again if is_again else recall)
    asked = yield Say(wishes=(scene.wish(tool),))
    done = yield Step(calls=(serve(asked),))
    yield tell(done)
    kind = "again" if is_again else "recall"
    value = _value(done, slot) if is_again else asked.wishes[0].said.get(slot)
    if not isinstance(value, str) or not _reads_well(value):
        yield from exchange(Chat(kind="thanks"))
    else:
        yield from exchange(Chat(kind=kind, slot=escape(slot), of=(done.id, 0)))
        if draw.chance(0.25):
            yield from exchange(Chat(kind="thanks"))


def _value(done: Step, slot: str) -> Any:
    value = done.outcomes[0].value
    return value.get(slot) if isinstance(value, dict) else None


def _reads_well(value: str) -> bool:
    return 0 < len(value) <= 60 and "_" not in value and re.search(r"\n|^\d{4}-\d\d|^\d+$|\.$", value) is None


# -- questions -----------------------------------------------------------------------------------------------------------


def _question(scene: Scene) -> Chat:
    """Return a question of some kind that can be asked here."""
    kinds: list[Callable[[Scene], Chat | None]] = [
        _options,
        _options,
        _limits,
        _needs,
        _can_you,
        _abilities,
        _sums,
    ]
    if scene.states_today:
        kinds += [_days, _days]
    for ask in scene.draw.shuffled(kinds):
        chat = ask(scene)
        if chat is not None:
            return chat
    return Chat(kind="greeting")


def _options(scene: Scene) -> Chat | None:
    places = scene.toolkit.slots_with_options
    if not places:
        return None
    tool, slot = scene.decide(places)
    return Chat(kind="options", tools=(tool,), slot=slot)


def _limits(scene: Scene) -> Chat | None:
    places = scene.toolkit.slots_with_limits
    if not places:
        return None
    tool, slot = scene.decide(places)
    schema = scene.toolkit.toolbox[tool].properties[slot]
    return Chat(kind="limits", tools=(tool,), slot=slot, values={"low": schema["minimum"], "high": schema["maximum"]})


def _needs(scene: Scene) -> Chat | None:
    able = scene.toolkit.tools_with_needs
    return Chat(kind="needs", tools=(scene.decide(able),)) if able else None


def _can_you(scene: Scene) -> Chat | None:
    able = scene.toolkit.tools_with_needs
    return Chat(kind="can_you", tools=(scene.decide(able),)) if able else None


def _abilities(scene: Scene) -> Chat | None:
    return Chat(kind="abilities")


def _days(scene: Scene) -> Chat | None:
    draw, today = scene.draw, scene.draw.today
    stated = {"weekday": today.weekday(), "date": today.isoformat()}
    kind = draw.choice(("today", "weekday_of", "days_until"))
    if kind == "today":
        return Chat(kind=kind, values=stated)
    away = draw.between(8, 200)
    day: date = today + timedelta(days=away)
    values = {"day": day.isoformat(), "date": day.isoformat()}
    return Chat(
        kind=kind, values={**values, "number": away} if kind == "days_until" else {**values, "weekday": day.weekday()}
    )


def _sums(scene: Scene) -> Chat | None:
    draw = scene.draw
    kind, money = draw.choice(("split", "total", "percent")), draw.choice(_MONEY)
    if kind == "split":
        people, each = draw.between(2, 9), draw.between(14, 180) / 2
        return Chat(
            kind=kind, values={"money": money, "amount": _plain(people * each), "people": people, "each": _plain(each)}
        )
    if kind == "total":
        one, two = draw.between(8, 400) / 2, draw.between(8, 400) / 2
        return Chat(
            kind=kind, values={"money": money, "one": _plain(one), "two": _plain(two), "total": _plain(one + two)}
        )
    rate, amount = draw.choice((5, 10, 15, 20, 25, 30, 40)), 20 * draw.between(1, 60)
    return Chat(kind=kind, values={"money": money, "rate": rate, "amount": amount, "part": rate * amount // 100})


def _plain(amount: float) -> int | float:
    return int(amount) if amount == int(amount) else amount


# -- what can be asked about ---------------------------------------------------------------------------------------------


def only_talk(shape: ConversationShape) -> bool:
    """Whether each message of the user without calls is declined, or a question or remark that needs none."""
    return shape.order.count("U") - shape.order.count("C") == len(shape.chats) + len(shape.declined)


SCENARIO = Scenario(
    "direct_answer",
    "the conversation or the tools' own descriptions answer it; nothing is called",
    _tools,
    _events,
    (Pattern("(U C A)? (U A)+", declined=0, also=only_talk),),
)
