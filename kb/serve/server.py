"""`kb serve`: settings in, a server that answers until it is stopped."""

from __future__ import annotations

import logging
import logging.config
import math
import signal
import socket
import threading
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, cast

import uvicorn
import uvicorn.config

from kb.errors import InputError, KBError
from kb.feedback.store import open_store
from kb.knowledge_base import KnowledgeBase
from kb.serve.access import Access
from kb.serve.chat import create_app
from kb.serve.content_watch import ContentWatch
from kb.serve.current_base import CurrentBase, Watch, folder_mark
from kb.serve.metrics import shared_counters
from kb.serve.owned_folder import owned_folder
from kb.serve.problems import LogWithoutText
from kb.serve.request_log import log_as_json
from kb.serve.session_owner import OwnerSockets
from kb.serve.workers import run_workers
from kb.settings import Settings

__all__ = ["serve"]

_log = logging.getLogger("uvicorn.error")


def serve(settings: Settings | None = None, *, index: Path | str | None = None) -> None:
    """Load the index, shipped or at `index`, and serve chat and API until it is stopped.

    A newer index takes the old one's place while the server runs, on SIGHUP too. Feedback is kept
    where the settings say. The encoder loads while the page is already there. Raises
    IndexFolderError, FeedbackError, InputError where the address cannot be listened on.
    """
    settings = settings or Settings()
    if settings.maintainer_token and not settings.feedback:
        raise InputError(
            "maintainer_token is set, and there is no feedback for the page of maintainers to"
            " show; set feedback too"
        )
    _set_up_log(settings)
    listening = _listen(settings.host, settings.port)
    content = ContentWatch.of(settings, index)
    mark = _mark_of(index)
    seen = mark()  # before it is loaded: what is built meanwhile is loaded once more, not missed
    is_remote = "://" in str(index)
    # A connection to a database is not shared by processes; and such an index follows by itself.
    first = [] if is_remote else [_load(settings, index)]
    load = None if is_remote else partial(_load, settings, index)
    if settings.feedback:
        open_store(settings.feedback).close()  # what is wrong with it is said at the start
    host = f"[{settings.host}]" if ":" in settings.host else settings.host
    _log.info("the chat is at http://%s:%s%s", host, listening.getsockname()[1], settings.root_path)

    def work(worker: int, folder: str = "") -> None:
        # Taken out, so that nothing holds it when another one has taken its place.
        current = CurrentBase(first.pop() if first else _load(settings, index), load)
        look = content.look(current) if content and worker == 0 else None  # one builds for all
        watch = Watch(current, mark, settings.reload_s, seen=seen, before=look)
        owners = OwnerSockets(Path(folder), worker, settings.workers) if folder else None
        _serve_one(settings, current, watch, listening, owners)

    if settings.workers == 1:
        work(0)
        return
    with shared_counters() as forget, owned_folder("kb-workers-") as folder:
        run_workers(settings.workers, partial(work, folder=str(folder)), forget)


def _serve_one(
    settings: Settings,
    current: CurrentBase,
    watch: Watch,
    listening: socket.socket,
    owners: OwnerSockets | None,
) -> None:
    """Answer in this process until it is stopped; what is being answered then is finished."""
    store = open_store(settings.feedback) if settings.feedback else None
    app = create_app(
        current, access=Access.of(settings), feedback=store, mcp=settings.mcp, owners=owners
    )
    loaded = app.state.encoder_loaded
    threading.Thread(target=_warm_up, args=(current.base, loaded), daemon=True).start()
    config = uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        proxy_headers=False,  # `Peers` reads them, and remembers who sent them
        timeout_graceful_shutdown=math.ceil(settings.stop_timeout_s),
    )
    signal.signal(signal.SIGHUP, lambda *_: watch.ask())
    watch.start()
    _Server(config).run(sockets=[listening])
    watch.stop()
    current.base.close()


class _Server(uvicorn.Server):
    """Ends at a signal what would never end by itself, then waits for the rest as uvicorn does."""

    def handle_exit(self, sig: int, frame: Any) -> None:
        super().handle_exit(sig, frame)
        self.config.app.state.end_heartbeats()  # type: ignore[union-attr]


def _set_up_log(settings: Settings) -> None:
    if settings.log_format == "json":
        log_as_json()
    else:
        logging.config.dictConfig(uvicorn.config.LOGGING_CONFIG)
    _log.addFilter(LogWithoutText())


def _load(settings: Settings, index: Path | str | None) -> KnowledgeBase:
    return KnowledgeBase.load(index, settings=settings)


def _mark_of(index: Path | str | None) -> Callable[[], Any]:
    """Return what tells a newer index from the old one; of the shipped one there is none."""
    if index is None or "://" in str(index):
        return lambda: None
    folder = Path(index)
    return lambda: folder_mark(folder)


def _listen(host: str, port: int) -> socket.socket:
    try:
        family, kind, protocol, _, address = socket.getaddrinfo(
            host, port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE
        )[0]
        listening = socket.socket(family, kind, protocol)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind(cast("tuple[str, int]", address))
    except (OSError, OverflowError) as error:
        raise InputError(
            f"{host}:{port} cannot be listened on ({error}); give another --host or --port"
        ) from error
    return listening


def _warm_up(base: KnowledgeBase, loaded: threading.Event) -> None:
    try:
        base.warm_up()
        loaded.set()
    except KBError as error:  # the first question will say so too
        _log.error("the encoder cannot be loaded: %s", error)
