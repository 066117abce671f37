"""What runs in a room can neither hang, confuse or outlive the program that has started it, nor look into it."""

import os
import resource
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st

from generator.core.sandbox.confinement import landlock_version
from generator.core.sandbox.sandbox import (
    FEW_VARIABLES,
    MODULE_LIMITS,
    PROGRAM_LIMITS,
    CrowdedError,
    LineProgram,
    Room,
    run_program,
    said_by,
)
from generator.core.sandbox.supervisor import children
from generator.core.sandbox.wire import GarbledError, GoneError, SilentError, Wire, packet_pair

DRIVER = Path(__file__).with_name("drivers.py")
needs_landlock = pytest.mark.skipif(not landlock_version(), reason="the kernel has no Landlock")


class Answer(msgspec.Struct):
    answer: str | None


@pytest.fixture
def room(tmp_path: Path) -> Iterator[Room]:
    found = Room(FEW_VARIABLES)
    begin(found, tmp_path)
    yield found
    found.close()


def begin(room: Room, folder: Path) -> None:
    room.start_code(DRIVER, {}, MODULE_LIMITS, [folder])


def run(room: Room, code: str, seconds: float = 20.0) -> str | None:
    return room.ask({"code": code}, Answer, seconds).answer


@contextmanager
def few_descriptors(most: int) -> Iterator[None]:
    """Lower the limit of open files for this process and those that it starts."""
    before = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (most, before[1]))
    try:
        yield
    finally:
        resource.setrlimit(resource.RLIMIT_NOFILE, before)


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False


class TestWire:
    @given(st.lists(st.one_of(st.binary(max_size=40), st.just(bytes(9))), max_size=5), st.text(max_size=2_000))
    def test_what_others_write_among_packets_is_passed_over(self, noise: list[bytes], text: str):
        ours, theirs = packet_pair()
        with ours, theirs:
            for part in noise:
                theirs.send(part)
            Wire(theirs, b"12345678").send({"text": text * 100})
            assert Wire(ours, b"12345678").receive(5.0) == {"text": text * 100}

    def test_noise_without_end_is_cut_off(self):
        ours, theirs = packet_pair()
        with ours, theirs:
            for _ in range(10):
                theirs.send(bytes(1000))
            with pytest.raises(GarbledError):
                Wire(ours, b"12345678", most=5000).receive(5.0)

    @pytest.mark.parametrize("body", [b"[1,2]", b"{", b"", b"\xff", b'{"a": NaN}', b"[" * 60_000])
    def test_what_is_no_json_object_is_told(self, body: bytes):
        ours, theirs = packet_pair()
        with ours, theirs:
            theirs.send(b"12345678\0" + body)
            with pytest.raises(GarbledError):
                Wire(ours, b"12345678").receive(5.0)

    def test_time_is_one_for_all_packets(self):
        ours, theirs = packet_pair()
        with ours, theirs:
            theirs.send(b"12345678\1half")
            with pytest.raises(SilentError):
                Wire(ours, b"12345678").receive(0.05)
            with pytest.raises(SilentError):
                Wire(theirs, b"12345678").send({"text": "x" * 10_000_000}, 0.05)

    def test_an_end_that_is_closed_is_noticed(self):
        ours, theirs = packet_pair()
        theirs.close()
        with ours, pytest.raises(GoneError):
            Wire(ours, b"12345678").receive(5.0)


