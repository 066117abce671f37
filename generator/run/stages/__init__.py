"""The stages of a row, a file each: its events are run, put in words, checked, and scored."""
