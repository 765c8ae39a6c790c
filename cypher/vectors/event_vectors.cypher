// The embeddings of events from a sequence number on, in order, with the properties that scopes filter by.
// Deleted events have null data. Clocks are seconds since 1970, to the microsecond.
// params: model, seq, limit
MATCH (m:Embedding)
WHERE m.kind = 'event' AND m.model = $model AND m.seq >= $seq
WITH m ORDER BY m.kind, m.model, m.seq LIMIT $limit
OPTIONAL MATCH (live:Event {node_id: toInteger(m.owner)})
OPTIONAL MATCH (past:SupersededEvent {node_id: toInteger(m.owner)})
WITH m, coalesce(live, past) AS e
RETURN m.seq AS seq, toInteger(m.owner) AS node_id, m.group_id AS group_id, e.video_id AS video_id,
       e.time_start AS time_start, e.time_end AS time_end,
       CASE WHEN e.at IS NULL THEN null ELSE e.clock_start END AS clock_start,
       (e.created_at.epochSeconds * 1000000 + e.created_at.microsecond) / 1000000.0 AS created_at,
       (e.superseded_at.epochSeconds * 1000000 + e.superseded_at.microsecond) / 1000000.0 AS superseded_at,
       CASE WHEN e IS NULL THEN null ELSE m.data END AS data
ORDER BY seq
