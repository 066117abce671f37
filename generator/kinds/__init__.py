"""Kinds of values that people know (city, email, quantity): what asks for each, and all there is to say about it."""
