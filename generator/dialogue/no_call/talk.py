"""The texts of conversations that need no call: what declines, and what is said beside calls.

Plain data, in `talk.yaml`: the wording draws from it, and the proof holds a message against it.
"""

import re
from collections.abc import Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

from generator.core.connectives import CONNECTIVES
from generator.core.toolbox import ToolSpec
from generator.core.yaml_values import own_data
from generator.dialogue.no_call.abilities import ability_of, can_of, is_sister

MOST_MENTIONED = 3
"""The most tools that a decline mentions, or an answer that names some of those on offer."""


@cache
def talk() -> dict[str, Any]:
    """Return the lists of `talk.yaml`."""
    return dict(own_data(__file__))


def as_list_in_words(phrases: Sequence[str], link: str = "and") -> str:
    """Return phrases as a list in a sentence: "a, b and c"."""
    if len(phrases) < 2:
        return "".join(phrases)
    return f"{', '.join(phrases[:-1])} {link} {phrases[-1]}"


def declines(
    wished: ToolSpec, instead: Sequence[ToolSpec], *, are_all: bool, is_withheld: bool = False
) -> Iterator[str]:
    """Yield all texts that decline what a tool does, and mention what others do.

    Args:
        wished: What is asked for.
        instead: Tools on offer that are mentioned, in this order.
        are_all: Whether nothing else is on offer.
        is_withheld: Whether the tool that could do it is declared, and cannot be used yet.
    """
    link = CONNECTIVES.link
    for template in decline_templates(wished, instead, are_all=are_all, is_withheld=is_withheld):
        for do, *cans in product(can_of(wished), *map(can_of, instead)):
            yield declined(template, do, as_list_in_words(cans, link))


def declined(template: str, do: str, can: str) -> str:
    """Return a text that declines `do` and mentions what one `can` do; `{Do}` and `{Can}` begin sentences."""
    return template.format(do=do, can=can, Do=do[:1].upper() + do[1:], Can=can[:1].upper() + can[1:])


def decline_templates(
    wished: ToolSpec, instead: Sequence[ToolSpec], *, are_all: bool, is_withheld: bool = False
) -> tuple[str, ...]:
    """Return the texts to decline with: what fits the tools that are mentioned, or a tool that cannot be used yet."""
    texts = talk()
    if is_withheld:
        return tuple(texts["declining_withheld"])
    if not instead:
        return tuple(texts["declining"])
    templates: tuple[str, ...] = tuple(texts["declining_only"]) if are_all else ()
    if len(instead) == 1 and is_sister(instead[0], wished):
        templates += tuple(texts["declining_but"])
        if ability_of(instead[0]).changes is False:
            templates += tuple(texts["declining_instead"])
    return templates


def texts_beside_calls(called: Sequence[ToolSpec]) -> tuple[str, ...]:
    """Return what may be said beside calls of these tools, the first that a message of the user leads to."""
    kind = "looking_up" if all(spec.looks_up for spec in called) else "acting"
    return tuple(talk()["beside"][f"{kind}_several" if len(called) > 1 else kind])


def begins_alike(answer: str) -> bool:
    """Whether an answer begins with words such as "Here's what I found:", which say as much as what is said beside calls."""
    return answer.startswith(tuple(talk()["beside"]["begun"]))


def says_of_tool(kind: str, content: str, tool: str) -> bool:
    """Whether a system message says that a tool is `withheld` or `available`."""
    return tool in content and any(_stands_in(text.format(tool=tool), content) for text in talk()[kind])


def _stands_in(sentence: str, content: str) -> bool:
    return re.search(rf"(?<![\w-]){re.escape(sentence)}(?!\w)", content) is not None
