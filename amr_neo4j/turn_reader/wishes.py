"""Finds where a sentence reports somebody else's words, and wishes about what memory keeps."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import product

from amr_neo4j.domain.fact import SPEAKER, Triple
from amr_neo4j.turn_reader.language_kit import LanguageKit
from amr_neo4j.turn_reader.lines import Line, plain
from amr_neo4j.turn_reader.mentions import MAN, WOMAN
from amr_neo4j.turn_reader.normalise import edges
from amr_neo4j.turn_reader.subjects import opening_noun

# "At 10:30" has no head.
_COLON = re.compile(r":(?=\s|$)")
# The speaker is named at most this many words before the verb: "I have always said".
_WORDS_BEFORE_VERB = 3
# The name of who speaks in a transcript has at most this many words: "my sister in law Ann".
_MOST_WORDS_OF_SPEAKER = 5


def head_of_quotation(kit: LanguageKit, sentence: str) -> str:
    """Return what comes before somebody else's words: "My client says" of "My client says: I live in Bonn."

    Empty if all words are the speaker's own: "My job: nurse", "As I said: I live in Rome".
    """
    colon = _COLON.search(sentence)
    if colon is None:
        return ""
    head = kit.line(sentence[: colon.start()])
    words = set(head.folded.split())
    if any(each.end() >= len(head.folded.rstrip()) for each in kit.patterns.quotatives.finditer(head.folded)):
        return sentence[: colon.start()]
    is_own = not words.isdisjoint(kit.words.first_person)
    if _is_named_alone(kit, head) and _is_of_speaker(kit, sentence[colon.end() :]):
        return sentence[: colon.start()]
    if not is_own and not words.isdisjoint(kit.words.quoting_verbs):
        return sentence[: colon.start()]
    after = edges(kit.line(sentence[colon.end() :])).folded
    is_of_user = kit.patterns.the_user.match(after) or kit.patterns.user_alone.match(after)
    is_note = is_of_user and not words.isdisjoint(kit.words.note_heads)  # "Memory note: the user lives in Bonn"
    return "" if is_note or words.isdisjoint(kit.words.quoting_nouns) else sentence[: colon.start()]


def _is_named_alone(kit: LanguageKit, head: Line) -> bool:
    """Return whether what comes before a colon is a name or a role, as in a transcript: "Tom: I live in Kent".

    "Hi Tom: I live in Kent" and "About my sister: I live with her" are the speaker's own words.
    """
    words = head.folded.split()
    # A greeting or a preposition begins a sentence of the speaker's own.
    is_own = not (kit.words.stopwords - kit.words.possessives - kit.words.articles).isdisjoint(words[:1])
    return len(words) <= _MOST_WORDS_OF_SPEAKER and not is_own and is_somebody(kit, head)


def is_somebody(kit: LanguageKit, line: Line) -> bool:
    """Return whether a line ends with a name or a role."""
    *_, last = ["", *line.folded.split()]
    return last in kit.roles.keys() | kit.words.kin | (kit.words.first_names - kit.words.towns)


def _is_of_speaker(kit: LanguageKit, text: str) -> bool:
    """Return whether a text begins with "I", "we" or, where that may be left out, their verb.

    In "my brother: I live with him" he is no speaker.
    """
    said = kit.line(text).folded.split()
    others = {word for word, kind in kit.others.items() if kind in (MAN, WOMAN)} - kit.words.articles
    begun = [word for word in said if word not in kit.words.between][:1]
    own = kit.words.speaker | kit.words.possessives | kit.verbs_of_speaker
    return others.isdisjoint(said) and not own.isdisjoint(begun)


def without_reported(kit: LanguageKit, line: Line) -> Line:
    """Cut what another says, of the speaker or as a quotation: "[my client says that I live in Bonn]"."""
    words = kit.words
    subjects = words.speaker | kit.verbs_of_speaker
    ways = (
        (kit.patterns.reported, subjects | words.first_person | words.possessives),
        (kit.patterns.quotatives, subjects),  # "She goes I'm 40", but not "she goes to my school"
    )
    for pattern, of_speaker in ways:
        for match in pattern.finditer(line.folded):
            before, after = line.folded[: match.start()].split(), line.folded[match.end() :].split()
            said = next((word for word in after if word not in words.between), "")
            is_own = not words.first_person.isdisjoint(before[-_WORDS_BEFORE_VERB:])
            is_time = any(not each.isdisjoint(match[0].split()) for each in kit.lengths.values())  # "un anno fa"
            if said in of_speaker and not (is_own or is_time):
                return line.part(0, match.start())
    return line


def is_unremembered(kit: LanguageKit, line: Line) -> bool:
    """Return whether a sentence asks memory to keep nothing of the turn; "I don't remember that" is no such wish."""
    for match in kit.patterns.unremembered.finditer(line.folded):
        before = line.folded[: match.start()].split()[-1:]
        if (kit.words.speaker | kit.others.keys()).isdisjoint(before):
            return True
    return False


@dataclass(frozen=True, slots=True)
class Wish:
    """What a sentence asks memory to forget.

    start: where the wish begins in the sentence, since a reason may come before: "I changed my mind, forget ...".
    named: what is to be forgotten, such as "where I live".
    words: the same without a reason that follows ("where I live, it's private"); empty if only what it states is to
        be forgotten.
    topic: the triple without an object that it names, if any.
    is_polite: it says "please" or the like.
    """

    start: int
    named: Line
    words: str
    topic: Triple | None
    is_polite: bool


def to_forget(kit: LanguageKit, line: Line) -> Wish | None:
    """Return what a sentence asks memory to forget; None if it asks for nothing."""
    if wish := _wish(kit, line, 0):
        return wish
    for pause in kit.clause_patterns.pauses.finditer(line.folded):
        wish = _wish(kit, line, pause.end()) if _is_reason(kit, line.part(0, pause.start())) else None
        if wish is None:
            continue
        is_topic = wish.topic is not None and kit.line(wish.words).folded.strip() in kit.topics
        # Behind a reason, only what is asked politely may be about anything: "I need to move on, forget Tom" is said
        # to oneself.
        return wish if is_topic or wish.is_polite else replace(wish, words="", topic=None)
    return None


def _is_reason(kit: LanguageKit, before: Line) -> bool:
    """Whether what comes before a wish is neither a condition nor a report: "He always says, forget where I live"."""
    patterns = (
        kit.patterns.conditions,
        kit.patterns.questions,
        kit.patterns.refuse_sentence,
        kit.patterns.refuse_clause,
    )
    is_plain = not any(pattern.search(before.folded) for pattern in patterns)
    return is_plain and kit.words.quoting_verbs.isdisjoint(before.folded.split())


def _wish(kit: LanguageKit, line: Line, start: int) -> Wish | None:
    raw = edges(line.after(start))
    # "Kannst du bitte vergessen": what is polite may be what makes it a wish.
    asked = dict.fromkeys((raw, _polite(kit, raw)))
    for patterns in (kit.each.forgets, kit.each.forgets_statements, kit.each.forgets_topics):
        for way, pattern in product(asked, patterns):
            match = pattern.fullmatch(way.folded)
            if match is None:
                continue
            named = way.group(match, "object")
            if kit.clause_patterns.pauses.match(named.folded):
                return None  # "Forget that, we're late!"
            named = _polite(kit, edges(named))
            pause = kit.clause_patterns.pauses.search(named.folded)
            first = _polite(kit, edges(named.part(0, pause.start()))) if pause else named
            # "Vergiss nicht, dass ...": a reminder. "Forget it, ...": an idiom.
            if not first.folded or kit.patterns.negations.match(first.folded) or _is_pronoun(kit, first):
                return None
            topic = topic_of(kit, first, roles=patterns is not kit.each.forgets_topics)
            if patterns is kit.each.forgets_statements and topic is None:
                return Wish(start, named, "", None, way is not raw)
            if topic or patterns is kit.each.forgets:
                return Wish(start, named, plain(first), topic, way is not raw)
    return None


def _is_pronoun(kit: LanguageKit, line: Line) -> bool:
    return set(line.folded.split()) <= kit.others.keys() | kit.words.object_pronouns


def topic_of(kit: LanguageKit, line: Line, *, roles: bool) -> Triple | None:
    """Return the triple without an object that a topic names: (you, lives_in, "") for "where I live".

    roles: whether relatives are topics, too: (you, wife, "") for "my wife".
    """
    phrase = line.folded.strip()
    for topic, relation in kit.topics.items():
        # "where I live from your files", but not "my name from the guest list"
        may_go_on = phrase.startswith(f"{topic} ") and not kit.patterns.possessives.match(topic)
        if phrase == topic or may_go_on:
            return Triple(SPEAKER, relation, "")
    owned = kit.patterns.possessives.match(line.folded)
    rest = line.after(owned.end()) if owned else None
    if rest is None or not rest.folded:
        return None
    for topic, relation in kit.topics.items():  # "mit meiner Adresse", while the table has "meine Adresse"
        if topic.endswith(f" {rest.folded.strip()}") and kit.patterns.possessives.match(f"{topic} "):
            return Triple(SPEAKER, relation, "")
    noun = opening_noun(kit, rest) if roles else None
    if noun and rest.folded.strip() == noun:
        return Triple(SPEAKER, kit.roles[noun], "")
    return None


def is_whole(pattern: re.Pattern[str], kit: LanguageKit, line: Line) -> bool:
    """Return whether a pattern matches all of a sentence, but for marks and polite words."""
    bare = _polite(kit, edges(line)).folded
    return bool(bare) and pattern.fullmatch(bare) is not None


def _polite(kit: LanguageKit, line: Line) -> Line:
    """Return a sentence without "please" and the like at its beginning and its end."""
    while (match := kit.patterns.polite.match(line.folded)) and match.end():
        line = edges(line.after(match.end()))
    end = kit.patterns.polite_end.search(line.folded)
    return edges(line.part(0, end.start())) if end else line
