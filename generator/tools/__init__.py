"""Tools: what this room holds."""
