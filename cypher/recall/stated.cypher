// What the turns of a scope state of mentions with the given texts, in order of time.
// params: texts, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), ranges, known_at
UNWIND $texts AS text
MATCH (m:Mention)
WHERE m.group_id = $group_id AND m.user_id = $user_id AND m.text = text
MATCH (m)-[r:STATES]-(:Mention)
WHERE $known_at IS NULL OR r.created_at <= $known_at
WITH DISTINCT r
MATCH (e:Episode {group_id: $group_id, user_id: $user_id, episode_id: r.episode_id})
WHERE
  // <include recall/scope turns>
WITH e, r ORDER BY e.clock, e.vector_id, r.id
RETURN collect([e.vector_id, r.type, startNode(r).text, endNode(r).text]) AS stated
