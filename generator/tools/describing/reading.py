"""The material to derive from: the sentences of descriptions, arguments as flat leaves, what the tools of one server have in common."""

import re
from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

import msgspec

from generator.core.pointers import escape, schema_at, types_of, variants
from generator.core.toolbox import ToolSpec, name_as_words
from generator.tools.describing.lexicon import (
    ParameterRule,
    Verb,
    Words,
    fields_of_work,
    rules_for,
    singular,
    verbs,
    words,
)

_DEEPEST = 3
_MOST_LEAVES = 60
_OFTEN = 0.6
_NAMED_OFTEN = 0.3
_WORD = re.compile(r"[a-z]+")


class ArgumentLeaf(msgspec.Struct, frozen=True, kw_only=True):
    """One argument, or one value within an argument that is an object."""

    slot: str
    name: Words
    """The words of its name."""
    type: str
    """`text`, `number`, `boolean`, `list` (of texts or numbers), `things` (a list of objects that are said field by field),
    `object` (said as JSON, if at all).
    """
    schema: dict[str, Any]
    description: str
    required: bool
    """Whether every call holds it."""
    needed: bool
    """Whether it is always there when the object around it is."""
    declared: dict[str, Any] = {}
    """Its schema as the tool declares it, with its choices."""
    parents: tuple[Words, ...] = ()
    """Names of the objects around it, the nearest first."""
    elements: "tuple[ArgumentLeaf, ...]" = ()
    """The values within each of its `things`."""


class NameReading(msgspec.Struct, frozen=True, kw_only=True):
    """What was derived from a tool's name and description."""

    verb: Verb
    effect: str
    sentence: str
    """What the description's first sentence says after its verb."""
    says: Verb | None
    """The verb of that sentence."""
    description: str
    name: tuple[str, ...]
    """Words of the name without product and verb."""


class Server(msgspec.Struct, frozen=True):
    """What the tools of one source have in common."""

    prefixes: frozenset[str]
    """First words of tool names that tell the server, not the action."""
    fields: frozenset[str]
    """The fields of work that most of its tools are about."""


def argument_leaves(spec: ToolSpec) -> list[ArgumentLeaf]:
    """Return the leaves of a tool's arguments in declared order; what is nested too deep is one leaf."""
    leaves: list[ArgumentLeaf] = []
    _collect_leaves(spec.tool.parameters or {}, spec.tool.parameters or {}, "", (), True, leaves)
    return leaves


def _collect_leaves(
    root: Any, schema: Any, prefix: str, parents: tuple[Words, ...], required: bool, leaves: list[ArgumentLeaf]
) -> None:
    """Add the leaves below an object to `leaves`.

    `prefix` is its slot with a slash, `parents` are the names around it, the nearest first.
    """
    for variant in variants(root, schema)[:1]:
        required_keys = variant.get("required", ())
        for key in variant.get("properties", {}):
            slot = prefix + escape(key)
            part = _merged_schema(root, slot)
            name = tuple(name_as_words(key).split()) or ("value",)
            always = required and key in required_keys
            kind = _leaf_type(root, part, slot)
            if kind == "object" and part.get("properties") and len(parents) < _DEEPEST and len(leaves) < _MOST_LEAVES:
                _collect_leaves(root, part, f"{slot}/", (name, *parents), always, leaves)
                continue
            text = part.get("description")
            elements = _element_leaves(root, slot, name) if kind == "object" and always and "/" not in slot else ()
            leaves.append(
                ArgumentLeaf(
                    slot=slot,
                    name=name,
                    type="things" if elements else kind,
                    schema=part,
                    declared=schema_at(root, slot) or {},
                    description=text if isinstance(text, str) else "",
                    required=always,
                    needed=key in required_keys,
                    parents=parents,
                    elements=elements,
                )
            )


def _element_leaves(root: Any, slot: str, name: Words) -> tuple[ArgumentLeaf, ...]:
    """Return the leaves of the objects in a list, if people can say what each of them must hold; none otherwise."""
    items = schema_at(root, f"{slot}/*")
    if items is None:
        return ()
    leaves: list[ArgumentLeaf] = []
    _collect_leaves(root, items, f"{slot}/*/", (name,), True, leaves)
    if len(leaves) <= _MOST_NAMES and all(leaf.type == "text" and not leaf.required for leaf in leaves):
        naming_leaf = next((leaf for leaf in leaves if leaf.name[-1] in ("name", "title")), None)  # or its identifier
        leaves = [msgspec.structs.replace(leaf, required=leaf is naming_leaf) for leaf in leaves]
    needed = [leaf for leaf in leaves if leaf.required]
    sayable = all(leaf.type in ("text", "number", "list") and leaf.slot.count("/") == _WITHIN for leaf in needed)
    return tuple(leaves) if sayable and 0 < len(needed) <= _MOST_SAID else ()