class TestCode:
    def test_what_is_written_to_every_descriptor_does_no_harm(self, room: Room):
        code = "import os\nfor n in range(3, 70000):\n  for data in (b'', b'\\0\\0', b'{}', b'\\0' * 9, b'\\xff' * 4000):\n    try: os.write(n, data)\n    except OSError: break\nanswer = 'alive'"
        assert run(room, code) == "alive"
        assert run(room, "answer = 'and again'") == "and again"

    def test_all_descriptors_can_be_closed(self, room: Room):
        with pytest.raises((GoneError, SilentError)):
            run(room, "import os\nos.closerange(3, 1 << 16)", 5.0)
        room.end()

    def test_an_answer_of_another_shape_is_told(self, room: Room):
        with pytest.raises(GarbledError):
            run(room, "answer = 3")

    def test_time_is_up_for_an_answer_that_drips(self, room: Room):
        code = "import time\nwhile True:\n  wire.end.send(b'\\0\\0')\n  time.sleep(0.01)"
        began = time.monotonic()
        with pytest.raises(SilentError):
            run(room, code, 0.5)
        assert time.monotonic() - began < 20

    def test_what_is_printed_is_drained_and_its_end_kept(self, room: Room):
        code = (
            "import os\nfor _ in range(2000): os.write(1, b'x' * 65535 + b'\\n')\nprint('the last words')\nos._exit(3)"
        )
        before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
        with pytest.raises(GoneError):
            run(room, code, 60.0)
        ended = room.end()
        assert (ended.reason, "the last words" in said_by(ended), len(said_by(ended)) < 600) == (
            "exit code 3",
            True,
            True,
        )
        assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 50_000

    def test_what_it_has_started_ends_with_it_in_whatever_session(self, room: Room):
        code = "import os, time\nreads, writes = os.pipe()\nif os.fork() == 0:\n  os.setsid()\n  if os.fork() == 0:\n    os.setsid()\n    os.write(writes, str(os.getpid()).encode())\n    time.sleep(600)\n  os._exit(0)\nanswer = os.read(reads, 20).decode()"
        for sweep in (True, False):
            pid = int(run(room, code) or 0)
            assert is_running(pid)
            room.sweep() if sweep else room.end()
            assert not is_running(pid)

    def test_too_many_processes_are_ended_and_told(self, room: Room):
        code = "import os, time\nfor _ in range(40):\n  if os.fork() == 0: time.sleep(600)\nanswer = 'done'"

        def call() -> None:
            run(room, code)
            room.sweep()

        with pytest.raises((CrowdedError, GoneError)):
            call()

    def test_the_system_bounds_what_it_starts_between_two_counts(self, room: Room):
        """Threads are counted as processes are, and a room does not end for them."""
        code = (
            "import threading\nthreading.stack_size(65536)\nwait = threading.Event()\nanswer = 'no end'\n"
            "for number in range(600):\n  try: threading.Thread(target=wait.wait, daemon=True).start()\n"
            "  except RuntimeError:\n    answer = str(number)\n    break\nwait.set()"
        )
        assert int(run(room, code) or 0) <= 512
        assert run(room, "import os\nanswer = os.listdir(os.environ['TMPDIR']) or 'none'") == "none"

    def test_it_cannot_end_or_leave_those_who_look_after_it(self, room: Room, tmp_path: Path):
        code = "import os, signal\nfor pid in {os.getppid()}:\n  os.kill(pid, signal.SIGKILL)\nanswer = 'done'"
        try:
            assert (run(room, code) or "").startswith("PermissionError") or not landlock_version()
        except GoneError:
            assert not landlock_version()
        room.end()
        begin(room, tmp_path)
        assert run(room, "answer = 'next'") == "next"

    def test_it_ends_when_our_process_does(self, tmp_path: Path):
        reads, writes = os.pipe()
        ours = os.fork()
        if ours == 0:
            mine = Room(FEW_VARIABLES)
            begin(mine, tmp_path)
            pid = run(
                mine,
                "import os\nif os.fork() == 0:\n  os.setsid()\n  import time\n  time.sleep(600)\nanswer = str(os.getpid())",
            )
            os.write(writes, str(pid).encode())
            time.sleep(600)
        pid = int(os.read(reads, 20))
        os.kill(ours, 9)
        os.waitpid(ours, 0)
        ends = time.monotonic() + 20
        while is_running(pid) and time.monotonic() < ends:
            time.sleep(0.02)
        assert not is_running(pid)

    @needs_landlock
    def test_it_sees_neither_our_files_nor_our_environment(self, room: Room, tmp_path: Path):
        secret = Path("~/.room_secret").expanduser()
        (tmp_path / ".env").write_text("TOKEN=1")
        code = f"""
import os
seen = []
pid = os.getpid()
while pid > 1:
  pid = int(open(f'/proc/{{pid}}/stat').read().rpartition(')')[2].split()[1])
  for name in ('environ', 'mem', 'maps', 'fd/0'):
    try: open(f'/proc/{{pid}}/{{name}}', 'rb').read(1); seen.append(f'{{pid}} {{name}}')
    except OSError: pass
for path in ({str(secret)!r}, {str(tmp_path / ".env")!r}, '/etc/passwd', '/etc/shadow'):
  try: open(path).read(); seen.append(path)
  except OSError: pass
for path in ({str(tmp_path / "new")!r}, '/tmp/new_of_room'):
  try: open(path, 'w'); seen.append(path)
  except OSError: pass
answer = repr(seen)
"""
        secret.write_text("TOKEN=1")
        try:
            assert run(room, code) == "[]"
        finally:
            secret.unlink()

    def test_it_reads_its_own_folder_and_writes_into_one_that_is_gone_afterwards(self, room: Room, tmp_path: Path):
        (tmp_path / "words.txt").write_text("beside")
        room.end()
        begin(room, tmp_path)
        assert run(room, f"answer = open({str(tmp_path / 'words.txt')!r}).read()") == "beside"
        place = run(
            room,
            "import tempfile\nfile = tempfile.NamedTemporaryFile('w', delete=False)\nfile.write('x')\nfile.flush()\nanswer = file.name",
        )
        room.sweep()
        assert not Path(place or "").exists()
        room.close()
        assert not Path(place or "").parent.exists()


