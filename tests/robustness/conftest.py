"""An index in a folder, another to replace it, and child processes that may be killed."""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kb import KnowledgeBase
from kb.retrieval.index import Index
from kb.retrieval.index_folder import GENERATION, LOCK, MANIFEST, load_index, read_manifest
from kb.retrieval.index_writer import save_index

OLD = "## Server hangs {#hang}\n\n```log\nWatchdog timeout …\n```\n\nWait.\n"
NEW = OLD + "\n## Out of memory {#oom}\n\nLower `--mem-fraction-static`.\n"


@pytest.fixture(scope="session")
def indexes(
    shipped: KnowledgeBase, tmp_path_factory: pytest.TempPathFactory
) -> tuple[Index, Index]:
    """Return two small indexes made by the real encoder: the old one and the new one."""
    built = []
    for name, text in (("old", OLD), ("new", NEW)):
        folder = tmp_path_factory.mktemp(name)
        (folder / "a.md").write_text(text, encoding="utf-8")
        built.append(KnowledgeBase.build(folder, encoder=shipped.encoder).index)
    return built[0], built[1]


@pytest.fixture
def folder(indexes: tuple[Index, Index], tmp_path: Path) -> Path:
    """Return a folder that holds the old index."""
    save_index(indexes[0], tmp_path / "index", "old")
    return tmp_path / "index"


def in_child(work: Callable[[], None]) -> int:
    """Run `work` in a forked process; return how it ended, as `os.waitstatus_to_exitcode`.

    0: done, 3: an error that says what to do, 4: any other exception, negative: killed.
    """
    from kb import KBError

    child = os.fork()
    if child == 0:
        status = 4
        try:
            work()
            status = 0
        except KBError:
            status = 3
        except BaseException:  # noqa: BLE001 a child ends here, whatever happened
            traceback.print_exc(file=sys.__stderr__)
        finally:
            os._exit(status)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def content_of(folder: Path) -> str:
    """Return which index answers, "old" or "new", every file of it checked."""
    index = load_index(folder)
    digest = str(read_manifest(folder)["content"])
    assert index.ids == (("hang",) if digest == "old" else ("hang", "oom"))
    return digest


def left_over(folder: Path) -> Iterator[str]:
    """Yield the names in an index folder that a finished build does not leave."""
    generation = read_manifest(folder)["generation"]
    for path in folder.iterdir():
        if path.name not in (MANIFEST, LOCK, generation) or path.name == f"{GENERATION}-":
            yield path.name
