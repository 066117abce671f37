"""llama.cpp's server in this process. Imported by `serve-local` alone: it loads native code."""

import os
from pathlib import Path
from typing import Any

from generator.errors import LlmError
from generator.llm.local import CONTEXT

LONGEST_ANSWER = 2048
"""Tokens of an answer when a request does not say how many: without a bound, a request with nothing in it is answered for ever."""


def serve_model(model: Path, port: int, threads: int, key: str) -> Any:
    """Start and return the server, which ends with its last reference; its address is `listening_address`.

    One thread is the default because with several the waiting ones take the cores from everybody else. The server lets pages
    of any origin ask, so that only the key keeps them out; what shows other people's requests is switched off.

    Raises:
        LlmError: when the model cannot be loaded.
    """
    os.environ.setdefault("OMP_WAIT_POLICY", "passive")
    import xllamacpp  # type: ignore[import-untyped,import-not-found,unused-ignore]

    settings = xllamacpp.CommonParams()
    settings.model.path = str(model)
    settings.n_ctx = CONTEXT
    settings.n_parallel = 1
    settings.warmup = False
    settings.ui = False
    settings.port = port
    settings.api_keys = [key]
    settings.endpoint_slots = settings.endpoint_props = settings.endpoint_metrics = False
    settings.n_predict = LONGEST_ANSWER
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(settings)
    except RuntimeError as fault:
        raise LlmError(f"{model}: the model cannot be served ({fault})") from None
