"""Sentences of feedback, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
    "feedback.question": {
        "en": "Did this help?",
        "ko": "도움이 됐나요?",
    },
    "feedback.yes": {
        "en": "Yes",
        "ko": "네",
    },
    "feedback.no": {
        "en": "No",
        "ko": "아니요",
    },
    "feedback.why": {
        "en": "What is wrong with it?",
        "ko": "어떤 점이 아쉬웠나요?",
    },
    "feedback.wrong_cause": {
        "en": "Not my failure",
        "ko": "제 문제와 달라요",
    },
    "feedback.did_not_help": {
        "en": "The steps did not help",
        "ko": "따라 해도 해결되지 않았어요",
    },
    "feedback.wrong_version": {
        "en": "Not right for my version",
        "ko": "제 버전에는 맞지 않아요",
    },
    "feedback.unclear": {
        "en": "Hard to follow",
        "ko": "이해하기 어려워요",
    },
    "feedback.other": {
        "en": "Something else",
        "ko": "다른 이유예요",
    },
    "feedback.kept": {
        "en": "Kept on this server: your choice and the error lines of your paste, masked."
        " Neither the paste nor who you are.",
        "ko": "고른 이유와, 붙여 넣은 로그에서 값을 가린 오류 줄만 이 서버에 남겨요."
        " 로그 원문이나 누가 보냈는지는 남기지 않아요.",
    },
    "feedback.kept_unanswered": {
        "en": "So that the missing section can be written, this server keeps the error lines of"
        " your paste, masked. It keeps neither the paste nor who you are.",
        "ko": "빠진 항목을 채울 수 있도록, 붙여 넣은 로그에서 값을 가린 오류 줄만 이 서버에 남겨요."
        " 로그 원문이나 누가 보냈는지는 남기지 않아요.",
    },
    "feedback.thanks": {
        "en": "Thank you, noted.",
        "ko": "알려 주셔서 고마워요.",
    },
    "feedback.failed": {
        "en": "That could not be kept. Try again later.",
        "ko": "의견을 저장하지 못했어요. 잠시 뒤에 다시 시도해 주세요.",
    },
}
