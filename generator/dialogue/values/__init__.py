"""Values: what this room holds."""
