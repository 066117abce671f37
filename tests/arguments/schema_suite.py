"""The official JSON Schema test suite, as it lies in the source distribution of `jsonschema`."""

import json
import sys
import tarfile
from functools import cache
from pathlib import Path

DIALECTS = {
    "draft4": "http://json-schema.org/draft-04/schema#",
    "draft7": "http://json-schema.org/draft-07/schema#",
    "draft2019-09": "https://json-schema.org/draft/2019-09/schema",
    "draft2020-12": "https://json-schema.org/draft/2020-12/schema",
}


@cache
def groups(draft):
    """(name, schema, whether one of its instances that are objects is valid) for each schema of a draft, formats included."""
    found = []
    with tarfile.open(_archive()) as archive:
        for member in sorted(archive.getmembers(), key=lambda member: member.name):
            name = member.name.partition(f"/json/tests/{draft}/")[2]
            if name.endswith(".json") and (name.count("/") == 0 or name.startswith("optional/format/")):
                for group in json.load(archive.extractfile(member)):
                    schema = group["schema"]
                    if isinstance(schema, dict):
                        schema = {"$schema": DIALECTS[draft], **schema}
                    valid = any(test["valid"] and isinstance(test["data"], dict) for test in group["tests"])
                    found.append((f"{name}: {group['description']}", schema, valid))
    return found


def _archive():
    """Where the tests' second command of README.md has put it."""
    found = sorted(Path(sys.prefix, "sources").glob("jsonschema-*.tar.gz"))
    assert found, "run the test command of README.md: it downloads the source distribution of jsonschema"
    return found[-1]
