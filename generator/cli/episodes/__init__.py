"""`episodes` and its commands."""
