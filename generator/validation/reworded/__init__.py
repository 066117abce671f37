"""Checks of texts that a model has reworded."""
