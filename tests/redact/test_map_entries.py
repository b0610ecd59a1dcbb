"""The entries of a map file: each is whole and in its place, or the map is refused or repaired."""

import base64
import json
import os
import random
from collections import Counter
from pathlib import Path

import pytest
from marked_notes import KEY, SECRET, marked

from crfdeid import files
from crfdeid.errors import ConfigurationError, CrfdeidError
from crfdeid.redact.redactor import Redactor
from crfdeid.redact.run import release
from crfdeid.redact.surrogates import surrogate_map
from crfdeid.redact.surrogates.patient_facts import PatientFacts, PatientHistory
from crfdeid.redact.surrogates.surrogate_map import DamagedError, EntryCipher, MapError, SurrogateMap


def write_entries(path: Path) -> list[int]:
    """Write a map with the entries of three patients; return the size of the file after each entry."""
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
    redactor, sizes = Redactor(SECRET), [path.stat().st_size]
    with release.use_map(redactor, path, KEY):
        for patient in "abc":
            redactor.redact([marked("<PATIENT Ana Ruiz> of <CITY Lynn>", f"{patient}-1", patient)])
            sizes.append(path.stat().st_size)
    return sizes


def test_an_entry_is_in_the_file_before_the_notes_are_given(tmp_path):
    sizes = write_entries(tmp_path / "map")
    assert sizes == sorted(set(sizes))
    assert set(surrogate_map.read_map(tmp_path / "map", KEY).patients) == {f"patient {c}" for c in "abc"}


@pytest.mark.slow
def test_a_torn_last_entry_is_dropped_and_repaired(tmp_path):
    path = tmp_path / "map"
    *_, before, end = write_entries(path)
    data = path.read_bytes()
    assert len(data) == end
    tails = [data[before:cut] for cut in (before + 1, before + 19, before + 25, end - 1)]
    for tail in [*tails, bytes(9), bytes(900), data[before : end - 40] + bytes(40)]:
        path.write_bytes(data[:before] + tail)
        assert set(surrogate_map.read_map(path, KEY).patients) == {"patient a", "patient b"}
        redactor = Redactor(SECRET)
        with release.use_map(redactor, path, KEY):
            assert path.stat().st_size == before
            redactor.redact([marked("<PATIENT Ana Ruiz>", "d-1", "d")])
        held = surrogate_map.read_map(path, KEY)
        assert set(held.patients) == {"patient a", "patient b", "patient d"}


@pytest.mark.slow
def test_any_other_damage_of_an_entry_is_refused(tmp_path):
    path = tmp_path / "map"
    sizes = write_entries(path)
    data, rng = path.read_bytes(), random.Random(1)
    first, second, third, end = sizes
    swapped = data[:first] + data[second:third] + data[first:second] + data[third:]
    damaged = [swapped, data[:first] + data[second:], data + data[third:], data[:40], data[: first - 1]]
    places = [*range(first, first + 20, 3), *range(third, third + 20, 3), *rng.sample(range(first, end), 6)]
    damaged += [data[:at] + bytes([data[at] ^ 1 << rng.randrange(8)]) + data[at + 1 :] for at in places]
    for each in damaged:
        path.write_bytes(each)
        with pytest.raises(MapError) as refused:
            release.use_map(Redactor(SECRET), path, KEY).__enter__()
        assert "damaged" in str(refused.value) and "\n" not in str(refused.value)
        assert path.read_bytes() == each


def write_old_map(path: Path) -> None:
    """Write a map as version 1 did: one piece, with one nonce."""
    salt, nonce = b"s" * surrogate_map.SALT, b"n" * surrogate_map.NONCE
    key, check = surrogate_map.derive_keys(KEY, salt)
    history = {"names": {"ruiz": "Weber"}, "orders": {}, "pairs": {"PATIENT": {"Ruiz": "Weber"}}, "given": {}}
    rules = {"years": 25, "weeks": 2, "zip": "surrogate"}
    table = {"secret": SECRET.hex(), "rules": rules, "patients": {"patient a": history}}
    head = surrogate_map.MAGIC + b"1\n" + salt
    sealed = surrogate_map.build_cipher(key).encrypt(nonce, json.dumps(table).encode(), head)
    path.write_bytes(head + check + nonce + sealed)


