"""Forms for Spanish notes: names, ages, dates, and words that are not PHI; and the table of the pack.

Each form gains on hands that the training of the model had not seen (docs/spanish.md).
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import replace
from functools import cache

from crfdeid.lexicon.spanish import MONTH_PATTERN, SHORT_MONTH_PATTERN, WEEKDAYS
from crfdeid.lexicon.word_lists import load_lowercase
from crfdeid.repair import spanish_places as places
from crfdeid.repair.spans import NAMES, REACH, Repair, Spans, cut, join, search_tail
from crfdeid.text.document import Span

STAFF = (
    r"Dr[ae]?s?|Doctor[ae]?s?|Lic|Lcd[ao]|Licd[ao]|Lcdos|Licenciad[ao]|Enf|Enfermer[ao]|Obst|Klg[ao]"
    r"|Mtr[ao]|Ing|Prof|Psic"
    r"|Md|TUM|L\.?\ ?T\.?\ ?S|L\.?E|L\.?N|L\.?P|T\.?S|E\.?U|D\.?U\.?E|MIR|MPSS|TENS|Q\.?F\.?B|Nut|Nutr"
    r"|Flg[ao]|Fg[ao]"
    r"|Bioq|Q\.F|M\.C|Aux|Téc|Tec|Cabo|Agente|Sgto|Abg|Abog|Mag|Tte|Cap|Subinspector[a]?|Inspector[a]?"
    r"|Magistrad[ao]"
    r"|Pbro|Padre(?=\ [A-Z])|Maestr[ao]|Profesora?|Jueza?|Fiscal|Int|Res|Resid"
)
OTHERS = (
    r"D\.?\ ?[ªa]|D[ñn]a|Don|Doña|D(?=\.)|Sr(?:t?a|es)?s?|Señor(?:ita|a|es)?|Ña|Tí[ao]|RN\ de|Px|Pte"
    r"|Pcte|Paciente"
    r"|Probanda"
)
TITLES_BEFORE = re.compile(
    rf"(?:(?:{STAFF}|{OTHERS})(?:\.|(?![^\W_]))[ªa]?:?\s*)+(?=[^\W\d_])", re.IGNORECASE
)
STAFF_STOP = re.compile(rf"(?:{STAFF})\.", re.IGNORECASE)
CREDENTIALS_AFTER = re.compile(
    r"(?:[\s,./–-]+(?:R[1-5]|MIR[ -]?\d?|EIR\d?|PIR\d?|D\.?U\.?[EI]|T\.?S\.?S?|TCAE|TENS|MPSS|MB|UCI|EU"
    r"|TM|MD|M\.D|Esp|RM"
    r"|R\.M|T\.P|M\.?P|M\.?N|C\.?M\.?P|RNE|CEP|COP|Col|Mat|Céd|Ced|Prof|Dx|DNI|NIE|CURP|RUT|C\.?I|C\.?C"
    r"|NHC|CIP|NUHSA|SIP"
    r"|TIS|NSS|H\.?C|Rec|Exp|Expediente|Anest|Ayudante|Unidad|Edad|Sexo|Cama|Hab|Box|Sala|Servicio|Fecha"
    r"|F\.?\ ?nac|Tel"
    r"|Tfno|Tlf|Cel|Domicilio|Localidad|Segundo|Folio|Cantón|Parroquia|Distrito|Provincia|Municipio))+\.?\Z",
    re.IGNORECASE,
)
NOBODY = re.compile(
    rf"(?:{STAFF}|{OTHERS}|Fdo|Firma|Firmado|Infecto|Gastro|Hemato|Cardio|Neuro|Trauma|Gine|Onco|Nefro"
    rf"|Neumo|Endocrino"
    r"|Digestivo|Radio|Psiq|Pedi|Méd|Médic[ao]|Auditor|Visto bueno|V\.º B\.º|Atte|Atentamente|Saludos"
    r"|Gracias|Hola|Buenas"
    r"|Estimad[ao]|Querid[ao]|che|Nombre|Apellidos?|Asunto|Para|Refiere|Niega|Acude|Alta|Ingreso|Turno"
    r"|Nota|Plan)[.:]?",
    re.IGNORECASE,
)
NO_JOB = re.compile(
    r"(?:la\s|el\s|su\s)?(?:trabajador[ae]?s?\ssocial(?:es)?|cuidador[ae]s?|matrona|psicólog[ao]"
    r"|auxiliar|orientador[ao]"
    r"|médic[ao]|doctora?|enfermer[ao]|pediatra|cardiólog[ao]|cirujan[ao]|anestesista|residente"
    r"|fisioterapeuta|logopeda"
    r"|terapeuta|nutricionista|instrumentista|radiólog[ao]|patólog[ao]|psiquiatra|neurólog[ao]|ginecólog[ao]"
    r"|primigesta|multípara|puérpera|gestante|solter[ao]|casad[ao]|divorciad[ao]|viud[ao]|separad[ao]"
    r"|hipertens[ao]"
    r"|diabétic[ao]|fumadora?|exfumadora?|bebedora?|dador|donante|portadora?|pastillero|domiciliad[ao]"
    r"|originari[ao]"
    r"|residente|natural|traíd[ao]|acompañad[ao]|bioanalista|partero|tutora?|testigo|acudiente"
    r"|pensionad[ao]|jubilad[ao])",
    re.IGNORECASE,
)
PARTICLE = r"(?:de\ la|de\ los|de\ las|del|de)"
MARIA = re.compile(r"(?<![^\W_])M(?:\.?\ ?ª|a\.?|ª\.?)\ ?\Z", re.IGNORECASE)
NAME_GAP = re.compile(rf"\ (?:{PARTICLE}\ )?")
COMMA_GAP = re.compile(r",\ ?")
BEGINS_FIELD = re.compile(r"(?:^|[\n:;|\]]|\d\ )\s*\Z")
WORD_BEFORE = re.compile(rf"(?<![\w.'’-])([^\W\d_][\w'’-]+)\ (?:{PARTICLE}\ )?\Z")
WORD_AFTER = re.compile(rf"\ (?:{PARTICLE}\ )?([^\W\d_][\w'’-]+)(?![\w'’-])")
INITIAL_STOP = re.compile(r"(?:^|[ .])[^\W\d_]\Z")
DOCTOR_BEFORE = re.compile(
    rf"(?<![^\W_])(?:{STAFF}|cirujan[oa]|ayudante|anestesi(?:a|sta|ólog[oa])|residente|adjunt[oa]"
    rf"|firma(?:do)?|Fdo|Atte"
    r"|trabajadora? social|intérprete|traductora?|matrona|psicólog[ao]|fisioterapeuta|agente"
    r"|supervisora?|solicita(?:do por)?"
    r"|médic[oa]|tratante|responsable|elaboró|realizó|revisó|validó|informa|valida|instrumentista"
    r"|pediatra|cardiólog[oa]"
    r"|neurólog[oa]|radiólog[oa]|patólog[oa]|psiquiatra|perit[oa]|forense|notifica|recibe|entrega"
    r"|operador)\.?[:,]?\s*\Z",
    re.IGNORECASE,
)
DOCTOR_AFTER = re.compile(
    r",?\s\(?(?:col(?:egiad[ao])?\b|céd|C\.?T\.?S\.?P|C\.?M\.?P\b|M\.?P\b|M\.?N\b|R\.?M\b|MIR|R[1-5]\b"
    r"|enfermer[ao]|matrona"
    r"|trabajadora? social|psicólog[ao]|residente|adjunt[ao]|TCAE|DUE|TS\b|médic[ao]|otorrino"
    r"|\w+ólog[ao]\b|jef[ea] de)",
    re.IGNORECASE,
)
PATIENT_BEFORE = re.compile(
    r"(?<![^\W_])(?:paciente|pcte|pte|px|solicitante|titular|usuari[ao]|beneficiari[ao]|afiliad[ao]"
    r"|asegurad[ao]|interesad[ao]"
    r"|(?:mi|su|la|el|una?|una? de sus)\s(?:\w+\s)?(?:madre|padre|hij[ao]|herman[ao]|espos[ao]|marido"
    r"|abuel[ao]|niet[ao]"
    r"|t[ií][ao]|prim[ao]|suegr[ao]|yerno|nuera|novi[ao]|pareja|mamá|papá|sobrin[ao]|cuñad[ao]"
    r"|vecin[ao]))(?:\s\(|[:,]?\s)\Z",
    re.IGNORECASE,
)
PATIENT_AFTER = re.compile(
    r",?\s\(?(?:de\s)?\d{1,3}(?:,|\)|\s?(?:años|a\b|meses))|,?\s(?:DNI|NHC|CURP|CIP|NUHSA|SIP)\b",
    re.IGNORECASE,
)
CUED = 100  # the vote of a name with a cue
WITH_DATE = re.compile(
    rf"\b(?:{MONTH_PATTERN}|(?:{SHORT_MONTH_PATTERN})\b|{'|'.join(WEEKDAYS)}|miercoles|sabado|lun|mar"
    rf"|mi[eé]|jue|vie|s[aá]b|dom)",
    re.IGNORECASE,
)
TRIPLE = re.compile(r"(\d{1,4})\s?[/.-]\s?(\d{1,2})\s?[/.-]\s?(\d{1,4})")
PAIR = re.compile(r"(\d{1,3})\s?([/.,-])\s?(\d{1,3})")
SCALE = re.compile(
    r"(?:pág(?:ina)?|hoja|sesión|ciclo|dosis|toma|tab|comp|comprimidos?|(?<!el\s)(?<!del\s)día|EVA|EVN"
    r"|ENA|dolor|Apgar|Cincinnati"
    r"|dinámica(?:\spropia)?|Glasgow|GCS|ECG|fuerza|balance\smuscular|BM|MRC|Daniels|Silverman|Downes"
    r"|Barthel|Norton|Braden"
    r"|Downton|MMSE|MEC|MoCA|Pfeiffer|Yesavage|GDS|NIHSS|Rankin|mRS|SOFA|Child|Wells|Lawton|Katz|Tinetti"
    r"|Zarit|PHQ-?9|GAD-?7"
    r"|Hamilton|AUDIT|CAGE|Karnofsky|ECOG|PS|Ramsay|RASS|Bishop|Tanner|Mallampati|ASA|NYHA|Killip"
    r"|BI-?RADS|PI-?RADS|Gleason"
    r"|Fazekas|Fisher|Alvarado|Centor|Westley|MNA|soplo|reflejos|ROT|OD|OI|AO|AV|pulsos|edemas?"
    r"|actividad\suterina|bethesda"
    r"|regla\sde|come|ganglios|adenopatías|biopsias?|cilindros|parte|talla|raíz|nivel"
    r"|\bpH\s\d)[.:,]?\s(?:de\s)?\Z",
    re.IGNORECASE,
)
HALF_AFTER = re.compile(
    r"\s(?:de\sla|comp|cp\b|tab|past|pastilla|\w+(?:pam|ina|ol|ona|ato)\b)", re.IGNORECASE
)
HOUR_BEFORE = re.compile(r"(?:\d:|\bhora\s|\ba\slas\s)\Z", re.IGNORECASE)
CLOCK = re.compile(r"las\s\d{1,2}|\d{1,2}[:.]\d\d\s?h", re.IGNORECASE)
DATE_EDGE = re.compile(r"(?:NOVEDADES|cribado\sde|control\sde|cita|desde|hasta|en|el)\s+", re.IGNORECASE)
DATE_TAIL = re.compile(r"\s(?:hubo|vuelve|viene|cita|control|a\slas)\Z", re.IGNORECASE)
DATE_GAP = re.compile(r",?\s|\sde\s", re.IGNORECASE)
IS_WEEKDAY = re.compile(rf"(?:el\s)?(?:{'|'.join(WEEKDAYS)}|miercoles|sabado)", re.IGNORECASE)
IS_DAY = re.compile(rf"\d{{1,2}}(?:\s?[/.-]|\sde\s|\s(?:{SHORT_MONTH_PATTERN})|\Z)", re.IGNORECASE)
IS_YEAR = re.compile(r"(?:19|20)\d\d|dos\smil(?:\s\w+)*", re.IGNORECASE)
ENDS_IN_MONTH = re.compile(rf"(?:{MONTH_PATTERN}|invierno|verano|otoño|primavera)(?:\sde)?\Z", re.IGNORECASE)
FIELDS = re.compile(r"\s{2,}[^\W\d_][\w.ª ]{1,24}\Z")


@cache
def read_names() -> frozenset[str]:
    """Read the first names and surnames of the lists, in small letters."""
    lists = (
        "es_first_names",
        "es_first_names_female",
        "es_first_names_male",
        "es_surnames",
        "es_american_surnames",
    )
    return frozenset(name for each in lists for name in load_lowercase(each))


def split_fields(text: str, spans: Sequence[Span]) -> Spans:
    """The name of the next field, behind two blanks and before a colon, is not part of a span."""
    for span in spans:
        after = (
            FIELDS.search(text[span.start : span.end])
            if text[span.end : span.end + 2].lstrip(". ").startswith(":")
            else None
        )
        yield from cut(span, text, None, after)


def trim_titles(text: str, spans: Sequence[Span]) -> Spans:
    """Titles before a name and credentials after it are not part of it; behind a title of staff a hospital or
    a firm is a doctor."""
    for span in spans:
        if span.type not in NAMES | {"HOSPITAL", "ORGANIZATION", "PROFESSION"}:
            yield span
            continue
        value = text[span.start : span.end]
        before = TITLES_BEFORE.match(value)
        if span.type not in NAMES:
            is_staff = before and before.end() < len(value) and STAFF_STOP.match(value)
            yield (
                replace(span, start=span.start + before.end(), type="DOCTOR") if before and is_staff else span
            )
            continue
        yield from cut(span, text, before, search_tail(CREDENTIALS_AFTER, value))


def widen_names(text: str, spans: Sequence[Span]) -> Spans:
    """Two halves of a name are one; María's abbreviation, and a listed name beside a name, belong to it."""
    joined: list[Span] = []
    for span in spans:
        last = joined[-1] if joined else None
        if last and span.type in NAMES:
            gap, first = text[last.end : span.start], text[last.start : last.end]
            if MARIA.fullmatch(first + gap):
                joined[-1] = replace(span, start=last.start)
                continue
            if last.type in NAMES and _is_one_name(text, last, span):
                joined[-1] = join(last, span)
                continue
        joined.append(span)
    low = 0
    for number, span in enumerate(joined):
        high = joined[number + 1].start if number + 1 < len(joined) else len(text)
        if span.type in NAMES:
            span = _add_names(text, span, low, high)
        yield span
        low = span.end


