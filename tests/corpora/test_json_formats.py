"""JSON Lines, doccano and Label Studio, to the letter; and the places of what a JSON text holds."""

import json

import pytest

from crfdeid import corpora
from crfdeid.corpora import json_text, jsonl, labelstudio
from crfdeid.errors import FormatError
from crfdeid.text.document import Document, Span

CANARY = "Zanzibarova"


def read(tmp_path, content: str, name: str = "a.jsonl") -> list[Document]:
    (tmp_path / name).write_bytes(content.encode())
    return list(corpora.read(tmp_path / name))


@pytest.mark.parametrize(
    ("line", "found"),
    [
        ({"text": "Ana"}, Document("2", "Ana")),
        ({"id": 7, "text": "", "patient": 8}, Document("7", "", patient="8")),
        ({"id": "x", "text": "Ana", "patient": None, "other": [1]}, Document("x", "Ana")),
        ({"text": "Ana", "spans": [{"start": 0, "end": 3, "type": "A"}]},
         Document("2", "Ana", (Span(0, 3, "A"),))),
        ({"text": "Ana", "spans": [{"start": 0, "end": 3, "type": "A", "probability": 0}]},
         Document("2", "Ana", (Span(0, 3, "A", 0),))),
        ({"text": "Ana", "spans": [{"start": 0, "end": 3, "type": "A", "probability": 1}]},
         Document("2", "Ana", (Span(0, 3, "A", 1),))),
        ({"text": "Ana", "spans": [{"start": 0, "end": 3, "type": "A", "probability": None}]},
         Document("2", "Ana", (Span(0, 3, "A"),))),
        ({"text": "Ana", "label": [[0, 3, "A"]]}, Document("2", "Ana", (Span(0, 3, "A"),))),
        ({"text": "Ana", "labels": [[0, 3, "A"]]}, Document("2", "Ana", (Span(0, 3, "A"),))),
        ({"text": "Ana", "spans": [], "labels": [[0, 3, "A"]]}, Document("2", "Ana")),
    ],
)  # fmt: skip
def test_a_line_of_json(line, found, tmp_path):
    lines = ["\ufeff", json.dumps(line), " \t\r", ""]
    assert read(tmp_path, "\n".join(lines)) == [found]
    assert read(tmp_path, "\n" + "\ufeff" + json.dumps(line)) == [found]


def span(**changed):
    return {"text": CANARY, "spans": [{"start": 0, "end": 3, "type": "A"} | changed]}


@pytest.mark.parametrize(
    ("line", "message"),
    [
        (7, "line 1: no text; wanted an object with id, text and spans"),
        ({"text": 7}, "line 1: no text"),
        ({"text": CANARY, "id": None}, "line 1: its id is neither a text nor a whole number"),
        ({"text": CANARY, "id": 1.5}, "line 1: its id is neither"),
        ({"text": CANARY, "spans": 7}, "line 1: malformed spans; wanted start, end and type of each"),
        ({"text": CANARY, "spans": [[0, 3]]}, "malformed spans"),
        ({"text": CANARY, "spans": [[0, 3, "A", 1]]}, "malformed spans"),
        ({"text": CANARY, "spans": [7]}, "malformed spans"),
        (span(start=True), "malformed spans"),
        (span(end=3.0), "malformed spans"),
        (span(type=7), "malformed spans"),
        (span(probability=1.01), "malformed spans"),
        (span(probability=-0.01), "malformed spans"),
        (span(probability=True), "malformed spans"),
        (span(probability="1"), "malformed spans"),
        (span(end=12), "line 1: 1: a span at 0-12"),
    ],
)
def test_another_line_is_refused(line, message, tmp_path):
    with pytest.raises(FormatError, match=message) as refused:
        read(tmp_path, json.dumps(line))
    assert CANARY not in str(refused.value)


NOTES = [
    Document("é", "Ana\n", (Span(0, 2, "A"), Span(0, 3, "B", 1 / 3)), "7"),
    Document("2", ""),
]


def test_what_json_lines_get():
    assert list(jsonl.render_corpus(NOTES)) == [
        '{"id": "é", "text": "Ana\\n", "patient": "7", "spans": [{"start": 0, "end": 2, "type": "A"}, '
        '{"start": 0, "end": 3, "type": "B", "probability": 0.333333}]}\n',
        '{"id": "2", "text": "", "spans": []}\n',
    ]


def test_what_doccano_gets():
    assert list(corpora.render_corpus(NOTES, "doccano")) == [
        '{"id": "é", "text": "Ana\\n", "label": [[0, 2, "A"], [0, 3, "B"]], "patient": "7"}\n',
        '{"id": "2", "text": "", "label": []}\n',
    ]


def test_what_label_studio_gets():
    made = "".join(labelstudio.render_corpus([*NOTES, Document("3", "é")]))
    kind = {"type": "labels", "from_name": "label", "to_name": "text"}
    results = [
        kind | {"value": {"start": 0, "end": 2, "text": "An", "labels": ["A"]}},
        kind | {"value": {"start": 0, "end": 3, "text": "Ana", "labels": ["B"]}, "score": 0.333333},
    ]
    assert json.loads(made) == [
        {"id": 1, "data": {"id": "é", "text": "Ana\n", "patient": "7"}, "annotations": [{"result": results}]},
        {"id": 2, "data": {"id": "2", "text": ""}, "annotations": [{"result": []}]},
        {"id": 3, "data": {"id": "3", "text": "é"}, "annotations": [{"result": []}]},
    ]
    assert made.startswith('[\n{"id": 1, ') and '},\n{"id": 2' in made and '},\n{"id": 3' in made
    assert made.endswith("}\n]\n") and '"text": "é"' in made
    assert "".join(labelstudio.render_corpus([])) == "[\n]\n"


