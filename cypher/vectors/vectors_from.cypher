// The embeddings of events written since a sequence number, oldest first. Forgotten events come with empty data.
// params: model, seq, limit
MATCH (m:Embedding)
WHERE m.kind = 'event' AND m.model = $model AND m.seq >= $seq
WITH m ORDER BY m.kind, m.model, m.seq LIMIT $limit
OPTIONAL MATCH (e:Event {node_id: toInteger(m.owner)})
RETURN m.seq AS seq, toInteger(m.owner) AS node_id, m.group_id AS group_id, e.video_id AS video_id,
       CASE WHEN e IS NULL THEN null ELSE m.data END AS data
ORDER BY seq
