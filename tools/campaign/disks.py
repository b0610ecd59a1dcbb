"""A disk that is full or read-only: a small file system in memory, where this user may mount one. The command
is refused in one line, a reader never gets a part of an output, and with more room the same command writes
the bytes of an undisturbed run."""

from __future__ import annotations

import os
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from pathlib import Path
from random import Random

from campaign import kills
from campaign.area import Area

SIZE = 64 << 20  # bytes, more than any output
MORE = 300_000  # bytes beside the inputs that a full disk has, at most


def run(draw: Random, place: Path) -> str:
    if not can_mount():
        return "not tried: this user may not mount"
    name, is_full = draw.choice(sorted(kills.VERBS)), draw.random() < 0.7
    expected, _ = kills.run_undisturbed(name, place.parent)
    with mount_disk(place / "disk") as disk:
        kills.write_inputs(disk)
        change_disk(disk, f"size={count_used(disk) + draw.randrange(MORE)}" if is_full else "ro")
        process = kills.start(kills.VERBS[name], disk)
        said = kills.finish(process)
        assert process.returncode in ((0, 2) if is_full else (2,)), f"{name}: {process.returncode}: {said}"
        assert "Traceback" not in said, f"{name}: a traceback"
        kills.check_no_mix(disk, expected, name)
        change_disk(disk, f"rw,size={SIZE}")
        kills.check_next_run(disk, expected, name)
    return f"{'full' if is_full else 'read-only'}, status {process.returncode}"


@cache
def can_mount() -> bool:
    return hasattr(os, "geteuid") and os.geteuid() == 0 and Path("/bin/mount").exists()


@contextmanager
def mount_disk(folder: Path) -> Iterator[Path]:
    folder.mkdir()
    subprocess.run(["mount", "-t", "tmpfs", "-o", f"size={SIZE}", "tmpfs", folder], check=True)
    try:
        yield folder
    finally:
        subprocess.run(["umount", "--lazy", folder], check=True)


def change_disk(folder: Path, options: str) -> None:
    subprocess.run(["mount", "-o", f"remount,{options}", folder], check=True)


def count_used(folder: Path) -> int:
    """The bytes that are used on a disk."""
    disk = os.statvfs(folder)
    return (disk.f_blocks - disk.f_bfree) * disk.f_frsize


AREA = Area("disks", 3, run)
