"""One room for foreign code: Python modules, parsers, programs and servers run here, with limits, and end with it."""
