"""A question of the chat in, its place in the queue and then its reply out.

The chat waits in the same queue as the HTTP API: a few at a time, turns go round the clients.
"""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from dataclasses import dataclass

from kb.serve.answer_html import error_html
from kb.serve.ask_queue import AskQueue, QueueFullError, TooSlowError
from kb.serve.metrics import Meter
from kb.serve.replies import Reply
from kb.serve.request_log import note_answer
from kb.strings import text
from kb.types import Language

__all__ = ["Asking", "Waiting"]

_FIRST_LOOK_S = 0.4  # most replies are there before that, and nobody is told of a queue
_NEXT_LOOK_S = 1.0


@dataclass(frozen=True, slots=True)
class Waiting:
    """The reply is not there yet."""

    questions: int  # that wait for their turn, of all readers; 0 where it is being answered


class Asking:
    """The queue as the chat sees it."""

    def __init__(self, queue: AskQueue, meter: Meter) -> None:
        """Take the queue, shared with the API, and where refusals are counted."""
        self._queue = queue
        self._meter = meter

    async def run(
        self, call: Callable[[], Reply], page: Language, client: str
    ) -> AsyncIterator[Waiting | Reply]:
        """Yield how many wait for as long as that is so, then the reply of `call`.

        It counts as one of `client`'s. A reader who leaves gives up the place. A queue that is
        full and an answer that takes too long are replies too, in the language of the `page`.
        """
        answering = asyncio.ensure_future(self._queue.run(call, client))
        look_s = _FIRST_LOOK_S
        start = time.perf_counter()
        try:
            while not (await asyncio.wait({answering}, timeout=look_s))[0]:
                yield Waiting(self._queue.waiting)
                look_s = _NEXT_LOOK_S
            reply = answering.result()
            if reply.answer is not None:
                self._meter.answer(reply.answer)
                note_answer(reply.answer, time.perf_counter() - start)
            yield reply
        except QueueFullError:
            self._meter.refuse("queue_full")
            yield _refusal("chat.error_busy", page)
        except TooSlowError:
            self._meter.refuse("time_out")
            yield _refusal("chat.error_slow", page)
        finally:
            answering.cancel()
            await asyncio.wait({answering})  # the place is given up when this is done


def _refusal(key: str, page: Language) -> Reply:
    return Reply(error_html(text("chat.error", page), text(key, page), page))
