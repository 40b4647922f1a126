"""What may lie in a folder of documents: clear limits, clear errors, nothing read or waited for."""

from __future__ import annotations

import gzip
import os
import socket
import threading

import pytest

from kb import CorpusError, KnowledgeBase
from kb.corpus import files
from kb.corpus.documents import content_digest, read_corpus
from tests.robustness.faults import fault

PAGE = "## Server hangs {#hang}\n\nWait.\n"


@pytest.fixture
def content(folder_of):
    """A folder with one good page."""
    return folder_of({"good.md": PAGE})


def _refused(content, match):
    content_digest(content)  # never raises for a file, and never reads what is refused
    with pytest.raises(CorpusError, match=match):
        read_corpus(content)


@fault("a file of 1 GB (sparse) named `.md`", "refused by its size, none of it read")
def test_a_file_of_a_gigabyte_is_refused_and_not_read(content):
    with (content / "huge.md").open("wb") as file:
        file.truncate(1 << 30)
    before = _read_bytes()
    _refused(content, r"huge\.md:0: 1,073,741,824 bytes; at most 16,777,216 are read")
    assert _read_bytes() - before < 1 << 20


def _read_bytes() -> int:
    with open("/proc/self/io", encoding="ascii") as file:  # noqa: PTH123 a file of the kernel's
        return int(next(line for line in file if line.startswith("rchar")).split()[1])


@fault("a file that grows while it is read", "at most 16 MB of it are taken")
def test_a_file_that_has_grown_since_it_was_looked_at_is_refused(content, monkeypatch):
    monkeypatch.setattr(files, "MAX_FILE_BYTES", 64)
    path = content / "good.md"
    real = os.open

    def grows(name, *arguments):
        with path.open("ab") as file:
            file.write(b"x" * 4096)
        return real(name, *arguments)

    monkeypatch.setattr(files.os, "open", grows)
    with pytest.raises(files.UnreadableFileError, match="at most 64 are read"):
        files.read_limited(path)


@fault(
    "a decompression bomb: 64 MB in 300 kB of gzip named `.md`",
    "nothing is decompressed; refused as binary, with its line",
)
def test_a_compressed_file_is_refused_and_not_decompressed(content):
    with gzip.open(content / "bomb.md", "wb", compresslevel=1) as file:
        for _ in range(64):
            file.write(bytes(1 << 20))
    _refused(content, r"bomb\.md:\d+: (?:holds a NUL byte|is not UTF-8)")


@fault("YAML's billion laughs in the front matter", "the references are never written out")
def test_references_in_the_front_matter_are_not_written_out(content):
    rows = ["a0: &a0 [x, x, x, x, x, x, x, x, x, x]"]
    rows += [f"a{n}: &a{n} [{', '.join([f'*a{n - 1}'] * 10)}]" for n in range(1, 12)]
    text = (
        "---\n" + "\n".join(rows) + "\ntitle: *a11\nlang: *a11\n---\n" + PAGE.replace("hang", "b")
    )
    (content / "bomb.md").write_text(text)
    assert {document.title for document in read_corpus(content).documents} == {
        "Server bs",
        "Server hangs",
    }


@fault(
    "brackets ten thousand deep in the front matter, dates that don't exist", "named, with the line"
)
@pytest.mark.parametrize("value", ["[" * 10_000, "2026-13-45"])
def test_front_matter_that_yaml_cannot_take_is_named(content, value):
    (content / "deep.md").write_text(f"---\nx: {value}\n---\n{PAGE.replace('hang', 'deep')}")
    _refused(content, r"deep\.md:\d+: the front matter is not YAML")


@fault("a binary file named `.md`", "refused, with the line of its first NUL byte")
def test_a_binary_file_is_refused_with_its_line(content):
    (content / "image.md").write_bytes(b"first\nsecond\0\x01\x02")
    _refused(content, r"image\.md:2: holds a NUL byte")


@fault(
    "a pipe, a socket named `.md`, a link to a device",
    "the pipe and the socket are refused and not waited for, the link leads out and is left",
)
def test_a_pipe_or_a_socket_is_refused_and_not_waited_for(content, tmp_path):
    os.mkfifo(content / "pipe.md")
    (content / "device.md").symlink_to("/dev/zero")
    _refused(content, r"pipe\.md:0: is no regular file")
    (content / "pipe.md").unlink()
    with socket.socket(socket.AF_UNIX) as listening:
        here = os.getcwd()  # noqa: PTH109
        os.chdir(content)  # the address of a socket is short
        try:
            listening.bind("socket.md")
        finally:
            os.chdir(here)
        _refused(content, r"socket\.md:0: is no regular file")


