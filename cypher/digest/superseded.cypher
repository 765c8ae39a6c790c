// Every superseded event of a group and the event that replaced it, both identified by clip and ordinal.
// params: group_id
MATCH (e:SupersededEvent)-[:MERGED_INTO]->(into:Event|SupersededEvent)
WHERE e.group_id = $group_id AND e.video_id IS NOT NULL AND e.position IS NOT NULL
RETURN e.video_id AS video_id, e.clip_id AS clip_id, e.ordinal AS ordinal, e.position AS position, e.summary_text AS summary_text,
       [into.clip_id, toString(into.ordinal)] AS merged_into,
       COLLECT {
         MATCH (g:Group {group_id: e.group_id})
         MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: g.embedding_model})
         WHERE m.group_id = e.group_id
         RETURN [m.model, m.dim, size(m.data)]
       } AS embeddings
ORDER BY e.group_id, e.video_id, e.position
