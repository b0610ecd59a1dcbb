"""Files: those that ship with the package (templates, gazetteers, configurations, models), reading texts,
writing what is never left half-written, and the day that outputs have.

In a wheel the shipped files are inside the package (``crfdeid/features``); in a checkout and in an editable
install they are beside it (``features``).
"""

from __future__ import annotations

import ctypes
import os
import re
import shutil
import signal
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import IO, Any, NoReturn

from crfdeid.errors import ConfigurationError, FormatError, did_you_mean

if sys.platform == "win32":
    import msvcrt
else:
    import fcntl

TEMPORARY = ".partial"  # ends the names of temporary files
OPEN_PIPE = re.compile(r"/dev/(fd/|std(in|out|err)$)|/proc/")  # names of what is open already
LOCK = ".lock"  # of the empty file beside an output that a run writes
EPOCH = "SOURCE_DATE_EPOCH"  # seconds since 1970, by which the same run gives the same bytes on another day
AT_FDCWD, RENAME_EXCHANGE = -100, 2  # of Linux: the working folder, and to exchange two names

HELD = [  # Windows has no SIGHUP
    getattr(signal, each) for each in ("SIGINT", "SIGTERM", "SIGHUP") if hasattr(signal, each)
]

_held: set[tuple[int, Path]] = set()  # outputs, by the threads of this process
_locks: set[int] = set()  # descriptors of locks that forked processes give up


@contextmanager
def hold_signals() -> Iterator[None]:
    """Let SIGINT, SIGTERM and SIGHUP wait until the block ends. Threads other than the main one get none."""
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    held: list[int] = []
    usual = {each: signal.signal(each, lambda number, frame: held.append(number)) for each in HELD}
    try:
        yield
    finally:
        for each, handler in usual.items():
            signal.signal(each, handler or signal.SIG_DFL)
        if held:
            signal.raise_signal(held[0])


@contextmanager
def own_lock(*descriptors: int) -> Iterator[None]:
    """Keep the locks of these descriptors for this process until the block ends: a forked process that lives
    a moment longer than a killed one would keep the next run out."""
    _locks.update(descriptors)
    try:
        yield
    finally:
        _locks.difference_update(descriptors)


def give_up_locks() -> None:
    """In a forked process, let the descriptors of locks lead nowhere."""
    nowhere = os.open(os.devnull, os.O_RDWR)
    for descriptor in _locks:
        os.dup2(nowhere, descriptor, inheritable=False)
    _locks.clear()
    os.close(nowhere)


if hasattr(os, "register_at_fork"):  # not on Windows, which has no forks
    os.register_at_fork(after_in_child=give_up_locks)


@contextmanager
def open_whole(
    path: Path | str, mode: str = "w", encoding: str | None = "utf-8", private: bool = False
) -> Iterator[IO[Any]]:
    """Open a temporary file that replaces ``path`` when the block ends without an error, and is removed
    otherwise. Text is written without newline translation. Only the owner can read a ``private`` file,
    from its first byte and whatever the umask; so with its folder, if that is new. A device is written as
    it is. Raises :class:`FormatError` at a named pipe."""
    path, newline = Path(path), None if "b" in mode else ""
    if is_device(path):
        refuse_named_pipe(path)
        with open(path, mode, encoding=None if "b" in mode else encoding, newline=newline) as file:
            yield file
        return
    path.parent.mkdir(0o700 if private else 0o777, parents=True, exist_ok=True)
    name = ""
    try:
        with hold_signals():  # from its first moment the file has a name here, by which it is removed
            descriptor, name = make_temporary_file(path)
            lock = os.dup(descriptor)  # keeps the lock until the file has its name
        with (
            own_lock(lock, descriptor),
            open(descriptor, mode, encoding=None if "b" in mode else encoding, newline=newline) as file,
        ):
            yield file
        if not private:  # a temporary file is private
            os.chmod(name, 0o666 & ~read_umask())
        os.replace(name, path)
    except BaseException:
        with suppress(FileNotFoundError):  # it was not made, or has its name already
            os.unlink(name)
        raise
    finally:
        if name:
            os.close(lock)


def make_temporary_file(path: Path) -> tuple[int, str]:
    """Make a locked temporary file beside ``path``. Return its descriptor and its name."""
    while True:
        descriptor, name = tempfile.mkstemp(TEMPORARY, f".{path.name}.", path.parent)
        if is_ours(descriptor, name):
            return descriptor, name
        os.close(descriptor)


@contextmanager
def make_folder_beside(path: Path) -> Iterator[Path]:
    """Give a locked temporary folder beside ``path``, which is removed at the end if it is still there."""
    name = ""
    try:
        with hold_signals():
            lock, name = make_temporary_folder(path)
        with own_lock(lock):
            yield Path(name)
    finally:
        if name:
            shutil.rmtree(name, ignore_errors=True)
            os.close(lock)


