"""A real proxy before replicas, set up as the README shows."""

from __future__ import annotations

import re
import shutil
import socket
import subprocess
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
HAPROXY = shutil.which("haproxy") or shutil.which("haproxy", path="/usr/sbin:/usr/local/sbin")


def free_ports(count: int) -> list[int]:
    """Return ports of this machine that nobody listens on."""
    held = [socket.socket() for _ in range(count)]
    for one in held:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in held]
    for one in held:
        one.close()
    return ports


def start_proxy(folder: Path, front: int, ports: Sequence[int]) -> subprocess.Popen[bytes]:
    """Start it on a port, before servers on others."""
    config = folder / "haproxy.cfg"
    config.write_text(shown_configuration(front, ports))
    with (folder / "haproxy.log").open("wb") as output:
        return subprocess.Popen([str(HAPROXY), "-f", str(config)], stdout=output, stderr=output)


def shown_configuration(front: int, ports: Sequence[int]) -> str:
    """Return the configuration that the README shows, with the addresses of the test."""
    readme = (ROOT / "README.md").read_text(encoding="utf-8")
    shown = re.search(r"^ *```haproxy\n(.*?)^ *```", readme, re.MULTILINE | re.DOTALL)
    assert shown is not None, "the README shows no configuration of a proxy"
    config = re.sub(r"bind \S+", f"bind 127.0.0.1:{front}", shown[1])
    for port in ports:
        config = re.sub(r"( server \w) [a-z]\S+", rf"\1 127.0.0.1:{port}", config, count=1)
    return config
