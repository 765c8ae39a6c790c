"""Reads one turn: its language, intent, facts and entities."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from threading import Event, Thread

from amr_neo4j.domain.fact import Triple, TurnContext, Unclear, Understood
from amr_neo4j.domain.ports import StatementReader
from amr_neo4j.turn_reader.detect import LanguageDetector
from amr_neo4j.turn_reader.entities import entities
from amr_neo4j.turn_reader.intent import intent_of
from amr_neo4j.turn_reader.language_kit import LanguageKit, language_kit
from amr_neo4j.turn_reader.lines import respelt
from amr_neo4j.turn_reader.mentions import Mentions
from amr_neo4j.turn_reader.prose import LIMIT, question_at_end
from amr_neo4j.turn_reader.reader import Reader
from amr_neo4j.turn_reader.reading import Reading

LAST = 4
"""Pronouns and corrections may refer to so many earlier turns."""
NO_CONTEXT = TurnContext()


def read_by_rules(turn: str, language: str, context: TurnContext = NO_CONTEXT) -> Understood:
    """Read what a turn says by the rules of its language. This is a `ports.StatementReader`.

    Reads the first few thousand characters of prose (prose.LIMIT); code, logs, mails and quotations state nothing.
    """
    kit = language_kit(language)
    # Earlier turns are read again for what their words refer to; their facts count only as context (decision 0096).
    reader, reading = Reader(kit), Reading(Mentions(women=kit.words.women, men=kit.words.men))
    for said in _recent(context):
        reader.read(said, reading)
    reading.mentions.unclear.clear()
    reading = Reading(
        reading.mentions,
        earlier=[fact.triple for fact in reading.facts],
        stated=reading.stated,
        believed=context.believed,
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
        tuple(Unclear(word, names) for word, names in reading.mentions.unclear.items() if word),
    )


class Understander:
    """Reads turns in some languages.

    The constructor loads the rules of the first language. A thread then loads the classifier of languages and the
    other rules, and compiles all frames. A turn that comes earlier compiles what it needs itself, and may take up to
    a second.
    """

    def __init__(
        self,
        languages: Sequence[str],
        give_way: Callable[[Event], object] = lambda hurried: None,
        read: StatementReader = read_by_rules,
    ) -> None:
        """languages: codes of languages with a facts.yaml, the likely ones first.

        give_way: called by the thread before each frame, with an event. It may wait to let other work go first, until
        the event is set. Raises FileNotFoundError: a language has no facts.yaml; ValueError: no language is given.
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
        """Wait until everything is loaded and compiled."""
        self._hurried.set()
        self._preparing.join()

    def understand(self, text: str, context: TurnContext = NO_CONTEXT) -> Understood:
        """Detect the language of a turn and return what the turn says. context: the turns before it."""
        return self._read(text, self._detector.detect(text, _recent(context)), context)


def _recent(context: TurnContext) -> list[str]:
    """Return the texts that a turn may refer to: the last turns, and a question that the speaker was just asked."""
    question = question_at_end(context.reply)
    return [*context.earlier, *([question] if question else [])][-LAST:]


def _as_typed(reading: Reading, text: str, kit: LanguageKit) -> None:
    """Restore the short spellings of objects ("chofer d bus"), which were written out for the rules."""
    long = {fact.triple.object for fact in reading.facts if " " in fact.triple.object}
    said = respelt(long, text[:LIMIT], kit.table) if long else {}
    for number, fact in enumerate(reading.facts if said else ()):
        named = said.get(fact.triple.object, fact.triple.object)
        reading.facts[number] = replace(fact, triple=fact.triple._replace(object=named))


def _named(found: list[str], facts: list[Triple]) -> tuple[str, ...]:
    """Return the entities found in the text and the subjects and objects of its facts, each once."""
    return tuple(dict.fromkeys([*found, *(word for fact in facts for word in (fact.subject, fact.object))]))
