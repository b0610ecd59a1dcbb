"""CoNLL: how documents begin, what a line may be, and what the columns are."""

import json

import pytest

from crfdeid import corpora
from crfdeid.corpora import conll
from crfdeid.errors import CrfdeidError, FormatError
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"


def read(tmp_path, content: str) -> list[Document]:
    path = tmp_path / "a.conll"
    path.write_text(content, encoding="utf-8", newline="")
    return list(corpora.read(path))


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ("Ana\t0\t3\tB-X\r\n\r\nEze\t4\t7\tO\r\n", [("a", "Ana\nEze", None)]),
        ("\ufeffAna\t0\t3\tO\n", [("a", "Ana", None)]),
        ("Ana\t0\t3\tO\n\ufeff\t4\t5\tO\n", [("a", "Ana \ufeff", None)]),
        ("-DOCSTART-\n\nAna\t0\t3\tO\n\n-DOCSTART- -X- O\nEze\t1\t4\tO\n",
         [("a", "Ana", None), ("a-2", " Eze", None)]),
        ("-DOCSTART-\t0\t10\tO\n", [("a", "-DOCSTART-", None)]),  # a token
        ("Ana\t0\t3\tO\n-DOCSTART-\t4\t14\tO\n", [("a", "Ana -DOCSTART-", None)]),
        ("# id = 7\nAna\t0\t3\tO\n# id = \"8\"\n# patient = x y\n", [("7", "Ana", None), ("8", "", "x y")]),
        ('# text = "Ana"\n# id = "7"\nAna\t0\t3\tO\n', [("7", "Ana", None)]),
        ('# patient = "p"\n# text = "Ana"\nAna\t0\t3\tO\n', [("a", "Ana", "p")]),
        ("# id = 7\n# id = 8\n", [("7", "", None), ("8", "", None)]),
        ("# id = 7\n# newpar = Ana\n# sent_id = 1\nAna\t0\t3\tO\n", [("7", "Ana", None)]),
        ("# id = 7\n\nAna\t2\t5\tO\n\n\nEze\t6\t9\tO\n\nObi\t9\t12\tO\n", [("7", "\n Ana\nEzeObi", None)]),
        ('# id = 7\n# text = "a\\tb c"\na␣b\t0\t3\tO\nc\t4\t5\tO\n', [("7", "a\tb c", None)]),
        ('# id = 7\n# text = " a\\n"\na\t1\t2\tO\n', [("7", " a\n", None)]),
    ],
)  # fmt: skip
def test_documents_and_their_heads(content, found, tmp_path):
    assert [(each.id, each.text, each.patient) for each in read(tmp_path, content)] == found


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (f"{CANARY}\t0\t10\tO\n", "line 1: end is not start and the token's length"),
        ("\t0\t0\tO\n", "line 1: end is not"),
        (f"{CANARY}\t11\t0\tO\n", "line 1: end is not"),
        ("a\t٣\t٤\tO\n", "line 1: end is not"),
        ("a\t1000000000000\t1000000000001\tO\n", "line 1: end is not"),
        ("a\t-1\t0\tO\n", "line 1: end is not"),
        ("a\t0\t1\tB\n", "line 1: its label is not O, B-TYPE or I-TYPE"),
        ("a\t0\t1\tI-\n", "line 1: its label is not"),
        ("a\t0\t1\tX-DATE\n", "line 1: its label is not"),
        ("a\t0\t1\tOO\n", "line 1: its label is not"),
        ("a\t0\t1\n", "line 1: 3 columns; wanted token, start, end, label"),
        ("a\t0\t1\tO\tx\n", "line 1: 5 columns"),
        ("#\n", "line 1: 1 columns"),
        ("a\t0\t1\tO\n\nb\t0\t1\tO\n", "line 3: the token does not follow the one above, which ends at 1"),
        (f'# id = "{CANARY}\n', "line 1: id is not a JSON string"),
        ("# text\n", "line 1: text is not a JSON string"),
        ("# id = 7\n# text = 7\n", "line 2: text is not a JSON string"),
        (f'# patient = "{CANARY}" x\n', "line 1: patient is not a JSON string"),
        (f'# id = "7"\n# text = "a {CANARY}"\na\t0\t1\tO\n',
         "no token for the text at 1-13; was the file cut short"),
        ('# text = "a b"\nb\t2\t3\tO\n', "no token for the text at 0-2"),
        ('# text = "a b"\na\t0\t1\tO\nc\t2\t3\tO\n', "the token at 2-3 is not in the text there"),
        ('# text = "a"\na\t0\t1\tO\nb\t1\t2\tO\n', "the token at 1-2 is not in the text there"),
    ],
)  # fmt: skip
def test_a_bad_line_is_refused_without_its_text(content, message, tmp_path):
    with pytest.raises(FormatError, match=message) as refused:
        read(tmp_path, content)
    assert CANARY not in str(refused.value)


