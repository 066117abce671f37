"""In which order the rows of a block are made: those that call the same tools one after the other.

No row depends on it, and the lines of a block stand in the order of the rows. But what a tool needs (its phrases,
makers and checks) is still in the processor's caches when the next row calls it too; made as they come, rows of a
hundred tools take about a sixth longer. To know the tools, rows are begun; what has been begun is gone on with later.
"""

from generator.run.row import Begun, Workshop, begin
from generator.seeds import Draw


def alike(workshop: Workshop, rows: range) -> list[Begun]:
    """The rows, begun, those that will call the same tools side by side; as they come where each aims at something.

    The order is a good guess only, because a row may be tried again. All of them must be finished before others are begun.
    """
    draws = workshop.draws
    draws += [Draw(0, workshop.recipe.today[0]) for _ in range(len(rows) - len(draws))]
    begun = [begin(workshop, index, draw=draw) for index, draw in zip(rows, draws, strict=False)]
    if workshop.aims is None:  # what rows aim at is worked out round by round
        begun.sort(key=_tools)
    return begun


def _tools(begun: Begun) -> list[str]:
    """The tools that a row will call."""
    if begun.plan is None:
        return []
    tools = [call.tool for turn in begun.plan.turns for step in turn.steps for call in step.calls]
    tools.sort()
    return tools
