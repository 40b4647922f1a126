"""A small knowledge base in two languages, built once with the real encoder."""

from __future__ import annotations

from pathlib import Path

import pytest

from kb import KnowledgeBase

ENGLISH = """\
# Memory

## CUDA out of memory {#cuda-out-of-memory}

```log
torch.OutOfMemoryError: CUDA out of memory.
```

Lower `--mem-fraction-static`. See [the hang](#server-hangs) and [the FAQ](https://docs.sglang.io/).

## The server hangs {#server-hangs}

```log
Watchdog timeout (self.watchdog_timeout=…)
```

Set `--watchdog-timeout 600` and look for the rank that waits.

## Child process failed {#sigquit .consequence}

```log
Received sigquit from a child process.
```

Something else failed first.
"""

KOREAN = """\
# 메모리

## CUDA out of memory가 나요 {#cuda-out-of-memory}

```log
torch.OutOfMemoryError: CUDA out of memory.
```

`--mem-fraction-static` 값을 낮추세요. [멈추는 경우](#server-hangs)도 보세요.

## 서버가 멈춰요 {#server-hangs}

```log
Watchdog timeout (self.watchdog_timeout=…)
```

`--watchdog-timeout 600`으로 두고 기다리는 rank를 찾으세요.

## 자식 프로세스가 죽었어요 {#sigquit .consequence}

```log
Received sigquit from a child process.
```

다른 문제가 먼저 났어요.
"""


@pytest.fixture(scope="session")
def base(tmp_path_factory: pytest.TempPathFactory) -> KnowledgeBase:
    """Return a knowledge base of three sections in Korean and English."""
    folder: Path = tmp_path_factory.mktemp("docs")
    for language, content in (("en", ENGLISH), ("ko", KOREAN)):
        (folder / language).mkdir()
        (folder / language / "memory.md").write_text(content, encoding="utf-8")
    return KnowledgeBase.build(folder)
