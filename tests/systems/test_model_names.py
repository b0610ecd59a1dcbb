"""A model whose name is misspelt."""

import pytest

from crfdeid.errors import ModelError
from crfdeid.systems import model


def test_the_nearest_shipped_model_is_named():
    with pytest.raises(ModelError, match="no model here .*; did you mean english?"):
        model.load("englsh")
