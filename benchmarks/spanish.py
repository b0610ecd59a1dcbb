"""The corpora of the Spanish model, and how models of them do on hands that they have not seen.

    python benchmarks/spanish.py --out corpus/spanish     writes them; make shipped-spanish trains on them
    python benchmarks/spanish.py --judge [--config FILE] [--set KEY=VALUE …] [--hand NAME …]
    python benchmarks/spanish.py --attribute models/spanish   adds MEDDOCAN's authors and licence to the card
    python benchmarks/spanish.py --model spanish --part test   a model that is there, on one part
    python benchmarks/spanish.py --surrogates --part train     what redact makes of the gold spans of a part

MEDDOCAN (train and dev, CC BY 4.0) is expected in ../shared/data; it gets the types and the edges of the
written corpus (docs/written.md): no sex, no relatives, of an age only the number, postal codes, provinces,
courts and hospitals of their own, and no makers of drugs. Half of its cases lose their head and foot, so that
the model does not learn these forms by heart; some lose accents, small letters or are scanned. The written
documents of the train hands come as they are and filled anew.

``--judge`` leaves out each of the train hands in turn, and prints the line of what its model does there; with
``--cases`` it scores MEDDOCAN's development part, trained on the training part.
"""

from __future__ import annotations

import argparse
import re
import tempfile
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from random import Random

from foreign import WRITTEN_HEAD, copy_all, format_written
from meddocan import DATA, FOOT_BEGINS, HEAD_ENDS

from crfdeid import cli, config, corpora
from crfdeid.errors import ConfigurationError
from crfdeid.evaluate import official
from crfdeid.lexicon import SPANISH
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.surrogates import keyed_choice
from crfdeid.redact.surrogates.patient import Rules
from crfdeid.synthetic import noise
from crfdeid.synthetic.drawing import read_list
from crfdeid.synthetic.pieces import Piece, build_document
from crfdeid.synthetic.written_corpus import PARTS, WrittenDocument, draw_fills, read_corpus
from crfdeid.systems import model, registry, training_record
from crfdeid.text.document import Document, Span
from crfdeid.text.scheme import read_map

SEED = 2014
WANTED = "the Spanish model needs train and dev of MEDDOCAN (SPACCC_MEDDOCAN, CC BY 4.0), brat files"
FILLS = 6  # how many more times each written document is drawn
PARTS_OF_MEDDOCAN = ("train", "dev")
NUMBER = re.compile(
    r"\d+(?:[.,]\d+)?|(?:un|una|dos|tres|cuatro|cinco|seis|siete|ocho|nueve|diez|once|doce|trece|catorce|quince"
    r"|dieci\w+|veint\w+|(?:treinta|cuarenta|cincuenta|sesenta|setenta|ochenta|noventa)(?: y \w+)?)\b",
    re.IGNORECASE,
)
BEFORE_DATE = re.compile(r"(?:día|año|años|mes de|en|el)\s+", re.IGNORECASE)
BEFORE_JOB = re.compile(r"(?:ex|exempleado|jubilad[oa]|una?)\s+", re.IGNORECASE)
COURT = re.compile(r"juzgado|justicia|penitenciari|cárcel", re.IGNORECASE)
CLINIC = re.compile(
    r"hospital|cl[ií]nica|centro m[ée]dico|residencia|puigvert|hemodi[áa]lisis|sanatori|centros? de salud"
    r"|fundación oftalmológica|centro de (?:rehabilit|psicolog)|asistencial|conde de valenciana|onco?lógico",
    re.IGNORECASE,
)
OFFICE = re.compile(
    r"servicio|facultad|escuela|universi|institut|centro|sociedad|asociación|consejo|laboratorio de|salud"
    r"|samur|once|intcf|udelar|ivml|iml|nato|incodol",
    re.IGNORECASE,
)
ATTRIBUTION = """The model learned from the training and development parts of MEDDOCAN (SPACCC_MEDDOCAN,
copyright 2019 Secretaría de Estado para el Avance Digital), described by M. Marimon and others:
"Automatic De-identification of Medical Texts in Spanish: the MEDDOCAN Track, Corpus, Guidelines, Methods and
Evaluation of Results", IberLEF 2019, CEUR-WS 2421. Licence of the corpus: CC BY 4.0
(https://creativecommons.org/licenses/by/4.0/). Changes: the types of i2b2 2014, other edges of spans, cases
without head and foot, and cases in capitals, without accents or with errors of scanning. The other documents
were written for this project (MIT).
"""
SIGNS = ("no accents", "capitals", "small letters", "scanned")
OTHERWISE = 0.4  # the share of cases that are written once more, in another way


def adapt_case(document: Document) -> Document:
    """Return a case of MEDDOCAN with the types of i2b2 2014 and the edges of the written corpus."""
    moved = [span for each in document.spans if (span := adapt_span(document, each))]
    mapped = read_map("2014").apply(document.with_spans(moved))
    return mapped.with_spans(split_places(mapped, moved))


