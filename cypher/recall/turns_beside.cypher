// The turns just before and just after these ones, each with the one it is asked for.
// params: vector_ids, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), known_at
UNWIND $vector_ids AS vector_id
MATCH (origin:Episode {vector_id: vector_id})-[r:NEXT]-(e:Episode)
WHERE origin.group_id = $group_id AND origin.user_id = $user_id AND e.group_id = $group_id AND e.user_id = $user_id
  AND e.clock >= $since AND e.clock <= $until AND e.clock <= $as_of AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND (size($session_ids) = 0 OR e.session_id IN $session_ids) AND (size($persons) = 0 OR e.actor_id IN $persons)
WITH vector_id, startNode(r) AS src, endNode(r) AS dst
RETURN collect([vector_id, src.vector_id, dst.vector_id, dst.clock - src.clock]) AS edges
