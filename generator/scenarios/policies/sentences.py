"""The sentences that policies have the assistant say, given to the tools that they are about, so that the proof knows them."""

import re
from collections.abc import Iterable, Iterator
from functools import partial
from itertools import product

import msgspec

from generator.core.documents import nearest
from generator.core.errors import RecipeError
from generator.core.pointers import schema_at
from generator.core.toolbox import Toolbox, ToolSpec
from generator.core.yaml_values import own_data
from generator.scenarios.policies import clauses
from generator.scenarios.policies.stated import Policy, fill, fillings

SLOT = re.compile(r"\{(args\.)?(\w+)(?::(\w+))?\}")
"""A value in a sentence: a field of the thing, or an argument of the call."""
PLAIN: dict[str, list[str]] = own_data(__file__)
"""What is said where a clause has no sentence of its own, by kind."""


def place_of_things(spec: ToolSpec) -> str:
    """Return where a look-up's result has the things that it tells of: `orders/*`; empty for the result itself."""
    effect = spec.effect
    return "" if effect is None or not effect.at else f"{effect.at}/*" if effect.kind == "find" else effect.at


def look_ups_of(clause: clauses.Clause, tool: str, toolbox: Toolbox) -> list[str]:
    """Return the look-ups whose results tell of the thing that a call is about: the one that the clause names, or those that are linked."""
    if isinstance(clause, clauses.Hide):
        return [tool]
    seen = getattr(clause, "seen", "")
    return [seen] if seen else list(dict.fromkeys(link.tool for link in toolbox[tool].links if link.tool in toolbox))


def refusals_of(clause: clauses.Clause) -> tuple[str, ...]:
    """Return the sentences with which a clause refuses a call."""
    return clause.refuse or tuple(PLAIN.get(clause.kind, PLAIN["any"]))


def with_listed_sentences(texts: Iterable[str]) -> tuple[str, ...]:
    """Return sentences, with those of a list for the name of one: `on: person`."""
    return tuple([text for sentence_or_name in texts for text in PLAIN.get(sentence_or_name, (sentence_or_name,))])


def with_sentences(toolbox: Toolbox, policies: Iterable[Policy]) -> Toolbox:
    """Return the tools with the sentences that policies have the assistant say of their calls.

    Raises:
        RecipeError: for a field or argument that there is not.
    """
    said: dict[str, list[str]] = {}
    for policy in policies:
        served = [tool for tool, spec in toolbox.items() if spec.domain in policy.serves]
        for clause in policy.clauses:
            for tool, text in _sentences(clause, served):
                forms = [*_forms_of_sentence(clause, tool, text, toolbox)]
                said.setdefault(tool, []).extend(fill(form, numbers) for form in forms for numbers in fillings(clause))
    return {
        name: msgspec.structs.replace(spec, ruled=tuple(dict.fromkeys(said[name]))) if name in said else spec
        for name, spec in toolbox.items()
    }


def _sentences(clause: clauses.Clause, served: Iterable[str]) -> Iterator[tuple[str, str]]:
    """Yield each sentence of a clause with each tool that it may be said of, among those that the policy serves."""
    if isinstance(clause, clauses.Confirm):
        yield from [(tool, text) for tool, texts in clause.says.items() for text in texts]
        return
    texts = with_listed_sentences([text for field in _SAID for text in getattr(clause, field, ())])
    if isinstance(
        clause, clauses.Eligible | clauses.Forbid | clauses.Hide | clauses.Limit | clauses.Scope | clauses.Whose
    ):
        texts = (*texts, *refusals_of(clause), *clause.push)
    is_of_all = isinstance(clause, clauses.Scope | clauses.Identity)
    yield from product(
        served if is_of_all else clause.tools if isinstance(clause, clauses.Limit) else clause.tools[:1], texts
    )


_SAID = ("on", "first", "otherwise", "says", "asks", "tells", "offer")
"""Fields of clauses that hold sentences."""


def _forms_of_sentence(clause: clauses.Clause, tool: str, text: str, toolbox: Toolbox) -> Iterator[str]:
    """Yield a sentence with the places of its values, for each look-up that can tell them."""
    slots = [slot for slot in SLOT.finditer(text) if slot[2] not in clause.numbers]
    sources = look_ups_of(clause, tool, toolbox) if any(not slot[1] for slot in slots) else [""]
    for slot in slots:
        known = toolbox[tool].properties if slot[1] else _fields(sources, toolbox)
        if slot[2] not in known:
            raise RecipeError(f"{clause.where}: {text!r}: there is no {slot[2]!r}{nearest(slot[2], known)}")
    for source in sources:
        at = place_of_things(toolbox[source]) if source else ""
        yield SLOT.sub(partial(_slot_with_place, clause, at), text)


def _slot_with_place(clause: clauses.Clause, at: str, slot: "re.Match[str]") -> str:
    """Return a slot of a sentence with the place of its value: `{status}` → `{orders/*/status}`; numbers and arguments stay."""
    if slot[2] in clause.numbers:
        return slot[0]
    return f"{{args.{slot[2]}}}" if slot[1] else f"{{{at}/{slot[2]}}}" if at else f"{{{slot[2]}}}"


def _fields(sources: list[str], toolbox: Toolbox) -> list[str]:
    """Return the fields of the things of which look-ups tell."""
    found: list[str] = []
    for source in sources:
        schema = schema_at(toolbox[source].returns or {}, place_of_things(toolbox[source])) or {}
        found += schema.get("properties", {})
    return found
