"""Rights that a process gives up before it runs foreign code, by calls of Linux that Python has no names for.

Inside a sandbox this file is loaded by its path, so it imports nothing of this package. Where the system does not know a
call, nothing happens; `landlock_version` tells what it knows.
"""

import ctypes
import os
import struct
import sys
from collections.abc import Iterable
from contextlib import suppress

_PARENT_DEATH_SIGNAL, _DUMPABLE, _NO_NEW_PRIVILEGES, _SUBREAPER = 1, 4, 38, 36
_CREATE_RULESET, _ADD_RULE, _RESTRICT_SELF = 444, 445, 446
_CAPSET = {"x86_64": 126, "aarch64": 91}
_CAPABILITIES = 0x20080522
_DAC_OVERRIDE = 1 << 1
_FIRST_FREE_ID = 0x70000000
"""User ids from here on are given to nobody by any system."""

_EXECUTE, _WRITE, _READ, _LIST = 1, 2, 4, 8
_TRUNCATE, _REFER, _DEVICE = 1 << 14, 1 << 13, 1 << 15
_OF_FILES = _EXECUTE | _WRITE | _READ | _TRUNCATE | _DEVICE
_READING = _EXECUTE | _READ | _LIST
_NETWORK = 3
_SCOPES = 3
_SYSTEM = (
    *("/usr", "/lib", "/lib32", "/lib64", "/bin", "/sbin", "/opt", "/nix/store", "/proc", "/sys/devices/system/cpu"),
    *("/etc/ld.so.cache", "/etc/localtime", "/etc/mime.types", "/etc/ssl", "/etc/nsswitch.conf", "/etc/os-release"),
)
_DEVICES = ("/dev/null", "/dev/zero", "/dev/full", "/dev/random", "/dev/urandom")


def _libc() -> ctypes.CDLL:
    return ctypes.CDLL(None, use_errno=True)


def _set_option(option: int, value: int) -> None:
    """Set an option of this process by `prctl`; nothing happens elsewhere than on Linux."""
    if sys.platform == "linux":
        _libc().prctl(option, ctypes.c_ulong(value), 0, 0, 0)


def hide() -> None:
    """Make this process's memory and environment unreadable for other processes of the same user."""
    _set_option(_DUMPABLE, 0)


def show() -> None:
    """Undo `hide` in a copy of a process that was hidden."""
    _set_option(_DUMPABLE, 1)


def become_subreaper() -> None:
    """Become the parent of every descendant whose own parent ends, whatever session it is in."""
    _set_option(_SUBREAPER, 1)


def die_with_parent() -> None:
    """End this process when its parent ends."""
    _set_option(_PARENT_DEATH_SIGNAL, 9)


def take_unused_user_id() -> None:
    """As root, take a real user id that nobody else has: the system's limit of processes counts by it, and does not hold for root's.

    Files are opened as before, for which the effective id counts.
    """
    if sys.platform == "linux" and os.geteuid() == 0:
        with suppress(OSError):  # a container may lend no right to it
            os.setresuid(_FIRST_FREE_ID + os.getpid(), -1, -1)


def drop_capabilities() -> None:
    """Give up what root may do beyond other users, except to read files of others."""
    number = _CAPSET.get(os.uname().machine)
    if sys.platform == "linux" and number is not None and os.geteuid() == 0:
        header = struct.pack("=Ii", _CAPABILITIES, 0)
        _libc().syscall(number, header, struct.pack("=6I", _DAC_OVERRIDE, _DAC_OVERRIDE, 0, 0, 0, 0))


def landlock_version() -> int:
    """Return the version of Landlock that the kernel offers; 0: none."""
    if sys.platform != "linux":
        return 0
    return max(0, int(_libc().syscall(_CREATE_RULESET, None, ctypes.c_size_t(0), 1)))


def restrict_files(readable: Iterable[str] | None, writable: Iterable[str] = (), listable: Iterable[str] = ()) -> bool:
    """Take this process and all that it starts out of sight of other processes; False where there is no Landlock.

    It can neither look into processes outside (their environment, memory and files) nor send them signals (since
    version 6 of Landlock).

    Args:
        readable: Files and folders that it may read beside those of the system; then TCP is closed, too. None: its
            files and its network stay as they are.
        writable: Folders in which it may do anything.
        listable: Folders of which it may know the names of files.
    """
    version = landlock_version()
    if not version:
        return False
    _set_option(_NO_NEW_PRIVILEGES, 1)
    files = _file_rights(version) if readable is not None else 1 << 6  # the making of devices, which needs root
    rights_handled = [files]
    if version >= 4:
        rights_handled.append(_NETWORK if readable is not None else 0)
    if version >= 6:
        rights_handled.append(_SCOPES)
    attributes = struct.pack(f"={len(rights_handled)}Q", *rights_handled)
    ruleset = _libc().syscall(_CREATE_RULESET, attributes, ctypes.c_size_t(len(attributes)), 0)
    if ruleset < 0:
        return False
    if readable is not None:
        for paths, rights in (
            ((*_SYSTEM, *readable), _READING),
            (_DEVICES, _READ | _WRITE | _TRUNCATE),
            (writable, files),
            (listable, _LIST),
        ):
            for path in paths:
                _allow(ruleset, path, rights & files)
    done = _libc().syscall(_RESTRICT_SELF, ruleset, 0)
    os.close(ruleset)
    return int(done) == 0


def _file_rights(version: int) -> int:
    """Return the rights over files that a version of Landlock can take away."""
    rights = (1 << 13) - 1
    for since, right in ((2, _REFER), (3, _TRUNCATE), (5, _DEVICE)):
        rights |= right if version >= since else 0
    return rights


def _allow(ruleset: int, path: str, rights: int) -> None:
    """Give a Landlock ruleset rights over a file or a folder; nothing happens where there is none."""
    with suppress(OSError):
        folder_handle = os.open(path, os.O_PATH | os.O_CLOEXEC)
        is_folder = os.path.isdir(path)  # noqa: PTH112 - pathlib is slow to import
        rule = struct.pack("=Qi", rights if is_folder else rights & _OF_FILES, folder_handle)
        _libc().syscall(_ADD_RULE, ruleset, 1, rule, 0)
        os.close(folder_handle)


def folder_without_hidden(folder: str) -> list[str]:
    """Return what stands in a folder but for hidden files and folders, which often hold secrets."""
    with suppress(OSError):
        return [os.path.join(folder, name) for name in os.listdir(folder) if not name.startswith(".")]  # noqa: PTH118, PTH208
    return []
