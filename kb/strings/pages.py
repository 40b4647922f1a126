"""Sentences of the pages that are made, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
    "pages.contents_title": {"en": "Contents", "ko": "차례"},
    "pages.contents_further": {"en": "Further pages", "ko": "그 밖의 페이지"},
    "pages.changes_title": {
        "en": "What each version changed",
        "ko": "버전마다 바뀐 플래그와 환경변수",
    },
    "pages.changes_how": {"en": "How to read this page", "ko": "읽는 법"},
    "pages.changes_note": {
        "en": "Made from the catalogue of SGLang's releases, {oldest} to {newest}. Under each"
        " release stand the flags and environment variables that are renamed, removed or deprecated"
        " with it. In parentheses stand the releases that take a name. From 0.5.3 on a variable that"
        " begins with `SGL_` is copied to the one of the same name with `SGLANG_`, with a warning.",
        "ko": "SGLang {oldest}부터 {newest}까지 릴리스를 모은 카탈로그에서 만든 페이지예요."
        " 릴리스마다 이름이 바뀌거나 없어지거나 지원 중단 예정(deprecated)이 된 플래그와 환경변수를"
        " 적었어요. 괄호 안은 그 이름을 쓸 수 있는 릴리스예요. 0.5.3부터는 `SGL_`로 시작하는 환경변수를"
        " 경고와 함께 같은 이름의 `SGLANG_` 변수로 복사해 줘요.",
    },
    "pages.ambiguous": {
        "en": "{name}: ambiguous, several flags begin with it. Write one of them in full.",
        "ko": "{name}: 이 이름으로 시작하는 플래그가 여럿이라 모호해요. 전체 이름을 쓰세요.",
    },
    "pages.ambiguous_use": {
        "en": "{name}: ambiguous, several flags begin with it. Instead: {use}.",
        "ko": "{name}: 이 이름으로 시작하는 플래그가 여럿이라 모호해요. 대신 쓸 이름: {use}.",
    },
    "pages.removed": {
        "en": "{name}: removed, nothing takes its place.",
        "ko": "{name}: 없어졌고, 대신할 것이 없어요.",
    },
    "pages.removed_use": {
        "en": "{name}: removed. Instead: {use}.",
        "ko": "{name}: 없어졌어요. 대신 쓸 이름: {use}.",
    },
    "pages.deprecated": {
        "en": "{name}: deprecated, still works.",
        "ko": "{name}: 지원 중단 예정(deprecated)이지만 아직 동작해요.",
    },
    "pages.deprecated_use": {
        "en": "{name}: deprecated, still works. Instead: {use}.",
        "ko": "{name}: 지원 중단 예정(deprecated)이지만 아직 동작해요. 대신 쓸 이름: {use}.",
    },
}
