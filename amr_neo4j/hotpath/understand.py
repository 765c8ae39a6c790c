"""Understands one turn: its language, intent, facts and entities."""

from __future__ import annotations

from collections.abc import Sequence
from threading import Thread

from amr_neo4j.domain.fact import Triple, Understood
from amr_neo4j.hotpath.detect import LanguageDetector
from amr_neo4j.hotpath.entities import entities
from amr_neo4j.hotpath.intent import intent_of
from amr_neo4j.hotpath.language_kit import LanguageKit, language_kit
from amr_neo4j.hotpath.reader import Reader, Reading

LAST = 4
"""Earlier turns that pronouns and corrections may refer to."""


class Understander:
    """Reads turns in some languages. Their tables are loaded when made; a thread compiles their frames.

    A frame that is needed before is compiled at once: the first turns may take some tenths of a second.
    """

    def __init__(self, languages: Sequence[str]) -> None:
        """languages: codes with a facts.yaml, the likely ones first. Raises FileNotFoundError for others, ValueError
        for none.
        """
        kits = [language_kit(code) for code in languages]
        self._detector = LanguageDetector(languages)
        self._detector.prewarm()
        self._compiling = Thread(target=_compile, args=(kits,), name="amr-compile", daemon=True)
        self._compiling.start()

    def ready(self) -> None:
        """Wait until every frame is compiled."""
        self._compiling.join()

    def understand(self, text: str, context: Sequence[str] = ()) -> Understood:
        """What a turn says.

        context: earlier turns of the same speaker, oldest first; the last few are used. Reads the first few thousand
        characters of prose (prose.LIMIT); code, logs, mails and quotations state nothing.
        """
        recent = context[-LAST:]
        return understand_in(text, self._detector.detect(text, recent), recent)


def _compile(kits: Sequence[LanguageKit]) -> None:
    for kit in kits:
        kit.frames.compile()


def understand_in(text: str, language: str, context: Sequence[str] = ()) -> Understood:
    """What a turn in a known language says."""
    kit = language_kit(language)
    reader, reading = Reader(kit), Reading()
    for turn in context[-LAST:]:
        reader.read(turn, reading)
    reading = Reading(reading.mentions, earlier=[fact.triple for fact in reading.facts], stated=reading.stated)
    reader.read(text, reading)
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
        _named(entities(kit, text), [fact.triple for fact in reading.facts]),
    )


def _named(found: list[str], facts: list[Triple]) -> tuple[str, ...]:
    return tuple(dict.fromkeys([*found, *(word for fact in facts for word in (fact.subject, fact.object))]))
