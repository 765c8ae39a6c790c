// The NEXT edges of the given turns to turns in the scope, each with the turn it was asked for.
// params: vector_ids, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), ranges, known_at
// e has no label here: with one, the planner may seek it by its user and join the two sides in a cartesian product.
UNWIND $vector_ids AS vector_id
MATCH (origin:Episode {vector_id: vector_id})-[r:NEXT]-(e)
WHERE origin.group_id = $group_id AND origin.user_id = $user_id AND
  // <include recall/scope turns>
WITH vector_id, startNode(r) AS src, endNode(r) AS dst
RETURN collect([vector_id, src.vector_id, dst.vector_id, dst.clock - src.clock]) AS edges
