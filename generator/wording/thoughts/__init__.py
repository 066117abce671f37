"""What the assistant thinks before it calls or answers, made from the row's proof."""

from generator.wording.thoughts.thinking import think
from generator.wording.thoughts.told import Because

__all__ = ["Because", "think"]
