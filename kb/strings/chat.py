"""Sentences of the web chat, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
    "sign_in.title": {
        "en": "Sign in to SGLang troubleshooting",
        "ko": "SGLang 문제 해결 로그인",
    },
    "sign_in.token": {
        "en": "Access token from your administrator",
        "ko": "관리자에게 받은 접속 토큰",
    },
    "sign_in.enter": {
        "en": "Sign in",
        "ko": "로그인",
    },
    "sign_in.leave": {
        "en": "Sign out",
        "ko": "로그아웃",
    },
    "sign_in.wrong": {
        "en": "This token is not right. Check it and try again.",
        "ko": "토큰이 맞지 않아요. 확인하고 다시 입력해 주세요.",
    },
    "chat.title": {
        "en": "SGLang troubleshooting",
        "ko": "SGLang 문제 해결",
    },
    "chat.tagline": {
        "en": "Paste the log of a failing server, get the section that fits, word for word."
        " What you paste is sent nowhere else.",
        "ko": "문제가 생긴 서버의 로그를 붙여 넣으면 딱 맞는 항목을 원문 그대로 보여"
        " 드려요. 붙여 넣은 내용은 다른 곳으로 보내지 않아요.",
    },
    "chat.language": {
        "en": "Language",
        "ko": "언어",
    },
    "chat.language_auto": {
        "en": "Auto",
        "ko": "자동",
    },
    "chat.theme": {
        "en": "Light or dark",
        "ko": "밝게/어둡게",
    },
    "chat.paste": {
        "en": "Log or error",
        "ko": "로그 또는 에러 메시지",
    },
    "chat.paste_placeholder": {
        "en": "Paste the log here, from the first traceback on, or drop a .log or .txt file.",
        "ko": "첫 번째 traceback부터 로그를 붙여 넣거나 .log, .txt 파일을 끌어다 놓으세요.",
    },
    "chat.file": {
        "en": "Open a file",
        "ko": "파일 열기",
    },
    "chat.file_drop": {
        "en": "Drop the file here",
        "ko": "여기에 파일을 놓으세요",
    },
    "chat.file_read": {
        "en": "{name}: {lines} lines",
        "ko": "{name}: {lines}줄",
    },
    "chat.file_too_large": {
        "en": "{name} is too large ({size} MB); at most {limit} MB is read. Paste the part"
        " from the first traceback on.",
        "ko": "{name} 파일이 너무 커요({size} MB). {limit} MB까지 읽을 수 있으니 첫 번째"
        " traceback부터 붙여 넣어 주세요.",
    },
    "chat.file_not_text": {
        "en": "{name} is not a text file. Unpack or export it as text first.",
        "ko": "{name} 파일은 텍스트가 아니에요. 압축을 풀거나 텍스트로 저장해 주세요.",
    },
    "chat.clear": {
        "en": "Clear",
        "ko": "비우기",
    },
    "chat.question": {
        "en": "Question (optional)",
        "ko": "질문(선택)",
    },
    "chat.question_placeholder": {
        "en": "What do you want to know?",
        "ko": "무엇이 궁금한가요?",
    },
    "chat.version": {
        "en": "SGLang version (optional)",
        "ko": "SGLang 버전(선택)",
    },
    "chat.version_placeholder": {
        "en": "read from the log",
        "ko": "로그에서 찾아요",
    },
    "chat.version_found": {
        "en": "log: {version}",
        "ko": "로그: {version}",
    },
    "chat.ask": {
        "en": "Ask",
        "ko": "물어보기",
    },
    "chat.asking": {
        "en": "Looking it up…",
        "ko": "찾고 있어요…",
    },
    "chat.waiting": {
        "en": "Waiting for its turn. Questions in the queue: {count}",
        "ko": "차례를 기다리고 있어요. 대기 중인 질문: {count}개",
    },
    "chat.further": {
        "en": "Asked about the log in the box (lines: {lines}).",
        "ko": "입력한 로그({lines}줄)에 이어서 물어봤어요.",
    },
    "chat.afresh": {
        "en": "Start afresh",
        "ko": "새로 시작",
    },
    "chat.also_log": {
        "en": "About the log itself",
        "ko": "로그에 대한 항목",
    },
    "chat.shortcut": {
        "en": "Ctrl+Enter or ⌘+Enter asks",
        "ko": "Ctrl+Enter 또는 ⌘+Enter로 물어볼 수 있어요",
    },
    "chat.examples": {
        "en": "Examples",
        "ko": "예시",
    },
    "chat.answer": {
        "en": "Answer",
        "ko": "답변",
    },
    "chat.copy": {
        "en": "Copy",
        "ko": "복사",
    },
    "chat.copied": {
        "en": "Copied",
        "ko": "복사됨",
    },
    "chat.copy_command": {
        "en": "Copy the changed command",
        "ko": "바꾼 명령 복사",
    },
    "chat.line": {
        "en": "line {line}",
        "ko": "{line}번째 줄",
    },
    "chat.confidence": {
        "en": "Confidence {percent}%",
        "ko": "확신도 {percent}%",
    },
    "chat.uncertain": {
        "en": "Uncertain: compare the lines",
        "ko": "불확실: 로그와 비교해 보세요",
    },
    "chat.kind_consequence": {
        "en": "A consequence, not the cause",
        "ko": "원인이 아니라 결과",
    },
    "chat.kind_harmless": {
        "en": "Harmless",
        "ko": "문제없음",
    },
    "chat.also": {
        "en": "It may also be",
        "ko": "이것일 수도 있어요",
    },
    "chat.topics": {
        "en": "What is in here: {count} sections",
        "ko": "들어 있는 내용: 항목 {count}개",
    },
    "chat.back": {
        "en": "Back",
        "ko": "돌아가기",
    },
    "chat.section_missing": {
        "en": "There is no such section: {id}",
        "ko": "그런 항목이 없어요: {id}",
    },
    "chat.permalink": {
        "en": "Link to this section",
        "ko": "이 항목의 링크",
    },
    "chat.version_is": {
        "en": "SGLang {version}",
        "ko": "SGLang {version}",
    },
    "chat.version_between": {
        "en": "SGLang {low} to {high}",
        "ko": "SGLang {low}–{high}",
    },
    "chat.version_from": {
        "en": "SGLang {low} or newer",
        "ko": "SGLang {low} 이상",
    },
    "chat.version_to": {
        "en": "SGLang {high} or older",
        "ko": "SGLang {high} 이하",
    },
    "chat.message": {
        "en": "A message of SGLang's own",
        "ko": "SGLang이 내는 메시지예요",
    },
    "chat.message_releases": {
        "en": "In releases {first} to {last}. File:",
        "ko": "{first}–{last} 릴리스에 있어요. 파일:",
    },
    "chat.message_flags": {
        "en": "Flags it names:",
        "ko": "메시지에 나오는 플래그:",
    },
    "chat.accepted": {
        "en": "Flags that are accepted: {count}",
        "ko": "그대로 쓸 수 있는 플래그 {count}개",
    },
    "chat.status_accepted": {
        "en": "accepted",
        "ko": "사용 가능",
    },
    "chat.status_deprecated": {
        "en": "deprecated",
        "ko": "지원 중단 예정",
    },
    "chat.status_not_yet": {
        "en": "not yet",
        "ko": "아직 없음",
    },
    "chat.status_removed": {
        "en": "removed",
        "ko": "없어짐",
    },
    "chat.status_ambiguous": {
        "en": "ambiguous",
        "ko": "모호함",
    },
    "chat.status_unknown": {
        "en": "unknown",
        "ko": "없는 플래그",
    },
    "chat.status_foreign": {
        "en": "not SGLang's",
        "ko": "다른 프로그램 플래그",
    },
    "chat.not_found_advice": {
        "en": "No section fits well enough, and nothing is made up. More of the log, from"
        " the first traceback on, or a question often helps.",
        "ko": "잘 맞는 항목이 없고, 없는 답을 지어내지는 않아요. 첫 번째 traceback부터"
        " 로그를 더 붙여 넣거나 질문을 함께 적으면 찾을 수도 있어요.",
    },
    "chat.which_one_advice": {
        "en": "Open one of the sections below, or ask again with the log, or with what happened"
        " before.",
        "ko": "아래 항목을 열어 보거나, 로그나 그 전에 있었던 일을 함께 적어 다시 물어봐 주세요.",
    },
    "chat.report": {
        "en": "Report it",
        "ko": "제보하기",
    },
    "chat.report_text": {
        "en": "Copy this into an issue. Keys and passwords are masked; look through it all the"
        " same, since the log may hold names.",
        "ko": "이 내용을 복사해서 이슈로 올려 주세요. 키와 비밀번호는 가렸지만, 로그에 이름이 들어"
        " 있을 수 있으니 올리기 전에 살펴보세요.",
    },
    "chat.issue_question": {
        "en": "Question",
        "ko": "질문",
    },
    "chat.issue_version": {
        "en": "SGLang version",
        "ko": "SGLang 버전",
    },
    "chat.issue_command": {
        "en": "Launch command",
        "ko": "실행 명령",
    },
    "chat.issue_log": {
        "en": "Log",
        "ko": "로그",
    },
    "chat.issue_near": {
        "en": "Nearest sections, none of which fits",
        "ko": "가장 가깝지만 맞지 않은 항목",
    },
}
