"""People mark, compare, adjudicate and check PHI in a browser.

Douglass 2005 (chapters 2 to 4) built such a program in Java; its requirements come from her findings::

    notes on disk ─▶ readers' marks ─▶ items of agreement ─▶ consensus ─▶ measures, surrogates, training
                     (an append-only log of actions, one book for each reader and note)

``study`` holds the nouns, ``measures`` the figures, ``operations`` what people do, ``web`` the server, and
``static`` its page. The store (SQLite) holds offsets, types, readers' names and notes' fingerprints, and no
note text. docs/review_api.md is the contract between server and page.
"""
