"""Finds secrets in what is said, and masks them: keys, tokens, passwords, IBANs and payment cards (masking.yaml)."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import cache
from string import punctuation
from typing import Annotated, Any, NamedTuple, cast

from pydantic import BaseModel, BeforeValidator, ConfigDict

from amr_neo4j import tables


def _listed(words: Any) -> Any:
    return tuple(word.strip() for word in words.split(",")) if isinstance(words, str) else words


_Words = Annotated[tuple[str, ...], BeforeValidator(_listed)]


class _Passwords(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")

    nouns: _Words
    about: _Words
    links: _Words
    ends: _Words
    no_values: _Words


class _Table(tables.Table):
    """masking.yaml."""

    masks: Mapping[str, str]
    patterns: Mapping[str, tuple[str, ...]]
    password: _Passwords
    ibans: str


@cache
def _table() -> _Table:
    return tables.load("amr_neo4j.domain", "masking.yaml", _Table)


# 13 to 19 digits, with single spaces or hyphens between them.
_CARD = re.compile(r"(?<![\d.,])\d(?:[ -]?\d){12,18}(?![\d])")
# An account number with its country, as people write it in groups. How long it is depends on the country.
_IBAN = re.compile(r"\b[a-z]{2}[ -]?\d[ -]?\d(?:[ -]?[0-9a-z]){11,30}", re.IGNORECASE)
# The first digits of cards: Visa, Mastercard, American Express, Diners, Discover, JCB, UnionPay, Maestro.
_ISSUERS = re.compile(r"4|5[0-8]|2[2-7]|3[0-9]|6")
# A password has at most so many words: a phrase, or letters that are spelled out.
_MOST_WORDS = 8
# A whole turn that answers a question for a password.
_ANSWER = re.compile(r"\s*(?P<secret>\"[^\"]+\"|\S+)\s*")


class _Password(NamedTuple):
    """How a password is said.

    cue: finds "my password is". asked: finds that at the end of a text, or a question for a password.
    value: finds what follows the cue. no_values: words that may follow it without being a password.
    """

    cue: re.Pattern[str]
    asked: re.Pattern[str]
    value: re.Pattern[str]
    no_values: frozenset[str]


@cache
def _password() -> _Password:
    table = _table().password
    # A space within a noun also matches a line break or several spaces.
    nouns = "|".join(noun.replace(" ", r"\s+").replace(r"\s+?", r"\s*") for noun in table.nouns)
    about = f"(?:\\s+(?:{'|'.join(table.about)})\\s+[^\\s.!?:;,]+(?:\\s+[^\\s.!?:;,]+){{0,3}}?)?"
    links = "|".join(sorted(map(re.escape, table.links), key=len, reverse=True))
    cue = rf"\b(?:{nouns}){about}\s*,?\s*(?::|\b(?:{links})(?!\w)\s*:?)"
    # The value: in quotes, or words up to the end of the sentence or a word that ends it.
    end = rf"(?:{'|'.join(table.ends)})\b"
    word = r"[^\s,;]*[^\s,;.!?]+[.!?]*(?=[\s,;]|$)"
    quoted = r"\"[^\"\n]+\"|'[^'\n]+'|“[^”\n]+”|«[^»\n]+»|„[^“\n]+“"
    words = rf"{word}(?:(?<![.!?])\s+(?!{end}){word}){{0,{_MOST_WORDS - 1}}}"
    # On the same line, and nothing to fill in, such as {password}.
    value = rf"[ \t]*(?![<{{$%#*\\])(?P<secret>{quoted}|{words})"
    return _Password(
        re.compile(cue, re.IGNORECASE),
        re.compile(rf"(?:{cue}|\b(?:{nouns}){about}\s*\?)\W*$", re.IGNORECASE),
        re.compile(value, re.IGNORECASE),
        frozenset(table.no_values),
    )


@cache
def _patterns() -> tuple[tuple[re.Pattern[str], str], ...]:
    """Return (expression, mask) of every pattern."""
    table = _table()
    return tuple(
        (re.compile(expression), table.masks[kind])
        for kind, expressions in table.patterns.items()
        for expression in expressions
    )


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
    text = _IBAN.sub(_masked_iban, text)
    return _CARD.sub(_masked_card, text)


def has_mask(text: str) -> bool:
    """Whether a text has a mask in place of a secret, in any case of letters."""
    return bool(_mask().search(text.casefold()))


def mask_in(value: Any, mask: Callable[[str], str] = mask_secrets) -> Any:
    """Return a JSON value with the secrets in all of its texts masked. Keys of objects stay."""
    if isinstance(value, str):
        return mask(value)
    if isinstance(value, Mapping):
        return {key: mask_in(each, mask) for key, each in cast(Mapping[Any, Any], value).items()}
    if isinstance(value, list | tuple):
        return [mask_in(each, mask) for each in cast(list[Any], value)]
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
    if before and password.asked.search(before[-500:]) and (whole := _ANSWER.fullmatch(text)):
        return text if _is_no_value(whole["secret"], password) else _replaced(whole, mask)
    while cue := password.cue.search(text, at):
        parts.append(text[at : cue.end()])
        at = cue.end()
        value = password.value.match(text, at)
        if value and not _is_no_value(value["secret"], password):
            kept = _sentence_end(value["secret"])
            parts.append(text[at : value.start("secret")] + mask + kept)
            at = value.end()
    return "".join([*parts, text[at:]])


def _is_no_value(said: str, password: _Password) -> bool:
    """Whether what follows "my password is" is no password: "wrong", "on the note", or a mask."""
    words = [word.strip(punctuation).casefold() for word in said.split()]
    # "correct horse battery staple" begins with such a word and is a password.
    is_phrase = len(words) > 3 and password.no_values.isdisjoint(words[1:])
    return has_mask(said) or (words[0] in password.no_values and not is_phrase) or not any(map(str.isalnum, said))


def _sentence_end(value: str) -> str:
    """Return the full stop or other mark at the end, which is taken for the end of the sentence and so is kept."""
    return value[-1] if value[-1] in ".!?" else ""


def _masked_iban(found: re.Match[str]) -> str:
    """Return the match with the account number in it masked, if its length and its check digits are right.

    The match may go on beyond the number, because words that follow look like further groups of it.
    """
    text = found[0]
    places = [place for place, character in enumerate(text) if character.isalnum()]
    length = _iban_lengths().get(text[:2].upper(), 0)
    if not length or len(places) < length:
        return text
    end = places[length - 1] + 1
    number = "".join(text[place] for place in places[:length]).upper()
    # ISO 7064, mod 97-10: letters count from A = 10, and the first four characters come last.
    rearranged = "".join(str(int(character, 36)) for character in number[4:] + number[:4])
    return _table().masks["iban"] + text[end:] if int(rearranged) % 97 == 1 else text


def _masked_card(found: re.Match[str]) -> str:
    digits = [int(digit) for digit in found[0] if digit.isdecimal()]
    # Luhn: from the right, every second digit counts double, and the digits of the result are added.
    doubled = [sum(divmod(2 * digit, 10)) if place % 2 else digit for place, digit in enumerate(reversed(digits))]
    is_card = sum(doubled) % 10 == 0 and _ISSUERS.match(found[0]) and len(set(digits)) > 1
    return _table().masks["card"] if is_card else found[0]
