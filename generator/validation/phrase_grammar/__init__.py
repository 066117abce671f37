"""The text between the said values: it must be made of the called tools' phrases."""
