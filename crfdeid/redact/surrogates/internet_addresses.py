"""E-mail, URL, IP address. What is made of a person's name is made of that person's surrogate."""

from __future__ import annotations

import regex

from crfdeid.redact.surrogates import name_pools
from crfdeid.redact.surrogates.contacts import Contacts
from crfdeid.redact.surrogates.identifiers import patterned
from crfdeid.redact.surrogates.keyed_choice import KeyedChoices
from crfdeid.redact.surrogates.letter_case import cased, words
from crfdeid.redact.surrogates.names import Names
from crfdeid.redact.surrogates.patient_facts import PatientFacts

PROVIDERS = (
    "gmail", "yahoo", "hotmail", "outlook", "aol", "icloud", "comcast", "verizon", "msn", "protonmail"
)  # fmt: skip
ENDINGS = words(
    "com org net edu gov mil info biz us uk ca de fr es it nl au ie co io html htm php asp aspx pdf"
)
SCHEME = regex.compile(r"(?:(?:https?|ftp)://)?(?:www\d?\.)?", regex.IGNORECASE)


class Addresses:
    def __init__(self, draws: KeyedChoices, known: PatientFacts, names: Names, contacts: Contacts) -> None:
        self.draws, self.known, self.names, self.contacts = draws, known, names, contacts

    def email(self, text: str) -> str | None:
        local, at, domain = text.rpartition("@")
        if not at:
            return self.url(text) if "." in text else self.contacts.username(text)
        before = self.contacts.username(local)
        return None if before is None else f"{before}@{self.domain(domain)}"

    def domain(self, text: str) -> str:
        """Other hosts with the same endings; a public provider becomes another."""

        def label(match: regex.Match[str]) -> str:
            word = match[0]
            last = not regex.search(r"\.\p{L}", text[match.end() :])
            if word.lower() in ENDINGS and (last or len(word) == 2) and match.start():
                return word
            return self.host(word)

        return regex.sub(r"[\p{L}\d]+", label, text)

    def host(self, word: str) -> str:
        low = word.lower()
        if low in PROVIDERS:
            others = [name for name in PROVIDERS if name != low]
            return cased(self.draws.choice(others, "provider", low), word)
        if word.isdecimal():
            return patterned(word, self.draws, "host")
        if len(word) < 4:
            return (
                "".join(map(self.names.letter, word))
                if word.isalpha()
                else patterned(word, self.draws, "host")
            )
        real = {low, *(self.known.names if self.known.whole else ())}
        names = [
            n for n in name_pools.pool(name_pools.SURNAME)[self.names.initial(word)] if n.lower() not in real
        ]
        return cased(self.draws.choice(names, "host", low).lower(), word)

    def url(self, text: str) -> str | None:
        """Scheme and endings stay; the host becomes another, the path another of its pattern."""
        if not any(c.isalnum() for c in text):
            return None
        head = SCHEME.match(text)
        rest = text[head.end() :] if head else text
        host, slash, path = rest.partition("/")

        def part(match: regex.Match[str]) -> str:
            after_dot = match.start() and path[match.start() - 1] == "."
            ending = after_dot and match[0].lower() in ENDINGS
            return match[0] if ending else patterned(match[0], self.draws, "path")

        new_path = regex.sub(r"[\p{L}\d]+", part, path)
        return (head[0] if head else "") + self.domain(host) + slash + new_path

    def ip(self, text: str) -> str | None:
        """Octets up to 255 with their number of digits, hexadecimal groups likewise."""
        if not any(c.isalnum() for c in text):
            return None

        def group(match: regex.Match[str]) -> str:
            low = {1: 1, 2: 10, 3: 100}.get(len(match[0]))
            if "." in text and match[0].isdecimal() and low:
                others = [n for n in range(low, min(low * 10, 255)) if str(n) != match[0]]
                return str(self.draws.choice(others, "ip", text, match.start()))
            stream = self.draws.stream("ip", text, match.start())
            made = "".join("0123456789abcdef"[next(stream) % 16] for _ in match[0])
            return made.upper() if match[0].isupper() else made

        made = regex.sub(r"[0-9A-Fa-f]+", group, text)
        made = regex.sub(
            r"[G-Zg-z\P{ASCII}]",
            lambda m: patterned(m[0], self.draws, "ip") if m[0].isalnum() else m[0],
            made,
        )
        return made if made != text else patterned(text, self.draws, "ip")