def make_temporary_folder(path: Path) -> tuple[int, str]:
    """Make a locked temporary folder beside ``path``. Return its descriptor and its name."""
    while True:
        name = tempfile.mkdtemp(TEMPORARY, f".{path.name}.", path.absolute().parent)
        with suppress(FileNotFoundError):
            descriptor = os.open(name, os.O_RDONLY)
            if is_ours(descriptor, name):
                return descriptor, name
            os.close(descriptor)


def is_ours(descriptor: int, name: str) -> bool:
    """Lock a new temporary file. Return False if another run has just taken it for one of a killed run. If
    the file system has no locks, other runs clear nothing."""
    try:
        return try_lock(descriptor) and os.path.exists(name)
    except OSError:
        return True


def clear_leftovers(path: Path) -> None:
    """Remove the temporary files of ``path`` that a killed run has left. Those of a running one are
    locked, and stay."""
    clear_folder(path.absolute().parent, re.escape(path.name))


def clear_folder(folder: Path, names: str = ".+") -> None:
    """As :func:`clear_leftovers`, for all files of a folder whose names match the pattern ``names``."""
    pattern = re.compile(rf"\.{names}\.[a-z0-9_]{{8}}{re.escape(TEMPORARY)}")
    if not folder.is_dir():
        return
    for each in folder.iterdir():
        if pattern.fullmatch(each.name) and not each.is_symlink():
            with suppress(OSError):  # gone, or not ours to remove
                remove_unlocked(each)


def remove_unlocked(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if try_lock(descriptor):
            shutil.rmtree(path) if path.is_dir() else path.unlink()
    finally:
        os.close(descriptor)


def try_lock(descriptor: int) -> bool:
    """Lock an open file or folder until it is closed. Return False if another process has the lock. The
    lock of a killed process ends with it. Raises :class:`OSError` if the file system has no locks."""
    try:
        if sys.platform == "win32":
            msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)
        else:
            fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except (BlockingIOError, PermissionError):  # the second on Windows
        return False
    return True


def unlock(descriptor: int) -> None:
    """Give a lock up, also where a forked process has the same open file."""
    if sys.platform == "win32":
        msvcrt.locking(descriptor, msvcrt.LK_UNLCK, 1)
    else:
        fcntl.flock(descriptor, fcntl.LOCK_UN)


@contextmanager
def hold_output(path: Path | str) -> Iterator[None]:
    """Keep other runs from writing ``path``, a file or a folder, until the block ends. Blocks of one thread
    can be nested. The lock is on an empty hidden file beside the output; the system frees it however a run
    ends, so that the file of a killed run keeps nobody out. A device has no lock, nor has a file system
    without locks. Raises :class:`FormatError` where another run holds the path, or nothing can be written
    beside it."""
    whole = Path(os.path.realpath(path))
    holder = threading.get_ident(), whole
    if holder in _held or not whole.name or is_device(Path(path)):
        yield
        return
    lock = whole.with_name(f".{whole.name}{LOCK}")
    descriptor = _open_locked(lock, path)
    _held.add(holder)
    try:
        with own_lock(descriptor):
            yield
    finally:
        _held.discard(holder)
        with suppress(OSError):
            lock.unlink()
        os.close(descriptor)


@contextmanager
def open_page(path: Path) -> Iterator[IO[str]]:
    """Open a private file as :func:`open_whole` does, for a page that may hold text of notes: other runs are
    kept out, and what a killed run has left of it is removed."""
    path.parent.mkdir(0o700, parents=True, exist_ok=True)
    with hold_output(path):
        clear_leftovers(path)
        with open_whole(path, private=True) as file:
            yield file


def is_device(path: Path) -> bool:
    """Whether the path is there and is neither a file nor a folder, such as /dev/stdout."""
    return path.exists() and not (path.is_file() or path.is_dir())


def _open_locked(lock: Path, path: Path | str) -> int:
    """Open and lock the file ``lock``; again if the run that held it has just removed it."""
    while True:
        try:
            lock.parent.mkdir(parents=True, exist_ok=True)
            descriptor = os.open(lock, os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0), 0o666)
        except OSError as error:
            raise FormatError(f"{path}: cannot be written: {error.strerror or error}") from None
        if not _is_free(descriptor):
            os.close(descriptor)
            raise FormatError(f"{path}: another run writes it; wait for its end, or name another output")
        with suppress(OSError):
            if os.path.samestat(os.stat(lock), os.fstat(descriptor)):
                return descriptor
        os.close(descriptor)


def _is_free(descriptor: int) -> bool:
    try:
        return try_lock(descriptor)
    except OSError:  # the file system has no locks
        return True


