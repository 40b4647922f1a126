"""A `Query` and an `Index` in, the evidence for each section id out: one row of features an id.

Every feature is 0 where there is no evidence and grows with it, so that a fusion with weights of
known sign is monotone in the evidence.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kb.query.log_lines import LogLine, Role
from kb.query.paste import Query
from kb.retrieval.index import Index
from kb.retrieval.signatures import Hit
from kb.retrieval.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

__all__ = ["FEATURES", "Evidence", "collect_evidence", "dense_texts", "failure_line"]

FEATURES = (
    "signature",  # of the id's best hit: how specific, how whole, in what role; 0 to 1
    "signature_frame",  # of its best hit in a stack frame: says where, not what
    "signature_linked",  # of the best hit of a section it links to, where its own are in frames
    "signature_relative",  # likewise, where the question and the context speak of this section
    "signature_lines",  # further distinct signatures of the id in the paste; 0 to 1
    "signature_first",  # whose best hit stands first among the strong ones: 1, 1/2, 1/3 …
    "signature_last",  # of a `log-last` signature where the log ends in it; 0 to 1
    "signature_words",  # a signature inside the question; 0 to 1
    "title_words",  # share of the title's terms that the question holds; 0 to 1
    "title_error",  # likewise the error lines
    "lexical_words",  # BM25 of the question, as a share of what its terms could give
    "lexical_error",  # likewise of the error lines
    "lexical_context",  # likewise of stages, frames, commands
    "lexical_words_relative",  # BM25 of the question, as a share of the best id's
    "lexical_error_relative",
    "lexical_context_relative",
    "dense_words",  # cosine to the question, from the mean of all ids to 1
    "dense_error",  # likewise to the error lines
    "consequence",  # it is a consequence or a harmless notice, and another section's cause is hit
    "consequence_beside_cause",  # it is one, and the paste has an exception it does not explain
)

# The model that is served says where a failure was met, not which one; its name is rare in the
# documents and would outweigh the words for what went wrong.
_MODEL_NAME = re.compile(
    r"\b(?:deepseek|qwen|qwq|llama|mi[sx]tral|gemma|kimi|moonshot|glm|chatglm|minimax|hunyuan|internlm"
    r"|phi|yi|baichuan|step|mimo|grok|command-?r|exaone|solar)[-_.]?\d?[\w.-]*",
    re.IGNORECASE,
)

# How a process ends when something else has ended it: no exception of its own.
_ENDED = re.compile(r"(?:Killed|Aborted|EOFError|Segmentation fault|Bus error)\b")

# What a hit is worth by the line it stands in: an exception's last line says what failed, a frame
# or a source line only where; a line of configuration names flags that need not matter.
_ROLE_WORTH: Mapping[Role, float] = {
    "exception": 1.0,
    "error": 0.95,
    "warning": 0.8,
    "stage": 0.8,
    "batch": 0.7,
    "other": 0.85,
    "prose": 0.85,
    "header": 0.8,
    "frame": 0.75,
    "code": 0.75,
    "progress": 0.7,
    "access": 0.7,
    "command": 0.6,
    "config": 0.5,
}
# Matched letters from which a signature is as specific as it gets.
_FULL_SPECIFICITY = 48
# Hits worth this much take part in the order of causes.
_STRONG = 0.45
_SURE = 0.6
# A query of fewer terms says little even where a section holds them all: "hello".
_TELLING_TERMS = 5
MAX_DENSE_CHARS = 360  # about 100 tokens, 50 ms with the embedded encoder on two cores


@dataclass(frozen=True, slots=True)
class Evidence:
    """The features of all ids, and the hits they come from."""

    ids: tuple[str, ...]
    features: Matrix  # (n_ids, len(FEATURES)) float32
    hits: Mapping[str, tuple[Hit, ...]]  # of the paste, by id, the best first
    idf_share_words: float  # how much of the question any section speaks of, 0 to 1
    idf_share_error: float
    consequences: frozenset[str]  # ids of sections that are never the cause, notices included


def dense_texts(query: Query) -> tuple[str, str]:
    """Return what the encoder is shown of a query: the words and the error, each bounded."""
    return query.words[:MAX_DENSE_CHARS], query.error_text[:MAX_DENSE_CHARS]


def hit_worth(hit: Hit, line: LogLine | None) -> float:
    """Return what a hit proves, 0 to 1: specificity × completeness × role of its line."""
    specificity = min(1.0, math.sqrt(hit.matched / _FULL_SPECIFICITY))
    role = line.role if line is not None else "other"
    return specificity * hit.share * _ROLE_WORTH.get(role, 0.7)


def failure_line(query: Query, hits: Sequence[Hit]) -> int | None:
    """Return the first line in which an exception says beyond doubt what `hits` are for."""
    exceptions = {line.number: line for line in query.paste.of_role("exception")}
    sure = [
        hit.line
        for hit in hits
        if hit.line in exceptions and hit_worth(hit, exceptions[hit.line]) >= _SURE
    ]
    return min(sure, default=None)


def collect_evidence(query: Query, index: Index, vectors: Matrix | None) -> Evidence:
    """Return the evidence of `query` for every id of `index`.

    `vectors` are the embedded `dense_texts`, `(2, dim) float32`; a zero row where a text is
    empty; None leaves the dense features at 0.
    """
    import numpy as np

    position = {identifier: number for number, identifier in enumerate(index.ids)}
    features = np.zeros((len(index.ids), len(FEATURES)), dtype=np.float32)
    column = {name: number for number, name in enumerate(FEATURES)}

    hits = _signature_features(query, index, features, column, position)
    shares = _lexical_features(query, index, features, column)
    if vectors is not None:
        for row, name in enumerate(("dense_words", "dense_error")):
            if vectors[row].any():
                cosines = index.dense.scores(vectors[row : row + 1])[0]
                mean = float(cosines.mean())
                features[:, column[name]] = np.clip((cosines - mean) / (1 - mean), 0, 1)
    _inherit(index, hits, features, column, position)
    _relative_features(index, features, column, position)
    _consequence_features(query, index, hits, features, column, position)
    return Evidence(index.ids, features, hits, shares[0], shares[1], frozenset(index.consequences))


def _signature_features(
    query: Query,
    index: Index,
    features: Matrix,
    column: Mapping[str, int],
    position: Mapping[str, int],
) -> dict[str, tuple[Hit, ...]]:
    lines = {line.number: line for line in query.paste.lines}
    best: dict[str, dict[str, tuple[float, Hit]]] = {}
    for hit in _without_quoted(index, index.matcher.match(query.paste.text)):
        worth = hit_worth(hit, lines.get(hit.line))
        of_owner = best.setdefault(hit.signature.owner, {})
        known = of_owner.get(hit.signature.line)
        if known is None or worth > known[0]:
            of_owner[hit.signature.line] = (worth, hit)
    ordered: dict[str, list[tuple[float, Hit]]] = {
        owner: sorted(of_owner.values(), key=lambda item: (-item[0], item[1].line))
        for owner, of_owner in best.items()
    }
    in_frames = {
        hit
        for found in ordered.values()
        for _, hit in found
        if hit.line in lines and lines[hit.line].role in ("frame", "code")
    }
    told = {
        owner: [(worth, hit) for worth, hit in found if hit not in in_frames]
        for owner, found in ordered.items()
    }
    first_lines = {
        owner: min(hit.line for worth, hit in found if worth >= _STRONG)
        for owner, found in told.items()
        if found and found[0][0] >= _STRONG
    }
    order = sorted(set(first_lines.values()))
    for owner, found in ordered.items():
        row = position[owner]
        frames = [worth for worth, hit in found if hit in in_frames]
        features[row, column["signature"]] = told[owner][0][0] if told[owner] else 0
        features[row, column["signature_frame"]] = max(frames, default=0)
        features[row, column["signature_lines"]] = 1 - math.exp(
            -sum(worth for worth, _ in found[1:])
        )
        if not told[owner]:
            features[row, column["signature_linked"]] = max(
                (told[other][0][0] for other in index.links[owner] if told.get(other)), default=0
            )
        if owner in first_lines:
            features[row, column["signature_first"]] = 1 / (1 + order.index(first_lines[owner]))
    _last_line_features(query, index, features[:, column["signature_last"]], ordered, position)
    for hit in index.matcher.match(query.words):
        row = position[hit.signature.owner]
        worth = hit_worth(hit, None)
        cell = (row, column["signature_words"])
        features[cell] = max(float(features[cell]), worth)
    return {owner: tuple(hit for _, hit in found) for owner, found in ordered.items()}


def _without_quoted(index: Index, hits: Sequence[Hit]) -> list[Hit]:
    """Return the hits without those of causes in the lines of harmless notices.

    A notice quotes the error that it got over: `Ignore import error when loading …: cannot import
    name …`. Its line is its own.
    """
    harmless = {
        identifier
        for identifier, sections in index.by_id.items()
        if any(section.kind == "harmless" for section in sections.values())
    }
    noticed = {hit.line for hit in hits if hit.signature.owner in harmless}
    return [hit for hit in hits if hit.line not in noticed or hit.signature.owner in harmless]


def _last_line_features(
    query: Query,
    index: Index,
    values: Matrix,
    ordered: dict[str, list[tuple[float, Hit]]],
    position: Mapping[str, int],
) -> None:
    """Fill `values` with the worth of hits in the last step, and add these to the ids' hits."""
    line = query.paste.last_step
    if line is None:
        return
    for hit in index.last_matcher.match(line.text):
        worth = hit_worth(hit, line)
        owner = hit.signature.owner
        values[position[owner]] = max(float(values[position[owner]]), worth)
        ordered.setdefault(owner, []).append((worth, replace(hit, line=line.number)))


