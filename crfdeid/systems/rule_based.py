"""Systems of rules and lists (Douglass 2005, chapter 5; Tafvizi 2011, section 2.5). They learn nothing:
"training" copies the lists into the model's folder. See docs/rules.md.

``rules`` is all rules. ``sure_rules`` is all except :data:`GUESSES`: what a title, a field, a label or a form
of its own announces. ``heuristic`` is Heuristic+dictionary, the baseline of Sibanda & Uzuner 2006, section
4.1: they "obtained one such system (Douglass, 2005)" with three kinds of dictionaries: tables of PHI, a
dictionary of common words "that should never be classified as PHI", and tables of context clues. So it is the
rules of Douglass 2005, chapter 5, without those of other works and our own. Common and medical words are an
absolute brake: a name that is also a word is missed even after "Mr.".
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from crfdeid import repair
from crfdeid.config import Config
from crfdeid.errors import ConfigurationError, did_you_mean
from crfdeid.lexicon import ordinary
from crfdeid.lexicon.ordinary import Lists
from crfdeid.rules.tagger import RULES, RuleSet
from crfdeid.systems.model_folder import copy_gazetteers
from crfdeid.systems.registry import System, Training, read_options
from crfdeid.systems.tagger import ModelFolder, Tagger, group_by_patient, read_ahead
from crfdeid.text import gazetteer
from crfdeid.text.document import Document
from crfdeid.text.scheme import Scheme, TypeMap, find_map_to, read_scheme
from crfdeid.text.tokenizer import tag_folded

HEURISTIC = (
    "phone_with_area", "local_phone", "spaced_phone", "pager", "extension", "labelled_ssn", "ssn",
    "date_mdy", "date_dmy", "month_and_day", "month_and_year", "month_day_year", "day_month_year",
    "month_of_year", "month_alone", "ordinal_day", "weekday", "medical_record_number", "account_number",
    "health_plan_number", "license_number", "device_number", "vehicle_number", "id_number",
    "hospital_list", "doctor_title", "patient_title", "other_title", "relative", "staff", "state",
    "clear_city", "place_indicator", "initials_surname", "surname_prefix", "first_and_surname",
    "popular_name", "popular_surname", "clear_first_name", "clear_surname", "misspelt_name", "repeated_name",
    "repeated_place",
)  # fmt: skip

# Rules that rest on a list or a bare number only: on foreign writing they are wrong more often than right.
# The rules of ages, states, countries and hospitals find no PHI there that the default model misses.
GUESSES = frozenset({
    "clear_surname", "popular_surname", "clear_first_name", "popular_name", "initials_surname",
    "surname_comma_first", "clear_city", "month_and_day", "room", "long_number", "profession", "username",
    "age_and_sex", "state_abbreviation", "state", "country", "hospital_list", "hospital_head",
    "hospital_indicator", "misspelt_name",
})  # fmt: skip


@dataclass(frozen=True)
class Options:
    """``without`` names rules that are not used (``repeated_name`` and ``repeated_place`` are the rules
    that find names and places again that another rule found). ``works``: only rules whose source is one of
    these works, such as ``Tafvizi 2011``."""

    without: tuple[str, ...] = ()
    works: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for work in self.works:
            if not any(is_from(rule, [work]) for rule in RULES):
                raise ValueError(
                    f"works: {work}: no rule is from it; wanted a source as `crfdeid rules` prints"
                )
        for name in self.without:
            if name not in RULES:
                raise ValueError(f"without: {name}: no such rule{did_you_mean(name, RULES)}")


class RuleTagger(Tagger):
    """The rules of a model's folder, with its own lists. Notes of one patient are seen together."""

    rules: RuleSet
    is_fork_safe = True

    def __init__(self, model: ModelFolder, rules: RuleSet) -> None:
        super().__init__(model)
        self.rules = rules
        self.types = find_types(model.scheme)

    def tag_patient(self, documents: Sequence[Document]) -> list[Document]:
        return list(tag_folded(self._tag_notes, documents))

    def _tag_all(self, documents: Iterable[Document], probabilities: bool) -> Iterator[Document]:
        return read_ahead(chain.from_iterable(map(self._find_spans, group_by_patient(documents))))

    def _tag_notes(self, documents: Iterable[Document]) -> Iterator[Document]:
        return self.repair_all(self._find_spans(list(documents)))

    def _find_spans(self, notes: list[Document]) -> Iterator[Document]:
        """Yield the notes of one patient with the spans of the rules, in the types of the model's scheme."""
        found = self.rules.tag_patient(notes)
        if self.types is None:
            return iter(found)
        return self.types.apply_all(repair.repair_batch(found) if self.config.repair else found)


