"""A fake server for `benchmarks.llm` that answers as a good model would: what is to be said in other words gets a greeting."""

import argparse
import asyncio
import json
import re
import signal
import sys
from typing import Any

from generator.llm.fake import Fake, plain_reply, serving

_TEXT = re.compile(r"The (message|text):\n(.*?)\n\nEach of these", re.DOTALL)


def reply(asked: dict[str, Any]) -> str:
    """A text in other words, or a value of the schema that is asked for."""
    found = _TEXT.match(asked["messages"][-1]["content"])
    if found is None:
        return plain_reply(asked)
    return json.dumps({"text": f"{'Hi there!' if found[1] == 'message' else 'Sure.'} {found[2]}"})


async def _serve(fake: Fake) -> None:
    ended = asyncio.Event()
    asyncio.get_running_loop().add_signal_handler(signal.SIGTERM, ended.set)
    async with serving(fake) as server:
        sys.stdout.write(f"{server.base}\n")
        sys.stdout.flush()
        await ended.wait()


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--latency", type=float, nargs=2, default=(0.0, 0.0))
    parser.add_argument("--rate-limited", type=float, default=0.0)
    options = parser.parse_args()
    asyncio.run(_serve(Fake(latency=tuple(options.latency), rate_limited=options.rate_limited, reply=reply)))
