"""The verb table: every form of a verb finds its entry, and every entry makes sense."""

import gzip
import json
from collections.abc import Callable
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from amr_neo4j.language.en.sentences import gerund, past_tense
from amr_neo4j.language.en.verbs import VerbTable, known_verbs, lemma, states_meant, transition
from amr_neo4j.language.en.words import verb_lemmas
from amr_neo4j.language.nouns import Transition
from amr_neo4j.tables import load

EPIC = Path(__file__).parents[2] / "../shared/data/epic/events.jsonl.gz"
verbs = st.sampled_from(known_verbs())


@pytest.mark.parametrize("inflected", [str, past_tense, gerund])
def test_every_inflection_of_every_verb_finds_its_entry(inflected: Callable[[str], str]) -> None:
    """An entry is found by its base form, past and gerund."""
    written = {inflected(entry.lemma): entry for entry in known_verbs()}
    written.pop("lay", None)  # of "to lay" and the past of "to lie": read as the transitive one
    assert {form: lemma(form) for form in written} == {form: entry.lemma for form, entry in written.items()}
    assert {form: transition(form) for form in written} == written


@given(verbs, st.sampled_from(["{}", "is {}", "Carefully {}", "{}!", "then {}"]), st.booleans())
def test_hyphens_case_and_adverbs_do_not_matter(entry: Transition, frame: str, hyphen: bool) -> None:
    """A verb is the same in any spelling and after any adverb of manner."""
    written = entry.lemma.replace(" ", "-") if hyphen else entry.lemma.upper()
    assert transition(frame.format(written)) == entry


@pytest.mark.parametrize(
    ("verb", "base", "needs", "leaves", "kind", "moves"),
    [
        ("picked the phone up", "pick up", "placed", "held", "place", "to_actor"),
        ("puts the cup down on the table", "put down", "held", "placed", "place", "to_place"),
        ("hands", "hand", "held", "held", "place", "to_other"),
        ("put-into", "put", "held", "placed", "place", "to_place"),
        ("throws away", "throw away", None, "discarded", "place", "to_place"),
        ("opened", "open", "closed", "open", "open", None),
        ("leaves the fridge open", "leave open", "open", "open", "open", None),
        ("switches off", "switch off", "on", "off", "power", None),
        ("unplugging", "unplug", "plugged in", "unplugged", "plug", None),
        ("starts to pour", "pour", None, "poured", "content", "to_place"),
        ("chopping", "chop", None, "cut", "shape", None),
        ("washing up", "wash up", None, "clean", "clean", None),
        ("walks to the door and unlocks", "unlock", "locked", "unlocked", "lock", None),
        ("looks at", "look at", None, None, None, None),
        ("tries to open", "try", None, None, None, None),
    ],
)
def test_effects_of_a_verb(verb, base, needs, leaves, kind, moves) -> None:
    assert transition(verb) == Transition(base, needs, leaves, kind, moves)


@pytest.mark.parametrize("verb", ["does not open", "will close", "never picks up", "abre la puerta", "", "..."])
def test_negated_and_unknown_verbs_change_nothing(verb: str) -> None:
    assert transition(verb) is None


def test_the_object_selects_the_sense() -> None:
    assert _leaves("put on", "jacket") == "worn"
    assert _leaves("put on", "green coat") == "worn"
    assert _leaves("puts on", "lid") == "placed"
    assert _leaves("takes off", "hat") == _leaves("took off", "lid") == "held"
    assert _leaves("put on", "radio") == "on"
    assert _leaves("close", "tap") == "off"
    assert _leaves("left", "umbrella") == "placed"
    assert _leaves("left", "kitchen") is None


def test_unknown_verbs_are_kept() -> None:
    assert lemma("juggles") == "juggle"
    assert lemma("abre la puerta") == "abre la puerta"


def test_every_verb_is_in_the_dictionary() -> None:
    heads = {entry.lemma.split()[0] for entry in known_verbs()}
    assert {head for head in heads if head not in verb_lemmas(head)} == set()


@pytest.mark.parametrize(
    "change",
    [
        {"effects": ({"verbs": ("open", "open")},)},
        {"effects": ({"verbs": ("open",), "kind": "open", "to_state": "ajar"},)},
        {"senses": ({"phrase": "open", "means": "unlist", "objects": ("tap",)},)},
        {"colour": "red"},
    ],
)
def test_a_contradictory_table_is_refused(change: dict[str, object]) -> None:
    table = load("amr_neo4j.language.en", "verbs.yaml", VerbTable).model_dump()
    with pytest.raises(ValidationError):
        VerbTable.model_validate(table | change)


@pytest.mark.skipif(not EPIC.exists(), reason=f"no {EPIC}")
def test_the_epic_verbs_are_known() -> None:
    with gzip.open(EPIC, "rt", encoding="utf-8") as lines:
        said = [record["verb"] for record in map(json.loads, lines) if record["kind"] == "action"]
    known = sum(transition(verb) is not None for verb in said)
    assert known / len(said) > 0.99


def _leaves(verb: str, thing: str) -> str | None:
    found = transition(verb, thing)
    assert found is not None
    return found.to_state


@pytest.mark.parametrize(
    ("verb", "where", "state"),
    [
        ("puts", "in the rubbish bin", "discarded"),
        ("throws", "", "discarded"),
        ("throw", "away", "discarded"),
        ("throw", "onto the sofa", "placed"),
        ("throw", None, "placed"),
        ("take", "out of the bin", "held"),
        ("put", "in the cupboard", "placed"),
    ],
)
def test_putting_something_into_a_bin_is_throwing_it_away(verb: str, where: str | None, state: str) -> None:
    change = transition(verb, "peel", where)
    assert change and change.to_state == state


def test_a_question_with_move_asks_for_any_place() -> None:
    moved, put = transition("moved"), transition("put")
    assert moved and put and {"placed", "held"} <= set(states_meant(moved)) and states_meant(put) == ("placed",)
