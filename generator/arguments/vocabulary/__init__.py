"""The words, names, places and texts that values are made of, and what a property's name says about its values."""
