"""A server and a file that nothing may touch, and that notice it when something does."""

import errno
import os
import socket
import threading
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import Self


class Canaries:
    """`http` and `file` are addresses of what is never to be fetched; `touched` says which of them was."""

    def __init__(self, folder: Path) -> None:
        self._pipe = folder / "canary.json"
        os.mkfifo(self._pipe)
        self._server = socket.create_server(("127.0.0.1", 0))
        self._server.settimeout(0.02)
        self._over = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self.touched: set[str] = set()

    @property
    def http(self) -> str:
        return f"http://127.0.0.1:{self._server.getsockname()[1]}/canary.json"

    @property
    def file(self) -> str:
        return self._pipe.as_uri()

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._over.set()
        self._thread.join()
        self._server.close()

    def _watch(self) -> None:
        while not self._over.is_set():
            self._look()
        self._look()  # once more for what happened last

    def _look(self) -> None:
        with suppress(TimeoutError):
            self._server.accept()[0].close()
            self.touched.add("http")
        try:
            os.close(os.open(self._pipe, os.O_WRONLY | os.O_NONBLOCK))
            self.touched.add("file")
        except OSError as fault:
            if fault.errno != errno.ENXIO:  # nobody reads
                raise
