"""Synthetic tool-use data sets: planned, proven, validated, and written in many formats."""

__version__ = "0.1.0"
