// The turns with these numbers that lie in the scope, all in one record.
// Seconds are rounded down: epochSeconds rounds towards 1970.
// params: vector_ids, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), known_at
UNWIND $vector_ids AS vector_id
MATCH (e:Episode {vector_id: vector_id})
WHERE e.group_id = $group_id AND e.user_id = $user_id
  AND e.clock >= $since AND e.clock <= $until AND e.clock <= $as_of AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND (size($session_ids) = 0 OR e.session_id IN $session_ids) AND (size($persons) = 0 OR e.actor_id IN $persons)
RETURN collect([e.vector_id, e.episode_id, e.session_id, e.turn, e.turn_id, e.actor, e.content, e.shown,
  toInteger(floor(e.valid_at.epochMillis / 1000.0)), e.valid_at.microsecond, e.valid_at.offsetSeconds]) AS turns
