"""The benchmark of names by culture: its lists, its frames, and its measures."""

import sys
from pathlib import Path

import pytest

pytest.importorskip("faker")
sys.path.append(str(Path(__file__).parent.parent / "benchmarks"))

import names as benchmark

from crfdeid.text.document import Span

GROUPS = benchmark.read_lists()


@pytest.mark.parametrize("group", GROUPS)
def test_a_group_has_200_different_names_of_every_kind(group: str) -> None:
    names = benchmark.build_names(group, GROUPS[group])
    assert len({(name.first, name.last) for name in names}) == 200
    counts = {kind: sum(name.kind == kind for name in names) for kind in benchmark.KINDS}
    assert counts == benchmark.KINDS
    assert names == benchmark.build_names(group, GROUPS[group])


def test_ten_groups_fill_the_same_frames() -> None:
    frames = benchmark.read_frames()
    assert (len(GROUPS), len(frames), len(set(frames))) == (10, 640, 640)
    mentions = list(benchmark.build_mentions(1))
    assert len(mentions) == 6400 and all(mention.document.spans for mention in mentions)
    assert not any(set("{}[]") & set(mention.document.text) for mention in mentions)


def test_a_kind_has_its_form() -> None:
    names = [name for group, entries in GROUPS.items() for name in benchmark.build_names(group, entries)]
    assert all(2 <= len(name.last) <= 3 for name in names if name.kind == "short")
    assert all("-" in name.first for name in names if name.kind == "hyphen")
    inner = [f"{name.first[1:]} {name.last[1:]}" for name in names if name.kind == "inner"]
    assert all(any(map(str.isupper, text.split(" ")[0] + text.split(" ")[1])) for text in inner)


@pytest.mark.parametrize(
    "spans, recalled",
    [
        ((Span(4, 6, "X"), Span(8, 11, "X")), True),
        ((Span(0, 11, "X"),), True),
        ((Span(4, 6, "X"),), False),
        ((Span(4, 6, "X"), Span(8, 10, "X")), False),
    ],
)
def test_a_name_is_recalled_if_all_its_letters_are_covered(spans: tuple[Span, ...], recalled: bool) -> None:
    name = benchmark.Name("Chinese", "short", "Mei", "He")
    mention = benchmark.fill_frame("1", "cc: {formal}", name)
    assert mention.document.text == "cc: He, Mei"
    assert benchmark.is_recalled(mention, mention.document.with_spans(spans)) is recalled


def test_the_interval_widens_where_names_differ() -> None:
    names = [benchmark.Name("g", "plain", "A", str(n)) for n in range(100)]
    spread = [(name, n % 10 > 0) for name in names for n in range(10)]
    clustered = [(name, n > 9) for n, name in enumerate(names) for _ in range(10)]
    low, high = benchmark.compute_interval(spread)
    wide_low, wide_high = benchmark.compute_interval(clustered)
    assert wide_low < low < 0.9 < high < wide_high


def test_the_table_names_the_worst_group_first() -> None:
    good, bad = (benchmark.Name(group, "plain", "Ana", "Ruiz") for group in ("Hispanic", "Korean"))
    table = benchmark.format_table([(good, True)] * 9 + [(bad, True)] * 8 + [(bad, False)])
    assert table.splitlines()[1].startswith("Korean")
    assert "1 of 2 groups under 0.985" in table