# What a section inherits from the one it stands under, where it has a hit of its own: the parent
# says what failed, the child in which case.
_INHERITED = (
    "signature",
    "signature_lines",
    "signature_first",
    "title_error",
    "lexical_error",
    "lexical_error_relative",
)


def _inherit(
    index: Index,
    hits: Mapping[str, Sequence[Hit]],
    features: Matrix,
    column: Mapping[str, int],
    position: Mapping[str, int],
) -> None:
    for owner in hits:
        parent = _parent_of(index, owner)
        if parent is None or parent not in hits:
            continue
        for name in _INHERITED:
            cell = (position[owner], column[name])
            above = float(features[position[parent], column[name]])
            features[cell] = max(float(features[cell]), above)


def _consequence_features(
    query: Query,
    index: Index,
    hits: Mapping[str, Sequence[Hit]],
    features: Matrix,
    column: Mapping[str, int],
    position: Mapping[str, int],
) -> None:
    exceptions = {
        line.number
        for line in query.paste.of_role("exception")
        if not _ENDED.match(line.text.strip())
    }
    consequences = index.consequences
    causes = [row for identifier, row in position.items() if identifier not in consequences]
    has_cause = float(features[causes, column["signature"]].max(initial=0)) >= _STRONG
    for identifier in consequences:
        explained = {hit.line for hit in hits.get(identifier, ())}
        row = position[identifier]
        features[row, column["consequence"]] = float(has_cause)
        features[row, column["consequence_beside_cause"]] = float(bool(exceptions - explained))


