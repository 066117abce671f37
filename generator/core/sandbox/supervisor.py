"""The program that looks after foreign code: it starts it, bounds it, and ends it with all that it has started.

It is started by `sandbox.py` with this file's path and the number of a socket, imports nothing of this package, and runs
no foreign code itself. What that starts, in whatever session, becomes this program's child when its own parent ends, so
nothing gets away. Messages over the socket:

    {"do": "start", …}   with descriptors: run Python code with a driver, or a program
    {"do": "sweep"}      end all but the process that was started: {"swept": how many}
    {"do": "end"}        end that one, too

{"ended": exit code, "said": the end of what it printed, "crowded": whether there were too many processes, "killed": whether it
ran until it was ended here, "fault": why it could not be started} is sent once for each start. When the other end of the
socket is closed, or this program fails, everything is ended.
"""

import errno
import os
import resource
import select
import signal
import socket
import sys
import time
from contextlib import ExitStack, suppress
from types import ModuleType
from typing import Any

_FOLDER = os.path.dirname(os.path.abspath(__file__))  # noqa: PTH100, PTH120 - pathlib is slow to import
_LOOK = 20
"""Milliseconds between two counts of the processes."""
_TAIL = 4000
"""Bytes that are kept of what is printed."""
_LONGEST_SWEEP = 5.0
"""Seconds after which processes that the system cannot end are left alone."""
_THREADS = 512
"""How many processes and threads more than now the user may have. As root, modules and strategies alone are held to it."""
_HIGH = 900
"""The wire's descriptor is this one or above: beyond what code may open itself, where that is limited."""


def load(path: str) -> dict[str, Any]:
    """Return the names of a Python file that is run here without becoming a module that others can find."""
    names: dict[str, Any] = {"__name__": f"room_{os.path.basename(path)[:-3]}", "__file__": path}  # noqa: PTH119
    with open(path, "rb") as file:  # noqa: PTH123
        exec(compile(file.read(), path, "exec"), names)
    return names


def main() -> None:
    """Serve the socket whose number is the first argument until it is closed."""
    control = socket.socket(fileno=int(sys.argv[1]))
    control.set_inheritable(False)
    Supervisor(control, load(f"{_FOLDER}/wire.py"), load(f"{_FOLDER}/confinement.py")).serve()


