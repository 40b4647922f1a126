from __future__ import annotations

import pytest

from kb import CorpusError
from kb.corpus.documents import content_digest, read_corpus
from kb.corpus.extra_signatures import read_extra_signatures

PAGE = "## It dies {#died}\n\n```log\nit died: …\n```\n\nText.\n"


@pytest.fixture
def folder(tmp_path):
    (tmp_path / "a.md").write_text(PAGE, encoding="utf-8")
    return tmp_path


def test_further_lines_are_signatures_of_their_section_and_not_of_its_text(folder):
    (folder / "signatures.yaml").write_text("died: |\n  exit code … of it\n  it died: …\n")
    (section,) = read_corpus(folder).sections
    assert section.signatures == ("it died: …", "exit code … of it")
    assert "exit code" not in section.markdown


def test_each_line_has_its_place_in_the_file(folder):
    (folder / "signatures.yaml").write_text("# why\n\ndied: |\n  one\n\n  two\n")
    assert read_extra_signatures(folder).lines == {"died": ((4, "one"), (6, "two"))}


def test_the_digest_of_the_content_knows_the_file(folder):
    before = content_digest(folder)
    (folder / "signatures.yaml").write_text("died: |\n  exit code … of it\n")
    assert content_digest(folder) != before


@pytest.mark.parametrize(
    ("text", "said"),
    [
        (b"gone: |\n  a line\n", "signatures.yaml:1: there is no section `gone`"),
        (b"- a\n- b\n", "signatures.yaml:1: expected `section-id: |`"),
        (b"died:\n  - a\n", "signatures.yaml:1: expected `section-id: |`"),
        (b"died: |\n  a\ndied: |\n  b\n", "signatures.yaml:3: `died` stands here twice"),
        (b"died: [\n", "is not YAML"),
        (b"died: \xff\n", "is not UTF-8"),
        (b"[" * 5000, "signatures.yaml"),
    ],
)
def test_a_bad_file_is_named_with_its_line(folder, text, said):
    (folder / "signatures.yaml").write_bytes(text)
    with pytest.raises(CorpusError) as raised:
        read_corpus(folder)
    assert said in str(raised.value)


def test_a_link_out_of_the_folder_is_not_followed(folder, tmp_path_factory):
    outside = tmp_path_factory.mktemp("outside") / "signatures.yaml"
    outside.write_text("died: |\n  exit code … of it\n")
    (folder / "signatures.yaml").symlink_to(outside)
    with pytest.raises(CorpusError, match="link out of the folder"):
        read_corpus(folder)
