"""Rules on `log` fences: each line is specific enough, and tells its section from all others."""

from __future__ import annotations

from collections.abc import Iterator

from kb.corpus.documents import Problem
from kb.corpus.extra_signatures import SIGNATURES_FILE, read_extra_signatures
from kb.corpus.markdown import split_lines
from kb.lint.page import LOG_FENCES
from kb.lint.target import LintTarget
from kb.retrieval.signatures import (
    MIN_MATCHED_CHARS,
    Hit,
    Signature,
    SignatureMatcher,
    compile_signature,
)

__all__ = ["rival_signature", "shared_signature", "weak_signature"]


def weak_signature(target: LintTarget) -> Iterator[Problem]:
    """Report lines of `log` fences with too little literal text to tell anything."""
    for fence in LOG_FENCES:
        for path, number, owner, line in _signature_lines(target, fence):
            signature = compile_signature(owner, line)
            if signature is None or signature.weight < MIN_MATCHED_CHARS:
                message = (
                    f"`{line}` holds too little to be recognised in a log: write more of the line"
                    " as the program prints it, `…` only for what varies"
                )
                yield Problem(path, number, message)


def shared_signature(target: LintTarget) -> Iterator[Problem]:
    """Report lines that stand in the `log` fences of two sections: they decide for neither.

    What a log ends in (`log-last`) is compared with the same of other sections alone.
    """
    for fence in LOG_FENCES:
        owners: dict[str, tuple[str, str, int]] = {}
        for path, number, owner, line in _signature_lines(target, fence):
            known = owners.setdefault(line, (owner, path, number))
            if known[0] != owner:
                message = (
                    f"`{line}` is a signature of `{known[0]}` too ({known[1]}:{known[2]}):"
                    " leave it to one of the two sections"
                )
                yield Problem(path, number, message)


def rival_signature(target: LintTarget) -> Iterator[Problem]:
    """Report signatures that match another section's line at least as well as its own do."""
    for fence in LOG_FENCES:
        lines = list(_signature_lines(target, fence))
        distinct = dict.fromkeys((owner, line) for _, _, owner, line in lines)
        compiled = (compile_signature(owner, line) for owner, line in distinct)
        matcher = SignatureMatcher(signature for signature in compiled if signature is not None)
        for path, number, owner, line in lines:
            for rival in rivals(matcher, owner, line):
                if rival.line != line:  # shared_signature reports equal ones
                    message = (
                        f"`{line}` of `{owner}` is matched as well by `{rival.line}` of"
                        f" `{rival.owner}`: write more of one of the two lines, or leave it out"
                    )
                    yield Problem(path, number, message)


def rivals(matcher: SignatureMatcher, owner: str, line: str) -> list[Signature]:
    """Return the signatures of other owners that match `line` no worse than the best of its own.

    Better is what matches more letters; of two that match as many, what matches whole.
    """
    best: dict[str, Hit] = {}
    for hit in matcher.match(line):
        known = best.get(hit.signature.owner)
        if known is None or _worth(hit) > _worth(known):
            best[hit.signature.owner] = hit
    own = _worth(best[owner]) if owner in best else (0, 0.0)
    return [hit.signature for name, hit in best.items() if name != owner and _worth(hit) >= own]


def _worth(hit: Hit) -> tuple[int, float]:
    return hit.matched, hit.share


def _signature_lines(target: LintTarget, info: str) -> Iterator[tuple[str, int, str, str]]:
    """Yield path, line number, id and text of each line of the `info` fences of searched pages.

    The lines of `signatures.yaml` count with those of the `log` fences.
    """
    if info == "log":
        for identifier, lines in read_extra_signatures(target.folder).lines.items():
            for number, line in lines:
                yield SIGNATURES_FILE, number, identifier, line
    for page, section in target.sections:
        if not page.document.searchable:
            continue
        for fence in page.fences_in(section):
            if fence.info == info:
                for number, line in enumerate(split_lines(fence.text), fence.start_line + 1):
                    if line.strip():
                        yield page.document.path, number, section.id, line.strip()
