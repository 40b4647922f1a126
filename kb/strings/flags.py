"""Sentences of a flag, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
    "flag.accepted": {
        "en": "`{flag}` is accepted in {release}.",
        "ko": "{release}에서 `{flag}` 플래그를 쓸 수 있어요.",
    },
    "flag.accepted_as": {
        "en": "`{flag}` is accepted in {release}, as `{name}`.",
        "ko": "{release}에서 `{flag}` 플래그를 쓸 수 있어요. `{name}` 플래그로 처리돼요.",
    },
    "flag.accepted_serve": {
        "en": "`{flag}` is accepted in {release} by `sglang serve` alone;"
        " `python -m sglang.launch_server` refuses it.",
        "ko": "{release}에서 `{flag}` 플래그는 `sglang serve`에서만 쓸 수 있어요."
        " `python -m sglang.launch_server`에서는 거부돼요.",
    },
    "flag.accepted_other": {
        "en": "`{flag}` itself ended with {last}; {release} reads it as the beginning of"
        " `{name}`, another flag.",
        "ko": "`{flag}` 플래그는 {last}까지만 있었어요. {release}에서는 다른 플래그인 `{name}` 플래그를"
        " 줄여 쓴 것으로 처리돼요.",
    },
    "flag.deprecated": {
        "en": "`{flag}` still works in {release}, but it is deprecated since {deprecated_since}.",
        "ko": "{release}에서 `{flag}` 플래그는 아직 동작하지만,"
        " {deprecated_since}부터 지원 중단 예정(deprecated)이에요.",
    },
    "flag.deprecated_use": {
        "en": "`{flag}` still works in {release}, but it is deprecated since {deprecated_since}:"
        " use `{use}`.",
        "ko": "{release}에서 `{flag}` 플래그는 아직 동작하지만,"
        " {deprecated_since}부터 지원 중단 예정(deprecated)이에요. 대신 `{use}` 플래그를 쓰세요.",
    },
    "flag.refused": {
        "en": "`{flag}` is refused in {release}: it is declared only to stop the server with a"
        " message.",
        "ko": "{release}에서 `{flag}` 플래그를 쓰면 오류 메시지만 내고 서버가 멈춰요.",
    },
    "flag.refused_use": {
        "en": "`{flag}` is refused in {release}: it is declared only to stop the server with a"
        " message. Use `{use}`.",
        "ko": "{release}에서 `{flag}` 플래그를 쓰면 오류 메시지만 내고 서버가 멈춰요."
        " 대신 `{use}` 플래그를 쓰세요.",
    },
    "flag.refused_since": {
        "en": "`{flag}` is refused in {release}: it is declared only to stop the server with a"
        " message; {accepted_last} was the last to accept it.",
        "ko": "{release}에서 `{flag}` 플래그를 쓰면 오류 메시지만 내고 서버가 멈춰요."
        " {accepted_last}까지 쓸 수 있었어요.",
    },
    "flag.refused_since_use": {
        "en": "`{flag}` is refused in {release}: it is declared only to stop the server with a"
        " message; {accepted_last} was the last to accept it. Use `{use}`.",
        "ko": "{release}에서 `{flag}` 플래그를 쓰면 오류 메시지만 내고 서버가 멈춰요."
        " {accepted_last}까지 쓸 수 있었어요. 대신 `{use}` 플래그를 쓰세요.",
    },
    "flag.not_yet": {
        "en": "`{flag}` does not exist in {release}; it came with {since}.",
        "ko": "{release}에는 `{flag}` 플래그가 아직 없어요. {since}부터 쓸 수 있어요.",
    },
    "flag.not_yet_use": {
        "en": "`{flag}` does not exist in {release}; it came with {since}. Use `{use}`.",
        "ko": "{release}에는 `{flag}` 플래그가 아직 없어요. {since}부터 쓸 수 있어요."
        " 이 버전에서는 `{use}` 플래그를 쓰세요.",
    },
    "flag.removed": {
        "en": "`{flag}` no longer exists in {release}; {last} was the last with it.",
        "ko": "{release}에는 `{flag}` 플래그가 없어요. {last}까지만 있었어요.",
    },
    "flag.removed_use": {
        "en": "`{flag}` no longer exists in {release}; {last} was the last with it. Use `{use}`.",
        "ko": "{release}에는 `{flag}` 플래그가 없어요. {last}까지만 있었어요."
        " 대신 `{use}` 플래그를 쓰세요.",
    },
    "flag.removed_unused": {
        "en": "`{flag}` no longer exists in {release}; up to {last} it only stopped the server with"
        " a message.",
        "ko": "{release}에는 `{flag}` 플래그가 없어요. {last}까지도 쓰면 오류 메시지만 내고 서버가"
        " 멈췄어요.",
    },
    "flag.removed_unused_use": {
        "en": "`{flag}` no longer exists in {release}; up to {last} it only stopped the server with"
        " a message. Use `{use}`.",
        "ko": "{release}에는 `{flag}` 플래그가 없어요. {last}까지도 쓰면 오류 메시지만 내고 서버가"
        " 멈췄어요. 대신 `{use}` 플래그를 쓰세요.",
    },
    "flag.removed_refused": {
        "en": "`{flag}` no longer exists in {release}; {accepted_last} was the last to accept it, and"
        " up to {last} it only stopped the server with a message.",
        "ko": "{release}에는 `{flag}` 플래그가 없어요. {accepted_last}까지 쓸 수 있었고, 그 뒤 {last}까지는"
        " 쓰면 오류 메시지만 내고 서버가 멈췄어요.",
    },
    "flag.removed_refused_use": {
        "en": "`{flag}` no longer exists in {release}; {accepted_last} was the last to accept it, and"
        " up to {last} it only stopped the server with a message. Use `{use}`.",
        "ko": "{release}에는 `{flag}` 플래그가 없어요. {accepted_last}까지 쓸 수 있었고, 그 뒤 {last}까지는"
        " 쓰면 오류 메시지만 내고 서버가 멈췄어요. 대신 `{use}` 플래그를 쓰세요.",
    },
    "flag.gap": {
        "en": "`{flag}` does not exist in {release}: it was there up to {last} and came back with"
        " {since}.",
        "ko": "{release}에는 `{flag}` 플래그가 없어요. {last}까지 있다가 {since}에서 다시 생겼어요.",
    },
    "flag.gap_use": {
        "en": "`{flag}` does not exist in {release}: it was there up to {last} and came back with"
        " {since}. Use `{use}`.",
        "ko": "{release}에는 `{flag}` 플래그가 없어요. {last}까지 있다가 {since}에서 다시 생겼어요."
        " 이 버전에서는 `{use}` 플래그를 쓰세요.",
    },
    "flag.ambiguous": {
        "en": "`{flag}` is refused in {release} as ambiguous: it could be {candidates}.",
        "ko": "{release}에서는 `{flag}` 플래그가 모호하다고 거부돼요. 후보: {candidates}.",
    },
    "flag.ambiguous_use": {
        "en": "`{flag}` is refused in {release} as ambiguous: it could be {candidates}."
        " Use `{use}`.",
        "ko": "{release}에서는 `{flag}` 플래그가 모호하다고 거부돼요. 후보: {candidates}."
        " `{use}` 플래그를 쓰세요.",
    },
    "flag.unknown": {
        "en": "No release of SGLang up to {release} has a flag `{flag}`.",
        "ko": "{release}까지 SGLang의 어떤 릴리스에도 `{flag}` 플래그가 없어요.",
    },
    "flag.unknown_near": {
        "en": "SGLang has no flag `{flag}`. Near it in {release}: {candidates}.",
        "ko": "SGLang에는 `{flag}` 플래그가 없어요. {release}에 있는 비슷한 플래그: {candidates}.",
    },
    "flag.unknown_use": {
        "en": "SGLang has no flag `{flag}`. Did you mean `{use}`?",
        "ko": "SGLang에는 `{flag}` 플래그가 없어요. `{use}` 플래그를 찾으셨나요?",
    },
    "flag.unknown_hyphens": {
        "en": "`{flag}` is not accepted: flags are written with hyphens. Use `{use}`.",
        "ko": "`{flag}` 플래그는 받아들여지지 않아요. 밑줄(_) 대신 하이픈(-)으로 써야 해요: `{use}`.",
    },
    "flag.unknown_elsewhere": {
        "en": "`{flag}` is not accepted: flags are written with hyphens, and {release} has no"
        " `{name}` (known from {since} to {last}).",
        "ko": "`{flag}` 플래그는 받아들여지지 않아요. 밑줄(_) 대신 하이픈(-)으로 써야 하는데,"
        " {release}에는 `{name}` 플래그가 없어요({since}~{last}에 있었어요).",
    },
    "flag.foreign": {
        "en": "`{flag}` is a flag of {program}, not of SGLang, which has no counterpart"
        " in {release}.",
        "ko": "`{flag}` 플래그는 SGLang이 아니라 {program} 플래그예요."
        " {release}에는 대응하는 플래그가 없어요.",
    },
    "flag.foreign_use": {
        "en": "`{flag}` is a flag of {program}, not of SGLang. SGLang's is `{use}`.",
        "ko": "`{flag}` 플래그는 SGLang이 아니라 {program} 플래그예요."
        " SGLang에서는 `{use}` 플래그를 써요.",
    },
    "flags.default": {
        "en": "default: {value}",
        "ko": "기본값: {value}",
    },
    "flags.choices": {
        "en": "choices: {values}",
        "ko": "선택지: {values}",
    },
    "flags.history": {
        "en": "history of `{name}`:",
        "ko": "`{name}`의 이력:",
    },
}
