"""The address, the socket and the certificate of a server of this package."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Sequence
from datetime import UTC, datetime, timedelta
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Any

from crfdeid.errors import ConfigurationError
from crfdeid.files import open_whole

if TYPE_CHECKING:
    from uvicorn import Config

ALL_INTERFACES = ("0.0.0.0", "::", "")
VALID = timedelta(days=90)  # of a certificate
LOOPBACK_NAMES = ("127.0.0.1", "localhost", "::1")


def is_loopback(host: str) -> bool:
    """
    >>> [is_loopback(host) for host in ("127.0.0.1", "localhost", "::1", "0.0.0.0", "10.0.0.7")]
    [True, True, True, False, False]
    """
    is_ipv4 = all(part.isdigit() for part in host.split("."))
    return host in ("localhost", "::1") or (is_ipv4 and host.startswith("127."))


def find_names() -> tuple[str, ...]:
    """Return the names under which other machines of the same network may know this one: its address, which
    needs no name server, then its name."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as probe:
        try:
            probe.connect(("192.0.2.1", 9))  # an address of no machine: nothing is sent
            address = probe.getsockname()[0]
        except OSError:  # no network
            return (socket.gethostname(),)
    return tuple(dict.fromkeys((address, socket.gethostname())))


def make_certificate(certificate: Path, private_key: Path, names: Sequence[str]) -> str:
    """Write a certificate that this machine signs itself, for ``names``, and its key, which only their owner
    can read; existing ones are kept while they are valid for these names. Return the SHA-256 fingerprint that
    browsers show. Raises :class:`ConfigurationError` if cryptography is not installed."""
    try:
        from cryptography import x509
        from cryptography.hazmat.primitives import hashes, serialization
        from cryptography.hazmat.primitives.asymmetric import ec
        from cryptography.x509.oid import NameOID
    except ImportError:
        raise ConfigurationError("a certificate needs cryptography: pip install cryptography") from None
    now = datetime.now(UTC)
    kept = _read_certificate(certificate, private_key)
    if kept is None or kept.not_valid_after_utc < now or _list_names(kept) != sorted(names):
        key = ec.generate_private_key(ec.SECP256R1())
        subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, "crfdeid")])
        kept = (
            x509.CertificateBuilder(subject, subject, key.public_key(), x509.random_serial_number())
            .not_valid_before(now)
            .not_valid_after(now + VALID)
            .add_extension(x509.SubjectAlternativeName(list(map(_build_name, names))), critical=False)
            .add_extension(x509.BasicConstraints(ca=False, path_length=None), critical=True)
            .sign(key, hashes.SHA256())
        )
        pem = serialization.Encoding.PEM
        secret = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
        for path, data in ((private_key, secret), (certificate, kept.public_bytes(pem))):
            with open_whole(path, "wb", private=True) as file:
                file.write(data)
    return kept.fingerprint(hashes.SHA256()).hex(":").upper()


def _read_certificate(certificate: Path, private_key: Path) -> Any:
    """Return the certificate; None where it or its key is missing or damaged."""
    from cryptography import x509

    try:
        check_certificate(certificate, private_key)
        return x509.load_pem_x509_certificate(certificate.read_bytes())
    except (ConfigurationError, OSError, ValueError):
        return None


def _list_names(certificate: Any) -> list[str]:
    from cryptography import x509

    names = certificate.extensions.get_extension_for_class(x509.SubjectAlternativeName).value
    return sorted(str(name.value) for name in names)


def _build_name(name: str) -> Any:
    from cryptography import x509

    try:
        return x509.IPAddress(ip_address(name))
    except ValueError:
        return x509.DNSName(name)


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
    for what, no server header, connections that are closed when they send nothing, and the ``limits`` of
    uvicorn's own names."""
    import uvicorn

    from crfdeid.connections import MOST_HEADERS, GuardedProtocol

    return uvicorn.Config(
        app,
        http=GuardedProtocol,
        h11_max_incomplete_event_size=MOST_HEADERS,
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
