"""The kinds of surrogates, and the kind that each type of the shipped schemes needs."""

from __future__ import annotations

from collections.abc import Iterator

from crfdeid.text.document import Document

NAME, USERNAME, DATE, AGE = "name", "username", "date", "age"
STREET, CITY, STATE, ZIP, COUNTRY = "street", "city", "state", "zip", "country"
HOSPITAL, DEPARTMENT, ORGANIZATION, PLACE, ROOM = "hospital", "department", "organization", "place", "room"
PROFESSION, PHONE, EMAIL, URL, IP, IDENTIFIER = "profession", "phone", "email", "url", "ip", "identifier"
OTHER = "other"  # types of a scheme that have no typical form
UNKNOWN = "unknown"  # types that no scheme has

TYPES = {
    NAME: "PATIENT DOCTOR NAME NOMBRE_SUJETO_ASISTENCIA NOMBRE_PERSONAL_SANITARIO",
    USERNAME: "USERNAME",
    DATE: "DATE FECHAS",
    AGE: "AGE EDAD_SUJETO_ASISTENCIA",
    STREET: "STREET CALLE",
    CITY: "CITY",
    STATE: "STATE",
    ZIP: "ZIP",
    COUNTRY: "COUNTRY PAIS",
    HOSPITAL: "HOSPITAL CENTRO_SALUD",
    DEPARTMENT: "DEPARTMENT",
    ORGANIZATION: "ORGANIZATION INSTITUCION",
    PLACE: "LOCATION LOCATION-OTHER TERRITORIO",
    ROOM: "ROOM",
    PROFESSION: "PROFESSION PROFESION",
    PHONE: "PHONE FAX NUMERO_TELEFONO NUMERO_FAX",
    EMAIL: "EMAIL CORREO_ELECTRONICO",
    URL: "URL URL_WEB",
    IP: "IPADDR DIREC_PROT_INTERNET",
    IDENTIFIER: "ID SSN MEDICALRECORD HEALTHPLAN ACCOUNT LICENSE VEHICLE DEVICE BIOID IDNUM "
    "ID_ASEGURAMIENTO ID_CONTACTO_ASISTENCIAL ID_SUJETO_ASISTENCIA NUMERO_BENEF_PLAN_SALUD "
    "ID_TITULACION_PERSONAL_SANITARIO ID_EMPLEO_PERSONAL_SANITARIO IDENTIF_VEHICULOS_NRSERIE_PLACAS "
    "IDENTIF_DISPOSITIVOS_NRSERIE IDENTIF_BIOMETRICOS OTRO_NUMERO_IDENTIF",
    OTHER: "OTHER SEXO_SUJETO_ASISTENCIA FAMILIARES_SUJETO_ASISTENCIA OTROS_SUJETO_ASISTENCIA",
}  # fmt: skip
KINDS = {type: kind for kind, types in TYPES.items() for type in types.split()}
UNIT_LENGTH = 12  # characters after an age or a holiday that may say what it means
MAX_GAP = 3  # characters between two neighbouring parts of an address


def kind_of(type: str) -> str:
    """
    >>> kind_of("DOCTOR"), kind_of("FECHAS"), kind_of("SPECIES")
    ('name', 'date', 'unknown')
    """
    return KINDS.get(type, UNKNOWN)


def pair_adjacent(document: Document, first: str, second: str) -> Iterator[tuple[str, str]]:
    """Yield the texts of two neighbouring spans of an address that have the types ``first`` and
    ``second``."""
    for a, b in zip(document.spans, document.spans[1:]):
        if (a.type, b.type) == (first, second) and 0 <= b.start - a.end <= MAX_GAP:
            yield document.text_of(a), document.text_of(b)


def is_name(type: str) -> bool:
    return kind_of(type) == NAME
