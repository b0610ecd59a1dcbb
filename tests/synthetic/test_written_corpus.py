"""The written corpus: its notation, its filling, and what holds of every document of it."""

import re
from pathlib import Path
from random import Random

import pytest
import regex

from crfdeid import corpora
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.lexicon import ENGLISH, LANGUAGES, SPANISH
from crfdeid.lexicon.letters import drop_accents
from crfdeid.synthetic import written_checks, written_corpus
from crfdeid.synthetic.__main__ import main as synthetic_verb
from crfdeid.synthetic.pieces import build_document
from crfdeid.synthetic.written_corpus import FOLDER, Member, Mention, draw_fills, fill_document, read_hand

HEAD = "@document hand-01\nfamily: nursing\nkind: note\ncountry: Ireland\n"
SPANISH_HEAD = (
    "# una mano\n# language: spanish\n\n@document hand-01\nfamily: urgencias\nkind: nota\ncountry: Perú\n"
)


def write_hand(folder: Path, text: str) -> Path:
    path = folder / "hand.txt"
    path.write_text(text, encoding="utf-8")
    return path


def test_a_document_has_its_cast_and_its_mentions(tmp_path):
    text = (
        HEAD
        + 'p: PATIENT f Ana Maria / de Ruiz\nq: DOCTOR x / Marsh\n\n{p: Ana} saw Dr {q: MARSH} {"a"}.\n\n'
    )
    (document,) = read_hand(write_hand(tmp_path, "# a hand\n" + text))
    assert document.cast == {
        "p": Member("PATIENT", "f", "Ana Maria", "de Ruiz"),
        "q": Member("DOCTOR", "x", "", "Marsh"),
    }
    assert document.parts == (
        Mention("Ana", "PATIENT", "p"), " saw Dr ", Mention("MARSH", "DOCTOR", "q"), ' {"a"}.',
    )  # fmt: skip
    assert (document.id, document.hand, document.family) == ("hand-01", "hand", "nursing")


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("@document\n\nx", "hand.txt:1: wanted @document and an id"),
        ("@document a b\n\nx", "hand.txt:1: wanted @document and an id"),
        ("@document a\nfamily: nursing", "wanted a blank line after the head"),
        ("@document a\nfamily: nursing\nkind: x\n\ntext", "wanted a field country"),
        (HEAD.replace("nursing", "nurse") + "\nx", "wanted a family among primary_care"),
        (HEAD + "p PATIENT\n\nx", "not of the form key: value"),
        (HEAD + "p: PATIENT f Ana\n\nx", "cast p: wanted PATIENT or DOCTOR"),
        (HEAD + "p: PATIENT f /\n\nx", "cast p: wanted PATIENT or DOCTOR"),
        (HEAD + "p: NURSE f Ana / B\n\nx", "cast p: wanted PATIENT or DOCTOR"),
        (HEAD + "\nfirst\n{TOWN: x}", "hand.txt:5 + 1 lines: a slot that is neither of the cast nor a type"),
        (HEAD + "\n{p: x}", "a slot that is neither of the cast nor a type"),
        (HEAD + "\n{CITY: a\nb}", "a slot is empty, has blanks at its ends or crosses a line end"),
        (HEAD + "\n{CITY: a }", "a slot is empty, has blanks at its ends"),
    ],
)
def test_wrong_notation_is_refused_with_its_line(tmp_path, text, message):
    with pytest.raises(FormatError) as caught:
        read_hand(write_hand(tmp_path, text))
    assert message in str(caught.value)


def fill(tmp_path: Path, cast: str, text: str, seed: int = 1) -> str:
    (document,) = read_hand(write_hand(tmp_path, f"{HEAD}{cast}\n{text}"))
    return build_document(written_corpus.fill_document(document, Random(seed)), "n").text


