"""How single arguments are said (frames), with which values, and which parts of objects are said at all."""

import json
import re
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from typing import Any, Protocol

import msgspec

from generator.arguments.kinds.units import UNITS, says_unit, stated_unit
from generator.core.toolbox import ToolSpec
from generator.tools.describing.lexicon import (
    READING,
    ParameterRule,
    Words,
    is_plural,
    plural_of,
    singular_of,
    word_lists,
)
from generator.tools.describing.reading import (
    ArgumentLeaf,
    Server,
    ToolSubject,
    entity_of,
    fitting_rules,
    is_id,
    is_open,
)
from generator.tools.productions import coordinates_in

_CUES = re.compile(
    r"\b(?:e\.g\.|eg\.|(?:for example|for instance|such as|examples?|one of|options?(?: are)?|either|supported(?: values)?|"
    r"available|can be|values?(?: are)?|possible|allowed|like|format)\b)[:,]?",
    re.IGNORECASE,
)
_QUOTED = re.compile(r"'([^'\n]{1,60})'|\"([^\"\n]{1,60})\"|`([^`\n]{1,60})`|‘([^’\n]{1,60})’|“([^”\n]{1,60})”")
_PLAIN = re.compile(r"\be\.g\.,? ([A-Za-z0-9][\w.@:/+-]*\w)")
_END = re.compile(r"\.\s+(?=[A-Z])")
_REACH = 260
_RANGE = re.compile(r"(?<![\w.])(\d{1,6}) ?(?:-|–|to|and|through) ?(\d{1,6})(?![\w.])")
_MOST = re.compile(r"\bmax(?:imum)?(?: of| is|:)? (\d{1,6})\b", re.IGNORECASE)
_SHAPES = (
    (re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE), "kind", "uuid"),
    (re.compile(r"[^@\s]+@[^@\s]+\.\w+"), "kind", "email"),
    (re.compile(r"https?://\S+"), "kind", "url"),
    (re.compile(r"\d{4}-\d\d-\d\d"), "kind", "date"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d"), "kind", "local_date_time"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d"), "kind", "local_date_time_seconds"),
    (re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ"), "kind", "date_time"),
    (re.compile(r"\d\d:\d\d"), "kind", "time"),
    (re.compile(r"[A-Z][A-Z0-9]{1,9}-\d{1,6}"), "pattern", "(OPS|WEB|API|PAY|APP|DATA|CORE|SEC|SHOP)-[1-9][0-9]{1,3}"),
)
_NAMELESS = frozenset(
    {"name", "title", "value", "key", "code", "type", "data", "text", "content", "label", "input", "output", "item"}
)
_OPAQUE = re.compile(
    r"\bJSON\b|\bbase64\b|\bserialized\b|\bregular expression\b|\bregexp?\b|\bxpath\b|\bCSS\b|\bXML\b|=>|\bJavaScript\b|\bcode snippet\b",
    re.IGNORECASE,
)
_IDS = re.compile(
    r"\b(?:list|array|IDs?|GIDs?) of (?:the )?([a-z]+) (?:IDs?|GIDs?)\b|^(?:The )?([A-Za-z]+) (?:IDs|GIDs)\b",
    re.IGNORECASE,
)
"""A description that says that an argument, whatever its name, identifies things."""
_MOMENTS = frozenset({"date", "date_time", "local_date_time", "local_date_time_seconds"})
_WRITTEN_SO = _MOMENTS | {"time", "time_seconds", "spaced_date_time"}
"""Kinds of days and times that people say in their own words when they know how the value is written."""
_CODE = re.compile(r"[A-Za-z]{2,6}[-_]\d+")
_CHOICE = re.compile(r"[a-z]+(?:[-_ ][a-z]+)*|[A-Z]+(?:_[A-Z]+)*")
"""One of a few words, in contrast to a name."""
_ENDLESS = 1_000_000_000
"""A maximum from which on it is no real limit."""
_SMALL_NUMBERS = (1, 2, 3, 4, 5, 6, 8, 10)
_CENTS = (650, 999, 1250, 1890, 2500, 3475, 4950, 7900, 12000, 18500, 24999, 60000)
_NUMBERS = (2, 3, 4, 5, 8, 10, 12, 15, 20, 25)