def exchange(a: Path, b: Path) -> None:
    """Exchange two files or folders of one file system: in one step where the system can, otherwise in
    three, between which a killed run leaves ``a`` under a temporary name beside it."""
    call = getattr(ctypes.CDLL(None, use_errno=True), "renameat2", None)
    names = os.fsencode(a.absolute()), os.fsencode(b.absolute())
    if call and call(AT_FDCWD, names[0], AT_FDCWD, names[1], RENAME_EXCHANGE) == 0:
        return
    aside = tempfile.mkdtemp(TEMPORARY, f".{a.name}.", a.absolute().parent)
    os.rename(a, Path(aside) / "old")
    os.rename(b, a)
    os.rename(Path(aside) / "old", b)
    os.rmdir(aside)


def sync_folder(folder: Path) -> None:
    """Make the names of the folder's files durable, after a file was put there."""
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read_umask() -> int:
    value = os.umask(0)
    os.umask(value)
    return value


def refuse_named_pipe(path: Path) -> None:
    """Raise :class:`FormatError` at a pipe that has a name in a folder: nobody may ever be at its other end.
    One that the shell has opened, such as /dev/stdin, has somebody there."""
    names = str(path.absolute()), os.path.realpath(path)
    if path.is_fifo() and not any(map(OPEN_PIPE.match, names)):
        raise FormatError(f"{path}: a named pipe, which could wait for ever; wanted a file or /dev/stdin")


def read_text(path: Path | str, encoding: str = "utf-8") -> str:
    """Return the file's text with its line ends as they are. Raises :class:`FormatError` where the file
    cannot be read, is a named pipe or is not in ``encoding`` (the error gives the byte offset)."""
    refuse_named_pipe(Path(path))
    try:
        return decode_text(Path(path).read_bytes(), str(path), encoding)
    except OSError as error:
        raise FormatError(f"{path}: {error.strerror or error}") from None


def refuse_undecodable(path: Path, encoding: str) -> NoReturn:
    """Raise the :class:`FormatError` of a file that is not in ``encoding``, which is read again for the byte
    offset; a pipe cannot be."""
    if not path.is_fifo():
        read_text(path, encoding)
    raise FormatError(f"{path}: not {encoding}; --encoding names another")


def decode_text(data: bytes, where: str, encoding: str = "utf-8") -> str:
    """Decode ``data``, which came from ``where``. Raises :class:`FormatError` as :func:`read_text` does."""
    check_encoding(encoding)
    try:
        return data.decode(encoding)
    except UnicodeError as error:
        place = f": byte {error.start} cannot be decoded" if isinstance(error, UnicodeDecodeError) else ""
        raise FormatError(f"{where}: not {encoding}{place}; --encoding names another") from None


def check_encoding(encoding: str) -> None:
    """Raise :class:`FormatError` where Python has no such encoding of texts."""
    try:
        "".encode(encoding)
    except (LookupError, UnicodeError):  # the second for the encoding "undefined"
        raise FormatError(f"{encoding}: no such encoding") from None


def find_date() -> str:
    """The day of the run, in UTC. Raises :class:`ConfigurationError` if the environment names no day."""
    given = os.environ.get(EPOCH)
    if given is None:
        return datetime.now(UTC).date().isoformat()
    try:
        return datetime.fromtimestamp(int(given), UTC).date().isoformat()
    except (ValueError, OverflowError, OSError):
        raise ConfigurationError(f"{EPOCH}: wanted seconds since 1970, a whole number") from None


PACKAGE = Path(__file__).resolve().parent
COMPILING: list[Callable[[], None]] = []  # to be called once where compiling the loops takes long


def find_folder(name: str) -> Path:
    """Return the shipped folder ``name``: inside the package, else beside it."""
    inside, beside = PACKAGE / name, PACKAGE.parent / name
    return inside if inside.is_dir() else beside


def list_names(folder: str, suffix: str) -> list[str]:
    """Return the names of the shipped files of a folder, without their suffix."""
    return sorted(path.name.removesuffix(suffix) for path in find_folder(folder).glob("*" + suffix))


def find_file(folder: str, name: str, suffix: str) -> Path:
    """Return the user's file if ``name`` is the path of one, else the shipped file ``name`` of ``folder``.
    Raises :class:`ConfigurationError` if there is neither.

    >>> find_file("configs/schemes", "i2b2-2014", ".toml").name
    'i2b2-2014.toml'
    """
    if (path := Path(name)).is_file():
        return path
    shipped = find_folder(folder) / (name if name.endswith(suffix) else name + suffix)
    if shipped.is_file():
        return shipped
    meant = did_you_mean(Path(name).name.removesuffix(suffix), list_names(folder, suffix))
    raise ConfigurationError(f"{name}: no such file, and no file of that name in {folder}{meant}")
