// How many embeddings from a sequence number on there are: what a dense index has not read yet.
// params: kind, model, seq
MATCH (m:Embedding)
WHERE m.kind = $kind AND m.model = $model AND m.seq >= $seq
RETURN count(m) AS unread
