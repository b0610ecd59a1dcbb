"""Source code, dumps, logs and notebooks with invented PHI, and lines that have none.

Each planted file is a name, a text, and the numbers of the lines that hold PHI.
"""

PLANTED = [
    ("test_notes.py", """NOTE = "Mr. Brennan was seen by Dr. Halvorsen on the ward."
PATIENT = {"patient_name": "Okafor, John", "mrn": "4471902"}
SSN = "524-61-8830"
# call her at (617) 432-8841
assert parse("DOB: 03/14/1961") == date(1961, 3, 14)
fixture = make(attending="Maria Alvarez", size=3)
""", [1, 2, 3, 4, 5, 6]),
    ("dump.sql", """INSERT INTO patients VALUES (17, 'Susan Whitfield', '1961-03-14', '524-61-8830');
INSERT INTO visits VALUES (17, 'MRN 8830415', 'ok');
UPDATE notes SET body = 'Seen by Dr. Kowalczyk' WHERE id = 3;
INSERT INTO phones VALUES (17, '617-432-8841');
""", [1, 2, 3, 4]),
    ("people.csv", """id,name,ssn,phone,street
1,"Whitfield, Susan",524-61-8830,617-432-8841,418 Larkspur Avenue
2,Thomas Brennan,477-20-1943,(312) 664-2107,77 Hollis Street
""", [2, 3]),
    ("server.log", """2061-03-14 09:12:01 INFO loaded patient Susan Whitfield
2061-03-14 09:12:02 WARN no bed for Mrs. Brennan
2061-03-14 09:12:03 ERROR MRN: 8830415 not found
2061-03-14 09:12:04 DEBUG fax to 312-664-2107
""", [1, 2, 3, 4]),
    ("study.ipynb", """  "source": ["df[df.name == 'Susan Whitfield']"],
  "text": ["Referred by Anita Kowalczyk, MD"],
  "text": ["born 3/14/1961, medical record number 8830415"],
""", [1, 2, 3]),
    ("config.yaml", """contact:
  patient: Susan Whitfield
  phone: 617-432-8841
  street: 418 Larkspur Avenue
""", [2, 3, 4]),
]  # fmt: skip

HARMLESS = [
    "def make_arrays(self) -> dict[str, GrowableArray]:",
    "def find_type(first: Span, second: Span) -> str | None:",
    "last = EDGE - 1",
    "self.kinds = np.full(0x110000, UNKNOWN, np.uint8)",
    "I/O {number:500-4000}/{number:500-3500}. UOP {number:20-120} cc/hr.",
    "class Page(Base): parent = Frank(Node)",
    '"PD1": "IS IS XON XCN IS IS IS IS ID CX CWE ID DTM XON"',
    "version = '2.10.4471902'  # released 2024-03-14",
    "# without the protocol's name, asyncio leaves Nagle's delay on",
    "phone = '617-555-0148'; ssn = '123-45-6789'; mrn = '1234567'",
    "raise ValueError('Bad Request: 404-1000')",
    "import Tkinter as Tk; from PIL import Image",
    "Copyright 2019 The Authors, 1234 Main Street",
]
