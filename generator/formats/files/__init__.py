"""Files: what this room holds."""
