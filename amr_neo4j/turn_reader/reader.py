"""Reads a turn in one language, sentence by sentence."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

from amr_neo4j.domain.fact import StatedFact, Triple, meant
from amr_neo4j.domain.relations import relation_kind
from amr_neo4j.language.languages import language
from amr_neo4j.turn_reader.attempts import answered, attempts, fitting, shorter
from amr_neo4j.turn_reader.cleaning import Cleaned, clean, without_fillers, without_hedges, without_leads
from amr_neo4j.turn_reader.corrections import (
    corrected_event,
    corrects_to,
    take_back_replaced,
    without_correction,
    without_correction_at_end,
)
from amr_neo4j.turn_reader.ellipsis import completed, echo, gapped, is_echo, over, over_with, without_verb
from amr_neo4j.turn_reader.frames import Found
from amr_neo4j.turn_reader.language_kit import NOTED, LanguageKit
from amr_neo4j.turn_reader.lines import Line, fold, join, plain
from amr_neo4j.turn_reader.manner import Manner, dated_back, ended_on, manner_of, since_of
from amr_neo4j.turn_reader.mentions import MANY, SOMEBODY, THING, Mentions, Referent
from amr_neo4j.turn_reader.normalise import bare, edges, is_name, listed_names, trim
from amr_neo4j.turn_reader.places import homes, place_at
from amr_neo4j.turn_reader.prose import STRAIGHT_QUOTES, prose, sentences
from amr_neo4j.turn_reader.reading import CORRECTION, GUESS, HEDGE, SURE, Reading
from amr_neo4j.turn_reader.segment import TurnClause, clauses
from amr_neo4j.turn_reader.simple_clauses import is_owner, simple_clauses, without_apposition, without_nested
from amr_neo4j.turn_reader.statements import (
    FRIENDS,
    NOBODY,
    ClauseStatement,
    ends_all,
    statement,
)
from amr_neo4j.turn_reader.subjects import (
    YOU,
    capitalised,
    does_something,
    looks_named,
    mention_of,
    opening_noun,
    role_facts,
    role_opening,
    role_phrase,
)
from amr_neo4j.turn_reader.wishes import (
    head_of_quotation,
    is_somebody,
    is_unremembered,
    is_whole,
    to_forget,
    without_reported,
)

_ANSWER = 6
"""Most words of a phrase that answers a question."""
_NOTE_HEAD = re.compile(r"(?:[(\[] )?(?:[^\s:]+ ){1,3}[:)\]] ")
"""What a program writes before a note: "Memory note: ", "[memory] "."""
_LONGEST_THING = 3
"""Most words of a thing that a clause begins with."""


class Reader:
    """Reads turns with one language's kit."""

    def __init__(self, kit: LanguageKit) -> None:
        self._kit = kit

    def read(self, text: str, reading: Reading) -> None:
        """Add what a turn states to the reading. Stop at a sentence that makes the rest unreal: "pretend ..."."""
        kit = self._kit
        topic, first, at = "", len(reading.facts), 0
        before = first  # index of the first fact of the sentence before
        # Sentences come with straight quotes, so their places are looked up in a text with straight quotes.
        straight = text.translate(STRAIGHT_QUOTES)
        for sentence in self._sentences(text):
            line = kit.line(sentence)
            if self._takes_back_last(line, reading, (first, before)):
                continue
            if self.is_unreal(line):
                break
            reading.unremembered = reading.unremembered or is_unremembered(kit, line)
            if self._forgets(line, reading):
                continue
            start = straight.find(sentence, at)
            span = (start, start + len(sentence)) if start >= 0 else (0, len(text))
            at = span[1] if start >= 0 else at
            count = before = len(reading.facts)
            over = len(reading.retracted)
            reading.mentions.sentence += 1
            head = head_of_quotation(kit, sentence)
            own = head or sentence
            if topic:  # "Badminton club? Every Friday.": read with the topic, and alone if that states nothing
                self._sentence(f"{topic} = {own}", reading)
            if count == len(reading.facts) and not self._corrects_itself(own, reading):
                self._sentence(own, reading)
            _locate(reading.facts, first, span)
            if until := ended_on(kit, line.folded):
                ended = (fact.triple for fact in reading.facts[count:])
                gone = (each._replace(relation=relation_kind(each.relation).ends) for each in ended)
                reading.ended |= dict.fromkeys(
                    [*reading.retracted[over:], *(each for each in gone if each[1])], until
                )
            if head:
                break  # what follows is the quotation, whose end nobody marks
            topic = self._topic(sentence, reading)
        # "Don't remember this" may come after what it is about.
        if reading.unremembered:
            del reading.facts[first:]
        self._name_subjects(reading, first)

    def _sentences(self, text: str) -> Iterator[str]:
        kit = self._kit
        said = prose(text, kit.words.speaker, kit.verbs_of_speaker)
        return filter(None, sentences(said, kit.abbreviations))

    def is_unreal(self, line: Line) -> bool:
        """Return whether a sentence makes all that follows in the turn unreal: "pretend that ..."."""
        patterns, opened = self._kit.patterns, without_fillers(self._kit, line)
        is_opened = patterns.unreal.search(line.folded) or patterns.plays.search(line.folded)
        return bool(patterns.refuse_turn.match(opened.folded) or is_opened)

    def unmeant(self, text: str) -> Iterator[tuple[int, int, bool]]:
        """Yield (start, end, whether it is a wish or plan) of each stretch that is quoted or not meant seriously."""
        kit, at = self._kit, 0
        straight = text.translate(STRAIGHT_QUOTES)
        for sentence in self._sentences(text):
            start = max(at, straight.find(sentence, at))
            at = start + len(sentence)
            line = kit.line(sentence)
            if head := head_of_quotation(kit, sentence):
                yield start + len(head), len(text), False
            if self.is_unreal(line):
                yield start, len(text), False
            elif kit.patterns.refuse_sentence.search(line.folded):
                yield start, at, False
            elif (own := without_reported(kit, line)) is not line:
                yield start + _length_of(own, sentence), at, False
            elif kit.patterns.refuse_clause.search(line.folded):
                yield start, at, True

    def is_unmeant(self, text: str) -> bool:
        """Return whether a turn has nothing but questions, hypotheses and tasks ("Translate: I live in Rome")."""
        kit, unmeant = self._kit, False
        for sentence in self._sentences(text):
            line = kit.line(sentence)
            opened = without_fillers(kit, line)
            if self.is_unreal(line):
                return True
            # "Si j'avais": at the beginning, "si" is also a yes, which is left out of `opened`.
            if not (_asks(kit, sentence, opened) or _supposes(kit, opened) or _supposes(kit, line)):
                return False
            unmeant = True
        return unmeant

    def _takes_back_last(self, line: Line, reading: Reading, begins: tuple[int, int]) -> bool:
        """Take back what was said last, if the sentence says so: "Not.", "Just kidding.", "Forget what I just said."

        begins: the indexes of the first fact of the turn and of its last sentence. Returns whether the sentence does.
        """
        kit, (first, before) = self._kit, begins
        pause = kit.clause_patterns.pauses.search(line.folded)
        opening = line.part(0, pause.start()) if pause else line
        is_unsaid = is_whole(kit.patterns.jokes, kit, line) or is_whole(kit.patterns.unsaid, kit, line)
        # "Just kidding, I hate them": what follows the comma is meant.
        is_joke = is_unsaid or is_whole(kit.patterns.jokes, kit, opening)
        forgets = self._forgets_that(line, reading)
        if len(reading.facts) > first:
            # Without what is polite: "No, thanks" takes nothing back.
            if not (is_joke or forgets or kit.patterns.not_so.fullmatch(edges(line).folded)):
                return False
            del reading.facts[before:]
        elif is_joke or forgets:
            reading.retracted.extend(reading.latest)
        reading.forgets = reading.forgets or forgets
        return is_unsaid or forgets

    def _forgets_that(self, line: Line, reading: Reading) -> bool:
        """Whether a sentence asks to forget what was said last, maybe with a reason: "Delete that, it's private"."""
        kit = self._kit
        if is_whole(kit.patterns.forgets_that, kit, line):
            return True
        pause = kit.clause_patterns.pauses.search(line.folded)
        if pause is None or not is_whole(kit.patterns.forgets_that, kit, line.part(0, pause.start())):
            return False
        # "Forget that, I meant Rome" corrects, "Forget that, how are you?" asks, "Forget that, we're late" hurries.
        reason = line.after(pause.end())
        if to_forget(kit, reason):  # "Forget that, I don't want you to keep where I live"
            return True
        after = self._apart(reason, reading)
        is_about_it = reason.folded.partition(" ")[0] in kit.words.it
        says_why = is_about_it or kit.patterns.negations.search(reason.folded) is not None
        return says_why and not (after.facts or after.corrects or after.asks)

    def _forgets(self, line: Line, reading: Reading) -> bool:
        """Take back what the sentence asks memory to forget; return whether it asks so."""
        wish = to_forget(self._kit, line)
        if wish is None:
            return False
        stated = Reading() if wish.topic else self._apart(wish.named, reading)
        if not (wish.topic or wish.words or stated.facts):
            return False  # "Remove that comma"
        reading.forgets = True
        before = line.part(0, wish.start)
        if before.folded and not self._takes_back_last(before, reading, (len(reading.facts), len(reading.facts))):
            self._sentence(_as_text(before), reading)
        if wish.topic:
            reading.retracted.append(wish.topic)
            return True
        reading.retracted.extend(fact.triple for fact in stated.facts)
        # No rule reads it ("my diabetes"), so facts are looked up by its words.
        if not stated.facts:
            reading.forgotten.append(wish.words)
        return True

    def _apart(self, line: Line, reading: Reading) -> Reading:
        """Read a line into a reading of its own, because it is not stated."""
        apart = replace(reading, facts=[], retracted=[], stated=[*reading.stated], corrects=False, asks=False)
        self._sentence(_as_text(line), apart)
        return apart

    def _name_subjects(self, reading: Reading, first: int) -> None:
        """Replace nouns as subjects of this turn's facts by names: "my sister lives in Rome. Her name is Ana.".

        first: index of the turn's first fact; earlier facts stay as they are.
        """
        named = reading.mentions.named
        for number, fact in enumerate(reading.facts[first:], first):
            if name := named.get(fold(fact.triple.subject)):
                reading.facts[number] = replace(fact, triple=fact.triple._replace(subject=name))

    def _topic(self, sentence: str, reading: Reading) -> str:
        """Return the topic that a short question sets for the next sentence: "badminton club?"; empty for none."""
        kit = self._kit
        topic = sentence.rstrip("?!. ")
        line = kit.line(topic)
        words = line.folded.split()
        if "?" not in sentence[-3:] or not 0 < len(words) <= 4 or kit.patterns.questions.match(line.folded):
            return ""
        if any(word in kit.words.finite for word in words):
            return ""
        if self._fragment(line, reading) is None:
            reading.mentions.add(Referent(plain(trim(kit, bare(kit, line))), THING))
        return topic

    def _sentence(self, text: str, reading: Reading) -> None:
        """Read one sentence: handle corrections and questions, then cut what remains into clauses and read these.

        A question states nothing, except before a tag ("I live in Rome, right?") or in the clauses before the last.
        """
        kit, over = self._kit, len(reading.retracted)
        line = self._introduced(self._noted(kit.line(text), reading))
        line = self._without_former(line)
        reacts = kit.patterns.reactions.fullmatch(line.folded) is not None
        reading.reacts = reading.reacts or reacts
        line = without_reported(kit, self._real(line, is_question="?" in text))
        value = without_correction(kit, line, reading)
        value = without_correction_at_end(kit, value, reading)
        lead = line.part(0, max(0, line.folded.find(value.folded))).folded.replace(",", " ").split()
        # "Oh, Paris!" only exclaims, and "No, Paris." after "Shall I look for flights?" says nothing of a home.
        is_exclaimed = bool(lead) and not reading.facts and kit.words.interjections.issuperset(lead)
        line = value
        end = corrects_to(kit, line, reading, takes_bare=not (is_exclaimed or reading.answers))
        if end:
            line = line.after(end)
        opening = without_fillers(kit, line)
        for asked in (line, opening):
            # "Did I tell you that I live in Rome?" is a statement in the form of a question.
            if telling := kit.patterns.tellings.match(asked.folded):
                text = text.rstrip("?!. ")
                line = opening = asked.after(telling.end())
                break
            if unsure := kit.patterns.unsure_of.match(asked.folded):
                line = opening = asked.after(unsure.end())
                break
        begins = (line,) if "?" not in text and self._begins_with_day(line, opening) else (line, opening)
        if any(kit.patterns.questions.match(begun.folded) for begun in begins):
            reading.asks = True
            reading.question = edges(opening)
            return
        # A question can be answered only by the sentence right after it, and by no "wow".
        question, reading.question = reading.question, None
        if question is not None and not reacts and self._answers(question, edges(opening), reading):
            return
        if tag := kit.patterns.tag.search(line.folded):
            line = line.part(0, tag.start())
            if self._asks_before(line):
                reading.asks = True
                return
        line = self._without_age(
            line.without(kit.clause_patterns.asides).without(kit.clause_patterns.versus), reading
        )
        line, nested = without_nested(kit, self._undoubled(without_apposition(kit, self._relocated(line))))
        if self._ends_bond(line, reading):
            return
        parts = self._meant(
            clauses(kit, self._affirmed(line), states=self._states, continues=self._continues, lists=self._lists)
        )
        if tag:
            reading.asks = True
        elif "?" in text[-3:]:
            reading.asks = True
            parts = parts[:-1]  # the last clause is the question; what comes before it may state something
        self._clauses([*parts, *map(TurnClause, nested)], reading)
        if len(reading.retracted) == over:  # "I sold my house in Leeds" says where nobody lives any more
            self._at_home(line, reading)

    def _corrects_itself(self, text: str, reading: Reading) -> bool:
        """Read a sentence that corrects a value of its own as two: "I live in Leeds, sorry, Luton".

        Returns whether it does: what stands behind the excuse must replace something that was stated before it. In
        "I like tea, sorry, mum" somebody is spoken to.
        """
        kit, line = self._kit, self._kit.line(text)
        for pause in () if "?" in text else kit.clause_patterns.pauses.finditer(line.folded):
            excuse, rest = Reading(), line.after(pause.end())
            value = without_correction(kit, rest, excuse)
            end = kit.clause_patterns.pauses.search(value.folded)
            new = value.part(0, end.start()) if end else value
            if not (excuse.corrects and new.folded.strip() and without_verb(kit, new)):
                continue
            before = line.part(0, pause.start())
            trial = self._apart(before, reading)
            stated = {fact.triple for fact in trial.facts}
            is_of_people = any(each.relation == "name" or relation_kind(each.relation).role for each in stated)
            if is_somebody(kit, new) and not is_of_people:
                continue
            trial.answers = trial.corrects = False
            self._sentence(_as_text(rest), trial)
            if trial.corrects and not stated <= {fact.triple for fact in trial.facts}:
                self._sentence(_as_text(before), reading)
                answers, reading.answers = reading.answers, False  # the value corrects, and answers nobody
                self._sentence(_as_text(rest), reading)
                reading.answers = answers
                return True
        return False

    def _ends_bond(self, line: Line, reading: Reading) -> bool:
        """Take back who somebody is if that is over: "My husband Rob and I are getting divorced"."""
        kit = self._kit
        for match in kit.role_patterns.named_role.finditer(line.folded):
            role = role_opening(kit, line.after(match.start(1)))
            relation = kit.roles[role[0]] if role else ""
            if role is None or not relation_kind(relation).bond:
                continue
            name = line.folded.index(role[1].folded, match.start(1))
            alone = clean(kit, edges(line.replaced((match.start(), name))))
            found = (each.frame.rule for way in shorter(kit, alone.line) for each in fitting(kit, way))
            if not alone.denied and any(rule.ends and relation_kind(rule.gives).bond for rule in found):
                reading.retracted.extend(role_facts(relation, plain(role[1])))
                return True
        return False

    def _begins_with_day(self, line: Line, opened: Line) -> bool:
        """Return whether a day is the subject: "Today was my first day". Without it, "was my first day" would ask."""
        kit = self._kit
        words = opened.folded.split()
        days = kit.words.today | kit.words.yesterday
        is_of_speaker = len(words) > 1 and words[1] in kit.words.possessive_words
        return is_of_speaker and not days.isdisjoint(line.folded.removesuffix(opened.folded).split())

    def _real(self, line: Line, *, is_question: bool) -> Line:
        """Cut what is only supposed ("I hope that ..."), and the word before a reason ("Como vivo en Roma,")."""
        patterns = self._kit.patterns
        if match := patterns.supposed.search(line.folded):
            return line.part(0, match.start())
        reason = patterns.causes.match(line.folded) if not is_question and ", " in line.folded else None
        return line.after(reason.end()) if reason else line

    def _asks_before(self, line: Line) -> bool:
        """Whether what stands before a tag asks: "I live in Rome, yes or [no?]", "Wohne ich in Rom, [oder?]"."""
        kit, words = self._kit, without_fillers(self._kit, line).written.lower().split()
        pronouns = kit.words.speaker | kit.others.keys()
        is_inverted = len(words) > 1 and words[0] in kit.words.verbs and fold(words[1]) in pronouns
        return is_inverted or not kit.words.conjunctions.isdisjoint(line.folded.split()[-1:])

    def _answers(self, question: Line, answer: Line, reading: Reading) -> bool:
        """Read a sentence without a verb as an answer to the question before it; return whether it stated a fact."""
        if len(answer.folded.split()) > _ANSWER or not without_verb(self._kit, answer):
            return False
        count = _read_so_far(reading)
        for way in answered(self._kit, question, answer):
            self._clause(TurnClause(way), reading, None)
            if count != _read_so_far(reading):
                return True
        return False

    def _at_home(self, line: Line, reading: Reading) -> None:
        """Add where the speaker lives if the line says so in passing, unless it was stated already."""
        if any(fact.triple[:2] == (YOU.text, "lives_in") for fact in reading.facts):
            return
        found = dict(homes(self._kit, line))  # the firmest of each place
        is_away = (
            self._kit.patterns.trips.search(line.folded) is not None
            or manner_of(self._kit, line).strength == "momentary"
        )
        for place, firmness in found.items():
            home = Triple(YOU.text, "lives_in", place)
            if firmness == "momentary" and not (is_away or reading.knows_other(home)):
                # Without another home, this is the best that is known of where the speaker lives, but may be a visit.
                fact = _doubted(StatedFact(home, SURE, strength="passing"))
            else:
                fact = StatedFact(home, SURE, strength=firmness)
            reading.facts.append(fact)
            reading.mentions.place = place

    def _meant(self, parts: list[TurnClause]) -> list[TurnClause]:
        """Return the clauses before the first one that says that it is a wish, a story or somebody's question.

        Returns none if the last clause only takes back what was said: "we close at nine, just kidding".
        """
        for number, part in enumerate(parts):
            if match := self._kit.patterns.refuse_sentence.search(part.line.folded):
                is_comment = part is parts[-1] and not edges(part.line.after(match.end())).folded.strip()
                return [] if is_comment else parts[:number]
        return parts

    def _affirmed(self, line: Line) -> Line:
        """Cut relative clauses that deny something: "I have a dog that never barks" is not a denial."""
        for match in self._kit.clause_patterns.denied_relative.finditer(line.folded):
            before = line.part(0, match.start())
            if self._states(before) and before.folded.split()[-1] not in self._kit.words.verbs:
                end = self._kit.clause_patterns.pauses.search(line.folded, match.end())
                return self._affirmed(join(before, line.after(end.start()))) if end else before
        return line

    def _without_former(self, line: Line) -> Line:
        """Join a role to the word that says that it is over: "my ex wife" is an "ex-wife" and no wife.

        A father stays one when he is dead, so that "late" is cut from "my late father".
        """
        kit = self._kit
        for match in reversed(list(kit.role_patterns.former.finditer(line.folded))):
            kind = relation_kind(kit.roles[match["role"].strip()])
            stays = match["word"] in kit.words.deceased and kind.is_for_life
            word = Line("", "") if stays else join(line.group(match, "word"), Line("-", "-"))
            line = line.replaced(match.span(), word)
        return line

    def _noted(self, line: Line, reading: Reading) -> Line:
        """Put a note about the user into words that the frames know: "the user 's wife" becomes "my wife".

        Elsewhere NOTED, a name that no text has, stands for the user.
        """
        kit = self._kit
        if kit.words.user_alone.isdisjoint(line.folded.split()):
            return line
        head = _NOTE_HEAD.match(line.folded)
        if head and not kit.words.note_heads.isdisjoint(head[0].split()):  # "Memory note: the user ..."
            line = line.after(head.end())
        noted, before = Line(f"{NOTED.title()} ", f"{NOTED} "), line
        for pattern in kit.each.users_own:
            if match := pattern.search(line.folded):
                line = line.replaced(match.span(), kit.mine, line.group(match, "object"))
        for match in reversed(list(kit.patterns.the_user.finditer(line.folded))):
            line = line.replaced(match.span(), noted)
        if match := kit.patterns.user_alone.match(line.folded):
            line = line.replaced(match.span(), noted)
        if line is not before:
            reading.mentions.add(Referent(NOTED, SOMEBODY))  # "she" may follow
        return line

    def _introduced(self, line: Line) -> Line:
        """Put an introduction such as "Hi, it's Ruth" into the first person: "I am Ruth"."""
        match, copula = self._kit.patterns.greetings.match(line.folded), self._kit.speaker_copula
        return line.replaced(match.span(), copula) if match and copula else line

    def _relocated(self, line: Line) -> Line:
        """Move a subject that follows its clause before it: "she works at Boots, my sister"."""
        opened = without_fillers(self._kit, line)
        match = self._kit.role_patterns.dislocated.match(opened.folded)
        if match is None or any(word in self._kit.words.finite for word in match["subject"].split()):
            return line
        genders = {self._kit.genders[word] for word in match["subject"].split() if word in self._kit.genders}
        if self._kit.others[opened.folded.split(maxsplit=1)[0]] not in genders:
            return line
        return join(opened.group(match, "subject"), opened.group(match, "said"))

    def _undoubled(self, line: Line) -> Line:
        """Cut a pronoun that repeats its subject: "my brother Tom, he works" becomes "my brother Tom works"."""
        opened = without_fillers(self._kit, line)
        match = self._kit.role_patterns.doubled.match(opened.folded)
        if match is None or any(word in self._kit.words.finite for word in match["subject"].split()):
            return line
        if does_something(self._kit, opened.group(match, "subject")):
            return line  # "my brother yodels, he works": two clauses
        return opened.replaced((match.end("subject"), match.end()))

    def _clauses(self, parts: list[TurnClause], reading: Reading) -> None:
        """Read clauses in order, up to a condition, which states nothing.

        A clause that is only a hedge ("I think,") hedges those after it, or if it is the last, those before it.
        """
        kit = self._kit
        last: Referent | None = None
        hedged, refused, first = False, False, len(reading.facts)
        stated = first  # index of the first fact of the latest clause that states any
        led, before = Manner(), None
        for number, clause in enumerate(parts, 1):
            # "If I lived in Rome, I would ...": neither the condition nor its consequence is a fact.
            unhedged = without_hedges(kit, clause.line)
            begun = without_fillers(kit, unhedged)
            if kit.patterns.conditions.match(begun.folded) and not _is_yes(kit, begun):
                return
            is_hedge = unhedged != clause.line and not edges(without_fillers(kit, unhedged)).folded.strip()
            if is_hedge and clause is parts[-1]:
                reading.facts[first:] = [_doubted(fact) for fact in reading.facts[first:]]
            hedged = hedged or is_hedge
            count = len(reading.facts)
            manner = manner_of(kit, clause.line)
            # "I moved to Leeds when I was six" may be older than the address that is known.
            if manner.moved and (dated := dated_back(kit, " ".join(part.line.folded for part in parts))):
                manner = replace(manner, moved=False, strength=dated)
            reading.manner = manner if manner != Manner() else led
            led = reading.manner if without_verb(kit, clause.line) else Manner()  # "on weekends, I work at ..."
            if led.strength == "momentary":  # "I live in Graz, but only until June"
                reading.facts[stated:] = [_said(fact, reading) for fact in reading.facts[stated:]]
            # A clause without a verb continues the one before: if that was refused, so is this.
            if refused and without_verb(kit, clause.line) and not self._states(clause.line):
                continue
            refused = kit.patterns.refuse_clause.search(without_fillers(kit, clause.line).folded) is not None
            # "Priya and me called it a day" is cut before "me".
            whole = join(before, clause.line) if before and count == first else clause.line
            before = clause.line
            gone = over_with(kit, whole, {*reading.earlier, *reading.believed})
            if any(_goes_on(kit, part.line) for part in parts[number : number + 1]):
                # "Ben and I called it a day and went home" parts nobody.
                gone = [each for each in gone if not relation_kind(each.relation).bond]
            if gone:
                reading.retracted.extend(gone)
                before = None
                continue
            last = self._clause(clause, reading, last)
            stated = count if len(reading.facts) > count else stated
            self._note_names(clause.line, reading, states=len(reading.facts) > count)
            if not (refused and self._kit.words.naming_verbs.intersection(clause.line.folded.split())):
                self._named_inside(clause.line, reading)
            reading.retracted.extend(_succeeded(kit, clause.line, reading, count))
            if hedged:
                reading.facts[count:] = [_doubted(fact) for fact in reading.facts[count:]]

    def _note_names(self, line: Line, reading: Reading, *, states: bool) -> None:
        """Note the names in a clause, so that later facts about these people are accepted.

        states: whether a fact was read from the clause. If not, a mention without text is added for each person: a
            later pronoun may mean them, and must not be taken for somebody before.
        """
        kit, mentions = self._kit, reading.mentions
        words = list(zip(line.written.split(), line.folded.split(), strict=True))
        mentions.said.update(word for written, word in words if written[0].isupper() or word in kit.words.first_names)
        if states or any(word in kit.others for _, word in words):
            return
        for place, (written, word) in enumerate(words):
            if written[0].isupper() and word in kit.words.first_names and not mentions.knows(written.casefold()):
                beside = [*words[max(0, place - 1) : place], *words[place + 1 : place + 2]]
                is_whole = not any(each[0].isupper() for each, _ in beside)  # "Bruce" alone, not "Bruce Willis"
                mentions.add(Referent(written.casefold() if is_whole else "", mentions.kind_of(word)))

    def _states(self, line: Line) -> bool:
        """Return whether a line is a question or fits a frame with a subject of its own or a verb that shows one."""
        if self._kit.patterns.questions.match(without_fillers(self._kit, line).folded):
            return True
        cleaned = clean(self._kit, line).line
        return any(
            "verb" not in found.match.re.groupindex or found.persons != frozenset({"bare"})
            for part in shorter(self._kit, cleaned)
            for found in fitting(self._kit, part)
        )

    def _lists(self, before: Line, more: Line) -> bool:
        """Return whether words continue with a list whose items are all in the table: "I speak German[, English]"."""
        # A subject before the thing makes a clause of its own: "I play the piano, my brother guitar".
        item = without_leads(self._kit, more)
        without_how_well = item.without_start(self._kit.clause_patterns.how_well)
        item = bare(self._kit, item) if without_how_well is item else without_how_well
        if not self._kit.clause_patterns.listed.match(item.folded):
            return False
        cleaned, begun = clean(self._kit, join(before, more)).line, clean(self._kit, before).line
        return any(
            found.frame.lists and found.match.start("object") < len(begun.folded) < found.match.end("object")
            for way in shorter(self._kit, cleaned)
            for found in fitting(self._kit, way)
        )

    def _continues(self, before: Line, part: Line) -> bool:
        """Return whether a part without a verb is a clause of its own that the statement before it completes."""
        kit = self._kit
        is_over = without_verb(kit, part) and kit.patterns.ended.search(part.folded)
        if is_over or is_echo(kit, edges(without_leads(kit, part))):
            return True
        cleaned = trim(kit, clean(kit, part).line)
        if not kit.patterns.remnants.match(cleaned.folded):
            return False
        found = fitting(kit, trim(kit, clean(kit, before).line))
        relations = dict.fromkeys(each.frame.rule.gives for each in found)
        return any(True for relation in relations for _ in gapped(kit, cleaned, relation))

    def _clause(
        self, clause: TurnClause, reading: Reading, last: Referent | None, *, part_of: Line | None = None
    ) -> Referent | None:
        """Read one clause and return whom the next one may be about. part_of: the longer clause that it is a part of.

        The frames are tried first, then what the clause may mean if it continues the one before, then its parts.
        """
        kit = self._kit
        contrast = kit.clause_patterns.contrast.search(clause.line.folded)
        line = clause.line.part(0, contrast.start()) if contrast else self._uncontrasted(clause.line)
        cleaned = clean(kit, line)
        said = cleaned.line
        is_bare = not said.folded or kit.patterns.tails.fullmatch(said.folded) is not None
        if cleaned.ended and is_bare and not reading.facts:  # "Not any more.": takes back what was stated before
            reading.retracted.extend(reading.stated)
        if not said.folded:
            return last
        if kit.patterns.refuse_clause.search(without_fillers(kit, clause.line).folded):
            owned = kit.patterns.possessives.match(said.folded)
            names = owned and role_opening(kit, said.after(owned.end()))
            return self._fragment(said, reading) if names else last
        known = len(reading.facts)
        made = self._framed(
            cleaned, reading, self._inherited(clause, reading, last), part_of=part_of, whole=part_of or clause.line
        )
        if made is not None:
            self._onward(clause.line, reading, known)
            return made.last or last
        return last if part_of else self._unframed(clause, line, cleaned, reading, last)

    @staticmethod
    def _inherited(clause: TurnClause, reading: Reading, last: Referent | None) -> Referent | None:
        """Return the subject of a clause that states none. last: whom the clause before leaves as the subject."""
        mentions = reading.mentions
        if not clause.relative:
            return last
        # A relative clause is about what was mentioned last, never about the speaker.
        named = mentions.resolve(MANY) if mentions.stack else last
        return NOBODY if named in (None, YOU) else named

    def _uncontrasted(self, line: Line) -> Line:
        """Cut the denied end of "I work at Asda not Aldi"; a verb that is denied stays."""
        kit = self._kit
        match = kit.clause_patterns.bare_contrast.search(line.folded)
        if (
            match is None
            or not line.written[match.start("kept")].isupper()
            or not line.written[match.start("denied")].isupper()
        ):
            return line
        return (
            line
            if match["kept"] in kit.words.auxiliaries | kit.words.speaker
            else line.part(0, match.end("kept") + 1)
        )

    def _framed(
        self, cleaned: Cleaned, reading: Reading, inherited: Referent | None, *, part_of: Line | None, whole: Line
    ) -> ClauseStatement | None:
        """Record and return what the first fitting frame states; None if no frame fits the clause.

        inherited: the subject to use if the clause has none of its own.
        part_of: the longer clause that it is a part of.
        whole: the clause as it was said.
        """
        kit = self._kit
        over: ClauseStatement | None = None
        for way in attempts(kit, cleaned.line):
            for found in fitting(kit, way):
                rule = found.frame.rule
                if part_of and (relation_kind(rule.gives).main or _is_no_age(kit, found, part_of)):
                    continue
                if rule.gives == "age" and counts_what_follows(kit, _after_number(kit, found, whole)):
                    continue
                if part_of and rule.gives == FRIENDS and _is_of_others(kit, found, part_of):
                    continue
                if over and rule.gives != "is":
                    continue  # "I left my job" ends a job, and the job is no place that was left
                made = self._stated(found, cleaned, reading, inherited)
                if made is None:
                    continue
                made.triples = [each for each in made.triples if not _is_host(kit, whole, each)]
                if not ends_all(found):
                    if rule.ends and cleaned.denied:
                        return None  # "I haven't sold it" ends nothing
                    self._record(
                        made,
                        reading,
                        hedged=cleaned.hedged or rule.hedged,
                        denied=cleaned.denied and not rule.only_denied,
                        ended=cleaned.ended or rule.ends,
                        relation=rule.denied,
                    )
                    return made
                # It only says that something is over. Another frame may say what holds now.
                is_over = not (cleaned.denied or cleaned.ended) if rule.ends else cleaned.ended
                if is_over:
                    over = made
                    reading.retracted.extend(made.triples)
        return over

    def _stated(
        self, found: Found, cleaned: Cleaned, reading: Reading, inherited: Referent | None
    ) -> ClauseStatement | None:
        """Return what a frame states in this conversation; None if the speaker cannot mean it."""
        rule, mentions = found.frame.rule, reading.mentions
        if rule.only_denied and not cleaned.denied:
            return None
        if rule.shared and rule.gives == "born_in" and not _is_introduced(reading):
            return None  # "I bought a book, from Calvino" is about the book
        made = statement(self._kit, found, mentions, inherited, mentions.meant("", SOMEBODY))
        if made is None or ends_all(found):
            return made if made and (not rule.recalled or reading.knows(made.triples)) else None
        if cleaned.ended and not rule.ends:  # "no longer with Nora", wife or partner
            made.triples += [triple._replace(relation=each) for triple in made.triples for each in rule.over]
        if rule.over and not relation_kind(rule.gives).role:
            # "I left finance" ends a line of work, "I left Siemens" none.
            made.triples = [each for each in made.triples if each.relation == rule.gives or reading.knows([each])]
        # "My dog died" does not say which, if two are known.
        known = {*reading.earlier, *reading.believed}
        made.triples = [each for each in made.triples if each.object or sum(one[:2] == each[:2] for one in known) < 2]
        if rule.ends or cleaned.ended:
            made.triples += _last_of_kind(self._kit, made.triples, known)
        # What was over with a death was known. "My sister is retired": her job may be known by her name.
        named = {one.relation for one in known}
        made.over = [
            each
            for each in made.over
            if each.subject == YOU.text
            or self._kit.roles.get(each.subject) in named
            or any(one[:2] == each[:2] for one in known)
        ]
        left = [each._replace(relation="works_at") for each in made.triples if each.relation == "moved_from"]
        return None if rule.recalled and not (made.over or reading.knows([*made.triples, *left])) else made

    def _onward(self, line: Line, reading: Reading, known: int) -> bool:
        """Add the further places of a move ("to Porto in 2019 and to Lisbon last month"); return if there are any.

        known: how many facts the reading had before this clause.
        """
        kit = self._kit
        homes = [fact.triple for fact in reading.facts if fact.triple.relation == "lives_in"]
        if not homes:
            return False
        line = join(Line(", ", ", "), line)  # the clause may have been cut from its conjunction
        steps = ((step, place_at(kit, line.after(step.end()))) for step in kit.patterns.onward.finditer(line.folded))
        there = [(step.start(), plain(bare(kit, place))) for step, place in steps if place]
        starts = [*(start for start, _ in there), len(line.folded)]
        for number, fact in enumerate(reading.facts[known:], known):
            if fact.triple in homes:  # the first place is in this clause, too
                reading.facts[number] = replace(fact, since=since_of(kit, line.folded[: starts[0]]))
        known = len(reading.facts)
        for number, (start, place) in enumerate(there):
            # Without a time it may be where the place is: "in Dordogne, à Eymet".
            if when := since_of(kit, line.folded[start : starts[number + 1]]):
                reading.facts.append(StatedFact(homes[-1]._replace(object=place), SURE, since=when))
        return len(reading.facts) > known

    def _unframed(
        self, clause: TurnClause, line: Line, cleaned: Cleaned, reading: Reading, last: Referent | None
    ) -> Referent | None:
        """Read a clause that fits no frame: as a repetition of the one before, or in parts.

        last: the person spoken of last. Returns whom the next clause may be about.
        """
        kit = self._kit
        if self._onward(clause.line, reading, len(reading.facts)):
            return last
        ways = edges(without_leads(kit, clause.line)), edges(without_fillers(kit, clause.line)), edges(clause.line)
        if same := echo(kit, ways, reading.stated, reading.mentions):
            # An echo ("me neither") repeats the statement as it was, whatever its own words deny.
            self._record(same, reading, hedged=cleaned.hedged)
            return same.last or last
        frames = gapped(kit, trim(kit, cleaned.line), reading.stated[-1].relation) if reading.stated else ()
        made = (
            statement(kit, found, reading.mentions, self._inherited(clause, reading, last), None) for found in frames
        )
        if more := next(filter(None, made), None):
            self._record(more, reading, hedged=cleaned.hedged, denied=cleaned.denied, ended=cleaned.ended)
            return more.last or last
        count = _read_so_far(reading)
        if whole := completed(kit, trim(kit, cleaned.line), reading.stated[-1]) if reading.stated else None:
            last = self._clause(TurnClause(whole), reading, last, part_of=clause.line)
        for parts in simple_clauses(kit, line):
            last = self._parts(parts, clause, reading, last)
        if count != _read_so_far(reading):
            return last
        self._mention_owned(line, reading)
        if cleaned.ended:
            reading.retracted.extend(over(kit, cleaned.line, reading.earlier))
        return self._fragmentary(cleaned.line, reading, last)

    def _parts(
        self, ways: list[Line], clause: TurnClause, reading: Reading, last: Referent | None
    ) -> Referent | None:
        """Read one verb of a longer clause: with all that follows it, else with each phrase alone."""
        count = _read_so_far(reading)
        for number, way in enumerate(ways):
            part = TurnClause(way, clause.joined, clause.relative)
            last = self._clause(part, reading, last, part_of=clause.line)
            # With all that follows it the verb stated something, so its phrases need no second reading.
            if number == 0 and count != _read_so_far(reading):
                break
        return last

    def _fragmentary(self, cleaned: Line, reading: Reading, last: Referent | None) -> Referent | None:
        """Read a clause that states nothing; return whom the next clause may be about."""
        kit = self._kit
        if fragment := self._fragment(cleaned, reading):
            return fragment
        words = cleaned.folded.split()
        if words[0] in kit.words.nominative & kit.words.speaker:
            return YOU
        if _is_of_strangers(kit, cleaned):
            return NOBODY
        if words[0] in kit.others and words[0] not in kit.words.object_pronouns and last in (None, YOU):
            return reading.mentions.meant(words[0], kit.others[words[0]]) or NOBODY
        return last

    def _named_inside(self, line: Line, reading: Reading) -> None:
        """Add the relatives who are named beside their role anywhere in a clause: "we went with my sister Ana"."""
        kit = self._kit
        for match in kit.role_patterns.named_kin.finditer(line.folded):
            name = edges(line.group(match, "name"))
            if is_name(kit, name) and looks_named(kit, name):
                reading.mentions.name("", line.folded[: match.start("name")].split()[-1], plain(name))
                reading.mentions.add(Referent(plain(name), SOMEBODY))
        for match in kit.role_patterns.named_of_another.finditer(line.folded):
            if role := role_opening(kit, line.after(match.start(1))):
                self._relative_of_another(line, match, role, reading)
        starts = [match.start(1) for match in kit.role_patterns.named_role.finditer(line.folded)]
        for start in (*starts, *self._titled(line)):
            role = role_opening(kit, line.after(start))
            if role is None:
                continue
            noun, name = role[0], plain(role[1])
            # A frame has read it, maybe with more of the name: "Karl-Heinz" of "Karl-Heinz von der Lühe".
            if any(
                each.object == name or (each.relation == kit.roles[noun] and each.object.startswith(f"{name} "))
                for each in (fact.triple for fact in reading.facts)
            ):
                continue
            facts, people = role_facts(kit.roles[noun], name), list[str]()
            if noun in kit.words.several:
                people = listed_names(kit, line.after(start + line.folded[start:].find(role[1].folded)))
                facts = [fact for more in people for fact in role_facts(kit.roles[noun], more)]
            # "My husband Rob died" states no husband.
            known = {*reading.retracted, *(fact.triple for fact in reading.facts)}
            reading.facts.extend(StatedFact(fact, SURE) for fact in facts if fact not in known)
            if people:
                for one in (
                    people if len(people) > 1 else [""]
                ):  # "my sisters Ann and Liz called": "she" may be either
                    reading.mentions.add(Referent(one, kit.genders.get(noun, SOMEBODY)))
            else:
                reading.mentions.name(kit.roles[noun], noun, name)
                reading.mentions.add(mention_of(kit, noun, name))

    def _relative_of_another(
        self, line: Line, match: re.Match[str], role: tuple[str, Line], reading: Reading
    ) -> None:
        """Add somebody else's relative who is named beside their role: "lunch with Priya and her husband Stefan".

        match: the possessive before the role.
        role: the role and the name.
        """
        kit, mentions = self._kit, reading.mentions
        noun, name = role[0], plain(role[1])
        whose = next((word for word in match[0].split() if word in kit.others), "")
        kind = kit.others.get(whose, SOMEBODY)
        is_said = any(name in (fact.triple.subject, fact.triple.object) for fact in reading.facts)
        if not is_said and kind != MANY and looks_named(kit, role[1]):
            owner = _named_before(kit, line.part(0, match.start()), kind, mentions) or mentions.meant(whose, kind)
            facts = role_facts(kit.roles[noun], name, owner.text) if owner and owner.text != name else []
            reading.facts.extend(StatedFact(fact, round(SURE - GUESS, 2)) for fact in facts)
        mentions.add(Referent(name, kit.genders.get(noun, SOMEBODY)))

    def _mention_owned(self, line: Line, reading: Reading) -> None:
        """Note who is mentioned in a clause that states nothing: "the missus hates it when I smoke"."""
        kit = self._kit
        for match in kit.role_patterns.owned_role.finditer(line.folded):
            noun = match["role"].strip()
            if is_owner(kit, line.folded[: match.start()]):
                reading.mentions.add(Referent("", SOMEBODY))  # "el cuñado de mi jefe": he may be either
            elif noun in kit.roles and noun not in kit.words.several and noun in kit.genders:
                reading.mentions.add(mention_of(kit, noun, reading.mentions.called(noun, line)))
        if begun := self._begun_with(line, reading):
            reading.mentions.add(begun)

    def _begun_with(self, line: Line, reading: Reading) -> Referent | None:
        """Return the person or thing that a clause begins with, for later pronouns; None for neither."""
        kit = self._kit
        opened = without_fillers(kit, without_hedges(kit, line))
        phrase = bare(kit, opened)
        words = phrase.folded.split()
        if phrase == opened and (noun := opening_noun(kit, phrase)) in kit.genders and noun not in kit.words.several:
            return mention_of(kit, noun, reading.mentions.called(noun, phrase))
        if words and words[0] in kit.words.first_names and not kit.patterns.indefinite.match(opened.folded):
            return Referent(phrase.written.split()[0].lower(), reading.mentions.kind_of(words[0]))
        if begun := self._unknown_name(phrase, reading):
            return begun
        if not kit.words.conjugated:
            return None  # without common verbs the end of a thing is not known
        end = next((at for at, word in enumerate(words) if word in kit.no_nouns or not word.isalpha()), len(words))
        is_somebody = not kit.persons.isdisjoint(words[:end])
        is_verb = end < len(words) and words[end] in kit.words.articles | kit.words.possessive_words
        never = kit.words.stopwords | kit.words.never_object | kit.words.never_subject
        if not 0 < end <= _LONGEST_THING or is_verb or is_somebody or words[0] in never:
            return None
        return Referent(plain(phrase.part(0, sum(len(word) + 1 for word in words[:end]))), THING)

    def _unknown_name(self, phrase: Line, reading: Reading) -> Referent | None:
        """Return the person whose name begins a clause, if facts tell that it is one: "Zorah works on Saturdays".

        Else it may still be a person, so a mention without text is added: "she" is nobody who was mentioned before.
        """
        kit, name = self._kit, capitalised(phrase)
        after = phrase.folded[len(name.folded) :].split()[:1]
        no_verbs = kit.words.closed_prepositions | kit.words.articles | kit.words.possessive_words
        # "Cuido de mi madre" begins with a verb.
        if not name.folded or not is_name(kit, name) or not no_verbs.isdisjoint(after):
            return None
        if _is_person(plain(name), reading.believed):
            return Referent(plain(name), SOMEBODY)
        reading.mentions.add(Referent("", SOMEBODY))
        return None

    def _titled(self, line: Line) -> Iterator[int]:
        """Yield where a role stands as a title without an owner: "Aunt Rosa", not "his aunt Rosa"."""
        kit = self._kit
        for match in kit.role_patterns.titled_kin.finditer(line.folded):
            before = line.folded[: match.start()].split()[-1:]
            if not before or not (kit.words.possessive_words | kit.words.articles).issuperset(before):
                yield match.start()

    def _without_age(self, line: Line, reading: Reading) -> Line:
        """Read ages inside noun phrases and return the line without them: "my seven year old daughter"."""
        kit = self._kit
        for match in (found for pattern in kit.each.aged if (found := pattern.search(line.folded))):
            number = kit.value(line.group(match, "number"))
            role = line.after(match.start("role"))
            noun, named = opening_noun(kit, role), role_opening(kit, role)
            if number is None or not noun:
                continue
            who = plain(named[1]) if named else reading.mentions.called(noun, role)
            reading.facts.append(StatedFact(Triple(who, "age", str(number)), SURE))
            reading.mentions.add(mention_of(kit, noun, who))
            line = line.replaced(match.span(), line.group(match, "owner"), line.group(match, "role"))
        return line

    def _record(
        self,
        made: ClauseStatement,
        reading: Reading,
        *,
        hedged: bool = False,
        denied: bool = False,
        ended: bool = False,
        relation: str = "",
    ) -> None:
        """Add a statement to the reading: as facts, as retractions if it is over or denied, and as mentions.

        relation: the one that a denial states instead, such as dislikes for likes; empty for none.
        """
        if made.last is not None and made.last.text != YOU.text:
            reading.mentions.add(made.last)
        made.triples, made.named = [_of_user(t) for t in made.triples], [_of_user(t) for t in made.named]
        confidence = SURE - HEDGE * hedged - GUESS * made.guess + CORRECTION * reading.corrects
        facts = list(made.named)
        if ended:
            reading.retracted.extend(_as_said(triple, reading.earlier) for triple in made.triples)
        elif denied:
            reading.retracted.extend(triple for triple in made.triples if triple in reading.earlier)
            facts += [
                triple._replace(relation=relation)
                for triple in made.triples
                if relation and triple.relation != "quantity"
            ]
        else:
            # "I visited Anna": a person is no place.
            made.triples = [
                corrected_event(triple, reading)
                for triple in made.triples
                if triple.relation != "went_to" or not _is_first_name(self._kit, triple.object)
            ]
            _change_employer(self._kit, made, reading)
            facts += made.triples
            take_back_replaced(made, reading)
        # Of "mon frère pour la ferme" a pattern leaves no name.
        facts = [triple for triple in facts if triple.object]
        # A clause that only names somebody leaves the latest statement in place for "me too".
        reading.stated = [triple for triple in facts if triple not in made.named] or reading.stated
        known = {fact.triple for fact in reading.facts}
        reading.retracted.extend(made.over)
        for triple in facts:
            if triple not in known:
                fact = _said(StatedFact(triple, round(confidence, 2), hedged), reading)
                reading.facts.append(_doubted(fact) if _may_be_employer(self._kit, triple, made) else fact)
            self._mention(triple, reading.mentions)
        subjects = {triple.subject for triple in made.triples}
        if made.last is None or made.last.text == YOU.text or subjects != {made.last.text}:
            return
        # "Bill has a son called Max": "he" may be either. "Eva is married to Karl": "she" is Eva.
        relatives = [kind for triple in made.triples if (kind := _relative_of(self._kit, triple))]
        if relatives and not any(relation_kind(triple.relation).role for triple in made.triples):
            reading.mentions.nameless[reading.mentions.sentence] = relatives[0]
        (reading.mentions.add if relatives else reading.mentions.about)(made.last)

    def _mention(self, triple: Triple, mentions: Mentions) -> None:
        """Note the place, person or thing of a fact, for later pronouns and "there"."""
        kit = self._kit
        kind = relation_kind(triple.relation)
        if kind.place:
            mentions.place = triple.object
        if kind.role:
            name = triple.subject if triple.relation == "friend_of" else triple.object
            if not mentions.knows(name) and name != YOU.text:
                genders = {kit.genders.get(noun) for noun, role in kit.roles.items() if role == triple.relation}
                gender = next(iter(genders - {None}), None) if len(genders - {None}) == 1 else None
                is_mine = YOU.text in (triple.subject, triple.object)
                mentions.add(Referent(name, gender or SOMEBODY, triple.relation if is_mine else ""))
        elif triple.relation in ("has", "owns", "likes", "dislikes"):
            noun = fold(triple.object)
            if noun in kit.roles:
                mention = mention_of(kit, noun, triple.object)
                # Somebody of another person's has no name here.
                mentions.add(mention if triple.subject == YOU.text else Referent("", mention.kind))
            else:
                mentions.add(Referent(triple.object, THING))

    def _fragment(self, line: Line, reading: Reading) -> Referent | None:
        """Read a noun phrase that stands alone: "my brother Tom" states his name; "my sister" only mentions her.

        Returns whom it mentions; None if it is no such phrase.
        """
        kit = self._kit
        owned = kit.patterns.possessives.match(line.folded)
        rest = line.after(owned.end()) if owned else bare(kit, line)
        role = role_phrase(kit, rest) if rest.folded else None
        if rest.folded and (role is None or (role[1].folded and not looks_named(kit, role[1]))):
            role = role_opening(kit, rest)
        if role is None and owned and (noun := opening_noun(kit, rest)):
            mention = mention_of(kit, noun, reading.mentions.called(noun, rest))
            reading.mentions.add(mention)
            return mention
        if role is None and owned and rest.folded and (noun := rest.folded.split(maxsplit=1)[0]) in kit.words.kin:
            mention = Referent(reading.mentions.called(noun, rest), SOMEBODY)
            reading.mentions.add(mention)
            return mention
        if role is None or (role[1].folded and not (owned and looks_named(kit, role[1]))):
            return None
        noun, name = role
        if len(listed_names(kit, rest.after(rest.folded.find(name.folded)))) > 1:
            return None  # "my sisters Ann and Liz" are read by `_named_inside`
        text = (
            trim(kit, bare(kit, name)).written.strip().lower() if name.folded else reading.mentions.called(noun, rest)
        )
        mention = mention_of(kit, noun, text)
        if name.folded:
            reading.mentions.name(kit.roles[noun], noun, text)
            # The clause may be cut before "and Liz", and then it is not about Ann alone.
            last = None if noun in kit.words.several else mention
            self._record(ClauseStatement(role_facts(kit.roles[noun], text), last=last), reading)
        reading.mentions.add(mention)
        return mention


