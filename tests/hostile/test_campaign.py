"""A few hundred hostile invocations: each ends soon with a code and a message of ours, and leaves everything else alone."""

import json
import re
import subprocess
import sys
from collections import Counter
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from hostile.cases import FAMILIES
from nightly import night

PROGRAM = Path(__file__).with_name("campaign.py")
SEED = "1"
SOME = 2
"""Cases that are drawn for each family in each run, beside one in three of those that always run at night."""
MANY = 60
"""The same in the nightly job."""
CODES = (0, 1, 2, 3, 130)
LONGEST_MESSAGE = 2000
PLACE = re.compile(r"(\S.*\.(yaml|json|jsonl)|o|\S*/\S*)(:[0-9]+)?: .|Usage: |Error: |--")
"""What a message about a run begins with: the file, and its line where there is one, or the option."""
Result = dict[str, Any]

HOLDS: dict[str, Callable[[Result], bool]] = {
    "it ends with a code of ours": lambda result: result["code"] in CODES,
    "it shows no traceback": lambda result: (
        "Traceback" not in result["told"]
        and (
            result["family"] in ("foreign_code", "descriptors")
            or "Error:" not in result["told"].replace("\nError: ", "")
        )
    ),
    "it tells what is wrong, in short": lambda result: (
        result["length"] < LONGEST_MESSAGE and (result["code"] in (0, 1) or result["length"] > 0)
    ),
    "it names the file": lambda result: (
        not result["recipe"] or result["code"] != 2 or PLACE.match(result["told"]) is not None
    ),
    "it asks the system for nothing else": lambda result: not result["noted"],
    "it touches no other file": lambda result: result["untouched"],
}


@pytest.mark.parametrize(
    ("families", "some"),
    [(FAMILIES, SOME), *[pytest.param((family,), MANY, marks=night) for family in FAMILIES]],
    ids=["some of all", *FAMILIES],
)
def test_every_hostile_invocation_ends_well(tmp_path: Path, families: Iterable[str], some: int):
    """In one process in each run: to load the program takes as long as a dozen cases."""
    line = [sys.executable, str(PROGRAM), str(tmp_path), SEED, str(some), *families]
    ran = subprocess.run(line, capture_output=True, text=True, timeout=600, check=False)
    assert ran.returncode == 0, ran.stderr
    results = [json.loads(line) for line in ran.stdout.splitlines()]
    assert Counter(result["family"] for result in results) >= Counter(dict.fromkeys(families, SOME))
    assert [(what, result) for what, is_so in HOLDS.items() for result in results if not is_so(result)] == []
