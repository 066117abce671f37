"""Which tools a row offers beside those it calls: the ones that could be mistaken for them come first."""

import re

from generator.core.toolbox import Toolbox, ToolSpec


class LookAlikes(dict[str, tuple[str, ...]]):
    """The other tools of each tool, those that share most words of name, parameters and description first.

    They are looked for when a tool is first called: with a hundred tools, comparing all of them takes a while.
    """

    def __init__(self, toolbox: Toolbox) -> None:
        self._toolbox = toolbox
        self._words = {name: _words(spec) for name, spec in toolbox.items()}
        self._weights = {name: sum(words.values()) for name, words in self._words.items()}

    def __missing__(self, called: str) -> tuple[str, ...]:
        domain, own, weight = self._toolbox[called].domain, self._words[called], self._weights[called]
        scores = {}
        for name, other in self._toolbox.items():
            words = self._words[name]
            shared = sum([min(own[word], words[word]) for word in own if word in words])
            either = weight + self._weights[name] - shared
            scores[name] = (shared / either if either else 0.0) + (0.3 if other.domain == domain else 0.0)
        del scores[called]
        found = self[called] = tuple(sorted(scores, key=lambda name: -scores[name]))
        return found


def _words(spec: ToolSpec) -> dict[str, float]:
    weights: dict[str, float] = {}
    properties = " ".join(spec.properties)
    for text, weight in ((spec.name, 3.0), (properties, 1.0), (spec.tool.description or "", 0.5)):
        for word in re.findall(r"[a-z]{3,}", text.lower().replace("_", " ")):
            weights[word] = max(weight, weights.get(word, 0.0))
    return weights
