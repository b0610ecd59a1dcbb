"""One command lets other desks open the page: certificate, address, passwords."""

import ssl

import pytest

for package in ("fastapi", "uvicorn", "argon2", "cryptography"):
    pytest.importorskip(package, reason="pip install 'crfdeid[review]'")

from crfdeid.errors import ConfigurationError  # noqa: E402
from crfdeid.network import find_names, make_certificate  # noqa: E402
from crfdeid.review.__main__ import build_parser, read_server_options  # noqa: E402
from crfdeid.review.web.serve import ServerOptions, check_options, choose_names, open_port  # noqa: E402


def test_a_certificate_is_kept_while_it_is_valid_for_the_names(tmp_path):
    files = tmp_path / "c.pem", tmp_path / "k.pem"
    first = make_certificate(*files, ["192.0.2.7", "desk"])
    assert first == make_certificate(*files, ["desk", "192.0.2.7"])
    assert len(first.split(":")) == 32 and files[1].stat().st_mode & 0o777 == 0o600
    ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER).load_cert_chain(*files)
    other = make_certificate(*files, ["desk"])
    files[1].write_text("damaged")
    assert first != other != make_certificate(*files, ["desk"])
    assert ssl.PEM_cert_to_DER_cert(files[0].read_text())


def read_options(tmp_path, *more):
    args = build_parser().parse_args(["notes", "--store", str(tmp_path / "study.db"), "--network", *more])
    return args, read_server_options(args)


def test_other_desks_get_an_encrypted_address_of_this_machine(tmp_path, capsys):
    args, options = read_options(tmp_path)
    check_options(options)
    assert choose_names(options) == find_names() and not options.open_browser
    assert args.host == "0.0.0.0"  # so a login is required
    fingerprint = make_certificate(options.certificate, options.private_key, find_names())
    assert capsys.readouterr().out.splitlines() == [
        "At other desks the browser warns that it does not know this certificate. Its SHA-256 is",
        fingerprint,
        "Compare it there (click the warning, then the certificate), and only then go on.",
    ]
    assert options.certificate.parent == tmp_path
    assert read_options(tmp_path, "--name", "desk.example")[1].names == ("desk.example",)
    with pytest.raises(ConfigurationError, match="--network makes a certificate"):
        read_options(tmp_path, "--certificate", "c.pem")


def test_a_study_keeps_its_port_unless_it_is_taken(study):
    with open_port(study, ServerOptions()) as first:
        port = first.getsockname()[1]
        with open_port(study, ServerOptions()) as second:
            other = second.getsockname()[1]
    with open_port(study, ServerOptions()) as again:
        assert again.getsockname()[1] == other != port