def _named_before(kit: LanguageKit, before: Line, kind: str, mentions: Mentions) -> Referent | None:
    """Return whose relative is meant by the name before "and": "Priya and [her husband]", "Priya with [her husband]".

    kind: that of the possessive.
    """
    *_, name, link = ("", "", *before.written.split())
    is_joined = kit.patterns.joins.fullmatch(f"{fold(link)} ")
    if not name[:1].isupper() or not (is_joined or fold(link) in kit.words.closed_prepositions):
        return None
    # "He and [his wife]", and "on Monday with [his wife]": a capital alone makes no name.
    may_be_name = is_joined and not kit.table.capitals_are_nouns and fold(name) not in kit.words.never_name
    if not may_be_name and fold(name) not in kit.words.first_names:
        return None
    owner = mentions.kind_of(fold(name))
    return Referent(name.lower(), owner) if SOMEBODY in (kind, owner) or kind == owner else None


def _locate(facts: list[StatedFact], first: int, span: tuple[int, int]) -> None:
    """Set the span of the new facts of a sentence.

    first: index of the turn's first fact.
    span: (start, end).
    """
    for number, fact in enumerate(facts[first:], first):
        if not fact.span[1]:
            facts[number] = replace(fact, span=span)


def _of_user(triple: Triple) -> Triple:
    """Return a triple with the user of a note in place of the name that the reader gave them."""
    return Triple(*(YOU.text if part == NOTED else part for part in triple))


