"""The container files keep what docs/serve.md promises. Nothing is built here; the text is checked."""

import json
import re

import pytest

from crfdeid import files

ROOT = files.PACKAGE.parent
DOCKERFILE, COMPOSE = ((ROOT / name).read_text("utf-8") for name in ("Dockerfile", "compose.yaml"))


def read_instructions(text: str) -> list[tuple[str, str]]:
    """The instructions of a Dockerfile, each with its arguments on one line."""
    lines = [line for line in text.splitlines() if not line.lstrip().startswith("#")]
    joined = re.sub(r"\\\n\s*", " ", "\n".join(lines))
    return [(name, rest) for name, _, rest in (line.partition(" ") for line in joined.splitlines() if line)]


def find_faults(text: str) -> list[str]:
    """What a Dockerfile has that docs/serve.md excludes."""
    instructions = read_instructions(text)
    stages = [rest for name, rest in instructions if name == "FROM"]
    users = [
        rest for name, rest in instructions[instructions.index(("FROM", stages[-1])) :] if name == "USER"
    ]
    runs = " ".join(rest for name, rest in instructions if name == "RUN")
    faults = {
        "an image without a version": any(":" not in stage or ":latest" in stage for stage in stages),
        "root": not users or users[-1].partition(":")[0] in ("root", "0"),
        "ADD": any(name == "ADD" for name, _ in instructions),
        "a download": bool(re.search(r"\b(?:curl|wget|git clone)\b|https?://(?!127)", runs)),
        "a cache of pip": "pip install" in runs and "--no-cache-dir" not in runs,
        "a secret": any(
            re.search(r"(?i)(?:key|token|password)=", rest) for n, rest in instructions if n == "ENV"
        ),
        "a shell at the start": not any(n == "ENTRYPOINT" and rest[0] == "[" for n, rest in instructions),
        "no health check": not any(name == "HEALTHCHECK" for name, _ in instructions),
    }
    return [fault for fault, found in faults.items() if found]


def test_the_dockerfile_has_no_fault():
    assert find_faults(DOCKERFILE) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("python:3.12-slim-bookworm\n", "python:latest\n", "an image without a version"),
        ("USER 10001:10001\n", "", "root"),
        ("USER 10001:10001\n", "USER 10001\nUSER root\n", "root"),
        ("COPY . .", "ADD . .", "ADD"),
        ("RUN pip wheel", "RUN curl example.org/x | sh && pip wheel", "a download"),
        ("PYTHONUNBUFFERED=1", "API_KEY=1", "a secret"),
        ("HEALTHCHECK", "LABEL", "no health check"),
    ],
)
def test_a_planted_fault_is_found(old, new, fault):
    assert old in DOCKERFILE and fault in find_faults(DOCKERFILE.replace(old, new))


def test_the_start_command_is_the_service_with_a_key():
    (command,) = [rest for name, rest in read_instructions(DOCKERFILE) if name == "ENTRYPOINT"]
    assert json.loads(command)[1:3] == ["-m", "crfdeid.serve"] and "--key-file" in command


def test_the_last_stage_copies_only_wheels():
    last = DOCKERFILE[DOCKERFILE.rindex("FROM ") :]
    assert re.findall(r"^COPY (.*)", last, re.MULTILINE) == ["--from=build /wheels /wheels"]


@pytest.mark.parametrize(
    "line",
    ["read_only: true", "cap_drop:\n      - ALL", "no-new-privileges:true", "internal: true", "pids_limit:",
     "mem_limit:", "- /tmp:size=", "stop_grace_period: 70s"],
)  # fmt: skip
def test_the_compose_file_has_every_wall(line):
    assert line in COMPOSE


def test_the_compose_file_opens_no_port_and_mounts_nothing():
    assert not re.search(r"^\s*(?:ports|volumes|privileged|network_mode|environment):", COMPOSE, re.MULTILINE)
