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
    "answer.matched": {
        "en": "Lines of your paste that decided:",
        "ko": "이 답을 고른 근거가 된 줄:",
    },
    "answer.nearest": {
        "en": "Nearest sections:",
        "ko": "가장 가까운 항목:",
    },
    "answer.related": {
        "en": "Related sections:",
        "ko": "관련 항목:",
    },
    "answer.flags": {
        "en": "In your version:",
        "ko": "사용 중인 버전에서는:",
    },
    "answer.command": {
        "en": "Your command with the one change made:",
        "ko": "한 가지만 바꾼 실행 명령:",
    },
    "answer.looks_foreign": {
        "en": "This looks like {program}, not SGLang.",
        "ko": "SGLang이 아니라 {program} 로그로 보여요.",
    },
    # --- flags ---
    "flag.accepted": {
        "en": "`{flag}` is accepted in {release}.",
        "ko": "{release}에서 `{flag}` 옵션을 쓸 수 있어요.",
    },
    "flag.accepted_as": {
        "en": "`{flag}` is accepted in {release}, as `{name}`.",
        "ko": "{release}에서 `{flag}` 옵션을 쓸 수 있어요. `{name}` 옵션으로 처리돼요.",
    },
    "flag.deprecated": {
        "en": "`{flag}` still works in {release}, but it is deprecated since {deprecated_since}.",
        "ko": "{release}에서 `{flag}` 옵션은 아직 동작하지만,"
        " {deprecated_since}부터 지원 중단 예정(deprecated)이에요.",
    },
    "flag.deprecated_use": {
        "en": "`{flag}` still works in {release}, but it is deprecated since {deprecated_since}:"
        " use `{use}`.",
        "ko": "{release}에서 `{flag}` 옵션은 아직 동작하지만,"
        " {deprecated_since}부터 지원 중단 예정(deprecated)이에요. 대신 `{use}` 옵션을 쓰세요.",
    },
    "flag.refused": {
        "en": "`{flag}` is declared in {release} only to stop the server with a message.",
        "ko": "{release}에서 `{flag}` 옵션을 쓰면 오류 메시지만 내고 서버가 멈춰요.",
    },
    "flag.refused_use": {
        "en": "`{flag}` is declared in {release} only to stop the server with a message:"
        " use `{use}`.",
        "ko": "{release}에서 `{flag}` 옵션을 쓰면 오류 메시지만 내고 서버가 멈춰요."
        " 대신 `{use}` 옵션을 쓰세요.",
    },
    "flag.not_yet": {
        "en": "`{flag}` does not exist in {release}; it came with {since}.",
        "ko": "{release}에는 `{flag}` 옵션이 아직 없어요. {since}부터 쓸 수 있어요.",
    },
    "flag.not_yet_use": {
        "en": "`{flag}` does not exist in {release}; it came with {since}. Use `{use}`.",
        "ko": "{release}에는 `{flag}` 옵션이 아직 없어요. {since}부터 쓸 수 있어요."
        " 이 버전에서는 `{use}` 옵션을 쓰세요.",
    },
    "flag.removed": {
        "en": "`{flag}` no longer exists in {release}; {last} was the last with it.",
        "ko": "{release}에는 `{flag}` 옵션이 없어요. {last}까지만 있었어요.",
    },
    "flag.removed_use": {
        "en": "`{flag}` no longer exists in {release}; {last} was the last with it. Use `{use}`.",
        "ko": "{release}에는 `{flag}` 옵션이 없어요. {last}까지만 있었어요."
        " 대신 `{use}` 옵션을 쓰세요.",
    },
    "flag.gap": {
        "en": "`{flag}` does not exist in {release}: it was there up to {last} and came back with"
        " {since}.",
        "ko": "{release}에는 `{flag}` 옵션이 없어요. {last}까지 있다가 {since}에서 다시 생겼어요.",
    },
    "flag.gap_use": {
        "en": "`{flag}` does not exist in {release}: it was there up to {last} and came back with"
        " {since}. Use `{use}`.",
        "ko": "{release}에는 `{flag}` 옵션이 없어요. {last}까지 있다가 {since}에서 다시 생겼어요."
        " 이 버전에서는 `{use}` 옵션을 쓰세요.",
    },
    "flag.ambiguous": {
        "en": "`{flag}` is refused in {release} as ambiguous: it could be {candidates}.",
        "ko": "{release}에서는 `{flag}` 옵션이 모호하다고 거부돼요. 후보: {candidates}.",
    },
    "flag.ambiguous_use": {
        "en": "`{flag}` is refused in {release} as ambiguous: it could be {candidates}."
        " Use `{use}`.",
        "ko": "{release}에서는 `{flag}` 옵션이 모호하다고 거부돼요. 후보: {candidates}."
        " `{use}` 옵션을 쓰세요.",
    },
    "flag.unknown": {
        "en": "No release of SGLang up to {release} has a flag `{flag}`.",
        "ko": "{release}까지 SGLang의 어떤 릴리스에도 `{flag}` 옵션이 없어요.",
    },
    "flag.unknown_near": {
        "en": "SGLang has no flag `{flag}`. Near it in {release}: {candidates}.",
        "ko": "SGLang에는 `{flag}` 옵션이 없어요. {release}에 있는 비슷한 옵션: {candidates}.",
    },
    "flag.unknown_use": {
        "en": "SGLang has no flag `{flag}`. Did you mean `{use}`?",
        "ko": "SGLang에는 `{flag}` 옵션이 없어요. `{use}` 옵션을 찾으셨나요?",
    },
    "flag.unknown_hyphens": {
        "en": "`{flag}` is not accepted: flags are written with hyphens. Use `{use}`.",
        "ko": "`{flag}` 옵션은 받아들여지지 않아요. 밑줄(_) 대신 하이픈(-)으로 써야 해요: `{use}`.",
    },
    "flag.foreign": {
        "en": "`{flag}` is a flag of {program}, not of SGLang, which has no counterpart"
        " in {release}.",
        "ko": "`{flag}` 옵션은 SGLang이 아니라 {program} 옵션이에요."
        " {release}에는 대응하는 옵션이 없어요.",
    },
    "flag.foreign_use": {
        "en": "`{flag}` is a flag of {program}, not of SGLang. SGLang's is `{use}`.",
        "ko": "`{flag}` 옵션은 SGLang이 아니라 {program} 옵션이에요."
        " SGLang에서는 `{use}` 옵션을 써요.",
    },
    "flag.remark_unstated": {
        "en": "No version was given, so this is true for {release}, the newest known.",
        "ko": "버전을 알 수 없어서, 알려진 최신 릴리스인 {release} 기준이에요.",
    },
    "flag.remark_newer": {
        "en": "{version} is newer than the catalogue, so this is true for {release},"
        " the newest known.",
        "ko": "{version} 버전은 카탈로그보다 새 버전이라서, 알려진 최신 릴리스인 {release} 기준이에요.",
    },
    "flag.remark_nearest": {
        "en": "{version} is no release; {release} is the nearest to it.",
        "ko": "{version} 버전은 정식 릴리스가 아니라서, 가장 가까운 {release} 기준이에요.",
    },
}


def text(key: str, language: Language, **slots: object) -> str:
    """Return the sentence `key` in `language`, its `{slots}` filled; KeyError if unknown."""
    sentence = STRINGS[key][language]
    return sentence.format(**slots) if slots else sentence
