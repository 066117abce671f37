"""Which values people say in other words, as far as a schema and a name tell: "15%" for 0.15, "Norway" for `NO`.

The wording and the proof ask the same question here; how the words are made, and how they are read, each knows for itself.
"""

import re
from collections import Counter
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any

from generator.arguments.kinds.names import form_of_description, kind_of_description, kind_of_name, words_in_name
from generator.arguments.kinds.records import RECORDS, split_values
from generator.arguments.kinds.units import stated_unit
from generator.core.yaml_values import own_data

_MEANINGS: dict[str, tuple[str, ...]] = {
    member: split_values(forms) for member, forms in own_data(__file__, "meanings.yaml").items()
}
_BETWEEN_WORDS = re.compile(r"[_\-\s]+")


def meanings_of(members: Sequence[Any]) -> dict[str, tuple[str, ...]]:
    """Return the forms of each member that has some; a form that could mean two members is dropped."""
    return _meanings_of(tuple(member for member in members if type(member) is str))


@cache
def _meanings_of(members: tuple[str, ...]) -> dict[str, tuple[str, ...]]:
    """Return enum member → what people call it, without what could mean two members."""
    return _unambiguous(
        {member: _MEANINGS.get(_in_words(member), ()) for member in members}, {_in_words(member) for member in members}
    )


def _in_words(member: str) -> str:
    """Return an enum member as lower-case words: `InProgress`, `in_progress` → "in progress"."""
    return _BETWEEN_WORDS.sub(" ", re.sub(r"(?<=[a-z])(?=[A-Z])", " ", member)).strip().lower()


def _unambiguous(forms_by_value: dict[str, tuple[str, ...]], all_values: Collection[str]) -> dict[str, tuple[str, ...]]:
    """Return the forms of each value; a form that stands for two values, or is itself a value, is dropped."""
    uses = Counter(form.casefold() for forms in forms_by_value.values() for form in forms)
    unambiguous = {
        value: tuple(form for form in forms if uses[form.casefold()] == 1 and form.casefold() not in all_values)
        for value, forms in forms_by_value.items()
    }
    return {value: forms for value, forms in unambiguous.items() if forms}


WRITTEN_NAMES: dict[str, dict[str, tuple[str, ...]]] = {
    kind: _unambiguous({value: split_values(forms) for value, forms in given.items()}, {*map(str.casefold, given)})
    for kind, given in own_data(__file__, "written_names.yaml").items()
}
"""Kind → value → its forms, the usual one first."""


_WORDS: dict[str, frozenset[str]] = {key: frozenset(words.split(", ")) for key, words in own_data(__file__).items()}
_ZERO_TO_ONE = re.compile(
    r"\b(?:between )?0(?:\.0+)? ?(?:-|–|to|and|\.\.) ?1(?:\.0+)?(?![\d.])|\bas a (?:fraction|decimal)\b", re.I
)
_HUNDREDS = re.compile(r"\bpercent(?:age)?\b|%|\bper cent\b", re.I)
_PREFIX = re.compile(r"(?<![\w-])([A-Z]{2,6}-?)(?=[\d\\\[(])")
_MONEY = (("usd", re.compile(r"\bUSD\b|\bUS dollars\b", re.I)), ("eur", re.compile(r"\bEUR\b|\beuros?\b", re.I)), ("gbp", re.compile(r"\bGBP\b|\bpounds sterling\b", re.I)))  # fmt: skip
_CENTS = re.compile(r"\bin cents\b|\(cents\)", re.I)
_VERSION = re.compile(r"(?<![\w.])(?:\d+\.\d+|\\d\+\\\.|\[0-9\]\+\\\.)")
_V_VERSION = re.compile(r"(?<![a-z])v\??(?:\d|\\d|\[0-9\])", re.I)
_E164 = re.compile(r"\bE\.?164\b", re.I)
_COMMAS = re.compile(r"\bcomma[- ](?:separated|delimited)\b|\b(?:separated|delimited) (?:by|with) commas?\b", re.I)
_SPACED = re.compile(
    r"['\"`][^'\"`,]+, |\bor (?:a|an) (?:list|array)\b|\bpairs?\b|lat|\bkey\b|=|\bcoordinate|\bwidth\b|\bJSON\b", re.I
)
_LATITUDE_FIRST = re.compile(r"\blat(?:itude)?(?:,| and|/)? ?(?:long?|lng|longitude)\b", re.I)
_LONGITUDE_FIRST = re.compile(r"\b(?:long?|lng|longitude)(?:,| and|/)? ?lat(?:itude)?\b", re.I)
_MONTH_PATTERN = re.compile(r"\bYYYY-MM\b(?!-)")


def other_words(schema: dict[str, Any], name: str, kind: str | None = None) -> tuple[str, ...]:
    """Return the verbalizers that say values of a leaf in other words, best first; `kind` is what its name and description ask for, if None."""
    types = schema.get("type", ())
    types = {types} if isinstance(types, str) else set(types)
    description = str(schema.get("description", ""))
    members = schema.get("enum", [schema["const"]] if "const" in schema else None)
    if members is not None and all(type(member) is str or member is None for member in members):
        texts = [member for member in members if member is not None]
        tables = [table for table in _name_tables(name, description, kind) if set(texts) <= WRITTEN_NAMES[table].keys()]
        return (*tables, *(("meaning",) if meanings_of(texts) else ()))
    if types & {"integer", "number"} and members is None:
        return _verbalizers_of_number(schema, name, description, kind, is_whole="number" not in types)
    return _verbalizers_of_text(schema, name, description, kind) if "string" in types and members is None else ()


