"""Templates of entities, by noun: fields that are known beforehand (data/entities.yaml) or that tools tell; and the keys by which tools identify one."""

import re
from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from functools import cache
from typing import Any

import msgspec

from generator.core.toolbox import name_as_words
from generator.tools.describing.lexicon import is_plural, load, plural_of, singular_of, words
from generator.tools.describing.reading import ArgumentLeaf, NameReading, entity_noun, is_id, noun_in_name
from generator.tools.describing.values import ValueSource


class Template(msgspec.Struct, frozen=True, kw_only=True):
    """A kind of thing with the fields that results show of it."""

    noun: str
    fields: dict[str, dict[str, Any]]
    start: dict[str, Any] = {}
    """Field → its value in a new thing: a plain value, or an expression."""
    names: dict[str, str] = {}
    """Field of the data file → the name that the server has for it."""
    is_recorded: bool = False
    """Whether the server's output schemas describe it, so that its fields are fixed."""


class Key(msgspec.Struct, frozen=True, kw_only=True):
    """How a server names things of one kind."""

    field: str
    """The name that most tools have for its argument, and thus of the field."""
    schema: dict[str, Any]
    shown: str
    """Its name in results: the same, or `id` where arguments are called that."""


class DerivedTool(msgspec.Struct, frozen=True, kw_only=True):
    """What was derived from one tool alone."""

    reading: NameReading
    leaves: Sequence[ArgumentLeaf]
    values: Mapping[str, ValueSource]
    """Where the values of its leaves come from, by slot."""
    say: Mapping[str, str]
    """Argument → how often it is said, where that is not as often as any."""
    pairs: frozenset[str]
    """Required arguments that together say where something is: owner and repository."""
    opaque: frozenset[str]
    """Arguments in a language of their own, which is not interpreted here."""
    queries: frozenset[str]
    """Arguments that hold words to look for."""

    @property
    def verb(self) -> str:
        """The verb of its name, or of its description."""
        return self.reading.verb.word

    @property
    def slots(self) -> dict[str, ArgumentLeaf]:
        """Its leaves by slot."""
        return {leaf.slot: leaf for leaf in self.leaves}

    @property
    def required(self) -> dict[str, ArgumentLeaf]:
        """The leaves that every call holds, by slot."""
        return {slot: leaf for slot, leaf in self.slots.items() if leaf.required}


def derived_tool(
    reading: NameReading,
    leaves: Sequence[ArgumentLeaf],
    values: Mapping[str, ValueSource],
    say: Mapping[str, str],
    pairs: frozenset[str],
) -> DerivedTool:
    """Return what was derived from one tool alone, with the arguments that are not interpreted or hold words to look for."""
    opaque = {leaf.slot for leaf in leaves if values[leaf.slot].opaque or leaf.name[-1] in words("languages")}
    opaque |= {leaf.slot for leaf in leaves if values[leaf.slot].kind in ("jql_query", "sql_query")}
    sought = words("sought") if reading.effect == "find" else ()
    texts = [leaf for leaf in leaves if leaf.type == "text" and leaf.slot not in opaque]
    queries = {leaf.slot for leaf in texts if " ".join(leaf.name) in words("queries") or leaf.name[-1] in sought}
    return DerivedTool(
        reading=reading,
        leaves=leaves,
        values=values,
        say=say,
        pairs=pairs,
        opaque=frozenset(opaque),
        queries=frozenset(queries),
    )


_ADDRESS = (
    "plain(name, '.') + ('@brightlane.example' if len(name) % 4 == 0 else '@larkspur.example' if len(name) % 4 == 1"
    " else '@cedarpoint.example' if len(name) % 4 == 2 else '@example.net')"
)
"""The email address of somebody, made from their name."""


@cache
def known_templates() -> dict[str, Template]:
    """Return the things of entities.yaml by their noun."""
    raw, templates = load("entities"), {}
    for noun, entry in raw.items():
        fields_from = raw[entry["like"]] if "like" in entry else entry
        fields = {name: {"type": "string", **schema} for name, schema in fields_from["fields"].items()}
        if "email" in fields and fields.get("name", {}).get("x-kind") == "person_name":
            fields["email"] = {"type": "string", "x-compute": _ADDRESS}
        templates[noun] = Template(noun=noun, fields=fields, start=fields_from.get("start", {}))
    return templates


