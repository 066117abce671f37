"""A driver for tests: it runs Python code that it is sent and answers what that leaves in `answer`. Loaded by its path."""

from typing import Any


def main(wire: Any, settings: dict[str, Any]) -> None:
    names: dict[str, Any] = {"wire": wire}
    while True:
        request = wire.receive()
        names["answer"] = None
        try:
            exec(request["code"], names)
        except Exception as fault:
            names["answer"] = f"{type(fault).__name__}: {fault}"
        wire.send({"answer": names["answer"]})
