"""Describing tools with a model: requests, checks that fail closed, and what people decide about the rest."""
