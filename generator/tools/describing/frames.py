"""How one argument is said beside a request: frames, clauses for booleans, synonyms of values, questions for it."""

import msgspec

from generator.arguments.kinds.units import UNITS, says_unit, stated_unit
from generator.tools.describing.lexicon import READING, Words, is_plural, plural_of, word_lists
from generator.tools.describing.objects import without_part
from generator.tools.describing.reading import ArgumentLeaf, ToolSubject, entity_of, fitting_rules, is_id
from generator.tools.describing.values import ValueSource, unit_of

_LONGEST_NAME = 3
_FREE = (
    "description",
    "note",
    "comment",
    "reason",
    "text",
    "content",
    "body",
    "message",
    "title",
    "summary",
    "subject",
    "heading",
    "caption",
)
_ON_OFF = ("include", "with", "show", "return", "includes")


class ArgumentFrames(msgspec.Struct, frozen=True, kw_only=True):
    """How one argument is said."""

    frames: tuple[str, ...] = ()
    clauses: dict[bool, tuple[str, ...]] = {}
    synonyms: dict[str, tuple[str, ...]] = {}
    ask: tuple[str, ...] = ()
    say: str = ""


def said_of(leaf: ArgumentLeaf, about: ToolSubject, values: ValueSource, pair: str = "") -> ArgumentFrames:
    """Return how an argument is said; `pair` is the phrase in which another one is said with it."""
    rules = fitting_rules(leaf, about)
    say = next((rule.record.say for rule in rules if rule.record.say), "")
    written = next((rule.record.frames for rule in rules if rule.record.frames), ())
    clauses = next((rule.record.clauses for rule in rules if rule.record.clauses), {})
    synonyms = next((rule.record.synonyms for rule in rules if rule.record.synonyms), {})
    ask = next((rule.record.ask for rule in rules if rule.record.ask), ())
    frames = (pair,) if pair else tuple(_filled(frame, leaf) for frame in written)
    if leaf.name[0] in ("target", "destination"):
        frames = tuple(
            f"to {frame[3:]}" if frame.startswith("in ") else frame
            for frame in frames or (_plain_frames(leaf, about) if leaf.type != "boolean" else ())
        )
    unit = unit_of(leaf)
    frames = (
        tuple(frame.replace("?minute|minutes", f"?{unit}|{plural_of(unit)}") for frame in frames) if unit else frames
    )
    if plural_of(unit) in UNITS:  # "for 90 minutes" or "for an hour and a half"
        shown = f"{{{leaf.slot}}} {{{leaf.slot}?{unit}|{plural_of(unit)}}}"
        said = [frame.replace(shown, f"{{{leaf.slot}:{plural_of(unit)}}}") for frame in frames if shown in frame]
        frames += tuple(said)
    clauses = clauses or (_clauses(leaf) if leaf.type == "boolean" else {})
    is_unknown = not frames and not clauses
    if leaf.type == "boolean" and not clauses:
        clauses = _plain_clauses(leaf)
    elif not frames and leaf.type != "boolean":
        graded = (f"with {{{leaf.slot}}} {argument_in_words(leaf.name)}",) if _is_graded(leaf) else ()
        frames = graded or _plain_frames(leaf, about)
    if leaf.type == "boolean" and leaf.name[:1] and leaf.name[0] in _ON_OFF and not say:
        say = "seldom"
    synonyms = synonyms or _any_of(leaf, frames)
    if "never" in (say, _unsayable(leaf, values, is_unknown)):
        say = "never"
    return ArgumentFrames(
        frames=() if leaf.type == "boolean" else frames,
        clauses=clauses if leaf.type == "boolean" else {},
        synonyms={value: forms for value, forms in synonyms.items() if value in leaf.schema.get("enum", ())},
        ask=tuple(text.replace("NAME", argument_in_words(leaf.name)) for text in ask) or _questions(leaf),
        say="" if leaf.needed else say,
    )