def templates_for_work(fields: Collection[str]) -> dict[str, Template]:
    """Return the things of entities.yaml as they are in some fields of work: a file in software is a source file."""
    plain, narrowed = dict[str, Template](), dict[str, Template]()
    for name, template in known_templates().items():
        noun, _, field = name.partition("@")
        if not field:
            plain[noun] = template
        elif field in fields:
            narrowed[noun] = msgspec.structs.replace(template, noun=noun)
    return plain | narrowed


def templates_of_created(tools: Mapping[str, DerivedTool]) -> dict[str, Template]:
    """Return what a server's own tools tell of things that nobody else knows: what one is made with."""
    templates: dict[str, Template] = {}
    for tool in tools.values():
        reading = tool.reading
        noun = noun_in_name(reading)
        if reading.effect != "create" or not noun or noun in known_templates() or noun in templates:
            continue
        schemas_by_slot = {leaf.slot: _field_from_argument(leaf, tool.values[leaf.slot].kind) for leaf in tool.leaves}
        fields = {name: schema for name, schema in schemas_by_slot.items() if schema is not None}
        titles = [name for name in fields if name in words("titles")][:1]
        if not titles:
            continue
        others = [name for name in fields if name not in words("titles")][:3]
        kept = {name: schema for name, schema in fields.items() if name in (*titles, *others)}
        templates[noun] = Template(noun=noun, fields=kept)
    return templates


def _field_from_argument(leaf: ArgumentLeaf, kind: str) -> dict[str, Any] | None:
    """Return the schema of the field of a thing that an argument of the same name gives; `kind` is that of its values."""
    if leaf.slot in words("titles"):
        is_company = leaf.slot == "name" and "company" in leaf.description.lower()
        return {"type": "string", "x-kind": "person_name" if is_company else kind or "title"}
    if leaf.type == "text" and "enum" in leaf.schema:
        return {"type": "string", "enum": list(leaf.schema["enum"])}
    if leaf.type == "text" and leaf.schema.get("format") == "date":
        return {"type": "string", "format": "date"}
    return None


def entity_keys(tools: Mapping[str, DerivedTool]) -> dict[str, Key]:
    """Return how the tools of a server name things, by noun: by the identifier, of the type, that most tools ask for."""
    votes: dict[str, Counter[str]] = {}
    schemas: dict[str, dict[str, list[dict[str, Any]]]] = {}
    """Of each noun by type, those that say more first."""
    for tool in tools.values():
        for leaf in tool.leaves:
            noun = _single_noun(leaf)
            schema = _key_schema(leaf, tool.values[leaf.slot]) if noun else None
            if schema is not None:
                votes.setdefault(noun, Counter())[leaf.slot] += 1
                schemas_of_type = schemas.setdefault(noun, {}).setdefault(schema["type"], [])
                is_strict = not leaf.schema.keys().isdisjoint(("format", "pattern"))
                schemas_of_type.insert(0 if is_strict else len(schemas_of_type), schema)
    keys: dict[str, Key] = {}
    for noun, slots in votes.items():
        shown = slots.most_common(1)[0][0]
        field = f"{noun.replace(' ', '_')}_id" if shown in words("bare_ids") else shown
        if field not in {key.field for key in keys.values()}:
            usual = max(schemas[noun].values(), key=len)
            keys[noun] = Key(field=field, schema=usual[0], shown=shown)
    return keys


def _single_noun(leaf: ArgumentLeaf) -> str:
    """Return the noun of the one thing that an argument identifies; empty if there is none."""
    if not is_id(leaf) or "/" in leaf.slot or leaf.type == "list" or is_plural(leaf.name[-1]) or leaf.name[-1] == "ids":
        return ""
    noun = entity_noun(leaf)
    return noun if len(leaf.name) <= 1 + len(noun.split()) else ""


