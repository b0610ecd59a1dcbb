r"""Dates, ages, people, streets and makers in Spanish notes.

``es_date`` and ``es_age`` give the part and the kind of an expression: ``Bdmy``, ``Idmy``. They only say
what the text could be; a CRF learns which of them are PHI. ``es_family`` and ``es_person`` give the last
word in the sentence for a relative (``madre``) or for the patient (``varón``), and how far it is;
``es_relative`` marks the expression itself (``dos hermanas mayores``), and ``es_subject`` says who was
named last in the line. ``es_maker`` is what could be the maker of a drug or a device.

``es_street`` is a street address by a grammar: kind of street, name, number, and floor or door, such as
``C/ Mayor, 3, 2º A``; a postal code or town after it is not part. Streets without a word for the kind of
street (``Olivos 973``) are not marked, because a name can end right before them. All were written for this
project.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, partial

import regex

from crfdeid.feature_extraction.token import Value
from crfdeid.lexicon.letters import remember_words
from crfdeid.lexicon.spanish import MONTH_PATTERN, SHORT_MONTH_PATTERN
from crfdeid.text.tokenized import TokenizedDocument

LINK = r"(?:de\ las?|de\ los|del?|dels?|las?|los|els?|les|y|i|e|da|do|das|dos|as|os|o|a|al|san|santa|sant)"
CAPITAL = r"(?:[dDlL]['’´])?\p{Lu}[\p{L}'’´·]*\.?"  # a word of the name with a capital: Mayor, Dr., d'Hebron
FIRST = rf"(?:{CAPITAL}|\d+\ de\ \p{{L}}+|N-\d+)"  # 12 de Octubre, N-332
NAME = rf"(?:{LINK}\ )*{FIRST}(?:[\ -]+(?:{LINK}\ )*(?:{CAPITAL}|de\ \p{{Ll}}+))*?"

# Words for a kind of street, whole and shortened, in Spanish, Catalan, Galician and Portuguese.
WORDS = (
    r"calle|carrer|carretera|ctra|crta|crt|carrera|avenida|avda?|avgda|avinguda|ave?|paseo|passeig|pso|p[sg]|plaza"
    r"|plz?a|plaça|praza|pza?|ronda|rda|travesía|trav|travessera|camino|camiño|camí|cmno|cno|urbanización|urb"
    r"|v[íi]a|r[úu]a|pasaje|passatge|p?s?je|partida|pda|callejón|calzada|calz|blvd|boulevard|bulevar|glorieta|gta"
    r"|cuesta|costanilla|barrio|polígono|apartado|apdo|vialidad|autovía|autopista|prolongación|alameda|rambla"
    r"|bajada|subida|paraje"
)
KINDS = rf"c\ ?/\ ?\.?|c\.|cl\.|carr?\.|pl\.|p\.?\ ?[ºo°]\.?|gran\ v[íi]a|{WORDS}"
BEGINS_STREET = rf"c|cl|carr?|pl|p|gran|{WORDS}"  # the first tokens in lower case
SIGN = r"(?i:n\.?\ ?[º°o]?\.?|[#º]|núm(?:ero)?\.?|km\.?|k\.)\ ?"  # before a number
LETTER = r"(?:\ ?(?:bis\b|[A-DF-Z](?![\p{L}\ ]?[-–]?\d|\p{L})))"  # after it, but not the E of "E-28015"
HOUSE_NUMBER = (
    rf"(?:{SIGN}\d{{1,4}}|\d{{1,3}}|\d{{4}}(?!\d|,?\.?\ \p{{Lu}}))(?!\d)"  # not a postal code before a town
    rf"(?:[.,]\d{{1,3}}(?!\d))?(?:\ ?[-–/]\ ?\d{{1,3}}(?!\d))?(?:\ y\ \d{{1,3}}(?!\d))?{LETTER}?"
)
NO_NUMBER = r"(?i:s\ ?[/.]?\ ?n\b(?:\.?\ ?[º°])?)"  # s/n
SIDE = r"(?i:izq\p{L}*|dcha|der(?:echa)?|izda|[A-D]\b|piso|planta|\d{1,2}\ ?[ªa]?)"
PARTS = (
    r"planta|piso|pta|puerta|portal|esc(?:alera)?|bloque|blq|edi?f(?:icio)?|local|km|interior|int|torre"
    r"|consultorio|apto|despacho|suite|mód\p{L}*|of(?:icina)?"
)
FLOOR = (
    rf"(?:\d{{1,2}}\ ?\.?\ ?(?:º|ª|°|o\b|a\b|er\b)(?:\ ?[.,-]?\ ?{SIDE})?"  # 2º izq
    r"|\d{1,2}\ ?-?\ ?[A-Z]\b(?!\ ?-?\d)|[A-D]\b"  # 3 A
    r"|(?i:bajos?|principal|ático|entresuelo)(?:\ [A-Z]\b)?"
    rf"|(?i:{PARTS})\.?\ ?-?(?:\d+(?:[.,]\d+)?\ ?[ªº]?|[A-Z]\b))"  # esc. 2
)
DOOR = (  # the last two of "Calle Mayor, 3, 2, A"
    r",\ ?\d{1,2}(?:,\ ?|\.?\ )(?:(?i:izq|der|dcha|izda)\p{L}*\.?|[A-Z]\b|\d{1,2}\b(?!\ ?\d))"
)
STREET = rf"""(?-i:
    (?P<number>(?i:{KINDS})\ ?[./]*\ ?{NAME}\ ?[,.;]?\ ?(?:{HOUSE_NUMBER}|{NO_NUMBER})
      (?:{DOOR}|(?:\ ?[,.\-–]?\ ?{FLOOR})*))                              # C/ Mayor, 3, 2º A
  | (?P<box>(?i:apartado\ de\ correos|apartado|apdo\.?)\ \d+))                    # apartado de correos 41