class KnownKinds(Protocol):
    """What is known of kinds of values; implemented by the layer of arguments."""

    def kind_of(self, name: str, parents: tuple[str, ...], is_number: bool) -> str | None:
        """Return the kind that a name asks for."""

    def form_of(self, description: str) -> str | None:
        """Return the kind whose writing a description prescribes."""


class ValueSource(msgspec.Struct, frozen=True, kw_only=True):
    """Where the values of one argument come from."""

    kind: str = ""
    pattern: str = ""
    examples: tuple[Any, ...] = ()
    known: bool = True
    """Whether the values are meaningful for the argument; otherwise they are made up."""
    opaque: bool = False
    """Whether nobody would say such a value (JSON in a text)."""


AS_THEY_ARE = ValueSource()
"""The schema alone is enough."""
MADE_UP = ValueSource(known=False)
A_NAME = ValueSource(kind="proper_name", known=False)
"""Two plain word_lists, which mislead less than a sentence does where nothing tells what a text is."""


def value_source(
    leaf: ArgumentLeaf, about: ToolSubject, shapes: dict[str, ValueSource], vocabulary: KnownKinds
) -> ValueSource:
    """Return where an argument's values come from.

    Args:
        leaf: The argument.
        about: What its tool is about.
        shapes: Entity → the shape of its identifiers on this server.
        vocabulary: The kinds there are.
    """
    schema = leaf.schema
    if (
        leaf.type == "object"
        and (rule := _rule_with_values(fitting_rules(leaf, about))) is not None
        and is_open(schema)
    ):
        return ValueSource(examples=rule.record.examples)
    if leaf.type in ("boolean", "object", "things"):
        return AS_THEY_ARE
    inner = schema.get("items", {}) if leaf.type == "list" and isinstance(schema.get("items"), dict) else schema
    if "enum" in inner or "const" in inner or len(inner.get("examples", ())) > 2:
        return AS_THEY_ARE
    rule = _rule_with_values(fitting_rules(leaf, about))
    if rule is not None:
        record = rule.record
        return ValueSource(kind=record.kind, pattern=record.pattern, examples=_in_range(record.examples, leaf))
    if leaf.type == "number" or inner.get("type") in ("integer", "number"):
        return _numbers(leaf, vocabulary)
    return _texts(leaf, inner, shapes, vocabulary)


def titles_of(
    leaves: Sequence[ArgumentLeaf], about: ToolSubject, noun: str, fields: Mapping[str, dict[str, Any]]
) -> dict[str, ValueSource]:
    """Return what things are called, for arguments that name one and of which nothing closer is known.

    Args:
        leaves: The arguments of a tool that makes or changes such a thing.
        about: What the tool is about.
        noun: Of the thing.
        fields: Its fields.
    """
    found: dict[str, ValueSource] = {}
    title = title_source(fields)
    for leaf in leaves if title is not None else ():
        around, _, own = leaf.slot.rpartition("/")
        if around and leaf.parents[0][-1] != noun:
            continue
        if (
            leaf.type != "text"
            or own.removeprefix("new_") not in ("title", "name", "subject", "summary")
            or leaf.schema.keys() & {"enum", "pattern", "format"}
        ):
            continue
        rule = _rule_with_values(fitting_rules(leaf, about))
        if title is not None and (rule is None or not (rule.fields or rule.objects)):
            found[leaf.slot] = title
    return found