@pytest.mark.parametrize(
    ("slot", "form"),
    [
        ("{DATE: 14/3/23}", r"\d\d?/\d\d?/\d\d"),
        ("{DATE: 14.03.2023}", r"\d\d?\.\d\d?\.20\d\d"),
        ("{DATE: 2021-06-07}", r"20\d\d-\d\d-\d\d"),
        ("{DATE: 20210607}", r"20\d{6}"),
        ("{DATE: ninth of june nineteen sixty two}", r"[a-z]+th|[a-z]+ of [a-z]+ [a-z]+ [a-z]+ [a-z]+"),
        ("{DATE: THURS 3 APR}", r"[A-Z]+ \d\d? [A-Z]{3}"),
        ("{DATE: Tuesday}", r"[A-Z][a-z]+day"),
        ("{DATE: '98}", r"'\d\d"),
        ("{AGE: 46}", r"\d\d"),
        ("{AGE: 3 9/12}", r"\d\d? \d\d?/\d\d?"),
        ("{AGE: 70s}", r"\d0s"),
        ("{AGE: eleven}", r"[a-z]+"),
        ("{PHONE: 0491 570 156}", r"0\d{3} \d{3} \d{3}"),
        ("{MEDICALRECORD: UR-448120}", r"[A-Z]{2}-\d{6}"),
        ("{STREET: 12 Marlow Road}", r"\d\d [A-Z][\w'’-]* Road"),
        ("{HOSPITAL: Marlow General Hospital}", r"[A-Z][\w'’-]* General Hospital"),
        ("{ORGANIZATION: BJQ}", r"[A-Z]{3}"),
    ],
)
def test_a_filled_slot_keeps_its_form(tmp_path, slot, form):
    for seed in range(20):
        assert regex.fullmatch(form, fill(tmp_path, "", slot, seed)), seed


@pytest.mark.parametrize("seed", range(20))
def test_a_person_has_one_new_name_in_all_its_forms(tmp_path, seed):
    cast = "p: PATIENT f Ana Lucia / Varga\nh: PATIENT m Tom / Varga\n"
    text = "{p: VARGA, Ana L}|{p: ana varga}|{p: A. Varga}|{p: AV}|{h: Tom Varga}"
    formal, small, short, initials, husband = fill(tmp_path, cast, text, seed).split("|")
    last = formal.partition(",")[0]
    assert last.isupper() and small.islower()
    assert small.endswith(last.lower()) and husband.upper().endswith(last)
    assert short[1] == "." and short[2:].strip().upper() == last
    assert initials == small[0].upper() + last[0]


def test_a_copy_is_as_it_was_written(tmp_path):
    (document,) = read_hand(write_hand(tmp_path, f"{HEAD}p: PATIENT f Ana /\n\n{{p: Ana}} is {{AGE: 9}}."))
    copied = build_document(written_corpus.copy_document(document), "n")
    assert (copied.text, [span.type for span in copied.spans]) == ("Ana is 9.", ["PATIENT", "AGE"])


HANDS = {language: written_corpus.list_hands(language) for language in LANGUAGES}


@pytest.mark.parametrize("path", [*HANDS[ENGLISH], *HANDS[SPANISH]], ids=lambda path: path.stem)
def test_every_document_of_a_hand_has_its_own_id_and_a_used_cast(path):
    documents = read_hand(path)
    assert path.read_text(encoding="utf-8").startswith("# ")
    assert len({document.id for document in documents}) == len(documents)
    for document in documents:
        assert document.id.startswith(path.stem)
        assert not list(written_checks.find_unused_cast(document))


@pytest.mark.slow
@pytest.mark.parametrize("path", HANDS[ENGLISH], ids=lambda path: path.stem)
def test_every_document_can_be_filled(path):
    for document in read_hand(path):
        filled = build_document(written_corpus.fill_document(document, Random(document.id)), document.id)
        copied = build_document(written_corpus.copy_document(document), document.id)
        assert [span.type for span in filled.spans] == [span.type for span in copied.spans]


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("{p: Mrs Ruiz}", "a title, credential or 's inside PATIENT: Mrs Ruiz"),
        ("{p: Ruiz}, Ruiz", "a repeat outside of spans: Ruiz"),
        ("{p: Ruiz} for {DATE: 3/7}", "a duration as DATE: 3/7"),
        ("{p: Ruiz}, {AGE: 9 years}", "AGE is only the number: 9 years"),
        ("{p: Ruiz}, {PROFESSION: retired welder}", "PROFESSION without retired, former, a: retired welder"),
        ("{p: Ruiz} on 3/4/2061", "not marked: 3/4/2061"),
        ("{p: Ruiz} in October", "not marked: October"),
        ("{p: Ruiz} and Dr Marsh", "a name behind a title, not marked: Dr Marsh"),
        ("{p: Ruiz} and Linda", "a common first name, not marked: Linda"),
    ],
)
def test_the_checker_finds_what_is_likely_wrong(tmp_path, text, finding):
    (document,) = read_hand(write_hand(tmp_path, f"{HEAD}p: PATIENT f / Ruiz\n\n{text}"))
    assert finding in list(written_checks.check_document(document))


