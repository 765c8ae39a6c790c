"""The senses of English nouns from WordNet (Fellbaum 1998), reduced when it is installed.

The installed folder has senses.json: {"mobile phone": [sense, second sense]}. These are the first two senses of a
noun in WordNet's order, its most usual ones. Only nouns that share one of them with another noun are kept.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

NAME = "wordnet"
FILE = "senses.json"
_SENSES_KEPT = 2


def convert(sources: Path, folder: Path) -> None:
    """Write senses.json from WordNet's index of nouns."""
    senses = dict(_nouns(sources / "index.noun"))
    shared = Counter(sense for of_noun in senses.values() for sense in of_noun)
    kept = {noun: of_noun for noun, of_noun in senses.items() if any(shared[sense] > 1 for sense in of_noun)}
    (folder / FILE).write_text(json.dumps(kept, separators=(",", ":")), encoding="utf-8")


def senses(folder: Path) -> Mapping[str, Sequence[int]]:
    """Return {lemma: its senses} of an installed word net."""
    return json.loads((folder / FILE).read_text(encoding="utf-8"))


def _nouns(path: Path) -> Iterator[tuple[str, list[int]]]:
    """Yield (noun, its first senses) of WordNet's index: `lemma pos synset_cnt ... sense_cnt tagsense_cnt offset...`.

    A sense is the offset of its entry in WordNet's data file.
    """
    for line in path.read_text(encoding="utf-8").splitlines():
        if line.startswith(" "):  # the licence
            continue
        fields = line.split()
        count = int(fields[2])
        yield fields[0].replace("_", " "), [int(offset) for offset in fields[-count:]][:_SENSES_KEPT]
