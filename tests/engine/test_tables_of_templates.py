"""How the weights of templates are laid out: which are one pattern, which are looked up together, and the
room that tables have."""

import numpy as np
import pytest
from small_notes import SMALL

from crfdeid.engine.crfsuite_file import STATE, Weights, make_records
from crfdeid.engine.decoding import tables
from crfdeid.engine.decoding.decoder import is_of_one_text
from crfdeid.engine.decoding.tables import Pattern, Rows, Tables, build_tables, group_by_template
from crfdeid.feature_extraction.templates import parse_templates
from crfdeid.systems.model_folder import build_pipeline


def parse(texts):
    return [template for text in texts.split() for template in parse_templates(text)]


def build(templates, attributes, labels=3):
    """The tables of some templates; each attribute has the weight 1 for the first label."""
    own = parse(templates)
    count = len(attributes)
    records = make_records(STATE, np.arange(count), np.zeros(count, int), np.ones(count))
    state = group_by_template(Weights(["O"] * labels, attributes, records, np.zeros((labels, labels))))
    return build_tables(own, state, {name: {} for template in own for name, _ in template}, labels)


def bundles_of(found):
    """The templates of each bundle, in order."""
    return [[shift_parts(found.patterns[k], s) for k, s in bundle.members] for bundle in found.bundles]


def shift_parts(pattern, shift):
    return tuple(zip(pattern.names, (pattern.offsets + pattern.shifts[shift]).tolist()))


def test_templates_that_differ_by_a_shift_are_one_pattern():
    found = build(
        "chunk[-1..1] a[-1]|b[0] a[0]|b[1] a[0]|b[0]",
        ["chunk[-1]=x", "chunk[0]=x", "chunk[1]=y", "a[-1]|b[0]=p|q", "a[0]|b[1]=p|q", "a[0]|b[0]=p|q"],
    )
    listed = [(p.names, p.offsets.tolist(), p.shifts.tolist()) for p in found.patterns]
    assert listed == [
        (("chunk",), [0], [-1, 0, 1]), (("a", "b"), [0, 1], [-1, 0]), (("a", "b"), [0, 0], [0]),
    ]  # fmt: skip
    assert found.patterns[0].rows.tolist() == [[0, 1, -1], [-1, -1, 2]]
    assert found.bundles == []


FREQUENT = "chunk[0] shape[0] length[0] shape[0]|length[0] heading[0] field[1] field[0]|chunk[0]"


def attributes_of(templates):
    """Two values for each part of each template."""
    return [f"{text}={'|'.join(v * (text.count('|') + 1))}" for text in templates.split() for v in ("x", "y")]


def test_frequent_templates_of_a_set_are_looked_up_together():
    """Those of most parts are first, so that the others fit into their combinations."""
    found = build(FREQUENT, attributes_of(FREQUENT))
    together = bundles_of(found)
    assert together == [
        [(("shape", 0), ("length", 0)), (("shape", 0),), (("length", 0),)],
        [(("heading", 0),), (("field", 1),)],
    ]
    last = {k for bundle in found.bundles for k, _ in bundle.members}
    assert last == set(range(len(found.patterns) - 5, len(found.patterns)))


@pytest.mark.parametrize(
    ("most", "sizes"),
    [
        (27, [[3, 3, 3]]),  # shape, length, letter_case: two values each, and none
        (26, [[3, 3], [3]]),
        (9, [[3, 3], [3]]),
        (8, [[3, 3], [3]]),  # a template is never cut, and what it has already costs nothing more
        (1, [[3, 3], [3]]),
    ],
)
def test_templates_are_looked_up_together_up_to_so_many_combinations(monkeypatch, most, sizes):
    monkeypatch.setattr(tables, "COMBINATIONS", most)
    chosen = "shape[0] letter_case[0] length[0] shape[0]|length[0]"
    found = build(chosen, attributes_of(chosen))
    assert [bundle.sizes.tolist() for bundle in found.bundles] == sizes
    assert sorted(member for own in bundles_of(found) for member in own) == sorted(map(tuple, parse(chosen)))


