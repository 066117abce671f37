"""The grammar of the text between said values: it must be made of the called tools' phrases."""
