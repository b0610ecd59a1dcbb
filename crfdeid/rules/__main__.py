"""Show which rule found what (:mod:`crfdeid.explain.rules`)."""

from crfdeid import cli
from crfdeid.explain.rules import main

if __name__ == "__main__":
    cli.run(main)