def title_source(fields: Mapping[str, dict[str, Any]]) -> ValueSource | None:
    """Return what things with these fields are called; None where nothing tells."""
    title: dict[str, Any] = next((fields[name] for name in ("title", "name", "subject") if name in fields), {})
    kind, examples = title.get("x-kind", ""), tuple(title.get("examples") or title.get("enum") or ())
    return ValueSource(kind=kind, examples=examples) if kind or examples else None


def _rule_with_values(rules: list[ParameterRule]) -> ParameterRule | None:
    return next((rule for rule in rules if rule.record.kind or rule.record.pattern or rule.record.examples), None)


def _texts(
    leaf: ArgumentLeaf, inner: dict[str, Any], shapes: dict[str, ValueSource], vocabulary: KnownKinds
) -> ValueSource:
    if "format" in inner:
        return AS_THEY_ARE
    moment = next(
        (
            found
            for value in shown_values(leaf.description)
            if (found := shown_shape([value])) and found.kind in _MOMENTS
        ),
        None,
    )
    if moment is not None and not is_id(leaf):
        return moment
    if _OPAQUE.search(leaf.description) and leaf.type == "text":
        shown_json = tuple(_json_in(leaf.description))
        return ValueSource(examples=shown_json, known=False, opaque=True)
    shown = shown_values(leaf.description)
    if "pattern" in inner:
        return shown_shape(shown) or AS_THEY_ARE
    formed = vocabulary.form_of(leaf.description)
    if formed in _WRITTEN_SO and leaf.type == "text" and not is_id(leaf):
        return ValueSource(kind=formed or "")
    if formed is not None and formed not in ("time", "date") and not is_id(leaf):
        return AS_THEY_ARE
    return _shaped(leaf, shown, shapes) or _source_by_name(leaf, shown, vocabulary)


def _shaped(leaf: ArgumentLeaf, shown: list[str], shapes: dict[str, ValueSource]) -> ValueSource | None:
    """Return values of the shape that is shown, or that identifiers of the same thing have."""
    shaped, entity = shown_shape(shown), entity_of(leaf)
    if shaped is not None and (is_id(leaf) or shaped.pattern or shaped.kind not in ("email", "url")):
        return shaped
    if "comma" in leaf.description.lower() and leaf.type == "text":
        one = shown_shape([value.split(",")[0] for value in shown]) or shapes.get(entity)
        if one is not None and one.pattern:
            return ValueSource(pattern=f"{one.pattern},{one.pattern}")
        return ValueSource(examples=tuple(shown)) if shown else MADE_UP
    if is_id(leaf):
        return shapes.get(entity) or default_shape(entity)
    named = _IDS.search(leaf.description)
    if named is None or leaf.name[-1] in word_lists()["ids"]:
        return None
    noun = (named[1] or named[2]).lower()
    noun = str(word_lists()["stand_for"].get(noun, noun))
    return shapes.get(noun) or default_shape(noun)


def _source_by_name(leaf: ArgumentLeaf, shown: list[str], vocabulary: KnownKinds) -> ValueSource:
    """Return values that are listed, or of the kind that the name asks for."""
    if len(shown) > 1 and all(_CHOICE.fullmatch(value) for value in shown):
        return ValueSource(examples=tuple(shown))
    name, parents = "_".join(leaf.name), tuple("_".join(parent) for parent in leaf.parents)
    says_nothing = len(leaf.name) == 1 and leaf.name[0] in _NAMELESS
    kind = None if says_nothing else vocabulary.kind_of(name, parents, False)
    if kind is not None:
        return (
            ValueSource(kind=kind)
            if kind in _WRITTEN_SO and leaf.type == "text" and not leaf.schema.keys() & {"maxLength"}
            else AS_THEY_ARE
        )
    if len(shown) > 1:
        return ValueSource(examples=tuple(shown))
    if leaf.type == "text" and not leaf.schema.keys() & {"pattern", "maxLength"} and (moment := _moment_of(leaf)):
        return ValueSource(kind=moment)
    inner = (leaf.schema.get("items") or {}) if leaf.type == "list" else leaf.schema
    return shown_shape(shown) or (MADE_UP if inner.keys() & {"minLength", "maxLength", "pattern"} else A_NAME)


