"""The surrogates of telephone numbers, user names, e-mail, web and IP addresses.

A user name or address that contains a person's name gets the surrogate of that name.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import regex

from crfdeid.lexicon import word_lists
from crfdeid.lexicon.letters import fold, match_case, word_set
from crfdeid.redact.surrogates.identifiers import replace_characters
from crfdeid.redact.surrogates.keyed_choice import HOSTS, KeyedChoices
from crfdeid.redact.surrogates.names import Names
from crfdeid.redact.surrogates.patient_facts import PatientFacts

PHONE_WORDS = word_set(
    """x ext extn extension pager pgr page beeper bp tel telephone phone ph fax cell mobile home work office
    h w c o p f pg at or and to number no call"""
)
LETTERS = regex.compile(r"\p{L}+")
PHONE = regex.compile(
    r"(?P<country>\+?1[\s.-]*)?\(?(?P<area>[2-9]\d\d)\)?[\s./-]*(?P<local>\d{3}[\s.-]*\d{4})(?!\d)"
)
LOCAL = regex.compile(r"(?<!\d)\d{3}[\s.-]*\d{4}(?!\d)")
USERNAME_PART = regex.compile(r"\p{L}+|\d+")
ADDRESS_PART = regex.compile(r"[\p{L}\d]+")
PROVIDERS = (
    "gmail", "yahoo", "hotmail", "outlook", "aol", "icloud", "comcast", "verizon", "msn", "protonmail"
)  # fmt: skip
ENDINGS = word_set(
    "com org net edu gov mil info biz us uk ca de fr es it nl au ie co io html htm php asp aspx pdf"
)
SCHEME = regex.compile(r"(?:(?:https?|ftp)://)?(?:www\d?\.)?", regex.IGNORECASE)


class Contacts:
    """The surrogates of one patient's contacts."""

    endings = ENDINGS  # of addresses, which stay

    def __init__(self, choices: KeyedChoices, facts: PatientFacts, names: Names) -> None:
        self.choices, self.facts, self.names = choices, facts, names
        self.replace_area: Callable[[str], str | None] | None = None  # by the patient's places

    # Telephone numbers

    def replace_phone(self, text: str) -> str | None:
        """Replace a telephone number. The same seven digits have the same surrogate with and without an area
        code.

        >>> choices, facts = KeyedChoices(b"secret", "7"), PatientFacts()
        >>> contacts = Contacts(choices, facts, Names(choices, facts))
        >>> a, b = map(contacts.replace_phone, ("(617) 555-0148", "555-0148"))
        >>> a.endswith(b), b != "555-0148"
        (True, True)
        """
        if not has_letter_or_digit(text):
            return None
        match = PHONE.search(text) or LOCAL.search(text)
        if match is None:
            return self._replace_rest(text)
        groups = match.groupdict()
        local = groups.get("local") or match[0]
        prefix = match[0][: len(match[0]) - len(local)]
        if area := groups.get("area"):
            cut = prefix.index(area)
            new_area = self.replace_area(area) if self.replace_area else None
            new_area = new_area or make_dialable(replace_characters(area, self.choices, "area"))
            prefix = prefix[:cut] + new_area + prefix[cut + 3 :]
        new = self._replace_local(local)
        return (
            self._replace_rest(text[: match.start()]) + prefix + new + self._replace_rest(text[match.end() :])
        )

    def _replace_local(self, text: str) -> str:
        new = replace_characters(text, self.choices, "phone")
        return make_dialable(new) if text[0] in "23456789" and make_dialable(new) != text else new

    def _replace_rest(self, text: str) -> str:
        """Replace the digits of extensions and the like; keep the words of telephone numbers."""
        out: list[str] = []
        at = 0
        for match in LETTERS.finditer(text):
            is_kept = match[0].lower() in PHONE_WORDS
            out.append(self._replace_digits(text[at : match.start()]))
            out.append(match[0] if is_kept else replace_characters(match[0], self.choices, "phone"))
            at = match.end()
        return "".join([*out, self._replace_digits(text[at:])])

    def _replace_digits(self, text: str) -> str:
        return replace_characters(text, self.choices, "phone") if has_letter_or_digit(text) else text

    # User names

    def replace_username(self, text: str) -> str | None:
        if not has_letter_or_digit(text):
            return None
        made = USERNAME_PART.sub(lambda match: self._replace_username_part(match[0]), text)
        return made if made != text else replace_characters(text, self.choices, "username")

    def _replace_username_part(self, part: str) -> str:
        """Replace digits, initials, a name, or a name with an initial before or after it."""
        folded = fold(part)
        if part.isdecimal():
            return replace_characters(part, self.choices, "username")
        if len(folded) <= 3 and not self._is_name(folded):
            return self.names.initials.replace_letters(part)
        if not self._is_name(folded) and self._is_name(folded[1:]):
            name = self.names.choose_name(folded[1:]).lower()
            return self.names.initials.replace_letter(part[0]) + match_case(name, part[1:])
        if not self._is_name(folded) and self._is_name(folded[:-1]):
            name = self.names.choose_name(folded[:-1]).lower()
            return match_case(name, part[:-1]) + self.names.initials.replace_letter(part[-1])
        made = self.names.choose_name(folded) if self._is_name(folded) else self._replace_joined(folded)
        return match_case(made, part)

    def _replace_joined(self, folded: str) -> str:
        """Replace two names of the patient's notes that are written as one word, otherwise a single name."""
        for cut in range(3, len(folded) - 2):
            if folded[:cut] in self.facts.names and folded[cut:] in self.facts.names:
                return (self.names.choose_name(folded[:cut]) + self.names.choose_name(folded[cut:])).lower()
        return self.names.choose_name(folded).lower()

    def _is_name(self, folded: str) -> bool:
        return (
            folded in self.facts.names
            or word_lists.is_common_name(folded)
            or (len(folded) > 3 and folded in word_lists.load_folded("surnames"))
        )

    # Addresses of the internet

    def replace_email(self, text: str) -> str | None:
        local, at, domain = text.rpartition("@")
        if not at:
            return self.replace_url(text) if "." in text else self.replace_username(text)
        user = self.replace_username(local)
        return None if user is None else f"{user}@{self._replace_domain(domain)}"

    def _replace_domain(self, text: str) -> str:
        """Replace the host names and keep the endings; a public provider becomes another one."""

        def replace(match: regex.Match[str]) -> str:
            word = match[0]
            rest = text[match.end() :]
            is_kept = match.start() and self._is_ending(word.lower(), rest)
            return word if is_kept else self._replace_host(word)

        return ADDRESS_PART.sub(replace, text)

    def _is_ending(self, word: str, rest: str) -> bool:
        """Whether a word of a host before ``rest`` is an ending, which stays."""
        is_last = not regex.search(r"\.\p{L}", rest)
        return word in self.endings and (is_last or len(word) == 2)

    def _replace_host(self, word: str) -> str:
        lowered = word.lower()
        if lowered in PROVIDERS:
            others = [name for name in PROVIDERS if name != lowered]
            return match_case(self.choices.choose(others, "provider", lowered), word)
        if word.isdecimal():
            return replace_characters(word, self.choices, "host")
        if len(word) < 4:
            if word.isalpha():
                return self.names.initials.replace_letters(word, HOSTS)
            return replace_characters(word, self.choices, "host")
        real = {lowered, *(self.facts.names if self.facts.complete else ())}
        pool = self._list_hosts(self.names.initials.choose_initial(word, HOSTS))
        names = [name for name in pool if name.lower() not in real]
        return match_case(self.choices.choose(names, "host", lowered).lower(), word)

    def _list_hosts(self, initial: str) -> Sequence[str]:
        """The names that hosts may get, with this initial."""
        return word_lists.load_pool(word_lists.SURNAME)[initial]

    def replace_url(self, text: str) -> str | None:
        """Replace the host by a name and the path by one of its pattern; keep the scheme and the endings."""
        if not has_letter_or_digit(text):
            return None
        scheme = SCHEME.match(text)
        rest = text[scheme.end() :] if scheme else text
        host, slash, path = rest.partition("/")

        def replace(match: regex.Match[str]) -> str:
            follows_dot = match.start() and path[match.start() - 1] == "."
            is_ending = follows_dot and match[0].lower() in self.endings
            return match[0] if is_ending else replace_characters(match[0], self.choices, "path")

        new_path = ADDRESS_PART.sub(replace, path)
        return (scheme[0] if scheme else "") + self._replace_domain(host) + slash + new_path

    def replace_ip(self, text: str) -> str | None:
        """Replace each number up to 255 by one with as many digits, and each hexadecimal group likewise."""
        if not has_letter_or_digit(text):
            return None

        def replace(match: regex.Match[str]) -> str:
            lowest = {1: 1, 2: 10, 3: 100}.get(len(match[0]))
            if "." in text and match[0].isdecimal() and lowest:
                others = [n for n in range(lowest, min(lowest * 10, 255)) if str(n) != match[0]]
                return str(self.choices.choose(others, "ip", text, match.start()))
            stream = self.choices.stream_bytes("ip", text, match.start())
            made = "".join("0123456789abcdef"[next(stream) % 16] for _ in match[0])
            return made.upper() if match[0].isupper() else made

        made = regex.sub(r"[0-9A-Fa-f]+", replace, text)
        made = regex.sub(r"[G-Zg-z\P{ASCII}]", lambda match: self._replace_stray(match[0]), made)
        return made if made != text else replace_characters(text, self.choices, "ip")

    def _replace_stray(self, character: str) -> str:
        """Replace a letter that does not belong in an IP address."""
        return replace_characters(character, self.choices, "ip") if character.isalnum() else character


def has_letter_or_digit(text: str) -> bool:
    return any(c.isalnum() for c in text)


def make_dialable(number: str) -> str:
    """Replace a leading 0 or 1, because no area code or exchange begins with it, and N11 (911), which is
    none.

    >>> make_dialable("155-0148"), make_dialable("911-0148"), make_dialable("211")
    ('355-0148', '921-0148', '221')
    """
    number = str(2 + int(number[0]) % 8) + number[1:] if number[0] in "01" else number
    return f"{number[0]}2{number[2:]}" if number[1:3] == "11" else number
