"""Configurations: defaults, bases, and what is refused."""

import math

import pycrfsuite
import pytest
from shipped_plans import read_shipped

from crfdeid import config
from crfdeid.errors import ConfigurationError
from crfdeid.systems import model, registry


def written(tmp_path, text, name="mine.toml"):
    path = tmp_path / name
    path.write_text(text)
    return path


@pytest.mark.parametrize("name", ["english", "wi_deid", "meddocan"])
def test_shipped_experiments_read(name):
    assert config.read(name).features


def test_a_base_is_changed(tmp_path):
    written(tmp_path, 'features = ["lexical"]\n[crf]\nc1 = 0.5\nfeature.minfreq = 3\n', "base.toml")
    path = written(tmp_path, 'base = "base.toml"\nsequence = "line"\n[crf]\nc1 = 0.1\n')
    found = config.read(path)
    assert (found.features, found.sequence) == (("lexical",), "line")
    assert found.crf == {"c1": 0.1, "feature.minfreq": 3}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "features is not set"),
        ('feature = ["lexical"]', "no setting feature; did you mean features"),
        ('features = "lexical"', "wanted tuple"),
        ('features = ["lexical"]\nsequence = "lines"', "wanted one of document, line, sentence"),
        ('features = ["lexical"]\ntokenizer = 3', "tokenizer = 3: wanted str"),
        ('features = ["lexical"]\nrecall_bias = "high"', "wanted float"),
        ('features = ["lexical"]\ntype_bias = 1.0', "wanted dict"),
        ('features = ["lexical"]\ntype_bias = {AGE = "low"}', "wanted dict"),
        ('features = ["lexical"]\ntype_bias = {AGE = nan}', "wanted dict"),
        ('features = ["lexical"]\ntype_bias = {PROFESION = -3}', "no type of.*did you mean PROFESSION"),
        ('features = ["lexical"]\nscheme = "meddocan"\ntype_bias = {EDAT = -3}', "no type of scheme med"),
        ('features = ["lexical"]\nsystem = "svm"\ntype_bias = {AGE = -3}', "svm does not have this setting"),
        ('features = ["lexical"]\n[crf]\nc3 = 1', "crf.c3: no setting of lbfgs"),
        ('features = ["lexical"]\n[crf]\nmax_iteration = 1', "did you mean max_iterations"),
        ('features = ["lexical"]\n[crf]\nc1 = -1', "crf.c1 = -1: wanted a number of 0 or more"),
        ("features = [", "mine.toml"),
        ('base = "englsh"', "englsh: no such file.*did you mean english"),
        ('base = "english"\n[[run]]\nname = "x"', "describes several runs: crfdeid ablate runs it"),
    ],
)
def test_what_is_refused(tmp_path, text, message):
    with pytest.raises(ConfigurationError, match=message):
        registry.read_config(written(tmp_path, text))


def test_the_default_with_another_scheme_keeps_its_type_bias():
    changed = registry.apply_changes(config.read("english"), ['scheme="meddocan"', "type_bias={AGE=-1}"])
    assert changed.type_bias == {"AGE": -1}


def test_an_unknown_name_suggests_the_near_one():
    with pytest.raises(ConfigurationError, match="did you mean english"):
        config.read("englis")


def test_a_system_and_its_options_are_checked():
    with pytest.raises(ConfigurationError, match="system = 'cfr': no such system.*crf"):
        registry.check(config.Config(features=("lexical",), system="cfr"))
    with pytest.raises(ConfigurationError, match="options.c: no option of the system crf"):
        registry.check(config.Config(features=("lexical",), options={"c": 1}))


LARGEST = 2**31 - 1
WHOLE = f"wanted a whole number from 1 to {LARGEST}"