_WRITTEN = re.compile(r"\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(Z)?")


def _moment_of(leaf: ArgumentLeaf) -> str:
    """Return the kind of day or moment that a name ends like (`due_on`, `created_at`) or a description tells; empty for others."""
    last = leaf.name[-1]
    if written := _WRITTEN.search(leaf.description):
        return "date_time" if written[1] else "local_date_time_seconds"
    if (
        last in ("date", "day", "before", "after", "since", "until")
        or (last == "on" and len(leaf.name) > 1)
        or "YYYY-MM-DD" in leaf.description
    ):
        return "date"
    return "date_time" if last in ("timestamp", "datetime") or (last == "at" and len(leaf.name) > 1) else ""


def shown_values(description: str) -> list[str]:
    """Return the values that a description shows: "(e.g. 'PROJ-123', 'WEB-4')"."""
    found: list[str] = []
    for cue in _CUES.finditer(description):
        after = description[cue.end() : cue.end() + _REACH]
        end = _END.search(after)
        after = after[: end.start()] if end else after
        first = _QUOTED.search(after)
        if first is not None and first.start() < 40:
            found += [next(filter(None, match.groups())) for match in _QUOTED.finditer(after)]
    found += _PLAIN.findall(description)
    plain = [
        value for value in dict.fromkeys(found) if not re.search(r"[{}<>\\]|\.\.\.", value) and value == value.strip()
    ]
    return plain[:12]


def _json_in(text: str) -> list[str]:
    """Return the JSON objects and lists that a description shows."""
    found: list[str] = []
    for place in [place for place, letter in enumerate(text) if letter in "{["][:_MOST_JSON]:
        try:
            value, end = json.JSONDecoder().raw_decode(text[place:])
        except ValueError:
            continue
        if value and not any(text[place : place + end] in longer for longer in found):
            found.append(text[place : place + end])
    return found


_MOST_JSON = 40


def shown_shape(shown: list[str]) -> ValueSource | None:
    """Return the shape that shown values have, as a kind or a pattern; None when they have none."""
    if not shown:
        return None
    for shape, key, value in _SHAPES:
        if shape.fullmatch(shown[0]) and (key == "kind" or shown[0].partition("-")[0] in word_lists()["placeholders"]):
            return ValueSource(kind=value) if key == "kind" else ValueSource(pattern=value)
    example = shown[0]
    digits = sum(letter.isdigit() for letter in example)
    if (
        " " in example
        or "," in example
        or digits < 1
        or (digits < 3 and not (example.isdigit() or _CODE.fullmatch(example)))
    ):
        return None
    if re.fullmatch(r"[0-9a-f]{7,40}", example) and re.search("[a-f]", example):
        return ValueSource(pattern=f"[0-9a-f]{{{len(example)}}}")
    return ValueSource(pattern=_generalised(example))


def _generalised(example: str) -> str:
    """Return the pattern of codes like this one: letters stay, digits may be any."""
    text, start = "", True
    for letter in example:
        if letter.isdigit():
            text += "[1-9]" if start else "[0-9]"
            start = False
        else:
            text += letter if letter.isalnum() or letter in "-_:@ " else re.escape(letter)
            start = True
    return text


def default_shape(entity: str) -> ValueSource:
    """Return the shape of identifiers of which nothing is shown: numbers of a length that the entity decides."""
    length = 4 + _number(entity, 3)
    return ValueSource(pattern=f"[1-9][0-9]{{{length}}}", known=True)


