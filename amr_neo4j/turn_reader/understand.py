"""Understands one turn: its language, intent, facts and entities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event, Thread

from amr_neo4j.domain.fact import Triple, TurnContext, Understood
from amr_neo4j.domain.ports import StatementReader
from amr_neo4j.turn_reader.detect import LanguageDetector
from amr_neo4j.turn_reader.entities import entities
from amr_neo4j.turn_reader.intent import intent_of
from amr_neo4j.turn_reader.language_kit import LanguageKit, language_kit
from amr_neo4j.turn_reader.lines import respelt
from amr_neo4j.turn_reader.prose import LIMIT, question_at_end
from amr_neo4j.turn_reader.reader import Reader
from amr_neo4j.turn_reader.reading import Reading

LAST = 4
"""Earlier turns that pronouns and corrections may refer to."""
NO_CONTEXT = TurnContext()


def read_by_rules(turn: str, language: str, context: TurnContext = NO_CONTEXT) -> Understood:
    """What a turn says by the rules of its language: a `ports.StatementReader`.

    Reads the first few thousand characters of prose (prose.LIMIT); code, logs, mails and quotations state nothing.
    """
    kit = language_kit(language)
    reader, reading = Reader(kit), Reading()
    for said in _recent(context):
        reader.read(said, reading)
    reading = Reading(
        reading.mentions,
        earlier=[fact.triple for fact in reading.facts],
        stated=reading.stated,
        question=reading.question,
    )
    reader.read(turn, reading)
    _as_typed(reading, turn, kit)
    return Understood(
        language,
        intent_of(
            facts=len(reading.facts),
            retracted=len(reading.retracted),
            asks=reading.asks,
            corrects=reading.corrects,
            reacts=reading.reacts,
        ),
        tuple(reading.facts),
        tuple(dict.fromkeys(reading.retracted)),
        _named(entities(kit, turn), [fact.triple for fact in reading.facts]),
    )


class Understander:
    """Reads turns in some languages.

    Made when the rules of the first language are loaded; a thread loads the classifier of languages and the other
    rules, and compiles all frames. What is needed before is made at once: the first turns may take up to a second.
    """

    def __init__(
        self,
        languages: Sequence[str],
        give_way: Callable[[Event], object] = lambda hurried: None,
        read: StatementReader = read_by_rules,
    ) -> None:
        """languages: codes with a facts.yaml, the likely ones first.

        give_way: called by the thread between rules; may wait until its event is set. Raises FileNotFoundError for
        other languages, ValueError for none.
        """
        self._read = read
        self._give_way, self._hurried = give_way, Event()
        self._detector = LanguageDetector(languages)
        language_kit(languages[0])
        self._preparing = Thread(target=self._prepare, args=(languages,), name="amr-compile", daemon=True)
        self._preparing.start()

    def _prepare(self, languages: Sequence[str]) -> None:
        self._detector.prewarm()
        for code in languages:
            language_kit(code).frames.compile(lambda: self._give_way(self._hurried))

    def ready(self) -> None:
        """Wait until all is loaded and compiled."""
        self._hurried.set()
        self._preparing.join()

    def understand(self, text: str, context: TurnContext = NO_CONTEXT) -> Understood:
        """What a turn says, in whichever of the languages it is."""
        return self._read(text, self._detector.detect(text, _recent(context)), context)


def _recent(context: TurnContext) -> list[str]:
    """What pronouns, corrections and answers may refer to: the last turns, and a question just put to the speaker."""
    question = question_at_end(context.reply)
    return [*context.earlier, *([question] if question else [])][-LAST:]


def _as_typed(reading: Reading, text: str, kit: LanguageKit) -> None:
    """Gives objects back the short spellings they were typed with ("chofer d bus"), written out for the rules."""
    long = {fact.triple.object for fact in reading.facts if " " in fact.triple.object}
    said = respelt(long, text[:LIMIT], kit.table) if long else {}
    for number, fact in enumerate(reading.facts if said else ()):
        named = said.get(fact.triple.object, fact.triple.object)
        reading.facts[number] = replace(fact, triple=fact.triple._replace(object=named))


def _named(found: list[str], facts: list[Triple]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*found, *(word for fact in facts for word in (fact.subject, fact.object))]))
