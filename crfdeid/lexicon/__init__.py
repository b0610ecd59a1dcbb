"""The words that several rooms look for: titles, credentials, months, names, ordinary words."""

ENGLISH, SPANISH = LANGUAGES = ("english", "spanish")  # of notes, models and surrogates
