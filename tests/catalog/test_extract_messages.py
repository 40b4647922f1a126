from __future__ import annotations

from pathlib import Path

import pytest
from written_packages import write_package

from kb.catalog.extract import read_release


def messages_of(folder: Path, source: str) -> dict[str, str]:
    found = read_release(write_package(folder, srt__shown=source)).extraction.messages
    return {template: kind for template, (kind, file) in found.items() if file == "srt/shown.py"}


@pytest.mark.parametrize(
    ("statement", "template", "kind"),
    [
        ("raise RuntimeError('Not enough memory.')", "Not enough memory.", "raise"),
        ("raise ValueError(f'Use {x} for model {y}!')", "Use … for model …!", "raise"),
        ("raise ValueError('Value %s of size %.2f' % (a, b))", "Value … of size …", "raise"),
        ("raise ValueError('{} tokens for {name}'.format(a))", "… tokens for …", "raise"),
        ("raise ValueError('Too long: ' + str(n) + ' tokens')", "Too long: … tokens", "raise"),
        ("raise HTTPException(400, detail='Bad request body')", "Bad request body", "raise"),
        ("assert tp > 0, f'tp size {tp} is wrong'", "tp size … is wrong", "assert"),
        ("logger.warning('KV cache %s full: %d%%', a, b)", "KV cache … full: …%", "warning"),
        ("logger.info(f'{self.x=} loaded model')", "self.x=… loaded model", "info"),
        ("self.logger.error('Cannot load weights')", "Cannot load weights", "error"),
        ("logger.exception('Scheduler hit error')", "Scheduler hit error", "error"),
        ("logging.getLogger('x').debug('Deep down here')", "Deep down here", "debug"),
        ("log_info_on_rank0(logger, f'Init torch {x} begin')", "Init torch … begin", "info"),
        ("print_warning_once('Only once shown')", "Only once shown", "warning"),
        ("warnings.warn(f'{env} will go away')", "… will go away", "warning"),
        ("print('Rank', r, 'is ready now')", "Rank … is ready now", "print"),
        ("parser.error('the following is required')", "the following is required", "error"),
        ("sys.exit('No GPU was found')", "No GPU was found", "raise"),
        ("return create_error_response('The input is empty')", "The input is empty", "response"),
        ("err = KVTransferError('Lost the peer')", "Lost the peer", "raise"),
        ("logger.warning('\\033[1;33mFlag is old now\\033[0m')", "Flag is old now", "warning"),
        ("raise ValueError('one two' if x else 'three four')", "three four", "raise"),
        (
            "raise ValueError('\\n'.join(['first line', f'second {x} line']))",
            "first line\nsecond … line",
            "raise",
        ),
    ],
)
def test_each_way_to_show_a_text_is_a_template(tmp_path: Path, statement, template, kind):
    assert messages_of(tmp_path, f"def f():\n    {statement}\n")[template] == kind


def test_a_text_put_together_before_it_is_shown_is_found(tmp_path: Path):
    source = """
    def f(kind):
        msg = f"Prefill batch, #new-seq: {n}"
        msg += f", token usage: {u:.2f}"
        logger.info(msg)

    class TransferError(RuntimeError):
        def __init__(self, room):
            super().__init__(f"Transfer of room {room} failed")

    class Plain:
        def __init__(self):
            super().__init__("no error at all")
    """
    found = messages_of(tmp_path, source)
    assert {"Prefill batch, #new-seq: …", "…, token usage: …"} <= set(found)
    assert found["Transfer of room … failed"] == "raise"
    assert "no error at all" not in found


def test_a_part_chosen_from_constants_is_each_of_them(tmp_path: Path):
    source = """
    def f(cpu):
        logger.info(f"Capture {'cpu graph' if cpu else 'cuda graph'} begin. avail mem={m} GB")
        mode = "prefill"
        if cpu:
            mode = "decode"
        logger.info(f"The {mode} worker starts {mode2} now")

    def g(kind, other=None):
        if kind is None:
            kind = "default"
        for item in kind:
            logger.info(f"Uses the {kind} kind of {item} here")
    """
    assert set(messages_of(tmp_path, source)) == {
        "Capture cpu graph begin. avail mem=… GB",
        "Capture cuda graph begin. avail mem=… GB",
        "The prefill worker starts … now",
        "The decode worker starts … now",
        "Uses the … kind of … here",
    }


def test_the_gravest_kind_of_a_text_is_kept(tmp_path: Path):
    source = """
    def f():
        logger.info("Memory pool is full")
        raise RuntimeError("Memory pool is full")
    """
    assert messages_of(tmp_path, source) == {"Memory pool is full": "raise"}


def test_of_several_files_the_servers_own_is_named(tmp_path: Path):
    shown = "print('The server is ready')\n"
    package = write_package(tmp_path, multimodal_gen__a=shown, srt__z=shown, kernels__b=shown)
    found = read_release(package).extraction.messages
    assert found["The server is ready"] == ("print", "srt/z.py")


def test_values_without_words_are_counted_not_kept(tmp_path: Path):
    package = write_package(tmp_path, srt__shown="logger.info(x)\nprint(f'{a} {b}')\n")
    read = read_release(package)
    assert (read.wordless, dict(read.extraction.messages)) == (2, {})


def test_tests_and_benchmarks_are_no_part_of_the_server(tmp_path: Path):
    shown = "print('hello from here')\n"
    package = write_package(tmp_path, test__a=shown, srt__x__tests__b=shown, bench_serving=shown)
    assert dict(read_release(package).extraction.messages) == {}