def _name_tables(name: str, description: str, kind: str | None) -> list[str]:
    """Return the tables of names that a leaf's values may be of."""
    kinds = (
        form_of_description(description),
        kind,
        kind_of_name(name, (), False),
        kind_of_description(description, False),
    )
    tables = [table for own in kinds if own is not None for table in (own, *RECORDS[own].also.split(", "))]
    return [table for table in dict.fromkeys(tables) if table in WRITTEN_NAMES]


def _verbalizers_of_text(schema: dict[str, Any], name: str, description: str, kind: str | None) -> tuple[str, ...]:
    """Return the verbalizers for a string parameter, such as `phone` or `iso_duration`, as its schema, name and description suggest."""
    kinds = {kind, kind_of_name(name, (), False), form_of_description(description)}
    form = schema.get("format")
    is_e164 = _E164.search(description) is not None or str(schema.get("pattern", "")).startswith("^\\+")
    conditions = (
        ("code", prefix_of(schema) is not None),
        ("url", form == "uri" or "url" in kinds),
        ("phone", is_e164 or "phone_e164" in kinds),
        ("iso_duration", form == "duration" or "duration" in kinds),
        ("month_of_year", "year_month" in kinds or _MONTH_PATTERN.search(description) is not None),
        ("city_and_state", "city_and_state" in kinds),
        ("commas", takes_commas(schema)),
        ("coordinates", "coordinates" in kinds and _is_latitude_first(name, description)),
        ("version", "version" in kinds and shows_plain_versions(schema)),
    )
    return (*_name_tables(name, description, kind), *[verbalizer for verbalizer, applies in conditions if applies])


def takes_commas(schema: dict[str, Any]) -> bool:
    """Whether a text is a list of texts with commas between them and no spaces, as its description says."""
    description = str(schema.get("description", ""))
    is_free = schema.keys().isdisjoint(("pattern", "format", "enum", "const", "examples"))
    return is_free and _COMMAS.search(description) is not None and _SPACED.search(description) is None


def _is_latitude_first(name: str, description: str) -> bool:
    """Whether name or description tell that latitude and longitude are given in this order, and in no other."""
    text = f"{' '.join(words_in_name(name))} {description}"
    return _LATITUDE_FIRST.search(text) is not None and _LONGITUDE_FIRST.search(text) is None


def shows_plain_versions(schema: dict[str, Any]) -> bool:
    """Whether pattern, description or examples of a leaf show versions as numbers with dots, and none with a `v` before them."""
    text = " ".join([str(schema.get(key, "")) for key in ("pattern", "description", "examples")])
    return _VERSION.search(text) is not None and _V_VERSION.search(text) is None


def prefix_of(schema: dict[str, Any]) -> str | None:
    """Return the letters with which every identifier of a leaf begins, as its pattern, description or examples show: `JOB-` of `JOB-20417`.

    None where none or several are shown.
    """
    text = " ".join([str(schema.get(key, "")) for key in ("pattern", "description", "examples")]).replace("^", " ")
    prefixes = set(_PREFIX.findall(text))
    return prefixes.pop() if len(prefixes) == 1 else None


def _verbalizers_of_number(
    schema: dict[str, Any], name: str, description: str, kind: str | None, *, is_whole: bool
) -> tuple[str, ...]:
    """Return the verbalizers for a numeric parameter, such as `percent`, `cents`, a currency or a unit."""
    words = words_in_name(name)
    kinds = {kind, kind_of_name(name, (), True)}
    if is_code(name):
        return ()
    unit = stated_unit(name, description)
    if unit is not None:
        return (unit, "words")
    currency = next((money for money, stated in _MONEY if stated.search(description) or money in words), None)
    if _CENTS.search(description) or words[-1:] == ("cents",):
        return ("cents",)
    verbalizers: list[str] = [] if currency is None else [currency]
    low, high = (
        schema.get("minimum", schema.get("exclusiveMinimum")),
        schema.get("maximum", schema.get("exclusiveMaximum")),
    )
    is_share = (low, high) == (0, 1) or _ZERO_TO_ONE.search(description) is not None or "fraction" in kinds
    if not is_whole and is_share and (high is None or high <= 1) and _WORDS["not_shares"].isdisjoint(words):
        verbalizers += ["share", "percent"]
    elif not _WORDS["percent"].isdisjoint(words) or _HUNDREDS.search(description):
        verbalizers.append("percentage")
    elif not verbalizers and (kinds & _WORDS["large_kinds"] or not _WORDS["large"].isdisjoint(words)):
        verbalizers.append("thousands")
    if (is_whole or "rating" in kinds) and not any(
        RECORDS[name_of_kind].verbalizer == "number" for name_of_kind in kinds if name_of_kind is not None
    ):
        verbalizers.append("words")
    return tuple(verbalizers)


def is_code(name: str) -> bool:
    """Whether a number of that name counts nothing, such as an ID or a year."""
    return not _WORDS["codes"].isdisjoint(words_in_name(name))


def all_other_words() -> Sequence[str]:
    """Return the verbalizers that are used only where `other_words` names them."""
    return (
        *("meaning", "code", "url", "phone", "iso_duration", "month_of_year", "cents", "thousands"),
        *("share", "city_and_state", "commas", "coordinates", "version"),
        *WRITTEN_NAMES,
    )
