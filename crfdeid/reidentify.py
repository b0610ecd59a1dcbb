"""Replace placeholders by names (:mod:`crfdeid.synthetic.reidentify`)."""

from crfdeid import cli
from crfdeid.synthetic.reidentify.__main__ import main

if __name__ == "__main__":
    cli.run(main)
