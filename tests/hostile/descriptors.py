"""Few descriptors: programs, servers and modules that close the streams they were given, where no more than some files may be open."""

from collections.abc import Iterator

import msgspec
from hostile import corpus_folders
from hostile.cases import TOOL, Case, as_json
from hostile.foreign_code import ANSWERS, MODULE, OF_MODULE, SERVER, of_code, of_module, of_server

LIMITS = (5, 8, 12, 16, 24, 40, 200)
CLOSED = (">&-", "2>&-", "<&-", ">&- 2>&-", "<&- >&- 2>&-")
THEN = ("cat", "exit 3", "sleep 0.1", "sleep 30", "kill -STOP $PPID", "setsid sleep 30 & exit 0", "kill -9 $$")
CODE = (
    "os.close(0)",
    "os.close(1)",
    "os.close(2)",
    "os.close(1); os.close(2)",
    "os.closerange(1, 3); time.sleep(0.3)",
    "os.close(2); subprocess.Popen(['sleep', '30'], start_new_session=True)",
    "os.dup2(os.open('/dev/null', os.O_RDWR), 2)",
    "kept = [os.open('/dev/null', os.O_RDONLY) for _ in range(40)]",
    "os.close(2); os.kill(os.getppid(), 19)",
)


def limited(case: Case, most: int) -> Case:
    return msgspec.structs.replace(case, name=f"{case.name}, {most} descriptors", descriptors=most)


def of_command(flag: str, command: str) -> Case:
    arguments = ("corpus", "check", "c", flag, command, "--seconds", "1")
    return msgspec.structs.replace(corpus_folders.of_corpus(f"{flag} {command}"), arguments=arguments, runs_code=True)


def children() -> Iterator[Case]:
    for closed in CLOSED:
        for then in THEN:
            yield of_command("--command", f"sh -c 'exec {closed}; {then}'")
            yield of_command("--server", f"sh -c 'exec {closed}; {then}'")
    for code in CODE:
        begun = f"import os, subprocess, sys, time\n{code}\n".encode()
        yield of_server(f"server that begins with {code}", ANSWERS, begun + SERVER)
        yield of_server(
            f"server that ends with {code}", ANSWERS, b"import os, subprocess, time" + SERVER + code.encode()
        )
        yield of_module(f"module with {code}", MODULE.format(code=code, tools=as_json(OF_MODULE).decode()))
        yield of_code(f"functions with {code}", {"m.py": f"import os, subprocess, time\n{code}\ndef {TOOL['function']['name']}(): return 1\n".encode()}, "tools", "read", "m.py")  # fmt: skip


def always() -> Iterator[Case]:
    """Every fifteenth child, with each number of descriptors in turn."""
    for number, case in enumerate(children()):
        if number % 15 == 0:
            yield limited(case, LIMITS[number // 15 % len(LIMITS)])


def some() -> Iterator[Case]:
    """Every child with every number of descriptors."""
    for case in children():
        for most in LIMITS:
            yield limited(case, most)