class Supervisor:
    """Looks after one process at a time, and what it starts."""

    def __init__(self, control: socket.socket, wire: dict[str, Any], rights: dict[str, Any]) -> None:
        self._names, self._rights = wire, rights
        self._control = wire["Wire"](control, bytes(8))
        self._first = 0
        """The id of the process that was started; 0: none runs."""
        self._handle = -1
        self._printed = -1
        self._said = b""
        self._most = 0
        self._count_at = 0.0
        self._crowded = False
        self._killed = False
        self._scratch = ""

    def serve(self) -> None:
        """Answer requests until there is nobody to answer."""
        self._rights["become_subreaper"]()
        self._rights["hide"]()
        try:
            with suppress(self._names["DisconnectedError"]):
                while True:
                    self._wait_for_event()
        finally:
            self._close_streams()  # looking for processes takes descriptors
            self._end_all(spared=0)
            self._empty_scratch(remove=True)

    def _wait_for_event(self) -> None:
        """Wait for something to happen, and see to it. Raises DisconnectedError when there is nobody to answer."""
        poll = select.poll()
        for number in (self._control.end.fileno(), self._handle, self._printed):
            if number >= 0:
                poll.register(number, select.POLLIN)
        ready = dict(poll.poll(_LOOK if self._first else None))
        if self._printed in ready:
            self._drain()
        if self._handle in ready:
            self._report_end()
        elif self._first and time.monotonic() >= self._count_at:
            self._count_at = time.monotonic() + _LOOK / 1000
            self._crowded = self._is_crowded()
            if self._crowded:
                self._report_end()
        if self._control.end.fileno() in ready:
            self._answer(self._control.receive())

    def _answer(self, request: dict[str, Any]) -> None:
        """Do what a request asks for, and send the answer to it."""
        if request["do"] == "start":
            _, descriptors, _, _ = socket.recv_fds(self._control.end, 1, request["descriptors"])
            try:
                fault = self._start(request, descriptors)
            except OSError as refusal:
                fault = refusal.strerror or str(refusal)
            if fault:
                self._report_end(fault)
        elif request["do"] == "sweep":
            count = self._end_all(spared=self._first)
            self._empty_scratch()
            self._control.send({"swept": count, "crowded": count > self._most})
        elif self._first:
            select.select([self._handle], [], [], _LOOK / 1000)  # it may be ending by itself
            self._report_end()

    def _start(self, request: dict[str, Any], descriptors: list[int]) -> str:
        """Start a process with these descriptors, which are closed here; return why it cannot be, if so."""
        if request["scratch"] and not self._scratch:
            self._scratch = request["scratch"]
            os.mkdir(self._scratch, 0o700)  # noqa: PTH102
        self._said, self._crowded, self._most = b"", False, request["processes"]
        with ExitStack() as theirs:
            for number in descriptors:
                theirs.callback(os.close, number)
            if len(descriptors) < request["descriptors"]:
                raise OSError(errno.EMFILE, os.strerror(errno.EMFILE))
            self._printed, writes = os.pipe()
            theirs.callback(os.close, writes)
            os.set_blocking(self._printed, False)
            failed, fails = os.pipe()
            fault_pipe = open(failed, "rb")  # noqa: PTH123, SIM115
            theirs.callback(os.close, fails)
            self._first = os.fork()
            if self._first == 0:
                self._run(request, descriptors, writes, fails)
        self._handle = os.pidfd_open(self._first)  # descriptors are free now: the program runs already
        with fault_pipe:
            return fault_pipe.read().decode()  # ends when the program is started, or the code's turn has come

    def _report_end(self, fault: str = "") -> None:
        """End all and tell how the process that was started ended."""
        status = self._end_all(spared=0, ending=self._first)
        self._drain()
        self._close_streams()
        self._first = 0
        self._empty_scratch()
        ended = {"ended": status, "said": self._said.decode("utf-8", "replace"), "fault": fault}
        with suppress(self._names["DisconnectedError"]):
            self._control.send({**ended, "crowded": self._crowded, "killed": self._killed})

    def _drain(self) -> None:
        """Read what was printed; the last bytes are kept."""
        with suppress(BlockingIOError):
            for _ in range(64 if self._printed >= 0 else 0):
                more = os.read(self._printed, 1 << 16)
                if not more:  # everybody has closed it
                    os.close(self._printed)
                    self._printed = -1
                    return
                self._said = (self._said + more)[-_TAIL:]

    def _close_streams(self) -> None:
        """Close the handle of the process and the pipe of what it prints."""
        for number in (self._handle, self._printed):
            if number >= 0:
                os.close(number)
        self._handle = self._printed = -1

    def _is_crowded(self) -> bool:
        """Whether more processes run than are allowed."""
        self._reap(self._first)
        processes = self._descendants()
        return len(processes) > self._most and sum(not _has_ended(process) for process in processes) > self._most

    def _descendants(self) -> list[int]:
        """Return the ids of all processes below this one."""
        processes, newest = list[int](), children(os.getpid())
        while newest:
            processes += newest
            newest = [child for process in newest for child in children(process)]
        return processes

    def _end_all(self, spared: int, ending: int = 0) -> Any:
        """Kill every process below this one but the spared; return how many there were, or how `ending` ended."""
        status, processes_seen = 0, set[int]()
        self._killed = False
        if ending:
            with suppress(ChildProcessError):  # it has ended already, or is ended now
                pid_ended, wait_status = os.waitpid(ending, os.WNOHANG)
                if not pid_ended:
                    os.kill(ending, signal.SIGKILL)
                    _, wait_status = os.waitpid(ending, 0)
                status = os.waitstatus_to_exitcode(wait_status)
                self._killed = not pid_ended and status == -signal.SIGKILL
        ends = time.monotonic() + _LONGEST_SWEEP
        while time.monotonic() < ends:
            living = [process for process in self._descendants() if process != spared and not _has_ended(process)]
            if not living:
                break
            if not processes_seen.issuperset(living):  # as long as there are new ones it goes on
                ends = time.monotonic() + _LONGEST_SWEEP
            processes_seen.update(living)
            _kill(living)
        self._reap(spared)
        return status if ending else len(processes_seen)

    def _reap(self, spared: int) -> None:
        """Reap children that have ended, but for the one whose end is reported."""
        for child in children(os.getpid()):
            if child != spared:
                with suppress(ChildProcessError):
                    os.waitpid(child, os.WNOHANG)

    def _empty_scratch(self, remove: bool = False) -> None:
        """Remove what stands in the folder of the foreign code, and the folder itself with `remove`."""
        with suppress(OSError):
            if self._scratch and (remove or os.listdir(self._scratch)):  # noqa: PTH208
                import shutil

                shutil.rmtree(self._scratch, ignore_errors=True)
                if not remove:
                    os.mkdir(self._scratch, 0o700)  # noqa: PTH102

    def _run(self, request: dict[str, Any], descriptors: list[int], prints: int, fails: int) -> None:
        """Become the foreign code. Never returns."""
        try:
            self._rights["show"]()
            self._rights["die_with_parent"]()
            os.setsid()
            self._limit(request)
            if not request["driver"]:
                _run_program(request["words"], descriptors, prints)
            wire = self._wire_of(request, descriptors[0], prints)
        except OSError as fault:
            with suppress(OSError):
                os.write(fails, (fault.strerror or str(fault)).encode())
            os._exit(1)
        except BaseException:
            os._exit(1)
        try:
            load(request["driver"])["main"](wire, request["settings"])
            os._exit(0)
        except BaseException:
            import traceback

            traceback.print_exc()
            sys.stderr.flush()
        finally:
            os._exit(1)

    def _limit(self, request: dict[str, Any]) -> None:
        """Give up rights, in the process that becomes the foreign code: memory, files, processes, and what it may read."""
        for limit, highest in (
            (
                resource.RLIMIT_NPROC,
                (_processes_of_user() if os.geteuid() else 0) + _THREADS if request["driver"] else None,
            ),
            (resource.RLIMIT_AS, request["memory"]),
            (resource.RLIMIT_FSIZE, request["file_bytes"]),
            (resource.RLIMIT_CORE, 0),
        ):
            if highest is not None:
                with suppress(ValueError, OSError):
                    resource.setrlimit(limit, (highest, highest))
        readable = request["readable"]
        if readable is not None:
            own_folders = {sys.prefix, sys.base_prefix, sys.exec_prefix, _FOLDER, os.path.dirname(request["driver"])}  # noqa: PTH120
            readable += [path for path in sys.path if not path.startswith(tuple(own_folders))]
            visible = [path for folder in readable for path in self._rights["folder_without_hidden"](folder)]
            self._rights["restrict_files"]([*own_folders, *visible], [self._scratch], readable)
        elif request["driver"]:
            self._rights["restrict_files"](None)
        if readable is not None:
            self._rights["take_unused_user_id"]()
            self._rights["drop_capabilities"]()
            os.environ["TMPDIR"] = self._scratch

    def _wire_of(self, request: dict[str, Any], descriptor: int, prints: int) -> Any:
        """Return the inner end of the wire, whose descriptor is the only one that is left open."""
        import fcntl

        _, most_files = resource.getrlimit(resource.RLIMIT_NOFILE)
        high = fcntl.fcntl(descriptor, fcntl.F_DUPFD_CLOEXEC, _HIGH if most_files > _HIGH or most_files < 0 else 3)
        nowhere = os.open(os.devnull, os.O_RDWR)
        for number, source in ((0, nowhere), (1, prints), (2, prints)):
            os.dup2(source, number)
        os.closerange(3, high)
        os.closerange(high + 1, 1 << 16)
        if request["files"] is not None and not 0 <= most_files < request["files"]:
            resource.setrlimit(resource.RLIMIT_NOFILE, (request["files"], request["files"]))
        for stream in (sys.stdout, sys.stderr):
            stream.reconfigure(line_buffering=True)  # type: ignore[union-attr]
        sys.argv = [""]
        sys.modules["__main__"] = ModuleType("__main__")
        return self._names["Wire"](socket.socket(fileno=high), bytes.fromhex(request["token"]))


