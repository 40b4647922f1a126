"""Sentences of an environment variable, and the release that judged, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
    "variable.accepted": {
        "en": "{release} reads the variable `{flag}`.",
        "ko": "{release}에서 `{flag}` 환경 변수를 읽어요.",
    },
    "variable.deprecated": {
        "en": "The variable `{flag}` is deprecated in {release}, since {deprecated_since}.",
        "ko": "{release}에서 `{flag}` 환경 변수는 {deprecated_since}부터 지원 중단"
        " 예정(deprecated)이에요.",
    },
    "variable.deprecated_use": {
        "en": "The variable `{flag}` is deprecated in {release}, since {deprecated_since}:"
        " use `{use}`.",
        "ko": "{release}에서 `{flag}` 환경 변수는 {deprecated_since}부터 지원 중단"
        " 예정(deprecated)이에요. 대신 `{use}`를 쓰세요.",
    },
    "variable.copied_use": {
        "en": "{release} copies the variable `{flag}` to `{use}`, with a warning, and over a value"
        " that is set there: use `{use}`.",
        "ko": "{release}에서는 경고를 내고 `{flag}` 환경 변수를 `{use}`에 복사해요. `{use}`에 이미 값이"
        " 있어도 덮어써요. `{use}`를 쓰세요.",
    },
    "variable.not_yet": {
        "en": "{release} does not read the variable `{flag}`; it came with {since}.",
        "ko": "{release}에서는 `{flag}` 환경 변수를 읽지 않아요. {since}부터 읽어요.",
    },
    "variable.not_yet_use": {
        "en": "{release} does not read the variable `{flag}`; it came with {since}. Use `{use}`.",
        "ko": "{release}에서는 `{flag}` 환경 변수를 읽지 않아요. {since}부터 읽어요."
        " 이 버전에서는 `{use}`를 쓰세요.",
    },
    "variable.removed": {
        "en": "{release} no longer reads the variable `{flag}`; {last} was the last to do so.",
        "ko": "{release}에서는 `{flag}` 환경 변수를 더 이상 읽지 않아요. {last}까지만 읽었어요.",
    },
    "variable.removed_use": {
        "en": "{release} no longer reads the variable `{flag}`; {last} was the last to do so."
        " Use `{use}`.",
        "ko": "{release}에서는 `{flag}` 환경 변수를 더 이상 읽지 않아요. {last}까지만 읽었어요."
        " 대신 `{use}`를 쓰세요.",
    },
    "variable.unknown": {
        "en": "No release of SGLang up to {release} reads a variable `{flag}`.",
        "ko": "{release}까지 SGLang의 어떤 릴리스도 `{flag}` 환경 변수를 읽지 않아요.",
    },
    "variable.unknown_use": {
        "en": "SGLang reads no variable `{flag}`. Did you mean `{use}`?",
        "ko": "SGLang은 `{flag}` 환경 변수를 읽지 않아요. `{use}`를 찾으셨나요?",
    },
    "flag.remark_unstated": {
        "en": "No version was given, so this is true for {release}, the newest known.",
        "ko": "버전을 알 수 없어서, 알려진 최신 릴리스인 {release} 기준이에요.",
    },
    "flag.remark_newer": {
        "en": "{version} is newer than the catalogue, so this is true for {release},"
        " the newest known.",
        "ko": "{version} 버전은 카탈로그보다 새 버전이라서, 알려진 최신 릴리스인"
        " {release} 기준이에요.",
    },
    "flag.remark_nearest": {
        "en": "{version} is no release; {release} is the nearest to it.",
        "ko": "{version} 버전은 정식 릴리스가 아니라서, 가장 가까운 {release} 기준이에요.",
    },
}
