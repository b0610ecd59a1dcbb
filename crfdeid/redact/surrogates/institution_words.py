"""Words of the names of places and institutions that say what it is, beside those of the shipped lists."""

from __future__ import annotations

from crfdeid.redact.surrogates.letter_case import words

NUMBER_WORDS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth")
DIRECTIONS = words("n s e w ne nw se sw north south east west northeast northwest southeast southwest")
UNITS = words("apt apartment unit suite ste floor fl box po p o room rm building bldg no pob post office rr")
SMALL_WORDS = words("of the and at for in on de la del los las el y a to")
COMPANIES = words(
    """university college school high elementary middle academy institute airlines airways insurance software
    company co corp corporation inc llc ltd bank group systems system services industries motors foods energy
    brothers sons partners associates laboratories labs electric union church police fire community regional
    specialty public construction club council office department agency store stores market restaurant hotel
    shop works press urgent care primary"""
)
LANDMARKS = words(
    """park river beach island lake mount mountain mountains mall bridge valley creek airport station church
    cemetery hall county bay harbor point forest canyon falls hill hills stadium museum plaza center square
    pond trail zoo library prison jail shelter farm ranch camp village"""
)
DENOMINATIONS = words(
    "adventist baptist deaconess mercy good samaritan lutheran methodist presbyterian sacred sisters"
)  # they say what it is, and which one
WARDS = words(
    "floor unit ward wing building tower pavilion suite room clinic service dept department team firm bed"
)
