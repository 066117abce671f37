"""Argument values from other sources than the schema's sampler: Hypothesis, files, Faker, a model."""
