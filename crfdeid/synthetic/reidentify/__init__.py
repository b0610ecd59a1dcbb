"""Corpora made of texts whose PHI was taken out, by putting surrogates in its place.

    text ─▶ SourceText: its places ─▶ surrogates, head, foot, mentions ─▶ pieces ─▶ Document with gold spans

Sibanda & Uzuner 2006 (section 3) made their corpora so. See docs/reidentify.md.
"""
