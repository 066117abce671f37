"""What tools can do together (`toolkit.py`): links between them (`links.py`), and goals that several of them serve (`goals.py`)."""

from generator.scenarios.affordances.toolkit import Toolkit

__all__ = ["Toolkit"]