"""

ONES = "un[oa]?|dos|tres|cuatro|cinco|seis|siete|ocho|nueve"
TENS = "treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa"
ORDINALS = "primer|segundo|tercer|cuarto|quinto|sexto|séptimo|octavo|noveno|décimo"
STAGES = r"recién\ nacid[oa]|adolescente|lactante|neonato|ancian[oa]|prematuro"
NUMBERS = (
    rf"{ONES}|diez|once|doce|trece|catorce|quince|dieci\p{{L}}+|veinti\p{{L}}+|veinte"
    rf"|(?:{TENS})(?:\ y\ (?:{ONES}))?"
)
UNITS = r"(?:años|año|meses|mes|días|dias|día|dia|semanas|semana|horas)\b"
NUMBER = rf"(?:\d{{1,3}}|{NUMBERS})\ ?"

DAY = r"(?:0?[1-9]|[12]\d|3[01])"
MONTH = r"(?:0?[1-9]|1[0-2])"
YEAR = r"(?:19|20)\d\d(?![\p{L}\d@])"
OF = r"(?:\ ?(?:del?\ (?:año\ )?|[,/-]\ ?)?\d{4}\b|[-/\ ]\d\d\b)"  # the year after a day and a month
ALONE = r"(?<![\p{L}\d@]|\d[.,/-]\ ?)"  # not within a word, an address or a longer number
ENDS = r"(?!\ ?[.,/-]?\ ?\d)"

# The first alternative that matches at a token gives the kind.
DATE = rf"""
    (?P<dmy>{ALONE}{DAY}\ ?(?:/\ ?{MONTH}\ ?/|-\ ?{MONTH}\ ?-|\.\ ?{MONTH}\ ?\.)
      \ ?(?:(?:19|20)\d\d|\d\d){ENDS})                                                # 14/03/2016
  | (?P<ymd>{ALONE}(?:19|20)\d\d[/.-]{MONTH}[/.-]{DAY}{ENDS})                           # 2016-03-14
  | (?P<dmoy>\d{{1,2}}\ ?(?:de\ |/|-|\.)?(?:{MONTH_PATTERN})\b{OF}?)  # 14 de marzo de 2016
  | (?P<dmony>\d{{1,2}}\ ?[-/\ .]\ ?(?:{SHORT_MONTH_PATTERN})\b\.?
      (?:\ ?[-/\ .]\ ?(?:\d{{4}}|\d\d)\b)?)                                         # 14-mar-16
  | (?P<moy>(?:{MONTH_PATTERN}|{SHORT_MONTH_PATTERN})\b\.?
      (?:\ del?(?:\ año)?\ |\ ?[,/-]\ ?|\ )(?:\d{{4}}|\d\d)\b)                       # marzo de 2016
  | (?P<same>(?:{MONTH_PATTERN})(?=\ del?\ (?:(?:ese|este|dicho)\ )?(?:mismo\ )?año\b))  # marzo del mismo año
  | (?P<mo>(?<=\bmes\ de\ )(?:{MONTH_PATTERN})\b)  # (mes de) marzo
  | (?P<month>(?:{MONTH_PATTERN})\b)  # marzo
  | (?P<my>{ALONE}{MONTH}[/-]{YEAR})                                                   # 3/2016
  | (?P<ayear>años?\ {YEAR})                                                          # año 2016
  | (?P<year>{ALONE}{YEAR})                                                            # 2016
