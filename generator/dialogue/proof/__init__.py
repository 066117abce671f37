"""The proof check: every claimed value is read back from the finished conversation."""
