"""The examples of docs/clinical_formats.md: the commands of each section write the files that it shows."""

import re
import shlex

import pytest

from crfdeid import __main__ as face
from crfdeid import files

PAGE = (files.PACKAGE.parent / "docs" / "clinical_formats.md").read_text(encoding="utf-8")
SECTIONS = {title: body for title, body in re.findall(r"^## (.*)\n((?:(?!^## ).*\n)*)", PAGE, re.MULTILINE)}
BLOCK = re.compile(r"^`([\w.]+)`[^\n]*:\n\n```\w+\n(.*?)^```", re.MULTILINE | re.DOTALL)
COMMAND = re.compile(r"^crfdeid (.*)$", re.MULTILINE)


@pytest.mark.slow
@pytest.mark.parametrize("title", [title for title, body in SECTIONS.items() if BLOCK.search(body)])
def test_the_commands_of_a_section_write_the_files_that_it_shows(title, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    before, commands, after = re.split(r"^```sh\n(.*?)^```", SECTIONS[title], flags=re.MULTILINE | re.DOTALL)
    for name, content in BLOCK.findall(before):
        (tmp_path / name).write_text(content)
    for command in COMMAND.findall(commands):
        face.main(shlex.split(command, comments=True))
    shown = BLOCK.findall(after)
    assert shown
    for name, content in shown:
        assert (tmp_path / name).read_text() == content
