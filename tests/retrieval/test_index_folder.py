from __future__ import annotations

import json
import os
import shutil
import threading

import numpy as np
import pytest

from kb import IndexFolderError, KnowledgeBase
from kb.retrieval.index_folder import load_index, read_manifest
from kb.retrieval.index_writer import save_index
from kb.retrieval.signatures import SignatureMatcher

PAGES = {
    "en/a.md": "## Server hangs {#hang}\n\n```log\nWatchdog timeout …\n```\n\nWait.\n",
    "ko/a.md": "## 서버가 멈춰요 {#hang}\n\n```log\nWatchdog timeout …\n```\n\n기다려요.\n",
    "en/b.md": "## Out of memory {#oom}\n\nLower `--mem-fraction-static`.\n",
    "ko/b.md": "## 메모리가 부족해요 {#oom}\n\n`--mem-fraction-static`을 낮춰요.\n",
}


@pytest.fixture
def built(folder_of, tmp_path):
    """A small index in a folder: (content folder, index folder)."""
    content = folder_of(PAGES)
    KnowledgeBase.build(content, tmp_path / "index")
    return content, tmp_path / "index"


def _file(index, name):
    return index / read_manifest(index)["generation"] / name


def test_a_saved_index_is_loaded_whole(built):
    content, folder = built
    fresh = KnowledgeBase.build(content).index
    loaded = load_index(folder)
    assert loaded.sections == fresh.sections
    assert loaded.chunks == fresh.chunks
    assert loaded.ids == fresh.ids == ("hang", "oom")
    assert np.array_equal(
        loaded.dense.index.reconstruct_n(0, 4), fresh.dense.index.reconstruct_n(0, 4)
    )
    assert np.array_equal(loaded.lexical.scores(["memory"]), fresh.lexical.scores(["memory"]))
    assert isinstance(loaded.matcher, SignatureMatcher) and len(loaded.matcher.signatures) == 1


def test_a_missing_index_names_the_command_that_makes_it(tmp_path):
    with pytest.raises(IndexFolderError, match=r"no index at .*kb build --index"):
        load_index(tmp_path / "none")


def test_a_folder_of_something_else_is_foreign(tmp_path):
    (tmp_path / "photo.jpg").write_bytes(b"x")
    with pytest.raises(IndexFolderError, match=r"is not an index.*photo\.jpg"):
        load_index(tmp_path)


def test_another_programs_manifest_is_foreign(tmp_path):
    (tmp_path / "manifest.json").write_text('{"name": "app"}')
    with pytest.raises(IndexFolderError, match="other program's manifest"):
        load_index(tmp_path)


@pytest.mark.parametrize("name", ["sections.jsonl", "chunks.i32", "vectors.faiss", "data.f32"])
def test_a_truncated_file_is_named(built, name):
    path = _file(built[1], name)
    os.truncate(path, path.stat().st_size // 2)
    with pytest.raises(IndexFolderError, match=rf"truncated: {name}.*kb build"):
        load_index(built[1])


@pytest.mark.parametrize("name", ["sections.jsonl", "chunks.i32", "vectors.faiss", "indptr.i64"])
def test_a_changed_byte_in_any_file_is_found(built, name):
    path = _file(built[1], name)
    raw = bytearray(path.read_bytes())
    raw[len(raw) // 2] ^= 1
    path.write_bytes(raw)
    with pytest.raises(IndexFolderError, match=rf"corrupted: {name}.*kb build"):
        load_index(built[1])


def test_a_missing_file_is_named(built):
    _file(built[1], "vectors.faiss").unlink()
    with pytest.raises(IndexFolderError, match=r"incomplete: vectors\.faiss"):
        load_index(built[1])


def test_a_manifest_edited_by_hand_fails_its_checksum(built):
    path = built[1] / "manifest.json"
    manifest = json.loads(path.read_text())
    manifest["content"] = "0" * 64
    path.write_text(json.dumps(manifest))
    with pytest.raises(IndexFolderError, match="fails its checksum"):
        load_index(built[1])


def test_a_manifest_that_is_no_json_is_corrupted(built):
    (built[1] / "manifest.json").write_text("{")
    with pytest.raises(IndexFolderError, match=r"corrupted: manifest\.json is not JSON"):
        load_index(built[1])


def test_changed_documents_make_the_index_stale(built):
    with pytest.raises(IndexFolderError, match=r"stale: its documents have changed.*kb build"):
        load_index(built[1], expected_content="something else")


def test_a_folder_that_is_in_use_by_something_else_is_not_written_to(built, tmp_path):
    (tmp_path / "home").mkdir()
    (tmp_path / "home" / "thesis.doc").write_text("years of work")
    with pytest.raises(IndexFolderError, match=r"not empty.*thesis\.doc"):
        save_index(load_index(built[1]), tmp_path / "home", "digest")
    assert [path.name for path in (tmp_path / "home").iterdir()] == ["thesis.doc"]


def test_building_the_same_again_leaves_one_generation_and_the_same_manifest(built):
    content, folder = built
    before = (folder / "manifest.json").read_bytes()
    KnowledgeBase.build(content, folder)
    assert (folder / "manifest.json").read_bytes() == before
    assert len([path for path in folder.iterdir() if path.name.startswith("g-")]) == 1


def test_an_edited_section_alone_is_embedded_again(built):
    content, folder = built
    (content / "en" / "b.md").write_text("## Out of memory {#oom}\n\nLower something else.\n")
    embedded = []
    KnowledgeBase.build(content, folder, progress=lambda done, total: embedded.append(total))
    assert embedded == [1]


def test_readers_see_the_old_index_or_the_new_one_never_a_mixture(built):
    content, folder = built
    errors: list[BaseException] = []
    seen: set[int] = set()
    done = threading.Event()

    def read() -> None:
        while not done.is_set():
            try:
                seen.add(len(load_index(folder).sections))
            except BaseException as error:  # noqa: BLE001 whatever a reader meets is shown
                errors.append(error)
                return

    readers = [threading.Thread(target=read) for _ in range(2)]
    for reader in readers:
        reader.start()
    for number in range(6):
        page = "" if number % 2 else "\n## Third {#third}\n\ntext\n"
        (content / "en" / "b.md").write_text(PAGES["en/b.md"] + page)
        KnowledgeBase.build(content, folder)
    done.set()
    for reader in readers:
        reader.join()
    assert not errors
    assert seen == {4, 5}


def test_a_build_killed_before_the_manifest_leaves_the_old_index(built, monkeypatch):
    content, folder = built
    (content / "en" / "b.md").write_text(PAGES["en/b.md"] + "\n## Third {#third}\n\ntext\n")

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("kb.retrieval.index_writer._publish", killed)
        with pytest.raises(KeyboardInterrupt):
            KnowledgeBase.build(content, folder)
    assert len(load_index(folder).sections) == 4
    KnowledgeBase.build(content, folder)
    assert len(load_index(folder).sections) == 5


def test_an_index_moved_elsewhere_still_loads(built, tmp_path):
    shutil.move(built[1], tmp_path / "moved")
    assert load_index(tmp_path / "moved").ids == ("hang", "oom")
