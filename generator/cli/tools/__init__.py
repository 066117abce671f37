"""`tools` and its commands."""
