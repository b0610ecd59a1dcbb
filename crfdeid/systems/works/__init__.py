"""The works' shelf: the systems of published works, beside the CRF and what judges its spans."""
