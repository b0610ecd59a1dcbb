"""What observations say of single tokens, as numbers: the value's place in a list that training made."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import partial

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.arrays.context_columns import BY_LOWERED_TEXT, ContextColumns
from crfdeid.engine.arrays.text_numbers import TextNumbers
from crfdeid.engine.arrays.types import Ints
from crfdeid.engine.decoding.decoder import AdaptiveDecoder
from crfdeid.errors import ConfigurationError
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.feature_extraction.registry import resolve_names
from crfdeid.feature_extraction.token import Value

NONE = -1

Values = Mapping[str, Sequence[Value]]  # by observation, in the order of their numbers


class ValueNumbers:
    """The numbers of the values of each observation. Where ``values`` are given, another value has none;
    otherwise each new value gets the next number."""

    def __init__(self, names: Iterable[str], values: Values | None = None) -> None:
        self.grows = values is None
        known = values or {name: () for name in names}
        self.numbers = {name: {value: n for n, value in enumerate(own)} for name, own in known.items()}

    def number(self, name: str, value: Value) -> int:
        """The number of a value, -1 for none."""
        own = self.numbers[name]
        if value is None:
            return NONE
        return own.setdefault(value, len(own)) if self.grows else own.get(value, NONE)

    def sort(self) -> dict[str, list[Value]]:
        """Return the values in order, those that are whole numbers by their size."""
        return {name: sorted(own, key=order_value) for name, own in self.numbers.items()}


def order_value(value: Value) -> tuple[int, int, str]:
    """What values are sorted by: numbers come first.

    >>> sorted(["b", "10", "-2", "a"], key=order_value)
    ['-2', '10', 'a', 'b']
    """
    text = str(value)
    is_number = text.removeprefix("-").isdecimal()
    return (0, int(text), text) if is_number else (1, 0, text)


class TokenValues:
    """The numbers of the values of ``names`` at tokens of batches that ``decoder`` made."""

    def __init__(self, names: Sequence[str], pipeline: Pipeline, numbers: ValueNumbers) -> None:
        if slow := sorted(set(names) & set(BY_LOWERED_TEXT)):
            raise ConfigurationError(f"options.observations: {slow[0]}: its value is a word")
        found = resolve_names(names, pipeline.gazetteers)
        self.names, self.pipeline, self.numbers = names, pipeline, numbers
        self.lexical, self.contextual = found.lexical, found.contextual
        self.columns: ContextColumns | None = None
        self.of_text: dict[str, TextNumbers] = {}

    def read(self, decoder: AdaptiveDecoder, batch: Batch) -> Callable[[str, Ints], Ints]:
        """Return a function that gives the numbers of an observation at some tokens of the batch."""
        context = self._follow(decoder)
        columns: dict[str, Ints] = {}

        def find(name: str, places: Ints) -> Ints:
            if name in self.lexical:
                found: Ints = self.of_text[name].rows[batch.texts[places]]
                return found
            if name not in columns:
                columns[name] = context.column(name, batch)
            found = columns[name][places]
            return found

        return find

    def forget(self) -> None:
        """Forget the texts of the batches."""
        self.columns, self.of_text = None, {}

    def _follow(self, decoder: AdaptiveDecoder) -> ContextColumns:
        """Return the columns of the decoder's vocabulary; begin again where it is another one."""
        vocabulary, number = decoder.decoder.vocabulary, self.numbers.number
        if self.columns is None or self.columns.vocabulary is not vocabulary:
            self.columns = ContextColumns(
                self.contextual,
                self.pipeline.gazetteers,
                vocabulary,
                number,
                *decoder.decoder.choose_arrays(),
            )
            self.of_text = {
                name: TextNumbers(vocabulary, partial(vocabulary.number_values, name, observe, number))
                for name, observe in self.lexical.items()
            }
        return self.columns