@pytest.mark.parametrize(
    ("text", "finding"),
    [
        ("{p: Dra. Ruiz}", "a title, credential or 's inside PATIENT: Dra. Ruiz"),
        ("{p: Ruiz}, Ruiz", "a repeat outside of spans: Ruiz"),
        ("{p: Ruiz}, en {DATE: 3 días}", "a duration as DATE: 3 días"),
        ("{p: Ruiz}, {AGE: 9 años}", "AGE is only the number: 9 años"),
        ("{p: Ruiz}, {AGE: 22m}", None),
        ("{p: Ruiz}, {PROFESSION: jubilada}", "PROFESSION without retired, former, a: jubilada"),
        ("{p: Ruiz}, 3/4/2061", "not marked: 3/4/2061"),
        ("{p: Ruiz} el martes", "not marked: martes"),
        ("{p: Ruiz} y la Dra. Marín", "a name behind a title, not marked: Dra. Marín"),
        ("{p: Ruiz} y Gonzalo", "a common first name, not marked: Gonzalo"),
        ("{p: Ruiz} and Linda, Easter 3/7", None),
    ],
)
def test_the_checker_knows_spanish(tmp_path, text, finding):
    (document,) = read_hand(write_hand(tmp_path, f"{SPANISH_HEAD}p: PATIENT f / Ruiz\n\n{text}"))
    found = list(written_checks.check_document(document))
    assert finding in found if finding else not found


@pytest.mark.parametrize("language", LANGUAGES)
def test_a_language_uses_its_families_and_no_other(language):
    used = {document.family for path in HANDS[language] for document in read_hand(path)}
    assert used <= set(written_corpus.find_written(language).families)


def test_a_family_belongs_to_one_language(tmp_path):
    (document,) = read_hand(write_hand(tmp_path, SPANISH_HEAD + "\nAlta."))
    assert (document.family, document.language) == ("urgencias", SPANISH)
    spanish, english = tmp_path / "es", tmp_path / "en"
    for folder, text in (
        (spanish, SPANISH_HEAD.replace("urgencias", "nursing")),
        (english, HEAD.replace("nursing", "urgencias")),
    ):
        folder.mkdir()
        with pytest.raises(FormatError, match="wanted a family among (alta|primary_care), "):
            read_hand(write_hand(folder, text + "\nx"))


def test_an_unknown_language_is_refused(tmp_path):
    with pytest.raises(
        FormatError, match="^hand.txt: polish: no such language.*; wanted english or spanish$"
    ):
        read_hand(write_hand(tmp_path, SPANISH_HEAD.replace("spanish", "polish") + "\nx"))
    with pytest.raises(ConfigurationError, match="^polish: no such language.*; wanted english or"):
        written_corpus.read_corpus("all", "polish")


def test_the_files_of_a_language_name_it_and_english_is_the_default():
    for language, paths in HANDS.items():
        assert {written_corpus.read_language(path) for path in paths} == {language}
    assert HANDS[ENGLISH] == sorted(FOLDER.glob("*.txt"))
    assert written_corpus.read_corpus("dev") == written_corpus.read_corpus("dev", ENGLISH)
    assert {document.language for document in written_corpus.read_corpus()} == {ENGLISH}


@pytest.mark.parametrize(
    ("part", "hands"),
    [
        (
            "train",
            [
                "es_ambulatorio_cartagena",
                "es_cartas_cali",
                "es_centro_salud_badajoz",
                "es_clinica_monterrey",
                "es_consulta_sevilla",
                "es_consultorio_merida",
                "es_expediente_puebla",
                "es_guardia_rosario",
                "es_guardia_zaragoza",
                "es_hospital_bogota",
                "es_hospital_guadalajara",
                "es_imss_veracruz",
                "es_listas_zaragoza",
                "es_mensajes_lima",
                "es_mixto_andes",
                "es_mixto_bahia",
                "es_obra_social_salta",
                "es_papeles_bilbao",
                "es_planta_oviedo",
                "es_planta_zaragoza",
                "es_red_santiago",
                "es_rural_cusco",
                "es_sanatorio_cordoba",
                "es_social_asuncion",
                "es_turno_valparaiso",
                "es_turnos_mendoza",
                "es_urgencias_valencia",
                "es_ventanilla_murcia",
            ],
        ),
        ("test", ["es_archivo_medellin"]),
    ],
)
def test_each_spanish_hand_has_twelve_documents_or_more_and_one_part(part, hands):
    documents = written_corpus.read_corpus(part, language=SPANISH)
    assert [*dict.fromkeys(document.hand for document in documents)] == hands
    assert all(sum(document.hand == hand for document in documents) >= 12 for hand in hands)
    clear = [document for document in documents if not document.mentions]
    assert 10 <= len(clear) / len(hands) <= 20
    assert {document.language for document in documents} == {SPANISH}


