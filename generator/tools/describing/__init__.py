"""What can be told of a tool that nobody wrote phrases for: its words, values and results, derived without a model.

Start reading at derive.py. What is known of words stands in data/*.yaml; it is chosen by the field that a server works
in, so that a branch is a line of work for one server and a shop for another.
"""

from generator.tools.describing.derive import Derivation, Derived, derive

__all__ = ["Derivation", "Derived", "derive"]