def find_types(scheme: Scheme) -> TypeMap | None:
    """Return the map from the types that the rules find; None where the scheme has them. Raises
    :class:`ConfigurationError` where there is no map to the scheme."""
    found = read_scheme()
    if scheme.name == found.name:
        return None
    if types := find_map_to(found, scheme):
        return types
    raise ConfigurationError(
        f"scheme {scheme.name}: the rules find types of {found.name}, and no type map leads from them to it"
    )


def train(training: Training) -> None:
    """Copy the lists that the model does not have into its ``gazetteers``."""
    folder = training.model.path / "gazetteers"
    folder.mkdir(exist_ok=True)
    copy_gazetteers(ordinary.LISTS, training.model.config, folder)


def train_heuristic(training: Training) -> None:
    """As :func:`train`, and copy the list that says which words are common."""
    train(training)
    copy_gazetteers([ordinary.CAPITALS], training.model.config, training.model.path / "gazetteers")


def load_rules(model: ModelFolder) -> RuleTagger:
    """Load all rules with the lists of the model."""
    return RuleTagger(model, RuleSet(read_lists(model), select_rules(RULES, model)))


def load_sure_rules(model: ModelFolder) -> RuleTagger:
    """Load the rules that are not guesses, with the lists of the model."""
    sure = [name for name in RULES if name not in GUESSES]
    return RuleTagger(model, RuleSet(read_lists(model), select_rules(sure, model)))


def load_heuristic(model: ModelFolder) -> RuleTagger:
    """Load the rules of Douglass with the lists of the model."""
    lists = read_lists(model).make_strict(model.path / "gazetteers")
    return RuleTagger(model, RuleSet(lists, select_rules(HEURISTIC, model)))


def make_heuristic() -> RuleSet:
    """Make the rules of Douglass with the shipped lists, without a model's folder."""
    return RuleSet(ordinary.load_shipped().make_strict(), HEURISTIC)


def select_rules(names: Iterable[str], model: ModelFolder) -> list[str]:
    """Return the names without those that the options leave out."""
    options = read_options(Options, model.config)
    return [
        name
        for name in names
        if name not in options.without and (not options.works or is_from(name, options.works))
    ]


def is_from(rule: str, works: Iterable[str]) -> bool:
    """Whether the source of a rule names one of the works.

    >>> is_from("date_mdy", ["Tafvizi 2011"]), is_from("season", ["Tafvizi 2011"])
    (True, False)
    """
    return any(work in RULES[rule].source for work in works)


def read_lists(model: ModelFolder) -> Lists:
    """Return the model's lists: those that its pipeline has read, and the others from the folder."""
    known, folder = model.pipeline.gazetteers, model.path / "gazetteers"
    return Lists(
        {
            n: known.get(n) or gazetteer.read_gazetteer(gazetteer.find_gazetteer(n, [folder]))
            for n in ordinary.LISTS
        }
    )


def check_scheme(settings: Config) -> None:
    """Raise :class:`ConfigurationError` where the rules have no types for the configuration's scheme."""
    find_types(read_scheme(settings.scheme))


RULES_SYSTEM = System(Options, train, load_rules, check=check_scheme, needs_features=False, is_trained=False)
SURE_RULES_SYSTEM = replace(RULES_SYSTEM, load=load_sure_rules)
HEURISTIC_SYSTEM = replace(RULES_SYSTEM, train=train_heuristic, load=load_heuristic)
