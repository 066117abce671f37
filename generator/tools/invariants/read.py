"""Read the invariants beside tool specs: the files of a folder `invariants` in the folder of a spec file hold for its tools."""

from collections.abc import Iterable
from functools import cache
from pathlib import Path
from typing import Any

import msgspec

from generator.core.declared import read
from generator.core.documents import Place, nearest, read_document
from generator.core.entities import Table
from generator.core.errors import SpecError
from generator.core.files.shipped import shipped
from generator.tools.invariants.forms import FORMS, Agree, Changed, Free, Last
from generator.tools.specs.tables import read_tables
from generator.world.expressions import Expression, compile_expression

FOLDER = "invariants"


class InvariantsFile(msgspec.Struct, frozen=True, kw_only=True):
    """A file of invariants: entries of `FORMS`, the tables that their expressions read, and which tools only look things up."""

    invariants: tuple[dict[str, Any], ...]
    tables: dict[str, str] = {}
    look_ups: tuple[str, ...] = ()
    """First words of the names of tools that change nothing."""


class Relation(msgspec.Struct, frozen=True):
    """An expression that must be true, ready to be tried."""

    text: str
    holds: Expression
    reads: frozenset[str]
    """The fields that it reads."""
    asks: frozenset[str]
    """The arguments that it reads."""
    tool: str = ""


class Invariants(msgspec.Struct, frozen=True, kw_only=True):
    """All invariants of some files, by what they are about."""

    free: tuple[Free, ...] = ()
    agree: tuple[tuple[Agree, Relation | None], ...] = ()
    last: tuple[Last, ...] = ()
    of: dict[str, tuple[Relation, ...]] = {}
    """By the key of the thing."""
    each: dict[str, tuple[Relation, ...]] = {}
    """By the field that the objects have."""
    changed: dict[str, tuple[Changed, ...]] = {}
    """By tool."""
    asked: dict[str, tuple[str, ...]] = {}
    """Field → arguments on which it depends."""
    gone: frozenset[str] = frozenset()
    """Tools after which the thing that they tell of is nowhere listed."""
    look_ups: frozenset[str] = frozenset()
    """First words of the names of tools that change nothing."""
    tools: dict[str, frozenset[str]] = {}
    """Form → the tools whose lists it is about."""

    def __bool__(self) -> bool:
        """Whether there are any: nothing is compared without."""
        return bool(self.free or self.agree or self.last or self.of or self.each)


def invariants_beside(specs: Iterable[Path | None]) -> list[Path]:
    """Return the files of invariants beside some spec files, each once."""
    folders = dict.fromkeys(spec.parent / FOLDER for spec in specs if spec is not None)
    return [file for folder in folders for file in sorted(folder.glob("*.yaml"))]


def read_invariants(files: Iterable[Path]) -> Invariants:
    """Return the invariants of some files.

    Raises:
        SpecError: with `file:line: path: what is wrong`.
    """
    entries = _Entries()
    for file in files:
        entries.add(file)
    return entries.compiled()


@cache
def shipped_invariants() -> Invariants:
    """Return the invariants of the tools that come with the program."""
    return read_invariants(sorted((shipped("tool_specs") / FOLDER).glob("*.yaml")))


class _Entries:
    """The entries of some files, by form."""

    def __init__(self) -> None:
        self.forms: dict[str, list[tuple[Any, Any]]] = {word: [] for word in FORMS}
        self.look_ups: set[str] = set()

    def add(self, file: Path) -> None:
        """Read a file."""
        document = read_document(file, SpecError)
        model = read(InvariantsFile, document, document.value, (), SpecError)
        tables = read_tables(dict(model.tables), document)
        self.look_ups.update(model.look_ups)
        for at, entry in enumerate(model.invariants):
            place: Place = ("invariants", at)
            word = next((word for word in FORMS if word in entry), None)
            if word is None:
                hint = "".join(nearest(str(key), FORMS) for key in list(entry)[:1])
                raise SpecError(f"{document.at(place)}: an invariant begins with one of {', '.join(FORMS)}{hint}")
            one = read(FORMS[word], document, entry, place, SpecError)
            text = getattr(one, "that", "") or getattr(one, "where", "")
            relation = _relation(text, tables, document.at(place), getattr(one, "tool", "")) if text else None
            self.forms[word].append((one, relation))

    def compiled(self) -> Invariants:
        """Return them by what they are about."""
        forms = self.forms
        changed = [(tool, one) for one, _ in forms["changed"] for tool in one.by]
        return Invariants(
            free=tuple([one for one, _ in forms["free"]]),
            agree=tuple(forms["agree"]),
            last=tuple([one for one, _ in forms["last"]]),
            of=_grouped((one.of, relation) for one, relation in forms["of"]),
            each=_grouped((one.each, relation) for one, relation in forms["each"]),
            changed=_grouped(changed),
            gone=frozenset(tool for one, _ in forms["gone"] for tool in one.gone),
            asked={one.asked: one.by for one, _ in forms["asked"]},
            look_ups=frozenset(self.look_ups),
            tools={
                "free": frozenset(one.free.partition("#")[0] for one, _ in forms["free"]),
                "agree": frozenset(one.counts.partition("#")[0] for one, _ in forms["agree"]),
                "last": frozenset(one.last.partition("#")[0] for one, _ in forms["last"]),
            },
        )


def _grouped(pairs: Iterable[tuple[str, Any]]) -> dict[str, tuple[Any, ...]]:
    found: dict[str, tuple[Any, ...]] = {}
    for name, one in pairs:
        found[name] = (*found.get(name, ()), one)
    return found


def _relation(text: str, tables: dict[str, Table], where: str, tool: str) -> Relation:
    try:
        expression, reads = compile_expression(text, tables)
    except ValueError as wrong:
        raise SpecError(f"{where}: {text!r}: {wrong}") from None
    return Relation(text, expression, reads.properties, reads.arguments, tool)
