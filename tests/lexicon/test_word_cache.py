"""Answers about words are kept until they are forgotten."""

from crfdeid.lexicon.letters import forget_words, remember_words


def test_an_answer_is_kept_until_it_is_forgotten():
    asked = []

    @remember_words(2)
    def measure(word):
        asked.append(word)
        return len(word)

    assert [measure(word) for word in ("Ruiz", "Ana", "Ruiz")] == [4, 3, 4]
    assert asked == ["Ruiz", "Ana"]
    measure("Nowak")  # one more than are kept
    measure("Ana")
    assert asked == ["Ruiz", "Ana", "Nowak", "Ana"]
    forget_words()
    measure("Ana")
    assert asked == ["Ruiz", "Ana", "Nowak", "Ana", "Ana"]
