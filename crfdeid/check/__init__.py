"""Find what looks like PHI in a repository or a patch, before it is shared."""
