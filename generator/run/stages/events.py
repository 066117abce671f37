"""The events of a row: the scenario's plan, carried out in a world of the row's own."""

from datetime import date

import msgspec

from generator.core.claims import Proof
from generator.core.conversation import Conversation
from generator.core.planning import USUAL, Event, Note
from generator.core.seeds import Draw, stream_seed
from generator.episodes import Opening
from generator.recipe.settings import PairPlace
from generator.run.coverage_targets import scene_of
from generator.run.overlays import drawn_persona
from generator.run.overlays.personas import personas
from generator.run.prepared import PreparedRecipe
from generator.run.stages.attempt import Attempt
from generator.run.stages.conduct import conduct, world_of
from generator.run.stages.offer import choose_system
from generator.scenarios import Scenario, Scene
from generator.scenarios.policies import Rules, draw_rules, spans_of_numbers
from generator.world.outcome import World
from generator.world.state import State, state_of


class RowEvents(msgspec.Struct, frozen=True):
    """What happened in a row, and what a world must be given to answer its calls again."""

    name: str
    """The row's scenario."""
    today: date
    state: State | None
    """The entities as the calls left them; None in a world without any."""
    salt: int
    """What the world's own random streams begin with."""
    scenario: Scenario | None = None
    """None for a row of scripts; then there are neither a scene nor events."""
    scene: Scene | None = None
    events: tuple[Event, ...] = ()
    pair: PairPlace | None = None
    """Where a row of scripts stands in a pair."""

    @property
    def rules(self) -> Rules | None:
        """The clauses that the row's policy states, if it has one."""
        return None if self.scene is None else self.scene.rules

    def world(self, opened: World) -> World:
        """Return an opened world as the row saw it, with the faults that were planned."""
        return opened if self.scenario is None or self.scene is None else world_of(self.scenario, self.scene, opened)

    def opening(self, conversation: Conversation, proof: Proof) -> Opening:
        """Return what the row begins with, given the row in words."""
        state = self.state
        return Opening(
            today=self.today,
            salt=self.salt,
            added=() if state is None else tuple(state.added),
            faults=() if self.scene is None else tuple(self.scene.faults),
            touched=frozenset() if state is None else frozenset(state.touched),
            conversation=conversation,
            proof=proof,
        )


def run_events(prepared: PreparedRecipe, scenario: Scenario, attempt: Attempt, draw: Draw) -> RowEvents:
    """Run the row's events in a world of its own; raises RowError when the values drawn do not fit."""
    salt = stream_seed(prepared.seed, "world", attempt.origin)
    scene = scene_of(prepared, scenario, draw, attempt.origin, attempt.number)
    twin = attempt.twin
    who = None if twin is not None else drawn_persona(prepared.recipe.overlays, prepared.seed, attempt.origin)
    scene = msgspec.structs.replace(scene, short=attempt.short, persona=USUAL if who is None else personas()[who[0]])
    note = choose_system(prepared, draw, draw.today, styled=twin is None)  # the rows of a family share their message
    if scenario.governed:
        scene, note = _governed(prepared, scene, attempt, note)
    if twin is not None:
        scene = twin.scene(scene, prepared.seed, attempt.number)
    with prepared.backend.open(draw.today, salt) as world:
        if twin is not None:
            twin.furnish(world)
        events = conduct(scenario, scene, world, note)
        state = state_of(world)
    return RowEvents(
        name=scenario.name, today=draw.today, state=state, salt=salt, scenario=scenario, scene=scene, events=events
    )


def _governed(prepared: PreparedRecipe, scene: Scene, attempt: Attempt, note: Note | None) -> tuple[Scene, Note]:
    """Return the scene with the clauses that the row states of one of the policies, and the system message with their text."""
    seed = stream_seed(prepared.seed, "policy", attempt.origin, attempt.number)
    policy = Draw(seed, scene.draw.today).choice(prepared.toolkit.policies)
    rules = draw_rules(policy, seed, scene.draw.today)
    text = rules.text if note is None else f"{note.text}\n\n{rules.text}"
    note = Note(text=text) if note is None else msgspec.structs.replace(note, text=text)
    note = msgspec.structs.replace(note, spans=(*note.spans, *spans_of_numbers(rules, text)))
    return msgspec.structs.replace(scene, rules=rules), note
