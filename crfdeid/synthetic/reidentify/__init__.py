"""Corpora made by putting surrogates into texts whose PHI was taken out.

    text ─▶ SourceText: its places ─▶ surrogates, head, foot, mentions ─▶ pieces ─▶ Document with gold spans

Sibanda & Uzuner 2006 (section 3) made their corpora in this way. See docs/reidentify.md.
"""