def test_the_blanks_of_a_file_have_a_bound(tmp_path, monkeypatch):
    monkeypatch.setattr(conll, "MOST_BLANKS", 7)
    (found,) = read(tmp_path, "ab\t3\t5\tO\nc\t9\t10\tO\n")
    assert found.text == "   ab    c"
    one, two = read(tmp_path, "# id = 1\na\t3\t4\tO\n# id = 2\na\t4\t5\tO\n")
    assert (one.text, two.text) == ("   a", "    a")
    for content in ("ab\t3\t5\tO\nc\t10\t11\tO\n", "# id = 1\na\t3\t4\tO\n# id = 2\na\t5\t6\tO\n"):
        with pytest.raises(FormatError, match="over 7 blanks between the tokens of the file"):
            read(tmp_path, content)


def test_the_lines_of_a_document():
    document = Document("ä", "Dr. Eze\n\nx\tEze1", (Span(4, 7, "DOCTOR"), Span(11, 14, "X")), "p")
    assert "".join(conll.render_corpus([document, Document("2", ""), Document("3", "\na")])).splitlines() == [
        r'# id = "\u00e4"', '# patient = "p"', r'# text = "Dr. Eze\n\nx\tEze1"',
        "Dr\t0\t2\tO", ".\t2\t3\tO", "Eze\t4\t7\tB-DOCTOR", "", "x\t9\t10\tO", "Eze\t11\t14\tB-X",
        "1\t14\t15\tO", "", '# id = "2"', '# text = ""', "",
        '# id = "3"', r'# text = "\na"', "", "a\t1\t2\tO", "",
    ]  # fmt: skip


@pytest.mark.parametrize("type", ["A\tB", "A\nB", "A\rB"])
def test_a_type_that_has_no_place_in_a_column_is_refused(type):
    with pytest.raises(CrfdeidError, match="the type at 0-3 cannot be written in CoNLL"):
        list(conll.render_corpus([Document("1", "Ana", (Span(0, 3, type),))]))


@pytest.mark.parametrize(
    ("text", "spans", "cut"),
    [
        ("ab cd", [], ["ab", "cd"]),
        ("ab cd", [(1, 4)], ["a", "b", "c", "d"]),
        ("ab cd", [(2, 5)], ["ab", " ", "cd"]),
        ("ab cd", [(0, 3)], ["ab", " ", "cd"]),
        ("ab  cd", [(0, 3)], ["ab", " ", "cd"]),
        ("  ", [(0, 2)], ["  "]),
        ("", [], []),
    ],
)
def test_tokens_are_cut_at_spans(text, spans, cut):
    made = [Span(*span, "X") for span in spans]
    tokens = conll.cut_tokens(text, conll.fine(text), made)
    assert [token.text for token in tokens] == cut
    assert all(text[token.start : token.end] == token.text for token in tokens)
    note = Document(json.dumps(text), text, tuple(made))
    assert "".join(conll.render_corpus([note])).count("-X\n") == len(cut) - sum(
        not any(start <= token.start < end for start, end in spans) for token in tokens
    )
