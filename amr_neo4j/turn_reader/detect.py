"""Detects the language of a turn, among those configured."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from typing import Any

from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.lines import fold

_CHARACTERS_OF_SHORT = 24
"""The classifier only guesses at texts of fewer characters."""
_READ = 1000
"""So many characters of a turn are looked at."""
_ENGLISH_WORDS = 0.35
"""A text is English if this share of its words are English function words. In other languages it is below .3."""
_SURE = 0.9
"""Captions such as "chop leek" are taken for other languages with probabilities of up to .7."""


class LanguageDetector:
    """Detects languages by their function words; if these do not decide, by py3langid, which `prewarm` loads."""

    def __init__(self, languages: Sequence[str]) -> None:
        """languages: codes, the first one the fallback. Raises ValueError for none."""
        if not languages:
            raise ValueError("no language given")
        self._languages = tuple(languages)
        self._function_words = {code: frozenset(map(fold, language(code).fact_table.stopwords)) for code in languages}

    def prewarm(self) -> None:
        """Load the classifier; it is not needed for a single language."""
        if len(self._languages) > 1:
            self._classified("prewarm")

    def detect(self, text: str, context: Sequence[str] = ()) -> str:
        """Return the code of the text's language.

        context: earlier turns, oldest first. A short text that may be in several languages gets the language of the
            latest turn that can be told.
        """
        if len(self._languages) == 1:
            return self._languages[0]
        text = text[:_READ]
        if (winner := self._by_words(text)) is not None:
            return winner
        if len(text) >= _CHARACTERS_OF_SHORT:
            return self._classified(text)
        if context:
            return self.detect(context[-1], context[:-1])
        return self._by_words(text, lead=1) or self._classified(text)  # "And Luc?"

    def _by_words(self, text: str, lead: int = 2) -> str | None:
        """Return the language that has most function words in the text; None if another has nearly as many.

        lead: by how many words it must lead.
        """
        words = fold(text).replace("'", "' ").split()
        counts = {
            code: sum(word.strip(".,;:!?¿¡") in known for word in words)
            for code, known in self._function_words.items()
        }
        first, second = sorted(counts.values(), reverse=True)[:2]
        return max(counts, key=lambda code: counts[code]) if first >= second + lead else None

    def _classified(self, text: str) -> str:
        return str(_identifier(self._languages).classify(text)[0]) if text.strip() else self._languages[0]


def language_of(text: str) -> str:
    """Return the code of the language of some sentences, of all languages; an empty one if that is not sure."""
    known = frozenset(map(fold, language("en").fact_table.stopwords))
    words = [word.strip(".,;:!?") for word in fold(text).replace("'", "' ").split()]
    # English is detected without the classifier, which takes a moment to load.
    if sum(word in known for word in words) > _ENGLISH_WORDS * len(words):
        return "en"
    found, probability = _identifier(()).classify(text)
    return str(found) if probability >= _SURE else ""


@cache
def _identifier(languages: tuple[str, ...]) -> Any:
    """Return the classifier of these languages, or of all, with probabilities.

    It is only read, so all detectors of a process can share it.
    """
    from py3langid.langid import MODEL_FILE, LanguageIdentifier  # pyright: ignore # noqa: PLC0415

    identifier: Any = LanguageIdentifier.from_model_file(MODEL_FILE, norm_probs=not languages)  # pyright: ignore
    if languages:
        identifier.set_languages(list(languages))
        with suppress(AttributeError):
            # What it keeps of the other 92 languages, 19 MB, to be set back to all of them. Nobody does that.
            identifier._full_model = ()
    return identifier
