"""Finds secrets in what is said, and masks them: keys, tokens, passwords, IBANs and payment cards (masking.yaml)."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache, reduce
from string import punctuation
from typing import Any, NamedTuple, cast

from pydantic import BaseModel, ConfigDict

from amr_neo4j import tables


class _Passwords(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    nouns: tables.Words
    short: tables.Words
    codes: tables.Words
    about: tables.Words
    links: tables.Words
    weak_links: tables.Words
    fillers: tables.Words
    ends: tables.Words
    no_values: tables.Words
    asks: tables.Words
    answers: tables.Words
    no_answers: tables.Words


class _Table(tables.Table):
    """masking.yaml."""

    masks: Mapping[str, str]
    labels: str
    patterns: Mapping[str, tuple[str, ...]]
    password: _Passwords
    ibans: str


_table = tables.shipped("amr_neo4j.domain", "masking.yaml", _Table)


# What may stand between the digits of a card or an IBAN: spaces, full stops or hyphens, at most two.
_BETWEEN_DIGITS = r"[ \u00a0\u202f.-]{1,2}"
# Groups of digits, but not the decimals of a number.
_DIGIT_GROUPS = re.compile(rf"(?<!\d)(?<!\d[.,])\d+(?:{_BETWEEN_DIGITS}\d+)*", re.ASCII)
_DIGIT_GROUP = re.compile(r"\d+", re.ASCII)
# The possible start of an IBAN: country code, check digits, and as many characters as the longest IBAN has. The real
# length depends on the country. A lookahead, so that matches may overlap: in "at 10 to DE89", "at 10" matches, too.
_IBAN = re.compile(
    rf"(?<![0-9a-z])(?=(?P<longest>[a-z]{{2}}(?:{_BETWEEN_DIGITS})?\d(?:{_BETWEEN_DIGITS})?\d(?:(?:{_BETWEEN_DIGITS})?[0-9a-z]){{11,30}}))",
    re.IGNORECASE | re.ASCII,
)
# The first digits of cards by their length: Visa, Mastercard, American Express, Diners, Discover, JCB,
# UnionPay, Maestro.
_ISSUERS = {
    13: re.compile(r"4"),
    14: re.compile(r"30[0-5]|3[689]"),
    15: re.compile(r"3[47]"),
    16: re.compile(r"4|5[0-8]|222[1-9]|22[3-9]|2[3-6]|27[01]|2720|3[056]|6"),
    17: re.compile(r"5[0678]|6"),
    18: re.compile(r"5[0678]|6"),
    19: re.compile(r"4|5[0678]|6"),
}
# The most words of a password, which may be a phrase or letters that are spelled out.
_MOST_WORDS = 8
_QUOTED = r"\"[^\"\n]+\"|'[^'\n]+'|“[^”\n]+”|«[^»\n]+»|„[^“\n]+“"
# The most characters of a password that are compared. Without a limit, a megabyte without spaces would be read to
# its end from each of its characters.
_LONGEST = 200
# A word that looks like a password: it has three digits, or it begins with a letter and has one. "8-digit", "3.5mm"
# and dates do not.
_CODED = (
    r"(?!\d{1,4}[-./:]\d{1,2}[-./:]\d)"
    rf"(?:(?=(?:[^\s\d]{{0,{_LONGEST}}}\d){{3}})|(?=[^\W\d])(?=[^\s,;]{{4}})(?=[^\s,;]{{0,{_LONGEST}}}\d))"
)
_IS_CODED = re.compile(rf"{_CODED}|\d(?:[ -]\d){{2,}}")


class _Password(NamedTuple):
    """How a password is said.

    cue: finds "my password is".
    asked: finds that at the end of a text, or a question for a password.
    value: finds what follows the cue.
    answer: finds the password in a turn that answers a question for it.
    no_values: words that may follow the cue without being a password.
    no_answers: those and answers.
    """

    cue: re.Pattern[str]
    asked: re.Pattern[str]
    value: re.Pattern[str]
    answer: re.Pattern[str]
    no_values: frozenset[str]
    no_answers: frozenset[str]


def _any_of(words: tuple[str, ...]) -> str:
    return "|".join(sorted((re.escape(word).replace(r"\ ", r"[ \t]+") for word in words), key=len, reverse=True))


def _nouns(nouns: tuple[str, ...]) -> str:
    return "|".join(noun.replace(" ", r"[ \t]+").replace(r"[ \t]+?", r"[ \t]*") for noun in nouns)


@cache
def _password() -> _Password:
    table = _table().password
    nouns, codes = _nouns(table.nouns), _nouns(table.codes)
    about = rf"(?:[ \t]+(?:{'|'.join(table.about)})[ \t]+[^\s.!?:;,]+(?:[ \t]+[^\s.!?:;,]+){{0,3}}?)?"
    weak = rf"(?P<weak>['’]s(?!\w)|\b(?:{_any_of(table.weak_links)})(?!\w))"
    filler = rf"(?:{_any_of(table.fillers)})(?!\w)"
    link = rf"(?:{filler}[ \t]+)?(?:{weak}|\b(?:{_any_of(table.links)})(?!\w))(?:[ \t]+{filler}){{0,3}}"
    # All on one line: the next line may be about something else.
    labelled = rf"(?:(?P<code>{codes})|(?:{nouns})){about}[ \t]*,?[ \t]*(?::|{link}[ \t]*:?)"
    cue = rf"(?<![^\W_])(?:(?:{_nouns(table.short)})[ \t]*:|{labelled})"
    question = (
        rf"\b(?:{_any_of(table.asks)})(?!\w)(?:\W+\w+){{0,5}}?\W+(?:(?P<asked_code>{codes})|(?:{nouns})){about}"
    )
    # The value: in quotes, or words up to the end of the sentence or a word that ends it.
    end = rf"(?:{'|'.join(table.ends)})\b"
    word = r"[^\s,;]*[^\s,;.!?]+[.!?]*(?=[\s,;]|$)"
    words = rf"{word}(?:(?<![.!?])[ \t]+(?!{end}){word}){{0,{_MOST_WORDS - 1}}}"
    # The secret is on the same line, or a coded word alone on the next. {password} is a gap to fill in, no secret.
    alone = rf"[ \t]*\r?\n[ \t]*(?={_CODED}\S+[ \t]*(?:\r?\n|\Z))"
    value = rf"(?:{alone}|[ \t]*)(?![<{{$%#*\\])(?P<secret>{_QUOTED}|{words})"
    answer = rf"\s*(?P<begun>(?:{_any_of(table.answers)})\s+)?(?P<secret>\"[^\"]+\"|\d(?:[ -]?\d)+\W?|\S+)\s*"
    no_values = frozenset(table.no_values)
    return _Password(
        cue=re.compile(cue, re.IGNORECASE),
        asked=re.compile(rf"(?:{cue}|{question}[ \t]*\??)\W*$", re.IGNORECASE),
        value=re.compile(value, re.IGNORECASE),
        answer=re.compile(answer, re.IGNORECASE),
        no_values=no_values,
        no_answers=no_values | frozenset(table.no_answers),
    )


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return (expression, mask) of every pattern."""
    table = _table()
    places = {
        "{labels}": table.labels,
        "{nouns}": _nouns(table.password.nouns),
        "{codes}": _nouns(table.password.codes),
        "{coded}": rf"{_QUOTED}|{_CODED}[^\s,;]*[^\s,;.!?]",
        "{short}": rf"{_QUOTED.replace('+', f'{{1,{_LONGEST}}}')}|{_CODED}[^\s,;]{{0,{_LONGEST}}}[^\s,;.!?]",
    }
    patterns: list[tuple[re.Pattern[str], str]] = []
    for kind, expressions in table.patterns.items():
        for expression in expressions:
            filled = reduce(lambda said, place: said.replace(*place), places.items(), expression)
            patterns.append((re.compile(filled), table.masks[kind]))
    return tuple(patterns)


