"""Read policy files: every fault is told with file, line and the nearest name."""

import re
from collections.abc import Collection, Iterable
from pathlib import Path
from typing import Any

import msgspec

from generator.declared import read
from generator.documents import Document, Place, nearest, read_document
from generator.errors import RecipeError
from generator.policies.clauses import KINDS, Clause, Confirm, Limit, Policy, fill, fillings, with_test
from generator.toolbox import Toolbox

_BRACES = re.compile(r"\{([^{}]*)\}")


def read_policies(files: Iterable[Path]) -> tuple[Policy, ...]:
    """Return the policies of some files; raises RecipeError with `file:line: path: what is wrong`."""
    found: list[Policy] = []
    for file in files:
        document = read_document(file, RecipeError)
        model = read(Policy, document, document.value, (), RecipeError)
        clauses = tuple([_clause(entry, document, ("clauses", at)) for at, entry in enumerate(model.clauses)])
        policy = msgspec.structs.replace(model, clauses=clauses)
        _check_texts(policy, document)
        found.append(policy)
    return tuple(found)


def _clause(entry: Any, document: Document, place: Place) -> Clause:
    """Return one clause, of the kind that its first word tells."""
    words = list(entry) if isinstance(entry, dict) else []
    kind = next((KINDS[word] for word in words if word in KINDS), None)
    if kind is None:
        hint = "".join(nearest(str(word), KINDS) for word in words[:1])
        raise RecipeError(f"{document.at(place)}: a clause begins with one of {', '.join(KINDS)}{hint}")
    clause: Clause = read(kind, document, entry, place, RecipeError)
    clause = msgspec.structs.replace(clause, where=document.at(place))
    try:
        clause = with_test(clause)
    except ValueError as wrong:
        raise RecipeError(f"{document.at(place)}: {clause.expression!r}: {wrong}") from None
    if isinstance(clause, Limit) and isinstance(clause.most, str) and clause.most not in clause.numbers:
        raise RecipeError(
            f"{document.at(place)}: most: there is no number {clause.most!r}{nearest(clause.most, clause.numbers)}"
        )
    for text in clause.text:
        for name in _BRACES.findall(text):
            if name not in clause.numbers:
                raise RecipeError(
                    f"{document.at(place)}: text: there is no number {name!r}{nearest(name, clause.numbers)}"
                )
    return clause


def _check_texts(policy: Policy, document: Document) -> None:
    """Raise RecipeError where a text holds another one, so that no message tells which of them it states."""
    said: dict[str, int] = dict.fromkeys(policy.role, -1)
    for at, clause in enumerate(policy.clauses):
        for numbers in fillings(clause):
            for text in clause.text:
                said.setdefault(fill(text, numbers), at)
    texts = sorted(said, key=len)
    for place, text in enumerate(texts):
        longer = next((other for other in texts[place + 1 :] if text in other), None)
        if longer is not None:
            at = max(said[text], 0)
            raise RecipeError(f"{document.at(('clauses', at))}: {text!r} stands in another text: {longer!r}")


def check_policies(policies: Iterable[Policy], toolbox: Toolbox) -> None:
    """Raise RecipeError for a policy without tools, and for tools, arguments and fields that there are not."""
    domains = {spec.domain for spec in toolbox.values()}
    for policy in policies:
        unserved = [name for name in policy.serves if name not in domains]
        if unserved:
            raise RecipeError(
                f"policy {policy.policy!r}: no loaded tool is of {unserved[0]!r}{nearest(unserved[0], domains)}"
            )
        for clause in policy.clauses:
            for tool in clause.tools:
                if tool not in toolbox:
                    raise RecipeError(f"{clause.where}: there is no tool {tool!r}{nearest(tool, toolbox)}")
            _check_arguments(clause, toolbox)


def _check_arguments(clause: Clause, toolbox: Toolbox) -> None:
    for slot in getattr(clause, "args", {}):
        known: Collection[str] = toolbox[clause.tools[0]].properties
        if slot not in known:
            raise RecipeError(f"{clause.where}: {clause.tools[0]} has no argument {slot!r}{nearest(slot, known)}")
    if isinstance(clause, Confirm):
        for tool in clause.says:
            if toolbox[tool].looks_up:
                raise RecipeError(f"{clause.where}: says: {tool} changes nothing")
