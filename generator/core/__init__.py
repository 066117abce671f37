"""Core: what this room holds."""
