"""What every server of this package needs: its address, its socket, its certificate."""

from __future__ import annotations

import socket
import ssl
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crfdeid.errors import ConfigurationError

if TYPE_CHECKING:
    from uvicorn import Config

ALL_INTERFACES = ("0.0.0.0", "::", "")
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")


def is_loopback(host: str) -> bool:
    """
    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.0.7")]
    [True, True, True, False, False]
    """
    is_ipv4 = all(part.isdigit() for part in host.split("."))
    return host in ("localhost", "::1") or (is_ipv4 and host.startswith("127."))


def check_certificate(certificate: Path, private_key: Path | None) -> None:
    """Raise :class:`ConfigurationError` where the certificate and its key cannot be used."""
    try:  # with the empty password, ssl does not ask for one on the terminal
        ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(str(certificate), private_key, "")
    except ssl.SSLError:
        raise ConfigurationError(
            f"{certificate}, {private_key}: wanted a certificate and its key, in PEM, unencrypted"
        ) from None
    except OSError as error:
        raise ConfigurationError(f"{error.filename or private_key}: {error.strerror}") from None


def bind_socket(host: str, port: int) -> socket.socket:
    """A listening socket. Raises :class:`ConfigurationError` where the port is taken."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    try:  # without the protocol's name, asyncio leaves Nagle's delay on: 40 ms for every response
        listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
        listening.listen(128)  # from now on a browser waits, and is not refused
        return listening
    except (OSError, OverflowError) as error:
        listening.close()
        raise ConfigurationError(
            f"--host {host} --port {port}: {getattr(error, 'strerror', error)}"
        ) from None


def build_config(app: Any, certificate: Path | None, private_key: Path | None, **limits: int) -> Config:
    """Return the settings of a server of an ASGI application: no access log, because it would show who asked
    for what, no server header, and the ``limits`` of uvicorn's own names."""
    import uvicorn

    return uvicorn.Config(
        app,
        log_config=None,
        access_log=False,
        server_header=False,
        proxy_headers=False,
        lifespan="off",
        ws="none",
        ssl_certfile=certificate,
        ssl_keyfile=private_key,
        **limits,  # type: ignore[arg-type]
    )
