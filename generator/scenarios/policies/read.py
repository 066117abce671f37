"""Read policy files: every fault is told with file, line and the nearest name."""

import re
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import msgspec

from generator.core.declared import read
from generator.core.documents import Document, Place, nearest, read_document
from generator.core.errors import RecipeError
from generator.core.pointers import schema_at
from generator.core.toolbox import Toolbox
from generator.scenarios.policies import clauses
from generator.scenarios.policies.sentences import place_of_things
from generator.scenarios.policies.stated import Policy, fill, fillings

_BRACES = re.compile(r"\{([^{}]*)\}")


def read_policies(files: Iterable[Path]) -> tuple[Policy, ...]:
    """Return the policies of some files; raises RecipeError with `file:line: path: what is wrong`."""
    found: list[Policy] = []
    for file in files:
        document = read_document(file, RecipeError)
        model = read(Policy, document, document.value, (), RecipeError)
        read_clauses = tuple([_read_clause(entry, document, ("clauses", at)) for at, entry in enumerate(model.clauses)])
        policy = msgspec.structs.replace(model, clauses=read_clauses, where=document.where())
        _check_named_clauses(policy)
        _check_texts(policy, document)
        found.append(policy)
    return tuple(found)


def _read_clause(entry: Any, document: Document, place: Place) -> clauses.Clause:
    """Return one clause, of the kind that its first word tells."""
    keys = list(entry) if isinstance(entry, dict) else []
    kind = next((clauses.KINDS[word] for word in keys if word in clauses.KINDS), None)
    if kind is None:
        hint = "".join(nearest(str(word), clauses.KINDS) for word in keys[:1])
        raise RecipeError(f"{document.at(place)}: a clause begins with one of {', '.join(clauses.KINDS)}{hint}")
    clause: clauses.Clause = read(kind, document, entry, place, RecipeError)
    try:
        test = clauses.compile_test(clause.expression, clause.numbers) if clause.expression else None
    except ValueError as wrong:
        raise RecipeError(f"{document.at(place)}: {clause.expression!r}: {wrong}") from None
    clause = msgspec.structs.replace(clause, where=document.at(place), test=test)
    number_names = [(key, getattr(clause, key, 0)) for key in ("most", "times", "tries")]
    number_names += [("text", name) for text in clause.text for name in _BRACES.findall(text)]
    for key, name in number_names:
        if isinstance(name, str) and name not in clause.numbers:
            raise RecipeError(f"{clause.where}: {key}: there is no number {name!r}{nearest(name, clause.numbers)}")
    return clause


def _check_named_clauses(policy: Policy) -> None:
    """Raise RecipeError for a clause that does not stand with one that there is not, or offers something after refusals that never come."""
    names = [clause.name for clause in policy.clauses if clause.name]
    for clause in policy.clauses:
        for name in clause.not_with:
            if name not in names:
                raise RecipeError(f"{clause.where}: not_with: no clause has the name {name!r}{nearest(name, names)}")
        if isinstance(clause, clauses.Instead):
            _check_offer(clause, policy)


def _check_offer(clause: clauses.Instead, policy: Policy) -> None:
    """Raise RecipeError where something is offered after what refuses no call of its tool."""
    refusing = [
        clause_of_tool
        for clause_of_tool in policy.clauses
        if isinstance(clause_of_tool, clauses.Eligible | clauses.Forbid) and clause_of_tool.tools[0] == clause.instead
    ]
    known = ("eligible", "forbid", *[clause_of_tool.name for clause_of_tool in refusing if clause_of_tool.name])
    what = f"is no clause that refuses {clause.instead} with `eligible` or `forbid`"
    for name in clause.after:
        if name not in known:
            raise RecipeError(f"{clause.where}: after: {name!r} {what}{nearest(name, known)}")
    if not any(map(clause.follows, refusing)):
        kinds = " or ".join([f"`{kind}`" for kind in sorted({"eligible", "forbid"} & {*clause.after})])
        raise RecipeError(f"{clause.where}: instead: no clause with {kinds} refuses {clause.instead}")


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
                f"{policy.where}: serves: no loaded tool is of {unserved[0]!r}{nearest(unserved[0], domains)}"
            )
        named = [(policy.where, tool) for group in policy.either for tool in group]
        for where, tool in [*named, *[(clause.where, tool) for clause in policy.clauses for tool in clause.tools]]:
            if tool not in toolbox:
                raise RecipeError(f"{where}: there is no tool {tool!r}{nearest(tool, toolbox)}")
        for clause in policy.clauses:
            for fault in (*_unknown_names(clause, toolbox), *_misuses(clause, toolbox), *_missing_keys(clause)):
                raise RecipeError(f"{clause.where}: {clause.kind}: {fault}")


