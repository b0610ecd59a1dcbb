"""Every shipped list: a whole head, sorted, unique, counted; and built again the same."""

import importlib.util
import re
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid import files
from crfdeid.errors import FormatError
from crfdeid.text import gazetteer
from crfdeid.text.tokenizer import fine, fold_text

FOLDER = files.find_folder("gazetteers")
FILES = sorted(FOLDER.glob("*.txt"))


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_list_is_well_formed(path):
    lines = path.read_text(encoding="utf-8").splitlines()
    head = [line for line in lines if line.startswith("#")]
    entries = lines[len(head) :]
    fields = dict(re.findall(r"# (title|retrieved|entries): (.+)", "\n".join(head)))
    assert {"title", "retrieved", "entries"} <= fields.keys()
    assert all("licence: " in line for line in head if line.startswith("# source: "))
    assert int(fields["entries"]) == len(entries) == len(set(entries))
    assert entries == sorted(entries, key=lambda entry: (entry.casefold(), entry))
    assert all(entry == " ".join(entry.split()) and entry for entry in entries)


@pytest.mark.slow
@pytest.mark.parametrize("path", [p for p in FILES if not p.stem.endswith(".exclude")], ids=lambda p: p.stem)
def test_a_list_matches_its_own_entries_but_the_excluded(path):
    found = gazetteer.read_gazetteer(path)
    beside = path.with_name(path.stem + ".exclude.txt")
    excluded = {entry.lower() for entry in gazetteer.read_entries(beside)} if beside.exists() else set()
    for entry in gazetteer.read_entries(path)[:200]:
        if entry.isalpha():
            assert (entry.lower() in found.words) == (entry.lower() not in excluded)


def test_lists_that_need_no_package_are_built_the_same():
    source = FOLDER / "build.py"
    if not source.exists():
        pytest.skip("not a checkout")
    spec = importlib.util.spec_from_file_location("build", source)
    build = importlib.util.module_from_spec(spec)
    sys.modules["build"] = build
    spec.loader.exec_module(build)
    for name, (_, _, sources) in build.LISTS.items():
        if all(isinstance(source, str) for source in sources):  # by hand, or from other lists
            assert build.build_list(name) == (FOLDER / f"{name}.txt").read_text(encoding="utf-8")


def test_lists_of_one_name_and_content_are_one_object(tmp_path):
    paths = [tmp_path / folder / "towns.txt" for folder in "abc"]
    for path in paths:
        path.parent.mkdir()
        path.write_text("# towns\nYuma\nErie\n")
    (tmp_path / "c" / "towns.exclude.txt").write_text("Erie\n")
    first, same, other = map(gazetteer.read_gazetteer, paths)
    assert same is first and other.entries == {("yuma",)} and first.entries == {("yuma",), ("erie",)}


def test_a_list_without_entries_is_refused_except_one_of_training(tmp_path):
    for name in ("towns", "training_CITY"):
        (tmp_path / f"{name}.txt").write_text("# nothing\n")
    with pytest.raises(FormatError, match=r"towns\.txt: no entries$"):
        gazetteer.read_gazetteer(tmp_path / "towns.txt")
    assert gazetteer.read_gazetteer(tmp_path / "training_CITY.txt").entries == frozenset()


def test_a_model_s_own_list_comes_before_the_shipped_one(tmp_path):
    first, second, third = (tmp_path / name for name in ("first", "second", "third"))
    for folder in (first, second, third):
        folder.mkdir()
    for folder in (second, third):
        (folder / "us_cities.txt").write_text("Yuma\n")
    assert gazetteer.find_gazetteer("us_cities", [first, second, third]) == second / "us_cities.txt"
    assert gazetteer.find_gazetteer("us_cities", [first]) == FOLDER / "us_cities.txt"


def test_what_is_excluded_is_a_word_or_an_entry():
    towns = ["New York", "New Haven", "York", "deSouza"]
    found = gazetteer.build_gazetteer("towns", towns, ["New York", "York"])
    assert found.entries == {("new", "haven"), ("de", "souza"), ("desouza",)}
    assert found.words == {"new", "haven", "de", "souza", "desouza"}


MATCHES = [
    ("new york", [(0, 2)]),
    ("in new york city york", [(1, 4), (4, 5)]),
    ("new york new new york", [(0, 2), (3, 5)]),
    ("york york", [(0, 1), (1, 2)]),
    ("new", []),
    ("", []),
]


@pytest.mark.parametrize(("text", "expected"), MATCHES)
def test_matches_are_the_longest_entries_from_the_left(text, expected):
    found = gazetteer.build_gazetteer("towns", ["York", "New York", "New York City", "City Hall"])
    assert found.find_matches(text.split()) == expected


ENTRIES = [
    "New York",
    "York",
    "McKay",
    "St. Mary's",
    "AT&T",
    "O\u2019Neil",
    "José",
    "nasal",
    "EEG",
    "X",
    "B12",
    "\u0c05a",
    "\u02b0a",
    "# 9",
]


@given(
    st.lists(st.sampled_from(ENTRIES) | st.text(max_size=8), max_size=12),
    st.lists(st.sampled_from(ENTRIES), max_size=3),
)
@settings(max_examples=200, deadline=None)
def test_a_list_is_read_as_each_of_its_entries_is_tokenized(lines, never):
    text, excluded = "\n".join(lines), "\n".join(never)
    found = gazetteer.parse_gazetteer("towns", text, excluded)
    listed = [line.strip() for line in text.splitlines() if line.strip() and line[:1] != "#"]
    wanted = {tokens for entry in listed for tokens in split_plainly(entry)}
    out = {tokens for entry in never if entry[0] != "#" for tokens in split_plainly(entry)}
    words = {word for tokens in wanted - out for word in tokens if word.isalnum()}
    assert found.entries == wanted - out
    assert found.words == words - {tokens[0] for tokens in out if len(tokens) == 1}
    assert found == gazetteer.build_gazetteer("towns", listed, [entry for entry in never if entry[0] != "#"])


def split_plainly(entry):
    folded = fold_text(entry).text
    if folded.isalpha() and folded[1:].islower():
        return {(folded.lower(),)}  # also where the tokenizer would part it
    return {tuple(token.text.lower() for token in fine(form)) for form in (folded, folded.lower())} - {()}
