// Turns whose NEXT edges do not lead to just the next turn of their session, with that turn.
// params: group_id
MATCH (e:Episode)
WHERE e.group_id = $group_id AND e.user_id IS NOT NULL AND e.session_id IS NOT NULL AND e.turn IS NOT NULL
OPTIONAL CALL (e) {
  MATCH (after:Episode)
  WHERE after.group_id = $group_id AND after.user_id = e.user_id AND after.session_id = e.session_id AND after.turn > e.turn
  RETURN after ORDER BY after.group_id, after.user_id, after.session_id, after.turn LIMIT 1
}
WITH e, after
WHERE COUNT { (e)-[:NEXT]->() } <> CASE WHEN after IS NULL THEN 0 ELSE 1 END
   OR after IS NOT NULL AND NOT EXISTS { MATCH (e)-[:NEXT]->(next) WHERE next = after }
RETURN e.session_id AS session_id, e.vector_id AS turn, after.vector_id AS next ORDER BY session_id, turn
