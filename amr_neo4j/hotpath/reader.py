"""Reads a turn in one language, sentence by sentence."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from itertools import chain

from amr_neo4j.domain.fact import StatedFact, Triple, is_single_valued
from amr_neo4j.hotpath.apposition import without_apposition
from amr_neo4j.hotpath.language_kit import LanguageKit
from amr_neo4j.hotpath.lines import Line, fold, line_of, plain
from amr_neo4j.hotpath.mentions import Mention, Mentions
from amr_neo4j.hotpath.normalise import bare, edges, is_name, things, trim
from amr_neo4j.hotpath.prose import prose, sentences
from amr_neo4j.hotpath.segment import Clause, clauses
from amr_neo4j.hotpath.statements import Statement, statement
from amr_neo4j.hotpath.subjects import YOU, mention_of, opening_noun, role_facts, role_opening, role_phrase, spelt

_RETRIES = 3
SURE, HEDGE, GUESS = 0.9, 0.2, 0.1
"""Confidence of a plain statement; what a hedge and a resolved pronoun or lower-case name take from it."""


@dataclass(slots=True)
class Reading:
    """What was read so far. earlier: facts of the turns before."""

    mentions: Mentions = field(default_factory=Mentions)
    facts: list[StatedFact] = field(default_factory=list[StatedFact])
    retracted: list[Triple] = field(default_factory=list[Triple])
    earlier: list[Triple] = field(default_factory=list[Triple])
    asks: bool = False
    corrects: bool = False
    reacts: bool = False


class Reader:
    """Reads turns with one language's kit."""

    def __init__(self, kit: LanguageKit) -> None:
        self._kit = kit

    def read(self, text: str, reading: Reading) -> None:
        """Adds what a turn states to the reading."""
        text = prose(text)
        topic = ""
        for sentence in sentences(text, self._kit.abbreviations):
            if not sentence:
                continue
            if self._kit.refuse_turn.match(self._opened(line_of(sentence, self._kit.table)).folded):
                return
            count = len(reading.facts)
            if topic:
                self._sentence(f"{topic} = {sentence}", reading)
            if count == len(reading.facts):
                self._sentence(sentence, reading)
            topic = self._topic(sentence, reading)
        self._name_subjects(reading)

    def _name_subjects(self, reading: Reading) -> None:
        """Facts of a bare noun become those of the name, where the turn gives one."""
        named = reading.mentions.named
        for number, fact in enumerate(reading.facts):
            if name := named.get(fold(fact.triple.subject)):
                reading.facts[number] = replace(fact, triple=fact.triple._replace(subject=name))

    def _topic(self, sentence: str, reading: Reading) -> str:
        """What a short "badminton club?" puts up for the next sentence to speak of; else empty."""
        kit = self._kit
        topic = sentence.rstrip("?!. ")
        line = line_of(topic, kit.table)
        words = line.folded.split()
        if "?" not in sentence[-3:] or not 0 < len(words) <= 4 or kit.questions.match(line.folded):
            return ""
        if any(word in kit.finite for word in words):
            return ""
        if self._fragment(line, reading) is None:
            reading.mentions.add(Mention(plain(bare(kit, line)), "n"))
        return topic

    def _sentence(self, text: str, reading: Reading) -> None:
        kit = self._kit
        line = line_of(text, kit.table)
        if kit.reactions.fullmatch(line.folded):
            reading.reacts = True
        line = self._corrected(line, reading)
        if self._correction(line, reading):
            return
        opening = self._opened(line)
        if kit.questions.match(opening.folded) or kit.questions.match(line.folded):
            reading.asks = True
            return
        if kit.refuse_sentence.search(line.folded):
            return
        tag = kit.tag.search(line.folded)
        line = line.part(0, tag.start()) if tag else line
        parts = clauses(kit, without_apposition(kit, line.without(kit.asides)), self._states)
        if tag:
            reading.asks = True
        elif "?" in text[-3:]:
            reading.asks = True
            parts = parts[:-1]
        self._clauses(parts, reading)

    def _clauses(self, parts: list[Clause], reading: Reading) -> None:
        """Reads clauses in order; a hedge alone ("I think,") hedges what follows, or all before if last."""
        kit = self._kit
        last: Mention | None = None
        hedged, first = False, len(reading.facts)
        for clause in parts:
            if kit.conditions.match(self._opened(clause.line).folded):
                return
            unhedged = clause.line.without(kit.hedges)
            is_hedge = unhedged != clause.line and not edges(self._opened(unhedged)).folded.strip()
            if is_hedge and clause is parts[-1]:
                reading.facts[first:] = [_doubted(fact) for fact in reading.facts[first:]]
            hedged = hedged or is_hedge
            count = len(reading.facts)
            last = self._clause(clause, reading, last)
            self._named_inside(clause.line, reading)
            if hedged:
                reading.facts[count:] = [_doubted(fact) for fact in reading.facts[count:]]

    def _corrected(self, line: Line, reading: Reading) -> Line:
        while (match := self._kit.corrects.match(line.folded)) and match.end():
            reading.corrects = True
            line = line.part(match.end(), len(line.folded))
        return line

    def _opened(self, line: Line) -> Line:
        """Without what people say before they come to the point."""
        line = line.without(self._kit.fillers)
        while (match := self._kit.leads.match(line.folded)) and match.end():
            line = line.part(match.end(), len(line.folded))
        return line

    def _cleaned(self, line: Line) -> tuple[Line, bool, bool, bool]:
        """A clause as frames match it, and whether it is hedged, negated, ended."""
        kit = self._kit
        unhedged = line.without(kit.hedges)
        lasting = unhedged.without(kit.ended)
        if kit.negations.search(lasting.folded):
            lasting = lasting.without(kit.ended_if_denied)
        opened = self._opened(lasting)
        affirmed = opened.without(kit.negations)
        cleaned = edges(self._opened(affirmed)) if affirmed.folded else affirmed
        return cleaned, unhedged != line, affirmed != opened, lasting != unhedged

    def _states(self, line: Line) -> bool:
        if self._kit.questions.match(self._opened(line).folded):
            return True
        cleaned = trim(self._kit, self._cleaned(line)[0])
        return any(
            "v" not in found.match.re.groupindex or found.persons != frozenset({"bare"})
            for found in self._kit.frames.find(cleaned)
        )

    def _clause(self, clause: Clause, reading: Reading, last: Mention | None) -> Mention | None:
        kit = self._kit
        contrast = kit.contrast.search(clause.line.folded)
        line = clause.line.part(0, contrast.start()) if contrast else clause.line
        cleaned, hedged, denied, ended = self._cleaned(line)
        if not cleaned.folded:
            return last
        if kit.refuse_clause.search(clause.line.without(kit.fillers).folded):
            owned = kit.possessives.match(cleaned.folded)
            names = owned and role_opening(kit, cleaned.part(owned.end(), len(cleaned.folded)))
            return self._fragment(cleaned, reading) if names else last
        mentions = reading.mentions
        inherited = mentions.stack[-1] if clause.relative and mentions.stack else last
        pronoun = mentions.resolve("mf")
        for line in self._attempts(cleaned):
            for found in kit.frames.find(line):
                rule = found.frame.rule
                made = statement(kit, found, mentions, inherited, pronoun)
                if made is None:
                    continue
                self._record(
                    made,
                    reading,
                    hedged=hedged or rule.hedged,
                    denied=denied,
                    ended=ended or rule.ends,
                    relation=rule.denied,
                )
                return made.last or last
        return self._fragment(cleaned, reading) or last

    def _named_inside(self, line: Line, reading: Reading) -> None:
        """Who is named beside a role anywhere in a clause: "we went with my sister Ana"."""
        kit = self._kit
        for match in kit.named_role.finditer(line.folded):
            role = role_opening(kit, line.part(match.start(1), len(line.folded)))
            if role is None or any(role[1].folded == f"{fact.triple.object} " for fact in reading.facts):
                continue
            noun, name = role[0], plain(role[1])
            facts = role_facts(kit.roles[noun], name)
            known = {fact.triple for fact in reading.facts}
            reading.facts.extend(StatedFact(fact, SURE) for fact in facts if fact not in known)
            if not reading.mentions.knows(name):
                reading.mentions.name(kit.roles[noun], noun, name)
                reading.mentions.add(mention_of(kit, noun, name))

    def _contrast(self, phrase: Line, made: Statement, reading: Reading) -> None:
        """ "..., not Paris": takes back what was said of Paris, or would have been where there is one object."""
        for triple in made.triples[:1]:
            for thing in things(self._kit, phrase, triple.relation):
                old = triple._replace(object=thing.text)
                if is_single_valued(triple.relation) or old in reading.earlier:
                    reading.retracted.append(old)

    def _attempts(self, line: Line) -> Iterator[Line]:
        """The clause as it is, without adverbs at its end, and without its last conjuncts."""
        yield line
        trimmed = trim(self._kit, line)
        if trimmed != line:
            yield trimmed
        yield from self._respelt(trimmed)
        ends = [match.start() for match in self._kit.joins.finditer(trimmed.folded)]
        for end in reversed(ends[-_RETRIES:]):
            if end:
                yield trim(self._kit, trimmed.part(0, end))

    def _respelt(self, line: Line) -> Iterator[Line]:
        """The clause with each word that may be the copula without its accent read as the copula."""
        words = line.written.split()
        for number, word in enumerate(words):
            copula = self._kit.lone.get(word)
            if copula and number and copula not in words:
                text = " ".join([*words[:number], copula, *words[number + 1 :]]) + " "
                yield Line(text, fold(text))

    def _record(
        self, made: Statement, reading: Reading, *, hedged: bool, denied: bool, ended: bool, relation: str
    ) -> None:
        if made.last is not None and made.last.text != YOU.text:
            reading.mentions.add(made.last)
        confidence = SURE - HEDGE * hedged - GUESS * made.guess
        facts = list(made.named)
        if ended:
            reading.retracted.extend(made.triples)
        elif denied:
            reading.retracted.extend(triple for triple in made.triples if triple in reading.earlier)
            facts += [
                triple._replace(relation=relation)
                for triple in made.triples
                if relation and triple.relation != "quantity"
            ]
        else:
            facts += made.triples
            self._replaced(made, reading)
        known = {fact.triple for fact in reading.facts}
        for triple in facts:
            if triple not in known:
                reading.facts.append(StatedFact(triple, round(confidence, 2), hedged))
            self._mention(triple, reading.mentions)

    def _replaced(self, made: Statement, reading: Reading) -> None:
        if not reading.corrects:
            return
        for new in made.triples:
            for old in reading.earlier:
                if (
                    old[:2] == new[:2]
                    and old != new
                    and (is_single_valued(new.relation) or new.relation in self._kit.roles.values())
                ):
                    reading.retracted.append(old)

    def _mention(self, triple: Triple, mentions: Mentions) -> None:
        kit = self._kit
        if triple.relation in kit.roles.values():
            name = triple.subject if triple.relation == "friend_of" else triple.object
            if not mentions.knows(name) and name != YOU.text:
                mentions.add(Mention(name, "mf", triple.relation))
        elif triple.relation in ("has", "owns", "likes", "dislikes"):
            if (noun := fold(triple.object)) in kit.roles:
                mentions.add(mention_of(kit, noun, triple.object))
            else:
                mentions.add(Mention(triple.object, "n"))

    def _fragment(self, line: Line, reading: Reading) -> Mention | None:
        """A noun phrase alone: "my brother Tom" names him; "my sister" is whom the next clause is about."""
        kit = self._kit
        owned = kit.possessives.match(line.folded)
        rest = line.part(owned.end(), len(line.folded)) if owned else bare(kit, line)
        role = role_phrase(kit, rest) if rest.folded else None
        if rest.folded and (role is None or _is_lower(role[1])):
            role = role_opening(kit, rest)
        if role is None and owned and (noun := opening_noun(kit, rest)):
            mention = mention_of(kit, noun, reading.mentions.named.get(noun, spelt(rest, noun)))
            reading.mentions.add(mention)
            return mention
        if role is None or (role[1].folded and (not owned or _is_lower(role[1]))):
            return None
        noun, name = role
        text = (
            trim(kit, bare(kit, name)).written.strip().lower()
            if name.folded
            else reading.mentions.named.get(noun, spelt(rest, noun))
        )
        mention = mention_of(kit, noun, text)
        if name.folded:
            reading.mentions.name(kit.roles[noun], noun, text)
            self._record(
                Statement(role_facts(kit.roles[noun], text), last=mention),
                reading,
                hedged=False,
                denied=False,
                ended=False,
                relation="",
            )
        reading.mentions.add(mention)
        return mention

    def _correction(self, line: Line, reading: Reading) -> bool:
        """ "I meant Lyon, not Paris": says of what was said before."""
        kit = self._kit
        for pattern in kit.corrections:
            match = pattern.fullmatch(line.folded)
            if match is None:
                continue
            new = line.part(*match.span("o"))
            old = line.part(*match.span("q")) if "q" in match.re.groupindex and match["q"] else None
            if self._replace(new, old, reading):
                return True
        return False

    def _replace(self, new: Line, old: Line | None, reading: Reading) -> bool:
        kit = self._kit
        if old is None and not reading.corrects:
            return False
        if any(word in kit.finite for word in new.folded.split()):
            return False
        said = [fact.triple for fact in reading.facts]
        for triple in chain(reversed(said), reversed(reading.earlier)):
            objects = {thing.text for thing in things(kit, old, triple.relation)} if old else {triple.object}
            if triple.relation == "age" and old is not None:
                objects = {str(kit.value(trim(kit, old)))}
            news = things(kit, new, triple.relation)
            if triple.object not in objects or not news or not self._alike(news[0].line, triple):
                continue
            text = str(kit.value(news[0].line)) if triple.relation == "age" else news[0].text
            fresh = triple._replace(object=text) if triple.relation != "friend_of" else triple._replace(subject=text)
            reading.corrects = True
            reading.retracted.append(triple)
            reading.facts = [fact for fact in reading.facts if fact.triple != triple]
            reading.facts.append(StatedFact(fresh, SURE))
            return True
        return False

    def _alike(self, line: Line, triple: Triple) -> bool:
        is_number = self._kit.value(line) is not None
        if triple.relation in ("age", "quantity"):
            return is_number
        return not is_number and (triple.relation != "name" or is_name(self._kit, line))


def _is_lower(name: Line) -> bool:
    return bool(name.folded) and not name.written.split()[-1][0].isupper()


def _doubted(fact: StatedFact) -> StatedFact:
    return fact if fact.hedged else replace(fact, hedged=True, confidence=round(fact.confidence - HEDGE, 2))