def _is_of_strangers(kit: LanguageKit, line: Line) -> bool:
    """Return whether a clause is about somebody or something unknown: "the neighbours in that film live in Paris".

    Then a clause that is joined to it is not about the speaker either.
    """
    words = line.folded.split()
    is_noun = kit.patterns.articles.match(line.folded) is not None or words[0] in kit.words.never_subject
    return is_noun and len(words) > 2 and any(word in kit.words.finite for word in words[1:])


def _succeeded(kit: LanguageKit, line: Line, reading: Reading, first: int) -> Iterator[Triple]:
    """Yield the known facts of those whom somebody new in a clause succeeds: "my new boss is Dana".

    first: index of the first fact of the clause.
    """
    words = line.folded.split()
    roles = [kit.roles.get(word, "") for word in words]
    # Adjectives stand before their noun or after it.
    places = [place for place, word in enumerate(words) if word in kit.words.newly]
    beside = {role for place in places for role in (*roles[max(0, place - 1) : place], *roles[place + 1 : place + 2])}
    new = {role for role in beside if role and relation_kind(role).succeeded}
    known = {*reading.earlier, *reading.believed}
    for fact in [fact.triple for fact in reading.facts[first:] if fact.triple.relation in new]:
        yield from (each for each in known if each[:2] == fact[:2] and each != fact)


