"""Realistic replacements for PHI, equal wherever the notes of a patient say the same.

Every choice is a keyed hash of the patient and of what is replaced (:mod:`keyed_choice`) and never depends on
earlier choices. So a secret gives the same surrogates in any order and on any machine. What the notes of a
patient contain together (:class:`patient_facts.PatientFacts`) only refines the choices: it shows which
misspelling belongs to which name, and which names must not be used.

    span ─▶ kind of its type ─▶ the module of that kind ─▶ surrogate, or None if the text cannot be read
"""
