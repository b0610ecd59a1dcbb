"""The words of Spanish notes that several rooms read: titles and months."""

from __future__ import annotations

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
