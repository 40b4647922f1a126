"""Questions that operators ask, indexed beside their sections (document expansion), or not.

Five English, five Korean and one Chinese question of each section in `tests/golden/asked` are
indexed; the others are asked (Nogueira et al., 2019, write such questions by a model).
"""

from __future__ import annotations

from collections import defaultdict
from dataclasses import replace

import numpy as np
from measuring import GOLDEN, KeptVectors, shipped

from kb.evaluation.asked import read_asked
from kb.evaluation.markdown_tables import percent, table
from kb.query.paste import read_query
from kb.retrieval.evidence import collect_evidence, dense_texts
from kb.retrieval.fusion import fuse, read_weights
from kb.retrieval.index import group_terms
from kb.retrieval.lexical import LexicalIndex
from kb.retrieval.tokenization import tokenize

INDEXED = {"en": 5, "ko": 5, "zh": 1}

encoder = KeptVectors()
index = shipped(encoder).index
kept: list[tuple[str, str]] = []  # id, question
asked: list[tuple[str, str, str]] = []  # language, id, question
count: dict[tuple[str, str], int] = defaultdict(int)
for case in read_asked(GOLDEN / "asked"):
    if case.in_scope:
        topic, question = case.topics[0], case.question or case.question_ko or ""
        count[topic, case.language] += 1
        if count[topic, case.language] <= INDEXED[case.language]:
            kept.append((topic, question))
        else:
            asked.append((case.language, topic, question))

owners = np.array([index.positions[topic] for topic, _ in kept])
vectors = encoder.encode_query([question for _, question in kept])
documents = list(group_terms(index.sections))
for topic, question in kept:
    documents[index.positions[topic]] += tokenize(question)
expanded = replace(index, lexical=LexicalIndex.from_terms(documents))
weights = read_weights().ranking
ways: dict[str, dict[str, list[tuple[bool, bool]]]] = defaultdict(lambda: defaultdict(list))
for language, topic, question in asked:
    query = read_query("", question, None)
    texts = dense_texts(query)
    pair = np.zeros((2, vectors.shape[1]), dtype=np.float32)
    pair[0] = encoder.encode_query([texts[0]])[0]
    best = np.full(len(index.ids), -1.0, dtype=np.float32)
    np.maximum.at(best, owners, vectors @ pair[0])
    near = np.clip((best - best.mean()) / (1 - best.mean()), 0, 1)
    present = fuse(collect_evidence(query, index, pair), weights)
    words = fuse(collect_evidence(query, expanded, pair), weights)
    for name, scores in (
        ("sections alone (present)", present),
        ("questions among their words", words),
        ("questions' vectors, weight 2", present + 2 * near),
        ("questions' vectors, weight 4", present + 4 * near),
        ("both, weight 2", words + 2 * near),
    ):
        first = [index.ids[int(n)] for n in np.argsort(-scores, kind="stable")[:3]]
        ways[name][language].append((first[0] == topic, topic in first))
encoder.save()
rows = []
for name, by_language in ways.items():
    cells = [name]
    for language in INDEXED:
        one, three = np.mean(by_language[language], axis=0)
        cells.append(f"{percent(float(one))} / {percent(float(three))}")
    rows.append(cells)
text = table(("", *(f"{language}, top-1 / top-3" for language in INDEXED)), rows)
target = GOLDEN.parent / "quality" / "experiments" / "questions.md"
target.write_text(f"## Document expansion by questions\n\n{__doc__}\n{text}\n", encoding="utf-8")
