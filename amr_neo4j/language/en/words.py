# pyright: basic
"""Word forms of English, from LemmInflect's dictionary (NIH SPECIALIST lexicon).

Words the dictionary lacks (names, other languages) are left as they are: no link is better than a wrong one.
LemmInflect rather than inflect: inflect takes 2 s to import, reads "bus" as a plural, and has no verbs.
"""

from __future__ import annotations

from functools import lru_cache

from lemminflect import getAllInflections, getAllLemmas, getLemma

from amr_neo4j.language.en import dictionary

dictionary.install()


@lru_cache(maxsize=8192)
def verb_lemmas(word: str) -> tuple[str, ...]:
    """Every verb that `word` may be a form of ("lay": lay, lie); empty for an unknown verb."""
    if lemmas := getLemma(word, "VERB", lemmatize_oov=False):
        return tuple(sorted(lemmas, key=lambda lemma: lemma != word))
    prefix, stem = _split(word)
    return tuple(prefix + lemma for lemma in verb_lemmas(stem)) if prefix else ()


@lru_cache(maxsize=8192)
def noun_lemmas(word: str) -> tuple[str, ...]:
    """Every noun that `word` may be a form of ("glasses": glass, glasses); empty for an unknown noun."""
    return tuple(getLemma(word, "NOUN", lemmatize_oov=False))


@lru_cache(maxsize=8192)
def is_word(word: str) -> bool:
    """Whether the dictionary has the word, as any part of speech."""
    return bool(getAllLemmas(word))


def noun_plural(noun: str) -> str:
    """The plural of a single-word noun; a word that the dictionary lacks takes an s."""
    listed = getAllInflections(noun, "NOUN").get("NNS")
    return listed[0] if listed else noun + "s"


def verb_form(lemma: str, tag: str) -> str:
    """A single-word verb in the form of a Penn tag (VBZ "takes", VBD "took", VBN "taken", VBG); rules where unlisted.

    The dictionary lists VBN only where it is not the past tense.
    """
    listed = getAllInflections(lemma, "VERB")
    if forms := listed.get(tag) or (listed.get("VBD") if tag == "VBN" else None):
        return forms[0]
    prefix, stem = _split(lemma)
    return prefix + verb_form(stem, tag) if prefix else _regular(lemma, tag)


def _split(verb: str) -> tuple[str, str]:
    """ "reclose" is as regular as "close", which the dictionary has."""
    return (verb[:2], verb[2:]) if verb[:2] in ("un", "re") and verb[2:] else ("", verb)


def _regular(lemma: str, tag: str) -> str:
    if tag == "VBZ":
        return lemma + ("es" if lemma.endswith(("s", "x", "z", "ch", "sh")) else "s")
    stem = lemma.removesuffix("e")
    return stem + ("ing" if tag == "VBG" else "ed")
