from __future__ import annotations

from kb.query.glossary import counterparts


def test_stems_are_found_whatever_ends_a_word():
    assert counterparts("그래프 캡처에서 멈춰요").split() == ["graph", "capture", "hang", "stuck"]
    assert "quantized" in counterparts("양자화된 모델")
    assert "out of memory" in counterparts("启动报显存不足")


def test_english_has_no_counterparts():
    assert counterparts("the graph capture hangs") == ""
