// Write nodes that take the places on disk that deleted ones left. Returns their element ids, to delete them again.
// params: nodes (their number), text, short_text
UNWIND range(1, $nodes) AS n
CREATE (f:Filler {text: $text, short_text: $short_text})
RETURN collect(elementId(f)) AS ids
