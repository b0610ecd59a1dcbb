"""The wheel holds all that the package needs at run time."""

import fcntl
import shutil
import subprocess
import sys
import zipfile

import pytest

from crfdeid import files

pytestmark = pytest.mark.slow

ROOT = files.PACKAGE.parent


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    if not (ROOT / "setup.cfg").is_file():
        pytest.skip("not a checkout")
    out = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-build-isolation", "-w", out]
    command = [sys.executable, "-m", "pip", "wheel", *options, ROOT]
    with (tmp_path_factory.getbasetemp().parent / "wheel.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # another worker would remove the build in the middle
        shutil.rmtree(ROOT / "build", ignore_errors=True)  # an earlier build's modules would be in the wheel
        subprocess.run(command, check=True, capture_output=True)
    (path,) = out.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        yield archive, out


FOLDERS = {
    "features": ("*.template",), "gazetteers": ("*.txt",), "configs": ("*.toml",),
    "configs/policies": ("*.toml",), "configs/published": ("*.toml",), "configs/schemes": ("*.toml",),
    "models": ("*/*", "*/*/*"), "crfdeid": ("**/*.py",), "crfdeid/pages": ("*.*s*",),
    "crfdeid/certify": ("*.html",), "crfdeid/evaluate": ("error_page.*",), "crfdeid/explain": ("page.*",),
    "crfdeid/redact/report": ("*.html",), "crfdeid/synthetic": ("**/*.txt",),
    "crfdeid/synthetic/reidentify": ("*.t*",), "crfdeid/review/static": ("*",),
}  # fmt: skip


def test_every_folder_is_in_the_wheel(wheel):
    """In one test, so that no two processes build the wheel."""
    packed = set(wheel[0].namelist())
    for folder, pattern in ((folder, each) for folder, patterns in FOLDERS.items() for each in patterns):
        inside = "" if folder.startswith("crfdeid") else "crfdeid/"
        files = [path for path in (ROOT / folder).glob(pattern) if path.is_file()]
        tracked = [path for path in files if "trained" not in path.parts and "__pycache__" not in path.parts]
        wanted = {inside + path.relative_to(ROOT).as_posix() for path in tracked}
        assert wanted, (folder, pattern)
        assert wanted <= packed, (folder, pattern)


def test_the_wheel_tags_from_its_own_files(wheel, tmp_path):
    archive, _ = wheel
    archive.extractall(tmp_path / "site")
    note = tmp_path / "note.txt"
    note.write_text("Mr. John Smith was seen by Dr. Maria Alvarez on 03/14/2019.\n")
    run = subprocess.run(
        [sys.executable, "-m", "crfdeid.tag", note, "--format", "inline"],
        cwd=tmp_path / "site", capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert "03/14/2019" in run.stdout
    assert "DATE" in run.stdout
