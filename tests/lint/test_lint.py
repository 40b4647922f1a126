"""Every rule by a broken page and a whole one, as Markdown in fixtures/RULE.md.

A case is a title, the files, and what must be found, in order: `path:line: rule: part of the
message`. A title that starts with `strict:` is judged strictly. All rules look at all cases.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kb import CorpusError
from kb.catalog import Catalog
from kb.corpus.documents import Corpus, parse_document
from kb.lint.linter import RULES, lint, lint_corpus, rule_name

FIXTURES = Path(__file__).parent / "fixtures"
NAMES = [rule_name(rule) for rule in RULES]


@dataclass(frozen=True)
class Case:
    rule: str
    title: str
    files: dict[str, str]
    expected: tuple[str, ...]


def _cases() -> list[Case]:
    cases = []
    for path in sorted(FIXTURES.glob("*.md")):
        _, *parts = ("\n" + path.read_text(encoding="utf-8")).split("\n=== ")
        for part in parts:
            title, *files = part.split("\n--- ")
            pieces = dict(file.partition("\n")[::2] for file in files)
            expected = [line for line in pieces.pop("findings").splitlines() if line]
            cases.append(Case(path.stem, title, pieces, tuple(expected)))
    return cases


CASES = _cases()


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.rule}: {case.title}")
def test_findings_are_exactly_those_expected(case, folder_of):
    findings = lint(
        folder_of({path: text + "\n" for path, text in case.files.items()}),
        catalog=Catalog.load(),
        strict=case.title.startswith("strict:"),
    )
    found = sorted(str(finding) for finding in findings)
    assert len(found) == len(case.expected), found
    for finding, expected in zip(found, sorted(case.expected), strict=True):
        place, _, words = expected.partition(f": {case.rule}: ")
        assert finding.startswith(f"{place}: {case.rule}: "), finding
        assert words in finding


@pytest.mark.parametrize("rule", NAMES)
def test_every_rule_has_a_broken_example(rule):
    assert any(case.rule == rule and case.expected for case in CASES)


def test_no_fixture_belongs_to_a_rule_that_is_gone():
    assert {case.rule for case in CASES} <= set(NAMES)


def test_a_file_that_is_no_text_is_named_with_its_line(folder_of):
    (finding,) = lint(folder_of({"a.md": b"## A {#a}\n\n\xff\n"}))
    assert (finding.path, finding.line, finding.rule) == ("a.md", 3, "unreadable-file")


def test_without_a_catalogue_flags_are_left_alone(folder_of):
    assert lint(folder_of({"a.md": "## A {#a}\n\n`--cuda-graph-max-bs 16`\n"}), strict=True) == []


def test_one_language_is_judged_alone(folder_of):
    folder = folder_of({"en/a.md": "## A {#a}\n\ntext\n", "ko/b.md": "## B {#b}\n\n## C {#c}\n"})
    assert {finding.path for finding in lint(folder)} == {"en/a.md", "ko/b.md"}
    assert lint(folder, language="en") == []


def test_a_rule_that_is_ignored_finds_nothing(folder_of):
    folder = folder_of({"a.md": "## A {#a}\n\n#### B {#b}\n\n--port\n"})
    assert [finding.rule for finding in lint(folder)] == ["heading-jump", "bare-flag"]
    assert [finding.rule for finding in lint(folder, ignore=["bare-flag"])] == ["heading-jump"]


def test_a_folder_with_nothing_to_look_at_is_an_error(folder_of, tmp_path):
    with pytest.raises(CorpusError, match="no Markdown file"):
        lint(folder_of({"a.txt": "x"}))
    with pytest.raises(CorpusError, match="is not a folder"):
        lint(tmp_path / "none")


SIGNS = st.sampled_from(
    ["`", "```log\n", "\n", "## ", "{#a}", "[x](#b)", "--port ", "…", " (0.5.9+)"]
)


@settings(max_examples=60, deadline=None)
@given(st.lists(SIGNS | st.text(max_size=5), max_size=25), st.text(max_size=40))
def test_no_text_makes_a_rule_fail_and_every_finding_has_its_line(parts, other):
    texts = {"en/a.md": "".join(parts), "ko/a.md": other}
    documents = tuple(parse_document(text, path) for path, text in texts.items())
    for finding in lint_corpus(Path("none"), Corpus(documents), Catalog.load(), strict=True):
        lines = next(d.lines for d in documents if d.path == finding.path)
        assert 1 <= finding.line <= max(len(lines), 1)