@cache
def _label() -> re.Pattern[str]:
    return re.compile(rf"(?:.*[^a-z])?{_table().labels}|.*(?-i:[a-z](?i:{_table().labels}))", re.IGNORECASE)


@cache
def _mask() -> re.Pattern[str]:
    return re.compile("|".join(map(re.escape, _table().masks.values())))


@cache
def _iban_lengths() -> Mapping[str, int]:
    return {each[:2]: int(each[2:]) for each in _table().ibans.split()}


def mask_secrets(text: str, before: str = "") -> str:
    """Return a text with masks in place of secrets: "My card is [card]". A text without any is returned as it is.

    before: what was said just before. "My password is" and "What is your password?" make the next turn a password.
    """
    for expression, mask in _patterns():
        text = expression.sub(lambda found, mask=mask: _replaced(found, mask), text)
    text = _masked_passwords(text, before)
    text = _masked_spans(text, _ibans(text), _table().masks["iban"])
    return _masked_spans(text, _cards(text), _table().masks["card"])


def has_mask(text: str) -> bool:
    """Return whether a text has a mask in place of a secret, in any case of letters."""
    return bool(_mask().search(text.casefold()))


def mask_in(value: Any, label: str = "") -> Any:
    """Return a JSON value with the secrets in all of its texts masked. Keys of objects stay.

    label: the key that the value has. A text is a secret as a whole if its key says so.
    """
    if isinstance(value, str):
        is_secret = bool(value.strip()) and not has_mask(value) and _label().fullmatch(label)
        return _table().masks["password"] if is_secret else mask_secrets(value)
    if isinstance(value, Mapping):
        return {key: mask_in(each, str(key)) for key, each in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, list | tuple):
        return [mask_in(each, label) for each in cast(list[Any], value)]
    return value


def _replaced(found: re.Match[str], mask: str) -> str:
    if "secret" not in found.re.groupindex:
        return mask
    whole, start = found[0], found.start()
    if has_mask(found["secret"]):
        return whole
    return whole[: found.start("secret") - start] + mask + whole[found.end("secret") - start :]