def _numbers(leaf: ArgumentLeaf, vocabulary: KnownKinds) -> ValueSource:
    if leaf.name[-1:] == ("cents",) or "in cents" in leaf.description.lower():
        return ValueSource(examples=_in_range(_CENTS, leaf))
    if leaf.schema.get("minimum", -_ENDLESS) > -_ENDLESS and leaf.schema.get("maximum", _ENDLESS) < _ENDLESS:
        return AS_THEY_ARE
    if is_id(leaf):
        entity = entity_of(leaf)
        found = sorted({11 + _number(f"{entity} {at}", 1900) for at in range(18)})
        return ValueSource(examples=_in_range(tuple(found), leaf))
    if vocabulary.kind_of("_".join(leaf.name), (), True) is not None:
        return AS_THEY_ARE
    index = leaf.name[-1:] and leaf.name[-1] in ("index", "position", "level", "depth", "row", "column", "step", "page")
    return ValueSource(examples=_in_range(_SMALL_NUMBERS if index else _NUMBERS, leaf), known=bool(index))


def _in_range(values: tuple[Any, ...], leaf: ArgumentLeaf) -> tuple[Any, ...]:
    """Return the numbers that schema and description allow."""
    low, high = leaf.schema.get("minimum"), leaf.schema.get("maximum")
    told = _RANGE.search(leaf.description)
    if told and int(told[1]) < int(told[2]):
        low, high = (int(told[1]) if low is None else low), (int(told[2]) if high is None else high)
    most = _MOST.search(leaf.description)
    high = int(most[1]) if most and high is None else high
    fitting = tuple(
        value
        for value in values
        if isinstance(value, str) or ((low is None or value >= low) and (high is None or value <= high))
    )
    return fitting or ((low,) if isinstance(low, int) else values[:1])


def _number(text: str, below: int) -> int:
    return int.from_bytes(blake2b(text.encode(), digest_size=4).digest(), "big") % below


def unit_of(leaf: ArgumentLeaf) -> str:
    """Return the unit that a description states ("in seconds"), in the singular."""
    match = re.search(r"\bin (\w+)", leaf.description.lower())
    unit: str = word_lists()["units"].get(match[1], "") if match else ""
    return unit


_DETERMINED = re.compile(r"^(?:a|an|the|all|any|every|each|your|my|some|several|multiple|this|that|its|up|which)\b")


class Placed(msgspec.Struct, frozen=True):
    """A phrase with slots."""

    text: str
    slots: tuple[str, ...] = ()
    """The arguments that it says."""
    nouns: tuple[tuple[str, str, str], ...] = ()
    """(noun, phrase, bare value) of the arguments put in: `("issue", "issue {issue_key}", "{issue_key}")`."""

    @property
    def standing(self) -> list[tuple[str, str, str]]:
        """Return the nouns whose phrases stand in the text, in its order: what was put in may have been shortened since."""
        return sorted(
            [named for named in self.nouns if named[1] in self.text], key=lambda named: self.text.index(named[1])
        )


class NamingArgument(msgspec.Struct, frozen=True, kw_only=True):
    """An argument, or two that are said together, that names the thing a noun stands for."""

    noun: str
    slots: tuple[str, ...]
    value: str
    """`{issue_key}`, `{owner}/{repo}`."""
    is_id: bool
    many: bool
    """Whether it is a list."""
    is_list: bool = False
    """Whether its values are counted: "issue ENG-1", "issues ENG-1 and ENG-2"."""
    is_things: bool = False
    """Whether it is a list of objects: the tool may make them."""

    @property
    def phrase(self) -> str:
        """Return the value, with the noun before it where it is an identifier."""
        noun = without_part(self.noun)
        if self.is_list:
            noun = f"{{{self.slots[0]}#?{noun}|{_many(noun)}}}"
        elif self.many:
            noun = plural_of(noun)
        return f"{noun} {self.value}" if self.is_id and self.noun else self.value


def without_part(noun: str) -> str:
    """Return a noun without the word that tells which part it plays: "source page" is a page."""
    first, _, rest = noun.partition(" ")
    return rest if rest and first in word_lists()["parts_played"] else noun


