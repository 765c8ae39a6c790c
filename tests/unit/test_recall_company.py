"""Who was there when something happened, by the scene of that event; the wearer is "I" and no company."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest

from amr_neo4j.domain.analysis import ClipAnalysis
from amr_neo4j.domain.event import Action, Event
from amr_neo4j.domain.ports import Names
from amr_neo4j.domain.recall import Answer, Path, Scope
from amr_neo4j.domain.scene import Companion, Company
from amr_neo4j.domain.video import AnalysedClip, Clip, Video
from amr_neo4j.ingest.compose import compose
from amr_neo4j.ingest.derive import with_wearer
from amr_neo4j.language.languages import ENGLISH
from amr_neo4j.language.spoken import AskedLanguage
from amr_neo4j.recall.answer.claim import Unknown
from amr_neo4j.recall.answer.operators.people import best_for_company, company_claims, with_companion
from amr_neo4j.recall.pipeline import ask
from amr_neo4j.recall.question.answer_types import AnswerType
from amr_neo4j.recall.question.parse import asks_type, parse_question
from amr_neo4j.recall.retrieve.candidate import Candidate
from amr_neo4j.recall.sources import Sources
from tests.support.fake_graph import FakeGraph, HashedWords, graph_of_lines, kitchen

THERE = Company(
    (Companion("anna", "Anna", 150.0, 300.0), Companion("ben", "Ben", 170.0, 260.0)),
    (("anna", "Anna"), ("ben", "Ben"), ("clara", "Clara"), ("left_hand", "left hand")),
)


class InScenes(FakeGraph):
    def company(self, node_id: int, scope: Scope) -> Company:
        return THERE


class OfBensCamera(FakeGraph):
    def company(self, node_id: int, scope: Scope) -> Company:
        return Company((), ())

    def recordings(self, scope: Scope) -> dict[str, Video]:
        return {name: replace(video, wearer="Ben") for name, video in super().recordings(scope).items()}


def asked(question: str, wearer: str = "") -> Answer:
    graph = kitchen(HashedWords())
    graph.__class__ = InScenes
    return ask(question, Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH, wearer=wearer))


@pytest.mark.parametrize(
    ("question", "wearer"),
    [
        ("Who was with Anna when she opened the parcel?", ""),
        ("Who was with me when I opened the parcel?", "Anna"),
        ("Who else was there when Anna opened the parcel?", ""),
    ],
)
def test_company_has_its_span_and_leaves_out_whom_the_question_names(question: str, wearer: str) -> None:
    answer = asked(question, wearer)
    assert answer.found and "Ben (00:02:50 to 00:04:20)" in answer.text and "Anna (" not in answer.text
    assert "anybody else there is not known" in answer.text


def test_who_did_not_come_along_is_somebody_of_other_scenes() -> None:
    answer = asked("Who did not come along when Anna opened the parcel?")
    assert "Clara is in other scenes" in answer.text and "Ben" not in answer.text.partition(" is in other")[0]


@pytest.mark.parametrize("question", ["Who did not come?", "Who didn't come?", "Who is not there?"])
def test_who_was_there_is_no_sure_answer_to_who_was_not_if_no_event_is_named(question: str) -> None:
    assert asked(question).text.startswith(ENGLISH.grammar.in_doubt())


def test_the_wearer_is_never_company() -> None:
    answer = asked("Who was there when the parcel was opened?", "Anna")
    assert "Ben (" in answer.text and "Anna (" not in answer.text


def test_the_wearer_of_another_camera_is_company() -> None:
    found = with_companion(THERE, Companion("ben", "Ben", 100.0, 200.0))
    assert [(who.name, who.since, who.until) for who in found.present] == [("Ben", 100, 260), ("Anna", 150, 300)]
    graph = kitchen(HashedWords())
    graph.__class__ = OfBensCamera
    sources = Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH, wearer="Anna")
    assert "Ben (" in ask("Who was with me when I opened the parcel?", sources).text


def test_a_scene_does_not_say_who_sat_beside_whom() -> None:
    assert asked("Who sat next to Anna?").text.startswith("Memory may not hold the answer")


def test_what_the_event_lacks_is_in_doubt() -> None:
    assert "Only who acts" not in asked("Who was with Anna when she played the piano?").text


def test_the_wearer_acts_where_a_caption_says_i() -> None:
    captions = ["I pick up the cup.", "Ida waves.", "The doorbell rings."]
    events = [{"time_start": n, "time_end": n + 1, "summary": caption} for n, caption in enumerate(captions)]
    analysis = ClipAnalysis.model_validate({"clip_summary": "", "events": events})
    clip = AnalysedClip(Video("g", "v", wearer="Jake"), Clip("c", 0.0, 9.0), analysis, "test", "sha")
    composed = compose(with_wearer(clip, ENGLISH), ENGLISH)
    assert [part.person_id for part in composed.events[0].involvements] == ["jake"]
    assert all("jake" not in str(event.involvements) for event in composed.events[1:])
    nobody = replace(clip, video=replace(clip.video, wearer=""))
    assert with_wearer(nobody, ENGLISH) is nobody


@pytest.mark.parametrize(
    ("role", "name", "wearer"),
    [
        ("wearer (I)", "Jake", "Jake"),
        ("camera wearer", "Jake", "Jake"),
        ("Träger der Kamera", "Jonas", "Jonas"),
        ("porteur de la caméra", "Luc", "Luc"),
        ("speaker and camera wearer", "Jake", "Jake"),
        ("speaker", "Jake", ""),
        ("friend of the camera wearer", "Jake", ""),
        ("the wearer's wife", "Ida", ""),
        ("glasses wearer", "Ida", ""),
        ("porteur", "Luc", ""),
        ("wearer", "C1", ""),
        ("wearer", "a cyclist", ""),
        ("wearer", "I", ""),
    ],
)
def test_an_analysis_tells_who_wears_the_camera(role: str, name: str, wearer: str) -> None:
    character = {"local_character_id": "C1", "role": role, "name_or_description": name}
    analysis = ClipAnalysis.model_validate({"clip_summary": "", "characters": [character], "events": []})
    clip = AnalysedClip(Video("g", "v"), Clip("c", 0.0, 9.0), analysis, "test", "sha")
    assert with_wearer(clip, ENGLISH).video.wearer == wearer
    given = replace(clip, video=replace(clip.video, wearer="Nora"))
    assert with_wearer(given, ENGLISH).video.wearer == "Nora"


@pytest.mark.parametrize(("wearers", "asker"), [(("Jake", "Jake"), ("jake",)), (("Jake", "Nora"), ())])
def test_i_am_the_one_who_wears_all_cameras(wearers: tuple[str, str], asker: tuple[str, ...]) -> None:
    """Without a user and a setting; if two people wear cameras, nobody knows who asks."""
    lines: list[str] = []
    for number, (wearer, caption) in enumerate(
        zip(wearers, ["I water the blue vase.", "Ida waters the red vase."], strict=True)
    ):
        character = {"local_character_id": "C1", "role": "wearer", "name_or_description": wearer}
        event = {"time_start": 0, "time_end": 4, "summary": caption}
        analysis = {"clip_summary": "", "characters": [character], "events": [event]}
        clip = {"video_id": f"v{number}", "clip_id": "c", "t_start": 0, "t_end": 9}
        lines.append(json.dumps(clip | {"analysis": analysis}))
    graph = graph_of_lines(lines)
    sources = Sources(Scope("test"), graph, graph, HashedWords(), ENGLISH)
    assert ask("What did I water?", sources).question.persons == asker


@pytest.mark.parametrize(
    ("asked", "read"),
    [
        ("When did I last water my basil?", "When did Jake last water Jake's basil?"),
        ("I'd like to know where my keys are.", "I'd like to know where Jake's keys are."),
        ("Who sat here while I'm away?", "Who sat here while Jake is away?"),
        ("What did I’ve to buy, and where I'd go?", "What did Jake has to buy, and where Jake would go?"),
        ("Tell me who was in the kitchen.", "Tell me who was in the kitchen."),
        ("I want to know where my keys are.", "I want to know where Jake's keys are."),
        ('Who said "I am tired"?', 'Who said "I am tired"?'),
    ],
)
def test_the_wearer_is_meant_only_where_a_question_speaks_of_them(asked: str, read: str) -> None:
    assert ENGLISH.asking.in_third_person(asked, "Jake") == read


@pytest.mark.parametrize(
    ("caption", "people"),
    [
        ("Katrina hands me the cup.", ["katrina", "jake"]),
        ("Katrina cuts my hair.", ["katrina", "jake"]),
        ("My phone lies on the table.", ["jake"]),
        ("Katrina says “give me that”.", ["katrina"]),
        ("Katrina opens the window.", ["katrina"]),
    ],
)
def test_what_a_caption_calls_mine_involves_the_wearer(caption: str, people: list[str]) -> None:
    event = {"time_start": 0, "time_end": 1, "summary": caption}
    analysis = ClipAnalysis.model_validate({"clip_summary": "", "events": [event]})
    clip = AnalysedClip(Video("g", "v", wearer="Jake"), Clip("c", 0.0, 9.0), analysis, "test", "sha")
    composed = compose(with_wearer(clip, ENGLISH), ENGLISH)
    assert [part.person_id for part in composed.events[0].involvements] == people


@pytest.mark.parametrize(
    "question",
    [
        "Who was I playing bowling with last time?",
        "Who did I sit next to while eating last night?",
        "Who did I move the whiteboard to the wall with?",
        "Who did we eat the grapes with in the kitchen today?",
        "Who used the computer with me to upload data?",
        "Who was discussing the plans with me in the evening?",
        "Who was there in the evening with me?",
        "Who was sitting with me in the kitchen?",
        "Who else got in with us?",
        "Who joined our game?",
        "While I was cleaning the mixer, who joined in to help?",
        "Who joined the conversation when I was chatting with Ida?",
        "Who else was nearby when I was chatting with Ida?",
        "Who else was at the table?",
        "Who else was sitting on the sofa?",
        "Who was next to Ida?",
        "Who did not come?",
        "Who didn't come with us?",
        "Who was not there?",
    ],
)
def test_whoever_did_it_with_the_asker_is_company(question: str) -> None:
    assert asks_type(question, ENGLISH) is AnswerType.COMPANY


@pytest.mark.parametrize(
    "question",
    [
        "Who was angry with me?",
        "Who got really upset with me?",
        "Who was so cross with us?",
        "Who handed me the gloves?",
        "Who left with the keys?",
        "Who left the keys with me?",
        "Who shared the secret with me?",
        "Who broke up with me?",
        "Who disagreed with me about the plan?",
        "Who talks with me about the plan?",
        "Who wanted to dance with me?",
        "Who sings with me the most?",
        "Who joins the pipes?",
        "Who joined the company?",
        "Who did I compare him with last week?",
        "Who was at the table?",
        "Who else was in charge of the shop?",
        "Who came not far behind Ben?",
        "Who else is on the phone?",
        "Who else was in the film?",
    ],
)
def test_who_did_it_is_no_question_for_company(question: str) -> None:
    assert asks_type(question, ENGLISH) is AnswerType.PERSON


@pytest.mark.parametrize(
    ("code", "questions"),
    [
        (
            "de",
            """Wer war bei mir? | Wer war bei uns, als ich das Paket öffnete? | Wer war dabei? | Wer war nicht dabei?
            | Wer war mit dabei, als Anna das Paket öffnete? | Wer kam mit uns an den See? | Wer war mit uns am Tisch?
            | Wer war sonst noch am Tisch? | Wer ist nicht gekommen? | Wer fehlte? | Wer saß an meiner Seite?""",
        ),
        (
            "fr",
            """Qui était avec nous ? | Qui est venu avec nous au lac ? | Qui était assis à côté d'Ida ?
            | Qui n'est pas venu ? | Qui n'est pas venu avec nous ? | Qui n'était pas là ?
            | Qui d'autre était à table ? | Qui a mangé avec nous ?
            | Qui nous a accompagnés ? | Qui était à mes côtés ? | Qui manquait ?""",
        ),
        (
            "es",
            """¿Quién estaba conmigo? | ¿Quién vino con nosotros al lago? | ¿Quién no vino? | ¿Quién no estaba allí?
            | ¿Quién no vino con nosotros? | ¿Quién más estaba en la mesa? | ¿Quién comió conmigo?
            | ¿Quién estaba al lado de Ida? | ¿Quién se sentó a mi lado? | ¿Quién nos acompañó? | ¿Quién faltaba?""",
        ),
        (
            "it",
            """Chi era con noi? | Chi è venuto con noi al lago? | Chi non è venuto? | Chi non è venuto con noi?
            | Chi non c'era? | Chi altro era a tavola? | Chi ha mangiato con noi? | Chi era al mio fianco?
            | Chi era presente? | Chi mancava?""",
        ),
    ],
)
def test_company_is_asked_for_in_each_language(code: str, questions: str) -> None:
    language = AskedLanguage(code, "en")
    for question in map(str.strip, questions.split("|")):
        english = language.in_english(question, {"anna", "ida"}, {"parcel"}).text
        assert asks_type(english, language) is AnswerType.COMPANY, (question, english)


@pytest.mark.parametrize(
    ("code", "question"),
    [
        ("de", "Wer war bei Anna, als sie das Paket öffnete?"),
        ("de", "Wer war dabei, als Anna das Paket öffnete?"),
        ("fr", "Qui d'autre était là quand Anna a ouvert le colis ?"),
        ("es", "¿Quién más estaba allí cuando Anna abrió el paquete?"),
        ("it", "Chi altro c'era quando Anna ha aperto il pacco?"),
    ],
)
def test_company_is_told_in_each_language(code: str, question: str) -> None:
    graph = kitchen(HashedWords())
    graph.__class__ = InScenes
    answer = ask(question, Sources(Scope("test"), graph, graph, HashedWords(), AskedLanguage(code, "en")))
    assert answer.found and re.search(r"Ben \(\D*00:02:50", answer.text) and "Anna (" not in answer.text


def test_company_may_be_asked_for_in_the_first_person() -> None:
    """With the wearer's name for "me", the question has no word by which it asks for company."""
    answer = asked("Who opened the parcel with me?", "Anna")
    assert answer.found and "Ben (00:02:50 to 00:04:20)" in answer.text


