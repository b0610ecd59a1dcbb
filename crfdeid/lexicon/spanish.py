"""The words of Spanish notes that several rooms read: titles, months, numbers and feasts."""

from __future__ import annotations

from crfdeid import files
from crfdeid.lexicon import Language

TITLES = ("sr", "sra")
CHECKED_TITLES = (  # in the written corpus
    "Dr|Dra|Sr|Sra|Srta|D|Dña|Don|Doña|Lic|Prof|Ing|Klgo|Enf|Tía|Tío"
)
MONTHS = (
    "enero", "febrero", "marzo", "abril", "mayo", "junio", "julio", "agosto", "septiembre", "octubre",
    "noviembre", "diciembre",
)  # fmt: skip
MONTH_NUMBERS = {name: number for number, name in enumerate(MONTHS, 1)} | {"setiembre": 9}  # or septiembre
MONTH_PATTERN = "|".join(MONTHS).replace("septiembre", "sep?tiembre")
SHORT_MONTH_PATTERN = "|".join(name[:3] for name in MONTHS).replace("sep", "sept?")
WEEKDAYS = ("lunes", "martes", "miércoles", "jueves", "viernes", "sábado", "domingo")
ROMANS = ("i", "ii", "iii", "iv", "v", "vi", "vii", "viii", "ix", "x", "xi", "xii")
UNITS = (
    "", "uno", "dos", "tres", "cuatro", "cinco", "seis", "siete", "ocho", "nueve", "diez", "once", "doce",
    "trece", "catorce", "quince", "dieciséis", "diecisiete", "dieciocho", "diecinueve", "veinte", "veintiuno",
    "veintidós", "veintitrés", "veinticuatro", "veinticinco", "veintiséis", "veintisiete", "veintiocho",
    "veintinueve",
)  # fmt: skip
TENS = ("treinta", "cuarenta", "cincuenta", "sesenta", "setenta", "ochenta", "noventa")
NUMBERS = {word: number for number, word in enumerate(UNITS) if word}
NUMBERS |= {f"{ten} y {UNITS[unit]}" if unit else ten: 30 + 10 * place + unit
            for place, ten in enumerate(TENS) for unit in range(10)}  # fmt: skip
NUMBER_WORDS = {number: word for word, number in NUMBERS.items()}
FEASTS: dict[str, tuple[int, int] | int] = {  # a day, or days from Easter
    "navidad": (12, 25), "navidades": (12, 25), "nochebuena": (12, 24), "nochevieja": (12, 31),
    "año nuevo": (1, 1), "reyes": (1, 6), "día de reyes": (1, 6), "epifanía": (1, 6), "candelaria": (2, 2),
    "día de los inocentes": (12, 28), "fin de año": (12, 31), "nadal": (12, 25), "velitas": (12, 7),
    "día de las velitas": (12, 7), "la purísima": (12, 8), "inti raymi": (6, 24), "cruz de mayo": (5, 3),
    "las cruces": (5, 3), "asunción": (8, 15), "sanfermines": (7, 7), "sant jordi": (4, 23),
    "sant joan": (6, 24), "halloween": (10, 31), "víspera de todos los santos": (10, 31),
    "san valentín": (2, 14), "san josé": (3, 19), "fallas": (3, 19), "las fallas": (3, 19),
    "día del padre": (3, 19), "primero de mayo": (5, 1), "día del trabajo": (5, 1), "día de la madre": (5, 8),
    "san isidro": (5, 15), "san juan": (6, 24), "san pedro": (6, 29), "san fermín": (7, 7),
    "virgen del carmen": (7, 16), "santiago": (7, 25), "la asunción": (8, 15),
    "día del niño": (8, 15), "fiestas patrias": (9, 18), "el dieciocho": (9, 18), "la merced": (9, 24),
    "el pilar": (10, 12), "la hispanidad": (10, 12), "todos los santos": (11, 1), "día de muertos": (11, 2),
    "día de los muertos": (11, 2), "la constitución": (12, 6), "la inmaculada": (12, 8),
    "inmaculada": (12, 8),
    "guadalupe": (12, 12), "carnaval": -47, "carnavales": -47, "domingo de ramos": -7, "semana santa": -3,
    "s. santa": -3, "miércoles santo": -4, "sábado de gloria": -1, "jueves santo": -3, "viernes santo": -2,
    "entroido": -47, "domingo de carnaval": -49, "sábado de carnaval": -50, "sábado de entroido": -50,
    "domingo de coros": -49, "lunes de carnaval": -48, "martes de carnaval": -47, "miércoles de ceniza": -46,
    "turismo": -3, "semana de turismo": -3, "semana de pascua": 3, "lunes de pascua": 1,
    "domingo de pascua": 0, "domingo de resurrección": 0, "pentecostés": 49,
    "pascua": 0, "pascuas": 0, "corpus": 60, "corpus christi": 60,
}  # fmt: skip
STOP_WORDS = frozenset(  # that English does not have
    """que en los las por para con una su del se al lo como pero sus le ya este esta sin y el un desde hasta
    muy también hace fue ha son más está""".split()  # noqa: SIM905
)

LANGUAGE = Language(
    "spanish",
    stop_words=STOP_WORDS,
    model="spanish",
    repair="crfdeid.repair.spanish:BY_SCHEME",
    surrogates="crfdeid.redact.surrogates.spanish:SpanishSurrogates",
    written="crfdeid.synthetic.written_filler_spanish:WRITTEN",
    page=str(files.PACKAGE / "redact" / "report" / "release_page_spanish.txt"),
    women=("es_first_names_female",),
    men=("es_first_names_male",),
    surnames=("es_surnames", "es_american_surnames"),
    nicknames="es_nicknames",
    letters=("ABCEGLMPRS", "DFHIJNTV", "OUYZQKW"),
    titles=(*CHECKED_TITLES.split("|"), "Sor", "Fray", "Mossèn"),
    words=("es_words",),
    institution_words=("es_hospital_words",),
    street_words=("es_street_words",),
    towns=("es_towns", "es_more_towns"),
    countries="es_countries",
    jobs="es_jobs",
    months=MONTHS,
    weekdays=WEEKDAYS,
)