@fault(
    "links out of the folder, to itself, to its own folder, to nothing",
    "none is followed; the page beside them is indexed",
)
def test_links_that_lead_out_or_in_circles_are_left(content, tmp_path):
    (tmp_path / "secret.md").write_text("## Secret {#secret}\n\npassword\n")
    (tmp_path / "private").mkdir()
    (tmp_path / "private" / "key.md").write_text("## Key {#key}\n\nkey\n")
    (content / "out.md").symlink_to("../secret.md")
    (content / "folder").symlink_to("../private", target_is_directory=True)
    (content / "self.md").symlink_to("self.md")
    (content / "round").symlink_to(".", target_is_directory=True)
    (content / "dead.md").symlink_to("nowhere.md")
    (content / "one.md").symlink_to("two.md")
    (content / "two.md").symlink_to("one.md")
    assert [section.id for section in read_corpus(content).sections] == ["hang"]


@fault("names with `..`, line ends, quotes, 255 bytes", "a name is a name: the page is indexed")
@pytest.mark.parametrize(
    "name", ["md..md", "a..b.md", "x\ny.md", "\"quo'te`.md", "n" * 252 + ".md"]
)
def test_odd_names_are_names(folder_of, shipped, name):
    content = folder_of({"sub/" + name: PAGE})
    target = content.parent / "index"
    KnowledgeBase.build(content, target, encoder=shipped.encoder)
    assert KnowledgeBase.load(target).index.sections[0].source.path == "sub/" + name


@fault("a name that is not UTF-8", "refused, the name shown with its bytes")
def test_a_name_that_is_not_utf8_is_refused_by_its_bytes(content):
    with open(os.fsencode(content) + b"/caf\xe9.md", "w") as file:  # noqa: PTH123
        file.write(PAGE)
    _refused(content, r"caf\\xe9\.md:0: its name is not UTF-8")


@fault("100,000 other files beside a page", "the page is indexed")
def test_a_hundred_thousand_other_files_are_passed_by(content):
    for number in range(100):
        (content / f"d{number}").mkdir()
        at = os.open(content / f"d{number}", os.O_RDONLY)
        for other in range(1000):
            os.mknod(f"{other}.txt", dir_fd=at)
        os.close(at)
    assert [section.id for section in read_corpus(content).sections] == ["hang"]


@fault("more Markdown files than 200,000", "refused, with the number")
def test_more_files_than_the_limit_are_refused(content, monkeypatch):
    monkeypatch.setattr(files, "MAX_FILES", 3)
    for number in range(4):
        (content / f"{number}.md").write_text("")
    with pytest.raises(CorpusError, match="more than 3 Markdown files; split it"):
        read_corpus(content)


@fault("folders nested 1,500 deep, beyond the longest path", "refused, with the limit of 100")
def test_folders_nested_without_end_are_refused(content):
    at = os.open(content, os.O_RDONLY)
    opened = [at]
    for _ in range(1500):
        os.mkdir("deeper", dir_fd=at)
        at = os.open("deeper", os.O_RDONLY, dir_fd=at)
        opened.append(at)
    try:
        with pytest.raises(CorpusError, match="nested deeper than 100"):
            read_corpus(content)
    finally:
        for parent, child in zip(reversed(opened[:-1]), reversed(opened[1:]), strict=True):
            os.close(child)
            os.rmdir("deeper", dir_fd=parent)
        os.close(opened[0])


@fault("quotes, lists and brackets 20,000 deep in a page", "the page is indexed, its text whole")
@pytest.mark.parametrize(
    "text", ["> " * 20_000 + "x", "- " * 20_000 + "x", "[" * 20_000, "*_" * 20_000]
)
def test_marks_nested_without_end_are_text(folder_of, text):
    content = folder_of({"deep.md": f"## Deep {{#deep}}\n\n{text}\n"})
    assert read_corpus(content).sections[0].markdown.endswith(text)


@fault("a file removed while the folder is read", "named as unreadable, or not there")
def test_a_file_that_goes_while_the_folder_is_read_is_named(content):
    done = threading.Event()

    def comes_and_goes() -> None:
        while not done.is_set():
            (content / "brief.md").write_text(PAGE.replace("hang", "brief"))
            (content / "brief.md").unlink()

    thread = threading.Thread(target=comes_and_goes)
    thread.start()
    try:
        for _ in range(150):
            content_digest(content)
            corpus = read_corpus(content, strict=False)
            assert {document.path for document in corpus.documents} <= {"good.md", "brief.md"}
            assert all("cannot be read: No such file" in str(p) for p in corpus.problems)
    finally:
        done.set()
        thread.join()