_WITHIN = 2
_MOST_NAMES = 2
_MOST_SAID = 4
"""The most values that are said of each thing in a list."""


def usual_branch(root: Any, schema: Any) -> dict[str, Any]:
    """Return the first branch of a choice that is not null."""
    return next((branch for branch in variants(root, schema) if branch.get("type") != "null"), {})


def _merged_schema(root: Any, slot: str) -> dict[str, Any]:
    """Return the schema of a slot, with the first branch of a choice that is not null."""
    schema = schema_at(root, slot) or {}
    merged: dict[str, Any] = {}
    for branch in reversed([branch for branch in variants(root, schema) if branch.get("type") != "null"]):
        merged |= {key: value for key, value in branch.items() if key not in ("anyOf", "oneOf", "allOf", "$ref")}
    return merged


def _leaf_type(root: Any, schema: dict[str, Any], slot: str) -> str:
    """Return the type of a leaf, as `ArgumentLeaf` has it."""
    kinds = types_of(schema) - {"null"}
    if kinds and kinds <= {"integer", "number"}:
        return "number"
    if kinds == {"array"}:
        inner = schema_at(root, f"{slot}/*") or {}
        return "list" if inner.get("type") in ("string", "integer", "number") else "object"
    if kinds == {"string"} or (not kinds and "enum" in schema):
        return "text"
    return "boolean" if kinds == {"boolean"} else "object"


def describe_server(specs: Sequence[ToolSpec]) -> Server:
    """Return what the tools of one source have in common."""
    name = next((spec.origin.server for spec in specs if spec.origin.server), specs[0].domain if specs else "")
    words_of_name = set(_WORD.findall(name.lower())) - set(verbs())
    firsts = Counter(name_as_words(spec.name).partition(" ")[0] for spec in specs)
    prefixes = {
        word
        for word, times in firsts.items()
        if word
        and word not in verbs()
        and len(specs) > 1
        and (times >= _OFTEN * len(specs) or (word in words_of_name and times > 1) or times >= 8)
    }
    prefixes |= {"api"} & firsts.keys()
    field_counts: Counter[str] = Counter()
    for spec in specs:
        opening = (spec.tool.description or "")[:_OPENING].lower()
        field_counts.update(fields_of_work_in(f"{name_as_words(spec.name)} {opening}"))
    frequent_fields = {field for field, times in field_counts.items() if times >= _NAMED_OFTEN * len(specs)}
    return Server(
        frozenset(prefixes), frozenset(frequent_fields or {field for field, _ in field_counts.most_common(1)})
    )


_OPENING = 300
"""The first characters of a description, which tell what a tool is about."""


def fields_of_work_in(text: str) -> frozenset[str]:
    """Return the fields of work whose words stand in a text of small letters."""
    return frozenset(field for field, pattern in fields_of_work().items() if pattern.search(text))


class ToolSubject(msgspec.Struct, frozen=True, kw_only=True):
    """The context by which rules are selected."""

    fields: frozenset[str]
    server_fields: frozenset[str]
    effect: str
    text: str
    """The words of the tool's name and of its description's first sentence."""


def fitting_rules(leaf: ArgumentLeaf, about: ToolSubject) -> list[ParameterRule]:
    """Return the rules for an argument in the order in which they are asked."""
    fitting = [(length, rule) for length, rule in rules_for(leaf.name) if _rule_fits(rule, leaf, about)]
    return [rule for _, rule in sorted(fitting, key=lambda pair: (-pair[0], _rule_rank(pair[1], about)))]


def _rule_rank(rule: ParameterRule, about: ToolSubject) -> int:
    """Return the rank of a rule: for the tool's own field of work, for one of its server's, for any."""
    return 0 if rule.fields & about.fields else 1 if rule.fields else 2


def _rule_fits(rule: ParameterRule, leaf: ArgumentLeaf, about: ToolSubject) -> bool:
    """Whether a rule by name holds for an argument of a tool: its type, the field of work, what the tool does, and to what."""
    objects = "|".join(map(re.escape, rule.objects))
    return (
        (not rule.types or leaf.type in rule.types)
        and (not rule.fields or not rule.fields.isdisjoint(about.fields | about.server_fields))
        and (not rule.effects or about.effect in rule.effects)
        and (not objects or re.search(rf"(?<!\w)(?:{objects})s?(?!\w)", about.text) is not None)
    )


