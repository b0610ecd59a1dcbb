r"""The grammar of a Spanish street address: kind of street, name, number, and floor or door.

``es_street`` marks ``C/ Mayor, 3, 2º A``; a postal code or town after it is not part. Streets without a word
for the kind of street (``Olivos 973``) are not marked, because a name can end right before them. All was
written for this project.
"""

from __future__ import annotations

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
NUMBER = (
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
    (?P<number>(?i:{KINDS})\ ?[./]*\ ?{NAME}\ ?[,.;]?\ ?(?:{NUMBER}|{NO_NUMBER})
      (?:{DOOR}|(?:\ ?[,.\-–]?\ ?{FLOOR})*))                              # C/ Mayor, 3, 2º A
  | (?P<box>(?i:apartado\ de\ correos|apartado|apdo\.?)\ \d+))                    # apartado de correos 41
"""
