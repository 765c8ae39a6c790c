"""Reads one turn: its language, intent, facts and entities."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain
from threading import Event, Thread

from amr_neo4j.domain.fact import (
    NEW_CONFIDENCE,
    SPEAKER,
    Intent,
    StatedFact,
    Triple,
    TurnContext,
    Unclear,
    Understood,
    YesOrNo,
)
from amr_neo4j.domain.masking import has_mask, mask_secrets
from amr_neo4j.domain.ports import StatementReader
from amr_neo4j.domain.relations import INSTRUCTION, PLANS, relation_kind
from amr_neo4j.language import languages
from amr_neo4j.language.plans import Intention
from amr_neo4j.language.question_words import question_words
from amr_neo4j.language.stems import words_in
from amr_neo4j.threads import waits_at_exit
from amr_neo4j.turn_reader.cleaning import without_fillers
from amr_neo4j.turn_reader.corrections import begun_correction
from amr_neo4j.turn_reader.detect import LanguageDetector
from amr_neo4j.turn_reader.ellipsis import over_with, without_verb
from amr_neo4j.turn_reader.language_kit import LanguageKit, WordTag, language_kit
from amr_neo4j.turn_reader.lines import fold, respelt
from amr_neo4j.turn_reader.mentions import Mentions
from amr_neo4j.turn_reader.prose import LIMIT, prose, question_at_end
from amr_neo4j.turn_reader.reader import Reader
from amr_neo4j.turn_reader.reading import Reading
from amr_neo4j.turn_reader.subjects import genitive
from amr_neo4j.turn_reader.wishes import head_of_quotation, is_whole, to_forget

_LONGEST_HALF = 200
"""The most characters of a turn that the next one may continue."""
_SHORT_HALF = 4
"""A turn of at most this many words counts as half a sentence because of its last word.