"""
AGE = rf"""
    (?P<age>{NUMBER}(?:{UNITS}|a\.)(?:\ y\ medio|\ y\ (?:\d+|{NUMBERS})\ meses)?
      (?=\ de\ (?:edad|vida|gestación)))                                              # 3 años de edad
  | (?P<ago>(?<=hace\ (?:más\ de\ |unos\ )?){NUMBER}{UNITS})                           # hace 3 años
  | (?P<later>{NUMBER}{UNITS}(?=\ (?:de\ evolución|después|antes|más\ tarde|de\ seguimiento)))
  | (?P<at>(?<=a\ los\ ){NUMBER}{UNITS})                                              # a los 3 años
  | (?P<time>{NUMBER}{UNITS})                                                        # 3 años
  | (?P<list>\d{{1,3}}(?=(?:\ y|,|\ a|\ o)(?:\ los)?\ \d{{1,3}}\ (?:años|meses|días)))   # 3 y 4 años
  | (?P<nth>(?:{ORDINALS})\ (?:año|mes|día)(?=\ de\ (?:vida|edad)))                    # tercer mes de vida
  | (?P<stage>(?:{STAGES})\b)                                                       # recién nacido
"""
KIN = (
    r"(?:padres?|madres?|progenitores|herman[oa]s?|hij[oa]s?|abuel[oa]s?|t[ií][oa]s?|prim[oa]s?|familiar(?:es)?"
    r"|familia|espos[oa]s?|marido|pareja|sobrin[oa]s?|cuñad[oa]s?|c[oó]nyuge|niet[oa]s?|suegr[oa]s?|gemel[oa]s?"
    r"|mellizos?|bisabuel[oa]s?|novi[oa])\b"
)
COUNTS = rf"(?:{ONES}|diez|\d{{1,2}}|varios|ambos|primer[oa]?|segund[oa]|tercer[oa]?|únic[oa])"
WHICH = (
    r"(?:\ (?:mayor(?:es)?|menor(?:es)?|matern[oa]s?|patern[oa]s?|var[oó]n(?:es)?|gemel[oa]s?|herman[oa]s?"
    r"|polític[oa]s?|únic[oa]|de\ (?:primer|segundo)\ grado)\b)*"
)
RELATIVE = rf"""
    (?P<counted>{COUNTS}\ {KIN}{WHICH})                                               # dos hermanas mayores
  | (?P<kin>{KIN}{WHICH})                                                            # madre, tío materno
"""
LANDS = (
    r"(?:España|Spain|EE\.?\s?UU|U\.?\s?S\.?\s?A?|Estados\ Unidos|Alemania|Germany|Suiza|Switzerland|Francia"
    r"|France|Italia|Italy|Inglaterra|England|Reino\ Unido|UK|Suecia|Sweden|Japón|Japan|Bélgica|Holanda"
    r"|Países\ Bajos|Dinamarca|Austria|Israel|Canadá|Irlanda|Portugal|Madrid|Barcelona)"
)
FIRM = r"\p{Lu}[\p{L}\-'’&]*(?:\ ?®)?(?:\ (?:\p{Lu}[\p{L}\-'’]*\.?|&|and|y))*(?:\ ?®)?"
MAKER = rf"""
    (?:[®™]\ ?[,;.]\ |(?<=\()|(?<=[,;]\ ))
      (?P<place>{FIRM})(?=[,.;]\ [^()]{{0,40}}{LANDS}\.?[^()\p{{L}}]{{0,3}}\))        # (Azopt, Alcon, España)
  | [®™%]\ ?[,;]\ (?P<mark>{FIRM})(?=\ ?[,;.)])                                    # (Azopt®, Alcon)
