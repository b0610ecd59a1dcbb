"""Recall and precision of a model by threshold (:mod:`crfdeid.explain.thresholds`)."""

from crfdeid import cli
from crfdeid.explain.thresholds import main

if __name__ == "__main__":
    cli.run(main)
