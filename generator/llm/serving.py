"""llama.cpp's server, as a program that `local.py` starts: it loads native code.

It prints its address and serves until standard input ends.
"""

import os
import sys

from generator.llm.local import CONTEXT, KEY, READY

LONGEST_ANSWER = 2048
"""Tokens of an answer when a request does not say how many: without a bound, a request with nothing in it is answered for ever."""


def main() -> None:
    """Serve the model that the command line names, to those who have the key of the environment.

    One thread, because with several the waiting ones take the cores from everybody else. The server lets pages
    of any origin ask, so that only the key keeps them out; what shows other people's requests is switched off.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp  # type: ignore[import-untyped,import-not-found,unused-ignore]

    settings = xllamacpp.CommonParams()
    settings.model.path = sys.argv[1]
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.warmup = False
    settings.ui = False
    settings.port = 0
    settings.api_keys = [os.environ[KEY]]
    settings.endpoint_slots = settings.endpoint_props = settings.endpoint_metrics = False
    settings.n_predict = LONGEST_ANSWER
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = 1
    try:
        server = xllamacpp.Server(settings)
    except RuntimeError as fault:
        sys.exit(f"the model cannot be served ({fault})")
    sys.stdout.write(f"{READY}{server.listening_address}/v1\n")
    sys.stdout.flush()
    sys.stdin.read()


if __name__ == "__main__":
    main()
