"""How much of what a language model echoes, rewords and lists is restored to the real text.

    python benchmarks/session.py [--prompts 10000] [--style placeholder] [--model english+rules]

A prompt is a part of a synthetic note with an instruction, and a session has two prompts. No language model
is asked: each prompt has an answer of each of three kinds, which is written here from what was issued. From
the real texts the same is written, and that is what the restored answer must be.

    echo     the whole prompt as it was sent
    list     numbered, bold, in a table, in quotes, as JSON
    reword   possessive, in capitals, wrapped at a line end, without brackets; of surrogates also the
             surname alone, the surname first, and dates and telephone numbers in other notations

An answer comes in chunks of 1 to 9 characters. Counted are answers that are restored to the character, in the
stream and as a whole, and the longest text that was held back.
"""

from __future__ import annotations

import argparse
import re
import time
from collections import Counter
from collections.abc import Callable, Iterator
from datetime import datetime
from itertools import islice
from random import Random

from crfdeid import cli, synthetic
from crfdeid.redact.surrogates import kinds
from crfdeid.session import Pair, Session
from crfdeid.systems import model
from crfdeid.systems.tagger import Tagger

INSTRUCTIONS = ("Summarize:", "List the dates.", "Write to the family.", "Translate this note.", "What next?")
LISTS = ("1. {}", "- **{}**", "| {} | seen |", '{{"value": "{}"}}', "* “{}”", "({})", "{}:", "<b>{}</b>")
WORDS = ("I saw {} today.", "{}, as you wrote, is right.", "Ask about {}; then call.", "({})", "re {}/plan")
NUMERIC, ISO, LONG = r"(\d\d)/(\d\d)/(\d{4})", "%Y-%m-%d", "%B %-d, %Y"
Said = tuple[str, str]  # a text of an answer, and what it must be restored to


def make_prompts(count: int, seed: int) -> Iterator[str]:
    """Yield parts of notes of 200 to 900 characters, cut at line ends, with an instruction."""
    random = Random(seed)
    for note in synthetic.generate(count, seed):
        lines = note.text.splitlines(keepends=True)
        first = random.randrange(max(1, len(lines) - 3))
        part = "".join(lines[first:])[: random.randint(200, 900)]
        yield f"{random.choice(INSTRUCTIONS)}\n\n{part}"


def echo(prompt: str, redacted: str, pairs: list[Pair], random: Random) -> Iterator[Said]:
    yield redacted, prompt


def make_list(prompt: str, redacted: str, pairs: list[Pair], random: Random) -> Iterator[Said]:
    for pair in pairs:
        item = random.choice(LISTS)
        yield item.format(pair.issued) + "\n", item.format(pair.real) + "\n"


def reword(prompt: str, redacted: str, pairs: list[Pair], random: Random) -> Iterator[Said]:
    for pair in pairs:
        sentence = random.choice(WORDS)
        forms = list(reword_placeholder(pair) if pair.issued[0] == "[" else reword_surrogate(pair))
        for issued, real in forms:
            yield sentence.format(issued) + "\n", sentence.format(real) + "\n"


def reword_placeholder(pair: Pair) -> Iterator[Said]:
    issued, bare = pair.issued, pair.issued[1:-1]
    yield f"{issued}'s", f"{pair.real}'s"
    yield f"{issued}’s", f"{pair.real}’s"
    for form in (issued.lower(), bare, f"**{issued}**", issued.replace("_", " "), rf"\{issued[:-1]}\]"):
        stars = "**" if form.startswith("**") else ""
        yield form, f"{stars}{pair.real}{stars}"
    yield f"[{bare}'s]", f"{pair.real}'s"


def reword_surrogate(pair: Pair) -> Iterator[Said]:
    issued, real = pair.issued, pair.real
    yield f"{issued}'s", f"{real}'s"
    if len(issued.split()) == len(real.split()) and issued.istitle() and real.istitle():
        yield issued.upper(), real.upper()
    if real == " ".join(real.split()):
        yield "\n".join(issued.split(" ")), real
    if kinds.kind_of(pair.type) == kinds.NAME:
        yield from reword_name(issued, real)
    if (a := re.fullmatch(NUMERIC, issued)) and (b := re.fullmatch(NUMERIC, real)):
        for form in (ISO, LONG):
            yield tuple(datetime(int(m[3]), int(m[1]), int(m[2])).strftime(form) for m in (a, b))  # type: ignore
    if all(re.fullmatch(r"\d{3}-\d{3}-\d{4}", text) for text in (issued, real)):
        yield f"({issued[:3]}) {issued[4:]}", f"({real[:3]}) {real[4:]}"


