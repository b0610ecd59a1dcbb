"""A model that can be shared: train it with strings of several patients only, then attack the result."""
