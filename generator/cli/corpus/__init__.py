"""`corpus` and its commands."""