@pytest.mark.parametrize(
    ("template", "is_of_one"),
    [
        ("lower[0]|shape[0]", True),
        ("lower[-1]|shape[-1]", True),
        ("lower[0]|shape[1]", False),
        ("lower[1]|shape[0]", False),
        ("lower[2]|shape[2]", False),  # no row of the window is at 2
        ("lower[0]|word_before[0]", False),
        ("word_before[0]", False),
    ],
)
def test_templates_of_one_text_are_known(template, is_of_one):
    chosen = parse(f"lower[-1..1] {template}")
    extractor = build_pipeline(SMALL, chosen, {}).extractor
    assert is_of_one_text(chosen[-1], extractor) is is_of_one


def pack(patterns, rows=None, bundles=()):
    """The tables, the rows and the bundles, packed."""
    packed_tables = pytest.importorskip("crfdeid.engine.decoding.packed_tables")
    rows = rows or Rows(np.zeros((0, 3)), np.zeros(1, int), np.zeros(0, int), np.zeros(0))
    found = Tables(patterns, rows, bundles)
    return packed_tables.pack_tables(found), packed_tables.pack_bundles(found)


@pytest.mark.parametrize(("space", "bits", "slots"), [(9, 0, 9), (1 << 15, 0, 1 << 15), (10**14, 3, 8)])
def test_a_pattern_of_many_possible_keys_takes_no_more_than_its_keys(space, bits, slots):
    one = np.zeros(1, int)
    keys = np.array([1, 5, 7])
    pattern = Pattern(("a",), one, one + space, one + 1, one, keys, np.arange(3).reshape(3, 1), space)
    packed, _ = pack([pattern])
    assert packed.bits.tolist() == [bits] and packed.slots.tolist() == [0, slots]
    assert len(packed.slot_keys) == slots
    assert sorted(packed.slot_keys[packed.slot_rows >= 0].tolist()) == [1, 5, 7]


@pytest.mark.parametrize("number", [1, 2, 3, 8, 9])
def test_each_bundle_has_room_for_many_sums_and_each_sum_for_two_slots(number):
    """A block of tokens may need a sum for each token and bundle; a full hash table would never end a
    search."""
    found = build("shape[0]", ["shape[0]=x"])
    _, bundles = pack(found.patterns, found.rows, found.bundles * number)
    assert 4096 * number <= bundles.most < 2 * 4096 * number
    assert len(bundles.keys) == len(bundles.slot_sums) == 2**bundles.bits == 2 * bundles.most
    assert pack([])[1].most == 0


def test_a_row_of_many_weights_is_several_lines():
    packed_tables = pytest.importorskip("crfdeid.engine.decoding.packed_tables")
    sizes = [1, 9, 0, 4, 5]
    labels = np.concatenate([np.arange(size) for size in sizes])
    values = np.arange(1.0, len(labels) + 1)
    rows = Rows(np.zeros((0, 16)), np.append(0, np.cumsum(sizes)), labels, values)
    packed = packed_tables.pack_rows(rows, 16, 5)
    assert packed.begins.tolist() == [0, 1, 4, 4, 5, 7] and packed.longest == 3
    for row, (begin, end) in enumerate(zip(packed.begins, packed.begins[1:])):
        found = np.zeros(16)
        for line in packed.lines[begin:end]:
            np.add.at(found, line[:4].astype(int), line[4:])
        wanted = np.zeros(16)
        own = slice(rows.ends[row], rows.ends[row + 1])
        wanted[labels[own]] = values[own]
        assert found.tolist() == wanted.tolist()


def test_without_rows_of_few_weights_there_are_no_lines():
    packed_tables = pytest.importorskip("crfdeid.engine.decoding.packed_tables")
    none = Rows(np.zeros((2, 3)), np.zeros(1, int), np.zeros(0, int), np.zeros(0))
    packed = packed_tables.pack_rows(none, 8, 0)
    assert packed.longest == 0 and len(packed.lines) == 0 and len(packed.table) == 4


@pytest.mark.parametrize("kernels", ["tables", "numba_kernels"])
def test_a_new_scorer_knows_no_text(kernels):
    kernels = pytest.importorskip(f"crfdeid.engine.decoding.{kernels}")
    found = build("chunk[0]", ["chunk[0]=x"])
    scorer = kernels.Scorer(found, np.arange(-1, 2), np.zeros(3), np.zeros((3, 3)))
    assert scorer.window.shape == (0, 3, scorer.width)