def targets_of(
    leaves: Sequence[ArgumentLeaf], content: frozenset[str], places: Sequence[tuple[str, str]] = ()
) -> list[NamingArgument]:
    """Return the required arguments that name things.

    Args:
        leaves: The arguments.
        content: Slots that hold texts to be quoted.
        places: Slots of latitudes and longitudes.
    """
    by_name = {"_".join(leaf.name): leaf for leaf in leaves if leaf.required and "/" not in leaf.slot}
    needed = {leaf.slot for leaf in leaves if leaf.required}
    found = [_place(*slots) for slots in places if needed.issuperset(slots)]
    taken = {slot for place in found for slot in place.slots}
    for pair in word_lists()["pairs"]:
        parts = [by_name.get(name) for name in pair["slots"]]
        if all(part is not None and part.type in ("text", "number") for part in parts):
            slots = tuple(part.slot for part in parts if part is not None)
            value = pair["say"]
            for name, slot in zip(pair["slots"], slots, strict=True):
                value = value.replace("{" + name + "}", "{" + slot + "}")
            found.append(NamingArgument(noun=pair["noun"], slots=slots, value=value, is_id=False, many=False))
            taken.update(slots)
    for leaf in by_name.values():
        is_index = leaf.name[-1] == "index" and len(leaf.name) > 1
        amount = leaf.type == "number" and not is_index and not is_id(leaf)
        if leaf.slot in taken or leaf.slot in content or leaf.type in ("boolean", "object") or amount:
            continue
        found.append(
            NamingArgument(
                noun=entity_of(leaf),
                slots=(leaf.slot,),
                value="{" + leaf.slot + "}",
                is_id=is_id(leaf) or is_index or leaf.type == "things",
                is_list=leaf.type in ("list", "things") and entity_of(leaf).replace(" ", "").isalpha(),
                is_things=leaf.type == "things",
                many=leaf.type in ("list", "things") or is_plural(leaf.name[-1]) or leaf.name[-1] == "ids",
            )
        )
    return found


def plain_coordinates(spec: ToolSpec) -> list[tuple[str, str]]:
    """Return the slots of the latitude and longitude of the place that a tool is about, of whose part in it their names say nothing."""
    return [(latitude, longitude) for latitude, longitude, about in coordinates_in(spec.tool.parameters) if not about]


def _place(latitude: str, longitude: str) -> NamingArgument:
    return NamingArgument(
        noun="coordinate",
        slots=(latitude, longitude),
        value=f"{{{latitude}, {longitude}:place}}",
        is_id=False,
        many=False,
    )


def put_in(text: str, targets: Sequence[NamingArgument], server: Server, made: str = "") -> Placed:
    """Put arguments into a phrase in place of the nouns that they name.

    Args:
        text: "comments on a pull request".
        targets: The arguments that name things.
        server: The products whose names stand before nouns.
        made: The noun of what the tool makes, which is no argument's where it stands first.
    """
    slots: list[str] = []
    nouns: list[tuple[str, str, str]] = []
    prepositions = "|".join(map(re.escape, word_lists()["prepositions"]))
    determiners = "|".join(word_lists()["determiners"])
    for target in targets:
        if not target.noun:
            continue
        alike = word_lists()["alike"].get(target.noun, ())
        forms = sorted(
            {
                target.noun,
                without_part(target.noun),
                _many(target.noun),
                target.noun.split(" ")[-1],
                *alike,
                *map(_many, alike),
            },
            key=len,
            reverse=True,
        )
        noun = "|".join(re.escape(form) for form in forms)
        pattern = re.compile(
            rf"(?<![\w{{}}/])(?:(?:an?|two|different) (?:(?!(?:{prepositions}|new)\b)\w[\w-]* ){{0,2}}?)?"
            rf"(?:(?:{determiners}|{'|'.join(map(re.escape, sorted(server.products))) or 'the'}|new) )*"
            rf"(?:{noun})(?= (?:{prepositions})\b|$)",
            re.IGNORECASE,
        )
        for match in pattern.finditer(text):
            if (
                match.start() == 0
                and made
                and not target.is_things
                and singular_of(match[0].lower().split(" ")[-1]) == made
            ):
                continue
            before = re.sub(r"^an? (?:new )?", "", text[: match.start()]) if target.is_things else text[: match.start()]
            text = before + target.phrase + text[match.end() :]
            slots += target.slots
            if len(target.slots) == 1:
                nouns.append((target.noun, target.phrase, target.value))
            break
    for target in targets:  # as "repository pull requests", where the repository is said
        if target.noun and text.startswith(f"{target.noun} ") and not set(target.slots) & set(slots):
            text = text.removeprefix(f"{target.noun} ")
    text = _OTHERWISE.sub("", _PLACELESS.sub("", text))
    text = _SEVERAL.sub("", text).removesuffix(" at once") if "#?" in text else text
    return Placed(_UNDETERMINED.sub("", text), tuple(slots), tuple(nouns))


