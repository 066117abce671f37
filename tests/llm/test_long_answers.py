"""Long answers that repeat what patterns begin with are judged in time that grows with their length, not with its square."""

import json
import resource
import subprocess
import sys

from generator.llm.asking import ModelAnswer
from generator.llm.reading import json_of_answer

N = 100_000
LONG = {
    "braces": "{" * N,
    "angle brackets": "<" * N,
    "names of placeholders in angle brackets": "a <" + "name " * (N // 5) + "!",
    "a bracket and underscores": "[" + "_" * N,
    "names of placeholders": "a your-" + "your-" * (N // 5),
    "speakers": "a " + "user: " * (N // 6),
    "the same letter": "x" * 60 + "!",
    "dashes": "-" * N + "x",
    "lines": "```" + "\n" * N + "```.",
}
MOST_SECONDS = 60
"""Of processor time for all of them: ten times what they take. Where time is quadratic, one text takes more."""


def judge() -> None:
    """Judge all texts."""
    for text in LONG.values():
        json_of_answer(ModelAnswer(text=text), {})
        json_of_answer(ModelAnswer(text=json.dumps({"text": text})), {"type": "object"})


def test_long_answers_are_judged_in_time():
    done = subprocess.run([sys.executable, __file__], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_CPU, (MOST_SECONDS, MOST_SECONDS))
    judge()
