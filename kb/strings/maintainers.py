"""Sentences of the page for maintainers, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
    "maintainers.title": {
        "en": "What the documents don't answer",
        "ko": "문서가 아직 답하지 못하는 질문",
    },
    "maintainers.language": {"en": "Language", "ko": "언어"},
    "maintainers.masked": {
        "en": "Lines are masked: … stands for what varies. A person's words are not kept.",
        "ko": "줄마다 값을 가렸어요. …는 매번 달라지는 부분이에요. 사람이 쓴 글은 남기지 않아요.",
    },
    "maintainers.questions": {"en": "Questions without an answer", "ko": "답을 찾지 못한 질문"},
    "maintainers.kinds": {"en": "Kinds", "ko": "종류"},
    "maintainers.open": {"en": "Kinds to see to", "ko": "아직 살펴볼 종류"},
    "maintainers.votes": {"en": "Votes", "ko": "투표"},
    "maintainers.export": {"en": "Download as Markdown", "ko": "Markdown으로 내려받기"},
    "maintainers.failures": {"en": "Failures that no section fits", "ko": "맞는 항목이 없는 장애"},
    "maintainers.words": {"en": "Questions in words only", "ko": "글로만 물어본 질문"},
    "maintainers.sections": {"en": "Votes by section", "ko": "항목별 투표"},
    "maintainers.closed": {"en": "Done or ignored", "ko": "끝냈거나 무시한 것"},
    "maintainers.none": {"en": "None.", "ko": "없어요."},
    "maintainers.further": {
        "en": "Further kinds: {kinds}, asked {times} times together.",
        "ko": "그 밖에 {kinds}종류가 더 있고, 모두 합쳐 {times}번 물어봤어요.",
    },
    "maintainers.draft": {"en": "Draft of a section", "ko": "항목 초안"},
    "maintainers.near": {"en": "Near {id}", "ko": "{id}에 가까운 질문"},
    "maintainers.near_none": {"en": "Near no section", "ko": "가까운 항목이 없는 질문"},
    "maintainers.times": {"en": "Asked", "ko": "물어본 횟수"},
    "maintainers.languages": {"en": "Language", "ko": "언어"},
    "maintainers.first": {"en": "First", "ko": "처음"},
    "maintainers.last": {"en": "Last", "ko": "마지막"},
    "maintainers.kb_version": {"en": "Version of kb", "ko": "kb 버전"},
    "maintainers.nearest": {"en": "Nearest sections", "ko": "가장 가까운 항목"},
    "maintainers.marked": {"en": "Marked", "ko": "표시"},
    "maintainers.since": {"en": "Asked since", "ko": "그 뒤로 물어본 횟수"},
    "maintainers.done": {"en": "done", "ko": "끝냄"},
    "maintainers.ignored": {"en": "ignored", "ko": "무시함"},
    "maintainers.mark_done": {"en": "Mark as done", "ko": "끝낸 것으로 표시"},
    "maintainers.mark_ignored": {"en": "Ignore", "ko": "무시하기"},
    "maintainers.mark_open": {"en": "Open again", "ko": "다시 열기"},
    "maintainers.section": {"en": "Section", "ko": "항목"},
    "maintainers.not_helpful": {"en": "Not helpful", "ko": "도움 안 됨"},
    "maintainers.helpful": {"en": "Helpful", "ko": "도움 됨"},
    "maintainers.why": {"en": "Why not", "ko": "이유"},
    "maintainers.shown_for": {"en": "Was shown for", "ko": "이 항목이 나온 로그"},
    "maintainers.not_said": {"en": "not said", "ko": "이유 없음"},
    "maintainers.token": {"en": "Token for maintainers", "ko": "관리자 토큰"},
    "maintainers.sign_in": {"en": "Sign in", "ko": "로그인"},
    "maintainers.sign_out": {"en": "Sign out", "ko": "로그아웃"},
    "maintainers.wrong_token": {
        "en": "This is not the token. It is the server's setting maintainer_token (KB_MAINTAINER_TOKEN).",
        "ko": "토큰이 맞지 않아요. 서버 설정 maintainer_token(KB_MAINTAINER_TOKEN)의 값을 넣어 주세요.",
    },
    "maintainers.other_page": {
        "en": "This was not sent by a page of this server, so nothing was changed. Behind a proxy,"
        " let it pass on the Host header.",
        "ko": "이 서버의 페이지에서 보낸 요청이 아니라서 아무것도 바꾸지 않았어요. 프록시 뒤에 있다면"
        " Host 헤더를 그대로 넘기도록 설정해 주세요.",
    },
    "maintainers.no_mark": {
        "en": "There is nothing to mark in this request. Go back and press a button of the page.",
        "ko": "표시할 내용이 없는 요청이에요. 페이지로 돌아가서 버튼을 눌러 주세요.",
    },
    "maintainers.failed": {
        "en": "The feedback cannot be read or written at the moment. The server's log says why.",
        "ko": "지금은 피드백을 읽거나 쓸 수 없어요. 이유는 서버 로그에 있어요.",
    },
    "maintainers.back": {"en": "Back", "ko": "돌아가기"},
}