def told_of(event: Event, *present: Companion) -> str:
    candidate = Candidate(event, Path((0,), (), 0.0), language=ENGLISH)
    parsed = parse_question("Who was with Anna?", Names(frozenset(), frozenset()), ENGLISH)
    told = company_claims(parsed, candidate, Company(present, ()), askers=frozenset({"anna"}))
    return (told.nearest if isinstance(told, Unknown) else told.claims)[0].text


def test_whoever_is_near_the_event_comes_before_the_others_in_its_scene() -> None:
    event = kitchen(HashedWords()).events([0], Scope("test"))[0]
    text = told_of(event, Companion("ben", "Ben", 0.0, 9.0, 60.0), Companion("ida", "Ida", 1.0, 9.0, 2.0))
    assert text.startswith("Ida (00:00:01 to 00:00:09); earlier or later in the same scene Ben (")


def test_whoever_acts_in_the_event_comes_before_the_others_near_it() -> None:
    event = Event(1, "g", "v", ("c",), 0, 0.0, 5.0, "Ida leaves the keys.", actions=(Action("ida", "leave", "keys"),))
    text = told_of(event, Companion("ben", "Ben", 0.0, 9.0), Companion("ida", "Ida", 1.0, 9.0))
    assert text.startswith("Ida (00:00:01 to 00:00:09) and Ben (")


def test_where_any_event_lists_actions_words_that_are_there_count() -> None:
    def found(number: int, summary: str, score: float, *actions: Action) -> Candidate:
        event = Event(number, "g", "v", ("c",), 0, 0.0, 5.0, summary, actions=actions)
        return Candidate(event, Path((number,), (), 0.0), score=score, language=ENGLISH)

    lists = found(1, "Anna opens the red parcel.", 0.9, Action("anna", "open", "parcel"))
    caption = found(2, "Ben eats.", 0.1)
    parsed = parse_question(
        "Who was there when Anna opened the blue parcel?", Names(frozenset(), frozenset()), ENGLISH
    )
    assert best_for_company(parsed, [lists, caption]) is lists
    assert best_for_company(parsed, [caption]) is caption
