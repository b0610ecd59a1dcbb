"""Experiments as configuration: one file says which runs there are and how they are compared.

    plan ─▶ jobs (runs, folds, samples) ─▶ runner (a process each) ─▶ rows ─▶ table, plot

A *run* is one row of the table: an experiment that differs from the base in what it names. A
*job* is one training: a run has one, or one for each fold.
"""
