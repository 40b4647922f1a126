"""Python imports this at start: every connection that would leave the machine is written down."""

import os
import socket

_RECORD = os.environ["KB_CONNECTIONS"]
_connect, _getaddrinfo = socket.socket.connect, socket.getaddrinfo


def _write(what):
    with open(_RECORD, "a", encoding="utf-8") as record:  # noqa: PTH123 as early as possible
        record.write(f"{what}\n")


def _connect_recorded(self, address):
    if self.family in (socket.AF_INET, socket.AF_INET6):
        host = str(address[0])
        if not (host.startswith("127.") or host in ("::1", "localhost")):
            _write(address)
            raise OSError("no network in this test")
    return _connect(self, address)


def _getaddrinfo_recorded(host, *args, **kwargs):
    if host not in (None, "127.0.0.1", "::1", "localhost"):
        _write(host)
        raise socket.gaierror("no network in this test")
    return _getaddrinfo(host, *args, **kwargs)


socket.socket.connect = _connect_recorded
socket.getaddrinfo = _getaddrinfo_recorded
