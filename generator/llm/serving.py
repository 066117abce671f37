"""llama.cpp's server in this process. Imported by `serve-local` alone: it loads native code."""

import os
from pathlib import Path
from typing import Any

from generator.errors import LlmError
from generator.llm.local import CONTEXT


def serve_model(model: Path, port: int, threads: int) -> Any:
    """Start and return the server, which ends with its last reference; its address is `listening_address`.

    One thread is the default because with several the waiting ones take the cores from everybody else.

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
    settings.cpuparams.n_threads = settings.cpuparams_batch.n_threads = threads
    try:
        return xllamacpp.Server(settings)
    except RuntimeError as fault:
        raise LlmError(f"{model}: the model cannot be served ({fault})") from None
