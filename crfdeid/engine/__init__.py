"""Exact CRF arithmetic on arrays: CRFsuite's weights, scores and probabilities."""