def test_the_verb_writes_documents_as_written_and_filled(tmp_path):
    out = tmp_path / "dev.jsonl"
    synthetic_verb(["--written", "--part", "dev", "--fills", "2", "--documents", "6", "--out", str(out)])
    first, filled, again, *others = corpora.read(out)
    assert (filled.id, again.id) == (f"{first.id}.1", f"{first.id}.2") and len(others) == 3
    assert {first.patient, filled.patient, again.patient} == {first.id}
    assert len({first.text, filled.text, again.text}) == 3


def test_a_spanish_document_is_filled_with_spanish_names_in_the_same_forms(tmp_path):
    head = "m: PATIENT f Rosa / Gil de la Mora\np: PATIENT m Juan José / Pérez Mora\n"
    text = (
        "{p: PEREZ MORA, JUAN JOSE} y su madre, {m: Rosa Gil de la Mora} ({m: R.G.}), de {CITY: Soria}. "
        "DNI {IDNUM: 12345678Z}, {DATE: 12 de marzo de 2015}, {DATE: 12/III/15}, {AGE: treinta y dos}, "
        "{p: P3REZ}, {m: mora}"
    )
    (document,) = read_hand(write_hand(tmp_path, f"{SPANISH_HEAD}{head}\n{text}"))
    for seed in range(20):
        pieces = [piece for piece in fill_document(document, Random(seed)) if piece.type]
        capitals, mother, initials, town, card, date, roman, age, scanned, small = (p.text for p in pieces)
        assert (
            capitals.isupper() and drop_accents(capitals) == capitals and capitals != "PEREZ MORA, JUAN JOSE"
        )
        assert capitals.split(",")[0].split()[-1].lower() == drop_accents(small) and small.islower()
        assert mother.lower().endswith(f" de la {small}") and re.fullmatch(r"\w\.\w\.", initials)
        assert initials[0] == mother[0] and town and re.fullmatch(r"\d{8}[A-Z]", card)
        assert re.fullmatch(r"\d\d? de [a-z]+ de \d{4}", date) and re.fullmatch(r"\d\d?/[IVX]+/\d\d", roman)
        assert re.fullmatch(r"[a-z]+ y [a-z]+", age) and scanned == "P3REZ"


def test_some_filled_spanish_documents_have_no_accents():
    document = written_corpus.read_corpus("train", SPANISH)[0]
    filled = [note.text for note in draw_fills(document, 1, 30)][1:]
    assert 0 < sum(drop_accents(text) == text for text in filled) < 20


def test_the_verb_writes_spanish_documents_as_written(tmp_path):
    out = tmp_path / "es.jsonl"
    synthetic_verb(["--written", "--language", "spanish", "--part", "test", "--out", str(out)])
    documents = list(corpora.read(out))
    written = written_corpus.read_corpus("test", SPANISH)
    assert [document.id for document in documents] == [document.id for document in written]
    for document, source in zip(documents, written):
        assert [document.text_of(span) for span in document.spans] == [m.text for m in source.mentions]


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (["--written", "--fills", "-1"], "--fills -1: wanted 0 or more"),
        (["--written", "--genres", "query"], "--genres: only for generated notes, not for --written"),
        (["--fills", "2"], "--fills: only with --written"),
        (["--language", "spanish"], "--language: only with --written"),
        (["--documents", "0"], "--documents 0: wanted 1 or more"),
    ],
)
def test_options_that_do_not_fit_are_refused(tmp_path, options, message):
    with pytest.raises(ConfigurationError, match=f"^{message}$"):
        synthetic_verb([*options, "--out", str(tmp_path / "x.jsonl")])


def test_train_and_test_share_no_hand():
    parts = [
        {document.hand for document in written_corpus.read_corpus(part)} for part in ("train", "dev", "test")
    ]
    assert all(parts) and sum(map(len, parts)) == len(HANDS[ENGLISH]) == len(set.union(*parts))


def test_an_unknown_part_is_refused(tmp_path):
    with pytest.raises(FormatError, match="hand.txt: an unknown part; wanted train, dev, test"):
        written_corpus.read_part(write_hand(tmp_path, "# part: eval\n" + HEAD + "\nx"))
