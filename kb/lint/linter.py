"""A folder of Markdown in, findings out: what is wrong, where, and what to do about it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass, replace
from pathlib import Path

from kb.catalog import Catalog
from kb.corpus.documents import Corpus, Problem, read_corpus
from kb.errors import CorpusError
from kb.lint import (
    rules_files,
    rules_flags,
    rules_links,
    rules_pairs,
    rules_remedies,
    rules_signatures,
)
from kb.lint.target import LintTarget
from kb.types import Language

__all__ = ["RULES", "Finding", "Rule", "lint", "rule_name"]

Rule = Callable[[LintTarget], Iterator[Problem]]

# In the order in which an author wants to hear of them: a file that cannot be read first.
RULES: tuple[Rule, ...] = (
    rules_files.unreadable_file,
    rules_files.merge_marker,
    rules_files.unclosed_fence,
    rules_files.duplicate_id,
    rules_files.empty_section,
    rules_files.heading_jump,
    rules_files.list_layout,
    rules_files.smart_dash,
    rules_files.bare_flag,
    rules_links.dead_link,
    rules_pairs.missing_translation,
    rules_pairs.different_code,
    rules_pairs.different_fence,
    rules_pairs.different_link,
    rules_pairs.different_number,
    rules_remedies.different_remedy,
    rules_signatures.weak_signature,
    rules_signatures.shared_signature,
    rules_signatures.rival_signature,
    rules_flags.unknown_flag,
    rules_flags.unknown_variable,
    rules_flags.version_note,
    rules_flags.flag_version,
    rules_flags.missing_version,
    rules_flags.flag_value,
)


@dataclass(frozen=True, slots=True, order=True)
class Finding:
    """One thing that is wrong with a page."""

    path: str  # relative to the folder, `/` between parts
    line: int  # 1-based; 0 for the file as a whole
    rule: str  # name of the rule, as `--ignore` takes it
    message: str  # what was given, what was expected, what to do

    def __str__(self) -> str:
        """Return `path:line: rule: message`, the form editors can jump to."""
        return f"{self.path}:{self.line}: {self.rule}: {self.message}"


def rule_name(rule: Rule) -> str:
    """Return the name of a rule: its function's, with hyphens."""
    return rule.__name__.replace("_", "-")


def lint(
    folder: Path,
    *,
    catalog: Catalog | None = None,
    strict: bool = False,
    language: Language | None = None,
    ignore: Collection[str] = (),
) -> list[Finding]:
    """Return the findings in `folder`, in order of file and line; an empty list if it is clean.

    Without a catalogue the rules on flags find nothing. `strict` adds what only SGLang's own pages
    can be held to. With a language, the pages of the other one are not looked at.
    Raises CorpusError where there is no Markdown to read.
    """
    corpus = read_corpus(folder, strict=False)
    if language is not None:
        kept = tuple(doc for doc in corpus.documents if doc.language == language)
        corpus = replace(corpus, documents=kept)
    if not corpus.documents:
        raise CorpusError(
            f"{folder} holds no Markdown file to look at; give the folder of the docs"
        )
    return lint_corpus(folder, corpus, catalog, strict=strict, ignore=ignore)


def lint_corpus(
    folder: Path,
    corpus: Corpus,
    catalog: Catalog | None,
    *,
    strict: bool = False,
    ignore: Collection[str] = (),
) -> list[Finding]:
    """Return the findings in documents that were read from `folder`."""
    target = LintTarget(folder, corpus, catalog, strict)
    return sorted(
        Finding(problem.path, problem.line, name, problem.message)
        for rule in RULES
        if (name := rule_name(rule)) not in ignore
        for problem in dict.fromkeys(rule(target))
    )