def _unknown_names(clause: clauses.Clause, toolbox: Toolbox) -> Iterator[str]:
    """Yield the arguments and fields that a clause names and that its tools do not have."""
    for tool, name, known, has_no in _names(clause, toolbox):
        if name not in known:
            yield f"{tool} {has_no} {name!r}{nearest(name, known)}"


def _names(clause: clauses.Clause, toolbox: Toolbox) -> Iterator[tuple[str, str, Collection[str], str]]:
    """Yield a tool, a name, the names that the tool knows, and what is said of one that it does not know."""
    tool = clause.tools[0] if clause.tools else ""
    for slot in _slots(clause):
        yield tool, slot, toolbox[tool].properties, "has no argument"
    match clause:
        case clauses.Order(order=(first, then)):
            yield from [(then, name, toolbox[then].properties, "has no argument") for name in toolbox[first].required]
        case clauses.Tell():
            yield from [(tool, field, _fields(toolbox[tool].returns), "returns no") for field in clause.fields]
        case clauses.Whose():
            is_there = schema_at(toolbox[tool].tool.parameters, clause.slot) is not None
            yield tool, clause.slot, [clause.slot] if is_there else [], "has no argument"
            yield clause.by, clause.same, _fields(toolbox[clause.by].returns), "returns no"
        case clauses.Hide():
            things = schema_at(toolbox[tool].returns or {}, place_of_things(toolbox[tool]))
            yield tool, clause.field, _fields(things), "finds no"


def _slots(clause: clauses.Clause) -> Collection[str]:
    """Return the arguments of its first tool that a clause names."""
    match clause:
        case clauses.Forbid():
            return clause.args
        case clauses.Identity():
            return (clause.by,)
        case clauses.Ask() | clauses.Amount():
            return (clause.slot,)
    return ()


def _fields(schema: Any) -> Collection[str]:
    """Return the properties of a result's schema."""
    found: Collection[str] = (schema or {}).get("properties", {})
    return found


def _misuses(clause: clauses.Clause, toolbox: Toolbox) -> Iterator[str]:
    """Yield what a clause of its kind cannot ask of its tools."""
    match clause:
        case clauses.Ask() | clauses.Amount():
            if clause.slot in toolbox[clause.tools[0]].required:
                yield "the argument is required, so it is asked for without a clause"
        case clauses.Order(order=(first, _)):
            if not toolbox[first].looks_up:
                yield f"{first} changes something; a look-up of the same thing comes before a call"
        case clauses.Confirm():
            yield from [f"{tool} changes nothing" for tool in clause.says if toolbox[tool].looks_up]


def _missing_keys(clause: clauses.Clause) -> Iterator[str]:
    """Yield which keys of a clause want others beside them, or none of them."""
    match clause:
        case clauses.Transfer():
            if bool(clause.of) == bool(clause.on):
                yield "it needs either `of`, a tool whose call is not made, or `on`, what a user says"
            elif clause.times != 1 and not clause.first:
                yield "`times` needs `first`, what is said before that"
        case clauses.Identity():
            if not bool(clause.tries) == bool(clause.transfer) == bool(clause.says):
                yield "`tries`, `transfer` and `says` go together"
