// The embeddings of facts from a sequence number on, in order, with the properties that scopes filter by.
// Deleted facts have null data. Clocks are seconds since 1970, to the microsecond.
// params: model, seq, limit
MATCH (m:Embedding)
WHERE m.kind = 'fact' AND m.model = $model AND m.seq >= $seq
WITH m ORDER BY m.kind, m.model, m.seq LIMIT $limit
OPTIONAL MATCH (f:Fact {vector_id: toInteger(m.owner)})
RETURN m.seq AS seq, toInteger(m.owner) AS node_id, m.group_id AS group_id, f.user_id AS user_id, f.session_id AS video_id,
       f.said AS clock_start,
       (f.created_at.epochSeconds * 1000000 + f.created_at.microsecond) / 1000000.0 AS created_at,
       CASE WHEN f IS NULL THEN null ELSE m.data END AS data
ORDER BY seq
