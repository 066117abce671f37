"""Which of the tools that were found are used."""

from collections.abc import Iterable, Sequence
from fnmatch import fnmatchcase

from generator.core.documents import nearest
from generator.core.errors import RecipeError, SpecError
from generator.core.seeds import stream_seed
from generator.recipe import ToolFile
from generator.tools.specs.found import FoundTool


def select(found: Sequence[FoundTool], source: ToolFile, seed: int) -> list[FoundTool]:
    """Return the tools that the source's `select`, `only` and `without` leave, in their order.

    `count` takes the tools whose names come first in an order that the seed gives, so that asking for one more keeps
    those there are.

    Raises:
        SpecError: for a pattern or tag that no tool fits, and when there are fewer tools than wanted.
        RecipeError: for a name under `only` or `without` that no tool has, and when nothing is left.
    """
    names = [tool.name for tool in found]
    for name in (*source.only, *source.without):
        if name not in names:
            raise RecipeError(f"{source.title}: there is no tool {name!r} in this file{nearest(name, names)}")
    wanted = source.select
    tests = (
        ("names", (*wanted.names, *wanted.operations), lambda tool: [tool.name]),
        ("tags", wanted.tags, lambda tool: tool.origin.tags),
        ("paths", wanted.paths, lambda tool: [tool.origin.http.get("path", "")]),
        ("methods", wanted.methods, lambda tool: [tool.origin.http.get("method", "")]),
    )
    left = [tool for tool in found if (not source.only or tool.name in source.only) and tool.name not in source.without]
    for key, patterns, read in tests:
        _check_patterns(key, patterns, [word for tool in found for word in read(tool)], source)
        left = [tool for tool in left if not patterns or any(_fits(word, patterns) for word in read(tool))]
    if not left:
        raise RecipeError(f"{source.title}: only, without and select leave none of its tools")
    if wanted.count is None:
        return left
    if wanted.count > len(left):
        raise SpecError(f"{source.title}: select.count: {wanted.count} tools are wanted, but there are {len(left)}")
    ranked = sorted(left, key=lambda tool: stream_seed("select", seed, tool.name))
    chosen = {id(tool) for tool in ranked[: wanted.count]}
    return [tool for tool in left if id(tool) in chosen]


def _fits(word: str, patterns: Iterable[str]) -> bool:
    return any(fnmatchcase(word.lower(), pattern.lower()) for pattern in patterns)


def _check_patterns(key: str, patterns: Sequence[str], words: list[str], source: ToolFile) -> None:
    for pattern in patterns:
        if not any(_fits(word, [pattern]) for word in words):
            known = dict.fromkeys(word for word in words if word)
            told = nearest(pattern, known)
            told = told if len(told) < 200 else ""
            raise SpecError(f"{source.title}: select.{key}: {pattern!r} fits no tool{told}")
