"""The check of a repository: it says where, and never what."""

import io
import re
import subprocess
import sys

import pytest
from page_examples import use_this_python
from planted_phi import HARMLESS, PLANTED

from crfdeid import cli, files
from crfdeid.check import __main__ as check
from crfdeid.check.evidence import AllowList
from crfdeid.check.texts import Skipped, list_files, read_files, read_patch
from crfdeid.errors import FormatError

ROOT = files.PACKAGE.parent
CANARY = "Zanzibarova"
NOTE = f"def test():\n    text = 'Mr. John {CANARY} was seen.'\n    assert text  # SSN 219-09-9998\n"
PATCH = """diff --git a/old.py b/new.py
--- a/old.py
+++ b/new.py
@@ -1,3 +1,4 @@
 # Seen by Dr. Quillon on Monday
-Mrs. Gone Person was here
+Mr. John Zanzibarova was seen.
+call 617-432-8841
 end
@@ -20 +21,2 @@
-x
+y
+SSN 219-09-9998
\\ No newline at end of file
diff --git a/x.png b/x.png
Binary files a/x.png and b/x.png differ
"""


def run(capsys, *arguments, status=0):
    """The lines on standard output, and what is said beside them."""
    with pytest.raises(SystemExit) as stopped:
        cli.run(lambda _: (check.main(list(map(str, arguments))), sys.exit(0)))
    assert stopped.value.code == status
    said = capsys.readouterr()
    assert CANARY not in said.out + said.err and "219-09" not in said.out + said.err
    return said.out.splitlines(), said.err


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "src").mkdir()
    (tmp_path / "src/a.py").write_text(NOTE)
    (tmp_path / "src/b.py").write_text("x = 1\n")
    return tmp_path


def test_it_names_file_line_and_type(folder, capsys):
    found, said = run(capsys, "src", status=1)
    assert found == ["src/a.py:2: PATIENT", "src/a.py:3: SSN"]
    assert said == "2 places look like PHI\n"


def test_a_clean_folder_ends_with_0(folder, capsys):
    assert run(capsys, "src/b.py") == ([], "")


def test_the_types_can_be_chosen(folder, capsys):
    assert run(capsys, "src", "--types", "SSN", status=1)[0] == ["src/a.py:3: SSN"]
    (folder / "c.md").write_text("Seen on 3/14/2061.\n")
    assert run(capsys, "c.md")[0] == []
    assert run(capsys, "c.md", "--types", "all", "--evidence", "any", status=1)[0] == ["c.md:1: DATE"]


def test_a_patch_is_checked_in_its_added_lines(folder, capsys, monkeypatch):
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(PATCH.encode())))
    found, said = run(capsys, "--diff", status=1)
    assert found == ["new.py:2: PATIENT", "new.py:3: PHONE", "new.py:22: SSN"]
    assert "1 binary files were not read" in said


def test_a_patch_of_git_is_read(folder, capsys):
    for command in (["init", "-q"], ["add", "."]):
        subprocess.run(["git", *command], check=True, capture_output=True)
    patch = subprocess.run(["git", "diff", "--cached"], check=True, capture_output=True).stdout
    (folder / "change.patch").write_bytes(patch)
    found, _ = run(capsys, "--diff", "change.patch", status=1)
    assert found == ["src/a.py:2: PATIENT", "src/a.py:3: SSN"]


def test_a_removed_line_is_no_finding():
    (text,) = read_patch("+++ b/a\n@@ -1,2 +1,1 @@\n-Mr. Gone\n+new\n-Mr. Other\n", Skipped())
    assert (text.text, list(text.lines)) == ("new", [1])


def test_a_cut_patch_is_refused():
    with pytest.raises(FormatError, match="ends inside a hunk"):
        list(read_patch("+++ b/a\n@@ -1,2 +1,3 @@\n+a", Skipped()))


def test_what_is_allowed_is_no_finding_any_more(folder, capsys):
    assert run(capsys, "src", "--allow-all")[0] == ["2 texts added to .phi-allow"]
    assert run(capsys, "src") == ([], "")
    allowed = (folder / ".phi-allow").read_text()
    assert CANARY.lower() not in allowed.lower() and re.search(r"^salt [0-9a-f]{32}$", allowed, re.M)
    (folder / "src/d.py").write_text("# Mrs. Eve Quillonwy was seen.\n")
    assert run(capsys, "src", status=1)[0] == ["src/d.py:1: PATIENT"]