def _is_one_name(text: str, first: Span, second: Span) -> bool:
    """Whether two names beside each other are one: with a blank or a particle between them, or a surname in
    capitals that begins a field and the first name behind its comma."""
    gap = text[first.end : second.start]
    alike = text[first.start : first.end].isupper() == text[second.start : second.end].isupper()
    if COMMA_GAP.fullmatch(gap):
        begins = BEGINS_FIELD.search(text, max(0, first.start - REACH), first.start)
        return begins is not None and alike and text[first.start : first.end].isupper()
    return gap == " " or (alike and NAME_GAP.fullmatch(gap) is not None)


def _add_names(text: str, span: Span, low: int, high: int) -> Span:
    value = text[span.start : span.end]
    maria = MARIA.search(text, max(low, span.start - 6), span.start)
    if maria:
        span = replace(span, start=maria.start())
    before = WORD_BEFORE.search(text, max(low, span.start - 40), span.start)
    if (
        before
        and _is_same_case(before[1], value)
        and before[1].lower() in read_names()
        and not TITLES_BEFORE.fullmatch(before[1] + " x")
    ):
        span = replace(span, start=before.start(1))
    after = WORD_AFTER.match(text, span.end, high)
    if after and _is_same_case(after[1], value) and after[1].lower() in read_names():
        span = replace(span, end=after.end())
    if text[span.end : span.end + 1] == "." and INITIAL_STOP.search(text, span.start, span.end):
        span = replace(span, end=span.end + 1)
    return span


