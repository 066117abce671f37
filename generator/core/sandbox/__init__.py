"""One sandbox for foreign code: Python modules, strategies, parsers and programs run here, with limits, and end with it."""
