// A page of what happened to an object, in order of time: actor, verb, state before and after, and position; and how many
// steps there are. One row without a step if none is on the page; no row if the object is not known.
// params: group_id, object (its key), start, limit, seconds, clock, known_at (recall/scope.cypher)
MATCH (o:Object)
WHERE o.group_id = $group_id AND o.name = $object
WITH collect(o) AS objects WHERE size(objects) > 0
CALL (objects) {
  UNWIND objects AS o
  MATCH (e:Event)-[:USES]->(o) WHERE
  // <include recall/scope then>
  RETURN count(*) AS total
}
OPTIONAL CALL (objects) {
  UNWIND objects AS o
  MATCH (e:Event)-[u:USES]->(o) WHERE
  // <include recall/scope then>
  RETURN o, e, u ORDER BY u.key, u.position, u.seq SKIP $start LIMIT $limit
}
RETURN o.place AS place, e.video_id AS video_id, e.time_start AS time_start, e.time_end AS time_end, e.at AS at,
       u.verb AS verb, u.actor AS actor, u.from_state AS from_state, u.to_state AS to_state,
       u.state_kind AS state_kind, u.spatial_relation AS spatial_relation,
       u.spatial_description AS spatial_description, e.node_id AS node_id, e.summary_text AS summary_text, total
ORDER BY u.key, u.position, u.seq
