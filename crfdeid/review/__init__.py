"""The reading room: people mark, compare, adjudicate and check PHI in a browser.

Douglass 2005 (chapters 2 to 4) built it in Java; her findings are its requirements::

    notes on disk ─▶ a reader's marks ─▶ items of agreement ─▶ consensus ─▶ measures, surrogates, training
                     (an append-only log of actions, one book for each reader and note)

The store (SQLite) holds offsets, types, names of readers and fingerprints of notes, and no note text.
docs/review_api.md is the contract between server and page.
"""
