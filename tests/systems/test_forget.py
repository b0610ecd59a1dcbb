"""A tagger forgets the words of the notes that it tagged: neither its memory nor its caches hold them."""

import gc

import pytest

from crfdeid.lexicon import letters
from crfdeid.systems import model
from crfdeid.text.document import Document

CANARY = "zanzibarovich"
TEXT = f"Mr. {CANARY.title()} of Lakeside was seen by Dr. Ruiz on 3/4/2061, call {CANARY}77/55x.\n"
NOTE = Document("1", TEXT)


def strings_in_memory(word: str) -> int:
    """How many containers of this process hold a string with ``word`` in it, in any case."""
    held = 0
    gc.collect()
    for thing in gc.get_objects():
        if type(thing) is dict and thing.get("__name__") is None:
            held += any(isinstance(key, str) and word in key.lower() and len(key) < 60 for key in list(thing))
        elif type(thing) is list:
            held += any(isinstance(item, str) and word in item.lower() and len(item) < 60 for item in thing)
    return held


@pytest.mark.slow
@pytest.mark.parametrize("name", ["english", "english+rules"])
def test_a_tagger_forgets_the_words_of_a_note(name):
    tagger = model.load(name)
    before = strings_in_memory(CANARY)
    found = tagger.tag(NOTE)
    assert found.spans and strings_in_memory(CANARY) > before
    tagger.forget()
    assert strings_in_memory(CANARY) <= before
    assert tagger.tag(NOTE) == found


def test_a_tagger_that_has_not_tagged_forgets(small_model):
    tagger = model.load(small_model.folder)
    tagger.forget()
    assert tagger.tag(NOTE) == small_model.tag(NOTE)


def test_the_lists_stay_loaded():
    names = frozenset(["william"])
    index = letters.index_by_deletions(names)
    letters.forget_words()
    assert letters.index_by_deletions(names) is index
