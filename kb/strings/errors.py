"""Sentences of what a request of the HTTP API, or a question, is refused with, by name and language.

The English ones are those of the exceptions in Python and of the command line too.
"""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
    "error.nothing_pasted": {
        "en": "nothing was pasted; paste the log, or write a question",
        "ko": "붙여 넣은 내용이 없어요. 로그를 붙여 넣거나 질문을 적어 주세요.",
    },
    "error.paste_too_long": {
        "en": "the paste has {size} characters, at most {limit} are read; paste the part from the"
        " first traceback on",
        "ko": "붙여 넣은 내용이 {size}자예요. {limit}자까지 읽을 수 있으니 첫 번째 traceback부터 붙여"
        " 넣어 주세요.",
    },
    "error.no_text": {
        "en": "what was pasted is not text: it holds mostly bytes that are no characters; paste the"
        " log as text, UTF-8 where it is a file",
        "ko": "붙여 넣은 내용이 텍스트가 아니에요. 대부분 문자가 아닌 바이트예요. 로그를 텍스트로 붙여"
        " 넣고, 파일이라면 UTF-8로 저장해 주세요.",
    },
    "error.no_version": {
        "en": "{version!r} is not a version of SGLang: give one like {newest}, the newest this"
        " catalogue knows.",
        "ko": "{version!r}: SGLang 버전이 아니에요. 카탈로그에서 가장 새로운 버전인 {newest}처럼 적어"
        " 주세요.",
    },
    "error.version_too_old": {
        "en": "SGLang {version} is older than the catalogue, which knows {oldest} to {newest}: give"
        " one of these.",
        "ko": "SGLang {version} 버전은 카탈로그에 있는 {oldest}~{newest}보다 오래됐어요. 이 가운데 하나를"
        " 적어 주세요.",
    },
    "error.no_json": {
        "en": "the body is no JSON; send an object as /api/v1/openapi.json says",
        "ko": "본문이 JSON이 아니에요. /api/v1/openapi.json에 나온 대로 객체를 보내 주세요.",
    },
    "error.unreadable": {
        "en": "the body cannot be read; send JSON in UTF-8",
        "ko": "본문을 읽을 수 없어요. UTF-8로 된 JSON을 보내 주세요.",
    },
    "error.no_section": {
        "en": "there is no section with this id; /api/v1/search finds ids",
        "ko": "이 id의 항목이 없어요. /api/v1/search로 id를 찾을 수 있어요.",
    },
    "error.no_route": {
        "en": "there is no such route; /api/v1/openapi.json lists them",
        "ko": "그런 경로가 없어요. 경로는 /api/v1/openapi.json에 모두 있어요.",
    },
    "error.no_method": {
        "en": "this route has another method; /api/v1/openapi.json lists them",
        "ko": "이 경로의 메서드가 아니에요. 메서드는 /api/v1/openapi.json에 모두 있어요.",
    },
    "error.body_too_large": {
        "en": "the request has more than {limit} bytes; paste the part from the first traceback on",
        "ko": "요청이 {limit}바이트보다 커요. 첫 번째 traceback부터 붙여 넣어 주세요.",
    },
    "error.body_too_slow": {
        "en": "the request did not arrive within {seconds} s; send it again",
        "ko": "요청이 {seconds}초 안에 다 도착하지 않았어요. 다시 보내 주세요.",
    },
    "error.reading_too_much": {
        "en": "too much is being read at the moment; try again",
        "ko": "지금 한꺼번에 들어온 요청이 너무 커요. 다시 시도해 주세요.",
    },
    "error.rate_limit": {
        "en": "more than {limit} requests in a minute from this address; try again in {seconds} s",
        "ko": "이 주소에서 1분 동안 보낸 요청이 {limit}개를 넘었어요. {seconds}초 뒤에 다시 시도해 주세요.",
    },
    "error.queue_full": {
        "en": "too many questions at the moment; ask again in a few seconds",
        "ko": "지금은 질문이 너무 많아요. 몇 초 뒤에 다시 물어봐 주세요.",
    },
    "error.too_slow": {
        "en": "there was no answer within {seconds} s; ask again, or paste the part from the first"
        " traceback on",
        "ko": "{seconds}초 안에 답을 찾지 못했어요. 다시 물어보거나 첫 번째 traceback부터 붙여"
        " 넣어 주세요.",
    },
    "error.starting_again": {
        "en": "the server is starting again; ask once more",
        "ko": "서버가 다시 시작하는 중이에요. 한 번 더 물어봐 주세요.",
    },
    "error.failed": {
        "en": "the server failed on this request; its log says where",
        "ko": "이 요청을 처리하다가 서버에서 오류가 났어요. 어디에서 났는지는 서버 로그에 있어요.",
    },
    "error.origin": {
        "en": "this origin is not on the list of allowed origins; start the server with"
        " --allow-origin and the origin, or let the proxy pass on the Host header",
        "ko": "허용 목록에 없는 origin이에요. 서버를 --allow-origin과 이 origin으로 시작하거나, 프록시가"
        " Host 헤더를 그대로 넘기게 해 주세요.",
    },
    "error.needs_token": {
        "en": "the API needs the header `Authorization: Bearer TOKEN` with this server's token",
        "ko": "API를 쓰려면 이 서버의 토큰을 넣은 `Authorization: Bearer TOKEN` 헤더가 필요해요.",
    },
    "error.needs_portal": {
        "en": "this server is reached through the portal that signs its users in",
        "ko": "이 서버는 로그인한 포털을 거쳐서만 쓸 수 있어요.",
    },
    "error.needs_sign_in": {
        "en": "sign in at {path} first",
        "ko": "먼저 {path}에서 로그인해 주세요.",
    },
    "error.vote_type": {
        "en": "send JSON with the header `Content-Type: application/json`",
        "ko": "`Content-Type: application/json` 헤더와 함께 JSON을 보내 주세요.",
    },
    "error.vote_fields": {
        "en": "the vote has other fields than /api/v1/openapi.json says",
        "ko": "평가의 필드가 /api/v1/openapi.json에 나온 것과 달라요.",
    },
    "error.vote_not_kept": {
        "en": "the vote could not be kept; try again later",
        "ko": "평가를 저장하지 못했어요. 나중에 다시 시도해 주세요.",
    },
    # What is wrong with a field, by pydantic's name of it; `{field}` stands in front.
    "invalid.missing": {
        "en": "is missing; it has to be there",
        "ko": "필드가 빠졌어요. 꼭 있어야 해요.",
    },
    "invalid.extra_forbidden": {
        "en": "there is no such field; /api/v1/openapi.json lists them",
        "ko": "그런 필드가 없어요. 필드는 /api/v1/openapi.json에 모두 있어요.",
    },
    "invalid.string_type": {"en": "a text is expected", "ko": "텍스트여야 해요."},
    "invalid.string_too_long": {
        "en": "at most {max_length} characters are expected",
        "ko": "{max_length}자까지 쓸 수 있어요.",
    },
    "invalid.literal_error": {"en": "expected: {expected}", "ko": "쓸 수 있는 값: {expected}"},
    "invalid.int_type": {"en": "a whole number is expected", "ko": "정수여야 해요."},
    "invalid.greater_than_equal": {"en": "{ge} or more is expected", "ko": "{ge} 이상이어야 해요."},
    "invalid.less_than_equal": {"en": "{le} or less is expected", "ko": "{le} 이하여야 해요."},
    "invalid.bool_type": {
        "en": "true or false is expected",
        "ko": "true나 false여야 해요.",
    },
    "invalid.list_type": {"en": "a list is expected", "ko": "목록이어야 해요."},
    "invalid.too_short": {
        "en": "at least {min_length} is expected",
        "ko": "{min_length}개 이상이어야 해요.",
    },
    "invalid.too_long": {
        "en": "at most {max_length} are expected",
        "ko": "{max_length}개까지 쓸 수 있어요.",
    },
    "invalid.model_attributes_type": {"en": "an object is expected", "ko": "객체여야 해요."},
    "invalid.reason_is_against": {
        "en": "a reason goes with `helpful: false` only",
        "ko": "이유는 `helpful: false`일 때만 적을 수 있어요.",
    },
    "invalid.other": {
        "en": "is not what /api/v1/openapi.json says",
        "ko": "/api/v1/openapi.json에 나온 것과 달라요.",
    },
}
