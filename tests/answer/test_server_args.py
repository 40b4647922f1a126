"""A configuration line is read in both forms and turned back into flags; nothing is evaluated."""

from __future__ import annotations

from hypothesis import given, settings
from hypothesis import strategies as st

from kb.answer.server_args import command_from_server_args, fields_in_force
from kb.catalog.catalog import Catalog
from kb.catalog.server_args_line import server_args_line

CATALOG = Catalog.load()

CALL = (
    "[2026-01-01 00:00:00] server_args=ServerArgs(model_path='Qwen/Qwen3 8B', "
    "tokenizer_path='Qwen/Qwen3 8B', trust_remote_code=True, random_seed=42, device='cuda', "
    "mem_fraction_static=0.84, tp_size=4, dtype='auto', host='127.0.0.1', port=30000, "
    'json_model_override_args=\'{"a": [1, 2]}\', chat_template="it\'s, here)", '
    "cuda_graph_config=CudaGraphConfig(decode=PhaseConfig(backend='x')), "
    "speculative_algorithm=None, model=<Foo object at 0x7f>, max_running_requests=64)"
)
DICT = (
    "server_args={'model_path': 'm', 'mem_fraction_static': 0.9, 'tp_size': 2, "
    "'trust_remote_code': False, 'enable_metrics': True, 'cuda_graph_bs_decode': [1, 2, 4]}"
)


def test_the_call_form_becomes_the_flags_that_differ_from_the_defaults() -> None:
    command = command_from_server_args(CALL, CATALOG, "0.5.9")
    assert command is not None
    assert command.text == (
        "python3 -m sglang.launch_server --model-path 'Qwen/Qwen3 8B' --trust-remote-code"
        " --mem-fraction-static 0.84 --tp-size 4 --json-model-override-args"
        " '{\"a\": [1, 2]}' --chat-template 'it'\"'\"'s, here)' --max-running-requests 64"
    )
    assert command.offset == -1


def test_the_dict_form_becomes_flags_too() -> None:
    command = command_from_server_args(DICT, CATALOG, "0.5.20")
    assert command is not None
    assert command.text == (
        "python3 -m sglang.launch_server --model-path m --mem-fraction-static 0.9 --tp-size 2"
        " --enable-metrics --cuda-graph-bs-decode 1 2 4"
    )


def test_values_that_are_no_literals_are_left_out() -> None:
    values = fields_in_force(CALL)
    assert values["chat_template"] == "it's, here)"
    assert values["max_running_requests"] == 64
    assert "cuda_graph_config" not in values
    assert "model" not in values


def test_a_number_at_the_end_of_a_cut_line_is_not_trusted() -> None:
    assert fields_in_force("server_args=ServerArgs(model_path='m', tp_size=1") == {
        "model_path": "m"
    }
    assert fields_in_force("server_args=ServerArgs(model_path='m', tokenizer_mode='auto' ") == {
        "model_path": "m",
        "tokenizer_mode": "auto",
    }


def test_nothing_is_evaluated() -> None:
    assert fields_in_force("server_args=ServerArgs(a=__import__('os').getpid(), b=1, c=2)") == {
        "b": 1,
        "c": 2,
    }


def test_an_elided_line_is_no_configuration() -> None:
    assert server_args_line("server_args=ServerArgs(...)") is None
    assert command_from_server_args("server_args=ServerArgs(...)", CATALOG) is None


def test_without_a_version_the_line_itself_says_whose_defaults_count() -> None:
    command = command_from_server_args(
        "server_args=ServerArgs(model_path='m', schedule_policy='lpm', disable_flashinfer=False,"
        " cpu_offload_gb=0, chunked_prefill_size=2048, x=1)",
        CATALOG,
    )
    assert command is not None
    assert "--schedule-policy" not in command.text  # lpm was the default when this was printed


@given(st.integers(0, len(CALL)), st.sampled_from([CALL, DICT]))
@settings(max_examples=200, deadline=None)
def test_a_line_cut_anywhere_gives_only_values_of_the_whole_line(length: int, line: str) -> None:
    whole = fields_in_force(line)
    for name, value in fields_in_force(line[:length]).items():
        assert whole[name] == value


values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner,
                                                                max_size=3),
    max_leaves=6,
)  # fmt: skip
names = st.from_regex(r"[a-z][a-z_]{0,12}", fullmatch=True)


@given(st.dictionaries(names, values, min_size=1, max_size=8))
@settings(max_examples=200, deadline=None)
def test_what_python_prints_is_read_back(fields: dict[str, object]) -> None:
    call = ", ".join(f"{name}={value!r}" for name, value in fields.items())
    assert fields_in_force(f"server_args=ServerArgs({call})") == fields
    assert fields_in_force(f"server_args={fields!r}") == fields


@given(st.text(max_size=200))
@settings(max_examples=300, deadline=None)
def test_never_raises(text: str) -> None:
    for start in ("server_args=ServerArgs(", "server_args={'a': "):
        fields_in_force(start + text)
        command_from_server_args(start + "model_path='m', tp_size=2, " + text, CATALOG, "0.5.9")
