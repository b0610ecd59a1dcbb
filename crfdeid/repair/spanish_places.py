"""Forms for Spanish notes: numbers with their labels, ages, streets, towns, provinces and health centres."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import cache

from crfdeid.lexicon.spanish import NUMBERS as NUMBER_WORDS
from crfdeid.lexicon.word_lists import read_entries
from crfdeid.repair.places import find_addresses, read_addresses
from crfdeid.repair.spans import NAMES, NUMBERS, PHONE_TYPES, Repair, Spans
from crfdeid.text.document import Span, mask_spans

LABELLED = NUMBERS | PHONE_TYPES | {"ZIP", "USERNAME", "BIOID", "DATE", "VEHICLE", "AGE"}
CUE = 32  # characters before a number in which its label is
ROMANS = ("I", "II", "III", "IV", "V", "VI", "VII", "VIII", "IX", "X", "XI", "XII")
NO = r"(?:\.?\s?(?:n\.?\s?[º°o]\.?|nº|núm(?:ero)?|num|clínica|clínico|de))*\.?\s?[:#]{0,2}\s*\(?\Z"
LABELS = {  # the first that fits
    "DEVICE": r"lote?|REF/LOT|serie|n\.º serie|S/N",
    "FAX": r"fax",
    "VEHICLE": r"placas?|placas? de la moto|patente|coche|ambulancia|móvil n|matrícula del? (?:turismo"
    r"|vehículo|coche|moto)",
    "PHONE": r"tel(?:éf(?:ono)?)?|telefono|tlfn?o?|tfno|cel(?:ular)?|móvil|movil|whatsapp|ext"
    r"|extensión|anexo|busca|interno(?: \w+, anexo)?",
    "HEALTHPLAN": r"SIP|CIP(?:NA|A)?|CIP-AUT|TIS|TSI|NUHSA|NUSS|N\.?S\.?S\.?|NASS|NAF|afiliación"
    r"|afiliacion|afiliad[oa]|asegurad[oa]|póliza|poliza"
    r"|tarjeta(?: sanitaria)?|seguro(?: social)?|beneficiario|derechohabiente|EPS|isapre|obra social"
    r"|n\.º de socio|socio|carn[eé]t? sanitario|IMSS|ISSSTE|INSS|PAMI|OSDE|IOMA|OSEP|OSECAC",
    "LICENSE": r"col(?:egiad[oa])?|colegiatura|cédula profesional|ced(?:ula)?\.? prof(?:esional)?"
    r"|céd\. prof|céd|M\.?P|M\.?N|C\.?M\.?P|C\.?E\.?P|CTSP|COP|R\.M|exequátur|exequatur"
    r"|matr(?:[ií]cula)?|mat|reg(?:istro)? (?:médico|prof)|T\.?P|RNE|n\.º col|lic",
    "MEDICALRECORD": r"N\.?H\.?C|H\.?\s?C\.?U?|H\.ª|historia(?: clínica)?|HCL|HCE|H\. ?Clínica"
    r"|registro(?: clínico)?|expediente(?: clínico)?|exp|ficha(?: clínica)?|rec|HCV",
    "IDNUM": r"documento|doc|n\.º doc|DIMEX|radicación|consecutivo|orden|informe|protocolo|ticket"
    r"|ref(?:erencia)?|remisión|episodio|lote de|D\.?N\.?I|NIE|NIF|CURP|RFC|RU[TN]|C\.?I|C\.?C"
    r"|cédula(?: de (?:la )?\w+)?|cedula|DUI|DPI"
    r"|CUI[TLJ]|NIT|pasaporte|T\.?I|folio|factura|autorización|radicado"
    r"|muestra|oficio|solicitud|estudio|biopsia|boleta|parte(?: judicial)?|acta|expte",
}
OF_CODES = ("DEVICE", "VEHICLE", "IDNUM", "LICENSE")
SMALL = re.compile(r"\d{1,2}\W.*|\d{1,3}")  # a date or an age rather than a code
LABEL_OF = {
    type: re.compile(rf"(?<![^\W_])(?:{labels}){NO}", re.IGNORECASE) for type, labels in LABELS.items()
}
CODE = re.compile(r"(?=(?:\D*\d){3})[\w][\w./ -]*")
RUN_BEFORE = re.compile(r"(?<![\w.,/-])(?=[\w-]*)[A-Z][A-Z0-9]{0,5}-?\Z")
RUN_AFTER = re.compile(r"(?<=\d)(?:-?[A-Z0-9]{1,4})(?![\w-])")
CAPITAL = "[A-ZÁÉÍÓÚÑ]"
FOUND: tuple[tuple[str, str], ...] = (
    (
        "MEDICALRECORD",
        r"\b(?:NHC|N\.H\.C\.|H\.?C\.?|HCU)\s?(?:n\.?º)?:?\s+(?P<name>(?:[A-Z]{1,3}-)?\d[\d.-]{3,}\d)\b",
    ),
    (
        "IDNUM",
        r"\b(?:DNI|NIE|NIF|CURP|RUT|RUN|RFC|CUI[TL]|DPI"
        r"|DUI)\s?(?:n\.?º)?:?\s+(?P<name>[A-Z]?\d[\d.-]{5,}-?[A-Zk]?|[A-Z]{4}\d{6}\w{3,8})\b",
    ),
    ("HEALTHPLAN", r"\b(?:SIP|CIP|NUHSA|NSS|TIS|NASS|NUSS)\s?:?\s+(?P<name>[A-Z]{0,4}\d[\d/ -]{5,}\d)\b"),
    (
        "LICENSE",
        r"\b(?:CTSP|CMP|CEP|COP|céd\. prof\.|n\.º col\.|col\.|colegiad[ao])\s?(?:n\.?º)?:?\s+"
        r"(?P<name>\d[\d/.-]{2,}\d)\b",
    ),
    ("ACCOUNT", r"(?P<name>\b[A-Z]{2}\d\d(?: ?\d{4}){4,5}\b)"),
    ("PHONE", r"(?i:\b(?:tel|tlf|tfno|cel|móvil|teléfono)\.?:?\s+)(?P<name>\+?\d[\d ()-]{6,}\d)\b"),
    ("HOSPITAL", r"(?P<name>\b(?:UMF|HGZ|HGR|HGZMF|HGO|UMAE|CAPS|CIS)\s(?:n\.?º\s)?\d{1,3}\b)"),
    (
        "HOSPITAL",
        rf"(?P<name>\b(?:C\.S\.|P\.S\.|CESFAM|EBAIS|CECOSF)\s(?:(?:de|del|de la|de los|El|La|Los|Las)\s)*"
        rf"{CAPITAL}\w+(?:\s(?:de\s|la\s|los\s)*(?:{CAPITAL}\w+|\d))?)",
    ),
)
FOUND += (
    (
        "DATE",
        rf"(?P<name>(?<![\w./-])(?:[12]\d|3[01]"
        rf"|[1-9])(?P<sign>[./])(?:{'|'.join(ROMANS)})(?:(?P=sign)(?:19|20)?\d\d)?)(?![\w-])",
    ),
    (
        "DATE",
        r"(?P<name>(?<![\w./-])(?:0?[1-9]|[12]\d|3[01])(?P<sign>[./-])(?:0?[1-9]"
        r"|1[0-2])(?P=sign)(?:19|20)\d\d)(?![\w-])",
    ),
    ("PHONE", r"(?i:\b(?:int|ext|anexo|busca|extensión)\.?:?\s+)(?P<name>\d{3,6})(?![\w.,/-])"),
    ("VEHICLE", r"(?i:\b(?:en|traslado en) móvil )(?P<name>\d{1,4})(?![\w.,/-])"),
    (
        "VEHICLE",
        r"(?i:\b(?:matrícula|placas?|patente):? )(?P<name>(?=[A-Z0-9-]*[A-Z])"
        r"(?=[A-Z ]*[\d-])[A-Z0-9]{2,4}[- ]?[A-Z0-9]{2,4}(?:-[A-Z0-9]{1,3})*)\b",
    ),
    ("USERNAME", r"(?i:\b(?:user|usuario|usr|login)[=: ]+)(?P<name>(?=\w*[\d_])[a-z][\w.]{3,}\w)"),
    ("ZIP", r"\bC\.?P\.?:?\s+(?P<name>\d{4,5})(?![\w.,/-])"),
    ("CITY", rf"\b(?:aldea|caserío|vereda|corregimiento) (?P<name>{CAPITAL}\w+(?: {CAPITAL}\w+)?)"),
    (
        "IDNUM",
        r"(?i:\b(?:C\.C\.|c[eé]dula|documento|pasaporte)(?: n\.?º)?:?\s+)"
        r"(?P<name>\d[\d.-]{5,}\d)(?!\w)",
    ),
    ("IPADDR", r"(?P<name>(?<![\w.])\d{1,3}(?:\.\d{1,3}){3}(?![\w.]))"),
    (
        "ORGANIZATION",
        rf"\b(?:EPS|ARL|ART|EAPB|[Ii]sapre|[Oo]bra [Ss]ocial|OBRA SOCIAL|O\. SOCIAL|os|OS|[Pp]repaga"
        rf"|[Aa]seguradora):? +(?P<name>{CAPITAL}[\w-]+(?: {CAPITAL}[\w-]+)?)(?=[\s,;.)])",
    ),
    (
        "PROFESSION",
        r"(?i:\b(?:ocupaci[oó]n|profesi[oó]n|oficio):? +)(?P<name>(?!no\b|ningun|desconoc|jubilad"
        r"|pensionad|desempl)[^\W\d_]{4,}(?: de [^\W\d_]{4,})?)(?=\s*(?:[,;.\n]|\s\s|$))",
    ),
)
PATTERNS = [(type, re.compile(pattern)) for type, pattern in FOUND]

CENTRE = re.compile(
    r"(?:C\.?\s?S\.?R?\.?(?=\s[A-ZÁÉÍÓÚ])|centro\sde\s(?:salud|saúde|día|rehabilitación"
    r"|acogida)(?=\s\S)|CAP(?=\s)|hospital(?=\s\S)|H\.(?=\s)|hosp\.(?=\s)"
    r"|cl[ií]nica(?=\s[A-ZÁÉÍÓÚ])|sanatorio(?=\s)|policl[ií]nic[ao](?=\s)|CESFAM|COSAM|EBAIS|UMF"
    r"|HG[ZR]|maternidad(?=\s)|residencia(?=\s[A-ZÁÉÍÓÚ])"
    r"|casa\sde\ssalud(?=\s)|P\.S\.|puesto\sde\ssalud(?=\s)|subcentro(?=\s)|USF(?=\s)|C\.T\."
    r"|institut\soncològic)",
    re.IGNORECASE,
)
GENERIC = re.compile(
    r"(?:el\s|la\s|del\s|este\s|esta\s|nuestro\s|su\s)?(?:hospital(?:\sde\sd[ií]a|\sesta.*|\sestá.*)?"
    r"|centro\sde\s(?:salud|día"
    r"|mayores|referencia|especialidades)|policlínica(?:\sde\ssalud\smental)?|consultorio|ambulatorio"
    r"|residencia|clínica|sanatorio"
    r"|maternidad|unidad\sde\s[a-záéíóú\s]+|cl[ií]nica\s(?:m[ée]dica\s\w+|del\sdolor|de\s[a-záéíóú\s]+)"
    r"|servicio\s(?:público\sde\ssalud|de\s[a-záéíóú\s]+)|instituto|colegio|escuela|universidad"
    r"|guardería|empresa|fábrica|mutua"
    r"|juzgado|comisaría|bar|tianguis|polic[ií]a(?:\s(?:municipal|local|nacional))?|bomberos|ambulancia"
    r"|HGT\s\d+|sala\sde\s\w+"
    r"|enfermería|urgencias|quirófano|planta|consulta(?:s\sexternas)?|trabajo\ssocial|salud\smental"
    r"|atención\sprimaria)",
    re.IGNORECASE,
)
NAME_NEXT = re.compile(rf"\s(?:de\s|del\s|la\s)*{CAPITAL}")
OF_PLACE = re.compile(
    r"(?:(?:barrio|bda|barriada|municipio|aldea|comunidad|colonia|col|vereda|parroquia|cantón"
    r"|localidad|comuna|caserío|romería|dpto|departamento|de)\.?\s"
    r"(?:de\s(?=[A-ZÁÉÍÓÚÑ]))?)+(?=(?:el|la|los|las)?\s?[A-ZÁÉÍÓÚÑ])",
    re.IGNORECASE,
)
PLACES = frozenset({"CITY", "STREET", "LOCATION-OTHER", "ORGANIZATION", "STATE", "HOSPITAL"})
OF_PLACES = frozenset({"CITY", "STATE", "PROFESSION", "LOCATION-OTHER", "STREET"})
TAKEN_FOR_TOWNS = frozenset({"ORGANIZATION", "LOCATION-OTHER", "STREET", *NAMES})
TOWN_BEFORE = re.compile(
    r"\b(?:colonia|col\.|municipio de|aldea|barrio(?: de)?|vereda"
    r"|parroquia:?|cantón:?|distrito:?|municipio:?)\s+\Z",
    re.IGNORECASE,
)
STATE_BEFORE = re.compile(
    r"\b(?:provincia|prov\.?|dpto\.?|departamento|estado|región)(?: de)?:?\s+\Z", re.IGNORECASE
)
STATE_GAP = re.compile(r",\s|\s\(|\s?/\s?|\s-\s")
IN_STREET = re.compile(
    rf",?\s(?:col(?:onia|\.)?|barrio|fracc\.?)\s(?P<town>{CAPITAL}[^,\n]*)|,?\sC\.?P\.?\s(?P<zip>\d{{4,5}})"
)
STREET_AFTER = re.compile(
    r",?\s(?:int(?:erior)?\.?\s\w+|(?:puerta|piso|dpto\.?|depto\.?|apto\.?|esc(?:alera)?\.?|portal"
    r"|bloque|local|casa)\s\w+|\d{1,2}\.?[ºª°](?:\s?[A-Z]|\s(?:izq|dcha|der)\w*)?\b\.?"
    r"|bajo(?:\s(?:izq|dcha|der)\w*\.?|\s[A-Z]\b)?|baixo|ático)(?![\w-])",
    re.IGNORECASE,
)

NUMERALS = "|".join(sorted((*NUMBER_WORDS, "cien", "ciento"), key=len, reverse=True))
IS_NUMBER = re.compile(rf"\d|\b(?:{NUMERALS})", re.IGNORECASE)
NO_AGE_AFTER = re.compile(
    r"\s?(?:%|€|[ºª°]\.?|[.,]\d|\.[ºª]|mg|kg|cm|mm|ml|cc|lpm|rpm|h\b|hs\b|hrs?\b|horas?|min|segundos"
    r"|french|por\sciento|y\s\w+\spor"
    r"|(?:días?|años|meses|semanas)\sde\s(?!edad|vida|nacid)(?-i:[a-záéíóúñ]))",
    re.IGNORECASE,
)
NO_AGE_BEFORE = re.compile(
    r"(?:(?:tos|fiebre|dolor|diarrea|disnea|cuadro|vómitos|calambres|AMPA|HAS|HTA|DM2?|temblor)"
    r"(?:\s\S+){0,3}?\s(?:de|desde\shace)|hace|(?:grapas|puntos|talón)\sa\slos|antigüedad|salva\sde|csv|pO2|Hto|Hb"
    r"|cama:?|hab\.|maestra\sde)\s*\Z",
    re.IGNORECASE,
)


def mark_numbers(text: str, spans: Sequence[Span]) -> Spans:
    """The label before a number says of which type it is."""
    for span in spans:
        if span.type in LABELLED and CODE.fullmatch(text, span.start, span.end):
            span = replace(span, type=_find_number_type(text, span))
        yield span


def _find_number_type(text: str, span: Span) -> str:
    low = max(0, span.start - CUE)
    found = (name for name, label in LABEL_OF.items() if label.search(text, low, span.start))
    type = next(found, span.type)
    is_small = type in OF_CODES and SMALL.fullmatch(text, span.start, span.end)
    is_phone = type == "VEHICLE" and span.type in PHONE_TYPES
    return span.type if is_phone or (span.type in ("DATE", "AGE") and is_small) else type


def widen_numbers(text: str, spans: Sequence[Span]) -> Spans:
    """Letters and digits that are written together with a number belong to it."""
    low = 0
    for number, span in enumerate(spans):
        high = spans[number + 1].start if number + 1 < len(spans) else len(text)
        if span.type in NUMBERS | {"VEHICLE", "USERNAME"}:
            before = RUN_BEFORE.search(text, max(low, span.start - 8), span.start)
            after = RUN_AFTER.match(text, span.end, high)
            start, end = before.start() if before else span.start, after.end() if after else span.end
            span = replace(span, start=start, end=end)
        yield span
        low = span.end


def find_labelled(text: str, spans: Sequence[Span]) -> Spans:
    """A text after a label, a form that only a number has, and a listed insurer or firm are PHI."""
    mask = mask_spans(len(text), spans)
    added: list[Span] = []
    for type, pattern in (*PATTERNS, ("ORGANIZATION", compile_firms())):
        for match in pattern.finditer(text):
            start, end = match.span("name")
            if not any(mask[start:end]):
                mask[start:end] = b"\x01" * (end - start)
                added.append(Span(start, end, type))
    return sorted([*spans, *added]) if added else spans


@cache
def compile_firms() -> re.Pattern[str]:
    """Compile the listed firms that are no other words: of several words, or of four capitals or more."""
    names = [
        name for name in read_entries("es_organizations") if " " in name or (len(name) > 3 and name.isupper())
    ]
    return re.compile(
        rf"(?<![\w-])(?P<name>{'|'.join(map(re.escape, sorted(names, key=len, reverse=True)))})(?![\w-])"
    )


def mark_centres(text: str, spans: Sequence[Span]) -> Spans:
    """The words of a health centre say that a place is one; without a name it is not PHI."""
    for span in spans:
        value = text[span.start : span.end]
        if span.type in PLACES and GENERIC.fullmatch(value) and not NAME_NEXT.match(text, span.end):
            continue
        if span.type in ("ORGANIZATION", "CITY", "LOCATION-OTHER", "STREET") and CENTRE.match(value):
            span = replace(span, type="HOSPITAL")
        yield span


@cache
def read_provinces() -> frozenset[str]:
    """Read the provinces and states of the list of towns, in small letters."""
    return frozenset(
        entry.split("|")[1].lower() for entry in read_entries("es_towns") if entry.count("|") > 1
    )


def mark_states(text: str, spans: Sequence[Span]) -> Spans:
    """A province behind a town is a state; one without a town before it is a town."""
    last: Span | None = None
    for span in spans:
        if span.type in ("CITY", "STATE"):
            near = text[last.end : span.start] if last else ""
            is_behind = last is not None and last.type == "CITY" and STATE_GAP.fullmatch(near) is not None
            is_province = text[span.start : span.end].lower() in read_provinces()
            if STATE_BEFORE.search(text, max(0, span.start - 20), span.start) or (is_behind and is_province):
                span = replace(span, type="STATE")
            elif TOWN_BEFORE.search(text, max(0, span.start - 20), span.start):
                span = replace(span, type="CITY")
        elif span.type in TAKEN_FOR_TOWNS and TOWN_BEFORE.search(text, max(0, span.start - 20), span.start):
            span = replace(span, type="CITY")
        yield span
        last = span


def trim_places(text: str, spans: Sequence[Span]) -> Spans:
    """The word for the kind of a place is not part of its name."""
    for span in spans:
        before = OF_PLACE.match(text, span.start, span.end) if span.type in OF_PLACES else None
        if before and span.type == "PROFESSION" and (before[0].isupper() or text[before.end()].islower()):
            before = None
        if before and before.end() < span.end and not re.search(r"\d", text[span.start : span.end]):
            type = "STATE" if span.type == "STATE" else "CITY"
            span = replace(span, start=before.end(), type=type)
        yield span


def split_streets(text: str, spans: Sequence[Span]) -> Iterator[Span]:
    """A quarter and a postal code in an address have their own spans; floor and door belong to the street."""
    for number, span in enumerate(spans):
        if span.type != "STREET":
            yield span
            continue
        high = spans[number + 1].start if number + 1 < len(spans) else len(text)
        parts = [match for match in IN_STREET.finditer(text, span.start + 4, span.end)]
        if not parts:
            while after := STREET_AFTER.match(text, span.end, high):
                span = replace(span, end=after.end())
            yield span
            continue
        yield replace(span, end=parts[0].start())
        for part in parts:
            if part.lastgroup in ("town", "zip"):
                start, end = part.span(part.lastgroup)
                yield replace(span, start=start, end=end, type="CITY" if part.lastgroup == "town" else "ZIP")


def drop_ages(text: str, spans: Sequence[Span]) -> Spans:
    """A duration, a measure, a class and a word without a number are not ages."""
    for span in spans:
        if span.type == "AGE":
            no_number = not IS_NUMBER.search(text, span.start, span.end)
            if (
                no_number
                or NO_AGE_AFTER.match(text, span.end)
                or NO_AGE_BEFORE.search(text, max(0, span.start - 40), span.start)
            ):
                continue
        yield span


FORMS = {
    "drop_ages": Repair(drop_ages, "tos de <AGE|9> días", "tos de 9 días", frozenset({"AGE"})),
    "split_streets": Repair(
        split_streets,
        "<STREET|Río Lerma 14, col. Pintas>, el",
        "<STREET|Río Lerma 14>, col. <CITY|Pintas>, el",
        frozenset({"STREET"}),
    ),
    "trim_places": Repair(trim_places, "de <CITY|municipio de Senahú> y", "de municipio de <CITY|Senahú> y"),
    "mark_states": Repair(
        mark_states,
        "en <CITY|Cieza>, <CITY|Murcia>",
        "en <CITY|Cieza>, <STATE|Murcia>",
        frozenset({"CITY", "STATE", *TAKEN_FOR_TOWNS}),
    ),
    "mark_centres": Repair(
        mark_centres, "su <ORGANIZATION|C.S. Vistabella>", "su <HOSPITAL|C.S. Vistabella>", PLACES
    ),
    "widen_numbers": Repair(
        widen_numbers,
        "CIP CYL<HEALTHPLAN|700218834>",
        "CIP <HEALTHPLAN|CYL700218834>",
        NUMBERS | {"VEHICLE", "USERNAME"},
    ),
    "mark_numbers": Repair(
        mark_numbers, "Historia <IDNUM|40077121>", "Historia <MEDICALRECORD|40077121>", LABELLED
    ),
    "find_labelled": Repair(find_labelled, "en UMF 51, hoy", "en <HOSPITAL|UMF 51>, hoy"),
    "find_addresses": Repair(
        find_addresses, "a <EMAIL|a.ruiz@elm>.info", "a <EMAIL|a.ruiz@elm.info>", search=read_addresses
    ),
}