def test_two_lists_have_different_hashes(tmp_path):
    first, second = AllowList(tmp_path / "a"), AllowList(tmp_path / "b")
    assert first.hash("Ana Ruiz") == first.hash("ANA  ruiz") != second.hash("Ana Ruiz")


@pytest.mark.parametrize("content", ["Ana Ruiz\n", f"salt {'0' * 32}\nAna Ruiz\n"])
def test_an_allow_list_with_text_is_refused_without_it(folder, capsys, content):
    (folder / ".phi-allow").write_text(content)
    _, said = run(capsys, "src", status=2)
    assert "Ruiz" not in said and ".phi-allow" in said and said.count("\n") == 1


def test_binary_large_hidden_and_excluded_files_are_left_out(folder, capsys):
    (folder / "image.bin").write_bytes(b"\x89PNG\0" + NOTE.encode())
    (folder / "large.txt").write_text("x" * 2000 + NOTE)
    (folder / ".hidden").mkdir()
    (folder / ".hidden/a.txt").write_text(NOTE)
    (folder / "link.txt").symlink_to(folder / "src/a.py")
    found, said = run(capsys, ".", "--largest", 1000, "--exclude", "*.py")
    assert (
        found == [] and said == "1 binary files were not read\nlarge.txt: larger than --largest, not read\n"
    )


def test_a_file_that_is_not_utf_8_is_read(folder):
    (folder / "latin.txt").write_bytes("Mr. José".encode("latin-1"))
    (text,) = read_files(list_files([folder / "latin.txt"], []), 1000, Skipped())
    assert text.text == "Mr. José"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ([], "wanted files and folders, or --diff"),
        (["src", "--diff"], "wanted files and folders, or --diff"),
        (["nowhere"], "nowhere: no such file or folder"),
        (["--diff", "nowhere"], "nowhere: No such file"),
        (["src", "--types", "SNN"], "--types SNN"),
        (["src", "--model", "rulez"], "rulez"),
    ],
)
def test_wrong_arguments_are_refused_in_one_line(folder, capsys, arguments, message):
    _, said = run(capsys, *arguments, status=2)
    assert message in said and said.count("\n") == 1


def test_a_finding_shows_no_text():
    assert repr(check.CodeFinding("a.py", 3, "SSN", "219-09-9998")) == "a.py:3: SSN"


@pytest.mark.slow
def test_the_example_of_the_page_prints_what_it_says(tmp_path):
    page = (ROOT / "docs/check.md").read_text("utf-8")
    example, printed = (part.split("```")[0] for part in page.split("```sh\n")[1:3])
    code = use_this_python(example)
    ran = subprocess.run(["sh", "-c", code], cwd=tmp_path, capture_output=True, text=True)
    assert (ran.returncode, ran.stdout) == (1, printed)


def test_the_hook_calls_the_verb():
    hooks = (ROOT / ".pre-commit-hooks.yaml").read_text("utf-8")
    assert "entry: python -m crfdeid.check\n" in hooks and "types: [text]" in hooks
    assert "crfdeid-check" in (ROOT / "docs/check.md").read_text("utf-8")


# Evidence in source code


@pytest.mark.parametrize(("name", "text", "lines"), PLANTED, ids=[name for name, _, _ in PLANTED])
def test_planted_phi_is_found_in_its_lines(tmp_path, capsys, name, text, lines):
    (tmp_path / name).write_text(text)
    found, _ = run(capsys, tmp_path / name, status=1)
    assert sorted({int(line.split(":")[1]) for line in found}) == lines


def test_code_without_phi_has_no_finding_by_default_and_has_some_with_any_evidence(tmp_path, capsys):
    (tmp_path / "code.py").write_text("\n".join(HARMLESS) + "\n")
    assert run(capsys, tmp_path / "code.py")[0] == []
    assert run(capsys, tmp_path / "code.py", "--evidence", "any", status=1)[0]


def test_a_line_that_is_marked_as_allowed_is_no_finding(folder, capsys):
    (folder / "src/a.py").write_text(NOTE.replace("SSN 219-09-9998", "SSN 219-09-9998 crfdeid: allow"))
    assert run(capsys, "src", status=1)[0] == ["src/a.py:2: PATIENT"]
