"""conditional: something is looked up, and only if the result is as the user says, something is done."""

from collections.abc import Collection
from typing import Any

from generator.errors import PlanError
from generator.planning import Say, Step, Tell, Test, Wish
from generator.pointers import resolve
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene, serve, tell
from generator.scenarios.shape import ConversationShape
from generator.scenarios.toolkit import Toolkit
from generator.toolbox import name_as_words

_UNITS = frozenset(
    {"m", "km", "mb", "gb", "kg", "g", "w", "kw", "kwh", "kmh", "hpa", "c", "f", "minutes", "hours", "days", "seconds"}
    | {"percent", "usd", "eur", "gbp", "celsius", "id", "code", "url", "at"}
)
"""Last words of field names that nobody would speak of."""
_ACTING = frozenset(
    {"add", "apply", "assign", "book", "buy", "call", "cancel", "change", "clear", "close", "confirm", "create", "decline"}
    | {"delete", "dim", "end", "escalate", "extend", "freeze", "invite", "lock", "mark", "message", "move", "mute", "notify"}
    | {"open", "order", "pause", "pay", "play", "post", "raise", "refill", "remind", "remove", "renew", "reopen", "reply"}
    | {"request", "reschedule", "reserve", "resume", "return", "schedule", "sell", "send", "set", "share", "skip", "start"}
    | {"stop", "submit", "subscribe", "swap", "switch", "tell", "transfer", "turn", "unlock", "update"}
)
"""First words of the names of tools that act on what was found out."""
_SHARED = frozenset({"city", "place", "location", "person", "customer", "project"})
"""Arguments of which both tools mean the same one."""
Condition = tuple[str, str, dict[str, Any]]
"""A tool that looks something up, a field of its result, and the field's schema."""


def _tools(toolkit: Toolkit) -> Collection[str]:
    pairs = _pairs(toolkit)
    if not pairs:
        raise PlanError(
            "scenario 'conditional' needs a tool that looks something up, with a field in its result to compare (a choice, "
            "or a number with a minimum and a maximum), and a tool of the same file that acts"
        )
    return {tool for (reader, _, _), writers in pairs for tool in (reader, *writers)}


def _events(scene: Scene) -> Events:
    (reader, field, schema), writers = scene.decide(_pairs(scene.toolkit))
    first, then = scene.wishes((reader, scene.draw.choice(writers)))
    test = _test(scene, field, schema)
    asked = yield Say(wishes=(first, Wish(then.tool, _said_briefly(scene, first, then), when=test)))
    found = yield Step(calls=(serve(asked, 0),))
    if test.holds(resolve(found.outcomes[0].value, field)):
        done = yield Step(calls=(serve(asked, 1),))
        yield tell(found, done)
    else:
        yield tell(found)
        yield Tell(about=(), how="not_done", wish=(asked.id, 1))


def _said_briefly(scene: Scene, first: Wish, then: Wish) -> dict[str, Any]:
    """Return only the required arguments, about the same place or person as the look-up where both ask for one."""
    required = (scene.toolkit.toolbox[then.tool].tool.parameters or {}).get("required", ())
    said = {name: value for name, value in then.said.items() if name in required}
    return {name: first.said[name] if _is_shared(name, value, first) else value for name, value in said.items()}


def _is_shared(name: str, value: Any, first: Wish) -> bool:
    return name in _SHARED and type(value) is type(first.said.get(name))


def _test(scene: Scene, field: str, schema: dict[str, Any]) -> Test:
    """Return a condition that is fulfilled in about half of the rows, or in one of n rows for an enum of n values."""
    if "enum" in schema:
        return Test(0, field, "is", scene.decide(tuple(schema["enum"])))
    middle = (schema["minimum"] + schema["maximum"]) / 2
    step = 50 if middle >= 200 else 10 if middle >= 40 else 5 if middle >= 15 else 1
    return Test(0, field, scene.decide(("over", "under")), int(middle // step * step))


def _pairs(toolkit: Toolkit) -> tuple[tuple[Condition, tuple[str, ...]], ...]:
    """Return what can be compared, with the tools of the same subject that act on it.

    Where some of them are about the same place or person as the look-up, only these.
    """
    if "conditional" not in toolkit.memo:
        found = []
        for name in toolkit.starters:
            near = [other for other in toolkit.neighbours[name] if other not in toolkit.look_ups]
            acting = tuple([other for other in near if name_as_words(other).partition(" ")[0] in _ACTING])
            if name in toolkit.look_ups and acting:
                found += [((name, field, schema), acting) for field, schema in _fields(toolkit, name)]
        alike = [(what, tuple([name for name in acting if _share(toolkit, what[0], name)])) for what, acting in found]
        toolkit.memo["conditional"] = tuple([pair for pair in alike if pair[1]]) or tuple(found)
    pairs: tuple[tuple[Condition, tuple[str, ...]], ...] = toolkit.memo["conditional"]
    return pairs


def _share(toolkit: Toolkit, reader: str, acting: str) -> bool:
    """Whether both tools have to be told the same place or person."""
    first, then = ((toolkit.toolbox[name].tool.parameters or {}).get("required", ()) for name in (reader, acting))
    return not _SHARED.isdisjoint({*first} & {*then})


def _fields(toolkit: Toolkit, tool: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the fields of a result that people compare: always present, not arguments of the call, and plainly named."""
    spec = toolkit.toolbox[tool]
    returns = spec.returns or {}
    given = (spec.tool.parameters or {}).get("properties", {})
    required = returns.get("required", ())
    return [
        (field, schema)
        for field, schema in returns.get("properties", {}).items()
        if isinstance(schema, dict)
        and field not in given
        and field in required
        and _is_named_plainly(field)
        and _is_comparable(schema)
    ]


def _is_named_plainly(field: str) -> bool:
    words = field.split("_")
    return all(word.isascii() and word.isalpha() and word.islower() for word in words) and words[-1] not in _UNITS and (
        not field.endswith("s") or field.endswith(("status", "ss"))
    )


def _is_comparable(schema: dict[str, Any]) -> bool:
    if schema.get("type") == "string":
        values = schema.get("enum", ())
        return len(values) > 1 and all(isinstance(value, str) and value.replace("_", "").isalpha() for value in values)
    return schema.get("type") in ("integer", "number") and "minimum" in schema and schema.get("maximum", 0) > 1 + schema["minimum"]


def _holds(shape: ConversationShape) -> str | None:
    if shape.order == "UCA" and shape.widths == (1,):
        return None if shape.told == ("condition", "untrue") else "nobody says that the condition is not fulfilled"
    if shape.order == "UCCA" and shape.widths == (1, 1):
        return None if shape.told == ("condition",) else "the second call hangs on no condition"
    return "a look-up is not followed by what hangs on it"


SCENARIO = Scenario(
    "conditional", "a look-up, and what is to be done only if its result is so: both ways occur", _tools, _events, _holds
)
