"""One Spark session of two local workers, whose tasks are tried three times."""

import os
import shutil
import sys
import warnings
from importlib.util import find_spec
from pathlib import Path

import pytest

from crfdeid import files


@pytest.fixture(scope="session")
def session():
    if not find_spec("pyspark"):
        pytest.skip("needs the extra spark")
    if not (shutil.which("java") or os.environ.get("JAVA_HOME")):
        pytest.skip("needs Java 17")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    paths = [str(files.PACKAGE.parent), str(Path(__file__).parent), os.environ.get("PYTHONPATH", "")]
    os.environ["PYTHONPATH"] = os.pathsep.join(filter(None, paths))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # pyspark warns of pandas 3
        from pyspark.sql import SparkSession

        settings = {
            "spark.ui.enabled": "false", "spark.driver.host": "127.0.0.1", "spark.driver.memory": "1g",
            "spark.driver.bindAddress": "127.0.0.1", "spark.sql.shuffle.partitions": "3",
        }  # fmt: skip
        builder = SparkSession.builder.master("local[2,3]")
        session = builder.config(map=settings).getOrCreate()
        session.sparkContext.setLogLevel("OFF")
    yield session
    session.stop()
