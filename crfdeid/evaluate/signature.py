"""What made a figure: without it a number cannot be compared with another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

import crfdeid
from crfdeid.text.document import Document, fingerprint_documents


@dataclass(frozen=True)
class Signature:
    """``corpus`` is a fingerprint of the gold documents: ids, texts and spans, in any
    order. ``gold`` and ``system`` count spans, identical ones once."""

    scheme: str
    hipaa: str
    corpus: str
    documents: int
    gold: int
    system: int
    missing: int = 0
    version: str = crfdeid.__version__

    def text(self, **more: object) -> str:
        """As sacreBLEU prints it: what is particular to the figure first.

        >>> Signature("i2b2-2014", "script", "0f3a", 2, 9, 8).text(criterion="strict")  # doctest: +ELLIPSIS
        'criterion:strict|scheme:i2b2-2014|...|version:...'
        """
        return "|".join(f"{name}:{value}" for name, value in (more | asdict(self)).items())


def recipe(
    pairs: Sequence[tuple[Document, Document]], scheme: str, hipaa: str, missing: int = 0
) -> Signature:
    gold, system = (sum(len(set(pair[side].spans)) for pair in pairs) for side in (0, 1))
    corpus = fingerprint_documents(gold for gold, _ in pairs)
    return Signature(scheme, hipaa, corpus, len(pairs), gold, system, missing)
