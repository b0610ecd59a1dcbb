"""Logging in. Passwords are checked one at a time in a thread of their own, so that a flood of logins stops
nobody who is reading, and whoever guesses has to wait."""

from __future__ import annotations

import asyncio
import threading
import time
from collections import Counter
from collections.abc import Hashable
from concurrent.futures import ThreadPoolExecutor
from functools import cache

from argon2 import PasswordHasher
from argon2.exceptions import InvalidHashError, VerifyMismatchError

from crfdeid.review.study import accounts
from crfdeid.review.study.accounts import NAME, Reader
from crfdeid.review.study.errors import TooManyAttemptsError, UnauthorizedError
from crfdeid.review.study.store import Store

# Wrong passwords before the first wait, which each further one doubles: for a name from an address, for all
# names together, and in a browser that the reader used before, which has a count of its own.
FREE_ATTEMPTS, FREE_OF_ADDRESS, FREE_OF_BROWSER = 5, 50, 50
LONGEST_WAIT = 300.0  # seconds
MOST_COUNTED = 10_000  # names and addresses whose wrong passwords are counted
MOST_WAITING = 16  # logins whose password waits for its check
MOST_WAITING_OF_ADDRESS = 4
LOGIN_FAILED = "no reader with this name and password"


class Throttle:
    """Counts attempts that have not succeeded, by key. An attempt counts before its password is checked, so
    that parallel guesses cannot all be free."""

    def __init__(self) -> None:
        self.attempts: dict[Hashable, tuple[int, float]] = {}  # number in a row, and time of the last
        self.lock = threading.Lock()

    def count_attempt(self, free: dict[Hashable, int]) -> None:
        """Count an attempt under each key, which has so many ``free`` ones. Raises
        :class:`TooManyAttemptsError` where one of the keys has to wait; then nothing is counted."""
        with self.lock:
            waits = [self.find_wait(key, number) for key, number in free.items()]
            if (longest := max(waits)) > 0:
                raise TooManyAttemptsError("too many wrong passwords", seconds=round(longest + 0.5))
            for key in free:
                times, _ = self.attempts.pop(key, (0, 0.0))
                self.attempts[key] = (times + 1, time.monotonic())
            while len(self.attempts) > MOST_COUNTED:
                del self.attempts[next(iter(self.attempts))]  # the oldest

    def find_wait(self, key: Hashable, free: int) -> float:
        """The seconds that the key still has to wait."""
        times, last = self.attempts.get(key, (0, 0.0))
        if times < free:
            return 0.0
        return last + min(2.0 ** min(times - free, 20), LONGEST_WAIT) - time.monotonic()

    def take_back(self, keys: dict[Hashable, int], succeeded: Hashable) -> None:
        """After a right password: forget the attempts of the key that ``succeeded``, and this one of
        the others."""
        with self.lock:
            for key in keys:
                times, last = self.attempts.pop(key, (0, 0.0))
                if key != succeeded and times > 1:
                    self.attempts[key] = (times - 1, last)


class Logins:
    """Checks names and passwords."""

    def __init__(self, store: Store) -> None:
        self.store, self.throttle = store, Throttle()
        self.waiting: Counter[str] = Counter()  # logins that wait for their check, by address
        self.checks = ThreadPoolExecutor(1, "passwords")  # one at a time: each takes 64 MB
        self.checks.submit(make_dummy_hash)

    async def authenticate(
        self, name: str, password: str | None, needed: bool, address: str, is_known_browser: bool
    ) -> Reader:
        """Return the reader whose name and password these are. A reader without a password is admitted unless
        one is ``needed``. Raises :class:`UnauthorizedError`, which does not say whether the name or the
        password was wrong, and :class:`TooManyAttemptsError`."""
        if not NAME.fullmatch(name):
            raise UnauthorizedError(LOGIN_FAILED)
        if is_known_browser:
            own: Hashable = ("browser", address, name)
            keys = {own: FREE_OF_BROWSER}
        else:
            own = (address, name)
            keys = {own: FREE_ATTEMPTS, address: FREE_OF_ADDRESS}
        self.refuse_crowd(address, is_known_browser)
        self.throttle.count_attempt(keys)
        self.waiting[address] += 1
        try:
            loop = asyncio.get_running_loop()
            reader = await loop.run_in_executor(self.checks, self.check, name, password, needed)
        finally:
            self.waiting[address] -= 1
            self.waiting += Counter()  # without the addresses where nobody waits
        if reader is None:
            raise UnauthorizedError(LOGIN_FAILED)
        self.throttle.take_back(keys, own)
        return reader

    def refuse_crowd(self, address: str, is_known_browser: bool) -> None:
        """Raise :class:`TooManyAttemptsError` where too many logins wait already. A browser that the reader
        used before keeps its place, whatever others do."""
        most = MOST_WAITING * 2 if is_known_browser else MOST_WAITING
        is_busy = not is_known_browser and self.waiting[address] >= MOST_WAITING_OF_ADDRESS
        if is_busy or self.waiting.total() >= most:
            raise TooManyAttemptsError("too many people are logging in; try again", seconds=1)

    def check(self, name: str, password: str | None, needed: bool) -> Reader | None:
        """The reader; None where the name or the password is wrong, after the same time."""
        row = self.store.fetch_one("SELECT password FROM readers WHERE name = ?", name)
        hash = row[0] if row else None
        if row and hash is None and not needed:
            return accounts.find_reader(self.store, name)
        is_right = is_match(hash or make_dummy_hash(), password or "") and hash is not None
        return accounts.find_reader(self.store, name) if is_right else None


@cache
def make_dummy_hash() -> str:
    """What the password of an unknown reader is compared with, so that the reply takes equally long."""
    return PasswordHasher().hash("nobody's password")


def is_match(hash: str, password: str) -> bool:
    try:
        return PasswordHasher().verify(hash, password.encode("utf-8", "surrogatepass"))
    except (VerifyMismatchError, InvalidHashError):
        return False
