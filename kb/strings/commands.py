"""Sentences of a launch command, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
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
        "en": "This is step {step} of “What to do” in the section “{title}”, the first that a"
        " changed command alone can make; look at the steps before it first.",
        "ko": "“{title}” 항목의 해결 순서 가운데 {step}번으로, 명령만 고치면 되는 첫 단계예요."
        " 앞 단계부터 확인해 보세요.",
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
    "doctor.no_model": {
        "en": "  !!  `--model-path` is missing: the server does not start without a model.",
        "ko": "  !!  `--model-path` 플래그가 빠졌어요. 모델을 지정하지 않으면 서버가 뜨지 않아요.",
    },
    "doctor.left": {
        "en": "Not finished: {flags} in it still needs your decision, see above.",
        "ko": "아직 끝난 게 아니에요. 이 명령의 {flags} 설정은 위의 설명을 보고 직접 정해야 해요.",
    },
    "doctor.suggested": {
        "en": "With the names this version takes:",
        "ko": "이 버전에 맞는 이름으로 바꾼 명령:",
    },
}
