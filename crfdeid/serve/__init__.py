"""Tag, redact and restore over HTTP, for programs in the same hospital network (docs/serve.md).

``workers`` works in processes that end with their request, ``dispatcher`` chooses one, ``app`` has the
routes, ``guard`` refuses requests before they are read, ``metrics`` counts, ``server`` binds and stops.
"""