def test_a_map_of_version_1_is_read_and_continued(tmp_path):
    write_old_map(tmp_path / "map")
    old = surrogate_map.read_map(tmp_path / "map", KEY)
    assert old.secret == SECRET and old.patients["patient a"].names == {"ruiz": "Weber"}
    redactor = Redactor(b"another secret, not the one")
    with release.use_map(redactor, tmp_path / "map", KEY):
        (made,) = redactor.redact([marked("<PATIENT Ruiz> of <CITY Lynn>", "a-2", "a")])
        assert made.document.text.startswith("Weber of ")
    assert (tmp_path / "map").read_bytes().startswith(b"crfdeid map 2\n")
    assert surrogate_map.read_map(tmp_path / "map", KEY).patients["patient a"].pairs["CITY"]
    write_old_map(tmp_path / "map")
    (tmp_path / "map").write_bytes((tmp_path / "map").read_bytes()[:-1])
    with pytest.raises(MapError, match="damaged"):
        surrogate_map.read_map(tmp_path / "map", KEY)


def test_the_same_notes_once_more_are_redacted_from_the_same_history(tmp_path):
    """Otherwise the dates of this patient would be counted twice, and read day first."""
    first = marked("<DATE 3/17/2067> <PATIENT Ana Ruiz>", "a-1", "a")
    later = marked("<DATE 17/3/2067> <DATE 4/5/2067> <PATIENT Bob Ruiz>. Rob is ill", "a-2", "a")
    made = []
    for notes in ([first], [later], [later], [later]):
        redactor = Redactor(SECRET)
        with release.use_map(redactor, tmp_path / "map", KEY):
            made.append(redactor.redact(notes))
            made.append(redactor.redact(notes))
    assert made[2] == made[3] == made[4] == made[6]
    history = surrogate_map.read_map(tmp_path / "map", KEY).patients["patient a"]
    assert {"Ana Ruiz", "Bob Ruiz"} <= set(history.pairs["PATIENT"]) and sum(history.orders.values()) == 2


def test_a_map_does_not_grow_with_every_run(tmp_path):
    sizes = []
    for _ in range(8):
        redactor = Redactor(SECRET)
        with release.use_map(redactor, tmp_path / "map", KEY):
            redactor.redact([marked("<PATIENT Ana Ruiz> of <CITY Lynn>", "a-1", "a")])
        sizes.append((tmp_path / "map").stat().st_size)
    assert max(sizes) < 5 * sizes[0]


def test_one_run_at_a_time_uses_a_map_and_a_link_to_a_map_is_refused(tmp_path):
    path, link = tmp_path / "map", tmp_path / "link"
    with (
        release.use_map(Redactor(SECRET), path, KEY),
        pytest.raises(MapError, match="another run uses this map"),
        release.use_map(Redactor(SECRET), path, KEY),
    ):
        pass
    link.symlink_to(path)
    dangling = tmp_path / "dangling"
    dangling.symlink_to(tmp_path / "nothing")
    for each in (link, dangling):
        with pytest.raises(MapError, match="symbolic link"):
            release.use_map(Redactor(SECRET), each, KEY).__enter__()
        assert each.is_symlink()


