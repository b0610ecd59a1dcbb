"""The verbs of the ``crfdeid`` command. A verb is the ``__main__.py`` of the room that owns its nouns."""

from __future__ import annotations

from typing import NamedTuple


class Verb(NamedTuple):
    """A command: the module whose ``main`` runs it (imported only then), and one line of help."""

    module: str
    help: str


VERBS = {
    "find PHI": {
        "tag": Verb("crfdeid.tag.__main__", "find PHI in notes with a model or with rules"),
        "spark": Verb("crfdeid.spark.__main__", "find or redact the PHI of many notes with Spark"),
        "rules": Verb("crfdeid.explain.rules", "show which rule found which span"),
        "explain": Verb("crfdeid.explain.__main__", "show why a token got its label"),
    },
    "release notes": {
        "redact": Verb("crfdeid.redact.__main__", "replace PHI by surrogates or by markers"),
        "release": Verb("crfdeid.redact.report.release_page", "write the page of a release that people sign"),
        "check": Verb("crfdeid.check.__main__", "find what looks like PHI in a repository or a patch"),
        "restore": Verb("crfdeid.redact.restore", "undo a release with its map"),
        "review": Verb("crfdeid.review.__main__", "mark, compare and check notes in a browser"),
        "utility": Verb("crfdeid.redact.utility.__main__", "count how much of the medicine a release keeps"),
        "certify": Verb("crfdeid.certify.__main__", "say how much PHI a release still holds, from a sample"),
    },
    "serve programs": {
        "serve": Verb("crfdeid.serve.__main__", "tag, redact and restore over HTTP"),
    },
    "install": {
        "warm": Verb("crfdeid.tag.warm", "compile the loops beforehand, for images and read-only installs"),
    },
    "train and measure": {
        "train": Verb("crfdeid.train", "train a model on annotated notes"),
        "adapt": Verb(
            "crfdeid.adapt.__main__", "adapt a model to the notes of a site, from a few corrected ones"
        ),
        "share": Verb("crfdeid.share.__main__", "train a model that can be shared, and attack it"),
        "evaluate": Verb(
            "crfdeid.evaluate.__main__", "compare found spans with gold spans: the official scores"
        ),
        "ablate": Verb("crfdeid.ablate.__main__", "train and compare many configurations"),
        "thresholds": Verb("crfdeid.explain.thresholds", "show recall and precision of a model by threshold"),
        "stats": Verb("crfdeid.evaluate.corpus_statistics", "count what an annotated corpus has"),
        "clusters": Verb("crfdeid.clusters", "learn clusters of words from text without spans"),
        "importance": Verb("crfdeid.explain.importance", "rank feature templates by information gain"),
    },
    "make corpora": {
        "convert": Verb("crfdeid.convert", "convert a corpus from one format to another"),
        "synthetic": Verb("crfdeid.synthetic.__main__", "write invented notes with gold spans"),
        "reidentify": Verb("crfdeid.synthetic.reidentify.__main__", "replace placeholders by invented names"),
    },
}
