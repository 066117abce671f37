"""How well whole runs that ask a model use their time, against a fake server: `python -m benchmarks.llm`.

    python -m benchmarks.llm [--scale 1.0] [--rounds 3] [--case NAME] [--recipe FILE] [--without-litellm] [--json FILE]

Ours is the command `run` with a recipe whose rows a model judges (FILE is one without a model): tools are loaded, rows made, checked,
asked about and written; a run of one row is subtracted (start-up). It stands beside loops over bare litellm and bare aiohttp that send as
many small requests and do nothing else, each in a process of its own, in rounds in which they take turns; medians are
reported. Ideal is the sum of all latencies over the number in flight. The aiohttp loop shows what else the machine does: on an
idle one it needs 1.1 times the ideal.

One row in eight is made and asked about again, which the ideal does not know.

"After the first quarter" is what requests cost beyond those of a run of a quarter of the rows: what is done once for each tool when
it is first used is over by then, if there are many rows.
"""

import argparse
import asyncio
import json
import os
import platform
import resource
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import AsyncExitStack, contextmanager
from pathlib import Path
from typing import Any

import msgspec

Ask = Callable[[int], Awaitable[str]]


class Case(msgspec.Struct, frozen=True):
    """One load."""

    requests: int
    in_flight: int
    latency: tuple[float, float]
    rate_limited: float
    reach: float
    """Most that our wall time may be, in ideal ones."""
    rows: int
    """Rows of the usual recipe that take about as many requests."""
    rivals: tuple[str, ...]
    """Who else is measured; a bare loop does not retry."""


CASES = {
    "32 in flight": Case(300, 32, (0.1, 0.1), 0.0, 1.25, 260, ("aiohttp", "litellm", "litellm aiohttp")),
    "128 in flight": Case(3000, 128, (0.1, 0.1), 0.0, 1.5, 2600, ("aiohttp", "litellm", "litellm aiohttp")),
    "uneven latency": Case(300, 32, (0.1, 0.7), 0.0, 1.25, 260, ("aiohttp",)),
    "10 % rate limited": Case(300, 32, (0.1, 0.1), 0.1, 4.0, 260, ()),
}
_LEAST = 8
_ROOT = Path(__file__).parents[1]