@pytest.mark.parametrize(
    ("change", "said"),
    [
        (lambda data: b"x" + data, "not a map of crfdeid"),
        (lambda data: b"", "not a map of crfdeid"),
        (lambda data: data.replace(b"map 2", b"map 3", 1),
         "a map of another version; this crfdeid reads versions 1 and 2"),
        (lambda data: data[:45], "damaged: the file ends too early"),
        (lambda data: data[:14], "damaged: the file ends too early"),
        (lambda data: data[:14] + bytes(16) + data[30:], "not the key of this map, or damaged in its head"),
        (lambda data: data[:46], "damaged: the content was changed"),
        (lambda data: data[:60] + bytes(8) + data[68:], "damaged: the content was changed"),
    ],
)  # fmt: skip
def test_a_file_that_is_no_whole_map_is_refused_with_its_fault(tmp_path, change, said):
    path = tmp_path / "map"
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
    path.write_bytes(change(path.read_bytes()))
    with pytest.raises(MapError) as refused:
        surrogate_map.read_map(path, KEY)
    assert str(refused.value) == f"{path}: {said}"


def test_a_map_that_is_not_there_is_refused(tmp_path):
    path = tmp_path / "map"
    for read in (surrogate_map.read_map, lambda path, key: surrogate_map.lock_file(path).__enter__()):
        with pytest.raises(MapError, match=r"map: No such file or directory$"):
            read(path, KEY)
    (tmp_path / "none").write_text("")
    with pytest.raises(MapError, match=r"map: cannot be written: \w"):
        surrogate_map.write_map(SurrogateMap(SECRET), tmp_path / "none" / "map", KEY)


def test_a_map_shows_its_version_and_only_its_owner_reads_it(tmp_path):
    path = tmp_path / "map"
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
    assert path.read_bytes()[:14] == b"crfdeid map 2\n" and path.stat().st_mode & 0o777 == 0o600
    assert not surrogate_map.is_old(path)
    write_old_map(path)
    assert surrogate_map.is_old(path)
    assert "Weber" not in repr(surrogate_map.load_map(path, KEY)) and SECRET.hex() not in repr(
        SurrogateMap(SECRET)
    )


def test_the_key_of_a_map_comes_from_a_file_or_the_environment_and_has_16_bytes(tmp_path, monkeypatch):
    path = tmp_path / "key"
    path.write_bytes(KEY)
    path.chmod(0o600)
    monkeypatch.setenv(surrogate_map.KEY_VARIABLE, " sixteen bytes ok \n")
    assert surrogate_map.read_key(path) == KEY and surrogate_map.read_key(None) == b"sixteen bytes ok"
    for short in ("fifteen bytes o", ""):
        monkeypatch.setenv(surrogate_map.KEY_VARIABLE, short)
        with pytest.raises(
            ConfigurationError, match="at least 16 bytes: --map-key FILE, or .* CRFDEID_MAP_KEY"
        ):
            surrogate_map.read_key(None)


CONTENTS = [b"first", b"", b"the third entry"]


def seal(head: bytes = b"head") -> tuple[EntryCipher, list[bytes]]:
    cipher = EntryCipher(b"k" * 32, b"head")
    return cipher, [cipher.seal(number, content) for number, content in enumerate(CONTENTS)]


def test_entries_are_opened_to_the_last_whole_one():
    cipher, entries = seal()
    assert [len(entry) - len(content) for entry, content in zip(entries, CONTENTS)] == [48] * 3
    data, ends = b"head" + b"".join(entries), [4]
    for entry in entries:
        ends.append(ends[-1] + len(entry))
    for cut in range(4, len(data) + 1):
        count = sum(end <= cut for end in ends) - 1
        assert cipher.open_all(data[:cut], 4) == (CONTENTS[:count], ends[count])
    for zeros in (1, 19, 20, 21, 500):
        assert cipher.open_all(data + bytes(zeros), 4) == (CONTENTS, len(data))
        torn = data[: -max(zeros, 16)] + bytes(max(zeros, 16))
        if zeros < 40:
            assert cipher.open_all(torn, 4) == (CONTENTS[:2], ends[2])


