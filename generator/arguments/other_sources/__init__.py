"""Argument values that are not sampled from the schema: Hypothesis, files, Faker, a model, and faults made on purpose."""
