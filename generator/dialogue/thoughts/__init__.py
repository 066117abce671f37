"""What the assistant thinks before it calls or answers, made from the row's proof."""

from generator.dialogue.thoughts.thinking import think
from generator.dialogue.thoughts.told import Because

__all__ = ["Because", "think"]
