"""Realistic replacements for PHI, the same wherever a patient's notes say the same.

Every choice is a keyed hash of the patient and of what is replaced (:mod:`keys`), never a draw
that depends on what came before. So the same secret gives the same surrogates in any order, on
any machine. What the notes of a patient say together (:class:`known.Known`) only refines it:
which misspelling belongs to which name, which names must not be used.

    span ─▶ kind of its type ─▶ the module of that kind ─▶ text, or None where it cannot be read
"""
