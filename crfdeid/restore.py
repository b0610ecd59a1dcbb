"""Give released notes their real text back (:mod:`crfdeid.redact.restore`)."""

from crfdeid import cli
from crfdeid.redact.restore import main

if __name__ == "__main__":
    cli.run(main)
