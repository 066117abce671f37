"""Stories as data: what somebody wants one thing after the other, how they say it, and on what it depends."""

from generator.stories.derived import derive_stories
from generator.stories.forms import with_forms
from generator.stories.goals import Goal, Source, Story, Want
from generator.stories.read import check_stories, read_stories

__all__ = ["Goal", "Source", "Story", "Want", "check_stories", "derive_stories", "read_stories", "with_forms"]
