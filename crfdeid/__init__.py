"""De-identify clinical notes with conditional random fields."""

__version__ = "0.1.0"
