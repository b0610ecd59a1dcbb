"""The people of the development set: ten groups of names from Faker's locales, and invented surnames.

No list here is in the gazetteers, except the common American names.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from functools import cache
from importlib import import_module
from random import Random

SYLLABLES = ["ba", "dro", "fen", "gil", "ko", "lu", "mar", "ne", "os", "pra", "ri", "sha", "te", "vo", "zu"]
ENDS = ["ski", "nov", "tte", "mann", "ley", "do", "rne", "quist", "n", "shi"]
FIRST = ("first_names", "first_names_male", "first_names_female", "first_romanized_names")
LAST = ("last_names", "last_romanized_names")
LOCALES = {
    "American": "",
    "English": "en_GB en_IE en_NZ",
    "European": "de_DE it_IT fr_FR nl_NL tr_TR no_NO",
    "Hispanic": "es_ES es_MX pt_BR",
    "Slavic": "pl_PL cs_CZ hr_HR",
    "Chinese": "zh_CN zh_TW",
    "Vietnamese": "vi_VN",
    "Korean": "",
    "Japanese": "ja_JP",
    "South Asian": "en_IN",
    "Arabic": "fr_DZ en_PK",
    "African": "zu_ZA tw_GH en_NG en_KE yo_NG",
}
SHARES = (22, 16, 18, 9, 8, 5, 3, 3, 3, 5, 4, 5)  # of LOCALES, in percent
INVENTED = 0.2  # of surnames
OWN: dict[str, tuple[str, str]] = {  # where Faker has few names in Latin letters
    "Vietnamese": (
        "An Bao Binh Chau Dung Duc Hanh Hoa Huy Khanh Lan Linh Mai My Ngoc Nhi Phuong Quang Thanh Thu Tuan",
        "Ngo Dinh Do Bui Cao Chu Dao Doan Ha Ho La Luu Ly Ngu Quach Ta Thai To Trinh Truong Vo",
    ),
    "Korean": (
        "Ji-woo Min-jun Seo-yeon Hyun Eun-ji Yong-ho Soo-ah Tae-yang In-su Bo-ra Kyung Dae-jung Hae-won Jin "
        "Ye-jin Mi-sook Chang-ho Na-ri Young-soo Sung-min",
        "Kim Park Choi Jung Kang Yoon Im Oh Seo Shin Kwon Hwang Ahn Song Hong Yoo Noh Bae Heo Nam Ji Eom Ku",
    ),
    "Chinese": ("", "He An Bo Ng Wu Yi Yu Ma Lo Su Qi Fu Gu Hu"),
}


def write_latin(name: str) -> str:
    """Return the name without marks on its letters, capitals only at the starts of its parts.

    >>> write_latin("CHIA-HAO"), write_latin("Nguyễn"), write_latin("McRae")
    ('Chia-Hao', 'Nguyen', 'McRae')
    """
    plain = "".join(sign for sign in unicodedata.normalize("NFD", name) if not unicodedata.combining(sign))
    return plain.title() if plain.isupper() else plain


def select_names(names: Iterable[str]) -> list[str]:
    latin = {write_latin(name) for name in names}
    return sorted(
        name for name in latin if name.isascii() and name.replace("-", "").isalpha() and name[0].isupper()
    )


@cache
def read_group(group: str) -> tuple[list[str], list[str]]:
    """Return first names and surnames of a group of :data:`LOCALES`."""
    if group == "American":
        provider = import_module("faker.providers.person.en_US").Provider
        return list(provider.first_names)[:300], list(provider.last_names)[:300]
    own = [set(names.split()) for names in OWN.get(group, ("", ""))]
    for locale in LOCALES[group].split():
        provider = import_module(f"faker.providers.person.{locale}").Provider
        for names, attributes in zip(own, (FIRST, LAST)):
            for attribute in attributes:
                names |= set(getattr(provider, attribute, ()))
    return select_names(own[0] - {"John", "Jane"}), select_names(own[1])


@cache
def read_surname_groups() -> dict[str, str]:
    """Return the first group of each surname in small letters."""
    groups: dict[str, str] = {}
    for group in LOCALES:
        for name in read_group(group)[1]:
            groups.setdefault(name.lower(), group)
    return groups


def find_group(name: str) -> str:
    """Return the group of the surname, or of the first part of a double one; else ``other``:
    invented, or only a first name.

    >>> find_group("An Trinh"), find_group("BAE-PALLA, JIN"), find_group("Zuvomann")
    ('Vietnamese', 'Korean', 'other')
    """
    surname = name.lower().split(",")[0].split()[-1]
    return read_surname_groups().get(surname.split("-")[0], "other")


def build_surname(rng: Random) -> str:
    """Return an invented surname."""
    return "".join(rng.choices(SYLLABLES, k=2)).capitalize() + rng.choice(ENDS)


def draw_person(rng: Random) -> tuple[str, str, str]:
    """Return a first name, a middle initial and a surname."""
    firsts, lasts = read_group(rng.choices(list(LOCALES), SHARES)[0])
    last = build_surname(rng) if rng.random() < INVENTED else rng.choice(lasts)
    if rng.random() < 0.06:
        last += "-" + rng.choice(lasts)
    return rng.choice(firsts), rng.choice("ABCDEFGHJKLMRSTW"), last
