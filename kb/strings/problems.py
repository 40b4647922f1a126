"""Sentences of what cannot be asked, and the examples of what can, keyed by name and language."""

from __future__ import annotations

from kb.types import Language

__all__ = ["SENTENCES"]

SENTENCES: dict[str, dict[Language, str]] = {
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
    "chat.error_too_large_to_send": {
        "en": "That is {size} MB; at most {limit} MB can be sent. Paste the part from the first"
        " traceback on.",
        "ko": "{size} MB예요. {limit} MB까지 보낼 수 있으니 첫 번째 traceback부터 붙여 넣어 주세요.",
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
}
