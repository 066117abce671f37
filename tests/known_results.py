"""What parsers of packages make of the cases of an edition: which cases they get wrong, and why.

`python tests/known_results.py` runs all of them (some minutes) and writes generator/corpus/release/known_results.jsonl, but
only causes that `known_reasons.yaml` tells; tests/corpus/test_release.py runs every one of the file again.
"""

import json
import sys
from functools import cache
from pathlib import Path

import msgspec
import servers
import yaml
from findings import package_of

from generator.corpus.check.failures import ParserAnswer, PlainAnswer, answer_of
from generator.corpus.check.judge import judge_time
from generator.corpus.check.plain import Pieces, plain_answer, plain_stream
from generator.corpus.check.run import CheckOptions, judge_answer
from generator.corpus.chunks import cut
from generator.corpus.grid import grid_cases
from generator.corpus.release import release_makers
from generator.formats.format import tool_object

FILE = Path(__file__).parents[1] / "generator/corpus/release/known_results.jsonl"
REASONS = Path(__file__).with_name("known_reasons.yaml")


def labels_of(maker, parser: str, case) -> tuple[str | None, str | None]:
    """What is wrong with the whole text, and what with its pieces only."""
    tools = [msgspec.to_builtins(tool_object(known.tool)) for known in maker.tools.values()]
    whole = judged(case, answered(lambda: plain_answer(getattr(servers, parser)(case.chars, tools))))
    stream = getattr(servers, f"{parser}_stream", None) if parser.startswith("sglang") else None
    for plan in case.plans if stream and whole is None else ():
        pieces = Pieces([piece.decode() for piece in cut(case.text, plan)])
        answer = answered(lambda pieces=pieces: plain_stream(stream(pieces, tools), pieces))
        wrong = judged(case, answer, streamed=True)
        late = judge_time(case.plain(), plan.sizes, answer.deltas, False) if not wrong and answer.deltas else None
        if wrong or late:
            return None, wrong or late[0]
    return whole, None


def answered(run) -> ParserAnswer:
    try:
        return answer_of(msgspec.convert(run(), PlainAnswer))
    except Exception as fault:  # whatever a client raises is its answer
        return ParserAnswer(error=f"{type(fault).__name__}: {fault}")


def judged(case, answer: ParserAnswer, *, streamed: bool = False) -> str | None:
    wrong = judge_answer(case.plain(), answer, CheckOptions(content=False), streamed=streamed)
    return wrong and wrong[0]


@cache
def reasons():
    """The table of reasons."""
    return yaml.safe_load(REASONS.read_text())


def reason_of(parser: str, label: str, streamed: bool, hazard: str) -> str | None:
    """The first reason of the table that fits."""
    for row in reasons():
        fits = (parser in row["parsers"], label in row["labels"], streamed == row["streamed"])
        if all(fits) and ("hazards" not in row or hazard in row["hazards"]):
            return row["reason"]
    return None


def slow(parser: str, case) -> bool:
    """Whether a regular expression of the parser takes a time that nobody waits for."""
    return parser.startswith("sglang") and (case.hazard or "").startswith(("depth_402", "depth_900"))


def make() -> None:
    found: dict[tuple[str, str, str, bool, str], list[str]] = {}
    for name, parsers in servers.READERS.items():
        maker = release_makers()[name]
        for parser in parsers:
            for case in grid_cases(maker):
                if case.verdict == "i" or slow(parser, case):
                    continue
                for streamed, label in enumerate(labels_of(maker, parser, case)):
                    reason = label and reason_of(parser, label, bool(streamed), case.hazard)
                    if label and reason:
                        found.setdefault((name, parser, label, bool(streamed), reason), []).append(case.id)
                    elif label:
                        sys.stdout.write(f"no reason: {name} {parser} {label} {streamed} {case.id}\n")
    lines = [
        {"engine": package_of(parser), "parser": parser, "format": name, "label": label, "streamed": streamed,
         "reason": reason, "cases": sorted(ids)}
        for (name, parser, label, streamed, reason), ids in sorted(found.items())
    ]  # fmt: skip
    FILE.write_text("".join(json.dumps(line) + "\n" for line in lines))


if __name__ == "__main__":
    make()
