"""What the service is started with."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

from crfdeid.errors import ConfigurationError
from crfdeid.network import check_certificate, is_loopback
from crfdeid.serve.workers import Engine


@dataclass(frozen=True)
class Limits:
    """``body`` bytes of a request; ``seconds`` that it may take with waiting; ``queue`` requests wait."""

    body: int = 4_000_000
    seconds: float = 60.0
    queue: int = 16


@dataclass(frozen=True)
class ServeOptions:
    """``port`` 0 takes a free port; without ``key`` every request is accepted. Raises
    :class:`ConfigurationError` for an address that others can reach without a key, and for a certificate
    that cannot be used."""

    engine: Engine
    host: str = "127.0.0.1"
    port: int = 0
    key: bytes = field(default=b"", repr=False)
    certificate: Path | None = None
    private_key: Path | None = None
    jobs: int = 1
    limits: Limits = Limits()

    def __post_init__(self) -> None:
        if not is_loopback(self.host) and not self.key:
            raise ConfigurationError(
                f"--host {self.host}: other machines can reach this address; wanted --key-file"
            )
        if bool(self.certificate) != bool(self.private_key):
            raise ConfigurationError("--certificate and --private-key need each other")
        if self.certificate:
            check_certificate(self.certificate, self.private_key)
