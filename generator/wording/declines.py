"""What the assistant says when nothing on offer can do what the user asks for."""

from collections.abc import Sequence

from generator.conversation import Tool
from generator.no_call.abilities import can_of
from generator.no_call.talk import as_list_in_words, decline_templates
from generator.seeds import Draw
from generator.toolbox import ToolSpec


def word_decline(wished: ToolSpec, instead: Sequence[ToolSpec], offered: Sequence[Tool], draw: Draw) -> str:
    """Return a text that declines what one tool does and mentions what others do."""
    is_withheld = any(tool.name == wished.name for tool in offered)
    are_all = len(instead) == len(offered)
    template = draw.choice(decline_templates(wished, instead, are_all=are_all, is_withheld=is_withheld))
    do, *cans = [draw.choice(can_of(spec)) for spec in (wished, *instead)]
    return template.format(do=do, can=as_list_in_words(cans))
