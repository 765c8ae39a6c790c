// Superseded events that stay although the event they were merged into is forgotten, with what their chains are made of.
// params: group_id, node_ids
UNWIND $node_ids AS node_id
MATCH (gone:SupersededEvent {node_id: node_id})<-[:MERGED_INTO]-(part:SupersededEvent)
WHERE gone.group_id = $group_id AND NOT part.node_id IN $node_ids
WITH DISTINCT part
MATCH (v:Video {group_id: $group_id, video_id: part.video_id})
RETURN part.node_id AS node_id, part.video_id AS video_id, v.place AS place, v.recorded_at AS recorded_at,
       COLLECT { MATCH (part)-[:INVOLVES]->(p:Person) WITH DISTINCT p RETURN p {.scope, .person_id} } AS persons,
       COLLECT { MATCH (part)-[:USES]->(o:Object) RETURN DISTINCT o.name } AS objects
