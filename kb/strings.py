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
    "answer.looks_foreign": {
        "en": "This looks like {program}, not SGLang.",
        "ko": "SGLang이 아니라 {program} 로그로 보여요.",
    },
    # --- flags ---
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
    # --- environment variables ---
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
    # --- launch command ---
    "command.smart_dash": {
        "en": "`{flag}` starts with a typographic dash, which the parser does not take for a flag:"
        " type `{use}`.",
        "ko": "`{flag}`의 앞은 하이픈 두 개가 아니라 긴 줄표라서 플래그로 인식되지 않아요. `{use}`로"
        " 다시 입력해 주세요.",
    },
    "command.takes_no_value": {
        "en": "It is a switch and takes no value: leave out `{value}`.",
        "ko": "값을 받지 않는 스위치예요. `{value}`를 빼 주세요.",
    },
    "command.needs_value": {
        "en": "It needs a value, and none follows.",
        "ko": "값이 필요한데 뒤에 아무 값도 없어요.",
    },
    "command.too_many_values": {
        "en": "It takes one value; `{value}` is left over.",
        "ko": "값을 하나만 받아요. `{value}`가 남아요.",
    },
    "command.not_int": {
        "en": "`{value}` is not a whole number.",
        "ko": "`{value}`: 정수가 아니에요.",
    },
    "command.not_float": {
        "en": "`{value}` is not a number.",
        "ko": "`{value}`: 숫자가 아니에요.",
    },
    "command.not_human_readable_int": {
        "en": "`{value}` is not a whole number.",
        "ko": "`{value}`: 정수가 아니에요.",
    },
    "command.not_a_choice": {
        "en": "`{value}` is not a value it takes in {release}. It takes {choices}.",
        "ko": "{release}에서 받는 값에 `{value}`는 없어요. 쓸 수 있는 값: {choices}.",
    },
    "command.out_of_range": {
        "en": "`{value}` is out of range: {low} to {high}.",
        "ko": "`{value}`: 범위({low}–{high})를 벗어났어요.",
    },
    "command.already": {
        "en": "`{present}` is already at or past `{remedy}`, so the next remedy counts.",
        "ko": "지금 값(`{present}`)이 이미 `{remedy}`만큼이거나 그 이상으로 바뀌어 있어서 다음 방법으로"
        " 넘어가요.",
    },
    "command.earlier_steps": {
        "en": "This is step {step} of the list, the first that a changed command alone can make;"
        " look at the steps before it first.",
        "ko": "목록의 {step}번 단계로, 명령만 고치면 되는 첫 단계예요. 앞 단계부터 확인해 보세요.",
    },
    "command.unset_lower": {
        "en": "Your command does not set `{flag}`, so the server chose the value: see `{field}=` in"
        " the `server_args=` line. If it is {value} or less there already, take the next value.",
        "ko": "명령에 `{flag}` 설정이 없어서 서버가 값을 정했어요. `server_args=` 줄의 `{field}=`를 보고"
        " 이미 {value} 이하라면 다음 값으로 넘어가세요.",
    },
    "command.unset_raise": {
        "en": "Your command does not set `{flag}`, so the server chose the value: see `{field}=` in"
        " the `server_args=` line. If it is {value} or more there already, take the next value.",
        "ko": "명령에 `{flag}` 설정이 없어서 서버가 값을 정했어요. `server_args=` 줄의 `{field}=`를 보고"
        " 이미 {value} 이상이라면 다음 값으로 넘어가세요.",
    },
    "doctor.no_command": {
        "en": "No launch command of SGLang was found in what was given. Give the whole command,"
        " for example: kb doctor 'python3 -m sglang.launch_server --model-path MODEL'",
        "ko": "입력에서 SGLang 실행 명령을 찾지 못했어요. 명령 전체를 넣어 주세요. 예:"
        " kb doctor 'python3 -m sglang.launch_server --model-path MODEL'",
    },
    "doctor.judged_by": {
        "en": "Checked against SGLang {release}.",
        "ko": "SGLang {release} 기준으로 확인했어요.",
    },
    "doctor.judged_by_newest": {
        "en": "Checked against SGLang {release}, the newest known; give --version for yours.",
        "ko": "버전을 알 수 없어 가장 새 버전인 SGLang {release} 기준으로 확인했어요. 쓰는 버전은"
        " --version으로 알려 주세요.",
    },
    "doctor.all_fine": {
        "en": "Every flag is accepted.",
        "ko": "모든 플래그를 쓸 수 있어요.",
    },
    "doctor.all_fine_variables": {
        "en": "Every flag and every variable of SGLang is accepted.",
        "ko": "모든 플래그와 SGLang 환경 변수를 쓸 수 있어요.",
    },
    "doctor.suggested": {
        "en": "With the names this version takes:",
        "ko": "이 버전에 맞는 이름으로 바꾼 명령:",
    },
    # --- chat ---
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
    # --- feedback ---
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
    # --- the page for maintainers ---
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
    # --- what cannot be asked ---
    "chat.error": {
        "en": "This could not be asked",
        "ko": "물어볼 수 없었어요",
    },
    "chat.error_empty": {
        "en": "Nothing to look up yet: paste the log, or write a question.",
        "ko": "아직 찾을 내용이 없어요. 로그를 붙여 넣거나 질문을 적어 주세요.",
    },
    "chat.error_too_large": {
        "en": "That is {size} characters; at most {limit} are read. Paste the part from the"
        " first traceback on.",
        "ko": "{size}자예요. {limit}자까지 읽을 수 있으니 첫 번째 traceback부터 붙여 넣어 주세요.",
    },
    "chat.error_busy": {
        "en": "Too many questions at the moment. Ask again in a few seconds.",
        "ko": "지금은 질문이 너무 많아요. 몇 초 뒤에 다시 물어봐 주세요.",
    },
    "chat.error_slow": {
        "en": "There was no answer in time. Ask again, or paste the part from the first traceback on.",
        "ko": "제때 답을 찾지 못했어요. 다시 물어보거나 첫 번째 traceback부터 붙여 넣어 주세요.",
    },
    "chat.error_unreachable": {
        "en": "The server gave no answer. Check that it runs and, if it does, its log.",
        "ko": "서버가 답하지 못했어요. 실행 중인지, 그렇다면 로그에 무엇이 있는지 확인해 주세요.",
    },
    "chat.example_oom": {
        "en": "CUDA out of memory",
        "ko": "CUDA out of memory",
    },
    "chat.example_oom_question": {
        "en": "It dies on long prompts. What do I lower first?",
        "ko": "긴 프롬프트에서 죽어요. 뭘 먼저 줄여야 하나요?",
    },
    "chat.example_start": {
        "en": "Does not start",
        "ko": "서버가 안 떠요",
    },
    "chat.example_start_question": {
        "en": "Raise it or lower it?",
        "ko": "값을 올려야 하나요, 내려야 하나요?",
    },
    "chat.example_hang": {
        "en": "Watchdog timeout",
        "ko": "Watchdog timeout",
    },
    "chat.example_hang_question": {
        "en": "The server hangs under load. Why?",
        "ko": "부하가 걸리면 서버가 멈춰요. 왜 그런가요?",
    },
    "chat.example_words": {
        "en": "Different answers at temperature 0",
        "ko": "temperature 0인데 답이 달라요",
    },
    "chat.example_words_question": {
        "en": "temperature is 0, and the same prompt still gives different answers. Why?",
        "ko": "temperature 0으로 같은 프롬프트를 보내도 답이 매번 달라요. 왜 그런가요?",
    },
    # --- pages that are made ---
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


def text(key: str, language: Language, **slots: object) -> str:
    """Return the sentence `key` in `language`, its `{slots}` filled; KeyError if unknown."""
    sentence = STRINGS[key][language]
    return sentence.format(**slots) if slots else sentence
