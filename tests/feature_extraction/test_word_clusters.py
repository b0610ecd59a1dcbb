"""Word clusters: what is counted, what the exchange finds, what the observation says."""

import numpy as np
import pytest

from crfdeid.errors import TemplateError
from crfdeid.feature_extraction import templates, word_clusters
from crfdeid.feature_extraction.templates import resolve_names
from crfdeid.feature_extraction.word_clusters import Exchange, cluster_words, count_bigrams
from crfdeid.text.gazetteer import build_gazetteer

LIST = build_gazetteer("clusters", ["knee|12", "hip|12", "noted|7"])


def draw_text(seed: int, sentences: int = 400) -> str:
    """Sentences of an article, an organ, a verb and a finding: four classes of words."""
    draw = np.random.default_rng(seed)
    classes = ("the", "a"), ("knee", "hip", "arm", "leg"), ("shows", "has"), ("pain", "swelling", "edema")
    return " ".join(f"{' '.join(map(draw.choice, classes))}." for _ in range(sentences))


def find_clusters(texts: list[str], clusters: int, seed: int = 1) -> dict[str, int]:
    bigrams = count_bigrams(texts, 1, 1)
    *_, cluster = cluster_words(bigrams, clusters, seed, 20)
    return dict(zip(bigrams.words, cluster.tolist()))


def log_likelihood(bigrams, cluster) -> float:
    """The sum of the module's docstring, from its definition."""
    clusters = max(cluster) + 1
    pairs = np.zeros((clusters, clusters))
    np.add.at(pairs, (cluster[bigrams.left], cluster[bigrams.right]), bigrams.counts)

    def f(numbers):
        return (numbers * np.log(np.maximum(numbers, 1))).sum()

    return f(pairs) - f(pairs.sum(0)) - f(pairs.sum(1))


@pytest.mark.parametrize(
    ("token", "cluster"),
    [
        ("knee", "12"),
        ("Knee", "12"),
        ("HIP", "12"),
        ("noted", "7"),
        ("Ruiz", None),
        ("|", None),
        ("12", None),
    ],
)
def test_the_observation_is_the_number_in_the_list(token, cluster):
    observe = resolve_names(["cluster"], {"clusters": LIST}).lexical["cluster"]
    assert observe(token) == cluster


def test_templates_that_use_clusters_need_their_list():
    found = list(templates.parse_templates("cluster[-1..1]"))
    assert templates.list_gazetteers(found) == ["clusters"]
    with pytest.raises(TemplateError, match="cluster: no such observation"):
        resolve_names(["cluster"], {})


def test_words_of_one_class_get_one_cluster():
    found = find_clusters([draw_text(seed=3)], 5)
    for alike in ({"the", "a"}, {"knee", "hip", "arm", "leg"}, {"shows", "has"}, {"pain", "swelling"}):
        assert len({found[word] for word in alike}) == 1
    assert len({found[word] for word in ("the", "knee", "shows", "pain")}) == 4


def test_the_same_seed_gives_the_same_clusters_and_another_seed_does_not():
    texts = [draw_text(seed=4, sentences=60)]
    assert find_clusters(texts, 5, seed=1) == find_clusters(texts, 5, seed=1)
    assert any(find_clusters(texts, 5, seed=1) != find_clusters(texts, 5, seed) for seed in range(2, 8))


def test_every_move_raises_the_likelihood_and_the_counts_stay_right():
    bigrams = count_bigrams([draw_text(seed=5, sentences=50), "Dr. Ruiz saw saw saw the knee."], 1, 1)
    first = np.arange(len(bigrams.words)) % 4
    exchange = Exchange(bigrams, first.copy(), 4)
    before = log_likelihood(bigrams, first)
    for word in range(len(bigrams.words)):
        moved = exchange.move(word)
        after = log_likelihood(bigrams, exchange.cluster)
        assert after > before if moved else after == pytest.approx(before)
        before = after
    again = Exchange(bigrams, exchange.cluster.copy(), 4)
    for name in ("pairs", "turned", "sizes"):
        assert (getattr(exchange, name) == getattr(again, name)).all()


def test_a_word_that_few_texts_write_in_small_letters_counts_as_its_shape():
    texts = ["Seen by Ruiz again", "seen by Ruiz, rose", "RUIZ, seen by 3/14 (ruiz@rose)"]
    words = count_bigrams(texts, 2, 1).words
    assert set(words) == {" Aa", " A", " a", "by", "rose", "seen", ",", " 0", " /", " (", " @", " )", "\f"}
    assert word_clusters.list_rows(words, np.zeros(len(words), int)) == ["by|0", "rose|0", "seen|0"]
    assert "rose" not in count_bigrams(texts, 2, 3).words


def test_line_ends_count_alike():
    one, other = (count_bigrams([text], 1, 1) for text in ("a b\nc\nd", "a b\r\nc\rd"))
    assert one.words == other.words and (one.counts == other.counts).all()
