"""story: one goal after the other, as a file of stories has them; what happens follows from the world and the policy's clauses."""

from collections.abc import Collection

from generator.core.errors import CannotFillError
from generator.core.planning import Chat
from generator.scenarios.affordances import Toolkit
from generator.scenarios.goals import Goal, Story
from generator.scenarios.goals.goals import NOT_YET
from generator.scenarios.goals.read import names_of
from generator.scenarios.patterns import Pattern
from generator.scenarios.policies import Policy
from generator.scenarios.scenario import Events, Scenario
from generator.scenarios.scene import Scene
from generator.scenarios.stories.course import Course
from generator.scenarios.stories.drafting import drafts_of
from generator.scenarios.stories.pursuing import desk_of, pursue
from generator.scenarios.telling import exchange

_THANKS = 0.15
"""How often the user says thanks in the end."""
_CALLS = 3
"""The least number of calls."""


def able(toolkit: Toolkit) -> tuple[Story, ...]:
    """Return the stories whose tools are loaded."""
    return tuple([story for story in toolkit.stories if story.tools <= toolkit.toolbox.keys()])


def _tools(toolkit: Toolkit) -> Collection[str]:
    return frozenset().union(*[story.tools for story in able(toolkit)])


def policies_of(toolkit: Toolkit) -> tuple[Policy | None, ...]:
    """Return for each story the policies that it can be told under; None for one that no policy serves."""
    found: list[Policy | None] = []
    for story in able(toolkit):
        fitting = [policy for policy in toolkit.policies if _is_under(story, policy, toolkit)]
        found += fitting or [None]
    return tuple(found)


def _is_under(story: Story, policy: Policy | None, toolkit: Toolkit) -> bool:
    domains = {toolkit.toolbox[tool].domain for tool in story.tools}
    return policy is not None and domains <= {*policy.serves}


def _events(scene: Scene) -> Events:
    toolkit = scene.toolkit
    policy = None if scene.rules is None else scene.rules.policy
    stories = [
        story
        for story in able(toolkit)
        if _is_under(story, policy, toolkit)
        or (policy is None and not any(_is_under(story, one, toolkit) for one in toolkit.policies))
    ]
    story: Story = scene.decide(stories)
    goals = _wanted(scene, story)
    desk = desk_of(scene)
    drafts = drafts_of(scene, goals, story, {} if desk.person is None else desk.person.said)
    course = Course(scene, desk, {}, dict.fromkeys(names_of(story.goals), NOT_YET), [], [])
    turns = 0
    for goal in goals:
        if goal.goal in drafts and course.holds(goal) and not course.desk.is_over:
            turns += 1
            yield from pursue(course, goal, drafts[goal.goal])
    if not course.desk.is_over and scene.draw.chance(_THANKS):
        yield from exchange(Chat(kind="thanks"))
    if turns < story.fewest or sum(len(step.calls) for step in course.steps) < _CALLS:
        raise CannotFillError("too little happens")


def _wanted(scene: Scene, story: Story) -> tuple[Goal, ...]:
    """Return the goals of this row: of those that are not in every row some, with what goes on from them."""
    every, found = {*names_of(story.goals)}, list[Goal]()
    for goal in story.goals:
        before = {*names_of(found), *[want.call for want in goal.every]}
        named = {source.goal for want in goal.every for source in want.sources.values()} | {*filter(None, [goal.again])}
        if scene.draw.chance(goal.share) and not (named & every) - before:
            found.append(goal)
    return tuple(found)


SCENARIO = Scenario(
    "story",
    "one goal after the other, with reasons, and with what changes midway",
    _tools,
    _events,
    (Pattern("(U ((A U)? (C{1+})?)+ A)+"),),
    needs="a story (`stories: [my_stories.yaml]`) whose tools are loaded",
    fails=True,
    governed=policies_of,
)