def _masked_passwords(text: str, before: str) -> str:
    password, mask = _password(), _table().masks["password"]
    parts: list[str] = []
    at = 0
    asked = password.asked.search(before[-500:]) if before else None
    if asked and (answer := password.answer.fullmatch(text)):
        needs_digit = bool(asked["code"] or asked["asked_code"] or answer["begun"])
        is_value = _is_value(answer["secret"], password.no_answers, needs_digit=needs_digit)
        return _replaced(answer, mask) if is_value else text
    while cue := password.cue.search(text, at):
        parts.append(text[at : cue.end()])
        at = cue.end()
        value = password.value.match(text, at)
        needs_digit = bool(cue["code"] or cue["weak"])
        if value and _is_value(value["secret"], password.no_values, needs_digit=needs_digit):
            kept = _sentence_end(value["secret"])
            parts.append(text[at : value.start("secret")] + mask + kept)
            at = value.end()
    return "".join([*parts, text[at:]])


def _is_value(said: str, no_values: frozenset[str], *, needs_digit: bool) -> bool:
    """Whether what follows "my password is" is a password, not "wrong", "on the note", "8 characters long" or a mask.

    needs_digit: without a digit it counts as a password only in quotes.
    """
    words = [word.strip(punctuation).casefold() for word in said.split()]
    if has_mask(said) or not any(map(str.isalnum, said)):
        return False
    if needs_digit and said[0] not in "\"'“«„":
        # "Luna 2020" is a password, "trabajar 100 horas" is not.
        return bool(_IS_CODED.match(said) or (len(words) == 2 and _IS_CODED.match(said.split()[1])))
    is_count = len(words) > 1 and len(words[0]) < 3 and words[0].isdecimal() and words[1].isalpha()
    # "correct horse battery staple" begins with such a word and is a password.
    is_phrase = len(words) > 3 and no_values.isdisjoint(words[1:])
    return not is_count and (words[0] not in no_values or is_phrase)


def _sentence_end(value: str) -> str:
    """Return the full stop or other mark at the end, which is taken for the end of the sentence and so is kept."""
    return value[-1] if value[-1] in ".!?" else ""


def _masked_spans(text: str, spans: Iterable[tuple[int, int]], mask: str) -> str:
    """Return the text with the mask in place of each span. Spans that overlap are replaced by one mask."""
    parts: list[str] = []
    at = 0
    for start, end in sorted(spans):
        if start >= at:
            parts += [text[at:start], mask]
        at = max(at, end)
    return "".join([*parts, text[at:]])


def _ibans(text: str) -> Iterator[tuple[int, int]]:
    """Return the spans of account numbers whose length and check digits are right."""
    for found in _IBAN.finditer(text):
        longest = found["longest"]
        places = [place for place, character in enumerate(longest) if character.isalnum()]
        length = _iban_lengths().get(longest[:2].upper(), 0)
        if not length or len(places) < length:
            continue
        number = "".join(longest[place] for place in places[:length]).upper()
        # ISO 7064, mod 97-10: letters count from A = 10, and the first four characters come last.
        rearranged = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
        # One sentence in 97 that begins with "at 10" would pass, but it has more letters than digits.
        if int(rearranged) % 97 == 1 and 2 * sum(map(str.isdigit, number)) >= length:
            yield found.start(), found.start() + places[length - 1] + 1


def _cards(text: str) -> Iterator[tuple[int, int]]:
    """Return the spans of card numbers. Other numbers may stand beside them in the same run of digits."""
    for run in _DIGIT_GROUPS.finditer(text):
        groups = list(_DIGIT_GROUP.finditer(text, *run.span()))
        for first, group in enumerate(groups):
            if text[max(group.start() - 1, 0)] == "." and len(group[0]) > 6:
                continue  # decimals
            if len(group[0]) < 4 and first and len(groups[first - 1][0]) == len(group[0]):
                continue  # not the first of digits that stand one by one
            digits = ""
            for last in range(first, len(groups)):
                digits += groups[last][0]
                if len(digits) > 19:
                    break
                if len(digits) >= 13 and _is_card(digits) and _is_grouped(groups, first, last):
                    yield group.start(), groups[last].end()


def _is_grouped(groups: Sequence[re.Match[str]], first: int, last: int) -> bool:
    """Whether groups of digits look like those of a card: four digits or more, or all digits one by one or in pairs.

    In a list of dates or phone numbers they do not.
    """
    sizes = [len(group[0]) for group in groups[first : last + 1]]
    if min(sizes[:-1], default=4) >= 4:
        return sizes[-1] >= 3
    beside = [len(group[0]) for group in (*groups[max(first - 1, 0) : first], *groups[last + 1 : last + 2])]
    return len(set(sizes)) == 1 and sizes[0] < 3 and sizes[0] not in beside


def _is_card(number: str) -> bool:
    issuers = _ISSUERS.get(len(number))
    if not issuers or not issuers.match(number) or len(set(number)) == 1:
        return False
    # Luhn: from the right, every second digit counts double, and the digits of the result are added.
    digits = [int(digit) for digit in reversed(number)]
    return sum(sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(digits)) % 10 == 0
