"""The tables of word forms that are parsed row by row hold what the library's own reader returns."""

from __future__ import annotations

from lemminflect import Inflections, Lemmatizer
from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec

from amr_neo4j.language.en.words import FormTable


def test_every_word_has_the_library_s_entry() -> None:
    for reader, table, path in (
        (LemmaLUCodec, Lemmatizer().lemma_dict, Lemmatizer().lemma_lu_fn),
        (InflectionLUCodec, Inflections().infl_dict, Inflections().infl_lu_fn),
    ):
        whole = reader.load(path)
        assert len(whole) > 30_000 and isinstance(table, FormTable) and table.words() == whole.keys()
        assert {word: table.get(word) for word in whole} == whole
    assert table.get("notaword") is None and table.get("notaword", {}) == {}
