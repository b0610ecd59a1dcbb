"""Rank feature templates by information gain (:mod:`crfdeid.explain.importance`)."""

from crfdeid import cli
from crfdeid.explain.importance import main

if __name__ == "__main__":
    cli.run(main)