def _relative_of(kit: LanguageKit, triple: Triple) -> str:
    """Return the kind of the relative that a fact gives somebody: MAN if Bill has a son; empty for none."""
    kind = relation_kind(triple.relation)
    if triple.relation in ("has", "owns"):
        words = fold(triple.object).split()
        noun = next((word for word in words if word in kit.roles), words[0])  # "a new teacher"
        is_person = relation_kind(kit.roles.get(noun, "")).role == "person"
        return kit.genders.get(noun, SOMEBODY) if is_person else ""
    return SOMEBODY if kind.role and not kind.bond else ""


def _last_of_kind(kit: LanguageKit, gone: Iterable[Triple], known: set[Triple]) -> list[Triple]:
    """Return the facts that say somebody has a cat, if their only known cat is gone."""
    alone = {
        (each.subject, each.relation)
        for each in gone
        if each in known and relation_kind(each.relation).role == "pet" and _count_of(each, known) == 1
    }
    return [
        each
        for each in known
        if each.relation in ("has", "owns") and (each.subject, kit.roles.get(fold(each.object))) in alone
    ]


def _count_of(triple: Triple, known: Iterable[Triple]) -> int:
    return sum(each[:2] == triple[:2] for each in known)


def _is_person(name: str, believed: Iterable[Triple]) -> bool:
    """Return whether one of the facts is about a person of this name, such as (you, sister, clara)."""
    kinds = ((fact, relation_kind(fact.relation)) for fact in believed)
    return any(name == fact.subject or (kind.role and name == fact.object) for fact, kind in kinds)


