// The embeddings of turns from a sequence number on, in order, with the properties that scopes filter by.
// Deleted turns have null data. Clocks are seconds since 1970, to the microsecond.
// params: model, seq, limit
MATCH (m:Embedding)
WHERE m.kind = 'episode' AND m.model = $model AND m.seq >= $seq
WITH m ORDER BY m.kind, m.model, m.seq LIMIT $limit
OPTIONAL MATCH (e:Episode {vector_id: toInteger(m.owner)})
RETURN m.seq AS seq, toInteger(m.owner) AS node_id, m.group_id AS group_id, e.user_id AS user_id, e.session_id AS video_id,
       e.clock AS clock_start,
       (e.created_at.epochSeconds * 1000000 + e.created_at.microsecond) / 1000000.0 AS created_at,
       CASE WHEN e IS NULL THEN null ELSE m.data END AS data
ORDER BY seq