def reword_name(issued: str, real: str) -> Iterator[Said]:
    """The surname alone, and before the first name, of names of two words."""
    both = [text.split() for text in (issued, real) if re.fullmatch(r"[A-Z][a-z]{3,} [A-Z][a-z]{3,}", text)]
    if len(both) == 2:
        yield both[0][1], both[1][1]
        yield f"{both[0][1]}, {both[0][0]}", f"{both[1][1]}, {both[1][0]}"


KINDS: dict[str, Callable[[str, str, list[Pair], Random], Iterator[Said]]] = {
    "echo": echo, "list": make_list, "reword": reword,
}  # fmt: skip


def cut(text: str, random: Random) -> Iterator[str]:
    """Yield the text in chunks of 1 to 9 characters."""
    at = 0
    while at < len(text):
        size = random.randint(1, 9)
        yield text[at : at + size]
        at += size


def restore_in_chunks(session: Session, text: str, random: Random) -> tuple[str, int]:
    """Return the restored text, and the longest end that was held back."""
    stream, pieces, held = session.open_stream(), [], 0
    for chunk in cut(text, random):
        pieces.append(stream.feed(chunk))
        held = max(held, len(stream.held))
    return "".join([*pieces, stream.finish()]), held


def measure(tagger: Tagger, style: str, count: int, seed: int) -> Counter[str]:
    """Restore the answers to ``count`` prompts. For each kind, ``KIND`` counts what was said, ``KIND right``
    what was restored to the character, and ``KIND answers right`` the answers whose stream agrees."""
    counts: Counter[str] = Counter()
    random, prompts = Random(seed), make_prompts(count, seed)
    while two := list(islice(prompts, 2)):
        with Session(tagger, style) as session:
            for prompt in two:
                before = len(session.pairs)
                redacted = session.redact(prompt)
                fresh = session.pairs[before:]
                counts += Counter(prompts=1, replaced=len(fresh))
                for kind, answer in KINDS.items():
                    said = list(answer(prompt, redacted, fresh, random))
                    counts += count_restored(session, kind, said, random, counts)
    return counts


def count_restored(
    session: Session, kind: str, said: list[Said], random: Random, before: Counter[str]
) -> Counter[str]:
    whole = "".join(issued for issued, _ in said)
    restored, held = restore_in_chunks(session, whole, random)
    right = sum(session.restore(issued) == real for issued, real in said)
    is_whole = restored == session.restore(whole) == "".join(real for _, real in said)
    longest = max(0, held - before["longest held"])
    found = {kind: len(said), f"{kind} right": right, "longest held": longest}
    return Counter(found | {f"{kind} answers": bool(said), f"{kind} answers right": bool(said) and is_whole})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--prompts", type=int, default=10_000)
    parser.add_argument("--style", choices=("placeholder", "surrogate"), default="placeholder")
    parser.add_argument("--model", default=model.CAREFUL)
    parser.add_argument("--seed", type=int, default=22)
    args = parser.parse_args()
    tagger = model.load(args.model)
    begun = time.process_time()
    counts = measure(tagger, args.style, args.prompts, args.seed)
    print(f"{counts['prompts']:,} prompts, {counts['replaced']:,} replaced, {args.style}, model {args.model}")
    for kind in KINDS:
        answers = f"{counts[f'{kind} answers right']:,} of {counts[f'{kind} answers']:,} answers"
        print(f"{kind:8} {counts[f'{kind} right']:,} of {counts[kind]:,} texts restored; {answers} whole")
    print(f"longest text held back: {counts['longest held']} characters")
    print(
        f"{(time.process_time() - begun) / counts['prompts'] * 1000:.1f} ms of CPU a prompt with its answers"
    )


if __name__ == "__main__":
    cli.run(lambda _: main())