def adapt_span(document: Document, span: Span) -> Span | None:
    """Return the span of MEDDOCAN as the written corpus would mark it, still with MEDDOCAN's types; None for
    what is not marked there."""
    text = document.text_of(span)
    if span.type == "EDAD_SUJETO_ASISTENCIA":
        found = NUMBER.match(text)
        return replace(span, end=span.start + found.end()) if found else None
    if span.type == "FECHAS":
        before = BEFORE_DATE.match(text)
        kept = replace(span, start=span.start + before.end()) if before else span
        return (
            kept
            if re.search(r"\d|enero|febrero|marzo|abril|mayo|ju[nl]io|agosto|bre\b", text, re.I)
            else None
        )
    if span.type == "PROFESION":
        before = BEFORE_JOB.match(text)
        return replace(span, start=span.start + before.end()) if before else span
    if span.type == "PAIS" and re.search(r"\d", text):
        return None
    if span.type in ("OTROS_SUJETO_ASISTENCIA", "ID_EMPLEO_PERSONAL_SANITARIO"):
        return None
    if span.type == "ID_TITULACION_PERSONAL_SANITARIO" and not re.search(r"\d", text):
        return None
    if span.type == "INSTITUCION":
        return span if any(kind.search(text) for kind in (COURT, CLINIC, OFFICE)) else None
    return span


def split_places(document: Document, before: Sequence[Span]) -> Iterator[Span]:
    """Yield the spans; towns, provinces and postal codes, hospitals and courts get their own types."""
    types = {(span.start, span.end): span.type for span in before}
    provinces = read_provinces()
    last_town = -100
    for span in document.spans:
        text, type = document.text_of(span), span.type
        old = types[span.start, span.end]
        if old == "TERRITORIO":
            near = document.text[last_town : span.start] if span.start - last_town < 4 else "x"
            beside = not re.search(r"\w", near)
            type = (
                "ZIP"
                if re.search(r"\d", text)
                else "STATE"
                if beside and text.lower() in provinces
                else "CITY"
            )
            last_town = span.end if type == "CITY" else -100
        elif old == "INSTITUCION":
            type = "LOCATION-OTHER" if COURT.search(text) else "HOSPITAL" if CLINIC.search(text) else type
        elif old == "ID_SUJETO_ASISTENCIA" and re.search(
            r"(?:DNI|NIF|NIE|pasaporte)\W*$",
            document.text[max(0, span.start - 20) : span.start],
            re.IGNORECASE,
        ):
            type = "IDNUM"
        yield replace(span, type=type)


def read_provinces() -> frozenset[str]:
    """Read the provinces, states and regions, in small letters."""
    own = {entry.split("|")[1].lower() for entry in read_list("es_towns")}
    return frozenset(own | {"andalucía", "cataluña", "galicia", "castilla y león", "aragón", "canarias"})


def cut_to_narrative(document: Document) -> Document:
    """Return only the text between head and foot, with its spans; the whole document where that is short."""
    heads = [match.end() for match in HEAD_ENDS.finditer(document.text)]
    foot = FOOT_BEGINS.search(document.text)
    start, stop = max(heads, default=0), foot.start() if foot else len(document.text)
    start += len(document.text[start:]) - len(document.text[start:].lstrip(" .:\n"))
    if stop - start < 200:
        return document
    inside = [s for s in document.spans if start <= s.start and s.end <= stop]
    spans = tuple(replace(s, start=s.start - start, end=s.end - start) for s in inside)
    return Document(f"{document.id}-n", document.text[start:stop], spans, document.patient)


def list_pieces(document: Document) -> list[Piece]:
    """Return the text of the document in pieces; a piece that is a span has its type."""
    pieces, at = [], 0
    for span in document.spans:
        pieces += [Piece(document.text[at : span.start]), Piece(document.text_of(span), span.type)]
        at = span.end
    return [piece for piece in [*pieces, Piece(document.text[at:])] if piece.text]


def write_otherwise(document: Document, rng: Random) -> Document:
    """Return the document in capitals, in small letters, without accents or scanned."""
    pieces, sign = list_pieces(document), rng.choice(SIGNS)
    if sign == "no accents":
        pieces = noise.drop_all_accents(pieces)
    elif sign == "scanned":
        pieces = noise.misread(pieces, rng, rng.choice((0.005, 0.015, 0.03)))
    else:
        pieces = (noise.to_upper if sign == "capitals" else noise.to_lower)(pieces)
        pieces = noise.drop_all_accents(pieces) if rng.random() < 0.5 else pieces
    return build_document(pieces, f"{document.id}-o", document.patient or document.id)


def make_cases(parts: Sequence[str] = PARTS_OF_MEDDOCAN) -> Iterator[Document]:
    """Yield MEDDOCAN's cases of the parts: as they are or without head and foot, and some in another writing.
    Each is its own patient."""
    rng = Random(SEED)
    for whole in read_cases(parts):
        case = whole if rng.random() < 0.5 else cut_to_narrative(whole)
        yield case
        if rng.random() < OTHERWISE:
            yield write_otherwise(case, rng)


