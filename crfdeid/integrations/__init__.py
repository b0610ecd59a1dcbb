"""The taggers inside other libraries. Each module needs its own extra, and nothing here imports it."""
