"""What tools can do together: chains, goals, joins, comparisons, what undoes or unblocks what. Found once for a recipe (`toolkit.py`)."""

from generator.scenarios.affordances.toolkit import Toolkit, compile_toolkit

__all__ = ["Toolkit", "compile_toolkit"]
