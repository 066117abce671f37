"""The default source: nodes compiled once into functions that draw plausible values."""
