"""A `Query` and an `Index` in, the evidence for each section id out: one row of features an id.

Every feature is 0 where there is no evidence and grows with it, so that a fusion with weights of
known sign is monotone in the evidence.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from kb.query.glossary import counterparts
from kb.query.paste import Query
from kb.retrieval.searchable import Compared
from kb.retrieval.signature_evidence import STRONG, signature_features
from kb.retrieval.signatures import Hit
from kb.retrieval.tokenization import tokenize

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    Matrix = NDArray[np.float32]

__all__ = [
    "FEATURES",
    "Evidence",
    "collect_evidence",
    "dense_texts",
    "lexical_terms",
    "with_dense",
]

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
    "consequence_beside_words",  # it is one, and the question speaks of a cause's section: how much
)

# The model that is served, and the program that SGLang is run by or compared with, say where a
# failure was met, not which one; their names are rare in the documents and would outweigh the
# words for what went wrong.
_MODEL_NAME = re.compile(
    r"\b(?:deepseek|qwen|qwq|llama|mi[sx]tral|gemma|kimi|moonshot|glm|chatglm|minimax|hunyuan|internlm"
    r"|phi|yi|baichuan|step|mimo|grok|command-?r|exaone|solar)[-_.]?\d?[\w.-]*"
    r"|(?<![\w-])(?:vllm|verl|slime|openrlhf|xinference|gpustack|tgi|ollama)(?![\w-])"
    r"|/v1/(?:chat/)?completions",  # the route of nearly every request
    re.IGNORECASE,
)

_AS_MUCH = 0.9  # of what a question says of the parent's title, to be about its child
_ASKED_FOR = 0.3  # worth of a signature in the question

# How a process ends when something else has ended it: no exception of its own.
_ENDED = re.compile(r"(?:Killed|Aborted|EOFError|Segmentation fault|Bus error)\b")

# A query of fewer terms says little even where a section holds them all: "hello".
_TELLING_TERMS = 5
# Where the best section has less than this share of what the terms could give, it is the best of
# strangers: a question in a third language, the vocabulary of another trade.
_SURE_SHARE = 0.08
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
    has_log: bool = False  # whether a program's lines were pasted
    about: float = 0.0  # how much the words are about serving, see `kb.retrieval.about`; -1 to 1
    told: float = 0.0  # how much they can tell of that, 0 to 1; 0 where it is not known


def dense_texts(query: Query) -> tuple[str, str]:
    """Return what the encoder is shown of a query: the words and the error, each bounded."""
    return query.words[:MAX_DENSE_CHARS], query.error_text[:MAX_DENSE_CHARS]


def lexical_terms(query: Query) -> dict[str, list[str]]:
    """Return the distinct terms that are looked for, sorted, of each part of a query."""
    parts = {
        "words": f"{_MODEL_NAME.sub(' ', query.words)} {counterparts(query.words)}",
        "error": query.error_text,
        "context": query.context_text,
    }
    return {name: sorted(set(tokenize(text))) for name, text in parts.items()}


def collect_evidence(query: Query, index: Compared, vectors: Matrix | None) -> Evidence:
    """Return the evidence of `query` for every id of `index`.

    `vectors` are the embedded `dense_texts`, `(2, dim) float32`; a zero row where a text is
    empty; None leaves the dense features at 0.
    """
    import numpy as np

    position = {identifier: number for number, identifier in enumerate(index.ids)}
    features = np.zeros((len(index.ids), len(FEATURES)), dtype=np.float32)
    column = {name: number for number, name in enumerate(FEATURES)}

    hits = signature_features(query, index, features, column, position)
    shares = _lexical_features(query, index, features, column)
    _inherit(index, hits, features, column, position)
    _relative_features(index, features, column, position)
    _consequence_features(query, index, hits, features, column, position)
    found = Evidence(
        index.ids,
        features,
        hits,
        shares[0],
        shares[1],
        frozenset(index.consequences),
        query.paste.is_log,
    )
    return found if vectors is None else with_dense(found, index, vectors)


def with_dense(evidence: Evidence, index: Compared, vectors: Matrix) -> Evidence:
    """Return the evidence with its dense features filled; no other feature depends on them."""
    import numpy as np

    features = evidence.features.copy()
    for row, name in enumerate(("dense_words", "dense_error")):
        if vectors[row].any():
            cosines, mean = index.cosines(vectors[row])
            features[:, FEATURES.index(name)] = np.clip((cosines - mean) / (1 - mean), 0, 1)
    return replace(evidence, features=features)


# What a section inherits from the one it stands under, where it has a hit of its own, and from one
# that it links to, where its own hits are frames: the general one says what failed, the special one
# in which case.
_INHERITED = (
    "signature",
    "signature_lines",
    "signature_first",
    "title_error",
    "lexical_error",
    "lexical_error_relative",
)


def _inherit(
    index: Compared,
    hits: Mapping[str, Sequence[Hit]],
    features: Matrix,
    column: Mapping[str, int],
    position: Mapping[str, int],
) -> None:
    told = features[:, column["signature"]].copy()
    # The message is the parent's, and the question says the words of the child's title as well.
    title = column["title_words"]
    parents = index.parents
    for identifier, row in position.items():
        if identifier not in parents:
            continue
        above = position.get(parents[identifier])
        if above is not None and features[row, title] >= _AS_MUCH * features[above, title] > 0:
            for name in ("signature_words", *_INHERITED):
                cell = (row, column[name])
                features[cell] = max(features[cell], features[above, column[name]])
    for owner in hits:
        row = position[owner]
        generals = [index.parents[owner]] if owner in index.parents else []
        if told[row] == 0 and features[row, column["signature_frame"]] >= STRONG:
            generals += [other for other in index.links[owner] if other not in index.consequences]
        for general in generals:
            if general not in hits or told[position[general]] == 0:
                continue
            for name in _INHERITED:
                cell = (row, column[name])
                inherited = float(features[position[general], column[name]])
                features[cell] = max(float(features[cell]), inherited)


def _consequence_features(
    query: Query,
    index: Compared,
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
    has_cause = float(features[causes, column["signature"]].max(initial=0)) >= STRONG
    spoken_of = features[:, column["lexical_words"]] + features[:, column["title_words"]]
    of_cause = float(spoken_of[causes].max(initial=0))
    for identifier in consequences:
        explained = {hit.line for hit in hits.get(identifier, ())}
        row = position[identifier]
        features[row, column["consequence"]] = float(has_cause)
        beside = of_cause - float(spoken_of[row])
        asked_for = features[row, column["signature_words"]] >= _ASKED_FOR  # it is what is quoted
        features[row, column["consequence_beside_words"]] = (
            0.0 if asked_for else min(1.0, max(0.0, beside))
        )
        features[row, column["consequence_beside_cause"]] = float(bool(exceptions - explained))


def _relative_features(
    index: Compared, features: Matrix, column: Mapping[str, int], position: Mapping[str, int]
) -> None:
    """Let a general error speak for the special case that the question and the context are about.

    `CUDA out of memory` is the same line in a dozen sections' stories; those link to the general
    one. The special section gets the general one's hit, in so far as it is what is spoken of.
    """
    signature = features[:, column["signature"]].copy()
    spoken_of = features[:, [column["lexical_words_relative"], column["lexical_context_relative"]]]
    about = spoken_of.max(axis=1) ** 2
    links = index.links
    for identifier, row in position.items():
        linked = links[identifier]
        if linked and signature[row] < STRONG:
            general = max(signature[position[other]] for other in linked)
            features[row, column["signature_relative"]] = general * about[row]


def _lexical_features(
    query: Query, index: Compared, features: Matrix, column: Mapping[str, int]
) -> tuple[float, float]:
    shares = []
    for name, terms in lexical_terms(query).items():
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
            sure = min(1.0, top / idf / _SURE_SHARE)
            features[:, column[f"lexical_{name}_relative"]] = sure * scores / top
        told = min(1.0, len(terms) / _TELLING_TERMS)
        shares.append(told * _best_share(index, terms, idf, int(scores.argmax())))
    return shares[0], shares[1]


def _best_share(index: Compared, terms: Sequence[str], idf: float, best: int) -> float:
    """Return the share of the terms' idf that the best document holds."""
    held = index.lexical.terms_of(best, terms)
    return index.lexical.idf(held) / idf if held else 0.0
