"""The tables of recall, and errors in a user's copy."""

from __future__ import annotations

from importlib.resources import files

import pytest
import yaml

from amr_neo4j.domain.event import Channel
from amr_neo4j.domain.recall import QuestionType, Scope
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.recall.limits import RecallLimits
from amr_neo4j.recall.pipeline import ask, search
from amr_neo4j.recall.sources import Sources
from amr_neo4j.recall.weights import CHANNELS, FUSION
from amr_neo4j.tables import user_copy
from tests.support.fake_graph import HashedWords, kitchen

CHANNELS_TEXT, FUSION_TEXT = (
    files("amr_neo4j.recall.rank").joinpath(name).read_text("utf-8") for name in ("channels.yaml", "fusion.yaml")
)
WEIGHTS_TEXT = FUSION_TEXT[FUSION_TEXT.index("weights: {") :]


def test_a_copied_table_equals_the_original() -> None:
    assert user_copy(CHANNELS_TEXT, CHANNELS) == CHANNELS
    assert user_copy(FUSION_TEXT, FUSION) == FUSION


def test_a_changed_value_is_used() -> None:
    table = yaml.safe_load(CHANNELS_TEXT)
    table["weights"]["General"] = {"CROSS_MODAL": 0.25}
    assert user_copy(yaml.safe_dump(table), CHANNELS).weights[QuestionType.GENERAL] == {Channel.CROSS_MODAL: 0.25}
    assert user_copy("version: 7\nweights: {rank: 1.0}", FUSION).weights == {"rank": 1.0}


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        ("General: {TEMPORAL: 0.9", "General: {TEMPORL: 0.9", "weights.General.TEMPORL: Input should be 'TEMPORAL'"),
        ("General: {TEMPORAL: 0.9", "General: {TEMPORAL: -1", "weights.General.TEMPORAL: Input should be greater"),
        ("General: {TEMPORAL: 0.9", "General: {TEMPORAL: .inf", "weights.General.TEMPORAL: Input should be a finite"),
        ("  Temporal_Multihop: {TEMPORAL: 1.0", "  Temporal: {TEMPORAL: 1.0", "weights.Temporal: Input should be"),
        ("  General: {}", "", "carries: General is missing"),
        ("  General: {}", "  General: {TEMPORAL: 1.5}", "carries.General.TEMPORAL: Input should be less"),
        ("weights:\n", "wieghts:\n", "weights: Field required"),
        ("version: 2", "version: 1", "version: the file has 1, this program requires 2"),
        ("version: 2", "version: [", "not valid YAML: "),
    ],
)
def test_an_invalid_channels_file_is_refused_naming_the_key(was: str, becomes: str, said: str) -> None:
    assert was in CHANNELS_TEXT
    with pytest.raises(ValueError) as caught:
        user_copy(CHANNELS_TEXT.replace(was, becomes), CHANNELS)
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("was", "becomes", "said"),
    [
        (WEIGHTS_TEXT, "weights: {rank: 0}", "weights: weighs nothing"),
        (WEIGHTS_TEXT, "weights: {rnak: 1}", "weights.rnak: Input should be 'rank'"),
        (WEIGHTS_TEXT, "", "weights: Field required"),
        (FUSION_TEXT, "", "Input should be a valid dictionary"),
    ],
)
def test_an_invalid_fusion_file_is_refused_naming_the_key(was: str, becomes: str, said: str) -> None:
    assert was in FUSION_TEXT
    with pytest.raises(ValueError) as caught:
        user_copy(FUSION_TEXT.replace(was, becomes), FUSION)
    assert str(caught.value).startswith(said) and "\n" not in str(caught.value)


def test_a_channel_without_a_weight_is_not_walked() -> None:
    table = CHANNELS
    alone = table.model_copy(update={"weights": {kind: {} for kind in QuestionType}})
    graph, words = kitchen(HashedWords()), HashedWords()

    def walked(limits: RecallLimits) -> int:
        trace = ask("Where are the keys?", Sources(Scope("test"), graph, graph, words, ENGLISH), limits=limits).trace
        return len(trace.frontiers) if trace else 0

    assert walked(RecallLimits(channels=alone)) == 1 < walked(RecallLimits())


@pytest.mark.parametrize("first", [Channel.TEMPORAL, Channel.ENTITY_JUMP])
def test_the_channel_with_the_highest_weight_is_followed_first(first: Channel) -> None:
    """From one anchor, with room for one event a hop, every path begins with an edge of that channel."""
    table = CHANNELS
    weights = {channel: 1.0 if channel is first else 0.01 for channel in (Channel.TEMPORAL, Channel.ENTITY_JUMP)}
    led = table.model_copy(update={"weights": dict.fromkeys(QuestionType, weights)})
    graph, words = kitchen(HashedWords()), HashedWords()
    limits = RecallLimits(channels=led, anchors=1, beam_width=1, max_hops=1)
    hits = search(
        "Anna takes her keys from the hook", Sources(Scope("test"), graph, graph, words, ENGLISH), limits=limits
    )
    taken = [edge.channel for hit in hits if hit.path for edge in hit.path.edges]
    assert taken == [first]
