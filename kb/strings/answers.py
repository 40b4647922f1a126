"""Sentences of an answer, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
    "answer.not_found": {
        "en": "Not in the knowledge base.",
        "ko": "지식 베이스에 없는 내용이에요.",
    },
    "answer.only_flags": {
        "en": "No section fits, but this is what the catalogue of releases says of the names in the"
        " question.",
        "ko": "맞는 항목은 없지만, 질문에 나온 이름을 릴리스 카탈로그에서 찾아봤어요.",
    },
    "answer.which_one": {
        "en": "Several sections may be meant. Which of these is it?",
        "ko": "여러 항목에 해당할 수 있어요. 다음 가운데 어떤 경우인가요?",
    },
    "answer.healthy": {
        "en": "This is the log of a server that serves: no line of it speaks of a failure, nobody"
        " waits, the pool has room. Write what is wrong beside it.",
        "ko": "정상으로 서빙 중인 서버의 로그예요. 실패를 말하는 줄이 없고, 대기하는 요청도 없고, KV 캐시"
        " 풀에도 여유가 있어요. 무엇이 문제인지 질문으로 함께 적어 주세요.",
    },
    "answer.says_nothing": {
        "en": "This knowledge base explains failures of SGLang servers. Paste the log from the"
        " first traceback on, or write what the server does and its version.",
        "ko": "SGLang 서버에서 생긴 문제를 풀어 드리는 지식 베이스예요. 첫 번째 traceback부터 로그를"
        " 붙여 넣거나, 서버에 어떤 일이 생겼는지 버전과 함께 적어 주세요.",
    },
    "answer.acknowledged": {
        "en": "The log is still there: ask on about it, or paste another one.",
        "ko": "로그는 그대로 있으니 이어서 물어보거나 다른 로그를 붙여 넣어 주세요.",
    },
    "answer.consequence_only": {
        "en": "This line mostly says that something else failed first. If there are lines above it,"
        " paste them, from the first traceback on.",
        "ko": "이 줄은 대개 앞에서 다른 문제가 먼저 났다는 뜻이에요. 위에 로그가 더 있다면 첫 번째"
        " traceback부터 붙여 넣어 주세요.",
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
    "answer.command_changes": {
        "en": "Your command with these changes made ({count}):",
        "ko": "{count}가지를 바꾼 실행 명령:",
    },
    "answer.command_rebuilt": {
        "en": "A command rebuilt from the `server_args=` line, with one change made:",
        "ko": "`server_args=` 줄에서 되살린 실행 명령에서 한 가지를 바꿨어요:",
    },
    "answer.command_rebuilt_changes": {
        "en": "A command rebuilt from the `server_args=` line, with these changes made ({count}):",
        "ko": "`server_args=` 줄에서 되살린 실행 명령에서 {count}가지를 바꿨어요:",
    },
    "answer.cut": {
        "en": "(the line goes on)",
        "ko": "(뒤를 줄였어요)",
    },
    "answer.also": {
        "en": "It may also be:",
        "ko": "이것일 수도 있어요:",
    },
    "answer.version": {
        "en": "SGLang {version}, by these lines:",
        "ko": "SGLang {version} 버전이에요. 근거가 된 줄:",
    },
    "answer.version_by_date": {
        "en": "By the date of the log it is {high} or older: later releases did not exist yet.",
        "ko": "로그 날짜로 보면 {high} 이하예요. 그다음 버전은 아직 나오기 전이었어요.",
    },
    "answer.version_stated": {
        "en": "SGLang {version}, as was said.",
        "ko": "알려 주신 SGLang {version} 버전 기준이에요.",
    },
    "answer.contradiction_given": {
        "en": "You gave version {version}, but the log cannot come from it.",
        "ko": "버전을 {version}이라고 알려 주셨지만, 로그는 그 버전에서 나올 수 없어요.",
    },
    "answer.contradiction": {
        "en": "The text says {version}, but the log cannot come from it.",
        "ko": "글에는 {version}이라고 되어 있지만, 로그는 그 버전에서 나올 수 없어요.",
    },
    "answer.message": {
        "en": "This is a message of SGLang's own: `{template}` in `{file}`,"
        " releases {first} to {last}.",
        "ko": "SGLang이 직접 출력하는 메시지예요. `{file}`의 `{template}`,"
        " {first}부터 {last} 버전까지 있어요.",
    },
    "answer.hidden_values": {
        "en": "Values hidden in what you pasted, such as keys and passwords: {count}.",
        "ko": "붙여 넣은 내용에서 키나 비밀번호 같은 값 {count}개를 가렸어요.",
    },
    "program.a training job": {"en": "a training job", "ko": "학습 작업"},
    "program.a miner": {"en": "a miner", "ko": "채굴 프로그램"},
    "program.a database": {"en": "a database", "ko": "데이터베이스"},
    "program.a hosted API": {"en": "a hosted API", "ko": "외부 API 서비스"},
    "program.another program": {"en": "another program", "ko": "다른 프로그램"},
    "answer.looks_foreign": {
        "en": "This looks like {program}, not SGLang.",
        "ko": "SGLang이 아니라 {program} 로그로 보여요.",
    },
}
