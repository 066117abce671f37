"""Formats whose records are JSON conversations that trainers and APIs read."""