def _is_introduced(reading: Reading) -> bool:
    """Return whether the latest statement says who somebody is."""
    return bool(reading.stated) and relation_kind(reading.stated[-1].relation).introduces


def _read_so_far(reading: Reading) -> tuple[int, int]:
    return len(reading.facts), len(reading.retracted)


def _as_said(triple: Triple, earlier: list[Triple]) -> Triple:
    """Return a fact that is over, as it was stated: "I no longer have the bike" ends (you, owns, bike)."""
    twin = relation_kind(triple.relation).same
    other = triple._replace(relation=twin)
    return other if meant(other, earlier) and not meant(triple, earlier) else triple


def _change_employer(kit: LanguageKit, made: ClauseStatement, reading: Reading) -> None:
    """Read "I left Siemens for Bosch" and "I moved from Siemens to Bosch" as a change of employer.

    "I left Anne for Marie" is no move.
    """
    for left in [triple for triple in made.triples if triple.relation == "moved_from"]:
        job = left._replace(relation="works_at")
        homes = [each for each in made.triples if each[:2] == (left.subject, "lives_in")]
        others = [each for each in made.triples if each != left and each not in homes]
        if reading.knows([left._replace(relation="lives_in")]):
            continue
        if _is_first_name(kit, left.object):
            made.triples = others
            continue
        if not reading.knows([job]):
            # Where neither is known, towns alone tell a move from a new job.
            if made.exchanged and kit.words.towns.isdisjoint(fold(each.object) for each in (left, *homes)):
                made.triples = others
            continue
        made.triples = others
        made.triples += [each._replace(relation="works_at") for each in homes]
        made.over.append(job)


