"""What is loaded and decided before the first row: tools as a recipe wants them, splits and texts."""