def main() -> None:
    """Measure, print a table, write JSON."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--scale", type=float, default=1.0, help="share of the requests")
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--recipe", type=Path, default=_ROOT / "recipes" / "parallel.yaml")
    parser.add_argument("--case", choices=list(CASES), action="append", help="only this load (again for several)")
    parser.add_argument("--without-litellm", action="store_true", help="its import alone takes seconds")
    parser.add_argument("--json", type=Path)
    parser.add_argument("--one", nargs=3, metavar=("WHO", "CASE", "BASE"), help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        who, name, base = options.one
        print(json.dumps(asyncio.run(_measure(who, _scaled(CASES[name], options.scale), base))))
        return
    report: dict[str, Any] = {
        "machine": f"{platform.machine()}, {os.cpu_count()} cores, Python {platform.python_version()}",
        "scale": options.scale,
        "rounds": options.rounds,
        "measured": {
            name: _take_turns(name, options.scale, options.rounds, options.recipe, litellm=not options.without_litellm)
            for name in options.case or CASES
        },
    }
    print(f"{report['machine']}; {options.rounds} rounds, scale {options.scale:g}\n")
    print(
        "| load | who | requests | wall to ideal | reach | wall beside aiohttp | CPU ms a request | after the first quarter | peak MB |"
    )
    print("|---|---|---|---|---|---|---|---|---|")
    for name, measured in report["measured"].items():
        for who, values in measured.items():
            reach = f"≤ {CASES[name].reach:g}" if who == "ours" else ""
            beside = f"{values['ratio'] / measured['aiohttp']['ratio']:.2f}" if "aiohttp" in measured else ""
            counts = f"{values['requests']:.0f} | {values['ratio']:.2f} | {reach} | {beside}"
            later = f"{values['later_cpu_ms']:.2f}" if who == "ours" else ""
            print(f"| {name} | {who} | {counts} | {values['cpu_ms']:.2f} | {later} | {values['peak_mb']:.0f} |")
    if options.json:
        options.json.write_text(json.dumps(report, indent=2) + "\n", encoding="utf-8")


def _scaled(case: Case, scale: float) -> Case:
    requests, rows = max(_LEAST, round(case.requests * scale)), max(_LEAST, round(case.rows * scale))
    return msgspec.structs.replace(case, requests=requests, rows=rows)


def _take_turns(
    name: str, scale: float, rounds: int, recipe: Path, *, litellm: bool = True
) -> dict[str, dict[str, float]]:
    case = _scaled(CASES[name], scale)
    rivals = [who for who in case.rivals if litellm or "litellm" not in who]
    found: dict[str, list[dict[str, float]]] = {}
    for _ in range(rounds):
        with _server(case) as base:
            found.setdefault("ours", []).append(_whole_run(recipe, case, base))
            for who in rivals:
                command = [sys.executable, "-m", "benchmarks.llm", "--scale", str(scale), "--one", who, name, base]
                done = subprocess.run(command, check=True, capture_output=True, text=True)
                found.setdefault(who, []).append(json.loads(done.stdout.splitlines()[-1]))
    return {
        who: {key: statistics.median(values[key] for values in several) for key in several[0]}
        for who, several in found.items()
    }


@contextmanager
def _server(case: Case) -> Iterator[str]:
    """The address of a fake server, in a process of its own."""
    low, high = case.latency
    command = ["--latency", str(low), str(high), "--rate-limited", str(case.rate_limited)]
    server = subprocess.Popen(
        [sys.executable, str(_ROOT / "tests" / "scripted_llm.py"), *command], stdout=subprocess.PIPE, text=True
    )
    try:
        yield server.stdout.readline().split()[-1] if server.stdout else ""
    finally:
        server.terminate()
        server.wait()


def _whole_run(recipe: Path, case: Case, base: str) -> dict[str, float]:
    """What a run takes beyond a run of one row."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "recipe.yaml"
        text = recipe.read_text(encoding="utf-8").replace("../tool_specs", str(_ROOT / "tool_specs"))
        path.write_text(
            f'{text}\njudge: {{threshold: 3}}\nllm: {{model: openai/fake, api_base: "{base}", max_tokens: 500, concurrency: {case.in_flight}, unusable_in_a_row: null}}\n',
            "utf-8",
        )
        start, quarter, whole = (_timed_run(path, rows) for rows in (1, case.rows // 4, case.rows))
    requests = whole["requests"] - start["requests"]
    ideal = requests * sum(case.latency) / 2 / case.in_flight
    return {
        "requests": requests,
        "ratio": (whole["wall"] - start["wall"]) / ideal,
        "cpu_ms": (whole["cpu"] - start["cpu"]) / requests * 1000,
        "later_cpu_ms": (whole["cpu"] - quarter["cpu"]) / (whole["requests"] - quarter["requests"]) * 1000,
        "peak_mb": whole["peak_mb"],
        "start_seconds": start["wall"],
    }


def _timed_run(recipe: Path, rows: int) -> dict[str, float]:
    out = recipe.with_name(f"out{rows}")
    before, started = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    command = ["run", str(recipe), "--rows", str(rows), "--out", str(out), "--no-report", "--quiet"]
    subprocess.run([sys.executable, "-m", "generator", *command], check=True, cwd=_ROOT)
    wall, after = time.perf_counter() - started, resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    requests = json.loads((out / "manifest.json").read_text(encoding="utf-8"))["llm"]["requests"]
    return {"wall": wall, "cpu": cpu, "requests": requests, "peak_mb": after.ru_maxrss / 1024}


async def _measure(who: str, case: Case, base: str) -> dict[str, float]:
    async with AsyncExitStack() as stack:
        run = await (_aiohttp if who == "aiohttp" else _litellm)(stack, case, base, who)
        await run(1)  # connections and imports
        started, cpu = time.perf_counter(), time.process_time()
        await run(case.requests)
        wall, cpu = time.perf_counter() - started, time.process_time() - cpu
    ideal = case.requests * sum(case.latency) / 2 / case.in_flight
    return {
        "requests": case.requests,
        "ratio": wall / ideal,
        "cpu_ms": cpu / case.requests * 1000,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024,
    }


Run = Callable[[int], Awaitable[None]]


async def _aiohttp(stack: AsyncExitStack, case: Case, base: str, who: str) -> Run:
    import aiohttp

    connector = aiohttp.TCPConnector(limit=case.in_flight)
    http = await stack.enter_async_context(aiohttp.ClientSession(connector=connector))

    async def ask(index: int) -> str:
        body = {"model": "fake", "messages": [{"role": "user", "content": f"Say {index}."}]}
        async with http.post(f"{base}/chat/completions", json=body) as response:
            return str((await response.json())["choices"][0]["message"]["content"])

    return _all_at_once(ask, case.in_flight)


async def _litellm(stack: AsyncExitStack, case: Case, base: str, who: str) -> Run:
    from generator.llm.providers import import_litellm

    litellm = import_litellm()
    model = "aiohttp_openai/fake" if who == "litellm aiohttp" else "openai/fake"
    address = f"{base}/chat/completions" if who == "litellm aiohttp" else base

    async def ask(index: int) -> str:
        response = await litellm.acompletion(
            model=model,
            api_base=address,
            api_key="none",
            max_retries=0,
            messages=[{"role": "user", "content": f"Say {index}."}],
        )
        return str(response.choices[0].message.content)

    stack.push_async_callback(litellm.close_litellm_async_clients)
    return _all_at_once(ask, case.in_flight)


def _all_at_once(ask: Ask, in_flight: int) -> Run:
    """What one writes down first: a semaphore, and everything gathered."""

    async def run(requests: int) -> None:
        places = asyncio.Semaphore(in_flight)

        async def one(index: int) -> None:
            async with places:
                _check(index, await ask(index))

        await asyncio.gather(*map(one, range(requests)))

    return run


def _check(index: int, text: str) -> None:
    if text != f"Say {index}.":
        raise SystemExit(f"request {index} was answered with {text!r}")


if __name__ == "__main__":
    main()
