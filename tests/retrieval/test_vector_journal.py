from __future__ import annotations

import signal
import subprocess
import sys
import time

import numpy as np
import pytest

from kb import IndexFolderError, KnowledgeBase
from kb.retrieval.embedding import text_digest
from kb.retrieval.index_folder import load_index
from kb.retrieval.vector_journal import JOURNAL, open_journal

PROBE = (0.6, 0.8, 0.0, 0.0)
DIGESTS = [text_digest(f"text {number}") for number in range(3)]
ROWS = np.eye(4, dtype=np.float32)[:3]


class KilledError(Exception):
    """Ends a block as a kill would end a build."""


def _interrupted(folder, digests=DIGESTS, rows=ROWS, probe=PROBE):
    with pytest.raises(KilledError), open_journal(folder, probe) as journal:
        journal.append(digests, rows)
        raise KilledError


def test_what_an_interrupted_build_has_embedded_is_read_again(tmp_path):
    _interrupted(tmp_path)
    with open_journal(tmp_path, PROBE) as journal:
        assert list(journal.vectors) == DIGESTS
        assert np.array_equal(np.stack(list(journal.vectors.values())), ROWS)


def test_a_finished_build_leaves_no_journal(tmp_path):
    with open_journal(tmp_path, PROBE) as journal:
        journal.append(DIGESTS, ROWS)
    assert not (tmp_path / JOURNAL).exists()


def test_a_record_cut_at_any_byte_is_dropped_and_the_others_kept(tmp_path):
    _interrupted(tmp_path)
    whole = (tmp_path / JOURNAL).read_bytes()
    record = 12 + 16 + 4
    for cut in range(1, record + 1):
        (tmp_path / JOURNAL).write_bytes(whole[:-cut])
        with pytest.raises(KilledError), open_journal(tmp_path, PROBE) as journal:
            assert list(journal.vectors) == DIGESTS[:2]
            journal.append(DIGESTS[2:], ROWS[2:])
            raise KilledError
        assert (tmp_path / JOURNAL).read_bytes() == whole


def test_a_changed_byte_in_a_record_drops_it_and_what_follows(tmp_path):
    _interrupted(tmp_path)
    raw = bytearray((tmp_path / JOURNAL).read_bytes())
    raw[-50] ^= 1
    (tmp_path / JOURNAL).write_bytes(raw)
    with open_journal(tmp_path, PROBE) as journal:
        assert list(journal.vectors) == DIGESTS[:1]


@pytest.mark.parametrize("probe", [(0.8, 0.6, 0.0, 0.0), (0.6, 0.8)])
def test_vectors_of_another_encoder_are_not_taken(tmp_path, probe):
    _interrupted(tmp_path)
    with open_journal(tmp_path, probe) as journal:
        assert journal.vectors == {}


def test_a_journal_of_something_else_is_begun_anew(tmp_path):
    (tmp_path / JOURNAL).write_bytes(b"some notes")
    _interrupted(tmp_path)
    with open_journal(tmp_path, PROBE) as journal:
        assert len(journal.vectors) == 3


def test_a_second_build_at_the_same_time_goes_without(tmp_path):
    with open_journal(tmp_path, PROBE) as first, open_journal(tmp_path, PROBE) as second:
        assert first is not None and second is None


def test_a_link_in_place_of_the_journal_is_not_written_through(tmp_path):
    (tmp_path / "precious").write_text("years of work")
    (tmp_path / "index").mkdir()
    (tmp_path / "index" / JOURNAL).symlink_to(tmp_path / "precious")
    with (
        pytest.raises(IndexFolderError, match="cannot be written"),
        open_journal(tmp_path / "index", PROBE),
    ):
        pass
    assert (tmp_path / "precious").read_text() == "years of work"


def test_a_build_killed_while_it_embeds_goes_on_where_it_stopped(folder_of):
    sections = "".join(f"## Case {n} {{#case-{n}}}\n\nFailure number {n}.\n\n" for n in range(160))
    content = folder_of({"cases.md": sections})
    target = content.parent / "index"
    code = f"from kb import KnowledgeBase; KnowledgeBase.build({str(content)!r}, {str(target)!r})"
    build = subprocess.Popen([sys.executable, "-c", code])
    record = 12 + 4 * 384 + 4
    try:
        while not _holds(target / JOURNAL, 32 * record):
            assert build.poll() is None, "the build ended before it could be killed"
            time.sleep(0.005)
    finally:
        build.send_signal(signal.SIGKILL)
        build.wait()
    calls: list[tuple[int, int]] = []
    KnowledgeBase.build(content, target, progress=lambda *state: calls.append(state))
    first, last = calls[0], calls[-1]
    assert 32 <= first[0] < 160 and last == (160, 160)
    assert len(load_index(target).sections) == 160
    assert not (target / JOURNAL).exists()


def _holds(path, size):
    return path.exists() and path.stat().st_size >= size
