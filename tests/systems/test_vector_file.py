"""Files of word vectors: the forms of word2vec, GloVe and fastText, and what is refused."""

import gzip
import struct

import numpy as np
import pytest

from crfdeid.errors import FormatError
from crfdeid.systems.works.vector_file import read_vectors

TEXT = b"3 2\nthe 1 -2.5\npain 0.25 3e-1 \nDr. 4 5\n"  # fastText has a space before the line end
GLOVE = b"the 1 -2.5\npain 0.25 3e-1\nDr. 4 5\n"
VECTORS = {"the": [1, -2.5], "pain": [0.25, 0.3], "Dr.": [4, 5]}
BINARY = b"3 2\n" + b"".join(w.encode() + b" " + struct.pack("<2f", *v) + b"\n" for w, v in VECTORS.items())


def write(folder, data, name="vectors.bin"):
    (folder / name).write_bytes(data)
    return folder / name


@pytest.mark.parametrize("data", [TEXT, GLOVE, BINARY, BINARY.replace(b"\n", b"").replace(b"3 2", b"3 2\n")])
@pytest.mark.parametrize("name", ["vectors.txt", "vectors.bin.gz"])
def test_every_form_has_the_same_vectors(tmp_path, data, name):
    found = read_vectors(write(tmp_path, gzip.compress(data) if name.endswith("gz") else data, name), (), 3)
    assert list(found) == list(VECTORS)
    for word, vector in VECTORS.items():
        np.testing.assert_array_equal(found[word], np.array(vector, np.float32))


def test_keeps_the_first_words_and_the_wanted_ones(tmp_path):
    path = write(tmp_path, TEXT)
    assert list(read_vectors(path, {"Dr."}, 1)) == ["the", "Dr."]
    assert list(read_vectors(path, {"pain", "Xi"}, 0)) == ["pain"]


def test_a_word_with_spaces_is_left_out_and_a_second_vector_of_a_word_too(tmp_path):
    path = write(tmp_path, b"of 1 2\n. . . 1 2\nof 3 4\n")
    assert {word: vector.tolist() for word, vector in read_vectors(path, (), 9).items()} == {"of": [1, 2]}


@pytest.mark.parametrize("binary", [True, False])
def test_reads_what_gensim_writes(tmp_path, binary):
    models = pytest.importorskip("gensim.models")
    vectors = models.KeyedVectors(5)
    words = ["the", "naïve", "Müller-Lüdenscheidt", "50", "(", "\u4e2d"]
    vectors.add_vectors(words, np.random.default_rng(1).normal(size=(6, 5)).astype(np.float32))
    vectors.save_word2vec_format(str(tmp_path / "v"), binary=binary)
    found = read_vectors(tmp_path / "v", (), 9)
    assert list(found) == words
    np.testing.assert_array_equal(np.array(list(found.values())), vectors.vectors)


@pytest.mark.parametrize(
    "data, message",
    [
        (b"", "wanted a word|no vector"),
        (b"2 2\nthe 1 2\n", "1 vectors, and its first line says 2"),
        (b"1 2\nthe 1 2\npain 3 4\n", "2 vectors, and its first line says 1"),
        (BINARY[:-7], "vector 3 of 3 is not whole"),
        (BINARY[:-11], "vector 3 of 3 is not whole"),
        (b"the 1 2\npain 3\n", "vector 2: wanted a word and 2 numbers"),
        (b"the 1 two\n", "wanted numbers"),
        (b"the 1 nan\n", "finite"),
        (b"no numbers here\n", "vector 1"),
        (b"the\n", "wanted a word"),
        (b"\x1f\x8b damaged", "wanted"),
    ],
)
def test_refuses_another_form_and_quotes_no_word(tmp_path, data, message):
    with pytest.raises(FormatError, match=message) as error:
        read_vectors(write(tmp_path, data), (), 9)
    assert "pain" not in str(error.value) and "two" not in str(error.value)


def test_names_a_missing_or_damaged_file(tmp_path):
    with pytest.raises(FormatError, match="No such file"):
        read_vectors(tmp_path / "none.vec", (), 9)
    with pytest.raises(FormatError, match="damaged"):
        read_vectors(write(tmp_path, gzip.compress(TEXT)[:-12], "cut.gz"), (), 9)