def _is_same_case(word: str, value: str) -> bool:
    return word.isupper() == value.isupper() and word[0].isupper()


def mark_names(text: str, spans: Sequence[Span]) -> Spans:
    """A title, a role or a relative beside a name tells whose it is; a name without has the type of the same
    name elsewhere in the note."""
    votes: defaultdict[str, Counter[str]] = defaultdict(Counter)
    types: dict[Span, str | None] = {}
    for span in spans:
        if span.type in NAMES:
            types[span] = _find_type(text, span)
            for word in _list_words(text, span):
                votes[word][types[span] or span.type] += CUED if types[span] else 1
    for span in spans:
        if span.type not in NAMES:
            yield span
            continue
        words = _list_words(text, span)
        counts = sum((votes[word] for word in words), Counter())
        ((best, sure),) = counts.most_common(1) or [(span.type, 0)]
        chosen = types[span] or (best if sure >= CUED and counts[span.type] < CUED else span.type)
        yield span if chosen == span.type else replace(span, type=chosen)


def _find_type(text: str, span: Span) -> str | None:
    low = max(0, span.start - 40)
    doctor = DOCTOR_BEFORE.search(text, low, span.start) or DOCTOR_AFTER.match(text, span.end)
    patient = PATIENT_BEFORE.search(text, low, span.start) or PATIENT_AFTER.match(text, span.end)
    return None if bool(doctor) == bool(patient) else "DOCTOR" if doctor else "PATIENT"