def test_each_changed_byte_of_an_entry_and_each_other_order_is_damage():
    cipher, entries = seal()
    data = b"".join(entries)
    for at in range(len(data)):
        with pytest.raises(DamagedError):
            cipher.open_all(data[:at] + bytes([data[at] ^ 1]) + data[at + 1 :], 0)
    for order in ((1, 0, 2), (0, 2), (0, 0), (0, 1, 1)):
        with pytest.raises(DamagedError):
            cipher.open_all(b"".join(entries[number] for number in order), 0)
    for other in (EntryCipher(b"k" * 32, b"another head"), EntryCipher(b"l" * 32, b"head")):
        with pytest.raises(DamagedError):
            other.open_all(data, 0)


def test_an_open_map_grows_by_entries_and_is_rewritten_when_most_are_replaced(tmp_path):
    path = tmp_path / "map"
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
    begun = path.stat().st_ino
    for count, is_rewritten in ((2, False), (1, True)):
        with surrogate_map.open_map(path, KEY) as opened:
            for number in range(count):
                history = PatientHistory(names={"ruiz": f"Weber{number}"})
                opened.map.patients["a"] = history
                opened.append("a", history)
                assert surrogate_map.load_map(path, KEY).entries == opened.entries
        assert (path.stat().st_ino != begun) == is_rewritten
        assert surrogate_map.load_map(path, KEY).entries == (1 if is_rewritten else 1 + count)
        assert surrogate_map.read_map(path, KEY).patients["a"].names == {"ruiz": f"Weber{count - 1}"}


def test_a_map_that_another_program_changes_takes_no_more_entries(tmp_path):
    path = tmp_path / "map"
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
    for change in (lambda: path.write_bytes(path.read_bytes() + b"x"), lambda: path.unlink()):
        with (
            pytest.raises(MapError, match="another run changed it; further"),
            surrogate_map.open_map(path, KEY) as opened,
        ):
            opened.append("a", PatientHistory())
            change()
            opened.append("b", PatientHistory())


# What an earlier version wrote with KEY: a secret, and an entry with one name.
KEPT_MAP = (
    "Y3JmZGVpZCBtYXAgMgoAAQIDBAUGBwgJCgsMDQ4PRnZJo4HBKRk3AMYHXcCZQQAAAMEe0JPeMaUMOnDf+8xjMHODAAECAwQFBgcI"
    "CQoL0GMd7l820wnaa3OEt8ZD6k7mXkIt89JaKenTK2kH0z7KVOT+EIVvSPj1XHIquEqBR1cg1yxg/FE2bYucmBPLrj3QQz+iZ/d+"
    "1ZGwIDUlKlcgjFJD0sASnajzQzCT03hDrVI4P+HS+AB15jx3Z1aRvLMvESo4vW7sx0TBmClmH4mV1y7wDC/DXFgb4li6S+QWeN8x"
    "NyP9bD/o1cvkgPuxNDGsgGTzhpbNQE4ta1zGuZ4nFKnCgAAAAKtvJdq7GfyqiD35T26rHtjjAAECAwQFBgcICQoL0GMPqQZkzV+W"
    "MD7D99RK+wb2HwR3vcNVOv23eThakiWBSfLuScQ9GbyzSH4o7xePFQA80zYwtVN3b4mE1UGa626GFGSsffVyzdj7cXlwfgB/jkoZ"
    "mZIch6qzVSOO03IG9gYmYOHS+Ap58H0mGEmF9/p5EG1u+C3sw02GgCU9QNbUmC/OETOCEhcH5BbsFv9Wh/Ia29DFBcDQcCLwWRt3"
)


def test_a_map_that_was_written_before_is_read(tmp_path):
    path = tmp_path / "map"
    path.write_bytes(base64.b64decode(KEPT_MAP))
    held = surrogate_map.read_map(path, KEY)
    assert held == SurrogateMap(b"0123456789abcdef", patients={"a": PatientHistory(names={"ruiz": "Weber"})})


