"""Messages between this program and foreign code: JSON objects over a socket that keeps packets apart.

Both ends use this file; inside a sandbox it is loaded by its path, so it imports nothing of this package. Each packet begins
with a token that was drawn for this wire. What foreign code writes to the descriptor, such as code that writes to every
descriptor it can find, is a packet without the token and is passed over, so it can neither be taken for an answer nor
hide one.
"""

import json
import select
import socket
import struct
import time
from typing import Any

_HEAD = struct.Struct(">8sB")
_PACKET = 1 << 16
MOST_BYTES = 1 << 26
"""Bytes of one message, with all that is passed over while it is waited for."""
_ENDED = select.POLLHUP | getattr(select, "POLLRDHUP", 0)

Message = dict[str, Any]


class NoAnswerError(Exception):
    """No answer came in time."""


class DisconnectedError(Exception):
    """The other side is gone."""


class MalformedAnswerError(Exception):
    """What came is no message, or is too long."""


class Wire:
    """One end.

    Args:
        end: A socket of a pair that keeps packets apart (`packet_pair`).
        token: Eight bytes that both ends know.
        most: Bytes of one message that are read.
    """

    def __init__(self, end: socket.socket, token: bytes, most: int = MOST_BYTES) -> None:
        self.end, self._token, self._most = end, token, most
        self._room = bytearray(_HEAD.size + _PACKET)
        self._view = memoryview(self._room)

    def send(self, message: Message, seconds: float | None = None) -> None:
        """Send a message.

        Raises:
            NoAnswerError: when the other side does not take it in time.
            DisconnectedError: when the other side is gone.
            TypeError, ValueError, RecursionError: for what is no JSON.
        """
        body = memoryview(json.dumps(message, allow_nan=False).encode())
        ends = None if seconds is None else time.monotonic() + seconds
        for at in range(0, len(body), _PACKET):
            more = at + _PACKET < len(body)
            try:
                self.end.settimeout(_left(ends))
                self.end.sendmsg([_HEAD.pack(self._token, more), body[at : at + _PACKET]])
            except TimeoutError:
                raise NoAnswerError from None
            except OSError:
                raise DisconnectedError from None

    def receive(self, seconds: float | None = None) -> Message:
        """Return the next message; `seconds` is the time until all of it has come, None: no limit.

        Raises:
            NoAnswerError: when time is up.
            DisconnectedError: when the other side is gone.
            MalformedAnswerError: for a message that is no JSON object or too long.
        """
        ends = None if seconds is None else time.monotonic() + seconds
        parts: list[bytes] = []
        bytes_taken, is_more = 0, True
        while is_more:
            size = self._next(ends)
            bytes_taken += size
            if bytes_taken > self._most:
                raise MalformedAnswerError(f"more than {self._most:,} bytes")
            if size >= _HEAD.size and self._room[:8] == self._token:
                parts.append(bytes(self._view[_HEAD.size : size]))
                is_more = bool(self._room[8])
        return _read(b"".join(parts))

    def close(self) -> None:
        """Close this end."""
        self.end.close()

    def _next(self, ends: float | None) -> int:
        """Return the size of the next packet, which is put into the buffer."""
        while True:
            try:
                self.end.settimeout(_left(ends))
                size = self.end.recv_into(self._room)
            except TimeoutError:
                raise NoAnswerError from None
            except OSError:
                raise DisconnectedError from None
            if size:
                return size
            poll = select.poll()
            poll.register(self.end, _ENDED)
            if poll.poll(0):  # else somebody sent an empty packet
                raise DisconnectedError


def packet_pair() -> tuple[socket.socket, socket.socket]:
    """Return both ends of a connection that keeps packets apart."""
    return socket.socketpair(socket.AF_UNIX, socket.SOCK_SEQPACKET)


def _left(ends: float | None) -> float | None:
    """Return the seconds until a moment of the monotonic clock; None without one."""
    return None if ends is None else max(ends - time.monotonic(), 1e-6)


def _read(body: bytes) -> Message:
    """Return the message of a packet's JSON; raises MalformedAnswerError for anything but an object."""
    try:
        message = json.loads(body, parse_constant=_refuse)
    except (ValueError, RecursionError) as fault:
        raise MalformedAnswerError(f"no JSON ({fault})") from None
    if not isinstance(message, dict):
        raise MalformedAnswerError(f"a JSON object is expected, not {type(message).__name__}")
    return message


def _refuse(name: str) -> Any:
    """Raise ValueError for NaN and the infinities (for `parse_constant`)."""
    raise ValueError(f"{name} is no JSON")