def _list_words(text: str, span: Span) -> list[str]:
    return re.findall(r"[^\W\d_]{3,}", text[span.start : span.end].lower())


def drop_words(text: str, spans: Sequence[Span]) -> Spans:
    """A title without a name, a role and a state of health are not names or jobs."""
    for span in spans:
        value = text[span.start : span.end]
        no_name = span.type in NAMES and NOBODY.fullmatch(value)
        no_job = span.type == "PROFESSION" and NO_JOB.fullmatch(value)
        resident = span.type in ("VEHICLE", "IDNUM", "DEVICE") and re.fullmatch(r"MIR-?\d|R[1-5]", value)
        if not (no_name or no_job or resident):
            yield span


def drop_dates(text: str, spans: Sequence[Span]) -> Spans:
    """A score, a dose, a page, a time and numbers that no calendar has are not dates."""
    for span in spans:
        if not (span.type == "DATE" and _is_no_date(text, span)):
            yield span


def _is_no_date(text: str, span: Span) -> bool:
    value, low = text[span.start : span.end], max(0, span.start - 30)
    if (
        CLOCK.fullmatch(value)
        or HOUR_BEFORE.search(text, low, span.start)
        or text[span.end : span.end + 2].strip().startswith("%")
    ):
        return bool(CLOCK.fullmatch(value) or not WITH_DATE.search(value))
    if PAIR.fullmatch(value) or TRIPLE.fullmatch(value):
        return (
            bool(SCALE.search(text, low, span.start))
            or not _is_calendar(value)
            or (value == "1/2" and bool(HALF_AFTER.match(text, span.end)))
        )
    return bool(re.fullmatch(r"\d+(?:\s?-\s?\d+){3,}", value))


