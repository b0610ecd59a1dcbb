"""What kind of surrogate a type wants, in every scheme that ships."""

from __future__ import annotations

from collections.abc import Iterator

from crfdeid.text.document import Document

NAME, USERNAME, DATE, AGE = "name", "username", "date", "age"
STREET, CITY, STATE, ZIP, COUNTRY = "street", "city", "state", "zip", "country"
HOSPITAL, DEPARTMENT, ORGANIZATION, PLACE, ROOM = "hospital", "department", "organization", "place", "room"
PROFESSION, PHONE, EMAIL, URL, IP, IDENTIFIER = "profession", "phone", "email", "url", "ip", "identifier"
OTHER, UNKNOWN = "other", "unknown"  # in a scheme but of no form; in no scheme

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
NEAR = 3  # characters that may part the lines of an address


def of(type: str) -> str:
    """
    >>> of("DOCTOR"), of("FECHAS"), of("SPECIES")
    ('name', 'date', 'unknown')
    """
    return KINDS.get(type, UNKNOWN)


def beside(document: Document, first: str, second: str) -> Iterator[tuple[str, str]]:
    """The texts of spans of two types that follow each other in an address."""
    for a, b in zip(document.spans, document.spans[1:]):
        if (a.type, b.type) == (first, second) and 0 <= b.start - a.end <= NEAR:
            yield document.text_of(a), document.text_of(b)