"""
FAMILY = (
    r"(?:padre|madre|herman|hij|abuel|t[ií][oa]s?$|prim[oa]s?$|famil|matern|patern|espos|marido|pareja|sobrin|cuñad"
    r"|conyu|cónyu|nieto)"
)
PERSON = (
    r"(?:var[oó]n|mujer|hombre|niñ[oa]|masculin|femenin|pacient|enferm[oa]s?$|lactante|recién|joven"
    r"|ancian|chic[oa])"
)
BEGINS_DATE = rf"\d+|años?|{MONTH_PATTERN}|{SHORT_MONTH_PATTERN}"
BEGINS_AGE = rf"\d+|{NUMBERS}|{ORDINALS}|recién|{STAGES}"
BEGINS_RELATIVE = rf"{COUNTS}|{KIN}"
EXPRESSIONS = {  # what their first token can be in lower case, and the expression
    "es_date": (BEGINS_DATE, DATE),
    "es_age": (BEGINS_AGE, AGE),
    "es_relative": (BEGINS_RELATIVE, RELATIVE),
    "es_street": (BEGINS_STREET, STREET),
}
MENTIONS = {"es_family": FAMILY, "es_person": PERSON}
SUBJECTS = {"es_family": "family", "es_person": "person"}
STEM = 4  # letters of a mention that its value has
MOST_PAIRS = 4  # of tokens since the mention


@cache
def compile_pattern(pattern: str) -> regex.Pattern[str]:
    """Compile a pattern when it is first used: other languages do not need it."""
    return regex.compile(pattern, regex.VERBOSE)


@cache
def compile_expression(pattern: str) -> regex.Pattern[str]:
    return regex.compile(pattern, regex.VERBOSE | regex.IGNORECASE)


def find_expressions(name: str, text: str, starts: list[int]) -> Iterator[tuple[int, int, str]]:
    """Yield start, end and kind of the expressions that begin at ``starts`` in the text, in order; none
    overlaps one before it."""
    match_at = compile_expression(EXPRESSIONS[name][1]).match
    free = 0
    for start in starts:
        if start >= free and (match := match_at(text, start)):
            free = match.end()
            yield start, free, match.lastgroup or ""


@remember_words(100_000)
def can_begin(name: str, lowered: str) -> bool:
    """Whether a token with this text in lower case can begin an expression."""
    return compile_pattern(EXPRESSIONS[name][0]).fullmatch(lowered) is not None


def mark_expressions(name: str, document: TokenizedDocument) -> list[Value]:
    """``B`` and the kind on the first token of an expression, ``I`` and the kind on its other tokens.

    >>> from crfdeid.text.tokenizer import fine
    >>> mark_expressions("es_date", TokenizedDocument("el 3 de mayo", fine("el 3 de mayo")))
    [None, 'Bdmoy', 'Idmoy', 'Idmoy']
    """
    tokens = document.tokens
    first = [i for i, text in enumerate(document.lowered) if can_begin(name, text)]
    starts = [tokens[i].start for i in first]
    return write_marks(document, find_expressions(name, document.text, starts))


def write_marks(document: TokenizedDocument, found: Iterable[tuple[int, int, str]]) -> list[Value]:
    """The values of expressions with these starts, ends and kinds, of those that begin with a token."""
    tokens = document.tokens
    by_start = {token.start: index for index, token in enumerate(tokens)}
    values: list[Value] = [None] * len(tokens)
    for start, stop, kind in found:
        if (index := by_start.get(start)) is None:
            continue
        values[index] = f"B{kind}"
        while (index := index + 1) < len(tokens) and tokens[index].start < stop:
            values[index] = f"I{kind}"
    return values


def es_maker(document: TokenizedDocument) -> list[Value]:
    """``B`` and ``I`` on what could be the maker of a drug or a device: what is after a trade mark, or
    before a place at the end of a bracket.

    >>> from crfdeid.text.tokenizer import fine
    >>> text = "(Azopt, Alcon Cusi, España)"
    >>> es_maker(TokenizedDocument(text, fine(text)))[2:6]
    [None, 'Bplace', 'Iplace', None]
    """
    matches = compile_pattern(MAKER).finditer(document.text)
    found = ((*match.span(match.lastgroup or 0), match.lastgroup or "") for match in matches)
    return write_marks(document, found)


def find_stem(name: str, lowered: str) -> str:
    """The first letters of a word that names a relative or the patient; empty for any other word."""
    return lowered[:STEM] if compile_pattern(MENTIONS[name]).match(lowered) else ""


def follow_mentions(name: str, document: TokenizedDocument) -> list[Value]:
    """The last mention before the token in its sentence, and the number of pairs of tokens since, up to 4.

    >>> from crfdeid.text.tokenizer import fine
    >>> follow_mentions("es_family", TokenizedDocument("Su madre de 70", fine("Su madre de 70")))
    [None, None, 'madr.0', 'madr.1']
    """
    values: list[Value] = []
    for line in document.lines:
        stem, place = "", 0
        for index in line:
            values.append(f"{stem}.{min((index - place) // 2, MOST_PAIRS)}" if stem else None)
            if document.lowered[index] == ".":
                stem = ""
            elif found := find_stem(name, document.lowered[index]):
                stem, place = found, index
    return values


def find_subject(lowered: str) -> str:
    """Whether a word names a relative or the patient; empty for any other word.

    >>> find_subject("madre"), find_subject("mujer"), find_subject("fiebre")
    ('family', 'person', '')
    """
    return next(
        (kind for name, kind in SUBJECTS.items() if compile_pattern(MENTIONS[name]).match(lowered)), ""
    )


def es_subject(document: TokenizedDocument) -> list[Value]:
    """Whether a relative or the patient was the last to be mentioned before the token in its line."""
    values: list[Value] = []
    for line in document.lines:
        subject = ""
        for index in line:
            values.append(subject or None)
            subject = find_subject(document.lowered[index]) or subject
    return values


CONTEXTUAL: dict[str, Callable[[TokenizedDocument], list[Value]]] = {
    **{name: partial(mark_expressions, name) for name in EXPRESSIONS},
    **{name: partial(follow_mentions, name) for name in MENTIONS},
    "es_subject": es_subject,
    "es_maker": es_maker,
}
