"""Clinical notes written from frames, with exact gold spans. See docs/synthetic.md."""

from crfdeid.synthetic.notes import generate

__all__ = ["generate"]