def test_what_is_in_a_map_is_on_the_disk_when_a_write_returns(tmp_path, monkeypatch):
    path, synced = tmp_path / "map", {}
    sync = os.fsync

    def note(descriptor):
        found = os.fstat(descriptor)
        synced[found.st_ino] = found.st_size
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", note)
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
    file = path.stat()
    assert synced[file.st_ino] == file.st_size and tmp_path.stat().st_ino in synced
    path.write_bytes(path.read_bytes() + b"torn")
    synced.clear()
    with surrogate_map.open_map(path, KEY) as opened:
        assert synced == {file.st_ino: file.st_size} == {file.st_ino: path.stat().st_size}
        opened.append("a", PatientHistory())
        assert synced == {file.st_ino: path.stat().st_size}


def test_the_same_notes_begin_with_the_history_before_them_and_merge_counts_on():
    history = PatientHistory(names={"ruiz": "Weber"}, orders={"day first": 1}, pairs={"CITY": {"Lynn": "X"}})
    history.begin("notes")
    facts = PatientFacts(orders=Counter({"day first": 2, "month first": 1}))
    history.merge(facts)
    assert facts.orders == history.orders == {"day first": 3, "month first": 1}
    assert facts.names == {"ruiz": 0} and facts.texts == {"CITY": {"Lynn"}}
    history.names["okafor"] = "Ellis"
    history.begin("notes")
    assert history.orders == {"day first": 1} and history.names == {"ruiz": "Weber"}
    history.names["okafor"] = "Ellis"
    history.begin("other notes")
    assert set(history.names) == {"ruiz", "okafor"}


def test_a_map_that_another_run_rewrites_while_it_is_opened_is_refused(tmp_path, monkeypatch):
    path, load = tmp_path / "map", surrogate_map.load_map
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)

    def load_and_rewrite(path, key):
        loaded = load(path, key)
        surrogate_map.write_map(SurrogateMap(SECRET), path, key)
        return loaded

    monkeypatch.setattr(surrogate_map, "load_map", load_and_rewrite)
    with pytest.raises(MapError, match="another run changed it"):
        surrogate_map.open_map(path, KEY).__enter__()


def test_an_entry_is_written_whole_where_the_system_writes_a_few_bytes_at_a_time(tmp_path, monkeypatch):
    (tmp_path / "file").write_bytes(b"head")
    write = os.pwrite
    monkeypatch.setattr(os, "pwrite", lambda descriptor, data, at: write(descriptor, data[:3], at))
    descriptor = os.open(tmp_path / "file", os.O_RDWR)
    surrogate_map.write_at(descriptor, b"ten letters", 4)
    os.close(descriptor)
    assert (tmp_path / "file").read_bytes() == b"headten letters"


@pytest.mark.parametrize(
    ("error", "said"),
    [(OSError(28, "No space left on device"), "No space left on device"), (OSError("odd"), "odd")],
)
def test_a_map_that_cannot_be_written_or_locked_says_why(tmp_path, monkeypatch, error, said):
    def fail(*_):
        raise error

    path = tmp_path / "map"
    surrogate_map.write_map(SurrogateMap(SECRET), path, KEY)
    with surrogate_map.open_map(path, KEY) as opened, monkeypatch.context() as patch:
        patch.setattr(os, "pwrite", fail)
        with pytest.raises(MapError) as refused:
            opened.append("a", PatientHistory())
    assert str(refused.value) == f"{path}: cannot be written: {said}"
    monkeypatch.setattr(files, "try_lock", fail)
    with pytest.raises(MapError) as refused:
        surrogate_map.open_map(path, KEY).__enter__()
    assert str(refused.value) == f"{path}: cannot be locked: {said}"


def test_the_repr_of_a_map_shows_no_secret_and_no_patient():
    shown = repr(SurrogateMap(SECRET, patients={"patient Ruiz": PatientHistory()}))
    assert shown.startswith("SurrogateMap(rules=") and "Ruiz" not in shown and "secret" not in shown


def test_a_named_pipe_is_no_map(tmp_path):
    os.mkfifo(tmp_path / "map")
    with pytest.raises(CrfdeidError, match="named pipe"):
        surrogate_map.read_map(tmp_path / "map", KEY)