@pytest.mark.parametrize(
    ("task", "found"),
    [
        ({"data": {"text": "a"}}, Document("1", "a")),
        ({"id": 7, "data": {"text": "a"}}, Document("7", "a")),
        ({"id": 7, "data": {"id": "8", "text": "a", "patient": "9"}}, Document("8", "a", patient="9")),
        ({"data": {"text": "a"}, "annotations": [{"result": [{"value": {"choices": ["x"]}}, {}]}]},
         Document("1", "a")),
        ({"data": {"text": "ab"}, "annotations": [
            {"result": [{"value": {"start": 0, "end": 1, "labels": ["A"]}, "score": 0.5}]},
            {"result": [{"value": {"start": 1, "end": 2, "labels": []}}], "was_cancelled": False}]},
         Document("1", "ab", (Span(0, 1, "A", 0.5),))),
    ],
)  # fmt: skip
def test_a_task_of_label_studio(task, found, tmp_path):
    assert read(tmp_path, json.dumps([task]), "a.json") == [found]


@pytest.mark.parametrize(
    "task",
    [
        7,
        {},
        {"data": 7},
        {"data": {"text": "a"}, "annotations": [7]},
        {"data": {"text": "a"}, "annotations": [{}]},
    ],
)
def test_another_task_is_refused(task, tmp_path):
    with pytest.raises(FormatError, match="a.json, task 2: wanted data.text and annotations"):
        read(tmp_path, json.dumps([{"data": {"text": "a"}}, task]), "a.json")
    with pytest.raises(FormatError, match="a.json, task 1: no text"):
        read(tmp_path, json.dumps([{"data": {"text": 7}}]), "a.json")


def test_the_leaves_of_a_text_have_their_places():
    source = ' {"a": [1, {"b\\"": "c\\\\"}, []], "d": -1.5e+3, "e": [[true], null, {}, false], "f": 0.25}'
    leaves = list(json_text.list_leaves(source, json.loads(source)))
    assert [(leaf.path, source[leaf.start : leaf.end]) for leaf in leaves] == [
        (("a", 0), "1"), (("a", 1, 'b"'), '"c\\\\"'), (("d",), "-1.5e+3"), (("e", 0, 0), "true"),
        (("e", 1), "null"), (("e", 3), "false"), (("f",), "0.25"),
    ]  # fmt: skip
    assert [source[leaf.key_start : leaf.end] for leaf in leaves if not leaf.is_item] == [
        '"b\\"": "c\\\\"', '"d": -1.5e+3', '"f": 0.25',
    ]  # fmt: skip
    assert all(leaf.key_start == leaf.start for leaf in leaves if leaf.is_item)
    inner = leaves[1]
    assert inner.names == ["a", 'b"'] and inner.parents == (json.loads(source), {'b"': "c\\"})
    moved = inner.move(-3)
    assert [inner[at] - moved[at] for at in (2, 3, 4)] == [3, 3, 3] and moved.path == inner.path
    for number in ("12", "7E22", "-12.25e-10", "1e+10"):
        (leaf,) = json_text.list_leaves(f"[{number}]", [float(number)])
        assert (leaf.start, leaf.end, leaf.value) == (1, 1 + len(number), float(number))


@pytest.mark.parametrize(
    ("inside", "characters"),
    [
        (r"a\"\\\/\b\f\n\r\t", ["a", '"', "\\", "/", "\b", "\f", "\n", "\r", "\t"]),
        (r"\u00e9\u00E9", ["é", "é"]),
        (r"\ud83d\ude00\uD83D\uDE00x", ["😀", "😀", "x"]),
        (r"\uDBFF\uDFFF\ud800\udc00", ["\U0010ffff", "\U00010000"]),
        ("é😀\u2028", ["é", "😀", "\u2028"]),
    ],
)
def test_the_characters_of_a_string(inside, characters):
    found = list(json_text.decode(f'"{inside}"', 1, 1 + len(inside)))
    assert [text for text, _ in found] == characters
    assert found[-1][1] == 1 + len(inside) and "".join(characters) == json.loads(f'"{inside}"')


def test_a_string_is_written_with_its_letters():
    assert json_text.encode('é"\\\n😀') == 'é\\"\\\\\\n😀'


@pytest.mark.parametrize(
    "source", ['{"a": 1, "a": 2}', '{"a": {"b": 1, "b": 1}}', "[NaN]", "[-Infinity]", "[1,]"]
)
def test_json_that_readers_differ_on_is_refused(source):
    with pytest.raises(FormatError, match="^here: malformed JSON, or a key that occurs twice in an object"):
        json_text.parse_json(source, "here")
    assert json_text.parse_json('\ufeff{"a": [1, null]}', "") == {"a": [1, None]}
