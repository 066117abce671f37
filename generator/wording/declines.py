"""What the assistant says when nothing on offer can do what the user asks for."""

from collections.abc import Sequence

from generator.abilities import can_of
from generator.seeds import Draw
from generator.talk import decline_templates, listed
from generator.toolbox import ToolSpec


def word_decline(wished: ToolSpec, instead: Sequence[ToolSpec], offered: int, draw: Draw) -> str:
    """A text that declines what a tool does and mentions what others do; `offered` counts the tools on offer."""
    template = draw.choice(decline_templates(wished, instead, are_all=len(instead) == offered))
    do, *cans = [draw.choice(can_of(spec)) for spec in (wished, *instead)]
    return template.format(do=do, can=listed(cans))