def read_cases(parts: Sequence[str]) -> Iterator[Document]:
    """Yield the adapted cases of the parts. Raises :class:`ConfigurationError` where a part is missing."""
    folders = [DATA / part / "brat" for part in parts]
    if missing := [folder for folder in folders if not folder.is_dir()]:
        raise ConfigurationError(f"{missing[0]}: not there; {WANTED}")
    for folder in folders:
        for case in corpora.read(folder, "brat"):
            yield replace(adapt_case(case), patient=case.id)


def make_written(documents: Iterable[WrittenDocument], fills: int = FILLS) -> Iterator[Document]:
    """Yield the written documents as they are, and filled anew ``fills`` times."""
    for document in documents:
        yield from draw_fills(document, SEED, fills)


def judge(settings: config.Config, hands: Sequence[str], fills: int) -> None:
    """Train without each hand in turn, and print what the model does on it."""
    documents, cases = read_corpus("train", SPANISH), list(make_cases())
    print(WRITTEN_HEAD)
    everything: list[tuple[Document, Document]] = []
    for hand in hands or sorted({document.hand for document in documents}):
        rest = make_written((document for document in documents if document.hand != hand), fills)
        with tempfile.TemporaryDirectory() as folder:
            tagger = model.train([*cases, *rest], settings, Path(folder) / "model")
            gold = copy_all(document for document in documents if document.hand == hand)
            found = list(tagger.tag_all(document.with_spans(()) for document in gold))
        everything += zip(gold, found)
        print(format_written(hand, gold, found), flush=True)
    print(format_written("all", *map(list, zip(*everything))))


def attribute(folder: Path) -> None:
    """Add the source of the cases, with its licence, to the card of a model."""
    card = folder / training_record.CARD
    text = card.read_text(encoding="utf-8").partition("\n## Attribution\n")[0]
    card.write_text(f"{text}\n## Attribution\n\n{ATTRIBUTION}", encoding="utf-8")


def print_surrogates(part: str) -> None:
    """Redact the gold spans of a part, each note by itself; print how many become surrogates and markers, and
    how many places still have a found text."""
    redactor = Redactor(keyed_choice.derive_secret(SEED), rules=Rules(language=SPANISH))
    done = [redactor.redact([document])[0] for document in copy_all(read_corpus(part, SPANISH))]
    made = [replacement for each in done for replacement in each.replacements]
    left = Counter(replacement.why for replacement in made if not replacement.resolved)
    survivors = sum(len(each.survivors) for each in done)
    print(f"{len(made)} replaced, {sum(left.values())} by markers, {survivors} survivors")
    print(*(f"{why}: {count}" for why, count in left.most_common()), sep="\n")


def judge_cases(settings: config.Config, fills: int) -> None:
    """Train on MEDDOCAN's training part and the written documents; print the three scores of the task on its
    development part, with the types of i2b2 2014."""
    rest = make_written(read_corpus("train", SPANISH), fills)
    with tempfile.TemporaryDirectory() as folder:
        tagger = model.train([*make_cases(("train",)), *rest], settings, Path(folder) / "model")
        gold = list(read_cases(("dev",)))
        found = list(tagger.tag_all(document.with_spans(()) for document in gold))
    print(official.format_scores(official.score_documents(gold, found)))


def main(arguments: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, help="write the training corpora to this folder")
    parser.add_argument("--judge", action="store_true", help="train without each hand in turn")
    parser.add_argument("--hand", nargs="+", default=[], help="with --judge: only these hands are left out")
    parser.add_argument("--cases", action="store_true", help="with --judge: score MEDDOCAN's dev")
    parser.add_argument("--config", default="spanish")
    parser.add_argument("--set", action="append", default=[], metavar="KEY=VALUE", help="change a setting")
    parser.add_argument("--fills", type=int, default=FILLS, help="how often each written document is filled")
    parser.add_argument("--attribute", type=Path, metavar="MODEL", help="add the source to a card")
    parser.add_argument("--surrogates", action="store_true", help="redact the gold spans, and count")
    parser.add_argument("--model", help="judge this model, without training")
    parser.add_argument("--part", choices=PARTS, default="test", help="with --model: the written documents")
    args = parser.parse_args(arguments)
    if args.surrogates:
        print_surrogates(args.part)
    elif args.attribute:
        attribute(args.attribute)
    elif args.model:
        gold = copy_all(read_corpus(args.part, SPANISH))
        found = list(model.load(args.model).tag_all(document.with_spans(()) for document in gold))
        print(f"{WRITTEN_HEAD}\n{format_written(args.part, gold, found)}")
    elif args.judge:
        settings = registry.apply_changes(registry.read_config(args.config), args.set)
        judge(settings, args.hand, args.fills) if not args.cases else judge_cases(settings, args.fills)
    elif args.out:
        args.out.mkdir(parents=True, exist_ok=True)
        corpora.write(make_cases(), args.out / "meddocan.jsonl", "jsonl", overwrite=True)
        written = make_written(read_corpus("train", SPANISH), args.fills)
        corpora.write(written, args.out / "written.jsonl", "jsonl", overwrite=True)
    else:
        parser.error("wanted --out, --judge, --model or --surrogates")


if __name__ == "__main__":
    cli.run(main)
