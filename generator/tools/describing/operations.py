"""What the address of an HTTP operation tells: a name, where the document gives none, and what its parameters identify."""

import re
from itertools import pairwise

from generator.core.toolbox import ToolOrigin, name_as_words
from generator.tools.describing.lexicon import singular_of, verbs

_VERBS = {"get": "get", "post": "create", "put": "update", "patch": "update", "delete": "delete"}
_PARAMETER = re.compile(r"\{[^{}]*\}")
_PLACELESS = re.compile(r"api|rest|v\d+(?:\.\d+)?")


def name_of_operation(origin: ToolOrigin) -> tuple[str, ...]:
    """Return the words of a name for an operation that has none but its address; empty for all others.

    `GET /api/sessions` is "list sessions", `DELETE /api/sessions/{session}` "delete session", `POST /api/kernels/{id}/restart`
    "restart kernel".
    """
    method, path = str(origin.http.get("method", "")).lower(), str(origin.http.get("path", ""))
    if not path or name_as_words(origin.name) != name_as_words(f"{method} {path}"):
        return ()
    steps = [step for step in path.split("/") if step and not _PLACELESS.fullmatch(step)]
    plain = [step for step in steps if not _PARAMETER.search(step)]
    if not plain:
        return ()
    noun, is_one = name_as_words(plain[-1]).split(), bool(_PARAMETER.search(steps[-1]))
    if not is_one and len(noun) == 1 and noun[0] in verbs() and len(steps) > 1:
        about = name_as_words(plain[-2]).split() if len(plain) > 1 else []
        return (noun[0], *about[:-1], singular_of(about[-1])) if about else (noun[0],)
    if is_one or method != "get":
        noun = [*noun[:-1], singular_of(noun[-1])]
    verb = "list" if method == "get" and not is_one else _VERBS.get(method, "run")
    return (verb, *noun)


def place_in_path(origin: ToolOrigin, slot: str) -> str:
    """Return the noun of what a parameter of an address identifies: `/sessions/{session}` names a session."""
    place = origin.http.get("arguments", {}).get(slot, {})
    if place.get("in") != "path":
        return ""
    steps = [step for step in str(origin.http.get("path", "")).split("/") if step]
    for before, step in pairwise(steps):
        if step == "{" + str(place.get("name")) + "}" and not _PARAMETER.search(before):
            noun = name_as_words(before).split()
            return " ".join([*noun[:-1], singular_of(noun[-1])]) if noun else ""
    return ""
