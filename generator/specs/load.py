"""Read the tools of a recipe into a toolbox: all of them, or one error that says what is wrong."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import msgspec

from generator.errors import RecipeError, SpecError
from generator.profiles import Profile
from generator.recipe import ToolFile
from generator.specs.check import check_links
from generator.specs.found import Verdict
from generator.specs.read import read_tools
from generator.toolbox import Toolbox

_MOST_TOLD = 20


def load_toolbox(sources: Iterable[Path | ToolFile], *, profile: Profile | None = None, seed: int = 0) -> Toolbox:
    """All tools of the sources, in order.

    Raises:
        SpecError: with `file:line: path: what, expected what` for the first source that has faults.
        RecipeError: for a name under `only` or `without` that no tool has.
    """
    toolbox: Toolbox = {}
    for at, source in enumerate(sources):
        source = ToolFile(file=source) if isinstance(source, Path) else source
        try:
            verdicts = read_tools(source, profile, seed)
        except RecipeError as fault:
            raise RecipeError(str(fault), ("tools", at)) from None
        refused = [verdict for verdict in verdicts if verdict.spec is None]
        if refused:
            raise refused[0].error(_told(refused))
        for verdict in verdicts:
            spec = verdict.spec
            assert spec is not None
            if spec.name in toolbox:
                raise SpecError(f"{spec.where}: the tool {spec.name!r} is also in {toolbox[spec.name].where}")
            toolbox[spec.name] = spec
    for spec in toolbox.values():
        check_links(spec, toolbox)
    return toolbox


def digest_of_tools(source: ToolFile) -> str:
    """A name for what a source holds that is no file: the tools as they are read from it."""
    specs = [verdict.spec for verdict in read_tools(source)]
    return sha256(msgspec.json.encode(specs)).hexdigest()


def _told(refused: list[Verdict]) -> str:
    lines = [_placed(verdict, reason) for verdict in refused for reason in verdict.reasons]
    more = [f"… and {len(lines) - _MOST_TOLD} more"] if len(lines) > _MOST_TOLD else []
    return "\n".join([*lines[:_MOST_TOLD], *more])


def _placed(verdict: Verdict, reason: str) -> str:
    """The reason with its place, which faults in our own language tell themselves."""
    file = verdict.where.rpartition(":")[0]
    return reason if reason.startswith(f"{file}:") else f"{verdict.where}: {verdict.name}: {reason}"
