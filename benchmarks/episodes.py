"""What the score of episodes is worth, and how fast they are.

    python -m benchmarks.episodes [RECIPE] [--rows 5000] [--fast]

For the rows of a recipe: how many get 1.0 with their own actions, by scenario, and with an idle agent; how often each slip passes, and each
way that is as good; episodes a second of CPU time (reset, calls, texts, score; rows are made before). `--fast` leaves out the slips.
Exits 1 when a row does not get 1.0 with its own actions, or a slip passes more often than it may.
"""

import argparse
import time
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generator.run.episodes import RecipeTasks

MOST_PASSED = {"number_changed": 0.05, "gives_up_after_error": 0.05}
USUALLY = 0.01


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", nargs="?", default="conversations")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--fast", action="store_true")
    options = parser.parse_args()

    from generator.api import load_recipe
    from generator.run.episodes import RecipeTasks

    path = Path(__file__).parents[1] / "recipes" / f"{options.recipe}.yaml"
    tasks = RecipeTasks(load_recipe(path)._prepared)
    figures = _Figures()
    for index in range(options.rows):
        figures.play(tasks, index, slips=not options.fast)
    return figures.tell()


class _Figures:
    """What was measured so far."""

    def __init__(self) -> None:
        self.rows, self.own, self.idle = Counter[str](), Counter[str](), Counter[str]()
        self.slips: dict[str, list[bool]] = defaultdict(list)
        self.spent, self.left_out = 0.0, 0

    def play(self, tasks: "RecipeTasks", index: int, *, slips: bool) -> None:
        """Play one row in all ways."""
        from generator.episodes.baselines import play_idle, play_own
        from generator.episodes.slips import AS_GOOD, SLIPS, own_actions, play
        from generator.errors import GeneratorError
        from generator.seeds import Draw

        try:
            task = tasks.task(index)
        except GeneratorError:
            self.left_out += 1
            return
        scenario, episode = task.row.scenario, tasks.episode()
        self.rows[scenario] += 1
        began = time.process_time()
        episode.reset(index)
        play_own(episode)
        score = episode.score()
        self.spent += time.process_time() - began
        self.own[scenario] += score.passed
        if not score.passed:
            print(f"row {index} ({scenario}): {score.reward:.2f}: {'; '.join(score.faults)}")
        episode.reset(index)
        play_idle(episode)
        self.idle[scenario] += episode.score().passed
        for name, slip in {**SLIPS, **AS_GOOD}.items() if slips else ():
            actions = slip(task, own_actions(task), Draw(index, date.min))
            if actions is not None:
                episode.reset(index)
                play(episode, actions)
                self.slips[name].append(episode.score().passed)
        episode.close()

    def tell(self) -> int:
        """Print all; return the exit code."""
        from generator.episodes.slips import SLIPS

        print("| scenario | rows | own actions 1.0 | idle 1.0 |\n|---|---|---|---|")
        for scenario in ("", *sorted(self.rows)):
            parts = [sum(one.values()) if not scenario else one[scenario] for one in (self.rows, self.own, self.idle)]
            print(f"| {scenario or 'all'} | {parts[0]} | {parts[1]} | {parts[2]} |")
        speed = sum(self.rows.values()) / self.spent
        print(f"\n{self.left_out} rows left out (documents, or not made); {speed:.0f} episodes a second of CPU time")
        if self.slips:
            print("\n| slip | episodes | 1.0 |\n|---|---|---|")
        bad = sum(self.own.values()) < sum(self.rows.values())
        for name, passed in self.slips.items():
            share = sum(passed) / len(passed)
            bad |= name in SLIPS and share > MOST_PASSED.get(name, USUALLY)
            print(f"| {name} | {len(passed)} | {sum(passed)} ({100 * share:.1f} %) |")
        return int(bad)


if __name__ == "__main__":
    raise SystemExit(main())