def _may_be_employer(kit: LanguageKit, home: Triple, made: ClauseStatement) -> bool:
    """Return whether what somebody left a place for may be a job there: "I left Paris for Bosch"."""
    return made.exchanged and home.relation == "lives_in" and fold(home.object) not in kit.words.towns


def _goes_on(kit: LanguageKit, line: Line) -> bool:
    """Return whether a clause goes on with the subject of the one before: "and went home"."""
    subjects = kit.words.nominative | kit.words.speaker
    shows_subject = kit.inverts or not kit.table.drops_subject  # in "y vivo solo" another one may be meant
    return shows_subject and subjects.isdisjoint(line.folded.split()[:1]) and not without_verb(kit, line)


def _is_host(kit: LanguageKit, line: Line, triple: Triple) -> bool:
    """Return whether a home is somebody with whom one stays: "bei Tom", "chez Tom"."""
    if triple.relation != "lives_in" or not _is_first_name(kit, triple.object):
        return False
    before = line.folded.partition(f"{fold(triple.object)} ")[0].split()
    return not kit.words.hosts.isdisjoint(before[-1:])


def _is_first_name(kit: LanguageKit, name: str) -> bool:
    """Return whether a name is that of a person rather than of a town."""
    return fold(name) in kit.words.first_names - kit.words.towns