def _relative_features(
    index: Index, features: Matrix, column: Mapping[str, int], position: Mapping[str, int]
) -> None:
    """Let a general error speak for the special case that the question and the context are about.

    `CUDA out of memory` is the same line in a dozen sections' stories; those link to the general
    one. The special section gets the general one's hit, in so far as it is what is spoken of.
    """
    signature = features[:, column["signature"]].copy()
    spoken_of = features[:, [column["lexical_words_relative"], column["lexical_context_relative"]]]
    about = spoken_of.max(axis=1) ** 2
    for identifier, row in position.items():
        if signature[row] < _STRONG:
            general = max(
                (signature[position[other]] for other in index.links[identifier]), default=0
            )
            features[row, column["signature_relative"]] = general * about[row]


def _parent_of(index: Index, identifier: str) -> str | None:
    return next(iter(index.by_id[identifier].values())).parent


def _lexical_features(
    query: Query, index: Index, features: Matrix, column: Mapping[str, int]
) -> tuple[float, float]:
    shares = []
    for name, text in (
        ("words", query.words),
        ("error", query.error_text),
        ("context", query.context_text),
    ):
        terms = sorted(set(tokenize(_MODEL_NAME.sub(" ", text) if name == "words" else text)))
        idf = index.lexical.idf(terms)
        if not terms or idf <= 0:
            shares.append(0.0)
            continue
        scores = index.lexical.scores(terms)
        if name != "context":
            features[:, column[f"title_{name}"]] = index.titles.shares(terms)
        # Lucene's BM25 gives a term at most its idf: the sum of idfs is what a document could get.
        features[:, column[f"lexical_{name}"]] = scores / idf
        top = float(scores.max())
        if top > 0:
            features[:, column[f"lexical_{name}_relative"]] = scores / top
        told = min(1.0, len(terms) / _TELLING_TERMS)
        shares.append(told * _best_share(index, terms, idf, int(scores.argmax())))
    return shares[0], shares[1]


def _best_share(index: Index, terms: Sequence[str], idf: float, best: int) -> float:
    """Return the share of the terms' idf that the best document holds."""
    held = index.lexical.terms_of(best, terms)
    return index.lexical.idf(held) / idf if held else 0.0