def _any_of(leaf: ArgumentLeaf, frames: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return words for a choice that leaves nothing out ("all"), where the frame says a property: "that are open or closed"."""
    values = [value for value in leaf.schema.get("enum", ()) if isinstance(value, str)]
    others = [value for value in values if value not in word_lists()["anything"]]
    if not any(frame.startswith("that are ") for frame in frames) or not 1 < len(others) < _LONGEST_NAME + 1:
        return {}
    plain = [value.replace("_", " ").lower() for value in others]
    return {value: (f"{', '.join(plain[:-1])} or {plain[-1]}",) for value in values if value not in others}


def _filled(frame: str, leaf: ArgumentLeaf) -> str:
    """Return a frame of the data file for one argument: X stands for its value, NAME for its words."""
    if "{" in frame:
        frame = frame.replace("{X", "{" + leaf.slot)
        return _named(frame, leaf).replace(" X", " {" + leaf.slot + "}")
    return _named(frame, leaf).replace("X", "{" + leaf.slot + "}")


def _named(frame: str, leaf: ArgumentLeaf) -> str:
    return frame.replace("NAME", argument_in_words(leaf.name)).replace("new new ", "new ")


def _unsayable(leaf: ArgumentLeaf, values: ValueSource, is_unknown: bool) -> str:
    """Return `never` for an optional argument that nobody can be expected to say; empty for others.

    `is_unknown`: no rule tells how people say it.
    """
    if leaf.type == "object" or values.opaque or _is_one_or_several(leaf):
        return "never"
    if leaf.type == "text" and not values.known and leaf.name[-1] in word_lists()["closed"]:
        return "never"
    if not is_unknown:
        return ""
    if _is_graded(leaf):
        return ""
    if leaf.type == "boolean" or leaf.type == "list" or not values.known or len(leaf.name) > _LONGEST_NAME:
        return "never"
    is_listed = "enum" not in leaf.schema and bool(values.kind or (values.examples and len(leaf.name) == 1))
    if leaf.type == "text" and not is_id(leaf) and not is_listed:
        return "never"
    return (
        "never"
        if leaf.type == "number" and not unit_of(leaf) and not is_id(leaf) and "maximum" not in leaf.schema
        else ""
    )


def _is_graded(leaf: ArgumentLeaf) -> bool:
    """Whether all values of a choice are degrees, such as low and high, so that they stand before the argument's name."""
    values = leaf.schema.get("enum")
    return leaf.type == "text" and isinstance(values, list) and {*values} <= {*word_lists()["degrees"]}


def _is_one_or_several(leaf: ArgumentLeaf) -> bool:
    """Whether an argument takes a text or a list of texts, which people do not say in the same way."""
    branches = [
        branch for key in ("anyOf", "oneOf") for branch in leaf.declared.get(key, ()) if isinstance(branch, dict)
    ]
    return {"array", "string"} <= {branch.get("type") for branch in branches if isinstance(branch.get("type"), str)}


def measured_in(leaf: ArgumentLeaf) -> str:
    """Return the verbalizer that says a number with the unit that its name or description states; empty where there is none."""
    if leaf.type != "number":
        return ""
    if leaf.name[-1:] == ("cents",) or "in cents" in leaf.description.lower():
        return "cents"
    return stated_unit("_".join(leaf.name), leaf.description) or ""


def _measured_frame(leaf: ArgumentLeaf) -> str:
    """Return a frame for a number with its unit: "with a weight of 12.5 kilos"; empty where no unit is told."""
    unit, counted = measured_in(leaf), unit_of(leaf) if leaf.type == "number" else ""
    if not (unit or counted):
        return ""
    is_in_name = unit and len(leaf.name) > 1 and (leaf.name[-1] == unit or says_unit(leaf.name[-1]))
    name = argument_in_words(leaf.name[:-1] if is_in_name else leaf.name)
    said = f"{{{leaf.slot}:{unit}}}" if unit else f"{{{leaf.slot}}} {{{leaf.slot}?{counted}|{plural_of(counted)}}}"
    return f"with {'an' if name[:1] in 'aeiou' else 'a'} {name} of {said}"


def _plain_frames(leaf: ArgumentLeaf, about: ToolSubject) -> tuple[str, ...]:
    """Return frames made of the argument's name."""
    slot = "{" + leaf.slot + "}"
    name = argument_in_words(leaf.name)
    noun = entity_of(leaf)
    if is_id(leaf) and noun and noun == about.noun and not leaf.required and leaf.type != "list":
        return (f"with the {leaf.name[-1] if leaf.name[-1] == 'key' else 'ID'} {slot}",)
    if is_id(leaf):
        if _before_id(noun, about).endswith(" to"):
            return (f"{_before_id(noun, about)} user {slot}",)
        noun = without_part(noun)
        return (
            (f"{_before_id(noun, about)} {noun} {slot}",)
            if noun and leaf.type != "list"
            else (f"with the {name} {slot}",)
        )
    if measured := _measured_frame(leaf):
        return (measured,)
    if len(leaf.name) > 1 and leaf.name[0] in ("from", "to", "into"):
        return (f"{name} {slot}",)
    if len(leaf.name) > 1 and leaf.name[-1] in _LEADING and leaf.type == "text":
        between = [word for word in leaf.name[1:-1] if word not in ("on", "at")]
        return (f"{argument_in_words((leaf.name[0], *between, leaf.name[-1]))} {slot}",)
    if leaf.type == "text" and leaf.name[-1:] and leaf.name[-1] in _FREE and "enum" not in leaf.schema:
        return (f"with the {name} {{{leaf.slot}:quoted}}",)
    return (f"with the {name} {slot}",)


_LEADING = ("on", "by", "at", "before", "after", "since", "until")
"""Last words of names that lead to a value: `created_on_before` is "created before {…}"."""


def _before_id(noun: str, about: ToolSubject) -> str:
    """Return the words between a request and an identifier of some thing: "in" a channel, "with" a technician."""
    if noun in word_lists()["doers"]:
        return "for" if about.effect in READING else "with"
    return next((words for words, nouns in word_lists()["id_frames"].items() if noun in nouns), "for")


def argument_in_words(name: Words) -> str:
    """Return the words of a name as people write them: `page ID`, without digits."""
    letters = word_lists()["letters"]
    found = [letters.get(word, word) for word in name]
    return " ".join("".join(letter for letter in word if not letter.isdigit()) for word in found).strip() or "value"


def _clauses(leaf: ArgumentLeaf) -> dict[bool, tuple[str, ...]]:
    """Return clauses for a boolean whose name tells what they say."""
    name = [word for word in leaf.name if not word.isdigit()]
    if name and name[0] in _ON_OFF and len(name) > 1:
        rest = argument_in_words(tuple(name[1:]))
        if rest.endswith("ed"):
            return {True: (f"including {rest} ones",), False: (f"leaving out {rest} ones",)}
        return {True: (f"with the {rest}",), False: (f"without the {rest}",)}
    if len(name) > 1 and name[-1] == "only":
        rest = argument_in_words(tuple(name[:-1]))
        return {True: (f"{rest} only",), False: (f"not only {rest}",)}
    if len(name) > 1 and name[0] == "only":
        rest = argument_in_words(tuple(name[1:]))
        return {True: (f"only {rest}",), False: (f"not only {rest}",)}
    return {}


def _plain_clauses(leaf: ArgumentLeaf) -> dict[bool, tuple[str, ...]]:
    name = argument_in_words(tuple(word for word in leaf.name if word not in ("is", "has", "enable", "enabled", "use")))
    return {True: (f"with {name} turned on",), False: (f"with {name} turned off",)}


def _questions(leaf: ArgumentLeaf) -> tuple[str, ...]:
    noun = entity_of(leaf)
    if not is_id(leaf) or not noun or any(letter.isdigit() for letter in noun):
        return ()
    if leaf.type == "list":
        return (f"Which {plural_of(noun)}?",) if not is_plural(noun) else ()
    return (f"Which {noun} is it?", f"Which {noun} do you mean?")
