"""Stories as data: what somebody wants one thing after the other, how they say it, and on what it depends."""

from generator.scenarios.goals.goals import Goal, Source, Story, Want, with_forms
from generator.scenarios.goals.read import check_stories, read_stories

__all__ = ["Goal", "Source", "Story", "Want", "check_stories", "read_stories", "with_forms"]
