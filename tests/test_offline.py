"""The default path needs no network: build, load and ask with every socket but loopback closed."""

from __future__ import annotations

import subprocess
import sys

SCRIPT = """
import socket, sys, pathlib
real = socket.socket.connect
def connect(self, address):
    host = address[0] if isinstance(address, tuple) else "unix"
    if host not in ("127.0.0.1", "::1", "unix"):
        raise AssertionError(f"a connection to {host} was tried")
    return real(self, address)
def lookup(host, *rest, **more):
    raise AssertionError(f"{host} was looked up")
socket.socket.connect = connect
socket.socket.connect_ex = connect
socket.getaddrinfo = lookup
socket.gethostbyname = lookup
from kb import KnowledgeBase
content, index = map(pathlib.Path, sys.argv[1:])
KnowledgeBase.build(content, index)
answer = KnowledgeBase.load(index).ask("sglang: CUDA out of memory", language="ko")
assert answer.sections[0].id == "oom", answer
answer = KnowledgeBase.load().ask("sglang: torch.OutOfMemoryError: CUDA out of memory.")
assert answer.found
print("answered")
"""


def test_build_load_and_ask_open_no_connection(folder_of, tmp_path):
    content = folder_of(
        {
            "ko/a.md": "## CUDA out of memory가 나요 {#oom}\n\n줄여 보세요.\n",
            "en/a.md": "## CUDA out of memory {#oom}\n\nLower it.\n",
        }
    )
    done = subprocess.run(
        [sys.executable, "-c", SCRIPT, str(content), str(tmp_path / "index")],
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    assert done.stdout.strip() == "answered"
