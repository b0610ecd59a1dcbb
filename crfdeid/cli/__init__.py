"""What all commands share.

``verbs`` lists them, ``exits`` runs and ends them, ``progress`` shows how far they are, and ``reading`` has
the options by which they read documents.
"""

from crfdeid.cli.exits import collect_rarely, keep_loaded, print_warnings, report_error, run
from crfdeid.cli.progress import Throughput, show_counts, show_progress
from crfdeid.cli.reading import (
    SKIPPED,
    add_input_options,
    add_policy_option,
    add_reading_options,
    add_recursive_option,
    add_skip_option,
    add_term_options,
    add_threshold_option,
    add_types_option,
    build_reading,
    delimiter,
    map_types,
    natural_number,
    read_documents,
    report_bad_rows,
    report_left_out,
)
from crfdeid.cli.verbs import VERBS, Verb

__all__ = [
    "SKIPPED",
    "VERBS",
    "Throughput",
    "Verb",
    "add_input_options",
    "add_policy_option",
    "add_reading_options",
    "add_recursive_option",
    "add_skip_option",
    "add_term_options",
    "add_threshold_option",
    "add_types_option",
    "build_reading",
    "collect_rarely",
    "delimiter",
    "keep_loaded",
    "map_types",
    "natural_number",
    "print_warnings",
    "read_documents",
    "report_bad_rows",
    "report_error",
    "report_left_out",
    "run",
    "show_counts",
    "show_progress",
]