def entity_noun(leaf: ArgumentLeaf) -> str:
    """Return the noun of what an argument names (`issue_key` names an issue), or nothing."""
    name = leaf.name
    whole = " ".join(singular(name))
    stand = words("stand_for")
    if whole in stand:
        return str(stand[whole])
    while len(name) > 1 and name[-1] in words("ids"):
        name = name[:-1]
    if name and name[-1] in words("hard_ids"):
        return ""
    noun = " ".join(singular(name))
    return str(stand.get(noun, noun))


def is_id(leaf: ArgumentLeaf) -> bool:
    """Whether an argument is an identifier, which nobody can describe in other words."""
    is_plain = leaf.type in ("text", "number", "list")
    return is_plain and (leaf.name[-1] in words("hard_ids") or leaf.name == ("timestamp",))


def allows_any_properties(schema: dict[str, Any]) -> bool:
    """Whether a schema allows objects of any properties."""
    is_any = schema.get("type") == "object" and not schema.get("properties") and "required" not in schema
    return is_any and schema.get("additionalProperties", True) in (True, {})


_BRACKETS = re.compile(r"\([^()]*\)|\[[^\[\]]*\]|\{[^{}]*\}|<[^<>]*>")
_LINKS = re.compile(r"\[([^\[\]]*)\]\([^()]*\)")
_STOP = re.compile(r"(?<!\be\.g)(?<!\bi\.e)(?<!\bvs)(?<!\betc)[.!?](?=\s|$)|\n|;|:(?=\s)| [–—-] ")
_LEADS = re.compile(r"^[A-Z][\w ]{1,30}\s\|\s+")


def first_sentence(description: str) -> str:
    """Return a description's first sentence without what stands in brackets, without its stop."""
    text = _LINKS.sub(r"\1", description.strip())
    text = _LEADS.sub("", text)
    text = _BRACKETS.sub(" ", text).replace("`", "").replace("*", "").replace('"', "")
    text = re.sub(r"(?<!\w)'[^']{1,30}' (?=list\b)", "", text)  # "the 'My Tasks' list"
    text = re.sub(r"^(?:\W|\d)+", "", text)
    for part in _STOP.split(text):
        if len(part.split()) > 1:
            return " ".join(part.split())
    return " ".join(text.split())


def split_sentence(sentence: str) -> tuple[Verb | None, str]:
    """Return the verb with which a sentence begins and what follows it; None and nothing when it begins otherwise."""
    small = sentence.lower()
    for opener in words("openers"):
        if small.startswith(opener + " "):
            sentence = sentence[len(opener) + 1 :]
            break
    first, *rest = sentence.split() or [""]
    verb = base_verb(first) or _unknown_verb(first.lower(), " ".join(rest[:1]).lower())
    while verb is not None and len(rest) > 1:  # "create or update", "list, filter and sort"
        if rest[0].lower() in ("or", "and") and base_verb(rest[1]) is not None:
            rest = rest[2:]
        elif first.endswith(",") and base_verb(rest[0]) is not None:
            rest = rest[1:]
        else:
            break
    return verb, " ".join(rest)


def _unknown_verb(word: str, following: str) -> Verb | None:
    """Return an unknown word where a verb stands ("Interrupts a kernel") as a verb with an action as its effect."""
    if not (word.isalpha() and len(word) > 3 and following in words("determiners_of_objects")):
        return None
    if word.endswith("s") and not word.endswith("ss"):
        word = word[:-2] if word.endswith(("shes", "ches", "xes", "sses")) else word[:-1]
    is_none = word.endswith("ing") or word in words("prepositions") or word in words("no_verbs")
    return None if is_none else Verb(word, "act", word)


@cache
def base_verb(word: str) -> Verb | None:
    """Return the verb that a word is a form of (`Retrieves`), if it is known."""
    word = word.lower().strip(",")
    verbs_by_word = verbs()
    forms = (word, word[:-1], word[:-2], word[:-3] + "y") if word.endswith("s") else (word,)
    return next((verbs_by_word[form] for form in forms if form in verbs_by_word), None)


def participle(verb: str) -> str:
    """Return a verb's past participle: `created`, `sent`, `set up`."""
    participles: dict[str, str] = words("participles")
    first, _, rest = verb.partition(" ")
    stem = first[:-1] + "i" if first.endswith("y") and first[-2:-1] not in "aeiou" else first.removesuffix("e")
    return participles.get(verb) or f"{participles.get(first, f'{stem}ed')} {rest}".strip()


def noun_in_name(reading: NameReading) -> str:
    """Return the noun that names what the tool is about, in the singular, from its name."""
    end = next((at for at, word in enumerate(reading.name) if at and word in words("prepositions")), None)
    return " ".join(singular(reading.name[:end]))
