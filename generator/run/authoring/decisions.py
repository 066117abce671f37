"""What people decide about single phrases and values: a small YAML file that the next authoring honours.

decisions:
  - {tool: get_job, piece: phrases.request, text: "pull up job {job_id}", do: accept}
  - {tool: get_job, piece: phrases.request, text: "delete job {job_id}", do: reject}
  - {tool: get_job, piece: phrases.answer, text: "Job {job} is done.", do: edit, to: "Job {title} is {status}."}
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import msgspec

from generator.core.declared import read
from generator.core.documents import read_document
from generator.core.errors import SpecError
from generator.run.authoring.elements import Element, Identity

Do = Literal["accept", "reject", "edit"]


class _WrittenDecision(msgspec.Struct, frozen=True, kw_only=True):
    tool: str
    piece: str
    text: str
    do: Do
    to: str | None = None

    def __post_init__(self) -> None:
        """Raise ValueError for a new text where none is wanted, and the other way round."""
        if (self.do == "edit") != (self.to is not None):
            raise ValueError("`to` is the new text of `edit`, and of nothing else")


class _WrittenDecisions(msgspec.Struct, frozen=True, kw_only=True):
    decisions: tuple[_WrittenDecision, ...] = ()


class Decision(msgspec.Struct, frozen=True, kw_only=True):
    """What somebody decided about one text."""

    do: Do
    to: str = ""


Decisions = dict[tuple[str, str, str], Decision]
"""By tool, piece and text."""


def read_decisions(path: Path) -> Decisions:
    """Return what a file says; nothing where there is none.

    Raises:
        SpecError: with file, line and path of what is wrong with it.
    """
    if not path.is_file():
        return {}
    document = read_document(path, SpecError)
    model = read(_WrittenDecisions, document, document.value or {}, (), SpecError)
    return {(one.tool, one.piece, one.text): Decision(do=one.do, to=one.to or "") for one in model.decisions}


def decided(
    tool: str, elements: Sequence[Element], decisions: Decisions
) -> tuple[list[Element], set[Identity], list[tuple[Element, str]]]:
    """Return the elements as people want them, those among them that are accepted, and those that they reject."""
    kept, accepted, rejected = list[Element](), set[Identity](), list[tuple[Element, str]]()
    for element in elements:
        decision = decisions.get((tool, *element.identity))
        if decision is None:
            kept.append(element)
        elif decision.do == "reject":
            rejected.append((element, "somebody rejected it"))
        else:
            one = element if decision.do == "accept" else _edited(element, decision.to)
            kept.append(one)
            accepted.add(one.identity)
    return kept, accepted, rejected


def _edited(element: Element, text: str) -> Element:
    value = {**element.value, "say": text} if isinstance(element.value, dict) and "say" in element.value else text
    return Element(element.piece, element.at, value)