def _said(fact: StatedFact, reading: Reading) -> StatedFact:
    """Return a fact with the strength and the end that its clause states, if these matter for its relation."""
    kind, manner = relation_kind(fact.triple.relation), reading.manner
    # "I moved to Leeds last year" says nothing new to who knows that home.
    moved = manner.moved and bool(kind.detail) and not reading.knows_as(fact.triple)
    fact = replace(fact, since=manner.since if kind.single else 0.0, moved=moved)
    strength = "passing" if manner.stays and kind.category == "home" else manner.strength
    if strength == "past" and kind.momentary and not reading.knows_as(fact.triple):
        return replace(fact, strength=strength, until=manner.until)
    if kind.momentary and strength in ("momentary", "passing"):
        # "I used to live in Rome, now I'm in Bari": Bari is the new home and not a stay, because Rome is over.
        was = any(gone[:2] == fact.triple[:2] for gone in reading.retracted)
        return fact if was else replace(fact, strength=strength, until=manner.until)
    others = (known for known in (*reading.earlier, *reading.believed) if known[:2] == fact.triple[:2])
    further = manner.further and any(known != fact.triple for known in others)
    return replace(fact, strength="beside") if kind.beside and (further or manner.strength == "beside") else fact


def _doubted(fact: StatedFact) -> StatedFact:
    """Return a fact as hedged, with less confidence; a hedge counts once."""
    return fact if fact.hedged else replace(fact, hedged=True, confidence=round(fact.confidence - HEDGE, 2))


