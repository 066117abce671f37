"""Kinds of values that people know (city, email, quantity): their names, and the sources of their values."""
