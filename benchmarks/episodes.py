"""What the score of episodes is worth, and how fast they are.

    python -m benchmarks.episodes [RECIPE] [--rows 5000] [--fast]
    python -m benchmarks.episodes [RECIPE] [--rows 5000] --openenv [--sessions 8]

For the rows of a recipe: how many get 1.0 with their own actions, by scenario, and with an idle agent; how often each slip passes, each
way that is as good, and what the score does not see; episodes a second of CPU time (reset, calls, texts, score), with the load of the machine, and what an episode
takes against the making of its row in the same run. `--fast` leaves out the slips.
`--openenv` prints instead how many episodes a second OpenEnv's client plays over loopback, in one session and in several (wall time; each row
is played once before, so that it is made), and the CPU time of an episode. Needs the extra `openenv`.
Exits 1 when a row does not get 1.0 with its own actions, a slip passes more often than it may, or what is as good less often.
"""

import argparse
import asyncio
import os
import subprocess
import sys
import time
from collections import Counter, defaultdict
from datetime import date
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from generator.run.episodes import RecipeTasks

MOST_PASSED = {"gives_up_after_error": 0.05}
USUALLY = 0.01


def main() -> int:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("recipe", nargs="?", default="conversations")
    parser.add_argument("--rows", type=int, default=5000)
    parser.add_argument("--fast", action="store_true")
    parser.add_argument("--openenv", action="store_true")
    parser.add_argument("--sessions", type=int, default=8)
    options = parser.parse_args()

    from generator.run.api import load_recipe
    from generator.run.episodes import RecipeTasks

    path = Path(__file__).parents[1] / "recipes" / f"{options.recipe}.yaml"
    tasks = RecipeTasks(load_recipe(path)._prepared)
    if options.openenv:
        return _play_openenv(tasks, path, options.rows, options.sessions)
    figures = _Figures()
    for index in range(options.rows):
        figures.play(tasks, index, slips=not options.fast)
    return figures.tell()


class _Figures:
    """What was measured so far."""

    def __init__(self) -> None:
        self.rows, self.own, self.idle = Counter[str](), Counter[str](), Counter[str]()
        self.slips: dict[str, list[bool]] = defaultdict(list)
        self.made, self.spent, self.left_out = 0.0, 0.0, 0

    def play(self, tasks: "RecipeTasks", index: int, *, slips: bool) -> None:
        """Play one row in all ways."""
        from benchmarks.slips import AS_GOOD, NOT_SEEN, SLIPS
        from generator.core.errors import GeneratorError
        from generator.core.seeds import Draw
        from generator.episodes.player import play_actions as play
        from generator.episodes.player import play_idle, play_reference, reference_actions

        began = time.process_time()
        try:
            task = tasks.task(index)
        except GeneratorError:
            self.left_out += 1
            return
        self.made += time.process_time() - began
        scenario, episode = task.row.scenario, tasks.episode()
        self.rows[scenario] += 1
        began = time.process_time()
        episode.reset(index)
        play_reference(episode)
        score = episode.score()
        self.spent += time.process_time() - began
        self.own[scenario] += score.passed
        if not score.passed:
            print(f"row {index} ({scenario}): {score.reward:.2f}: {'; '.join(score.faults)}")
        episode.reset(index)
        play_idle(episode)
        self.idle[scenario] += episode.score().passed
        for name, slip in {**SLIPS, **AS_GOOD, **NOT_SEEN}.items() if slips else ():
            actions = slip(task, reference_actions(task), Draw(index, date.min))
            if actions is not None:
                episode.reset(index)
                play(episode, actions)
                self.slips[name].append(episode.score().passed)
        episode.close()

    def tell(self) -> int:
        """Print all; return the exit code."""
        from benchmarks.slips import AS_GOOD, SLIPS

        print("| scenario | rows | own actions 1.0 | idle 1.0 |\n|---|---|---|---|")
        for scenario in ("", *sorted(self.rows)):
            parts = [sum(one.values()) if not scenario else one[scenario] for one in (self.rows, self.own, self.idle)]
            print(f"| {scenario or 'all'} | {parts[0]} | {parts[1]} | {parts[2]} |")
        speed, load = sum(self.rows.values()) / self.spent, os.getloadavg()[0]
        print(f"\n{self.left_out} rows left out (documents, or not made)")
        print(f"{speed:.0f} episodes a second of CPU time (load {load:.1f})")
        print(f"an episode takes {self.spent / self.made:.2f} of what its row took to make")
        if self.slips:
            print("\n| slip | episodes | 1.0 |\n|---|---|---|")
        bad = sum(self.own.values()) < sum(self.rows.values())
        for name, passed in self.slips.items():
            share = sum(passed) / len(passed)
            bad |= name in SLIPS and share > MOST_PASSED.get(name, USUALLY)
            bad |= name in AS_GOOD and share < 1 - USUALLY
            print(f"| {name} | {len(passed)} | {sum(passed)} ({100 * share:.1f} %) |")
        return int(bad)


