"""Say how much PHI a release still holds: plan a sample, draw it, state the bounds, choose a threshold."""
