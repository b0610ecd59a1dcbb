"""Experiments as configuration: one file lists the runs and says how they are compared.

    plan ─▶ jobs (runs, folds, samples) ─▶ runner (one process per job) ─▶ rows ─▶ table, plot

A *run* is one row of the table: a configuration that changes the base in the keys that it names. A
*job* is one training: a run has one job, or one for each fold.
"""
