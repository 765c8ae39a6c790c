// A group's events that a user's runs have not looked at, in the order they were written, with their vectors and the things
// whose place they state.
// params: group_id, after, limit, model
MATCH (e:Event)
WHERE e.node_id > $after AND e.group_id = $group_id
WITH e ORDER BY e.node_id LIMIT $limit
OPTIONAL MATCH (m:Embedding {kind: 'event', owner: toString(e.node_id), model: $model})
RETURN e.node_id AS node_id, e.summary_text AS text, coalesce(e.at, e.created_at) AS at, m.data AS vector,
       COLLECT {
         MATCH (e)-[u:USES]->(o:Object)
         WHERE u.spatial_description <> '' OR u.moves = 'to_place' AND u.spatial_relation <> ''
         RETURN DISTINCT [o.place, o.name]
       } AS things
ORDER BY node_id
