"""Every sentence shown to a user, keyed by name and language; a test proves both columns whole."""

from __future__ import annotations

from kb.types import Language

__all__ = ["STRINGS", "text"]

STRINGS: dict[str, dict[Language, str]] = {
    # --- answer ---
    "answer.not_found": {
        "en": "Not in the knowledge base.",
        "ko": "지식 베이스에 없는 내용이에요.",
    },
    "answer.consequence_only": {
        "en": "This line only says that something else failed first. Paste the lines above it,"
        " from the first traceback on.",
        "ko": "이 줄은 앞에서 다른 문제가 먼저 났다는 뜻일 뿐이에요. 첫 번째 traceback부터,"
        " 이 줄보다 위에 있는 로그를 붙여 넣어 주세요.",
    },
    "answer.looks_foreign": {
        "en": "This looks like {program}, not SGLang.",
        "ko": "SGLang이 아니라 {program} 로그로 보여요.",
    },
}


def text(key: str, language: Language, **slots: object) -> str:
    """Return the sentence `key` in `language`, its `{slots}` filled; KeyError if unknown."""
    sentence = STRINGS[key][language]
    return sentence.format(**slots) if slots else sentence