def _asks(kit: LanguageKit, sentence: str, opened: Line) -> bool:
    """Return whether a sentence is a question. In speech that was written down, the question mark may be missing."""
    if "?" in sentence[-3:]:
        return True
    return sentence[-1:] not in (".", "!") and kit.patterns.questions.match(opened.folded) is not None


def _is_yes(kit: LanguageKit, opened: Line) -> bool:
    """Return whether a clause begins with a yes that only its accent tells from a condition: "sí" and "si"."""
    first = opened.written.partition(" ")[0].casefold()
    return first != fold(first) and kit.patterns.agrees.match(opened.folded) is not None


def _supposes(kit: LanguageKit, opened: Line) -> bool:
    """Return whether a sentence is a hypothesis: a condition and its consequence."""
    condition = kit.patterns.conditions.search(opened.folded)
    is_first = condition is not None and not opened.folded[: condition.start()].strip()
    return is_first and kit.patterns.refuse_clause.search(opened.folded) is not None


def _as_text(line: Line) -> str:
    """Return a line as it may have been written: with no space after an apostrophe."""
    return line.written.replace("' ", "'")


def _length_of(line: Line, sentence: str) -> int:
    """Return how many characters of a sentence a line begins with. Lines have other blanks."""
    count = sum(not each.isspace() for each in line.written)
    places = [place for place, each in enumerate(sentence) if not each.isspace()]
    return places[count] if count < len(places) else len(sentence)


def _is_of_others(kit: LanguageKit, found: Found, clause: Line) -> bool:
    """Return whether a noun in a part of a clause tells whose two people are: "Tom and Ann are cousins of Ben"."""
    following = clause.folded.partition(found.clause.folded)[2].split()[:1]
    return found["role"] is not None and not language(kit.code).bullets.asking.of.isdisjoint(following)


def _is_no_age(kit: LanguageKit, found: Found, clause: Line) -> bool:
    """Return whether a number at the end of a part of a clause counts what follows: "I hit 40 balls"."""
    part = found.clause.folded
    *_, number = [None, *kit.patterns.numbers.finditer(part)]
    if found.frame.rule.gives != "age" or number is None or number.end() < len(part):
        return False
    return not kit.words.stopwords.issuperset(_after_number(kit, found, clause)[:1])


def _after_number(kit: LanguageKit, found: Found, clause: Line) -> list[str]:
    """Return the words of a clause after the last number of the part that a frame matched."""
    *_, number = [None, *kit.patterns.numbers.finditer(found.clause.folded)]
    return clause.folded.partition(number[0])[2].split() if number else []


def counts_what_follows(kit: LanguageKit, words: list[str]) -> bool:
    """Return whether a number of years before these words is not an age: "years of practice", but "years of age"."""
    years = kit.lengths["year"]
    rest = [word for place, word in enumerate(words[:3]) if place or word not in years]
    ages = {phrase.split()[-1] for phrase, relation in kit.topics.items() if relation == "age"}
    return not kit.words.partitive.isdisjoint(rest[:1]) and ages.isdisjoint(rest[1:2])
