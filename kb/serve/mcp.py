"""`kb mcp`: the MCP server on standard input and output, or over HTTP; logs on stderr alone."""

from __future__ import annotations

import ipaddress
import logging
import signal
import socket
import sys
import threading
import traceback
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from kb.errors import InputError, KBError
from kb.knowledge_base import KnowledgeBase
from kb.serve.mcp_stdin import mend_stdin
from kb.settings import Settings

if TYPE_CHECKING:
    from types import TracebackType

    from mcp.server import MCPServer
    from mcp.server.transport_security import TransportSecuritySettings
    from starlette.applications import Starlette

    from kb.serve.ask_queue import AskQueue
    from kb.serve.current_base import CurrentBase

__all__ = ["PATH", "mcp_beside", "serve_http", "serve_stdio"]

PATH = "/mcp"
# Of a character of a paste in the body of a request: UTF-8 takes at most four.
_BYTES_PER_CHAR = 4
_BYTES_AROUND_PASTE = 65_536
_log = logging.getLogger(__name__)


def serve_stdio(index: Path | str | None = None, *, settings: Settings | None = None) -> None:
    """Load the index, shipped or at `index`, and serve one client until it closes its end.

    Raises InputError where the extra is not installed, IndexFolderError.
    """
    server, _ = _server(index, settings)
    # The SDK reads in a thread that nothing can wake; there is nothing to be finished either.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    mend_stdin()
    _log.info("serving MCP; waiting for a client on standard input")
    server.run("stdio")


def serve_http(
    host: str = "127.0.0.1",
    port: int = 7861,
    index: Path | str | None = None,
    *,
    allowed_hosts: Sequence[str] = (),
    settings: Settings | None = None,
) -> None:
    """Serve streamable HTTP at `PATH`, without sessions, until stopped.

    Requests have to name a host this server is known by (`host`, loopback names, `allowed_hosts`),
    and no page of a browser may call it. Raises InputError where the extra is not installed or the
    address cannot be listened on, IndexFolderError.
    """
    names = _host_names(host, allowed_hosts)
    server, base = _server(index, settings)

    import uvicorn
    from mcp.server.transport_security import TransportSecuritySettings

    app = http_app(server, base.settings, TransportSecuritySettings(allowed_hosts=names))
    listening = _listen(host, port)
    shown = f"[{host}]" if ":" in host else host
    _log.info("serving MCP at http://%s:%s%s", shown, listening.getsockname()[1], PATH)
    config = uvicorn.Config(
        app, log_config=None, access_log=False, server_header=False, timeout_graceful_shutdown=3
    )
    uvicorn.Server(config).run(sockets=[listening])


def http_app(
    server: MCPServer[Any], settings: Settings, security: TransportSecuritySettings
) -> Starlette:
    """Return the application that serves at `PATH`; its lifespan has to be run."""
    return server.streamable_http_app(
        streamable_http_path=PATH,
        json_response=True,
        stateless_http=True,  # no memory of clients: any worker answers, a restart loses nothing
        max_request_body_size=settings.max_paste_chars * _BYTES_PER_CHAR + _BYTES_AROUND_PASTE,
        transport_security=security,
    )


def mcp_beside(current: CurrentBase, queue: AskQueue) -> Starlette:
    """Return the application for a server that has guards of its own, to be mounted there.

    Raises InputError where the extra is not installed.
    """
    _check_extra()
    from mcp.server.transport_security import TransportSecuritySettings

    from kb.serve.mcp_server import create_mcp_server

    security = TransportSecuritySettings(enable_dns_rebinding_protection=False)
    return http_app(create_mcp_server(current, queue), current.base.settings, security)


def _check_extra() -> None:
    try:
        from mcp.server import MCPServer  # noqa: F401 - of an older SDK the name is missing
    except ImportError as error:
        raise InputError(
            "MCP needs its SDK, release 2 or later, which is not installed; pip install '.[mcp]'"
        ) from error


def _server(
    index: Path | str | None, settings: Settings | None
) -> tuple[MCPServer[Any], KnowledgeBase]:
    """Return the MCP server and what it answers from, the encoder loading meanwhile."""
    _check_extra()
    from kb.serve.mcp_server import create_mcp_server

    _log_to_stderr()  # before the SDK sets up a log of its own
    base = KnowledgeBase.load(index, settings=settings)
    threading.Thread(target=_warm_up, args=(base,), daemon=True).start()
    return create_mcp_server(base), base


def _warm_up(base: KnowledgeBase) -> None:
    try:
        base.warm_up()
    except KBError as error:  # the first question will say so too
        _log.error("the encoder cannot be loaded: %s", error)


def _host_names(host: str, allowed: Sequence[str]) -> list[str]:
    """Return the Host headers to be answered, each without a port and with any."""
    names = [f"[{name}]" if ":" in name and name[0] != "[" else name for name in allowed]
    if _is_every_address(host):
        if not names:
            raise InputError(
                f"--host {host} listens on every address; give --allow-host NAME for each name or"
                " address that clients call this machine by"
            )
    else:
        names.append(f"[{host}]" if ":" in host else host)
    names += ["127.0.0.1", "localhost", "[::1]"]
    return [form for name in dict.fromkeys(names) for form in (name, f"{name}:*")]


def _is_every_address(host: str) -> bool:
    try:
        return not host or ipaddress.ip_address(host).is_unspecified
    except ValueError:
        return False


def _listen(host: str, port: int) -> socket.socket:
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:
        return socket.create_server((host, port), family=family)
    except (OSError, OverflowError) as error:
        raise InputError(
            f"{host}:{port} cannot be listened on ({error}); give another --host or --port"
        ) from error


class _WithoutValues(logging.Formatter):
    """Tracebacks with the types of the errors, not their messages, which may quote a paste."""

    def formatException(  # noqa: N802 - logging's name
        self,
        ei: tuple[type[BaseException], BaseException, TracebackType | None]
        | tuple[None, None, None],
    ) -> str:
        error = ei[1]
        parts: list[str] = []
        while error is not None:
            parts += [*traceback.format_tb(error.__traceback__), type(error).__name__, "\n"]
            error = error.__cause__ or error.__context__
        return "".join(parts).rstrip()


def _log_to_stderr() -> None:
    logs = logging.StreamHandler(sys.stderr)
    logs.setFormatter(_WithoutValues("kb mcp: %(levelname)s: %(message)s"))
    logging.basicConfig(level=logging.WARNING, handlers=[logs], force=True)
    _log.setLevel(logging.INFO)
