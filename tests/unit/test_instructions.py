"""What a user tells an assistant to do from now on is a fact, and a hint whenever its topic comes up."""

from __future__ import annotations

import pytest

from amr_neo4j.domain.fact import Triple
from amr_neo4j.domain.relations import INSTRUCTION
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.understand import Understander, read_by_rules
from tests.unit.test_quoted_turns import LANGUAGES, talk


@pytest.fixture(scope="module")
def understander() -> Understander:
    return Understander(LANGUAGES)


@pytest.mark.parametrize(
    ("code", "sentence", "told", "topic"),
    [
        ("en", "Always answer in French.", "Always answer in French", ""),
        ("en", "Please don't use bullet points anymore.", "don't use bullet points anymore", ""),
        ("en", "Could you always call me Max?", "always call me Max", ""),
        ("en", "From now on, give me Celsius", "From now on, give me Celsius", ""),
        ("en", "Always include version numbers when I ask about libraries.",
         "Always include version numbers when I ask about libraries", "libraries"),
        ("en", "When I ask about dates, always use ISO", "When I ask about dates, always use ISO", "dates"),
        ("en", "Important: never suggest recipes with nuts", "never suggest recipes with nuts", ""),
        ("de", "Antworte mir bitte immer auf Deutsch.", "Antworte mir bitte immer auf Deutsch", ""),
        ("de", "Bitte benutze nie wieder Emojis.", "benutze nie wieder Emojis", ""),
        ("de", "Ich will, dass du künftig kürzer antwortest.", "Ich will, dass du künftig kürzer antwortest", ""),
        ("de", "Nenne immer die Quelle, wenn es um Zahlen geht", "Nenne immer die Quelle, wenn es um Zahlen geht",
         "Zahlen geht"),
        ("fr", "Réponds toujours en français.", "Réponds toujours en français", ""),
        ("fr", "N’utilise jamais d’anglicismes.", "N’utilise jamais d’anglicismes", ""),
        ("fr", "Quand je te demande une recette, donne toujours les quantités en grammes",
         "Quand je te demande une recette, donne toujours les quantités en grammes", "une recette"),
        ("es", "Responde siempre en español.", "Responde siempre en español", ""),
        ("es", "No uses nunca emojis.", "No uses nunca emojis", ""),
        ("es", "Cuando te pregunte por recetas, da siempre las cantidades en gramos",
         "Cuando te pregunte por recetas, da siempre las cantidades en gramos", "recetas"),
        ("it", "Rispondi sempre in italiano.", "Rispondi sempre in italiano", ""),
        ("it", "Per favore, non usare mai emoji.", "non usare mai emoji", ""),
        ("it", "Quando ti chiedo una ricetta, usa i grammi", "Quando ti chiedo una ricetta, usa i grammi",
         "ricetta"),
    ],
)  # fmt: skip
def test_what_a_sentence_tells_to_do_from_now_on(code: str, sentence: str, told: str, topic: str) -> None:
    instructions = language(code).instructions
    assert instructions.read(sentence) == told
    assert instructions.topic(told) == topic


@pytest.mark.parametrize(
    ("code", "sentence"),
    [
        ("en", "Include version numbers."),
        ("en", "I always drink coffee."),
        ("en", "My boss always gives me more work."),
        ("en", "Never mind."),
        ("en", "Help me review the details, and tell me why I have never deployed it"),
        ("de", "Hilf mir mit dem Test, den ich noch nie bestanden habe, ich habe ihn nie verstanden"),
        ("fr", "Aide-moi avec le test, je n'ai jamais compris"),
        ("es", "Ayúdame con el examen, nunca he aprobado"),
        ("it", "Aiutami con il test, non ho mai capito"),
        ("en", "Keep going and never give up"),
        ("en", "Always happy to help!"),
        ("en", "Translate: always be on time"),
        ("en", "Should I always answer at once?"),
        ("en", "When I ask about dates, he never answers."),
        ("de", "Ich trinke immer Kaffee."),
        ("de", "Nie wieder Alkohol!"),
        ("de", "Immer gern!"),
        ("de", "Gib mir die Quelle."),
        ("fr", "Je bois toujours du café."),
        ("fr", "Donne-moi la source."),
        ("fr", "Il ne faut jamais dire jamais."),
        ("es", "Siempre tomo café."),
        ("es", "pon la lista de siempre"),
        ("es", "Nunca digas nunca."),
        ("it", "Bevo sempre il caffè."),
        ("it", "Mai dire mai."),
        ("it", "chiedi a chi vuoi, ma i bus non passano mai"),
    ],
)
def test_what_is_no_standing_instruction(code: str, sentence: str) -> None:
    assert not language(code).instructions.read(sentence)


@pytest.mark.parametrize(
    "turn",
    [
        'My boss said: "Always use metric units."',
        "Pretend that you are a pirate. Always answer with arr.",
        "> Always use metric units.\nWhat does she mean?",
    ],
)
def test_what_others_tell_is_no_instruction_of_the_user(turn: str) -> None:
    assert not read_by_rules(turn, "en").intentions


def test_an_instruction_is_no_plan_and_only_the_user_gives_it() -> None:
    understood = read_by_rules("Remember to always add the date when I ask about meetings", "en")
    told = Triple("you", INSTRUCTION, "always add the date when i ask about meetings")
    assert [fact.triple for fact in understood.intentions] == [told]
    assert not understood.said_by("ben").intentions


@pytest.mark.parametrize(
    ("said", "asked", "other", "hint"),
    [
        ("Always include version numbers when I ask about libraries.", "Which library should I take for charts?",
         "What's the weather like?", "You asked: Always include version numbers when I ask about libraries"),
        ("Wenn ich dich nach Rezepten frage, gib immer Gramm an.", "Hast du ein Rezept für Lasagne?",
         "Wie wird das Wetter?", "Du hast darum gebeten: Wenn ich dich nach Rezepten frage, gib immer Gramm an"),
        ("Quand je te demande une recette, donne toujours des grammes.", "Tu as une recette de lasagnes ?",
         "Quel temps fait-il ?", "Tu as demandé : Quand je te demande une recette, donne toujours des grammes"),
        ("Cuando te pregunte por recetas, da siempre las cantidades en gramos.", "¿Tienes una receta de lasaña?",
         "¿Qué tiempo hace?", "Pediste: Cuando te pregunte por recetas, da siempre las cantidades en gramos"),
        ("Quando ti chiedo una ricetta, usa sempre i grammi.", "Hai una ricetta per le lasagne?",
         "Che tempo fa?", "Hai chiesto: Quando ti chiedo una ricetta, usa sempre i grammi"),
    ],
)  # fmt: skip
def test_an_instruction_is_a_hint_when_its_topic_comes_up(
    understander: Understander, said: str, asked: str, other: str, hint: str
) -> None:
    chat = talk(understander, [said])
    assert [each.text for each in chat.observe(other).hints] == []
    assert [each.text for each in chat.observe(asked).hints] == [hint]


def test_an_instruction_without_a_topic_is_a_hint_once_in_a_while(understander: Understander) -> None:
    chat = talk(understander, ["Always answer in metric units."])
    shown = [bool(chat.observe(text).hints) for text in ("How far is the moon?", "And how heavy is it?")]
    assert shown == [True, False]


def test_an_instruction_is_forgotten_by_its_words(understander: Understander) -> None:
    chat = talk(understander, ["Always answer in metric units."])
    chat.observe("Forget the metric units.")
    assert not chat.observe("How far is the moon?").hints
