"""Small corpora and models that several tests share."""

from functools import lru_cache
from importlib.util import find_spec

import pytest
from hypothesis import settings
from small_notes import SMALL, note

from crfdeid import cli
from crfdeid.systems import model
from crfdeid.systems.crf import CrfTagger
from crfdeid.text.document import Document

settings.register_profile("crfdeid", deadline=None)  # a busy machine is no failure
settings.register_profile("quick", settings.get_profile("crfdeid"), max_examples=20)


def pytest_configure(config):
    is_quick = config.option.markexpr == "not slow"
    settings.load_profile(config.option.hypothesis_profile or ("quick" if is_quick else "crfdeid"))


@pytest.fixture(scope="session")
def notes() -> list[Document]:
    return [note(number) for number in range(40)]


@pytest.fixture(scope="session")
def small_model(notes, tmp_path_factory) -> CrfTagger:
    folder = tmp_path_factory.mktemp("models") / "small"
    tagger = model.train(notes[:30], SMALL, folder, engine="crfsuite")
    assert isinstance(tagger, CrfTagger)
    return tagger


SHIPPED = (None, "rules", *(name + rules for name in ("english", "spanish") for rules in ("", "+rules")))
load, load_once = model.load, lru_cache(model.load)


@pytest.fixture(scope="module")
def models_once():
    """The models that ship are read once for all tests of what is done with them."""

    def load_shipped(folder=None, *options, **more):
        return (load_once if folder in SHIPPED else load)(folder, *options, **more)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(model, "load", load_shipped)
        yield


@pytest.fixture(scope="module")
def only_the_rules(models_once):
    """The readers of a sample are compared with the rules; with all systems in certify/test_readers.py."""
    from crfdeid.certify import readers, state

    with pytest.MonkeyPatch.context() as patch:
        for module in (readers, state):
            patch.setattr(module, "list_systems", lambda named=(): [*dict.fromkeys([*named, "rules"])])
        yield


@pytest.fixture
def end():
    """A function that runs a command as the console script does, in this process, and returns its status."""

    def run(main, *arguments):
        with pytest.raises(SystemExit) as stopped:
            cli.run(lambda _: main([str(argument) for argument in arguments]))
        return stopped.value.code

    return run


@pytest.fixture
def in_process(monkeypatch):
    """The jobs of an experiment run in this process: a new process takes a second to start."""
    from crfdeid.ablate import runner

    class Pipe:
        def send(self, message):
            assert message == runner.DONE or isinstance(message, int), message

    def run(jobs, folder, at_once, on_iteration):
        for number, job in enumerate(jobs):
            runner.run_job(job, folder / f".{number}", Pipe())

    monkeypatch.setattr(runner, "run_jobs", run)


@pytest.fixture(scope="session")
def one_loop():
    """All test clients share one event loop: a thread for each request costs as much as the request."""
    if not find_spec("starlette"):
        yield
        return
    from anyio.from_thread import start_blocking_portal
    from starlette.testclient import TestClient

    with start_blocking_portal() as portal, pytest.MonkeyPatch.context() as patch:
        patch.setattr(TestClient, "portal", portal)
        yield
