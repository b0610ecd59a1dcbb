"""The name under which :func:`crfdeid.corpora.hardened.read` was first known."""

from crfdeid.corpora.hardened import read as parsed

__all__ = ["parsed"]
