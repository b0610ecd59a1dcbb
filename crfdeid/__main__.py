# PYTHON_ARGCOMPLETE_OK
"""One command with every verb: ``crfdeid tag note.txt`` is ``python -m crfdeid.tag note.txt``."""

from __future__ import annotations

import os
import sys

from crfdeid import errors

if __name__ == "__main__" or os.path.basename(sys.argv[0]) == "crfdeid":
    errors.handle_interrupts()

import argparse
from importlib import import_module
from importlib.util import find_spec

from crfdeid import __version__, cli, plugins
from crfdeid.errors import ConfigurationError, did_you_mean


def help_text() -> str:
    """All verbs in groups, one line each."""
    lines = ["usage: crfdeid VERB ...    (crfdeid VERB --help lists what a verb takes)"]
    for group, verbs in list_verbs().items():
        lines += ["", f"{group}:", *(f"  {name:12}{verb.help}" for name, verb in verbs.items())]
    return "\n".join(lines)


def main(arguments: list[str] | None = None) -> None:
    """Run the verb that the first argument names. Raise :class:`ConfigurationError` for an unknown one."""
    name, *rest = (sys.argv[1:] if arguments is None else arguments) or ["--help"]
    if name in ("-h", "--help", "help"):
        print(help_text())
    elif name == "--version":
        print(f"crfdeid {__version__}")
    else:
        import_module(find_verb(name).module).main(rest)


def list_verbs() -> dict[str, dict[str, cli.Verb]]:
    """Return the verbs by group: ours, then other packages'."""
    others = plugins.load_plugins(plugins.VERBS, cli.Verb)
    return cli.VERBS | ({"added by other packages": others} if others else {})


def find_verb(name: str) -> cli.Verb:
    """Return the verb of this name. Raises :class:`ConfigurationError` where there is none."""
    for verbs in cli.VERBS.values():
        if name in verbs:
            return verbs[name]
    if name in plugins.find_plugins(plugins.VERBS):
        return plugins.load_plugin(plugins.VERBS, name, cli.Verb)
    known = [known for verbs in list_verbs().values() for known in verbs]
    raise ConfigurationError(f"{name}: no such verb{did_you_mean(name, known)}; crfdeid --help lists them")


def complete(line: str) -> None:
    """Answer a shell that completes ``line``: the verbs, and the options of the verb that is there."""
    import argcomplete

    parser = argparse.ArgumentParser("crfdeid")
    parser.add_argument("--version", action="store_true")
    verbs = parser.add_subparsers()
    typed = line.split()[1:2]
    for name in (name for group in list_verbs().values() for name in group):
        is_typed = typed == [name] and not line.endswith(name)
        own = [import_module(find_verb(name).module).build_parser()] if is_typed else []
        verbs.add_parser(name, parents=own, add_help=False)
    argcomplete.autocomplete(parser)


def run() -> None:
    """The console script. With argcomplete (``pip install crfdeid[completion]``) a shell completes it."""
    if "_ARGCOMPLETE" in os.environ and find_spec("argcomplete"):
        complete(os.environ["COMP_LINE"])
    cli.run(main)


if __name__ == "__main__":
    run()
