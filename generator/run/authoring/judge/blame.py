"""The phrases that a judge of rows blames for what is wrong with them."""

from collections.abc import Mapping, Sequence

from generator.run.authoring.elements import Element
from generator.run.authoring.judge.judging import Verdict

_NEEDED = ("request", "answer")
"""Phrases of which a tool needs one."""


def blamed_elements(
    verdicts: Sequence[Verdict], said: Mapping[str, Sequence[Element]], *, is_all_said: bool
) -> list[tuple[str, Element, str]]:
    """Return (tool, element, why) triples of what is blamed, as far as the tool can do without it.

    Args:
        verdicts: The judge's.
        said: What is usable of each tool.
        is_all_said: Whether nothing else is known of the tools, so that the last request and the last answer stay.
    """
    found: dict[Element, tuple[str, Element, str]] = {}
    for verdict in verdicts:
        why = f"a judge blames it for a row that is not {', not '.join(verdict.faults)}: {verdict.why}"
        for tool, text in verdict.blamed if verdict.faults else ():
            for element in said.get(tool, ()):
                if element.piece[0] != "phrases" or element.text != text or element in found:
                    continue
                beside = [one for one in said[tool] if one.piece == element.piece and one not in found]
                if len(beside) > 1 or not is_all_said or element.piece[1] not in _NEEDED:
                    found[element] = (tool, element, why)
    return [*found.values()]
