"""Coverage-guided fuzzing of one target, and what becomes of its finds.

    python -m tests.fuzz.run paste FOLDER -max_total_time=3600     # paste, command or markdown

FOLDER collects the inputs that reach new code; it begins with the golden cases (or the content)
and `tests/fuzz/corpus/`. Needs `python -m pip install atheris`; a find that stays goes into
`tests/fuzz/corpus/` by `python -m tests.fuzz.keep`, and from then on is a test.
"""

from __future__ import annotations

import sys
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["kb"]):
    from tests.fuzz.targets import TARGETS

HERE = Path(__file__).parent
ROOT = HERE.parent.parent
MAX_SEED_BYTES = 6_000


def seeds(name: str) -> list[bytes]:
    """Return what a target is seeded with: real pastes, or real documents."""
    if name == "markdown":
        files = sorted((ROOT / "content").rglob("*.md"))
        texts = [part for file in files for part in file.read_bytes().split(b"\n## ")[:6]]
    else:
        from kb.evaluation.golden import read_golden

        cases = read_golden(ROOT / "tests" / "golden")
        texts = [f"{case.question or ''}\n{case.paste}".encode() for case in cases]
        if name == "command":
            texts = [text for text in texts if b"sglang" in text]
    return [text[:MAX_SEED_BYTES] for text in texts]


def main() -> None:
    """Seed the folder once, then hand over to libFuzzer."""
    name, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    if not any(folder.iterdir()):
        for number, text in enumerate(seeds(name)):
            (folder / f"seed-{number:04}").write_bytes(text)
    kept = HERE / "corpus" / name
    options = [f"-dict={HERE / 'words.dict'}", "-max_len=8192", "-timeout=900", *sys.argv[3:]]
    folders = [str(folder), *([str(kept)] if kept.is_dir() else [])]
    atheris.Setup([sys.argv[0], *folders, *options], TARGETS[name])
    atheris.Fuzz()


if __name__ == "__main__":
    main()
