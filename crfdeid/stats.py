"""What an annotated corpus has (:mod:`crfdeid.evaluate.corpus_statistics`)."""

from crfdeid import cli
from crfdeid.evaluate.corpus_statistics import main

if __name__ == "__main__":
    cli.run(main)