def identified_noun(leaf: ArgumentLeaf, keys: Mapping[str, Key]) -> str:
    """Return the noun of the entity that an argument identifies, or nothing; `keys` tells how the server names things."""
    noun = _single_noun(leaf)
    kinds = {"text": ("string",), "number": ("integer", "number")}
    return noun if noun in keys and keys[noun].schema.get("type") in kinds.get(leaf.type, ()) else ""


def _key_schema(leaf: ArgumentLeaf, values: ValueSource) -> dict[str, Any] | None:
    """Return the schema of an identifier in results, whose values are made like the argument's."""
    if values.kind:
        return {"type": "string", "x-kind": values.kind}
    if values.pattern:
        return {"type": "string", "pattern": f"^{values.pattern}$"}
    if values.examples and leaf.type == "number":
        return {"type": "integer", "minimum": 11, "maximum": 1999}
    if leaf.type == "number" and values.known:
        return {
            "type": "integer",
            "minimum": max(leaf.schema.get("minimum", 11), 11),
            "maximum": min(leaf.schema.get("maximum", 1999), 1_999_999),
        }
    if leaf.type == "text" and ("pattern" in leaf.schema or "format" in leaf.schema):
        return {"type": "string", **{key: leaf.schema[key] for key in ("pattern", "format") if key in leaf.schema}}
    return None


def template_for(reading: NameReading, templates: Mapping[str, Template]) -> tuple[Template | None, bool]:
    """Return the thing that a result is about, and whether there are several."""
    sentence = re.findall("[a-z]+", reading.sentence.lower().split(" with ")[0])
    for head in (_nouns_before_preposition(reading.name), _nouns_before_preposition(sentence)):
        template = _template_at_end(head, templates)
        if template is not None:
            words_of_sentence = re.findall("[a-z]+", reading.sentence.lower())
            is_listed = reading.verb.word in words("listing") and plural_of(head[-1]) in words_of_sentence
            return template, is_listed or is_plural(head[-1]) or (
                head[-1] in words("plans") and template.noun != head[-1]
            )
        template = _template_at_end(head[:-1], templates) if head and head[-1] in words("parts") else None
        if template is not None:
            return template, False
    return None, False


def schedule_templates(templates: Mapping[str, Template], keys: Mapping[str, Key]) -> dict[str, Template]:
    """Return what a schedule is made of, by the words for one, where a server names such things and no schedules."""
    planned_template = next((templates[noun] for noun in words("planned") if noun in templates and noun in keys), None)
    schedule_words = [word for word in words("plans") if word not in templates and word not in keys]
    return {} if planned_template is None else dict.fromkeys(schedule_words, planned_template)


def sort_field(description: str, fields: Mapping[str, dict[str, Any]]) -> str:
    """Return by which field a list is sorted whose description says that the newest (`-field`) or the oldest come first."""
    match = _FIRST.search(description)
    days = [name for name, schema in fields.items() if schema.get("format") in ("date", "date-time")]
    creation_days = [
        name for name in days if fields[name].get("x-when") == "past" or name_as_words(name).split()[0] in words("made")
    ]
    if match is None or not creation_days:
        return ""
    return creation_days[0] if match[0].lower().startswith("oldest") else f"-{creation_days[0]}"


_FIRST = re.compile(r"\b(?:newest|latest|most recent|oldest) (?:ones )?first\b", re.IGNORECASE)


def _nouns_before_preposition(parts: Sequence[str]) -> list[str]:
    """Return the nouns before the first preposition."""
    head: list[str] = []
    for word in parts:
        if word in words("prepositions"):
            if head or word != "for":
                break
        else:
            head.append(word)
    return head


def _template_at_end(head: Sequence[str], templates: Mapping[str, Template]) -> Template | None:
    """Return the thing that the last words name."""
    for size in (3, 2, 1):
        noun = " ".join([*head[-size:-1], singular_of(head[-1])]) if len(head) >= size else ""
        if noun in templates:
            return templates[noun]
    return None
