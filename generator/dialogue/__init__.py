"""Dialogue: what this room holds."""