_SEVERAL = re.compile(r"\b(?:multiple|several|many) (?:[a-z]+ )?(?=\{\w+#\?)")
"""Words for several before things that are counted: "multiple calendar {events#?event|events}"."""
_OTHERWISE = re.compile(r"(?<=\}) or (?:the |an? )?[a-z]+(?= (?:of|in|from|for|on|to|with|by)\b|$)")
"""An alternative to the thing that an argument names: "in {workspace} or team"."""
_UNDETERMINED = re.compile(r"^(?:text|media|raw|binary|single|whole) (?=\{)")
"""A word before a noun that is dropped when the noun's value takes its place: "text {path}"."""
_PLACELESS = re.compile(r" (?:of|in|from|for|on|within) an? (?:[a-z]+ )?[a-z]+(?= (?:of|in|from|for|on|to)\b|$)")
"""A phrase about a thing that no argument names: "of a branch"."""


def _many(noun: str) -> str:
    *first, last = noun.split(" ")
    return " ".join([*first, plural_of(last)])


def determined(text: str) -> str:
    """Return the phrase with an article where it begins with none: "the details of …"."""
    if _DETERMINED.match(text) or text.startswith("{"):
        return text
    head = text.split(" {")[0]
    if " {" in text and len(head.split()) <= 2 and not re.search(r"\b(?:of|for|on|in|to|from|at|with)\b", head):
        return text  # "issue {issue_key}", "pull request {number}"
    return f"the {text}"


def from_name(name: Sequence[str], targets: Sequence[NamingArgument], *, creates: bool) -> Placed:
    """Return the phrase that the words of a name give: `issue watchers` is "the watchers of issue {issue_key}"."""
    text = " ".join(name)
    for target in targets:
        parts = target.noun.split() if target.noun else []
        size = len(parts)
        own = [singular_of(word) for word in name[:size]]
        if not parts or own != parts or creates:
            continue
        rest = list(name[size:])
        if not rest:
            return Placed(target.phrase, target.slots, ((target.noun, target.phrase, target.value),))
        if rest[0] not in word_lists()["prepositions"]:
            text = f"{' '.join(rest)} of {target.phrase}"
            return Placed(determined(_lettered(text)), target.slots, ((target.noun, target.phrase, target.value),))
    text = _lettered(text)
    if creates and text:
        first = text.split(" ")[0]
        article = (
            "" if is_plural(text.split(" ")[-1]) or _DETERMINED.match(text) else "an " if first[0] in "aeio" else "a "
        )
        return Placed(article + text)
    return Placed(text)


def _lettered(text: str) -> str:
    letters = word_lists()["letters"]
    return " ".join(letters.get(word, word) for word in text.split())


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
