"""A decoder in numpy, which begins at once, and a compiled one once there was enough to do."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from importlib.util import find_spec

from crfdeid.engine.arrays.batch import Batch
from crfdeid.engine.crfsuite_file.model_file import Weights
from crfdeid.engine.decoding.decoder import Decoder
from crfdeid.feature_extraction.pipeline import Pipeline
from crfdeid.text.document import Document

WORTH_COMPILED = 120_000  # characters after which loading the compiled loops pays


class Adaptive:
    """What taggers share that decode with ``weights``."""

    def __init__(self, weights: Weights, pipeline: Pipeline) -> None:
        self.weights, self.pipeline = weights, pipeline
        self.compiled, self.seen = False, 0

    @cached_property
    def decoder(self) -> Decoder:
        return Decoder(self.weights, self.pipeline)

    def compile(self) -> None:
        """Go on with compiled loops, where numba is installed: where there is much to do, best before
        the first note."""
        if not self.compiled and find_spec("numba"):
            from crfdeid.engine.decoding import numba_kernels

            self.compiled, self.decoder = True, Decoder(self.weights, self.pipeline, numba_kernels)

    def batch(self, documents: Sequence[Document]) -> Batch:
        """The documents as ``decoder`` takes them from here on."""
        self.seen += sum(len(document.text) for document in documents)
        if self.seen >= WORTH_COMPILED:
            self.compile()
        return self.decoder.batch(documents)
