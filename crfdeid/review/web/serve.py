"""Binding to an address, opening the browser, and running until Ctrl-C."""

from __future__ import annotations

import argparse
import os
import socket
import ssl
import tempfile
import webbrowser
from contextlib import suppress
from html import escape
from pathlib import Path

import uvicorn

from crfdeid.errors import ConfigurationFault
from crfdeid.review.study import accounts
from crfdeid.review.study.study import Room
from crfdeid.review.web.app import application
from crfdeid.review.web.sessions import Address, Sessions, is_loopback

EVERYWHERE = ("0.0.0.0", "::", "")


def check(given: argparse.Namespace) -> None:
    """Refuse an address that others can reach unless what is sent there is encrypted. Raises
    :class:`ConfigurationFault`."""
    for path in (given.certificate, given.private_key):
        if path and not path.is_file():
            raise ConfigurationFault(f"{path}: no such file")
    if bool(given.certificate) != bool(given.private_key):
        raise ConfigurationFault("--certificate and --private-key go together")
    if given.certificate:
        refuse_certificate(given)
    if not is_loopback(given.host) and not given.certificate:
        raise ConfigurationFault(
            f"--host {given.host}: others can reach this address; it wants --certificate, --private-key and "
            "a password for every reader (--password NAME)"
        )
    if given.host in EVERYWHERE and not given.name:
        raise ConfigurationFault(f"--host {given.host}: --name says by which name browsers reach it")


def refuse_certificate(given: argparse.Namespace) -> None:
    """Raise :class:`ConfigurationFault` where the certificate and its key cannot be used."""
    try:  # a password of "" is none: nothing is asked for on the terminal
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(given.certificate, given.private_key, "")
    except ssl.SSLError:
        raise ConfigurationFault(
            f"{given.certificate}, {given.private_key}: wanted a certificate and its key, in PEM, unencrypted"
        ) from None
    except OSError as error:
        raise ConfigurationFault(f"{error.filename or given.private_key}: {error.strerror}") from None


def refuse_open_doors(room: Room) -> None:
    """Raise :class:`ConfigurationFault` where someone could come in from elsewhere without a password."""
    everyone = accounts.everyone(room.store)
    if room.guarded and not everyone:
        raise ConfigurationFault("nobody could log in: --reader NAME --password NAME adds a reader")
    if room.guarded and (open := [reader.name for reader in everyone if not reader.password]):
        raise ConfigurationFault(f"without a password: {', '.join(open)}; --password NAME asks for one")


def serve(room: Room, given: argparse.Namespace) -> None:
    """Serve until Ctrl-C."""
    refuse_open_doors(room)
    os.umask(0o077)  # what is written from now on may hold PHI
    with bound(given.host, given.port) as listening:
        port = listening.getsockname()[1]
        address = Address(names(given), port, bool(given.certificate))
        sessions = Sessions()
        server = uvicorn.Server(configuration(application(room, sessions, address), given))
        with suppress(KeyboardInterrupt), announced(address, sessions, room.guarded, not given.no_browser):
            server.run([listening])


def names(given: argparse.Namespace) -> tuple[str, ...]:
    if given.name:
        return tuple(given.name)
    local = ("127.0.0.1", "localhost", "::1")
    return tuple(dict.fromkeys((given.host, *local))) if is_loopback(given.host) else (given.host,)


def configuration(app: object, given: argparse.Namespace) -> uvicorn.Config:
    """No access log, since it would tell who looked at what; no server header."""
    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        ssl_certfile=given.certificate,
        ssl_keyfile=given.private_key,
    )


def bound(host: str, port: int) -> socket.socket:
    """A listening socket. Raises :class:`ConfigurationFault` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:  # the protocol is named, or asyncio leaves Nagle's delay on: 40 ms for every answer
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)  # from now on a browser waits instead of being refused
        return listening
    except (OSError, OverflowError) as error:
        listening.close()
        raise ConfigurationFault(
            f"--host {host} --port {port}: {getattr(error, 'strerror', error)}"
        ) from None


class announced:
    """Print the address, or open the browser on it by way of a file that only its owner can read: an
    argument of the browser's command would show the key to everybody on this machine."""

    def __init__(self, address: Address, sessions: Sessions, guarded: bool, browser: bool) -> None:
        self.url = address.url if guarded else f"{address.url}?key={sessions.new_key()}"
        self.browser = browser and not guarded
        self.file: Path | None = None

    def __enter__(self) -> None:
        if self.browser:
            self.file = bridge(self.url)
            opened = webbrowser.open(self.file.as_uri())
            if opened:
                print("Opened in the browser (--no-browser prints the address). Ctrl-C ends.", flush=True)
                return
        print(f"Open {self.url}\nCtrl-C ends.", flush=True)

    def __exit__(self, *_: object) -> None:
        if self.file:
            self.file.unlink(missing_ok=True)


def bridge(url: str) -> Path:
    """A page of mode 0600 that leads to ``url``."""
    descriptor, name = tempfile.mkstemp(prefix="crfdeid-", suffix=".html")
    with os.fdopen(descriptor, "w", encoding="utf-8") as file:
        file.write(f'<!doctype html><meta http-equiv="refresh" content="0; url={escape(url)}">')
    return Path(name)