def _is_calendar(value: str) -> bool:
    """Whether numbers can be a day, a month and a year."""
    if triple := TRIPLE.fullmatch(value):
        first, month, last = (int(part) for part in triple.groups())
        day = last if len(triple[1]) == 4 else first
        return (1 <= day <= 31 and 1 <= month <= 12) or (1 <= month <= 31 and 1 <= day <= 12)
    pair = PAIR.fullmatch(value)
    assert pair
    first, second = int(pair[1]), int(pair[3])
    return (
        (pair[2] != "," and 1 <= first <= 31 and 1 <= second <= 12)
        or (first <= 12 and len(pair[3]) == 2)
        or second == first + 1
    )


def trim_dates(text: str, spans: Sequence[Span]) -> Spans:
    """A word beside a date is not part of it; a weekday and its day, a month and its year are one."""
    joined: list[Span] = []
    for span in spans:
        if span.type == "DATE":
            value = text[span.start : span.end]
            (span,) = list(cut(span, text, DATE_EDGE.match(value), DATE_TAIL.search(value))) or [span]
            last = joined[-1] if joined else None
            if last and last.type == "DATE" and DATE_GAP.fullmatch(text, last.end, span.start):
                first, value = text[last.start : last.end], text[span.start : span.end]
                weekday = (
                    IS_WEEKDAY.fullmatch(first)
                    and IS_DAY.match(value)
                    and " de" not in text[last.end : span.start]
                )
                if weekday or (ENDS_IN_MONTH.search(first) and IS_YEAR.fullmatch(value)):
                    joined[-1] = join(last, span)
                    continue
        joined.append(span)
    return joined


DATE = frozenset({"DATE"})
FORMS = {
    "split_fields": Repair(
        split_fields, "Dra. <DOCTOR|Rocabado   Anest>.: Dr.", "Dra. <DOCTOR|Rocabado>   Anest.: Dr."
    ),
    "trim_titles": Repair(
        trim_titles, "firma <DOCTOR|L.T.S. Ana Ruiz R1>", "firma L.T.S. <DOCTOR|Ana Ruiz> R1"
    ),
    "widen_names": Repair(
        widen_names, "de <PATIENT|Mari> <PATIENT|Ruiz> y", "de <PATIENT|Mari Ruiz> y", NAMES
    ),
    "mark_names": Repair(mark_names, "Dra. <PATIENT|Ana Ruiz>", "Dra. <DOCTOR|Ana Ruiz>", NAMES),
    "drop_words": Repair(drop_words, "la <PROFESSION|trabajadora social> y", "la trabajadora social y"),
    "drop_dates": Repair(drop_dates, "EVA <DATE|8/10>, el <DATE|8/10>", "EVA 8/10, el <DATE|8/10>", DATE),
    "trim_dates": Repair(
        trim_dates, "el <DATE|martes>, <DATE|6 de mayo>", "el <DATE|martes, 6 de mayo>", DATE
    ),
    **places.FORMS,
}
BY_SCHEME = {"i2b2-2014": tuple(FORMS.values())}