def _play_openenv(tasks: "RecipeTasks", path: Path, rows: int, sessions: int) -> int:
    """Print how fast OpenEnv's client plays the rows' own actions; return the exit code."""
    server = subprocess.Popen(
        [sys.executable, "-m", "generator", "episodes", "serve", str(path), "--openenv", "--port", "0"],
        stdout=subprocess.PIPE,
        text=True,
    )
    try:
        assert server.stdout is not None
        url = server.stdout.readline().rpartition(" ")[2].strip()
        return asyncio.run(_measure(tasks, url, server.pid, rows, sessions)) if url else 1
    finally:
        server.terminate()
        server.wait()


async def _measure(tasks: "RecipeTasks", url: str, server: int, rows: int, sessions: int) -> int:
    from generator.core.errors import GeneratorError

    known, right, played = [], 0, 0
    for index in range(min(rows, 256)):  # as many as a server keeps
        try:
            tasks.task(index)
        except GeneratorError:
            continue
        known.append(index)
    await _played(tasks, url, known)
    rounds = -(-rows // 256)
    for at_once in (1, sessions):
        shares = [known[share::at_once] * rounds for share in range(at_once)]
        began, before, own = time.perf_counter(), _cpu_seconds(server), time.process_time()
        done = sum(await asyncio.gather(*(_played(tasks, url, share) for share in shares)))
        count, spent, cpu = sum(map(len, shares)), time.perf_counter() - began, _cpu_seconds(server) - before
        own = time.process_time() - own
        print(
            f"{at_once} sessions: {count / spent:.0f} episodes a second, "
            f"{1000 * cpu / count:.1f} ms of CPU each in the server and {1000 * own / count:.1f} ms in the client; "
            f"{done} of {count} got 1.0"
        )
        right, played = right + done, played + count
    return int(right < played)


async def _played(tasks: "RecipeTasks", url: str, indices: list[int]) -> int:
    """Play rows in one session; return how many got 1.0."""
    from openenv.core.generic_client import GenericEnvClient

    from generator.episodes.player import reference_actions

    right = 0
    async with GenericEnvClient(base_url=url) as client:
        for index in indices:
            began = await client.reset(index=index)
            reward = 0.0
            for action in reference_actions(tasks.task(index)):
                calls = [(call.name, call.arguments) for call in action.tool_calls]
                for name, arguments in calls or [(began.observation["respond"], {"text": action.content})]:
                    step = await client.step({"type": "call_tool", "tool_name": name, "arguments": arguments})
                    reward += step.reward
            right += reward == 1.0
    return right


def _cpu_seconds(process: int) -> float:
    """Return the CPU time that a process has taken (Linux)."""
    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


if __name__ == "__main__":
    raise SystemExit(main())