class TestProgram:
    def test_its_output_and_its_end(self):
        room = Room()
        with Path(os.devnull).open() as nothing:
            output, ended = run_program(
                room, ["sh", "-c", "echo out; echo err >&2; exit 4"], nothing.fileno(), PROGRAM_LIMITS, 30
            )
            assert (output, ended.ended, said_by(ended)) == (b"out\n", 4, "err")
            assert run_program(room, ["no-such-program"], nothing.fileno(), PROGRAM_LIMITS, 30)[1].fault
            with pytest.raises(SilentError):
                run_program(room, ["sleep", "60"], nothing.fileno(), PROGRAM_LIMITS, 0.3)
            with pytest.raises(GarbledError):
                run_program(room, ["yes"], nothing.fileno(), PROGRAM_LIMITS, 30, most=100_000)
            output, _ = run_program(
                room, ["sh", "-c", "setsid sleep 600 & echo done"], nothing.fileno(), PROGRAM_LIMITS, 30
            )
            assert output == b"done\n"
        room.close()

    def test_closed_streams_cost_nothing_and_do_not_end_those_who_look_after_it(self):
        """Hundreds of programs, and one that runs on without its streams, with the descriptors of a few."""
        room = Room()
        with Path(os.devnull).open() as nothing, few_descriptors(40):
            for _ in range(100):
                words = ["sh", "-c", "echo out; exec >&- 2>&-; exit 4"]
                output, ended = run_program(room, words, nothing.fileno(), PROGRAM_LIMITS, 30)
                assert (output, ended.reason) == (b"out\n", "exit code 4")
            words = ["sh", "-c", "setsid sleep 600 2>&- & echo $!; exec 2>&-; sleep 1; exit 5"]
            output, ended = run_program(room, words, nothing.fileno(), PROGRAM_LIMITS, 30)
            assert (ended.reason, is_running(int(output))) == ("exit code 5", False)
        room.close()

    def test_one_that_shuts_its_output_and_goes_on_is_told_as_that(self):
        for line, reason in (
            ("echo $$; exec >&- 2>&-; sleep 600", "it had closed its end of the connection"),
            ("echo $$; exec 2>&-; exit 3", "exit code 3"),
            ("echo $$; kill -9 $$", "signal 9"),
        ):
            program = LineProgram(Room(), ["sh", "-c", line], PROGRAM_LIMITS)
            program.allow(30)
            pid = int(program.receive())
            with pytest.raises(GoneError):
                program.receive()
            assert (program.end().reason, is_running(pid)) == (reason, False)

    @pytest.mark.parametrize("most", range(4, 14))
    def test_what_cannot_be_started_for_want_of_descriptors_is_told(self, most: int):
        """The supervisor has as many descriptors as the number says; then it has enough again."""
        room = Room()
        with Path(os.devnull).open() as nothing:
            assert run_program(room, ["true"], nothing.fileno(), PROGRAM_LIMITS, 30)[1].ended == 0
            supervisor = children(os.getpid())[-1]
            for limit in (most, 1024):
                resource.prlimit(supervisor, resource.RLIMIT_NOFILE, (limit, 1024))
                output, ended = run_program(room, ["echo", "out"], nothing.fileno(), PROGRAM_LIMITS, 30)
                assert (output, ended.fault) in ((b"out\n", ""), (b"", "Too many open files"))
            assert output == b"out\n"
        room.close()

    @pytest.mark.parametrize("number", ["STOP", "KILL"])
    def test_one_that_stops_or_ends_those_who_look_after_it_holds_nobody_up(self, number: str):
        program = LineProgram(Room(), ["sh", "-c", f"echo $$; kill -{number} $PPID; sleep 600"], PROGRAM_LIMITS)
        program.allow(30)
        pid = int(program.receive())
        time.sleep(0.2)
        began = time.monotonic()
        ended = program.end()
        assert ("gone" in ended.fault, time.monotonic() - began < 15) == (number == "KILL", True)
        assert not is_running(pid)
