"""Write the page of a release that people sign (:mod:`crfdeid.redact.report.release_page`)."""

from crfdeid import cli
from crfdeid.redact.report.release_page import main

if __name__ == "__main__":
    cli.run(main)