Longer whole turns may end with such a word.
"""
_MARKS_OF_A_CUT = ",-–—"
"""Marks that cannot end a sentence."""
_LONGEST_READ = 20 * LIMIT
"""The most characters of a turn that are looked at: prose may stand after code, which is not read."""
_PARTNER = re.compile(r" & ([A-ZÀ-ÖØ-Þ][\w'’-]*(?: [A-ZÀ-ÖØ-Þ][\w'’-]*)*)")
"""A further name in the name of a company."""
LAST = 4
"""Pronouns and corrections may refer to this many earlier turns."""
_MOST_ENTITIES = 32
NO_CONTEXT = TurnContext()


def read_by_rules(turn: str, language: str, context: TurnContext = NO_CONTEXT) -> Understood:
    """Read what a turn says by the rules of its language. This is a `ports.StatementReader`.

    Reads the first few thousand characters of prose (prose.LIMIT); code, logs, mails and quotations state nothing.
    """
    kit = language_kit(language)
    half = _first_half(kit, turn, context)
    earlier, text = _recent(context), turn
    if half and (begun := begun_correction(kit, half)):
        half, text = "", f"{begun} {turn}"
    elif half:
        earlier, text = earlier[:-1], f"{half} {turn}"
    reading = _with_earlier(kit, earlier, context.believed)
    reading.answers = bool(question_at_end(context.reply))
    Reader(kit).read(text, reading)
    if half:
        _without_half(reading, read_by_rules(half, language, TurnContext(context.earlier[:-1])), len(half) + 1)
    open_words = _opening_words(kit)
    if may_be_cut(turn) and _ends_with(turn, open_words):  # "I like my coffee with" does not yet say with what
        reading.facts = [fact for fact in reading.facts if not _ends_with(fact.triple.object, open_words)]
    _as_typed(reading, text, kit)
    _with_partners(reading, text, kit)
    intentions, dropped = _planned(turn, language)
    in_play = is_in_play(kit, turn, context.earlier)
    if in_play:
        reading.facts, dropped = [], []
        reading.retracted = reading.retracted if reading.forgets else []
    return Understood(
        language,
        _intent(reading),
        tuple(reading.facts),
        tuple(dict.fromkeys([*reading.retracted, *dropped])),
        _named(entities(kit, turn), [fact.triple for fact in reading.facts]),
        unclear=tuple(Unclear(word, names) for word, names in reading.mentions.unclear.items() if word),
        forgets=reading.forgets,
        forgotten=tuple(reading.forgotten),
        unremembered=reading.unremembered,
        ended=reading.ended,
        answer=None if in_play else _yes_or_no(kit, text, context.reply),
        continues=text != turn,
        intentions=() if reading.unremembered or in_play else (*intentions, *_instructed(turn, kit, language)),
    )


def is_in_play(kit: LanguageKit, turn: str, earlier: Sequence[str]) -> bool:
    """Return whether a turn goes on with a role play or a story told in the first person that an earlier turn opened.

    Nothing in it is meant of the speaker. A play that was opened before the earlier turns that are read is not known.
    """
    patterns, is_open = kit.patterns, False
    for said in earlier:
        line = kit.line(said[:LIMIT]).folded
        is_open = not patterns.plays_end.search(line) and (is_open or bool(patterns.plays.search(line)))
    return is_open and not patterns.plays_end.search(kit.line(turn[:LIMIT]).folded)


def _with_earlier(kit: LanguageKit, earlier: Sequence[str], believed: Sequence[Triple]) -> Reading:
    """Return the reading of a turn as it begins: with what was said in the turns before.

    These are read again for what words refer to; their facts count only as context (decision 0096).
    """
    reader, before = Reader(kit), Reading(Mentions(women=kit.words.women, men=kit.words.men))
    latest: list[Triple] = []
    for said in earlier:
        count = len(before.facts)
        reader.read(said, before)
        latest = [fact.triple for fact in before.facts[count:]]
    before.mentions.unclear.clear()
    return Reading(
        before.mentions,
        earlier=[fact.triple for fact in before.facts],
        latest=latest,
        stated=before.stated,
        believed=believed,
        question=before.question,
    )


def _intent(reading: Reading) -> Intent:
    """Return what a turn does."""
    if reading.corrects and (reading.facts or reading.retracted):
        return Intent.CORRECTION
    if reading.facts and reading.asks:
        return Intent.QUESTION_WITH_FACT
    if len(reading.facts) > 1:
        return Intent.MULTIPLE_FACTS
    if reading.facts or reading.retracted:
        return Intent.FACT_STATEMENT
    if reading.asks:
        return Intent.PURE_QUESTION
    return Intent.REACTION if reading.reacts else Intent.OTHER


def _planned(turn: str, code: str) -> tuple[tuple[StatedFact, ...], list[Triple]]:
    """Return (what a turn plans, the plans that it drops)."""
    spoken = languages.language(code)
    # "Remember to always add the date" is no plan of the speaker.
    sentences = (each for each in spoken.sentences(turn[:LIMIT]) if not spoken.instructions.read(each))
    found = dict.fromkeys(chain.from_iterable(map(spoken.plans.read, sentences)))
    planned = tuple(
        # "Momentary": a plan for a certain day ends with that day.
        StatedFact(_plan(each), NEW_CONFIDENCE, strength="momentary" if each.until else "plain", until=each.until)
        for each in found
        if not (each.dropped or spoken.plans.is_of_pronoun(each.what))
    )
    return planned, [_plan(each) for each in found if each.dropped]


def _instructed(turn: str, kit: LanguageKit, code: str) -> Iterator[StatedFact]:
    """Yield what a turn tells an assistant to do from now on, outside what it quotes, pastes or pretends."""
    spoken = languages.language(code)
    # Few turns have any, and to find what is quoted takes far longer than to look for one.
    if not any(map(spoken.instructions.read, spoken.sentences(turn[:LIMIT]))):
        return
    for sentence in spoken.sentences(prose(turn, kit.words.speaker, kit.verbs_of_speaker)):
        if Reader(kit).is_unreal(kit.line(sentence)) or head_of_quotation(kit, sentence):
            return
        if said := spoken.instructions.read(sentence):
            yield StatedFact(Triple(SPEAKER, INSTRUCTION, said.casefold()), NEW_CONFIDENCE)


def _plan(intention: Intention) -> Triple:
    return Triple(SPEAKER, PLANS, intention.what)


def _yes_or_no(kit: LanguageKit, text: str, reply: str) -> YesOrNo | None:
    """Return the answer with which a turn begins, if it is a yes or a no to the question that a reply ends with.

    None for a yes to an offer or to a question with "not", which may mean either.
    """
    question = question_at_end(reply)
    asked, said = kit.line(question), kit.line(text[:LIMIT])
    if tag := kit.patterns.tag.search(asked.folded):
        asked = asked.part(0, tag.start())
    if not question or kit.patterns.negations.search(asked.folded) or kit.words.offers & {*asked.folded.split()}:
        return None
    for agrees, pattern in ((True, kit.patterns.agrees), (False, kit.patterns.disagrees)):
        match = pattern.match(said.folded)
        if match and not said.folded[match.end() :][:1].isalnum():
            return YesOrNo(question, agrees)
    return None


def own_words(turn: str, language: str) -> str:
    """Return a turn without code, pasted lines and quoted speech."""
    kit = language_kit(language)
    return prose(turn, kit.words.speaker, kit.verbs_of_speaker)


def quotes_or_supposes(turn: str, language: str) -> bool:
    """Return whether a turn has quoted speech, or a stretch that is not meant seriously: a wish, a condition."""
    kit = language_kit(language)
    return words_in(own_words(turn, language)) != words_in(turn) or any(Reader(kit).unmeant(turn))


def states_nothing(turn: str, language: str) -> bool:
    """Return whether a turn only asks, supposes or sets a task, and states no fact besides."""
    return Reader(language_kit(language)).is_unmeant(turn) and not read_by_rules(turn, language).facts


def may_state(turn: str, language: str, triple: Triple) -> bool:
    """Return whether a turn that the rules read nothing in may state a fact of its speaker that a model reads in it.

    It is no wish, supposition or quotation, and speaks of nobody before the speaker. A fact with one value at a time
    would replace what is believed, so there the turn names the speaker, nobody else, and nothing of the past: neither
    "my sister's office at Bosch" nor "I had a flat in Oslo".
    """
    kit = language_kit(language)
    if any(Reader(kit).unmeant(turn)) or states_nothing(turn, language):
        return False
    asking, line = languages.language(language).bullets.asking, kit.line(turn[:LIMIT])
    words, named = line.folded.split(), set(fold(triple.object).split())
    somebody, pronouns = kit.roles.keys() | kit.words.kin, question_words(language).pronouns

    def is_other(word: str, written: str) -> bool:
        is_name = written[0].isupper() and not kit.words.first_names.isdisjoint((word, genitive(kit, written)))
        return word not in named and (word in somebody or written.casefold() in pronouns or is_name)

    others = [place for place, pair in enumerate(zip(words, line.written.split(), strict=True)) if is_other(*pair)]
    if relation_kind(triple.relation).single:
        said = set(words_in(turn))
        return not (others or asking.speaker.isdisjoint(said)) and asking.past.isdisjoint(said)
    own = [place for place, word in enumerate(words) if word in kit.words.speaker | kit.verbs_of_speaker]
    # "Ann and I walked": both did.
    return not others or min(own, default=len(words) + 2) <= others[0] + 2


def _first_half(kit: LanguageKit, turn: str, context: TurnContext) -> str:
    """Return the turn before if this one ends its sentence; empty if that is whole, or somebody else spoke since."""
    is_next = context.earlier and not (context.reply or context.is_apart)
    before = context.earlier[-1].strip() if is_next else ""
    return before if _goes_on(kit, before, turn) else ""


def goes_on(before: str, turn: str, language: str) -> bool:
    """Return whether a turn is the second half of the turn before by the same speaker."""
    return may_be_cut(before) and _goes_on(language_kit(language), before.strip(), turn)


def _goes_on(kit: LanguageKit, before: str, turn: str) -> bool:
    """Return whether a turn ends the sentence of the one before, as voice cuts them: "My name is" and "Tobias."."""
    after = turn.split()
    if not may_be_cut(before) or not after or _wishes(kit, turn) or _begins_with_filler(kit, turn):
        return False
    if before[-1] in _MARKS_OF_A_CUT or _ends_with(before, _opening_words(kit)):
        return not _stands_alone(kit, before, turn)
    if _ends_with_verb(kit, before):
        return not _stands_alone(kit, before, turn) and _keeps_what_was_said(kit, before, turn)
    if _begins_with_number(
        kit, turn
    ):  # "I parked on level" and "three of the garage", not "two dogs" and "three cats"
        return not _stated_in(kit, turn) and _stated_in(kit, before) <= _stated_in(kit, f"{before} {turn}")
    if not (after[0].islower() and fold(after[0]) in kit.words.closed_prepositions):
        return False
    stated = _stated_in(kit, before)
    is_over = bool(over_with(kit, kit.line(turn), stated))  # "mit Aylin ists aus"
    # "Before that I was at N26" is no end of "I work at Monzo": together they state nothing.
    return not is_over and (not stated or bool(_stated_in(kit, f"{before} {turn}")))


def _begins_with_filler(kit: LanguageKit, turn: str) -> bool:
    """Return whether the preposition that a turn begins with is part of a filler: "en fait non"."""
    line = kit.line(turn[:LIMIT])
    first = line.folded.split()[:1]
    is_preposition = not kit.words.closed_prepositions.isdisjoint(first)
    return is_preposition and without_fillers(kit, line).folded.split()[:1] != first


def _ends_with_verb(kit: LanguageKit, before: str) -> bool:
    """Return whether a turn ends with a verb. After an article or a possessive it is a noun: "il coupe son bois".

    A German subordinate clause is whole with the verb at its end: "..., wenn ich weg bin".
    """
    line = kit.line(before)
    *_, last = [0, *(match.end() for match in kit.clause_patterns.pauses.finditer(line.folded))]
    begun = line.folded[last:].split()[:1]
    if kit.inverts and last and not {*kit.table.word_classes["subordinator"], *kit.table.articles}.isdisjoint(begun):
        return False
    words = line.folded.split()
    clitics = kit.table.word_classes.get("clitic", ())  # "mi chiamo"
    owners = (kit.words.articles | kit.words.possessive_words).difference(clitics)
    is_noun = not owners.isdisjoint(words[-2:-1])
    return _ends_with(before, kit.words.verbs) and not is_noun


def _keeps_what_was_said(kit: LanguageKit, before: str, turn: str) -> bool:
    """Return whether a turn read with its end states of the same subjects what it states alone.

    The last word of "Leo turned 5 in May" may be a verb, but the sentence is whole.
    """
    alone, joined = ({each[:2] for each in _stated_in(kit, text)} for text in (before, f"{before} {turn}"))
    return alone <= joined


def _wishes(kit: LanguageKit, turn: str) -> bool:
    """Whether a turn asks memory to forget something, and so is not the second half of a turn such as "thank you"."""
    line = kit.line(turn[:LIMIT])
    pause = kit.clause_patterns.pauses.search(line.folded)
    opening = line.part(0, pause.start()) if pause else line  # a reason may follow
    return to_forget(kit, line) is not None or is_whole(kit.patterns.forgets_that, kit, opening)


def _begins_with_number(kit: LanguageKit, turn: str) -> bool:
    """Return whether a turn is a phrase without a verb that begins with a number: "three of the garage"."""
    line = kit.line(turn)
    if kit.patterns.indefinite.match(line.folded) or turn.rstrip().endswith("?"):
        return False  # "une idée de goûter ?" begins with an article
    return kit.value(line.part(0, line.folded.find(" ") + 1)) is not None and without_verb(kit, line)


def _stands_alone(kit: LanguageKit, before: str, turn: str) -> bool:
    """Whether a turn with a subject of its own states no more as the end of the turn before: "Come in", "I like it".

    Not if the turn before denies, supposes or reports something, or begins a correction, because this half then does
        too.
    """
    patterns, said = kit.patterns, kit.line(before).folded
    words = kit.line(turn).without(patterns.fillers).folded.split()
    subjects = kit.words.nominative | kit.words.possessive_words
    if not words or not (words[0] in subjects or (kit.table.drops_subject and words[0] in kit.words.verbs)):
        return False
    alone, joined = (_stated_in(kit, text) for text in (turn, f"{before} {turn}"))
    if not alone or alone < joined:
        return False
    above = (patterns.hedges, patterns.negations, patterns.conditions, patterns.supposed, patterns.refuse_clause)
    unreal = (patterns.refuse_sentence, patterns.unreal, patterns.refuse_turn)
    if patterns.questions.match(said):
        return True
    if any(each.search(said) for each in (*above, *unreal)) or begun_correction(kit, before):
        return False
    # "He said", "I know": if nothing is stated any more, the verb governs what follows. "Come in" does not.
    return alone == joined or before[-1] in _MARKS_OF_A_CUT or _ends_with(before, _opening_words(kit))


def _stated_in(kit: LanguageKit, text: str) -> set[Triple]:
    """Return what a text states or takes back by itself."""
    reading = Reading(Mentions(women=kit.words.women, men=kit.words.men))
    Reader(kit).read(text, reading)
    return {*(fact.triple for fact in reading.facts), *reading.retracted}


def may_be_cut(turn: str) -> bool:
    """Return whether a turn may be the first half of one that was cut in two: no mark ends it."""
    turn = turn.strip()
    return bool(turn) and len(turn) <= _LONGEST_HALF and turn[-1] not in '.!?…:;"”»)'


def is_half(turn: str, language: str) -> bool:
    """Return whether a turn breaks off: "I put the key under the".

    A word that may also end a sentence, as in "the firm I work for", counts only in a short turn.
    """
    if not may_be_cut(turn):
        return False
    kit, turn = language_kit(language), turn.strip()
    is_short = len(turn.split()) <= _SHORT_HALF
    open_words = _opening_words(kit) | kit.words.verbs if is_short else kit.words.articles | kit.words.possessives
    return turn[-1] in _MARKS_OF_A_CUT or _ends_with(turn, open_words)


def _opening_words(kit: LanguageKit) -> frozenset[str]:
    """Return the words that cannot end a phrase."""
    return kit.words.closed_prepositions | kit.words.articles | kit.words.possessives


def _ends_with(turn: str, words: frozenset[str]) -> bool:
    return not words.isdisjoint(fold(turn).replace("'", " ").split()[-1:])


def _without_half(reading: Reading, half: Understood, offset: int) -> None:
    """Drop from a joined turn the facts that its first half stated alone. Retract those that only that half stated.

    offset: where the second half begins in the text that was read.
    """
    stated = {fact.triple for fact in half.facts}
    joined = {fact.triple for fact in reading.facts}
    reading.retracted = [triple for triple in reading.retracted if triple not in half.retracted]
    reading.retracted.extend(triple for triple in stated if triple not in joined)
    kept = [fact for fact in reading.facts if fact.triple not in stated]
    spans = [(max(0, fact.span[0] - offset), max(0, fact.span[1] - offset)) for fact in kept]
    reading.facts = [replace(fact, span=span) for fact, span in zip(kept, spans, strict=True)]


class _Over(Exception):
    """The program ends."""


class Understander:
    """Reads turns in some languages.

    The constructor loads the rules of the first language. A thread then loads the classifier of languages, a network
    that reads, and the other rules, and compiles all frames. A turn that comes earlier compiles what it needs itself,
    and may take up to a second.
    """

    def __init__(
        self,
        languages: Sequence[str],
        give_way: Callable[[Event], object] = lambda hurried: None,
        read: StatementReader = read_by_rules,
        prepare: Callable[[str], object] = question_words,
    ) -> None:
        """languages: codes of languages with a facts.yaml, the likely ones first.

        prepare: called by the thread with each code, to read what the first question in that language needs.

        give_way: called by the thread before each frame, with an event. It may wait to let other work go first, until
            the event is set.
        Raises FileNotFoundError: a language has no facts.yaml; ValueError: no language is given.
        """
        self._read = read
        self._give_way, self._hurried = give_way, Event()
        self._detector = LanguageDetector(languages)
        language_kit(languages[0])
        self._is_over = False
        self._preparing = Thread(target=self._prepare, args=(languages, prepare), name="amr-compile", daemon=True)
        waits_at_exit(self._stop)
        self._preparing.start()

    def _prepare(self, languages: Sequence[str], prepare: Callable[[str], object]) -> None:
        def between() -> None:
            if self._is_over:
                raise _Over
            self._give_way(self._hurried)

        with suppress(_Over):
            self._detector.prewarm()
            between()
            self._read("", languages[0], NO_CONTEXT)  # a network is loaded when it is first used
            for code in languages:
                between()
                prepare(code)
                language_kit(code).compile(between)

    def _stop(self, seconds: float) -> None:
        """Let the thread end after what it reads or compiles now. Nobody needs the rest at the end of the program."""
        self._is_over = True
        self._hurried.set()
        self._preparing.join(seconds)

    def ready(self) -> None:
        """Wait until everything is loaded and compiled."""
        self._hurried.set()
        self._preparing.join()

    def language_of(self, turns: Sequence[str]) -> str:
        """Return the code of the language of some turns; of the last one, if they differ. "" without turns."""
        return self._detector.detect(turns[-1], turns[:-1][-LAST:]) if turns else ""

    def understand(self, text: str, context: TurnContext = NO_CONTEXT, *, by_rules: bool = False) -> Understood:
        """Detect the language of a turn and return what the turn says. context: the turns before it.

        by_rules: read it by the rules alone.

        Secrets are masked before the turn is read, and what has a mask is no fact. Only the beginning of a pasted
        file is read.
        """
        before = context.reply or (context.earlier[-1] if context.earlier else "")
        text = mask_secrets(text[:_LONGEST_READ], before)
        read = read_by_rules if by_rules else self._read
        understood = read(text, self._detector.detect(text, _recent(context)), context)
        facts = tuple(fact for fact in understood.facts if not has_mask(fact.triple.object))
        intentions = tuple(fact for fact in understood.intentions if not has_mask(fact.triple.object))
        return replace(understood, facts=facts, intentions=intentions)


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


def _with_partners(reading: Reading, text: str, kit: LanguageKit) -> None:
    """Complete the names of companies that are joined by an ampersand, and cut off a clause after one."""
    for number, fact in enumerate(reading.facts if "&" in text else ()):
        first, _, _ = fact.triple.object.partition(" &")
        named = re.search(rf"\b(?i:{re.escape(first)})(?= & [A-ZÀ-ÖØ-Þ])", text)
        if not named or relation_kind(fact.triple.relation).object != "ORGANISATION":
            continue
        whole, stop = first, named.end()
        while (partner := _PARTNER.match(text, stop)) and _is_partner(partner[1], text[partner.end() :], kit):
            whole, stop = f"{whole}{partner[0].lower()}", partner.end()
        reading.facts[number] = replace(fact, triple=fact.triple._replace(object=whole))


def _is_partner(name: str, rest: str, kit: LanguageKit) -> bool:
    """Return whether a name after an ampersand belongs to the company before it. Otherwise it begins a clause.

    rest: the text after the name.
    """
    words, first = kit.words, name.partition(" ")[0]
    spelt = {*re.split("['’]", fold(first)), first.lower()}
    if spelt & (words.closed | words.closed_written | words.dates | words.possessive_words | words.adverbs):
        return False
    # A person, or the verb of a clause without a subject: only the end of the sentence shows that no clause follows.
    if spelt & (words.names_anywhere | words.never_name | words.conjugated | words.own_verbs | words.others_verbs):
        return bool(re.match(r"[^\w\s,]|\s*$", rest))
    following = re.findall(r"\w+|[^\w\s]", rest)
    fillers = {fold(filler) for filler in kit.table.reading.fillers}
    while following and fold(following[0]) in fillers:
        following.pop(0)
    goes_on = (WordTag.PREPOSITION, WordTag.CONJUNCTION, WordTag.SUBORDINATOR, WordTag.RELATIVE)
    word = fold(following[0]) if following else ""
    return not word or not word[0].isalnum() or any(word in kit.closed_classes[each] for each in goes_on)


def entities(kit: LanguageKit, text: str) -> list[str]:
    """Return what a text names, lower case, in the order of the text, each once.

    These are runs of capitalised words, other words that are neither function words nor verbs, and "you" for the
    speaker. Where a language may leave out the subject, the verb's form shows the speaker. "Can you tell me" does not
    name the speaker.
    """
    words = kit.line(prose(text)).without(kit.patterns.requests).written.split()
    found: dict[str, None] = {}
    run: list[str] = []
    drops = kit.table.drops_subject
    owners = {fold(word) for word in kit.table.possessives}
    for word in [*words, "."]:  # the full stop ends a run at the end of the text
        folded = fold(word)
        is_common = folded in kit.words.stopwords or not word[0].isalpha() or folded in kit.words.finite
        if run and (is_common or not word[0].isupper()):
            found.setdefault(" ".join(run).lower())
            run = []
        if folded in kit.words.speaker or folded in owners or (drops and folded in kit.words.own_verbs):
            found.setdefault(SPEAKER)
        elif not is_common and word[0].isupper():
            run.append(word)
        elif not is_common:
            found.setdefault(word.lower())
    return list(found)[:_MOST_ENTITIES]


def _named(found: list[str], facts: list[Triple]) -> tuple[str, ...]:
    """Return the entities found in the text and the subjects and objects of its facts, each once."""
    return tuple(dict.fromkeys([*found, *(word for fact in facts for word in (fact.subject, fact.object))]))
