"""Lucene queries from user text."""

from __future__ import annotations

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from amr_neo4j.domain.recall import Scope
from amr_neo4j.domain.video import Video
from amr_neo4j.store.full_text import event_tokens, queries, scope_text, scope_token

MOST_CLAUSES = 1024
FIELDS = 5
SYNTAX = r'"\+-!(){}[]^~*?:/&|'

typed = st.text(max_size=60) | st.lists(
    st.sampled_from([*SYNTAX, " ", "AND", "OR", "NOT", "TO", "a", "can't", "3.14", "鍵", "\ud800", "\x00", "😀"]),
    max_size=40,
).map("".join)
scopes = st.builds(Scope, st.text(min_size=1, max_size=5), st.lists(st.text(max_size=3), max_size=3).map(tuple))


def words_in(query: str) -> list[str]:
    """The words a query looks for, after the required scope."""
    return re.findall(r'"([^"]*)"', query.rpartition(" +(")[2])


@given(typed, scopes)
def test_a_query_is_quoted_words_and_a_required_scope(text: str, scope: Scope) -> None:
    """For any text, no word of it is outside quotes, and no quote or backslash inside."""
    for query in queries(text, event_tokens(scope)):
        assert re.fullmatch(r'(\+scope_text:\(("[gv]\d{20}" ?)+\)\^0 ){1,2}\+\(("[^"\\]+" ?)+\)', query)
        query.encode()


@given(st.text(alphabet=SYNTAX + " \t\n\ud800", max_size=30))
def test_without_a_word_there_is_no_query(text: str) -> None:
    assert list(queries(text, event_tokens(Scope("g")))) == []


@given(st.integers(0, 3000), st.integers(1, 2000))
def test_a_query_never_has_too_many_clauses(words: int, videos: int) -> None:
    """Lucene refuses more than 1024; every video of the scope is searched in one query."""
    scope = Scope("g", tuple(f"v{n}" for n in range(videos)))
    made = list(queries(" ".join(f"w{n}" for n in range(words)), event_tokens(scope)))
    assert all(len(words_in(query)) * FIELDS + query.count('"v') + 1 <= MOST_CLAUSES for query in made)
    if words:
        tokens = [token for query in made for token in re.findall(r'"(v\d{20})"', query)]
        assert tokens == [scope_token("video", "g", video) for video in scope.video_ids]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("""what's in "a/b"? (c:d)""", ["what", "in", "a", "b", "c:d"]),
        ("Keys, keys! KEYS?", ["KEYS"]),
        ("can't pay 1,000 or 3.14 at 12:30.", ["can't", "pay", "1,000", "or", "3.14", "at", "12:30"]),
        ("girl_black_hoodie t-shirt", ["girl_black_hoodie", "t", "shirt"]),
        ("हिन्दी में", ["हिन्दी", "में"]),
        ("鍵はどこ Kitchen", ["鍵", "は", "ど", "こ", "Kitchen"]),
        ("where is the 😀 cup", ["where", "is", "the", "😀", "cup"]),
        ("'quoted' a' 'b", ["quoted", "a", "b"]),
    ],
)
def test_query_words_are_those_the_index_keeps(text: str, words: list[str]) -> None:
    [query] = queries(text, event_tokens(Scope("g")))
    assert words_in(query) == words


def test_scope_tokens_are_distinct() -> None:
    tokens = [
        scope_token("group", "a"),
        scope_token("video", "a", "a"),
        scope_token("video", "a", "b"),
        scope_token("video", "b", "a"),
        scope_token("place", "a", "a"),
        scope_token("person", "a", "", "a"),
    ]
    assert len(set(tokens)) == len(tokens)


def test_scope_text_contains_group_video_place_and_persons() -> None:
    people = [("", "anna"), ("", "anna"), ("v", "girl")]
    text = scope_text(Video("g", "v", place="kitchen"), people)
    assert set(text.split()) == {
        scope_token("group", "g"),
        scope_token("video", "g", "v"),
        scope_token("place", "g", "kitchen"),
        scope_token("person", "g", "", "anna"),
        scope_token("person", "g", "v", "girl"),
    }
