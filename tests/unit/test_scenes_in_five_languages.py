"""What the local analyser says comes in the group's language, and is read back as the English sentence."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cache
from itertools import product
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.footage import Heard, Hearing
from amr_neo4j.domain.recall import Citation, Scope
from amr_neo4j.domain.video import AnalysedClip
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.detections import TrackTable, from_tracks
from amr_neo4j.ingest.json_lines import analysed_clip
from amr_neo4j.language.languages import ENGLISH, Language, language
from amr_neo4j.language.nouns import CameraSighting, Observation, Position
from amr_neo4j.language.scenes import Scenes
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.perception.appearance import COLOURS
from amr_neo4j.perception.classes import LABELS
from amr_neo4j.perception.local import LocalAnalyser
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.sources import Sources
from tests.support.examples import examples
from tests.support.fake_graph import FakeGraph, HashedWords
from tests.support.perception_film import VIDEO, Actor, Film, at, clips_of, resting, walking

OTHERS = ("de", "fr", "es", "it")
LANGUAGES = ("en", *OTHERS)
colours = st.sampled_from(("", *COLOURS))
persons = st.builds(ENGLISH.codes.clothed_person, colours, colours)
classes = st.sampled_from([label for label in LABELS.values() if label not in ("person", "skis", "scissors")])
things = st.one_of(
    st.builds(ENGLISH.codes.coloured, classes, colours), st.sampled_from(["skis", "scissors", "forklift"])
)
movers = st.builds(ENGLISH.codes.unnamed, st.sampled_from(["", "large", "small"]), colours)
parts = st.sampled_from(["left", "middle", "right"])
edges = st.sampled_from(["", "left", "middle", "right", "foreground", "background", "top", "bottom"])
relations = st.sampled_from(sorted(ENGLISH.scenes.table.relations))
neighbours = st.lists(st.tuples(relations, st.sampled_from(["bottle", "table", "sink"])), max_size=2).map(tuple)
positions = st.builds(Position, st.just("bottle"), parts, neighbours, st.booleans())


@st.composite
def observations(draw: st.DrawFn) -> Observation:
    """Any of what the local analyser observes."""
    by_somebody, table = draw(st.booleans()), ENGLISH.scenes.table
    verb = draw(st.sampled_from(sorted(table.by_somebody if by_somebody else table.by_itself)))
    actor = draw(st.one_of(persons, st.just("hand"))) if by_somebody else ""
    needs = not by_somebody or verb in ("approach", "have", "stay beside", "pick up", "put down")
    thing = draw(things if by_somebody else st.one_of(things, movers)) if needs else ""
    to_person = verb in ("approach", "stay beside") and draw(st.booleans())
    seen = [name for name in (actor, thing) if name and not name.startswith("something")]
    course = draw(st.booleans())
    return Observation(
        verb,
        actor=actor,
        thing="" if to_person else thing,
        person=draw(persons) if to_person else "",
        position=None if course else draw(st.none() | positions),
        side=draw(st.sampled_from(["", "front", "behind", "left", "right"])),
        origin=draw(edges) if course else "",
        goal=draw(edges) if course else "",
        pace=draw(st.sampled_from(["", "slowly", "fast"])),
        stop=draw(st.sampled_from(["", "middle"])) if verb == "enter" and by_somebody else "",
        zone="driveway" if "zone" in verb or "line" in verb else "",
        perhaps={name: draw(st.floats(0.01, 0.98)) for name in seen if draw(st.booleans())},
    )


sightings = st.builds(
    CameraSighting,
    who=st.lists(st.sampled_from(["Anna", "Ben Kurz", "car", "dog", "package", "forklift"]), max_size=3).map(tuple),
    also=st.sampled_from([(), ("helmet detector: yes",)]),
    plate=st.sampled_from(["", "AB 123"]),
    zones=st.sampled_from([(), ("driveway",), ("driveway", "street")]),
    certainty=st.none() | st.floats(0.01, 0.99),
    origin=parts,
    goal=st.just("") | parts,
    goes_on=st.booleans(),
)


@pytest.mark.parametrize("code", OTHERS)
@given(what=observations())
@examples(push=60, soak=3000)
def test_what_is_observed_reads_as_its_english_sentence(code: str, what: Observation) -> None:
    """Every sentence of the composer, read back, is the English sentence for the same."""
    said = language(code).scenes.observed(what)
    assert said != ENGLISH.scenes.observed(what)
    assert language(code).as_read(said) == ENGLISH.scenes.observed(what)


@pytest.mark.parametrize("code", OTHERS)
@given(what=sightings)
@examples(push=30, soak=1000)
def test_what_another_system_saw_reads_as_its_english_sentence(code: str, what: CameraSighting) -> None:
    """So does what Frigate and detections tell."""
    assert language(code).as_read(language(code).scenes.sighted(what)) == ENGLISH.scenes.sighted(what)


@pytest.mark.parametrize("code", OTHERS)
@given(there=st.lists(st.tuples(st.one_of(things, persons), parts), min_size=1, max_size=6))
@examples(push=30, soak=1000)
def test_what_is_in_view_reads_as_its_english_sentence(code: str, there: list[tuple[str, str]]) -> None:
    """Counts among it."""
    perhaps = {there[0][0]: 0.41}
    said = language(code).scenes.in_view(there, perhaps)
    assert language(code).as_read(said) == ENGLISH.scenes.in_view(there, perhaps)


def _others() -> Iterator[Callable[[Scenes], str]]:
    """Yield the other sentences of the composer."""
    verbs = ENGLISH.scenes.table
    whats = [
        Observation("", actor="person in black clothes", origin="left"),
        Observation("", actor="person", goal="right"),
    ]
    cars = [Observation("", thing="red car"), Observation("", thing="something large", origin="left")]
    for verb, group in product(verbs.together, (whats, cars)):
        done = [
            Observation(verb, actor=each.actor, thing=each.thing, origin=each.origin, goal=each.goal)
            for each in group
        ]
        yield lambda scenes, done=done: scenes.together(done)
    for verb in verbs.of_the_picture:
        yield lambda scenes, verb=verb: scenes.observed(Observation(verb))
    for label, goes_on in product(verbs.sounds, (True, False)):
        yield lambda scenes, label=label, goes_on=goes_on: scenes.sounded(label, goes_on=goes_on)
    for names, unknown in ((["Anna"], False), (["Anna", "Ben"], True), ([], True)):
        yield lambda scenes, names=names, unknown=unknown: scenes.speak(names, unknown=unknown)
    yield lambda scenes: scenes.says(["Anna", "Ben"], "Hm. Hm.")
    yield lambda scenes: scenes.says([scenes.someone], "Hm.")
    yield lambda scenes: scenes.text_in_view([("Main Street, 5", "left"), ("exit", "right")])
    yield lambda scenes: scenes.nothing_happens("")
    yield lambda scenes: scenes.nothing_happens(scenes.in_view([("cup", "left")]))
    yield lambda scenes: " ".join((scenes.observed(Observation("cut")), scenes.more_events(7)))
    yield lambda scenes: scenes.reported(["doorbell", "visitor"])
    yield lambda scenes: scenes.with_severity("alert", scenes.sighted(CameraSighting(("car",))))


@pytest.mark.parametrize("code", OTHERS)
def test_all_other_sentences_read_as_the_english_ones(code: str) -> None:
    for write in _others():
        said, english = write(language(code).scenes), write(ENGLISH.scenes)
        assert said != english
        assert language(code).as_read(said) == english


@pytest.mark.parametrize("code", OTHERS)
def test_every_class_is_named_in_the_language(code: str) -> None:
    table = language(code).scenes.table.nouns
    assert table and set(LABELS.values()) <= set(table.classes)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("de", "Eine Person mit rotem Oberteil und blauer Hose hebt den grünen Ball auf vor sich, auf dem Tisch."),
        ("fr", "Une personne avec un haut rouge et un pantalon bleu prend la balle verte devant soi, sur la table."),
        (
            "es",
            "Una persona con parte de arriba roja y pantalón azul recoge la pelota verde delante de sí, "
            "encima de la mesa.",
        ),
        ("it", "Una persona con maglia rossa e pantaloni blu prende la palla verde davanti a sé, sopra il tavolo."),
    ],
)
def test_sentences_agree_in_gender_and_case(code: str, said: str) -> None:
    where = Position("ball", "left", (("on top of", "table"),))
    person = ENGLISH.codes.clothed_person("red", "blue")
    assert (
        language(code).scenes.observed(Observation("pick up", person, "green ball", position=where, side="front"))
        == said
    )


@pytest.mark.parametrize("code", OTHERS)
def test_what_a_model_wrote_is_read_as_it_is(code: str) -> None:
    for text in (
        "Anna legt den Schlüssel auf den Tisch.",
        "Ana deja la llave. Sale.",
        "Anna pose la clé : voilà.",
        "",
    ):
        assert language(code).as_read(text) == text


@cache
def _film() -> Film:
    """A bicycle and a bottle stand there. Two persons come one after the other; the first takes the bottle along."""
    walk, away = walking(1.0, -10, 120, until=3.0), walking(12.0, 660, -120)

    def carried(t: float):  # type: ignore[no-untyped-def]
        return at(260, 260, 30, 60) if t < 5.0 else at(260 + 60 * (t - 5.0), 230, 30, 60)

    def follows(t: float):  # type: ignore[no-untyped-def]
        return walk(t) if t < 5.0 else at(230 + 60 * (t - 5.0), 330)

    return Film(
        [
            Actor("bicycle", resting(560, 300, width=120, height=80)),
            Actor("bottle", carried, upper="green", lower="green"),
            Actor("person", follows, upper="red", lower="blue"),
            Actor("person", away, upper="green", lower="black"),
        ],
        30,
    )


@cache
def _clips(told: str) -> Sequence[AnalysedClip]:
    film: Any = _film()

    def listen(path: str, known: object = None) -> Hearing:
        return lambda start, end: Heard()

    analyser = LocalAnalyser(film, film.frames, listen, language=language(told), fps=5.0)
    return [clip for clip in analyser.watch(VIDEO, clips_of(film.length)) if isinstance(clip, AnalysedClip)]


@cache
def _graph(told: str) -> FakeGraph:
    return FakeGraph([compose(clip, language(told)) for clip in _clips(told)], HashedWords())


def _answer(graph: FakeGraph, question: str, asked: str, told: str) -> tuple[str, list[float]]:
    read: Language = ENGLISH if asked == told == "en" else AskedLanguage(asked, told)
    found = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), read))
    return found.text, [cited.time_start for cited in found.citations if isinstance(cited, Citation)]


QUESTIONS = {
    "en": (
        "How many people are there?", "Did somebody come in?", "When did somebody come in?",
        "Who picked up the bottle?",
        "Where is the bicycle?", "Is there a bicycle?", "Is there a dog?", "How many bicycles are there?",
        "How often did somebody come in?", "What colour is the bottle?", "Who left last?",
    ),
    "de": (
        "Wie viele Personen sind da?", "Kam jemand herein?", "Wann kam jemand herein?", "Wer hob die Flasche auf?",
        "Wo ist das Fahrrad?", "Ist ein Fahrrad da?", "Ist ein Hund da?", "Wie viele Fahrräder sind da?",
        "Wie oft kam jemand herein?", "Welche Farbe hat die Flasche?", "Wer ging zuletzt hinaus?",
    ),
    "fr": (
        "Combien de personnes y a-t-il ?", "Quelqu'un est-il entré ?", "Quand quelqu'un est-il entré ?",
        "Qui a pris la bouteille ?",
        "Où est le vélo ?", "Y a-t-il un vélo ?", "Y a-t-il un chien ?", "Combien de vélos y a-t-il ?",
        "Combien de fois quelqu'un est-il entré ?", "De quelle couleur est la bouteille ?",
        "Qui est parti en dernier ?",
    ),
    "es": (
        "¿Cuántas personas hay?", "¿Entró alguien?", "¿Cuándo entró alguien?", "¿Quién recogió la botella?",
        "¿Dónde está la bicicleta?", "¿Hay una bicicleta?", "¿Hay un perro?", "¿Cuántas bicicletas hay?",
        "¿Cuántas veces entró alguien?", "¿De qué color es la botella?", "¿Quién salió el último?",
    ),
    "it": (
        "Quante persone ci sono?", "È entrato qualcuno?", "Quando è entrato qualcuno?", "Chi ha preso la bottiglia?",
        "Dov'è la bicicletta?", "C'è una bicicletta?", "C'è un cane?", "Quante biciclette ci sono?",
        "Quante volte è entrato qualcuno?", "Di che colore è la bottiglia?", "Chi è uscito per ultimo?",
    ),
}  # fmt: skip


@pytest.mark.parametrize("told", OTHERS)
def test_only_the_sentences_of_an_analysis_change_with_the_language(told: str) -> None:
    """Names, verbs and places in the graph are codes. So footage of all analysers and languages is linked alike."""
    for own, english in zip(_graph(told).stored.values(), _graph("en").stored.values(), strict=True):
        assert own.summary_text != english.summary_text
        assert language(told).as_read(own.summary_text) == english.summary_text
        assert (own.persons, own.objects, own.actions) == (english.persons, english.objects, english.actions)
        assert own.spatial_descriptions == english.spatial_descriptions
    for own, english in zip(_clips(told), _clips("en"), strict=True):
        assert language(told).as_read(own.analysis.clip_summary) == english.analysis.clip_summary


@pytest.mark.parametrize("told", OTHERS)
@pytest.mark.parametrize("asked", LANGUAGES)
def test_reports_in_every_language_are_answered_as_english_ones(asked: str, told: str) -> None:
    """The same seconds are cited, and what is quoted is in the group's language."""
    for question in QUESTIONS[asked]:
        usual, seconds = _answer(_graph("en"), question, asked, "en")
        text, cited = _answer(_graph(told), question, asked, told)
        assert cited == seconds, question
        for own, english in zip(_graph(told).stored.values(), _graph("en").stored.values(), strict=True):
            usual = usual.replace(english.summary_text.rstrip("."), own.summary_text.rstrip("."))
        assert text == usual, question


TRACKS = """frame,id,label,left,top,right,bottom,confidence
0,1,person,0,100,40,200,0.9
25,1,person,300,100,340,200,0.9
0,2,car,500,100,600,200,0.9
25,2,car,500,100,600,200,0.9
50,3,forklift,0,100,40,200,0.9
75,3,forklift,500,100,540,200,0.9
"""


@pytest.mark.parametrize("told", LANGUAGES)
def test_imported_tracks_are_told_in_the_group_s_language(told: str) -> None:
    read = language(told)
    lines = list(from_tracks(TRACKS, TrackTable(video_id="v", fps=25.0, size=(640, 360)), read))
    summaries = [line.analysis.events[0].summary for line in lines]
    english = [
        line.analysis.events[0].summary
        for line in from_tracks(TRACKS, TrackTable(video_id="v", fps=25.0, size=(640, 360)), ENGLISH)
    ]
    assert [read.as_read(summary) for summary in summaries] == english
    assert (summaries == english) == (told == "en")
    graph = FakeGraph([compose(analysed_clip(line, "test"), read) for line in lines], HashedWords())
    assert _answer(graph, QUESTIONS[told][0], told, told)[1] == [0.0]
