"""Read policy files: every fault is told with file, line and the nearest name."""

import re
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import Any

import msgspec

from generator.core.declared import read
from generator.core.documents import Document, Place, nearest, read_document
from generator.core.errors import RecipeError
from generator.core.pointers import schema_at
from generator.core.toolbox import Toolbox
from generator.scenarios.policies.clauses import (
    KINDS,
    Amount,
    Ask,
    Clause,
    Confirm,
    Eligible,
    Forbid,
    Hide,
    Identity,
    Instead,
    Order,
    Tell,
    Transfer,
    Whose,
    with_test,
)
from generator.scenarios.policies.sentences import place_of_things
from generator.scenarios.policies.stated import Policy, fill, fillings

_BRACES = re.compile(r"\{([^{}]*)\}")


def read_policies(files: Iterable[Path]) -> tuple[Policy, ...]:
    """Return the policies of some files; raises RecipeError with `file:line: path: what is wrong`."""
    found: list[Policy] = []
    for file in files:
        document = read_document(file, RecipeError)
        model = read(Policy, document, document.value, (), RecipeError)
        clauses = tuple([_clause(entry, document, ("clauses", at)) for at, entry in enumerate(model.clauses)])
        policy = msgspec.structs.replace(model, clauses=clauses, where=document.where())
        _check_company(policy)
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
    for key in ("most", "times", "tries"):
        named = getattr(clause, key, 0)
        if isinstance(named, str) and named not in clause.numbers:
            raise RecipeError(
                f"{document.at(place)}: {key}: there is no number {named!r}{nearest(named, clause.numbers)}"
            )
    for text in clause.text:
        for name in _BRACES.findall(text):
            if name not in clause.numbers:
                raise RecipeError(
                    f"{document.at(place)}: text: there is no number {name!r}{nearest(name, clause.numbers)}"
                )
    return clause


def _check_company(policy: Policy) -> None:
    """Raise RecipeError for a clause that does not stand with one that there is not, or offers something after refusals that never come."""
    names = [clause.name for clause in policy.clauses if clause.name]
    for clause in policy.clauses:
        for name in clause.not_with:
            if name not in names:
                raise RecipeError(f"{clause.where}: not_with: no clause has the name {name!r}{nearest(name, names)}")
        if isinstance(clause, Instead):
            _check_offer(clause, policy)


def _check_offer(clause: Instead, policy: Policy) -> None:
    """Raise RecipeError where something is offered after what refuses no call of its tool."""
    refusing = [one for one in policy.clauses if isinstance(one, Eligible | Forbid) and one.tools[0] == clause.instead]
    known = ("eligible", "forbid", *[one.name for one in refusing if one.name])
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
            _check_arguments(clause, toolbox)


def _check_arguments(clause: Clause, toolbox: Toolbox) -> None:
    """Raise RecipeError for arguments that a clause's tool does not have, and for what its kind cannot ask."""
    slots = [clause.slot] if isinstance(clause, Ask | Amount) else [clause.by] if isinstance(clause, Identity) else []
    for slot in [*getattr(clause, "args", {}), *slots]:
        _check_name(clause, slot, toolbox[clause.tools[0]].properties, f"{clause.tools[0]} has no argument")
    for kind, check in _CHECKS.items():
        if isinstance(clause, kind):
            fault = check(clause, toolbox)
            if fault:
                raise RecipeError(f"{clause.where}: {clause.kind}: {fault}")


def _check_name(clause: Clause, name: str, known: Collection[str], what: str) -> None:
    if name not in known:
        raise RecipeError(f"{clause.where}: {what} {name!r}{nearest(name, known)}")


def _fault_of_asking(clause: Ask | Amount, toolbox: Toolbox) -> str:
    is_required = clause.slot in toolbox[clause.tools[0]].required
    return "the argument is required, so it is asked for without a clause" if is_required else ""


def _fault_of_order(clause: Order, toolbox: Toolbox) -> str:
    first, then = clause.order
    missing = [name for name in toolbox[first].required if name not in toolbox[then].properties]
    if missing:
        return f"{then} has no argument {missing[0]!r}; a look-up of the same thing comes before a call"
    return "" if toolbox[first].looks_up else f"{first} changes something"


def _fault_of_telling(clause: Tell, toolbox: Toolbox) -> str:
    known = (toolbox[clause.tell].returns or {}).get("properties", {})
    missing = [field for field in clause.fields if field not in known]
    return f"{clause.tell} returns no {missing[0]!r}{nearest(missing[0], known)}" if missing else ""


def _fault_of_proposing(clause: Confirm, toolbox: Toolbox) -> str:
    reading = [tool for tool in clause.says if toolbox[tool].looks_up]
    return f"{reading[0]} changes nothing" if reading else ""


def _fault_of_handing_over(clause: Transfer, toolbox: Toolbox) -> str:
    if bool(clause.of) == bool(clause.on):
        return "it needs either `of`, a tool whose call is not made, or `on`, what a user says"
    return "" if clause.times == 1 or clause.first else "`times` needs `first`, what is said before that"


def _fault_of_identity(clause: Identity, toolbox: Toolbox) -> str:
    wanted = bool(clause.tries)
    return "" if wanted == bool(clause.transfer) == bool(clause.says) else "`tries`, `transfer` and `says` go together"


def _fault_of_owner(clause: Whose, toolbox: Toolbox) -> str:
    spec, known = toolbox[clause.tools[0]], (toolbox[clause.by].returns or {}).get("properties", {})
    if schema_at(spec.tool.parameters, clause.slot) is None:
        return f"{spec.name} has no argument {clause.slot!r}"
    return "" if clause.same in known else f"{clause.by} returns no {clause.same!r}{nearest(clause.same, known)}"


def _fault_of_hiding(clause: Hide, toolbox: Toolbox) -> str:
    spec = toolbox[clause.hide]
    known = (schema_at(spec.returns or {}, place_of_things(spec)) or {}).get("properties", {})
    return "" if clause.field in known else f"{clause.hide} finds no {clause.field!r}{nearest(clause.field, known)}"


_CHECKS: dict[type[Clause], Callable[[Any, Toolbox], str]] = {
    Ask: _fault_of_asking,
    Order: _fault_of_order,
    Tell: _fault_of_telling,
    Confirm: _fault_of_proposing,
    Amount: _fault_of_asking,
    Transfer: _fault_of_handing_over,
    Identity: _fault_of_identity,
    Whose: _fault_of_owner,
    Hide: _fault_of_hiding,
}
"""What is wrong with a clause of a kind, given the tools; empty for nothing."""
