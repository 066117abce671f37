"""What became of a writer's texts, as a page to look at and as decisions to keep."""
