"""How many modules the package has, and how many a reader walks through to follow one note: a change adds
into a module, not beside it."""

import subprocess
import sys
from collections import Counter

import pytest

from crfdeid import files

NOTE = """Patient: John Smith
Seen 3/4/2019 by Dr. Mary Weber at Lakeside Hospital, Boston.
MRN: 1234567, phone 617-555-0101. Age 92.
"""
MOST = {"tag": 41, "redact": 86}  # files of which a function is called, imports apart
MODULES = {  # of each room; the first are at the root
    "": 14,
    "ablate": 14,
    "adapt": 7,
    "certify": 15,
    "check": 4,
    "cli": 2,
    "corpora": 36,
    "engine": 40,
    "evaluate": 17,
    "explain": 11,
    "feature_extraction": 15,
    "integrations": 5,
    "lexicon": 7,
    "pages": 3,
    "redact": 67,
    "repair": 9,
    "review": 34,
    "rules": 10,
    "serve": 7,
    "session": 5,
    "share": 5,
    "spark": 7,
    "synthetic": 27,
    "systems": 47,
    "tag": 4,
    "text": 8,
}
COUNT = """
import sys
from importlib import import_module
from pathlib import Path
import crfdeid

root = f"{Path(crfdeid.__file__).parent}/"
entered = set()

def is_import(frame):
    while frame is not None and not (frame.f_code.co_name == "<module>" and ours(frame)):
        frame = frame.f_back
    return frame is not None

def ours(frame):
    return frame.f_code.co_filename.startswith(root)

def note_call(frame, event, value):
    if event == "call" and ours(frame) and frame.f_code.co_filename not in entered and not is_import(frame):
        entered.add(frame.f_code.co_filename)

main = import_module(sys.argv[1]).main
sys.setprofile(note_call)
main(sys.argv[2:])
sys.setprofile(None)
print(*sorted(name.removeprefix(root) for name in entered), sep="\\n", file=sys.stderr)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "verb, module, options",
    [("tag", "crfdeid.tag.__main__", []), ("redact", "crfdeid.redact.__main__", ["--out", "clean"])],
)
def test_a_verb_enters_no_more_files_than_it_did(tmp_path, verb, module, options):
    (tmp_path / "note.txt").write_text(NOTE)
    command = [sys.executable, "-c", COUNT, module, "note.txt", *options]
    ended = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=True)
    entered = [line for line in ended.stderr.splitlines() if line.endswith(".py")]
    assert len(entered) <= MOST[verb], "\n".join(entered)


def test_no_room_has_more_modules_than_it_had():
    paths = [path.relative_to(files.PACKAGE) for path in files.PACKAGE.rglob("*.py")]
    found = Counter(path.parts[0] if len(path.parts) > 1 else "" for path in paths)
    assert {room: count for room, count in found.items() if count > MODULES.get(room, 0)} == {}