def _run_program(words: list[str], descriptors: list[int], prints: int) -> None:
    """Become a program with these descriptors as stdin and stdout. Never returns."""
    for number, source in ((0, descriptors[0]), (1, descriptors[1]), (2, prints)):
        os.dup2(source, number)
        os.set_inheritable(source, False)
    for number in (signal.SIGPIPE, signal.SIGXFSZ):
        signal.signal(number, signal.SIG_DFL)
    os.execvp(words[0], words)


def _kill(processes: list[int]) -> None:
    """Kill processes, and wait a moment for the last of them to end."""
    for process in processes:
        with suppress(ProcessLookupError, PermissionError):
            os.kill(process, signal.SIGKILL)
    with suppress(OSError):
        handle = os.pidfd_open(processes[-1])
        poll = select.poll()
        poll.register(handle, select.POLLIN)
        poll.poll(2)
        os.close(handle)


def children(pid: int) -> list[int]:
    """Return the ids of a process's children, whichever of its threads started them."""
    pids: list[int] = []
    with suppress(OSError):
        for task in os.listdir(f"/proc/{pid}/task"):  # noqa: PTH208
            pids += map(int, _content(f"/proc/{pid}/task/{task}/children").split())
    return pids


def _processes_of_user() -> int:
    """Return how many threads this user's processes have, of which the system's own limit counts all."""
    count = 0
    for name in os.listdir("/proc"):  # noqa: PTH208
        with suppress(OSError):
            if name.isdigit() and os.stat(f"/proc/{name}").st_uid == os.getuid():  # noqa: PTH116
                count += len(os.listdir(f"/proc/{name}/task"))  # noqa: PTH208
    return count


def _has_ended(pid: int) -> bool:
    """Whether a process has ended (a zombie has)."""
    try:
        return _content(f"/proc/{pid}/stat").rpartition(b")")[2].split()[0] in b"ZX"
    except OSError:
        return True


def _content(path: str) -> bytes:
    """Return what a small file of the system holds; Python's own way takes several times as long."""
    number = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        return os.read(number, 1 << 20)
    finally:
        os.close(number)


if __name__ == "__main__":
    main()