@pytest.mark.parametrize(
    ("algorithm", "name", "value", "message"),
    [
        ("lbfgs", "c1", "a", "wanted a number of 0 or more"),
        ("lbfgs", "c1", "0.5", "wanted a number of 0 or more"),
        ("lbfgs", "c1", True, "wanted a number of 0 or more"),
        ("lbfgs", "c2", -1e-9, "wanted a number of 0 or more"),
        ("lbfgs", "c2", math.nan, "wanted a number of 0 or more"),
        ("lbfgs", "epsilon", math.inf, "wanted a number of 0 or more"),
        ("lbfgs", "max_iterations", 0, WHOLE),
        ("lbfgs", "max_iterations", 2.0, WHOLE),
        ("lbfgs", "max_iterations", LARGEST + 1, WHOLE),
        ("lbfgs", "max_linesearch", True, WHOLE),
        ("lbfgs", "num_memories", 0, WHOLE),  # CRFsuite ends with a segmentation fault
        ("lbfgs", "period", -1, f"wanted a whole number from 0 to {LARGEST}"),
        ("l2sgd", "period", 0, WHOLE),  # CRFsuite divides by it
        ("pa", "type", 3, "wanted a whole number from 0 to 2"),
        ("lbfgs", "feature.possible_states", 2, "wanted true or false"),
        ("lbfgs", "feature.possible_states", "yes", "wanted true or false"),
        ("lbfgs", "linesearch", "Backtrack", "wanted one of MoreThuente, Backtracking, StrongBacktracking"),
        ("lbfgs", "linesearch", 1, "wanted one of MoreThuente, Backtracking, StrongBacktracking"),
    ],
)
def test_values_that_crfsuite_cannot_train_with_are_refused(algorithm, name, value, message):
    with pytest.raises(ConfigurationError) as refused:
        registry.check_crf(algorithm, {"feature.minfreq": 1, name: value})
    assert str(refused.value) == f"crf.{name} = {value!r}: {message}"


@pytest.mark.parametrize(
    ("algorithm", "settings"),
    [
        ("lbfgs", {"c1": 0, "c2": 0.0, "period": 0, "max_iterations": LARGEST, "num_memories": 1}),
        ("lbfgs", {"linesearch": "Backtracking", "max_linesearch": 1, "feature.possible_states": 1}),
        ("lbfgs", {"feature.minfreq": 2, "feature.possible_transitions": True, "epsilon": 1e-3}),
        ("pa", {"type": 0, "c": 2, "averaging": False}),
        ("l2sgd", {"period": 1, "calibration.eta": 0.5, "calibration.max_trials": 3}),
        ("arow", {"variance": 1, "gamma": 0.5}),
    ],
)
def test_settings_of_crfsuite(algorithm, settings):
    registry.check_crf(algorithm, settings)
    taken = pycrfsuite.Trainer(algorithm, settings, verbose=False).get_params()
    assert {name: taken[name] for name in settings} == settings


def test_a_bad_setting_is_refused_with_the_place_where_it_was_set(tmp_path, notes):
    path = written(tmp_path, 'features = ["lexical"]\n[crf]\nc3 = 1')
    with pytest.raises(ConfigurationError) as refused:
        registry.read_config(path)
    assert str(refused.value).startswith(f"{path}: crf.c3: no setting of lbfgs")
    with pytest.raises(ConfigurationError, match="^--set: crf.c3: no setting of lbfgs"):
        registry.apply_changes(config.read("english"), ["crf.c3=1"])
    with pytest.raises(ConfigurationError, match="^crf.c3: no setting of lbfgs"):
        model.train(notes, config.read(path), tmp_path / "model")
    assert not (tmp_path / "model").exists()


@pytest.mark.parametrize("name", ["wi_deid", "shweta"])
def test_the_papers_crf_has_the_penalty_of_crfpp(name):
    """CRF++ subtracts |w|²/2C with C = 1, CRFsuite c2 |w|²; both papers use CRF++."""
    assert config.read(name).crf == {"c1": 0.0, "c2": 0.5, "max_iterations": 100}
    assert config.read(name).recall_bias == 0 and not config.read(name).repair


def test_no_line_end_is_in_a_sequence_of_wi_deid():
    """CRF++ had none; He et al. 2015 join lines only in their future work."""
    assert config.read("wi_deid").sequence == "line"


@pytest.mark.parametrize("name", ["sibanda_reidentified", "sibanda_ambiguous", "sibanda_dictionary"])
def test_the_svm_of_sibanda_and_uzuner_has_the_loss_of_libsvm_and_no_cut_off(name):
    wanted = {"loss": "hinge", "tolerance": 0.001, "least": 1}
    options = [config.read("svm").options]
    options += [run.config.options for run in read_shipped(name).runs if run.config.system == "svm"]
    assert len(options) == 3 and all(wanted.items() <= found.items() for found in options)
