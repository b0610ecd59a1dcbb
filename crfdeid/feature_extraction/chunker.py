"""Chunks by a small grammar over parts of speech: no model, no download.

Chunks and their names are those of the CoNLL-2000 task (Tjong Kim Sang & Buchholz 2000): NP, VP, PP,
ADJP, ADVP, PRT, without overlap. Each part of speech becomes one letter, so that the grammar is one
regular expression over a line's letters. This grammar is our own and small: openNLP's trained chunker
(Shweta et al. 2016, section 5.5) knows more.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import regex

from crfdeid.feature_extraction.token import Value
from crfdeid.text.tokenized import TokenizedDocument
from crfdeid.text.tokenizer import is_line_end

Tag = Callable[[list[str]], list[str]]

# Penn Treebank tags by their letter; all other tags become "-".
LETTERS = {
    "D": "DT PDT WDT PRP$ WP$",
    "P": "PRP WP EX",
    "N": "NN NNS NNP NNPS",
    "C": "CD $ #",
    "J": "JJ JJR JJS",
    "R": "RB RBR RBS WRB",
    "G": "VBG VBN",
    "V": "VB VBD VBP VBZ",
    "M": "MD",
    "T": "TO",
    "I": "IN",
    "A": "RP",
    "S": "POS",
    "H": "HYPH",
}
LETTER = {tag: letter for letter, tags in LETTERS.items() for tag in tags.split()}
GRAMMAR = regex.compile(
    r"""
      (?P<NP>   P                               # 1  she
              | S?D*(?:R?[JG]H?|[NC]H?)*[NC]    # 2  the very old man; a 54-year-old woman; 's knee; room 12
              | D )                             # 3  this
    | (?P<VP>   (?:[MT]R*)?[VG](?:R*[VGA])*     # 4  was not taken up; to see
              | M )                             # 5  may
    | (?P<PP>   [IT] )                          # 6  of
    | (?P<ADJP> R*J+ )                          # 7  very well
    | (?P<ADVP> R+ )
    | (?P<PRT>  A )
    """,
    regex.VERBOSE,
)


class PartsOfSpeech:
    """The observation ``pos``: one Penn tag per token, from ``tag`` line by line. The tags of the latest
    document are kept, for observations that share them."""

    def __init__(self, tag: Tag) -> None:
        self.tag = tag
        self.latest: tuple[TokenizedDocument, list[Value]] | None = None

    def __call__(self, document: TokenizedDocument) -> list[Value]:
        if self.latest is None or self.latest[0] is not document:
            self.latest = document, self._tag_lines(document)
        return self.latest[1]

    def _tag_lines(self, document: TokenizedDocument) -> list[Value]:
        values: list[Value] = [None] * len(document.tokens)
        for line in document.lines:
            words = [index for index in line if not is_line_end(document.tokens[index])]
            for index, tag in zip(words, self.tag([document.tokens[i].text for i in words])):
                values[index] = tag
        return values


def parse_chunks(document: TokenizedDocument, tags: list[Value]) -> Iterator[tuple[str, range]]:
    """Yield the name and the index range of each chunk, line by line."""
    for line in document.lines:
        letters = "".join(LETTER.get(str(tags[index]), "-") for index in line)
        for match in GRAMMAR.finditer(letters):
            yield str(match.lastgroup), range(line.start + match.start(), line.start + match.end())


def chunk_tag(pos: PartsOfSpeech, document: TokenizedDocument) -> list[Value]:
    """``B-NP``, ``I-NP`` and so on; nothing outside chunks.

    >>> from crfdeid.text.tokenizer import fine
    >>> pos = PartsOfSpeech(lambda words: ["DT", "JJ", "NN", "VBD", "IN", "NNP", "."])
    >>> text = "The old man walked in Boston."
    >>> chunk_tag(pos, TokenizedDocument(text, fine(text)))
    ['B-NP', 'I-NP', 'I-NP', 'B-VP', 'B-PP', 'B-NP', None]
    """
    values: list[Value] = [None] * len(document.tokens)
    for name, part in parse_chunks(document, pos(document)):
        values[part.start : part.stop] = [f"B-{name}", *[f"I-{name}"] * (len(part) - 1)]
    return values
