// Which of these people say something in a scope.
// params: names, group_id, user_id, session_ids, persons, since, until, as_of (seconds since 1970), known_at
RETURN COLLECT {
    UNWIND $names AS name
    WITH name WHERE EXISTS {
      MATCH (e:Episode)
      WHERE e.group_id = $group_id AND e.user_id = $user_id AND e.actor_id = name
        AND e.clock >= $since AND e.clock <= $until AND e.clock <= $as_of AND ($known_at IS NULL OR e.created_at <= $known_at)
  AND (size($session_ids) = 0 OR e.session_id IN $session_ids) AND (size($persons) = 0 OR e.actor_id IN $persons)
    }
    RETURN name } AS people
