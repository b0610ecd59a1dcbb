"""The campaign: random inputs, damage and kills for as long as one likes. ``make campaign`` runs it, and
``make test`` does not; docs/reliability.md has its figures. A finding becomes a test of its room."""
