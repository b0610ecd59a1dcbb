"""The words that several rooms look for: titles, credentials, months, names, ordinary words."""
