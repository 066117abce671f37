"""Rows that are documents, made from the files that a recipe names."""
