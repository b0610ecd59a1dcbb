"""Find what looks like PHI in a repository or a patch.

    crfdeid check src/ tests/                          every file
    git diff --cached | crfdeid check --diff           the lines that a commit adds
    crfdeid check . --allow-all                        remember that these findings are not PHI

Prints FILE:LINE: TYPE for each finding, never the text, and ends with status 1 if there is one.
docs/check.md has the hook for pre-commit.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

from crfdeid import cli
from crfdeid.check.evidence import AllowList, is_strong
from crfdeid.check.texts import CheckedText, Skipped, decode, list_files, read_files, read_patch
from crfdeid.errors import ConfigurationError, FormatError
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger
from crfdeid.systems.threshold import parse_threshold
from crfdeid.text.document import Document, Span

ALLOW_LIST = ".phi-allow"
LARGEST = 1_000_000  # bytes of a file
TYPES = (
    "PATIENT",
    "DOCTOR",
    "SSN",
    "MEDICALRECORD",
    "HEALTHPLAN",
    "ACCOUNT",
    "PHONE",
    "FAX",
    "STREET",
    "DATE",
)
STRONG, ANY = "strong", "any"
MARKER = "crfdeid: allow"  # a line with it is not reported
FOUND = 1  # the exit status


class CodeFinding(NamedTuple):
    """``text`` is for the allow-list only."""

    path: str
    line: int
    type: str
    text: str

    def __repr__(self) -> str:
        return f"{self.path}:{self.line}: {self.type}"


def build_parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="crfdeid check", description=__doc__.split("\n")[0])
    add = parser.add_argument
    add("paths", nargs="*", type=Path, help="files and folders")
    add("--diff", nargs="?", const="-", metavar="FILE", help="check the added lines of a patch "
        "(default: of standard input)")  # fmt: skip
    add("--model", default="rules", help="what finds the PHI (default: %(default)s)")
    cli.add_threshold_option(parser)
    add("--types", nargs="+", default=TYPES, metavar="TYPE", help="the types that count, or all (default: "
        f"{' '.join(TYPES)})")  # fmt: skip
    add("--evidence", choices=(STRONG, ANY), default=STRONG, help="what a finding needs in its line: "
        "strong, for source code, or any, for notes (default: %(default)s)")  # fmt: skip
    add(
        "--exclude",
        action="append",
        default=[],
        metavar="PATTERN",
        help="paths or names to leave out (*.csv)",
    )
    add("--largest", type=cli.natural_number, default=LARGEST, help="larger files are not read (default: "
        "%(default)s bytes)")  # fmt: skip
    add("--allow", type=Path, default=Path(ALLOW_LIST), metavar="FILE", help="hashes of texts that are not "
        "PHI (default: %(default)s)")  # fmt: skip
    add("--allow-all", action="store_true", help="add the hashes of these findings to the file")
    return parser


def main(arguments: list[str] | None = None) -> None:
    args = build_parser().parse_args(arguments)
    if bool(args.paths) == (args.diff is not None):
        raise ConfigurationError("wanted files and folders, or --diff")
    allowed, skipped = AllowList(args.allow), Skipped()
    tagger = model.load(args.model)
    findings = find_phi(tagger, read_texts(args, skipped), args)
    if args.allow_all:
        count = allowed.add(finding.text for finding in findings)
        print(f"{count} texts added to {args.allow}")
        return
    kept = dict.fromkeys(map(repr, (finding for finding in findings if not allowed.has(finding.text))))
    print(*kept, sep="\n", end="\n" if kept else "")
    report(len(kept), skipped)
    if kept:
        sys.exit(FOUND)


def read_texts(args: argparse.Namespace, skipped: Skipped) -> Iterator[CheckedText]:
    if args.diff is None:
        return read_files(list_files(args.paths, [*args.exclude, args.allow.name]), args.largest, skipped)
    try:
        content = sys.stdin.buffer.read() if args.diff == "-" else Path(args.diff).read_bytes()
    except OSError as error:
        raise FormatError(f"{args.diff}: {error.strerror or error}") from None
    return read_patch(decode(content), skipped)


def find_phi(tagger: Tagger, texts: Iterable[CheckedText], args: argparse.Namespace) -> Iterator[CodeFinding]:
    """Yield the findings, file by file."""
    known = sorted({*tagger.scheme.types})
    wanted = set(known if list(args.types) == ["all"] else args.types)
    if unknown := wanted - {*known}:
        raise ConfigurationError(f"--types {sorted(unknown)[0]}: wanted all, or some of {' '.join(known)}")
    threshold = parse_threshold(args.threshold)
    for number, text in enumerate(cli.show_progress(texts, "check"), 1):
        (tagged,) = tagger.tag_all([Document(str(number), text.text)], threshold=threshold)
        for span in tagged.spans:
            line = text.find_line(span.start)
            if span.type in wanted and line and counts(text.text, span, args.evidence):
                yield CodeFinding(text.path, line, span.type, tagged.text_of(span))


def counts(text: str, span: Span, evidence: str) -> bool:
    """Whether a finding is one: its line is not marked as allowed, and has the evidence."""
    begin = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    line = text[begin : end if end >= 0 else None]
    if MARKER in line:
        return False
    return evidence == ANY or is_strong(span.type, line, span.start - begin, span.end - begin)


def report(count: int, skipped: Skipped) -> None:
    """Say on standard error what was found and what was not read."""
    said = [f"{count} places look like PHI"] if count else []
    said += [f"{skipped.binary} binary files were not read"] if skipped.binary else []
    said += [f"{path}: larger than --largest, not read" for path in skipped.large]
    print("".join(f"{line}\n" for line in said), end="", file=sys.stderr)


if __name__ == "__main__":
    cli.run(main)
